"""Export context: the command, paths and cron fields from which exporters render files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, SpecError
from reportgen.errors.jobs import INSTALL_SOURCE_MISSING, SCHEDULE_NOT_SUPPORTED, UNSAFE_PATH
from reportgen.spec.fields import is_invisible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from reportgen.jobs.schedule.registry import ScheduledSpec


# Kubernetes appends eleven characters to the name of a CronJob and allows 63.
MAX_NAME_LENGTH = 52
DIGEST_LENGTH = 8
NAME_PREFIX = "reportgen-"


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A configuration file for another scheduler."""

    filename: str
    text: str


@dataclass(frozen=True, slots=True)
class ExportContext:
    """A spec with a schedule, its output folder, and the environment that runs it."""

    scheduled_spec: ScheduledSpec
    output: Path
    working_dir: Path
    """The absolute working directory of the command."""
    program: tuple[str, ...]
    """The command that starts reportgen on this machine."""
    user: str
    """The user account that runs it on this machine."""
    image: str
    """The container image that has reportgen."""
    requirement: str = ""
    """The pip requirement of reportgen; empty if not configured."""

    @property
    def unit_name(self) -> str:
        """A unique name that is valid in every scheduler."""
        stem = self.scheduled_spec.name
        plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
        if plain == stem and len(NAME_PREFIX + plain) <= MAX_NAME_LENGTH:
            return NAME_PREFIX + plain
        digest = sha256(stem.encode()).hexdigest()[:DIGEST_LENGTH]
        most = MAX_NAME_LENGTH - len(NAME_PREFIX) - DIGEST_LENGTH - 1
        return f"{NAME_PREFIX}{plain[:most].strip('-')}-{digest}".replace("--", "-")

    def command(self) -> tuple[str, ...]:
        """Return the command line with absolute paths, independent of the working directory."""
        reports, spec = (
            self.absolute_path(self.output),
            self.absolute_path(self.scheduled_spec.path),
        )
        return (*self.program, "build", "--output", reports, "--", spec)

    def absolute_path(self, path: Path) -> str:
        """Return the absolute path; raise SpecError if it cannot be quoted safely."""
        return self._check_visible(str(self.working_dir / path))

    def relative_path(self, path: Path) -> str:
        """Return the path relative to the working directory; raise SpecError if it is outside."""
        whole = self.working_dir / path
        if not whole.is_relative_to(self.working_dir) or ".." in whole.parts:
            raise self.unsafe_path_error(
                f"{path} is outside of {self.working_dir}, which is all the unit will see"
            )
        return self._check_visible(whole.relative_to(self.working_dir).as_posix())

    def unsupported_error(self, reason: str) -> SpecError:
        """Return the error for a schedule that another scheduler does not support."""
        message = f"{self.scheduled_spec.schedule.cron!r}: {reason}"
        help_line = "write another line, or let `reportgen schedule run` do it, which knows all"
        return SpecError(
            Diagnostic(
                SCHEDULE_NOT_SUPPORTED, message, Location(self.scheduled_spec.path), help_line
            )
        )

    def unsafe_path_error(self, message: str) -> SpecError:
        """Return the error for a path that cannot be exported."""
        help_line = "rename it, or call the command in a folder that has specs, data and reports"
        return SpecError(
            Diagnostic(UNSAFE_PATH, message, Location(self.scheduled_spec.path), help_line)
        )

    def unpinned(self, message: str) -> SpecError:
        """Return the error for a missing or unpinned requirement."""
        help_line = (
            "name an exact source: --install vendor/reportgen_eval-0.1.0-py3-none-any.whl (a file"
            " of the repository, from `make wheel`), or --install git+https://HOST/PATH@COMMIT"
        )
        return SpecError(
            Diagnostic(
                INSTALL_SOURCE_MISSING, message, Location(self.scheduled_spec.path), help_line
            )
        )

    def _check_visible(self, path: str) -> str:
        found = next((sign for sign in path if is_invisible(sign)), None)
        if found is not None:
            raise self.unsafe_path_error(
                f"the path {path!r} has the invisible sign U+{ord(found):04X}"
            )
        return path


