"""Writing reports atomically: completely or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, OutputError
from reportgen.errors.run import OUTPUT_UNWRITABLE
from reportgen.export.manifest import MANIFEST_FILE, read_listed_outputs
from reportgen.output.atomic import fsync_path, make_folder_fsync, write_fsync
from reportgen.output.staging import (
    STAGED_NEW,
    is_path_inside,
    recover_stages,
    staging_folder,
    swap_files,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    with convert_os_errors(folder), staging_folder(existing):
        _check_no_symlinks(folder, ())


def rollback_interrupted_write(folder: Path) -> None:
    """Restore the report that a terminated process was replacing, and remove its stages.

    The stage of a folder that does not exist yet is next to it.
    """
    with convert_os_errors(folder):
        _check_no_symlinks(folder, ())
        recover_stages(folder.parent)
        recover_stages(folder)


def write_report(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Replace the report in a folder; on any error the earlier one is unchanged.

    Returns:
        The files of the earlier report that the new one does not have, which were removed.
    """
    with convert_os_errors(folder):
        _check_no_symlinks(folder, files)
        make_folder_fsync(folder)
        with staging_folder(folder) as stage:
            for name, content in files.items():
                (stage / STAGED_NEW / name).parent.mkdir(parents=True, exist_ok=True)
                write_fsync(stage / STAGED_NEW / name, content)
            previous = list(_previous_outputs(folder, list(files)))
            swap_files(folder, stage, list(files), previous)
    return tuple(name for name in previous if name not in files)


def write_file_atomic(path: Path, content: bytes) -> None:
    """Write a file atomically; on any error an earlier one is unchanged."""
    with convert_os_errors(path):
        if path.is_dir():
            raise OSError(f"{path} is a folder")
        make_folder_fsync(path.parent)
        with staging_folder(path.parent) as stage:
            (stage / STAGED_NEW).mkdir()
            write_fsync(stage / STAGED_NEW / path.name, content)
            (stage / STAGED_NEW / path.name).replace(path)
            fsync_path(path.parent)


def _previous_outputs(folder: Path, names: list[str]) -> Iterator[str]:
    """Yield the existing files that are replaced or listed in the earlier manifest."""
    manifest = folder / MANIFEST_FILE
    recorded = read_listed_outputs(manifest.read_bytes()) if manifest.is_file() else ()
    for name in dict.fromkeys([*names, *recorded]):
        path = folder / name
        if is_path_inside(name) and (path.is_symlink() or path.is_file()):
            yield name


def _check_no_symlinks(folder: Path, names: Mapping[str, bytes] | tuple[str, ...]) -> None:
    """Raise an OSError if a folder is a symbolic link."""
    subfolders = (folder / Path(name).parent for name in names)
    for path in dict.fromkeys((folder, *subfolders)):
        if path.is_symlink():
            raise OSError(f"{path} is a symbolic link to another folder")
