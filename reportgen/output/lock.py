"""One run at a time in one place: a lock that ends with the process that holds it."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, LockedError
from reportgen.errors.jobs import LOCKED
from reportgen.output.atomic import is_same_file, open_lock_file, try_lock
from reportgen.output.write import convert_os_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO
    from pathlib import Path

MAX_LOCK_ATTEMPTS = 100
UNKNOWN_HOLDER = "a process that has not said its name yet"


@contextmanager
def file_lock(
    path: Path,
    *,
    wait: bool = False,
    on_progress: Callable[[str], None] = lambda _step: None,
) -> Iterator[None]:
    """Hold the lock in a file; held by another, wait for it or raise who that is.

    The system frees it when the process ends, however it ends.
    """
    made = not path.parent.exists()
    while True:
        with convert_os_errors(path):
            file = _open_with_retry(path)
        with file:
            with convert_os_errors(path):
                _acquire_lock(file, path, wait=wait, on_progress=on_progress)
            if not is_same_file(file, path):
                # Who held it has removed the file meanwhile, and another may have made a new one.
                continue
            # The name is a courtesy: on a full disk the lock holds without it.
            with suppress(OSError):
                file.truncate(0)
                file.write(_holder_record())
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
                if made:
                    # A folder in which nothing was put looks as if something had been.
                    with suppress(OSError):
                        path.parent.rmdir()
            return


def lock_path(folder: Path) -> Path:
    """Return the file that locks a report's folder; beside it, so that the folder stays clean."""
    return folder.parent / f".{folder.name}.lock"


def _open_with_retry(path: Path, attempts: int = MAX_LOCK_ATTEMPTS) -> FileIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open_lock_file(path)
    except FileNotFoundError:
        # Another run may remove the folder in between, if it was the first to need it.
        if not attempts:
            raise
    return _open_with_retry(path, attempts - 1)


def _acquire_lock(
    file: FileIO, path: Path, *, wait: bool, on_progress: Callable[[str], None]
) -> None:
    if try_lock(file):
        return
    holder = _format_holder(file.read())
    if not wait:
        raise LockedError(_locked_diagnostic(path, holder))
    on_progress(f"waiting for {holder}")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.seek(0)


def _holder_record() -> bytes:
    return json.dumps({"process": os.getpid(), "machine": platform.node()}).encode()


def _format_holder(record: bytes) -> str:
    try:
        holder = json.loads(record)
        return f"process {int(holder['process'])} on {holder['machine']}"
    except (ValueError, KeyError, TypeError):
        return UNKNOWN_HOLDER


def _locked_diagnostic(path: Path, holder: str) -> Diagnostic:
    return Diagnostic(
        LOCKED,
        f"{holder} is writing there",
        Location(path),
        "wait until it has ended, or let this run wait for it with --wait",
    )
