"""The hash by which an input is recognised."""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from typing import TYPE_CHECKING

from reportgen.errors import Address, DataError, Fault, Place
from reportgen.errors.data_faults import FILE_UNREADABLE, INPUT_CHANGED
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from pathlib import Path

# File systems tell times no finer than this: a file written to just now may change unnoticed.
_COARSEST_NS = 2_000_000_000


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, reading it piece by piece."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Fault(FILE_UNREADABLE, message, Place(path))) from error


@frozen
class _Taken:
    """The hash of a file, still being made perhaps, and how the file was when it began."""

    sha256: Future[str]
    state: tuple[int, ...]
    is_certain: bool


@frozen
class Fingerprints:
    """The hashes of files, made beside the reading of them."""

    taken: dict[Path, _Taken] = field(default_factory=dict)

    def take(self, path: Path | Address) -> None:
        """Begin to hash a file, once; one elsewhere would have to be fetched whole for that."""
        if isinstance(path, Address) or path in self.taken:
            return
        thread = ThreadPoolExecutor(1)
        state, changed = _state(path)
        certain = time.time_ns() - changed > _COARSEST_NS
        self.taken[path] = _Taken(thread.submit(sha256_of, path), state, certain)
        thread.shutdown(wait=False)

    def sha256(self, path: Path | Address) -> str | None:
        """Return the hash of a file that was taken; None for one elsewhere, which has none."""
        return None if isinstance(path, Address) else self.taken[path].sha256.result()

    def refuse_changed(self) -> None:
        """Raise if a file is no longer the one that it was before reading.

        A file that nobody wrote to has the same state. One that was written to shortly before may
        have it nevertheless, and is hashed once more. What was hashed is what was read, so hashing
        has to be done first.
        """
        for taken in self.taken.values():
            taken.sha256.result()
        faults = [
            Fault(
                INPUT_CHANGED,
                "the file changed while it was read",
                Place(path),
                "build again when nothing writes to it any more",
            )
            for path, taken in self.taken.items()
            if _state(path)[0] != taken.state
            or (not taken.is_certain and sha256_of(path) != taken.sha256.result())
        ]
        if faults:
            raise DataError(*faults)


def _state(path: Path) -> tuple[tuple[int, ...], int]:
    """Return what tells a file from a changed one, and when it was last changed."""
    try:
        found = path.stat()
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Fault(FILE_UNREADABLE, message, Place(path))) from error
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return (found.st_ino, found.st_size, *times), max(times)
