"""Files that another machine keeps: which of them are meant, and how they are read."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import Address, DataError, Fault
from reportgen.errors.data_faults import NO_MATCH, WRONG_FORMAT
from reportgen.predictions.files import (
    RemoteFile,
    find_files,
    is_pattern,
    named_before,
    natural_key,
)
from reportgen.predictions.formats import Format, format_named
from reportgen.predictions.remote_faults import remote_fault
from reportgen.spec.addresses import HUGGING_FACE, is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from reportgen.errors import Place
    from reportgen.predictions.files import InputFile

# Bounded, because by itself the client goes on for minutes after a server is gone.
_AGAIN: dict[str, int | str] = {"max_retries": 2, "retry_timeout_ms": 10_000}
_WAITING: dict[str, int | str] = {"connect_timeout": "5s", "read_timeout": "30s"}
_NAME = "file of a row"


def find_inputs(
    folder: Path,
    written: Iterable[str],
    place_of: Callable[[int], Place | None],
    *,
    remote: bool,
) -> tuple[InputFile | RemoteFile, ...]:
    """Return the files that paths, patterns and (if they are allowed) addresses name."""
    paths = list(written)
    if not remote or not any(map(is_remote, paths)):
        return find_files(folder, paths, place_of)
    found: list[InputFile | RemoteFile] = []
    faults: list[Fault] = []
    for number, path in enumerate(paths):
        written_at = partial(place_of, number)
        try:
            named = _named(folder, path, written_at)
        except DataError as error:
            faults += error.faults
        else:
            faults += named_before(found, named, written_at)
            found += named
    if faults:
        raise DataError(*faults)
    return tuple(found)


def _named(
    folder: Path, path: str, written_at: Callable[[], Place | None]
) -> Sequence[InputFile | RemoteFile]:
    """Return the files that a path, a pattern or an address names."""
    if not is_remote(path):
        return find_files(folder, [path], lambda _: written_at())
    if format_named(path) is None:
        message = f"`{path}` is not called a Parquet or Arrow file: no others are read from there"
        help_text = "convert it to Parquet (`.parquet`), or copy it here and give its path"
        raise DataError(Fault(WRONG_FORMAT, message, written_at(), help_text))
    return _matching(path, written_at) if is_pattern(path) else [RemoteFile(Address(path), path)]


def scan_remote(address: Address, found: Format) -> pl.LazyFrame:
    """Scan a file elsewhere with the index `row`; only what a plan needs is fetched."""
    scan = pl.scan_parquet if found is Format.PARQUET else pl.scan_ipc
    frame = scan(str(address), glob=False, storage_options=_options(address))
    return frame.with_row_index("row")


def _options(address: Address) -> dict[str, int | str]:
    # Where the region of a bucket is not told it is asked for, which is nothing to warn of.
    warnings.filterwarnings("ignore", r"'\(default_\)region' not set", UserWarning)
    return _AGAIN if address.scheme in HUGGING_FACE else {**_AGAIN, **_WAITING}


def _matching(pattern: str, written_at: Callable[[], Place | None]) -> list[RemoteFile]:
    """Return the files that a pattern matches, in natural order."""
    if Address(pattern).scheme in HUGGING_FACE:
        message = f"`{pattern}`: patterns are not read from Hugging Face"
        raise DataError(Fault(NO_MATCH, message, written_at(), "list the files one by one"))
    listed = sorted(_listed(pattern), key=natural_key)
    if not listed:
        message = f"`{pattern}` matches no file that has rows"
        help_text = "`*` matches within a folder, `**` over folders"
        raise DataError(Fault(NO_MATCH, message, written_at(), help_text))
    return [RemoteFile(Address(each), each) for each in listed]


def _listed(pattern: str) -> list[str]:
    """Return the files that a pattern matches; their rows tell, so one without is not seen."""
    address, found = Address(pattern), format_named(pattern)
    try:
        frame = _scan_names(address, found).select(pl.col(_NAME).unique())
        return frame.collect(engine="streaming")[_NAME].to_list()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if "expanded paths were empty" in str(error):
            return []
        raise DataError(remote_fault(address, found or Format.PARQUET, error)) from None


def _scan_names(pattern: Address, found: Format | None) -> pl.LazyFrame:
    """Scan nothing but the name of the file of every row."""
    options = _options(pattern)
    if found is Format.ARROW_FILE:
        return pl.scan_ipc(str(pattern), include_file_paths=_NAME, storage_options=options)
    # Which columns the files have, and whether they are alike, does not matter here.
    return pl.scan_parquet(
        str(pattern),
        include_file_paths=_NAME,
        storage_options=options,
        schema={f"no {_NAME}": pl.Null},
        missing_columns="insert",
        extra_columns="ignore",
    )
