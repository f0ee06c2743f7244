"""Remote files in object stores: listing, scanning and error messages without secrets."""

from __future__ import annotations

import re
import warnings
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri
from reportgen.errors.data import (
    FILE_CORRUPT,
    FILE_FORMAT_MISMATCH,
    NO_FILES_MATCH,
    REMOTE_UNREADABLE,
)
from reportgen.predictions.files import (
    RemoteFile,
    duplicate_file_diagnostics,
    find_files,
    is_glob,
    natural_sort_key,
)
from reportgen.predictions.formats import FileFormat, format_from_suffix
from reportgen.spec.fields import (
    AZURE_SCHEMES,
    GCS_SCHEMES,
    HUGGING_FACE_SCHEMES,
    POSTGRES_SCHEMES,
    S3_SCHEMES,
    is_remote_uri,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from reportgen.predictions.files import InputFile


# The column of row numbers of a scan: a name that no file has.
ROW_INDEX = "= row"
_S3_HELP = (
    "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (and AWS_ENDPOINT_URL for a store"
    " of your own); AWS_SKIP_SIGNATURE=true for a public bucket"
)
_GOOGLE_HELP = "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key"
_AZURE_HELP = (
    "set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN"
)
_HUGGING_FACE_HELP = "set HF_TOKEN to a token that may read the repository"
_CREDENTIALS_HELP = {
    **dict.fromkeys(S3_SCHEMES, _S3_HELP),
    **dict.fromkeys(GCS_SCHEMES, _GOOGLE_HELP),
    **dict.fromkeys(AZURE_SCHEMES, _AZURE_HELP),
    **dict.fromkeys(HUGGING_FACE_SCHEMES, _HUGGING_FACE_HELP),
}
# Patterns of the messages of servers and clients, which may contain keys and are never shown.
_NO_CREDENTIALS = r"169\.254\.|token request|Account must be specified|No valid credentials"
_ACCESS_DENIED = r"(status code: |error \()40[13]|lacked the necessary privileges|AccessDenied"
_NOT_FOUND = r"(status code: |error \()404|NoSuchKey"
_TIMED_OUT = "timed out"
_UNREACHABLE = r"error sending request|client error \(Connect\)|[Cc]onnection (refused|reset)"
_MAX_REASON_LENGTH = 120


def remote_diagnostic(
    address: RemoteUri, file_format: FileFormat, error: BaseException
) -> Diagnostic:
    """Return the diagnostic of a remote file that could not be opened or read."""
    text = str(error)
    location = Location(address)
    help_text = _CREDENTIALS_HELP[address.scheme]
    connection = "look at the network, and at the name of the server in the environment"
    if re.search(_NO_CREDENTIALS, text):
        return Diagnostic(REMOTE_UNREADABLE, "no credentials were found", location, help_text)
    if "NoSuchBucket" in text:
        store = address.uri.split("/")[2]
        message = f"there is no bucket `{store}`"
        return Diagnostic(REMOTE_UNREADABLE, message, location, "look at the spelling")
    if re.search(_ACCESS_DENIED, text):
        return Diagnostic(REMOTE_UNREADABLE, "access was denied", location, help_text)
    if isinstance(error, FileNotFoundError) or re.search(_NOT_FOUND, text):
        return Diagnostic(
            REMOTE_UNREADABLE, "there is no such file", location, "look at the spelling"
        )
    if isinstance(error, TimeoutError) or _TIMED_OUT in text:
        message = "the server did not answer in time"
        return Diagnostic(REMOTE_UNREADABLE, message, location, connection)
    if re.search(_UNREACHABLE, text):
        return Diagnostic(REMOTE_UNREADABLE, "the server cannot be reached", location, connection)
    if isinstance(error, OSError):
        message = f"the file cannot be read: {_shorten_reason(text)}"
        return Diagnostic(REMOTE_UNREADABLE, message, location, help_text)
    message = (
        f"the {file_format} data cannot be read: {_shorten_reason(text) or type(error).__name__}"
    )
    return Diagnostic(FILE_CORRUPT, message, location, "copy or make the file again")


def _shorten_reason(text: str) -> str:
    """Return the first line of an error message, without URIs and server responses."""
    first = text.partition("\n")[0].removeprefix("object-store error: ")
    first = re.sub(r"\w+://\S+", "…", first).partition("<")[0].partition(" (path:")[0]
    return first if len(first) <= _MAX_REASON_LENGTH else f"{first[:_MAX_REASON_LENGTH]}…"


# Bounded, because the client retries for minutes by default.
_RETRY_OPTIONS: dict[str, int | str] = {"max_retries": 2, "retry_timeout_ms": 10_000}
_TIMEOUT_OPTIONS: dict[str, int | str] = {"connect_timeout": "5s", "read_timeout": "30s"}
_PATH_COLUMN = "file of a row"


def find_inputs(
    folder: Path,
    path_patterns: Iterable[str],
    locate: Callable[[int], Location | None],
    *,
    remote: bool,
) -> tuple[InputFile | RemoteFile, ...]:
    """Return the files of paths, glob patterns and, with `remote`, URIs."""
    paths = list(path_patterns)
    if not remote or not any(map(is_remote_uri, paths)):
        return find_files(folder, paths, locate)
    files: list[InputFile | RemoteFile] = []
    diagnostics: list[Diagnostic] = []
    for number, path in enumerate(paths):
        locate_path = partial(locate, number)
        try:
            matches = _resolve_path(folder, path, locate_path)
        except DataError as error:
            diagnostics += error.diagnostics
        else:
            diagnostics += duplicate_file_diagnostics(files, matches, locate_path)
            files += matches
    if diagnostics:
        raise DataError(*diagnostics)
    return tuple(files)


def _resolve_path(
    folder: Path, path: str, locate: Callable[[], Location | None]
) -> Sequence[InputFile | RemoteFile]:
    """Return the files of a path, a glob pattern or a URI."""
    if not is_remote_uri(path):
        return find_files(folder, [path], lambda _: locate())
    if RemoteUri(path).scheme in POSTGRES_SCHEMES:
        return [RemoteFile(RemoteUri(path), path)]
    if format_from_suffix(path) is None:
        message = f"`{path}` is not called a Parquet or Arrow file: no others are read from there"
        help_text = "convert it to Parquet (`.parquet`), or copy it here and give its path"
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, locate(), help_text))
    return (
        _expand_remote_glob(path, locate) if is_glob(path) else [RemoteFile(RemoteUri(path), path)]
    )


