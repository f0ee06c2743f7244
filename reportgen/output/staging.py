"""Replacing the folder of a report in one step.

The new report is prepared in a stage next to the report, in `.reportgen/<name of the report>/`,
and then exchanged with the old one by a single system call, so that readers see the old report or
the new one and never a mixture. Names in `.reportgen` cannot collide with those of reports.

A stage is in use while a process holds its lock. Process ids would not do: they are reused, and
two containers that share a disk may have the same ones.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.output.atomic import (
    exchange_folders,
    fsync_folders,
    fsync_path,
    is_same_file,
    make_folder,
    make_folder_fsync,
    open_lock_file,
    read_regular_file,
    try_lock,
    write_fsync,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from io import FileIO

STATE_FOLDER = ".reportgen"
_STAGE_NAME = re.compile("stage-[0-9a-f]{16}")
STAGED_NEW = "new"
_STAGE_LOCK, _STAGED_OLD, _NEW_INODE = "lock", "old", "inode"
_MAX_ATTEMPTS = 100


def state_folder(folder: Path) -> Path:
    """Return where the lock and the stages of a report are kept; raise an OSError if nowhere."""
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100  # links are refused, not resolved
    if absolute.name in {"", STATE_FOLDER}:
        raise OSError(f"{folder} cannot be the folder of a report: the name is reserved")
    return absolute.parent / STATE_FOLDER / absolute.name


def is_replaceable(folder: Path) -> bool:
    """Return whether a folder can be replaced as a whole.

    A mount point cannot, and neither can a folder in one that is not writable: single files are
    replaced there.
    """
    return not folder.is_dir() or (
        not folder.is_mount() and os.access(Path(os.path.abspath(folder)).parent, os.W_OK)  # noqa: PTH100  # as above
    )


@contextmanager
def staging_folder(folder: Path, *, inside: bool = False) -> Iterator[Path]:
    """Provide a stage for a report on the same file system, because only there renames work.

    Args:
        folder: the report.
        inside: whether the stage is in the report instead of next to it.
    """
    recover_stages(folder)
    state = folder / STATE_FOLDER if inside else state_folder(folder)
    stage, lock = _create_stage(state)
    with lock:
        try:
            yield stage
        finally:
            _clear_stage(folder, stage)


def recover_stages(folder: Path) -> None:
    """Complete or discard what terminated processes left, and remove their stages."""
    for state in (state_folder(folder), folder / STATE_FOLDER):
        if state.is_symlink() or state.parent.is_symlink():
            continue
        for stage in sorted(state.iterdir()) if state.is_dir() else ():
            if not _STAGE_NAME.fullmatch(stage.name) or stage.is_symlink() or not stage.is_dir():
                continue
            with _lock_abandoned_stage(stage) as is_abandoned:
                if is_abandoned:
                    _clear_stage(folder, stage)
        remove_empty_state(state)


def remove_empty_state(state: Path) -> None:
    """Remove a folder of locks and stages if nothing is in it."""
    with suppress(OSError):
        state.rmdir()
    if state.parent.name == STATE_FOLDER:
        with suppress(OSError):
            state.parent.rmdir()


def stage_files(stage: Path, files: Mapping[str, bytes]) -> None:
    """Write the new files into a stage and on the disk."""
    new = stage / STAGED_NEW
    new.mkdir()
    for name, content in files.items():
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        write_fsync(new / name, content)


def replace_folder(folder: Path, stage: Path, obsolete: Collection[str]) -> None:
    """Put the staged folder in the place of the report, with all other files of the old one.

    Args:
        folder: the report.
        stage: its stage with the new files.
        obsolete: names of files of the old report that are not kept.
    """
    new = stage / STAGED_NEW
    if not folder.exists():
        _fsync_tree(new)
        make_folder_fsync(folder.parent)
        new.rename(folder)
        fsync_path(folder.parent)
        return
    _link_missing(folder, new, obsolete)
    shutil.copymode(folder, new)
    _fsync_tree(new)
    write_fsync(stage / _NEW_INODE, str(new.stat().st_ino).encode())
    fsync_folders((stage,))
    if not exchange_folders(new, folder):
        # Readers see no report for a moment; if it ends here, recovery brings the old one back.
        folder.rename(stage / _STAGED_OLD)
        try:
            new.rename(folder)
        except BaseException:
            (stage / _STAGED_OLD).rename(folder)
            raise
    fsync_folders((folder.parent, stage))
    for name in obsolete:
        for old in (stage / STAGED_NEW, stage / _STAGED_OLD):
            (old / name).unlink(missing_ok=True)


def replace_files(folder: Path, stage: Path, names: Collection[str]) -> None:
    """Replace single files where the folder itself cannot be: a mount point, for example.

    On an error the old files are restored. A process that is killed may leave a mixture.
    """
    new, old = stage / STAGED_NEW, stage / _STAGED_OLD
    replaced_names: list[str] = []
    try:
        for name in names:
            (old / name).parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(folder / name):
                _link_or_copy(folder / name, old / name)
            make_folder_fsync((folder / name).parent)
            replaced_names.append(name)
            (new / name).replace(folder / name)
    except BaseException:
        for name in replaced_names:
            if os.path.lexists(old / name):
                (old / name).replace(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
        raise
    fsync_folders((folder, *((folder / name).parent for name in names)))
    shutil.rmtree(old)


def _clear_stage(folder: Path, stage: Path) -> None:
    """Remove a stage; what it has of the old report and the report lacks is moved there first."""
    for old in (stage / STAGED_NEW, stage / _STAGED_OLD):
        if old.is_symlink() or not old.is_dir() or _is_new_folder(stage, old):
            continue
        if not os.path.lexists(folder):
            old.rename(folder)
            fsync_path(folder.parent)
        else:
            _move_missing(old, folder)
    shutil.rmtree(stage, ignore_errors=True)
    remove_empty_state(stage.parent)


def _is_new_folder(stage: Path, folder: Path) -> bool:
    """Return whether a folder in a stage is the new report, not the old one after the exchange."""
    if folder.name != STAGED_NEW:
        return False
    try:
        inode = read_regular_file(stage / _NEW_INODE).decode("ascii", "replace")
    except OSError:
        return True
    # An incomplete number was never on the disk when the folders were exchanged.
    return inode == str(folder.stat().st_ino) or not inode.isdecimal()


def _link_missing(source: Path, target: Path, obsolete: Collection[str], prefix: str = "") -> None:
    """Hard-link the files of a folder that another one lacks into it, with all inner folders.

    What cannot be linked is moved after the exchange.
    """
    with os.scandir(source) as entries:
        items = list(entries)
    for entry in items:
        name, path = f"{prefix}{entry.name}", target / entry.name
        if entry.is_dir(follow_symlinks=False):
            if not os.path.lexists(path):
                path.mkdir()
                shutil.copymode(entry.path, path)
            if path.is_dir() and not path.is_symlink():
                _link_missing(Path(entry.path), path, obsolete, f"{name}/")
        elif name not in obsolete and not os.path.lexists(path):
            with suppress(OSError):
                os.link(entry.path, path, follow_symlinks=False)


def _move_missing(source: Path, target: Path) -> None:
    """Move everything of a folder that another one lacks into it."""
    with os.scandir(source) as entries:
        items = list(entries)
    for entry in items:
        path = target / entry.name
        if not os.path.lexists(path):
            Path(entry.path).rename(path)
        elif entry.is_dir(follow_symlinks=False) and path.is_dir() and not path.is_symlink():
            _move_missing(Path(entry.path), path)


def _link_or_copy(path: Path, copy: Path) -> None:
    try:
        os.link(path, copy, follow_symlinks=False)
    except OSError:
        # Some file systems have no hard links.
        shutil.copy2(path, copy, follow_symlinks=False)


def _fsync_tree(folder: Path) -> None:
    fsync_folders((folder, *(path for path in folder.rglob("*") if path.is_dir())))


def _create_stage(state: Path) -> tuple[Path, FileIO]:
    for path in (state.parent, state):
        if path.is_symlink():
            raise OSError(f"{path} is a symbolic link")
    for left in reversed(range(_MAX_ATTEMPTS)):
        stage = state / f"stage-{secrets.token_hex(8)}"
        try:
            make_folder(state)
            stage.mkdir()
            lock = open_lock_file(stage / _STAGE_LOCK)
        except FileNotFoundError:
            # Another process removed an empty folder between two steps.
            if not left:
                raise
            continue
        except BaseException:
            with suppress(OSError):
                stage.rmdir()
            remove_empty_state(state)
            raise
        if _try_lock_stage(lock) and is_same_file(lock, stage / _STAGE_LOCK):
            return stage, lock
        lock.close()
    raise OSError(f"{state}: another process keeps removing the staging folder")


def _try_lock_stage(lock: FileIO) -> bool:
    try:
        return try_lock(lock)
    except OSError:
        # On a file system without locks no other process can lock it either.
        return True


@contextmanager
def _lock_abandoned_stage(stage: Path) -> Iterator[bool]:
    """Yield whether the stage is abandoned, holding its lock if so; False if unknown."""
    try:
        lock = open_lock_file(stage / _STAGE_LOCK)
    except OSError:
        yield False
        return
    with lock:
        try:
            is_free = try_lock(lock) and is_same_file(lock, stage / _STAGE_LOCK)
        except OSError:
            is_free = False
        yield is_free
