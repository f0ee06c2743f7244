"""File locks: one run at a time per report folder; released when the process ends."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, LockedError
from reportgen.errors.jobs import LOCKED
from reportgen.output.atomic import is_same_file, make_folder, open_lock_file, try_lock
from reportgen.output.staging import STATE_FOLDER, remove_empty_state, state_folder
from reportgen.output.write import convert_os_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO
    from pathlib import Path

MAX_LOCK_ATTEMPTS = 100
UNKNOWN_HOLDER = "an unidentified process"


@contextmanager
def file_lock(
    path: Path,
    *,
    wait: bool = False,
    on_progress: Callable[[str], None] = lambda _step: None,
) -> Iterator[None]:
    """Hold a file lock; if another process holds it, wait or raise a LockedError.

    The system frees it when the process ends, however it ends.
    """
    outer = path.parents[2] if path.parents[1].name == STATE_FOLDER else path.parent
    is_new = not outer.exists()
    while True:
        with convert_os_errors(path):
            file = _open_with_retry(path)
        with file:
            with convert_os_errors(path):
                _acquire_lock(file, path, wait=wait, on_progress=on_progress)
            if not is_same_file(file, path):
                # The holder has removed the file, and another process may have created a new one.
                continue
            # The record is informative only: on a full disk the lock holds without it.
            with suppress(OSError):
                file.truncate(0)
                file.write(_holder_record())
            try:
                yield
            finally:
                # A lock file that cannot be removed locks nothing once it is closed.
                with suppress(OSError):
                    path.unlink()
                remove_empty_state(path.parent)
                if is_new:
                    # An empty folder would look like an output folder.
                    with suppress(OSError):
                        outer.rmdir()
            return


def lock_path(folder: Path) -> Path:
    """Return the path of the lock file of a report, where no report can have its folder."""
    with convert_os_errors(folder):
        return state_folder(folder) / "lock"


def _open_with_retry(path: Path, attempts: int = MAX_LOCK_ATTEMPTS) -> FileIO:
    try:
        make_folder(path.parent)
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
