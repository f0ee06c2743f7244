"""Input files: path expansion, natural order and SHA-256 hashes."""

from __future__ import annotations

import hashlib
import json
import re
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri, did_you_mean_file
from reportgen.errors.data import (
    DUPLICATE_FILE,
    FILE_UNREADABLE,
    INPUT_CHANGED,
    NO_FILES_MATCH,
    PINNED_HASH_DIFFERS,
)
from reportgen.spec import spec_file_for_dataset
from reportgen.spec.fields import is_remote_uri, is_uri
from reportgen.spec.load import display_text, is_system_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from reportgen.spec import SpecFile


# Longer digits are sorted as text; Python does not parse thousands of them.
_MAX_NUMBER_LENGTH = 1000
_GLOB_CHARACTERS = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A local input file, with its name in messages and in the manifest."""

    path: Path
    display_name: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A remote input file; its name is its URI."""

    path: RemoteUri
    display_name: str


def natural_sort_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts fold2 before fold10."""
    parts = re.findall(r"(?<![\w.])-\d+|\d+|\D+", text)
    return tuple(
        (0, int(part), "")
        if part.lstrip("-").isdecimal() and len(part) <= _MAX_NUMBER_LENGTH
        else (1, 0, part)
        for part in parts
    )


def is_glob(path: str) -> bool:
    """Return whether a path is a glob pattern."""
    return _GLOB_CHARACTERS.search(path) is not None


def find_files(
    folder: Path, path_patterns: Iterable[str], locate: Callable[[int], Location | None]
) -> tuple[InputFile, ...]:
    """Return the files of paths and glob patterns, those of a pattern in natural order.

    Raise a DataError if a path does not exist, a pattern matches nothing, or a file repeats.
    """
    files: list[InputFile] = []
    diagnostics: list[Diagnostic] = []
    for number, path in enumerate(path_patterns):
        matches = expand_path(folder, path)
        if not matches:
            diagnostics.append(_no_match_diagnostic(folder, path, locate(number)))
        diagnostics.extend(
            _unreadable_diagnostic(folder, path, locate(number))
            for file in matches
            if not file.path.is_file() or is_system_file(file.path)
        )
        diagnostics.extend(duplicate_file_diagnostics(files, matches, partial(locate, number)))
        files.extend(matches)
    if diagnostics:
        raise DataError(*diagnostics)
    return tuple(files)


def expand_path(folder: Path, path: str) -> list[InputFile]:
    """Return the files that a pattern matches, or the file of a path even if it does not exist.

    A remote URI has no local files.
    """
    if is_remote_uri(path):
        return []
    # A file whose name holds a bracket is a file; only what does not exist is a pattern.
    if is_glob(path) and not (folder / path).exists():
        return _expand_glob(folder, path)
    return [InputFile(folder / path, path.replace("\\", "/"))]


def duplicate_file_diagnostics(
    previous_files: Sequence[InputFile | RemoteFile],
    new_files: Sequence[InputFile | RemoteFile],
    locate: Callable[[], Location | None],
) -> list[Diagnostic]:
    """Return a diagnostic for each file that is listed twice, whose cases would count twice."""
    known_files = {_file_identity(file): file.display_name for file in previous_files}
    return [
        Diagnostic(
            DUPLICATE_FILE,
            f"`{file.display_name}` is the same file as `{known_files[_file_identity(file)]}`",
            locate(),
            "name every file once",
        )
        for file in new_files
        if _file_identity(file) in known_files
    ]


def _file_identity(file: InputFile | RemoteFile) -> Path | RemoteUri:
    """Return the resolved path by which two names of one file are equal."""
    return file.path.resolve() if isinstance(file, InputFile) else file.path


def _expand_glob(folder: Path, pattern: str) -> list[InputFile]:
    anchor, relative = folder, pattern
    if pattern.startswith("/"):
        anchor, relative = type(folder)("/"), pattern.lstrip("/")
    parts = relative.split("/")
    while parts[0] == "..":
        anchor, parts = anchor / "..", parts[1:]
    prefix = anchor.as_posix() if anchor != folder else ""
    parent_prefix = pattern[: len(pattern) - len("/".join(parts))]
    files = [path for path in anchor.glob("/".join(parts)) if path.is_file()]
    paths = [
        InputFile(
            path,
            display_text((parent_prefix if prefix else "") + path.relative_to(anchor).as_posix()),
        )
        for path in files
    ]
    return sorted(paths, key=lambda file: natural_sort_key(file.display_name))


def _sibling_files(folder: Path, path: str) -> list[str]:
    """Return the names of the files in the folder of a path."""
    parent = (folder / path).parent
    if not parent.is_dir():
        return []
    prefix = path[: path.rfind("/") + 1]
    return sorted(
        (prefix + sibling.name for sibling in parent.iterdir() if sibling.is_file()),
        key=natural_sort_key,
    )


def _no_match_diagnostic(folder: Path, pattern: str, location: Location | None) -> Diagnostic:
    siblings = _sibling_files(folder, pattern)
    listing = ", ".join(f"`{name}`" for name in siblings[:5]) + (", …" if len(siblings) > 5 else "")  # noqa: PLR2004
    parent = (folder / pattern).parent
    help_text = f"the folder has {listing}" if siblings else f"`{parent}` has no files"
    if not parent.is_dir() and not is_glob(parent.as_posix()):
        help_text = f"there is no folder `{parent}`"
    return Diagnostic(NO_FILES_MATCH, f"`{pattern}` matches no file", location, help_text)


def _unreadable_diagnostic(folder: Path, path: str, location: Location | None) -> Diagnostic:
    full_path = folder / path
    if full_path.is_dir():
        help_text = f"to read all files in it write `{path.rstrip('/')}/*.csv`"
        return Diagnostic(FILE_UNREADABLE, f"`{path}` is a folder", location, help_text)
    if full_path.is_file():
        message = f"`{path}` is a file of the system, not of data"
        return Diagnostic(FILE_UNREADABLE, message, location)
    if full_path.exists():
        # A pipe or a device cannot be read twice, once for its hash.
        return Diagnostic(FILE_UNREADABLE, f"`{path}` is not a regular file", location)
    suggestion = did_you_mean_file(path, _sibling_files(folder, path))
    help_text = suggestion or f"paths are relative to `{folder}`"
    return Diagnostic(FILE_UNREADABLE, f"there is no file `{path}`", location, help_text)


# The resolution of modification times: a file written within it may change unnoticed.
_MTIME_RESOLUTION_NS = 2_000_000_000


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Diagnostic(FILE_UNREADABLE, message, Location(path))) from error


@dataclass(frozen=True, slots=True)
class _PendingHash:
    """The hash of a file being computed, and the state of the file when that began."""

    sha256: Future[str]
    state: tuple[int, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class InputHashes:
    """SHA-256 hashes of input files, computed in background threads while files are read."""

    pending: dict[Path, _PendingHash] = field(default_factory=dict)

    def submit(self, path: Path | RemoteUri) -> None:
        """Start to hash a local file, once; remote files would have to be downloaded for it."""
        if isinstance(path, RemoteUri) or path in self.pending:
            return
        thread = ThreadPoolExecutor(1)
        state, modified_ns = _file_state(path)
        is_reliable = time.time_ns() - modified_ns > _MTIME_RESOLUTION_NS
        self.pending[path] = _PendingHash(thread.submit(hash_file, path), state, is_reliable)
        thread.shutdown(wait=False)

    def sha256(self, path: Path | RemoteUri) -> str | None:
        """Return the hash of a submitted file; None for a remote file."""
        return None if isinstance(path, RemoteUri) else self.pending[path].sha256.result()

    def verify_unchanged(self) -> None:
        """Raise if a file changed while it was read.

        An unchanged file has the same inode, size and times. A file modified just before reading
        may have them even if it changed, and is hashed again. Waits for all hashes first.
        """
        for pending in self.pending.values():
            pending.sha256.result()
        diagnostics = [
            Diagnostic(
                INPUT_CHANGED,
                "the file changed while it was read",
                Location(path),
                "build again when nothing writes to it any more",
            )
            for path, pending in self.pending.items()
            if _file_state(path)[0] != pending.state
            or (not pending.is_certain and hash_file(path) != pending.sha256.result())
        ]
        if diagnostics:
            raise DataError(*diagnostics)


def _file_state(path: Path) -> tuple[tuple[int, ...], int]:
    """Return inode, size and times of a file, and the time of its last change."""
    try:
        status = path.stat()
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Diagnostic(FILE_UNREADABLE, message, Location(path))) from error
    timestamps = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_ino, status.st_size, *timestamps), max(timestamps)


def hash_inputs(spec_file: SpecFile) -> list[tuple[str, str, str]] | None:
    """Return classifier, path and hash of every input in the order of the manifest.

    None if an input is remote or on Spark, because it would have to be downloaded.
    """
    if spec_file.spec.engine.kind == "spark":
        return None
    spec_files = [
        spec_file_for_dataset(spec_file, dataset) for dataset in spec_file.spec.datasets
    ] or [spec_file]
    paths = [pair for part in spec_files for pair in _input_paths(part)]
    if any(is_uri(path) for _, path in paths):
        return None
    known_hashes: dict[str, str] = {}
    hashes = []
    for classifier, path in paths:
        for file in expand_path(spec_file.folder, path):
            if file.display_name not in known_hashes:
                known_hashes[file.display_name] = hash_file(file.path)
            hashes.append((classifier, file.display_name, known_hashes[file.display_name]))
    return hashes


def _input_paths(spec_file: SpecFile) -> Iterator[tuple[str, str]]:
    for classifier in spec_file.spec.classifiers:
        if classifier.predictions is None:
            continue
        labels = spec_file.spec.data_settings_for(classifier).labels
        for path in (*classifier.predictions, *([labels] if labels else [])):
            yield classifier.name, path


def verify_pinned_hashes(spec_file: SpecFile) -> None:
    """Raise if an input file has another hash than the spec pins, or a pinned file is no input."""
    pinned = spec_file.spec.sha256
    if not pinned:
        return
    files = {
        file.display_name: file.path
        for _, path in _input_paths(spec_file)
        for file in expand_path(spec_file.folder, path)
    }
    diagnostics = []
    for name, digest in pinned.items():
        location = spec_file.locate("sha256", name)
        if name not in files:
            if not spec_file.spec.datasets:
                message = f"`{name}` in [sha256] is no input file of this spec"
                help_text = "remove it, or run `reportgen check --pin`"
                diagnostics.append(Diagnostic(PINNED_HASH_DIFFERS, message, location, help_text))
        elif files[name].is_file() and hash_file(files[name]) != digest:
            message = f"`{name}` differs from its hash in [sha256]"
            help_text = (
                "restore the file, or run `reportgen check --pin` if it was changed on purpose"
            )
            diagnostics.append(Diagnostic(PINNED_HASH_DIFFERS, message, location, help_text))
    if diagnostics:
        raise DataError(*diagnostics)


_HASH_TABLE = re.compile(r"\n*^\[sha256\][^\n]*\n(?:(?!\[)[^\n]*(?:\n|\Z))*", re.MULTILINE)


def pin_hashes(spec_file: SpecFile, text: str) -> str:
    """Return the text of a spec with the hashes of its input files in the table [sha256].

    Raises:
        DataError: An input is remote, and would have to be downloaded.
    """
    hashes = hash_inputs(spec_file)
    if hashes is None:
        message = "remote files cannot be pinned"
        raise DataError(Diagnostic(PINNED_HASH_DIFFERS, message, help="download them first"))
    lines = [f'{json.dumps(name, ensure_ascii=False)} = "{digest}"' for _, name, digest in hashes]
    table = "\n".join(["[sha256]", *dict.fromkeys(lines)])
    return f"{_HASH_TABLE.sub('', text).rstrip()}\n\n{table}\n"
