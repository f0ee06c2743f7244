"""Writing reports atomically: completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, OutputError
from reportgen.errors.run import OUTPUT_UNWRITABLE
from reportgen.output.atomic import fsync_path, make_folder_fsync, write_fsync
from reportgen.output.staging import (
    is_replaceable,
    recover_stages,
    replace_files,
    replace_folder,
    stage_files,
    staging_folder,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


@contextmanager
def convert_os_errors(path: Path) -> Iterator[None]:
    """Convert an OSError into an OutputError with help."""
    try:
        yield
    except OSError as error:
        diagnostic = Diagnostic(
            OUTPUT_UNWRITABLE,
            f"{path} cannot be written: {error.strerror or error}",
            Location(path),
            "choose another output path, or check free space and permissions; existing files were"
            " not changed",
        )
        raise OutputError(diagnostic) from error


def check_writable(folder: Path) -> None:
    """Raise an OutputError if the output folder cannot be written."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    with convert_os_errors(folder):
        _check_no_symlinks(folder, ())
        if not existing.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is not a folder", str(existing))
        if folder.exists():
            with staging_folder(folder, inside=not is_replaceable(folder)):
                _check_permission(folder)
        else:
            with staging_folder(existing / folder.name):
                pass


def recover_interrupted_write(folder: Path) -> None:
    """Complete or discard the report that a terminated process was writing."""
    with convert_os_errors(folder):
        _check_no_symlinks(folder, ())
        recover_stages(folder)


def write_report(
    folder: Path, files: Mapping[str, bytes], obsolete: Collection[str] = ()
) -> tuple[str, ...]:
    """Replace the report in a folder; on any error the earlier one is unchanged.

    Files of the earlier report that the new one does not have stay, and so do files of others.

    Args:
        folder: the report.
        files: the content of the new files by their path in the folder.
        obsolete: files that an earlier report may have and the new one replaces without having
            them, such as tables that are empty now.

    Returns:
        The obsolete files that were removed.
    """
    with convert_os_errors(folder):
        _check_no_symlinks(folder, (*files, *obsolete))
        removed = tuple(name for name in obsolete if name not in files and _is_file(folder / name))
        is_whole_folder = is_replaceable(folder)
        if not is_whole_folder:
            _check_permission(folder)
        with staging_folder(folder, inside=not is_whole_folder) as stage:
            stage_files(stage, files)
            if is_whole_folder and folder.exists():
                _check_permission(folder)
            if is_whole_folder:
                is_whole_folder = _try_replace_folder(folder, stage, removed)
            if not is_whole_folder:
                replace_files(folder, stage, tuple(files))
                for name in removed:
                    (folder / name).unlink(missing_ok=True)
    return removed


def _try_replace_folder(folder: Path, stage: Path, removed: tuple[str, ...]) -> bool:
    """Replace a report, or return False if its folder cannot be renamed.

    In a container a folder that comes from an image cannot (overlayfs), while its files can.
    """
    try:
        replace_folder(folder, stage, removed)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def write_file_atomic(path: Path, content: bytes) -> None:
    """Write a file atomically; on any error an earlier one is unchanged."""
    with convert_os_errors(path):
        if path.is_dir():
            raise OSError(f"{path} is a folder")
        make_folder_fsync(path.parent)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            write_fsync(temporary, content)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        fsync_path(path.parent)


def _check_permission(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _is_file(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def _check_no_symlinks(folder: Path, names: Iterable[str]) -> None:
    """Raise an OSError if a folder is a symbolic link."""
    subfolders = (folder / Path(name).parent for name in names)
    for path in dict.fromkeys((folder, *subfolders)):
        if path.is_symlink():
            raise OSError(f"{path} is a symbolic link to another folder")
