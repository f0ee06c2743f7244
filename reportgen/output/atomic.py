"""Durable file operations: fsync of files and folders, and advisory locks."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO
    from pathlib import Path


MAX_FILE_BYTES = 4 << 30


def write_fsync(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a new file and fsync it; `mode` overrides the umask."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else mode), "wb") as file:
        file.write(content)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())


def read_regular_file(path: Path) -> bytes:
    """Return the content of a file of an output folder, in which others may have planted a pipe.

    Raises:
        OSError: It cannot be read, or is a pipe or a device, which may have no end, or is larger
            than any file of a report: a file of zeros takes no space on the disk.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if status.st_size > MAX_FILE_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MAX_FILE_BYTES >> 30} GiB", str(path))
        return file.read()


def fsync_path(path: Path) -> None:
    """Fsync a file or folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_folders(folders: Iterable[Path]) -> None:
    """Fsync folders that exist, each once, the innermost first."""
    deepest_first = sorted(set(folders), key=lambda folder: (-len(folder.parts), folder))
    for folder in deepest_first:
        if folder.is_dir():
            fsync_path(folder)


def make_folder(folder: Path) -> None:
    """Create a folder with its parents.

    Raises:
        OSError: It cannot be created; a file or a link that is in the way is named.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        for path in (*reversed(folder.parents), folder):
            if path.is_symlink() and not path.exists():
                target = path.readlink()
                raise OSError(
                    f"{path} is a symbolic link to {target}, which does not exist"
                ) from error
            if path.exists() and not path.is_dir():
                raise OSError(f"{path} is not a folder") from error
        raise


def make_folder_fsync(folder: Path) -> None:
    """Create a folder with its parents, and fsync them."""
    missing = []
    path = folder
    while not path.exists() and path != path.parent:
        missing.append(path)
        path = path.parent
    make_folder(folder)
    fsync_folders(path.parent for path in missing)


def exchange_folders(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; return False if the system or file system cannot.

    Linux has renameat2(RENAME_EXCHANGE), macOS renamex_np(RENAME_SWAP); Python has neither.
    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(first), os.fsencode(second)
    if sys.platform == "darwin":
        swap, arguments = getattr(libc, "renamex_np", None), (*paths, ctypes.c_uint(2))
    else:
        at_cwd = ctypes.c_int(-100)
        swap = getattr(libc, "renameat2", None)
        arguments = (at_cwd, paths[0], at_cwd, paths[1], ctypes.c_uint(2))
    if swap is None:
        return False
    if swap(*arguments) == 0:
        return True
    number = ctypes.get_errno()
    if number in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}:
        return False
    raise OSError(number, os.strerror(number), str(second))


def open_lock_file(path: Path) -> FileIO:
    """Open or create a lock file; raise an OSError if it is a symbolic link or a pipe."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags, 0o644)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(f"{path} is a symbolic link, not a lock file") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        # Whoever waits for the lock would read the name of its holder from it.
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file, and no lock file")
    return os.fdopen(descriptor, "r+b", buffering=0)


def try_lock(file: FileIO | int) -> bool:
    """Return whether the lock of a file or folder could be acquired without waiting."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_same_file(file: FileIO, path: Path) -> bool:
    """Return whether an open file is still the one at the path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        return False
