"""Exporters: their input, fields of cron expressions, and how their templates are rendered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reportgen.errors import Diagnostic, Location, SpecError
from reportgen.errors.jobs import INSTALL_SOURCE_MISSING, SCHEDULE_NOT_SUPPORTED, UNSAFE_PATH
from reportgen.errors.run import PANGO_PACKAGES
from reportgen.jobs.publishing.targets import credential_variables, url_scheme
from reportgen.paths import HISTORY_FILE
from reportgen.render.resources import template_folder
from reportgen.spec.fields import is_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from reportgen.errors import ErrorCode
    from reportgen.jobs.schedule.registry import ScheduledSpec
    from reportgen.spec.jobs import ScheduleSettings

# Kubernetes appends eleven characters to the name of a CronJob and allows 63.
MAX_NAME_LENGTH = 52
DIGEST_LENGTH = 8
NAME_PREFIX = "reportgen-"
TEMPLATE_SUFFIX = ".j2"
MINUTES = range(60)
HOURS = range(24)
DAYS = range(1, 32)
MONTHS = range(1, 13)
WEEKDAYS = range(7)
LAST_ORDINAL = 0
MIN_RANGE_LENGTH = 3
MIN_STEP_LENGTH = 3


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A configuration file for another scheduler."""

    filename: str
    text: str


