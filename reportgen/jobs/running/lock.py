"""One run at a time in one place: a lock that ends with the process that holds it."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reportgen.errors import Fault, LockedError, Place
from reportgen.errors.job_faults import LOCKED
from reportgen.rendering.durable import is_locked_by_us, is_still_there, opened_for_lock
from reportgen.rendering.writing import writing_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO
    from pathlib import Path

ATTEMPTS = 100
UNKNOWN = "a process that has not said its name yet"


@contextmanager
def holding(
    path: Path,
    *,
    wait: bool = False,
    tell: Callable[[str], None] = lambda _step: None,
) -> Iterator[None]:
    """Hold the lock in a file; held by another, wait for it or raise who that is.

    The system frees it when the process ends, however it ends.
    """
    made = not path.parent.exists()
    while True:
        with writing_to(path):
            file = _opened(path)
        with file:
            with writing_to(path):
                _lock(file, path, wait=wait, tell=tell)
            if not is_still_there(file, path):
                # Who held it has removed the file meanwhile, and another may have made a new one.
                continue
            # The name is a courtesy: on a full disk the lock holds without it.
            with suppress(OSError):
                file.truncate(0)
                file.write(_own_name())
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
                if made:
                    # A folder in which nothing was put looks as if something had been.
                    with suppress(OSError):
                        path.parent.rmdir()
            return


def lock_of(folder: Path) -> Path:
    """Return the file that locks a report's folder; beside it, so that the folder stays clean."""
    return folder.parent / f".{folder.name}.lock"


def _opened(path: Path, attempts: int = ATTEMPTS) -> FileIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return opened_for_lock(path)
    except FileNotFoundError:
        # Another run may remove the folder in between, if it was the first to need it.
        if not attempts:
            raise
    return _opened(path, attempts - 1)


def _lock(file: FileIO, path: Path, *, wait: bool, tell: Callable[[str], None]) -> None:
    if is_locked_by_us(file):
        return
    holder = _holder(file.read())
    if not wait:
        raise LockedError(_fault(path, holder))
    tell(f"waiting for {holder}")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.seek(0)


def _own_name() -> bytes:
    return json.dumps({"process": os.getpid(), "machine": platform.node()}).encode()


def _holder(told: bytes) -> str:
    try:
        holder = json.loads(told)
        return f"process {int(holder['process'])} on {holder['machine']}"
    except (ValueError, KeyError, TypeError):
        return UNKNOWN


def _fault(path: Path, holder: str) -> Fault:
    return Fault(
        LOCKED,
        f"{holder} is writing there",
        Place(path),
        "wait until it has ended, or let this run wait for it with --wait",
    )
