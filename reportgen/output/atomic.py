"""What outlasts a fault: files that are on the disk, and locks that end with their process."""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO
    from pathlib import Path


def write_fsync(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a new file and wait until it is on the disk; a mode counts whatever the umask."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else mode), "wb") as file:
        file.write(content)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())


def fsync_path(path: Path) -> None:
    """Wait until a file, or which files a folder has, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_folders(folders: Iterable[Path]) -> None:
    """Sync folders, each once and the innermost first; one that is gone needs it no more."""
    deepest_first = sorted(set(folders), key=lambda folder: len(folder.parts), reverse=True)
    for folder in deepest_first:
        if folder.is_dir():
            fsync_path(folder)


def make_folder_fsync(folder: Path) -> None:
    """Make a folder with those above it, so that it is still there after a loss of power."""
    missing = []
    place = folder
    while not place.exists() and place != place.parent:
        missing.append(place)
        place = place.parent
    folder.mkdir(parents=True, exist_ok=True)
    fsync_folders(place.parent for place in missing)


def open_lock_file(path: Path) -> FileIO:
    """Open the file of a lock, made if need be: never another's file through a link."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.fdopen(os.open(path, flags, 0o644), "r+b", buffering=0)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(f"{path} is a link, where the file of a lock should be") from error
        raise


def try_lock(file: FileIO | int) -> bool:
    """Take the lock of a file or folder, which ends with this process, unless another has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_same_file(file: FileIO, path: Path) -> bool:
    """Tell whether the file that was opened is the one of that name, and not one before it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        return False
