"""Stand-ins for what takes long: builds, and a timer without a clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode
from reportgen.jobs.job import JobOutcome
from reportgen.jobs.schedule.scheduler import SchedulerLog
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic
    from reportgen.jobs.schedule.timetable import Timetable

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
COUNTS = counted_spec([[40, 10], [8, 60]])


def scheduled_spec(cron: str = "0 6 * * *", more: str = "", counts: str = COUNTS) -> str:
    """Return a small spec with a schedule."""
    return f'{counts}[output]\nformats = ["json"]\n[schedule]\ncron = "{cron}"\n{more}'


@dataclass(slots=True)
class FakeExecutor:
    """Ends every build at once, with the codes it is given, and then with 0."""

    codes: list[ExitCode] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    during: Callable[[], None] = lambda: None
    stopped: int = 0
    last_tries: list[bool] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def build(self, spec: Path, *, is_last_attempt: bool) -> JobOutcome:
        """Note the spec."""
        self.built.append(spec.stem)
        self.last_tries.append(is_last_attempt)
        self.during()
        return JobOutcome(spec, self.codes.pop(0) if self.codes else ExitCode.SUCCESS)

    def record_failure(self, spec: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Note the spec and what is wrong with it."""
        self.failures += [f"{spec.stem}: {fault.error_code.code}" for fault in diagnostics]

    def stop(self) -> None:
        """Count it."""
        self.stopped += 1


@dataclass(slots=True)
class FakeTimer:
    """Calls nothing by itself; a test says when it is time."""

    scheduled: dict[str, tuple[Timetable, Callable[[], None]]] = field(default_factory=dict)
    retries: dict[str, tuple[datetime, Callable[[], None]]] = field(default_factory=dict)
    caught_up: list[str] = field(default_factory=list)

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Note it."""
        self.scheduled[name] = (timetable, callback)

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Note it."""
        self.retries[name] = (run_at, callback)

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Call now."""
        self.caught_up.append(name)
        callback()

    def remove(self, name: str) -> None:
        """Forget all about a spec."""
        self.scheduled.pop(name, None)
        self.retries.pop(name, None)

    def cancel_retry(self, name: str) -> None:
        """Forget the retry."""
        self.retries.pop(name, None)

    def check_clock(self) -> None:
        """Do nothing: there is no clock."""

    def next_run(self, name: str) -> datetime | None:
        """Return the first time after noon."""
        job = self.scheduled.get(name)
        return None if job is None else next(job[0].runs(NOON)).start


@dataclass(slots=True)
class RecordedLog:
    """What was said."""

    lines: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def log(self) -> SchedulerLog:
        """The voice that is heard here."""
        return SchedulerLog(self.lines.append, self.diagnostics.extend)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)
