"""Registry of scheduled specs: loading, reloading after changes, and upcoming runs."""

from __future__ import annotations

import stat
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from reportgen.errors import Diagnostic, Location, ReportgenError, SpecError
from reportgen.errors.jobs import DUPLICATE_REPORT_NAME, NOTHING_SCHEDULED, TIME_ZONE_UNKNOWN
from reportgen.errors.spec import SPEC_UNREADABLE
from reportgen.jobs.job import RetryPolicy, find_specs, history_key
from reportgen.jobs.notifications.dispatch import secret_variables
from reportgen.jobs.schedule.timetable import Timetable
from reportgen.spec.load import MAX_PARTIAL_SPEC_BYTES, MAX_SPEC_BYTES, parse_partial
from reportgen.spec.toml import has_long_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from reportgen.spec.jobs import ScheduleSettings


def _build_timetable(schedule: ScheduleSettings, name: str) -> Timetable:
    return Timetable(schedule.cron, schedule.timezone, schedule.jitter, name)


@dataclass(frozen=True, slots=True)
class ScheduledSpec:
    """A spec with a schedule."""

    path: Path
    schedule: ScheduleSettings
    history_key: str
    """The name of the spec in the history."""
    environment_variables: tuple[str, ...] = ()
    """The names of the environment variables in the spec."""
    needs_history: bool = False
    """Whether a gate uses an earlier run as baseline, so that the history is needed."""

    @property
    def name(self) -> str:
        """The name of the spec and of the folder of its report."""
        return self.path.stem

    @property
    def retry_policy(self) -> RetryPolicy:
        """The retries of the schedule."""
        return RetryPolicy(self.schedule.retries, self.schedule.retry_after)

    @property
    def timetable(self) -> Timetable:
        """The timetable of the spec."""
        return _build_timetable(self.schedule, self.name)


@dataclass(frozen=True, slots=True)
class SuspendedSpec:
    """A spec that cannot be scheduled, with the diagnostics."""

    path: Path
    diagnostics: tuple[Diagnostic, ...]
    schedule: ScheduleSettings | None = None
    """Its schedule, at whose due times a failure is recorded; None if it cannot be read."""

    @property
    def name(self) -> str:
        """The name of the spec."""
        return self.path.stem

    @property
    def timetable(self) -> Timetable | None:
        """The due times of the schedule; None if there is none."""
        return None if self.schedule is None else _build_timetable(self.schedule, self.name)


SpecSchedules = dict[str, ScheduledSpec | SuspendedSpec]


@dataclass(frozen=True, slots=True)
class _CachedSpec:
    file_stamp: tuple[int, int]
    sha256: str
    entry: ScheduledSpec | SuspendedSpec | None


@dataclass(slots=True)
class ScheduleRegistry:
    """A cache of specs that reloads changed files."""

    paths: Sequence[Path]
    _cache: dict[Path, _CachedSpec] = field(default_factory=dict)

    def load_schedules(self, *, force_reload: bool = False) -> SpecSchedules:
        """Return all scheduled specs, and suspended ones that cannot be read."""
        if force_reload:
            self._cache.clear()
        cache, self._cache = self._cache, {}
        schedules: SpecSchedules = {}
        for path in self._find_spec_paths():
            self._cache[path] = cached = _refresh(path, cache.get(path))
            if cached.entry is None:
                continue
            other = schedules.setdefault(cached.entry.name, cached.entry)
            if other is not cached.entry:
                schedules[other.name] = SuspendedSpec(
                    path, (_duplicate_report_diagnostic(path, other.path),)
                )
        return schedules

    def _find_spec_paths(self) -> Iterator[Path]:
        paths: dict[Path, Path] = {}
        for path in self.paths:
            # An empty folder may get specs later.
            with suppress(SpecError):
                for spec in find_specs([path]):
                    paths.setdefault(spec.absolute(), spec)
        yield from paths.values()


def load_scheduled_specs(paths: Sequence[Path]) -> tuple[ScheduledSpec, ...]:
    """Return the specs with a schedule; raise SpecError with the errors of invalid ones."""
    find_specs(paths)
    schedules = ScheduleRegistry(paths).load_schedules()
    diagnostics = [
        diagnostic
        for spec in schedules.values()
        if isinstance(spec, SuspendedSpec)
        for diagnostic in spec.diagnostics
    ]
    if diagnostics:
        raise SpecError(*diagnostics)
    if not schedules:
        raise no_schedule_error(paths)
    return tuple(spec for spec in schedules.values() if isinstance(spec, ScheduledSpec))


def no_schedule_error(paths: Sequence[Path]) -> SpecError:
    """Return the error for paths without any schedule."""
    path_list = ", ".join(map(str, paths))
    help_line = 'add [schedule] with cron = "0 6 * * MON" to a spec'
    return SpecError(
        Diagnostic(NOTHING_SCHEDULED, f"no spec in {path_list} has a schedule", None, help_line)
    )


