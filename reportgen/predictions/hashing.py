"""The hash by which an input is recognised."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import FILE_UNREADABLE, INPUT_CHANGED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, reading it piece by piece."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Fault(FILE_UNREADABLE, message, Place(path))) from error


def refuse_changed(hashes: Mapping[Path, str]) -> None:
    """Raise if a file is no longer the one that was hashed before reading."""
    faults = [
        Fault(
            INPUT_CHANGED,
            "the file changed while it was read",
            Place(path),
            "build again when nothing writes to it any more",
        )
        for path, before in hashes.items()
        if sha256_of(path) != before
    ]
    if faults:
        raise DataError(*faults)
