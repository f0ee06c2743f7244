"""Staging folders: the new report is prepared and the old one kept there until the swap.

A stage is in use while a process holds its lock. Process ids would not do: they are reused, and
two containers that share a disk may have the same ones.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.output.atomic import (
    fsync_folders,
    fsync_path,
    is_same_file,
    make_folder_fsync,
    open_lock_file,
    try_lock,
    write_fsync,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import FileIO

STAGE_PREFIX = ".reportgen-"
_STAGE_NAME = re.compile(re.escape(STAGE_PREFIX) + "[0-9a-f]+")
STAGE_LOCK, STAGED_NEW, STAGED_OLD = "lock", "new", "old"
# While this journal exists, recovery restores the old report. It lists the files that the old
# report did not have.
ROLLBACK_JOURNAL = "names"
_PENDING_JOURNAL, _COMMITTED_JOURNAL = "plan", "done"
_MAX_ATTEMPTS = 100


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """Provide a staging folder on the same file system, because only there renames are atomic."""
    recover_stages(folder)
    stage, lock = _create_stage(folder)
    with lock:
        try:
            yield stage
        finally:
            # If the old report could not be restored, the next run does it.
            if not (stage / ROLLBACK_JOURNAL).exists():
                shutil.rmtree(stage, ignore_errors=True)


def recover_stages(folder: Path) -> None:
    """Roll back the stages of terminated processes, and remove them."""
    for stage in sorted(folder.glob(f"{STAGE_PREFIX}*")):
        if not _STAGE_NAME.fullmatch(stage.name) or stage.is_symlink() or not stage.is_dir():
            continue
        with _lock_abandoned_stage(stage) as is_abandoned:
            if is_abandoned:
                rollback_stage(folder, stage)
                shutil.rmtree(stage, ignore_errors=True)


def swap_files(folder: Path, stage: Path, names: Sequence[str], previous: Sequence[str]) -> None:
    """Replace earlier files by new ones, all or none, even if interrupted."""
    for name in previous:
        _back_up(folder / name, stage / STAGED_OLD / name)
    fsync_folders(
        (
            stage / STAGED_OLD,
            *(path for path in (stage / STAGED_OLD).rglob("*") if path.is_dir()),
        )
    )
    try:
        _write_journal(folder, stage, [name for name in names if name not in previous])
        for name in names:
            make_folder_fsync((folder / name).parent)
            (stage / STAGED_NEW / name).replace(folder / name)
        for name in previous:
            if name not in names:
                _remove_file(folder, name)
        _fsync_parents(folder, (*names, *previous))
        (stage / ROLLBACK_JOURNAL).replace(stage / _COMMITTED_JOURNAL)
        fsync_path(stage)
    except BaseException:
        if (stage / _COMMITTED_JOURNAL).exists():
            (stage / _COMMITTED_JOURNAL).replace(stage / ROLLBACK_JOURNAL)
        rollback_stage(folder, stage)
        raise


def rollback_stage(folder: Path, stage: Path) -> None:
    """Restore the old report from an interrupted stage; can be repeated if itself interrupted."""
    if not (stage / ROLLBACK_JOURNAL).is_file():
        return
    added = (stage / ROLLBACK_JOURNAL).read_text(encoding="utf-8").splitlines()
    backups = {
        path.relative_to(stage / STAGED_OLD).as_posix(): path
        for path in (stage / STAGED_OLD).rglob("*")
        if path.is_symlink() or path.is_file()
    }
    for name in added:
        if is_path_inside(name) and name not in backups:
            _remove_file(folder, name)
    for name, path in backups.items():
        make_folder_fsync((folder / name).parent)
        path.replace(folder / name)
    _fsync_parents(folder, (*added, *backups))
    (stage / ROLLBACK_JOURNAL).unlink()
    fsync_path(stage)


def is_path_inside(name: str) -> bool:
    """Return whether a relative path stays within its folder."""
    path = Path(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _write_journal(folder: Path, stage: Path, added: Sequence[str]) -> None:
    """Write the journal to disk, so that recovery restores the old report from now on."""
    write_fsync(stage / _PENDING_JOURNAL, "\n".join(added).encode())
    (stage / _PENDING_JOURNAL).replace(stage / ROLLBACK_JOURNAL)
    fsync_folders((stage, folder))


def _back_up(path: Path, backup: Path) -> None:
    """Hard-link or copy a file to its backup; the file itself stays in place."""
    backup.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, backup, follow_symlinks=False)
    except OSError:
        # Some file systems have no hard links.
        shutil.copy2(path, backup, follow_symlinks=False)
        if not backup.is_symlink():
            fsync_path(backup)


def _remove_file(folder: Path, name: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _fsync_parents(folder: Path, names: Sequence[str]) -> None:
    fsync_folders((folder, *((folder / name).parent for name in names if is_path_inside(name))))


def _create_stage(folder: Path) -> tuple[Path, FileIO]:
    for attempts_left in reversed(range(_MAX_ATTEMPTS)):
        stage = folder / f"{STAGE_PREFIX}{secrets.token_hex(8)}"
        stage.mkdir()
        try:
            lock = open_lock_file(stage / STAGE_LOCK)
        except FileNotFoundError:
            # Another process removed the folder between the two steps.
            if not attempts_left:
                raise
            continue
        if _try_lock_stage(lock) and is_same_file(lock, stage / STAGE_LOCK):
            return stage, lock
        lock.close()
    raise OSError(f"{folder}: another process keeps removing the staging folder")


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
        lock = open_lock_file(stage / STAGE_LOCK)
    except OSError:
        yield False
        return
    with lock:
        try:
            is_free = try_lock(lock) and is_same_file(lock, stage / STAGE_LOCK)
        except OSError:
            is_free = False
        yield is_free
