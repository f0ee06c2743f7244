"""A scheduler with stand-ins around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.schedule.registry import ScheduleRegistry
from reportgen.jobs.schedule.scheduler import Scheduler
from reportgen.jobs.schedule_state import read_schedule_file
from tests.jobs.schedule.fakes import NOON, FakeExecutor, FakeTimer, RecordedLog

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleState


class Bench:
    """A scheduler with stand-ins around it, and a folder of specs."""

    def __init__(self, folder: Path, known: ScheduleEntry | None = None) -> None:
        self.specs = folder / "specs"
        self.specs.mkdir(exist_ok=True)
        self.output = folder / "reports"
        self.builds, self.timer, self.heard = FakeExecutor(), FakeTimer(), RecordedLog()
        self.now = NOON
        self.scheduler = Scheduler(
            self.output,
            self.builds,
            self.heard.log,
            self.timer,
            previous_entries={known.name: known} if known else {},
            now=lambda: self.now,
        )
        self.planner = ScheduleRegistry([self.specs])

    def write(self, name: str, text: str) -> None:
        """Write a spec."""
        (self.specs / f"{name}.toml").write_text(text, encoding="utf-8")

    def follow(self) -> None:
        """Let the scheduler see what there is."""
        self.scheduler.update_schedules(self.planner.load_schedules())

    def state(self, name: str = "churn") -> ScheduleState:
        """Return how a spec is."""
        return self.scheduler.entries[name].state


def read_entries(output: Path) -> dict[str, ScheduleEntry]:
    """Return the entries of schedule.json by name; none if there is no such file."""
    state = read_schedule_file(output)
    return {entry.name: entry for entry in state.specs} if state else {}