MINUTES = range(60)
HOURS = range(24)
DAYS = range(1, 32)
MONTHS = range(1, 13)
WEEKDAYS = range(7)
LAST_ORDINAL = 0
MIN_RANGE_LENGTH = 3
MIN_STEP_LENGTH = 3


@dataclass(frozen=True, slots=True)
class CronFields:
    """The parsed fields of a cron expression; weekday 0 is Sunday."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    ordinals: frozenset[tuple[int, int]] = frozenset()
    """Weekdays with an ordinal within the month: first to fifth, or LAST."""
    on_last_day: bool = False
    on_last_weekday: bool = False
    match_both: bool = True
    """Whether both day and weekday must match; otherwise one is sufficient."""

    @property
    def is_any_day(self) -> bool:
        """Whether the day of the month is unrestricted."""
        return self.days.issuperset(DAYS)

    @property
    def is_any_weekday(self) -> bool:
        """Whether the day of the week is unrestricted."""
        return self.weekdays.issuperset(WEEKDAYS)

    @property
    def is_daily(self) -> bool:
        """Whether the expression matches every day of the month."""
        if self.match_both:
            return self.is_any_day and self.is_any_weekday
        return self.is_any_day or self.is_any_weekday


def parse_cron(line: str) -> CronFields:
    """Return the fields of a valid cron expression."""
    from cronsim import CronSim

    parsed = CronSim(line, datetime(2024, 1, 1))  # noqa: DTZ001  # cron fields have no time zone
    weekdays = {each for each in parsed.weekdays if isinstance(each, int)}
    ordinals = {each for each in parsed.weekdays if not isinstance(each, int)}
    return CronFields(
        frozenset(parsed.minutes),
        frozenset(parsed.hours),
        frozenset(day for day in parsed.days if day > 0),
        frozenset(parsed.months),
        frozenset(day % 7 for day in weekdays),
        frozenset((day % 7, max(LAST_ORDINAL, ordinal)) for day, ordinal in ordinals),
        CronSim.LAST in parsed.days,
        CronSim.LAST_WEEKDAY in parsed.days,
        parsed.day_and,
    )


def unsupported_reason(fields: CronFields) -> str | None:
    """Return why the fields are not portable to every cron; None if they are."""
    if fields.on_last_day or fields.on_last_weekday or fields.ordinals:
        return "L, LW and # are not known there"
    if fields.match_both and not fields.is_any_day and not fields.is_any_weekday:
        return "a day and a weekday that have to fit both are not known there"
    return None


def format_cron(fields: CronFields) -> str:
    """Return the cron expression in numbers, with `*` only for unrestricted fields."""
    days = range(1, 32) if fields.is_daily else fields.days
    weekdays = range(7) if fields.is_daily else fields.weekdays
    parts = (
        (fields.minutes, MINUTES),
        (fields.hours, HOURS),
        (days, DAYS),
        (fields.months, MONTHS),
        (weekdays, WEEKDAYS),
    )
    return " ".join(_format_field(values, whole) for values, whole in parts)


def consecutive_ranges(values: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of consecutive numbers, each as first and last number."""
    ordered = sorted(values)
    first = last = ordered[0]
    for value in ordered[1:]:
        if value != last + 1:
            yield first, last
            first = value
        last = value
    yield first, last


def _format_field(values: Collection[int], full_range: range) -> str:
    if set(values) >= set(full_range):
        return "*"
    for step in range(2, len(full_range) // MIN_STEP_LENGTH + 1):
        # Not for days, where `*` would change how day and weekday are combined.
        if full_range in {MINUTES, HOURS} and set(values) == set(full_range[::step]):
            return f"*/{step}"
    return ",".join(
        f"{first}-{last}"
        if last - first + 1 >= MIN_RANGE_LENGTH
        else ",".join(map(str, range(first, last + 1)))
        for first, last in consecutive_ranges(values)
    )
