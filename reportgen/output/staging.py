"""Stages: folders beside a report where the new one is made ready and the old one is kept.

A stage is alive while somebody holds the lock in it. Numbers of processes would not tell: they
come again, and two containers that share a disk have the same ones.
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
# Earlier versions had the number of the process there.
_STAGE_NAME = re.compile(re.escape(STAGE_PREFIX) + "[0-9a-f]+")
STAGE_LOCK, STAGED_NEW, STAGED_OLD = "lock", "new", "old"
# While a file of this name is there, the old report is the one that counts. It names the files
# that the old one did not have.
ROLLBACK_JOURNAL = "names"
_PENDING_JOURNAL, _COMMITTED_JOURNAL = "plan", "done"
_MAX_ATTEMPTS = 100


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """Give a place beside the files: a rename is atomic only within one file system."""
    recover_stages(folder)
    stage, lock = _create_stage(folder)
    with lock:
        try:
            yield stage
        finally:
            # If the old report could not be brought back, the next run does it.
            if not (stage / ROLLBACK_JOURNAL).exists():
                shutil.rmtree(stage, ignore_errors=True)


def recover_stages(folder: Path) -> None:
    """Bring back what a process that is gone was about to replace, and remove what it left."""
    for stage in sorted(folder.glob(f"{STAGE_PREFIX}*")):
        if not _STAGE_NAME.fullmatch(stage.name) or stage.is_symlink() or not stage.is_dir():
            continue
        with _lock_abandoned_stage(stage) as is_abandoned:
            if is_abandoned:
                rollback_stage(folder, stage)
                shutil.rmtree(stage, ignore_errors=True)


def swap_files(folder: Path, stage: Path, names: Sequence[str], previous: Sequence[str]) -> None:
    """Put new files in the place of earlier ones, all or none, whatever happens meanwhile."""
    for name in previous:
        _back_up(folder / name, stage / STAGED_OLD / name)
    fsync_folders(
        (
            stage / STAGED_OLD,
            *(place for place in (stage / STAGED_OLD).rglob("*") if place.is_dir()),
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
    """Bring the old report back from a stage that was left in the middle.

    Whoever is stopped in the middle of this can begin again.
    """
    if not (stage / ROLLBACK_JOURNAL).is_file():
        return
    added = (stage / ROLLBACK_JOURNAL).read_text(encoding="utf-8").splitlines()
    kept = {
        path.relative_to(stage / STAGED_OLD).as_posix(): path
        for path in (stage / STAGED_OLD).rglob("*")
        if path.is_symlink() or path.is_file()
    }
    for name in added:
        if is_path_inside(name) and name not in kept:
            _remove_file(folder, name)
    for name, path in kept.items():
        make_folder_fsync((folder / name).parent)
        path.replace(folder / name)
    _fsync_parents(folder, (*added, *kept))
    (stage / ROLLBACK_JOURNAL).unlink()
    fsync_path(stage)


def is_path_inside(name: str) -> bool:
    """Tell whether a name in a list leads to a file within the folder it is meant for."""
    path = Path(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _write_journal(folder: Path, stage: Path, added: Sequence[str]) -> None:
    """Let the old report be the one that counts, also after a loss of power."""
    write_fsync(stage / _PENDING_JOURNAL, "\n".join(added).encode())
    (stage / _PENDING_JOURNAL).replace(stage / ROLLBACK_JOURNAL)
    fsync_folders((stage, folder))


def _back_up(path: Path, backup: Path) -> None:
    """Keep a file under a second name, so that it is never absent under its own."""
    backup.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, backup, follow_symlinks=False)
    except OSError:
        # Some file systems know no hard links.
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
    for left in reversed(range(_MAX_ATTEMPTS)):
        stage = folder / f"{STAGE_PREFIX}{secrets.token_hex(8)}"
        stage.mkdir()
        try:
            lock = open_lock_file(stage / STAGE_LOCK)
        except FileNotFoundError:
            # Whoever cleared the folder came between the two steps.
            if not left:
                raise
            continue
        if _try_lock_stage(lock) and is_same_file(lock, stage / STAGE_LOCK):
            return stage, lock
        lock.close()
    raise OSError(f"{folder}: others remove what is made there")


def _try_lock_stage(lock: FileIO) -> bool:
    try:
        return try_lock(lock)
    except OSError:
        # Where a file system knows no locks, nobody can take it either.
        return True


@contextmanager
def _lock_abandoned_stage(stage: Path) -> Iterator[bool]:
    """Hold the lock of a stage if nobody else does; where nobody can tell it is left alone."""
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
