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

from reportgen.rendering.durable import (
    is_locked_by_us,
    is_still_there,
    make_folder,
    opened_for_lock,
    sync,
    sync_all,
    write_through,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import FileIO

STAGE_PREFIX = ".reportgen-"
# Earlier versions had the number of the process there.
_NAME = re.compile(re.escape(STAGE_PREFIX) + "[0-9a-f]+")
LOCK, NEW, OLD = "lock", "new", "old"
# While a file of this name is there, the old report is the one that counts. It names the files
# that the old one did not have.
NAMES = "names"
_PLAN, _DONE = "plan", "done"
_ATTEMPTS = 100


@contextmanager
def stage_in(folder: Path) -> Iterator[Path]:
    """Give a place beside the files: a rename is atomic only within one file system."""
    clear_stages(folder)
    stage, lock = _made(folder)
    with lock:
        try:
            yield stage
        finally:
            # If the old report could not be brought back, the next run does it.
            if not (stage / NAMES).exists():
                shutil.rmtree(stage, ignore_errors=True)


def clear_stages(folder: Path) -> None:
    """Bring back what a process that is gone was about to replace, and remove what it left."""
    for stage in sorted(folder.glob(f"{STAGE_PREFIX}*")):
        if not _NAME.fullmatch(stage.name) or stage.is_symlink() or not stage.is_dir():
            continue
        with _abandoned(stage) as is_abandoned:
            if is_abandoned:
                restore(folder, stage)
                shutil.rmtree(stage, ignore_errors=True)


def exchange(folder: Path, stage: Path, names: Sequence[str], earlier: Sequence[str]) -> None:
    """Put new files in the place of earlier ones, all or none, whatever happens meanwhile."""
    for name in earlier:
        _keep(folder / name, stage / OLD / name)
    sync_all((stage / OLD, *(place for place in (stage / OLD).rglob("*") if place.is_dir())))
    try:
        _begin(folder, stage, [name for name in names if name not in earlier])
        for name in names:
            make_folder((folder / name).parent)
            (stage / NEW / name).replace(folder / name)
        for name in earlier:
            if name not in names:
                _remove(folder, name)
        _sync_places(folder, (*names, *earlier))
        (stage / NAMES).replace(stage / _DONE)
        sync(stage)
    except BaseException:
        if (stage / _DONE).exists():
            (stage / _DONE).replace(stage / NAMES)
        restore(folder, stage)
        raise


def restore(folder: Path, stage: Path) -> None:
    """Bring the old report back from a stage that was left in the middle.

    Whoever is stopped in the middle of this can begin again.
    """
    if not (stage / NAMES).is_file():
        return
    added = (stage / NAMES).read_text(encoding="utf-8").splitlines()
    kept = {
        path.relative_to(stage / OLD).as_posix(): path
        for path in (stage / OLD).rglob("*")
        if path.is_symlink() or path.is_file()
    }
    for name in added:
        if is_inside(name) and name not in kept:
            _remove(folder, name)
    for name, path in kept.items():
        make_folder((folder / name).parent)
        path.replace(folder / name)
    _sync_places(folder, (*added, *kept))
    (stage / NAMES).unlink()
    sync(stage)


def is_inside(name: str) -> bool:
    """Tell whether a name in a list leads to a file within the folder it is meant for."""
    path = Path(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _begin(folder: Path, stage: Path, added: Sequence[str]) -> None:
    """Let the old report be the one that counts, also after a loss of power."""
    write_through(stage / _PLAN, "\n".join(added).encode())
    (stage / _PLAN).replace(stage / NAMES)
    sync_all((stage, folder))


def _keep(path: Path, copy: Path) -> None:
    """Keep a file under a second name, so that it is never absent under its own."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, copy, follow_symlinks=False)
    except OSError:
        # Some file systems know no hard links.
        shutil.copy2(path, copy, follow_symlinks=False)
        if not copy.is_symlink():
            sync(copy)


def _remove(folder: Path, name: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _sync_places(folder: Path, names: Sequence[str]) -> None:
    sync_all((folder, *((folder / name).parent for name in names if is_inside(name))))


def _made(folder: Path) -> tuple[Path, FileIO]:
    for left in reversed(range(_ATTEMPTS)):
        stage = folder / f"{STAGE_PREFIX}{secrets.token_hex(8)}"
        stage.mkdir()
        try:
            lock = opened_for_lock(stage / LOCK)
        except FileNotFoundError:
            # Whoever cleared the folder came between the two steps.
            if not left:
                raise
            continue
        if _is_ours(lock) and is_still_there(lock, stage / LOCK):
            return stage, lock
        lock.close()
    raise OSError(f"{folder}: others remove what is made there")


def _is_ours(lock: FileIO) -> bool:
    try:
        return is_locked_by_us(lock)
    except OSError:
        # Where a file system knows no locks, nobody can take it either.
        return True


@contextmanager
def _abandoned(stage: Path) -> Iterator[bool]:
    """Hold the lock of a stage if nobody else does; where nobody can tell it is left alone."""
    try:
        lock = opened_for_lock(stage / LOCK)
    except OSError:
        yield False
        return
    with lock:
        try:
            is_free = is_locked_by_us(lock) and is_still_there(lock, stage / LOCK)
        except OSError:
            is_free = False
        yield is_free