@dataclass(frozen=True, slots=True)
class ExportContext:
    """The only value of the templates: a scheduled spec and the environment that runs it.

    Paths are absolute, or relative to the working directory for schedulers that see only that.
    """

    scheduled_spec: ScheduledSpec
    output: Path
    working_dir: Path
    """The absolute working directory of the command."""
    program: tuple[str, ...]
    """The command that starts reportgen on this machine, with an absolute path."""
    user: str
    """The user account that runs it on this machine."""
    image: str
    """The container image that has reportgen."""
    requirement: str = ""
    """The pip requirement of reportgen; empty if not configured."""
    publish: str | None = None
    """The target that the reports are published to after each run; None: not published."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def name(self) -> str:
        """The name of the spec."""
        return self.scheduled_spec.name

    @property
    def schedule(self) -> ScheduleSettings:
        """The schedule of the spec."""
        return self.scheduled_spec.schedule

    @property
    def environment_variables(self) -> tuple[str, ...]:
        """The names of the environment variables that the command reads."""
        credentials = () if self.publish is None else credential_variables(self.publish)
        return (*self.scheduled_spec.environment_variables, *credentials)

    @property
    def unit_name(self) -> str:
        """A unique name that is valid in every scheduler."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
        if slug == self.name and len(NAME_PREFIX + slug) <= MAX_NAME_LENGTH:
            return NAME_PREFIX + slug
        digest = sha256(self.name.encode()).hexdigest()[:DIGEST_LENGTH]
        max_length = MAX_NAME_LENGTH - len(NAME_PREFIX) - DIGEST_LENGTH - 1
        return f"{NAME_PREFIX}{slug[:max_length].strip('-')}-{digest}".replace("--", "-")

    @property
    def cron_line(self) -> str:
        """The five fields in the syntax common to all cron versions."""
        fields = parse_cron(self.schedule.cron)
        reason = unsupported_reason(fields)
        if reason is not None:
            raise self.unsupported_error(reason)
        return format_cron(fields)

    @property
    def history_file(self) -> Path:
        """The history of the runs, in the output folder."""
        return self.output / HISTORY_FILE

    @property
    def pdf_packages(self) -> str:
        """The Debian packages that PDFs need."""
        return PANGO_PACKAGES

    @property
    def publish_folder(self) -> Path | None:
        """The target folder; None if reports are not published, or to an object store."""
        if self.publish is None or url_scheme(self.publish) is not None:
            return None
        return self.working_dir / self.publish

    def absolute_arguments(self, *, with_retries: bool) -> tuple[str, ...]:
        """Return the arguments of the command, independent of the working directory."""
        return self._path_arguments(self.absolute_path, with_retries=with_retries)

    def relative_arguments(self) -> tuple[str, ...]:
        """Return the arguments of the command in the working directory."""
        return self._path_arguments(self.relative_path, with_retries=False)

    def arguments(
        self, output: str, publish: str | None, spec: str, *, with_retries: bool = False
    ) -> tuple[str, ...]:
        """Return the arguments of the command; with retries for schedulers that have none."""
        options = ["--output", output]
        if publish is not None:
            options += ["--publish", publish]
        if with_retries and self.schedule.retries:
            options += ["--retries", str(self.schedule.retries)]
            options += ["--retry-after", f"{self.schedule.retry_after}s"]
        return ("build", *options, "--", spec)

    def _path_arguments(
        self, path: Callable[[Path], str], *, with_retries: bool
    ) -> tuple[str, ...]:
        publish = self.publish and self._check_visible(self.publish)
        if self.publish_folder is not None:
            publish = path(self.publish_folder)
        spec = path(self.scheduled_spec.path)
        return self.arguments(path(self.output), publish, spec, with_retries=with_retries)

    def absolute_path(self, path: Path) -> str:
        """Return the absolute path; raise SpecError if it cannot be quoted safely."""
        return self._check_visible(str(self.working_dir / path))

    def relative_path(self, path: Path) -> str:
        """Return the path relative to the working directory; raise SpecError if it is outside."""
        absolute = self.working_dir / path
        if not absolute.is_relative_to(self.working_dir) or ".." in absolute.parts:
            raise self.unsafe_path_error(
                f"{path} is outside {self.working_dir}, the only folder that the scheduler sees"
            )
        return self._check_visible(absolute.relative_to(self.working_dir).as_posix())

    def unsupported_error(self, reason: str) -> SpecError:
        """Return the error for a schedule that another scheduler does not support."""
        message = f"{self.schedule.cron!r}: {reason}"
        help_line = "change the expression, or use `reportgen schedule run`, which supports all"
        return self._error(SCHEDULE_NOT_SUPPORTED, message, help_line)

    def unsafe_path_error(self, message: str) -> SpecError:
        """Return the error for a path that cannot be exported."""
        help_line = "rename it, or run the command in the folder of specs, data and reports"
        return self._error(UNSAFE_PATH, message, help_line)

    def unpinned_error(self, message: str) -> SpecError:
        """Return the error for a missing or unpinned requirement."""
        help_line = (
            "name an exact source: --install vendor/reportgen_eval-0.1.0-py3-none-any.whl (a file"
            " of the repository, from `make wheel`), or --install git+https://HOST/PATH@COMMIT"
        )
        return self._error(INSTALL_SOURCE_MISSING, message, help_line)

    def _error(self, error_code: ErrorCode, message: str, help_line: str) -> SpecError:
        location = Location(self.scheduled_spec.path)
        return SpecError(Diagnostic(error_code, message, location, help_line))

    def _check_visible(self, path: str) -> str:
        character = next((character for character in path if is_invisible(character)), None)
        if character is not None:
            raise self.unsafe_path_error(
                f"the path {path!r} has the invisible character U+{ord(character):04X}"
            )
        return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """A scheduler to which schedules are exported.

    Args:
        templates: Templates in templates/schedule/: `cron.cron.j2` becomes `<unit name>.cron`.
        filters: Functions of the templates that turn the context, or a value of it, into the
            syntax of the scheduler.
        is_yaml: Whether several files in one text need a YAML document separator.
    """

    templates: tuple[str, ...]
    filters: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    is_yaml: bool = False

    def export(self, context: ExportContext) -> tuple[ExportedFile, ...]:
        """Return the files of one spec; raise SpecError if its schedule is not supported."""
        environment = _template_environment().overlay()
        environment.filters = {**environment.filters, **self.filters}
        return tuple(
            ExportedFile(
                _file_name(context, template),
                environment.get_template(template).render(context=context),
            )
            for template in self.templates
        )


def to_json(value: object) -> str:
    """Return a value as JSON, which is also valid YAML."""
    return json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1)
def _template_environment() -> Environment:
    # Not HTML: every template quotes with the filters of its scheduler.
    environment = Environment(  # noqa: S701
        loader=FileSystemLoader(template_folder() / "schedule"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["json"] = to_json
    return environment


def _file_name(context: ExportContext, template: str) -> str:
    extension = template.removesuffix(TEMPLATE_SUFFIX).partition(".")[2]
    # The name of a Python module has no dashes.
    stem = context.unit_name.replace("-", "_") if extension == "py" else context.unit_name
    return f"{stem}.{extension}"


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
    weekdays = {weekday for weekday in parsed.weekdays if isinstance(weekday, int)}
    ordinals = {weekday for weekday in parsed.weekdays if not isinstance(weekday, int)}
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
        return "L, LW and # are not supported"
    if fields.match_both and not fields.is_any_day and not fields.is_any_weekday:
        return "a day and a weekday that must both match are not supported"
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
    return " ".join(_format_field(values, full_range) for values, full_range in parts)


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
