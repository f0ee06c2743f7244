"""schedule.json: the state of the scheduler and of its specs, as it is written and read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from reportgen.output.atomic import read_regular_file
from reportgen.output.write import write_file_atomic
from reportgen.paths import SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def _assume_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _format_timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


Timestamp = Annotated[datetime, AfterValidator(_assume_utc), PlainSerializer(_format_timestamp)]


class ScheduleState(StrEnum):
    """The state of a scheduled spec."""

    WAITING = "waiting"
    """Not due yet."""
    RUNNING = "running"
    """A run is in progress."""
    DONE = "done"
    """The report was written, possibly with failed gates."""
    FAILED = "failed"
    """The run failed and is not retried before the next due time."""
    RETRYING = "retrying"
    """The run failed and a retry is scheduled."""
    INTERRUPTED = "interrupted"
    """The run was stopped and is repeated at the next start of the scheduler."""
    SUSPENDED = "suspended"
    """The spec is invalid; it is not built until it is corrected."""


@dataclass(slots=True)
class ScheduleEntry:
    """The state, last run and next run of a scheduled spec."""

    name: str
    spec: str
    cron: str | None = None
    timezone: str | None = None
    next: Timestamp | None = None
    last: Timestamp | None = None
    state: ScheduleState = ScheduleState.WAITING
    exit_code: int | None = None
    reason: str | None = None
    """The reason of the suspension."""


class ScheduleFile(BaseModel):
    """The content of schedule.json; its heartbeat is the time at which it was written."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    schema_id: Literal["reportgen/schedule/1"] = Field(alias="schema")
    heartbeat: Timestamp
    pid: int
    specs: tuple[ScheduleEntry, ...]

    def find_entry(self, name: str) -> ScheduleEntry | None:
        """Return the entry of a report; None if it is not scheduled."""
        return next((entry for entry in self.specs if entry.name == name), None)


def write_schedule_file(folder: Path, entries: Iterable[ScheduleEntry], now: datetime) -> None:
    """Write schedule.json of this process atomically."""
    specs = tuple(sorted(entries, key=lambda entry: entry.name))
    document = ScheduleFile(
        schema="reportgen/schedule/1", heartbeat=now, pid=os.getpid(), specs=specs
    )
    content = document.model_dump_json(by_alias=True, indent=2) + "\n"
    write_file_atomic(folder / SCHEDULE_FILE, content.encode())


def read_schedule_file(folder: Path) -> ScheduleFile | None:
    """Return the content of schedule.json; None if there is no such file.

    Raises:
        ValueError: The file cannot be read, or is not a valid state file.
    """
    try:
        return ScheduleFile.model_validate_json(read_regular_file(folder / SCHEDULE_FILE))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(error.strerror) from error
    except ValidationError as error:
        issue = error.errors()[0]
        key_path = ".".join(str(part) for part in issue["loc"])
        raise ValueError(f"{key_path}: {issue['msg']}" if key_path else issue["msg"]) from error
