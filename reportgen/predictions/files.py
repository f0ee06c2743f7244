"""From the paths of a spec to the files they name."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Fault, Place, did_you_mean_file
from reportgen.errors.data_faults import FILE_TWICE, FILE_UNREADABLE, NO_MATCH
from reportgen.frozen import frozen
from reportgen.spec.addresses import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from reportgen.errors import Address

_PATTERN = re.compile(r"[*?\[]")


@frozen
class InputFile:
    """A file to read: where it is, and how it is called in messages and in the manifest."""

    path: Path
    written: str


@frozen
class RemoteFile:
    """A file to read from another machine: its address, which is how it is called, too."""

    path: Address
    written: str


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts fold2 before fold10, and numbers in numeric order."""
    parts = re.findall(r"(?<![\w.])-\d+|\d+|\D+", text)
    return tuple(
        (0, int(part), "") if part.lstrip("-").isdecimal() else (1, 0, part) for part in parts
    )


def is_pattern(path: str) -> bool:
    """Tell whether a path may stand for several files."""
    return _PATTERN.search(path) is not None


def find_files(
    folder: Path, written: Iterable[str], place_of: Callable[[int], Place | None]
) -> tuple[InputFile, ...]:
    """Return the files that paths and patterns name, patterns in natural order."""
    found: list[InputFile] = []
    faults: list[Fault] = []
    for number, path in enumerate(written):
        named = files_of(folder, path)
        if not named:
            faults.append(_no_match(folder, path, place_of(number)))
        faults.extend(
            _unreadable(folder, path, place_of(number)) for file in named if not file.path.is_file()
        )
        faults.extend(named_before(found, named, partial(place_of, number)))
        found.extend(named)
    if faults:
        raise DataError(*faults)
    return tuple(found)


def files_of(folder: Path, path: str) -> list[InputFile]:
    """Return the files a pattern matches now, or else the one file of a path, there or not.

    An address names no file of this machine.
    """
    if is_remote(path):
        return []
    # A file whose name holds a bracket is a file; only what does not exist is a pattern.
    if is_pattern(path) and not (folder / path).exists():
        return _matching(folder, path)
    return [InputFile(folder / path, path.replace("\\", "/"))]


def named_before(
    earlier: Sequence[InputFile | RemoteFile],
    named: Sequence[InputFile | RemoteFile],
    written_at: Callable[[], Place | None],
) -> list[Fault]:
    """Return a fault for each file that is named a second time: its cases would count twice."""
    known = {_identity(file): file.written for file in earlier}
    return [
        Fault(
            FILE_TWICE,
            f"`{file.written}` is the same file as `{known[_identity(file)]}`",
            written_at(),
            "name every file once",
        )
        for file in named
        if _identity(file) in known
    ]


def _identity(file: InputFile | RemoteFile) -> Path | Address:
    """Return what two names of one file share."""
    return file.path.resolve() if isinstance(file, InputFile) else file.path


def _matching(folder: Path, pattern: str) -> list[InputFile]:
    anchor, relative = folder, pattern
    if pattern.startswith("/"):
        anchor, relative = type(folder)("/"), pattern.lstrip("/")
    parts = relative.split("/")
    while parts[0] == "..":
        anchor, parts = anchor / "..", parts[1:]
    prefix = anchor.as_posix() if anchor != folder else ""
    up = pattern[: len(pattern) - len("/".join(parts))]
    files = [path for path in anchor.glob("/".join(parts)) if path.is_file()]
    named = [
        InputFile(path, (up if prefix else "") + path.relative_to(anchor).as_posix())
        for path in files
    ]
    return sorted(named, key=lambda file: natural_key(file.written))


def _neighbours(folder: Path, path: str) -> list[str]:
    """Return the files of the folder that a path points into."""
    place = (folder / path).parent
    if not place.is_dir():
        return []
    prefix = path[: path.rfind("/") + 1]
    return sorted(
        (prefix + each.name for each in place.iterdir() if each.is_file()), key=natural_key
    )


def _no_match(folder: Path, pattern: str, written_at: Place | None) -> Fault:
    there = _neighbours(folder, pattern)
    listed = ", ".join(f"`{name}`" for name in there[:5]) + (", …" if len(there) > 5 else "")  # noqa: PLR2004
    place = (folder / pattern).parent
    help_text = f"the folder has {listed}" if there else f"`{place}` has no files"
    if not place.is_dir() and not is_pattern(place.as_posix()):
        help_text = f"there is no folder `{place}`"
    return Fault(NO_MATCH, f"`{pattern}` matches no file", written_at, help_text)


def _unreadable(folder: Path, path: str, written_at: Place | None) -> Fault:
    place = folder / path
    if place.is_dir():
        help_text = f"to read all files in it write `{path.rstrip('/')}/*.csv`"
        return Fault(FILE_UNREADABLE, f"`{path}` is a folder", written_at, help_text)
    if place.exists():
        # A pipe or a device cannot be hashed first and read afterwards.
        return Fault(FILE_UNREADABLE, f"`{path}` is not a regular file", written_at)
    guess = did_you_mean_file(path, _neighbours(folder, path))
    help_text = guess or f"paths are relative to `{folder}`"
    return Fault(FILE_UNREADABLE, f"there is no file `{path}`", written_at, help_text)
