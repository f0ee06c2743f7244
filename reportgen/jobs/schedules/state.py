"""How the scheduler and its specs are, kept in a file that others may read."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.places import SCHEDULE_FILE
from reportgen.rendering.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCHEMA = "reportgen/schedule/1"


class SpecState(StrEnum):
    """How a scheduled spec is."""

    WAITING = "waiting"
    """Its time has not come yet."""
    RUNNING = "running"
    """It is being built."""
    DONE = "done"
    """Its report was written, though perhaps with a failed gate."""
    FAILED = "failed"
    """It could not be built, and is not tried again before its next time."""
    RETRYING = "retrying"
    """It could not be built, and is tried again soon."""
    INTERRUPTED = "interrupted"
    """It was stopped while it was built, and is built when the scheduler starts again."""
    SUSPENDED = "suspended"
    """The spec has a fault; it is not built until that is mended."""


@dataclass(slots=True)
class Entry:
    """What is known of one scheduled spec."""

    name: str
    spec: str
    cron: str | None = None
    timezone: str | None = None
    next: datetime | None = None
    last: datetime | None = None
    state: SpecState = SpecState.WAITING
    exit_code: int | None = None
    why: str | None = None
    """What is wrong with the spec, while it is suspended."""

    def row(self) -> dict[str, object]:
        """Return it as the file has it."""
        return {
            "name": self.name,
            "spec": self.spec,
            "cron": self.cron,
            "timezone": self.timezone,
            "next": _text(self.next),
            "last": _text(self.last),
            "state": self.state.value,
            "exit_code": self.exit_code,
            "why": self.why,
        }


def write_state(folder: Path, entries: Iterable[Entry], now: datetime) -> None:
    """Write the file whole; whoever reads it sees by its time that the scheduler is alive."""
    document = {
        "schema": SCHEMA,
        "heartbeat": _text(now),
        "pid": os.getpid(),
        "specs": [entry.row() for entry in sorted(entries, key=lambda entry: entry.name)],
    }
    content = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_file(folder / SCHEDULE_FILE, content.encode())


def read_state(folder: Path) -> dict[str, Entry]:
    """Return what an earlier scheduler has left, by name.

    Raises:
        ValueError: There is a file, and it is none of a scheduler.
    """
    try:
        document = json.loads((folder / SCHEDULE_FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(error.strerror) from error
    try:
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}")
        entries = [_entry(row) for row in document["specs"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks {error}") from error
    return {entry.name: entry for entry in entries}


def _entry(row: dict[str, str | int | None]) -> Entry:
    exit_code = row["exit_code"]
    return Entry(
        name=str(row["name"]),
        spec=str(row["spec"]),
        cron=None if row["cron"] is None else str(row["cron"]),
        timezone=None if row["timezone"] is None else str(row["timezone"]),
        last=None if row["last"] is None else _moment(str(row["last"])),
        state=SpecState(str(row["state"])),
        exit_code=None if exit_code is None else int(exit_code),
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


def _moment(written: str) -> datetime:
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
