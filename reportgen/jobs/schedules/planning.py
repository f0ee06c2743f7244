"""Which specs have a schedule, and what became of them since somebody last looked."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.errors import Fault, Place, ReportgenError, SpecError
from reportgen.errors.job_faults import NOTHING_SCHEDULED, SAME_REPORT, ZONE_UNKNOWN
from reportgen.frozen import frozen
from reportgen.jobs.running.finding import find_specs
from reportgen.jobs.running.job import kept_as
from reportgen.jobs.schedules.timetable import Timetable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reportgen.spec import Spec
    from reportgen.spec.schedule import Schedule


@frozen
class Planned:
    """A spec with a schedule."""

    path: Path
    schedule: Schedule
    kept_as: str
    """Under which name the history keeps its runs."""
    variables: tuple[str, ...] = ()
    """The environment variables that the spec names."""
    looks_back: bool = False
    """Whether a gate compares with earlier runs, so that their history is needed."""

    @property
    def name(self) -> str:
        """The name of the spec, which is that of its report's folder."""
        return self.path.stem

    @property
    def timetable(self) -> Timetable:
        """When it is due."""
        schedule = self.schedule
        return Timetable(schedule.cron, schedule.timezone, schedule.jitter, self.name)


@frozen
class Suspended:
    """A spec that cannot be scheduled, and why."""

    path: Path
    faults: tuple[Fault, ...]

    @property
    def name(self) -> str:
        """The name of the spec."""
        return self.path.stem


Plan = dict[str, Planned | Suspended]


@frozen
class _Seen:
    touched: tuple[int, int]
    sha256: str
    found: Planned | Suspended | None


@dataclass(slots=True)
class Planner:
    """Looks at specs, and reads those again that were changed."""

    paths: Sequence[Path]
    _seen: dict[Path, _Seen] = field(default_factory=dict)

    def plan(self, *, afresh: bool = False) -> Plan:
        """Return every spec that has a schedule, or would have one if it could be read."""
        if afresh:
            self._seen.clear()
        known, self._seen = self._seen, {}
        plan: Plan = {}
        for path in self._specs():
            self._seen[path] = seen = _look(path, known.get(path))
            if seen.found is None:
                continue
            other = plan.setdefault(seen.found.name, seen.found)
            if other is not seen.found:
                plan[other.name] = Suspended(path, (_same_report(path, other.path),))
        return plan

    def _specs(self) -> Iterator[Path]:
        found: dict[Path, Path] = {}
        for path in self.paths:
            # A folder that was emptied may be filled again.
            with suppress(SpecError):
                for spec in find_specs([path]):
                    found.setdefault(spec.absolute(), spec)
        yield from found.values()


def planned_specs(paths: Sequence[Path]) -> tuple[Planned, ...]:
    """Return the specs that have a schedule; raise the faults of those that cannot be read."""
    find_specs(paths)
    plan = Planner(paths).plan()
    faults = [
        fault for each in plan.values() if isinstance(each, Suspended) for fault in each.faults
    ]
    if faults:
        raise SpecError(*faults)
    if not plan:
        raise nothing_scheduled(paths)
    return tuple(each for each in plan.values() if isinstance(each, Planned))


def nothing_scheduled(paths: Sequence[Path]) -> SpecError:
    """Return that none of the specs says when it is due."""
    told = ", ".join(map(str, paths))
    help_line = 'add [schedule] with cron = "0 6 * * MON" to a spec'
    return SpecError(Fault(NOTHING_SCHEDULED, f"no spec of {told} has a schedule", None, help_line))


def _look(path: Path, known: _Seen | None) -> _Seen:
    """Read a spec again if its file was touched and is another now."""
    try:
        status = path.stat()
        touched = (status.st_mtime_ns, status.st_size)
        if known is not None and known.touched == touched:
            return known
        content = path.read_bytes()
    except OSError:
        touched, content = (0, 0), b""
    digest = sha256(content).hexdigest()
    if known is not None and known.sha256 == digest:
        return _Seen(touched, digest, known.found)
    return _Seen(touched, digest, _read(path, content))


def _read(path: Path, content: bytes) -> Planned | Suspended | None:
    from reportgen.spec import read_spec

    try:
        spec = read_spec(path).spec
    except ReportgenError as error:
        return None if _has_no_schedule(content) else Suspended(path, error.faults)
    if spec.schedule is None:
        return None
    try:
        ZoneInfo(spec.schedule.timezone)
    except (LookupError, ValueError, OSError):
        message = f"the machine does not know the time zone {spec.schedule.timezone}"
        fault = Fault(ZONE_UNKNOWN, message, Place(path), "install the package tzdata")
        return Suspended(path, (fault,))
    name = kept_as(path, spec.history.name)
    looks_back = any(gate.not_worse_than_last is not None for gate in spec.gates)
    return Planned(path, spec.schedule, name, tuple(_variables(spec)), looks_back)


def _has_no_schedule(content: bytes) -> bool:
    try:
        return bool(content) and "schedule" not in tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return False


def _variables(spec: Spec) -> Iterator[str]:
    named = (
        name
        for notify in spec.notify
        for name in (notify.webhook, notify.email and notify.email.server)
        if name
    )
    yield from dict.fromkeys(named)


def _same_report(path: Path, other: Path) -> Fault:
    message = f"{other} and {path} would both be written to {path.stem}/"
    return Fault(SAME_REPORT, message, Place(path), "rename one of them")