def _refresh(path: Path, cached: _CachedSpec | None) -> _CachedSpec:
    """Return the cached spec; read it again if modification time and content have changed."""
    try:
        status = path.stat()
        file_stamp = (status.st_mtime_ns, status.st_size)
        if cached is not None and cached.file_stamp == file_stamp:
            return cached
        if not stat.S_ISREG(status.st_mode):
            # A pipe would block the scheduler, and with it all other specs.
            message = "a scheduled spec must be a regular file"
            diagnostic = Diagnostic(SPEC_UNREADABLE, message, Location(path))
            return _CachedSpec(file_stamp, "", SuspendedSpec(path, (diagnostic,)))
        with path.open("rb") as stream:
            content = stream.read(MAX_SPEC_BYTES + 1)
    except OSError:
        file_stamp, content = (0, 0), b""
    digest = sha256(content).hexdigest()
    if cached is not None and cached.sha256 == digest:
        return _CachedSpec(file_stamp, digest, cached.entry)
    return _CachedSpec(file_stamp, digest, _read_schedule(path, content))


def _read_schedule(path: Path, content: bytes) -> ScheduledSpec | SuspendedSpec | None:
    from reportgen.spec import load_spec

    try:
        spec = load_spec(path).spec
    except ReportgenError as error:
        if _lacks_schedule(content):
            return None
        return SuspendedSpec(path, error.diagnostics, _read_valid_schedule(path))
    if spec.schedule is None:
        return None
    try:
        ZoneInfo(spec.schedule.timezone)
    except (LookupError, ValueError, OSError):
        message = f"unknown time zone on this machine: {spec.schedule.timezone}"
        diagnostic = Diagnostic(
            TIME_ZONE_UNKNOWN, message, Location(path), "install the package tzdata"
        )
        return SuspendedSpec(path, (diagnostic,))
    name = history_key(path, spec.history.name)
    needs_history = any(gate.not_worse_than_last is not None for gate in spec.gates)
    return ScheduledSpec(path, spec.schedule, name, secret_variables(spec.notify), needs_history)


def _read_valid_schedule(path: Path) -> ScheduleSettings | None:
    """Return the schedule of an invalid spec, as far as the schedule itself is valid."""
    from reportgen.spec.jobs import ScheduleSettings

    try:
        schedule = ScheduleSettings.model_validate(parse_partial(path, "schedule"))
        ZoneInfo(schedule.timezone)
    except (ValidationError, LookupError, ValueError, OSError):
        return None
    return schedule


def _lacks_schedule(content: bytes) -> bool:
    if len(content) > MAX_PARTIAL_SPEC_BYTES:
        return False
    try:
        text = content.decode()
        return bool(text) and not has_long_key(text) and "schedule" not in tomllib.loads(text)
    except (ValueError, RecursionError):
        return False


def _duplicate_report_diagnostic(path: Path, other: Path) -> Diagnostic:
    message = f"{other} and {path} would both be written to {path.stem}/"
    return Diagnostic(DUPLICATE_REPORT_NAME, message, Location(path), "rename one of them")


@dataclass(frozen=True, slots=True)
class UpcomingRun:
    """An upcoming run: due time in the zone of the spec and in local time, and start time."""

    due: datetime
    local: datetime
    start: datetime

    def row(self) -> dict[str, object]:
        """Return the run as a JSON object."""
        return {
            "due": self.due.isoformat(),
            "local": self.local.isoformat(),
            "start": self.start.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class UpcomingRuns:
    """A spec and its upcoming runs."""

    scheduled_spec: ScheduledSpec
    runs: tuple[UpcomingRun, ...]

    def row(self) -> dict[str, object]:
        """Return the runs as a JSON object."""
        return {
            "name": self.scheduled_spec.name,
            "spec": str(self.scheduled_spec.path),
            "cron": self.scheduled_spec.schedule.cron,
            "timezone": self.scheduled_spec.schedule.timezone,
            "runs": [run.row() for run in self.runs],
        }


def list_upcoming_runs(
    specs: Sequence[ScheduledSpec], count: int, now: datetime
) -> tuple[UpcomingRuns, ...]:
    """Return the upcoming runs of every spec."""
    return tuple(
        UpcomingRuns(
            spec,
            tuple(
                UpcomingRun(
                    run.due.astimezone(ZoneInfo(spec.schedule.timezone)),
                    run.due.astimezone(),
                    run.start,
                )
                for run in islice(spec.timetable.runs(now), count)
            ),
        )
        for spec in specs
    )


def format_zoned_time(moment: datetime) -> str:
    """Return a time with its weekday and UTC offset."""
    return f"{moment:%a %Y-%m-%d %H:%M} {moment.isoformat()[-6:]}"