def scan_remote(address: RemoteUri, file_format: FileFormat) -> pl.LazyFrame:
    """Scan a remote file with the index `row`; only the columns of a query are downloaded."""
    scan = pl.scan_parquet if file_format is FileFormat.PARQUET else pl.scan_ipc
    frame = scan(str(address), glob=False, storage_options=_storage_options(address))
    return frame.with_row_index(ROW_INDEX)


def _storage_options(address: RemoteUri) -> dict[str, int | str]:
    # An unset region is looked up, which needs no warning.
    warnings.filterwarnings("ignore", r"'\(default_\)region' not set", UserWarning)
    return (
        _RETRY_OPTIONS
        if address.scheme in HUGGING_FACE_SCHEMES
        else {**_RETRY_OPTIONS, **_TIMEOUT_OPTIONS}
    )


def _expand_remote_glob(pattern: str, locate: Callable[[], Location | None]) -> list[RemoteFile]:
    """Return the remote files that a pattern matches, in natural order."""
    if RemoteUri(pattern).scheme in HUGGING_FACE_SCHEMES:
        message = f"`{pattern}`: patterns are not read from Hugging Face"
        raise DataError(Diagnostic(NO_FILES_MATCH, message, locate(), "list the files one by one"))
    addresses = sorted(_list_matching_files(pattern), key=natural_sort_key)
    if not addresses:
        message = f"`{pattern}` matches no file that has rows"
        help_text = "`*` matches within a folder, `**` over folders"
        raise DataError(Diagnostic(NO_FILES_MATCH, message, locate(), help_text))
    return [RemoteFile(RemoteUri(address), address) for address in addresses]


def _list_matching_files(pattern: str) -> list[str]:
    """Return the URIs that a pattern matches, by the rows of the files: empty ones are missed."""
    address, file_format = RemoteUri(pattern), format_from_suffix(pattern)
    try:
        frame = _scan_file_paths(address, file_format).select(pl.col(_PATH_COLUMN).unique())
        return frame.collect(engine="streaming")[_PATH_COLUMN].to_list()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if "expanded paths were empty" in str(error):
            return []
        raise DataError(
            remote_diagnostic(address, file_format or FileFormat.PARQUET, error)
        ) from None


def _scan_file_paths(pattern: RemoteUri, file_format: FileFormat | None) -> pl.LazyFrame:
    """Scan only the file of every row."""
    options = _storage_options(pattern)
    if file_format is FileFormat.ARROW_FILE:
        return pl.scan_ipc(str(pattern), include_file_paths=_PATH_COLUMN, storage_options=options)
    # The columns of the files do not matter here.
    return pl.scan_parquet(
        str(pattern),
        include_file_paths=_PATH_COLUMN,
        storage_options=options,
        schema={f"no {_PATH_COLUMN}": pl.Null},
        missing_columns="insert",
        extra_columns="ignore",
    )
