"""Exporter for GitHub Actions: a workflow."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.errors.run import PANGO_PACKAGES
from reportgen.jobs.schedule.exporters.context import (
    MONTHS,
    ExportedFile,
    format_cron,
    parse_cron,
    unsupported_reason,
)
from reportgen.paths import HISTORY_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.schedule.exporters.context import CronFields, ExportContext


MINUTES_PER_DAY = 24 * 60
DAYS_AHEAD = 400


def utc_offsets(timezone: str, now: datetime) -> tuple[int, ...]:
    """Return the UTC offsets, in minutes, of a time zone within the next year."""
    zone = ZoneInfo(timezone)
    days = (now + timedelta(days=day) for day in range(DAYS_AHEAD))
    found = {day.astimezone(UTC).astimezone(zone).utcoffset() or timedelta() for day in days}
    return tuple(sorted(int(offset.total_seconds() // 60) for offset in found))


def convert_to_utc(context: ExportContext, fields: CronFields, offset: int) -> Iterator[CronFields]:
    """Yield the cron fields in UTC for an offset; raise SpecError if they cannot be expressed."""
    # Without restrictions on days, a shift to another day has no effect.
    is_alike = fields.is_daily and len(fields.months) == len(MONTHS)
    hours: dict[tuple[int, int], set[int]] = {}
    for hour, minute in product(sorted(fields.hours), sorted(fields.minutes)):
        day, rest = divmod(hour * 60 + minute - offset, MINUTES_PER_DAY)
        hours.setdefault((0 if is_alike else day, rest % 60), set()).add(rest // 60)
    minutes: dict[tuple[int, frozenset[int]], set[int]] = {}
    for (day, minute), at in hours.items():
        minutes.setdefault((day, frozenset(at)), set()).add(minute)
    for (day, same), past in sorted(minutes.items(), key=_first_run_time):
        if day and not (fields.is_any_day and len(fields.months) == len(MONTHS)):
            raise context.unsupported_error(
                "in UTC it is another day, and the first of a month has no number"
            )
        weekdays = frozenset((weekday + day) % 7 for weekday in fields.weekdays)
        yield replace(fields, minutes=frozenset(past), hours=same, weekdays=weekdays)


def _first_run_time(line: tuple[tuple[int, frozenset[int]], set[int]]) -> tuple[int, int, int]:
    (day, hours), minutes = line
    return day, min(hours), min(minutes)


MIN_PERIOD_MINUTES = 5

WORKFLOW_TEMPLATE = """\
# Written by `reportgen schedule export github`; belongs to .github/workflows.
# GitHub reads cron lines in UTC, and starts later when it is busy.
{zone}{jitter}name: {name}
on:
  schedule:
{lines}
  workflow_dispatch:
permissions:
  contents: read
concurrency:
  group: {name}
  cancel-in-progress: false
jobs:
  report:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
{guard}\
      - uses: actions/checkout@v4{condition}
      - uses: actions/setup-python@v5{condition}
        with:
          python-version: "3.12"
      - run: sudo apt-get install --yes {pango}{condition}
      - name: Install reportgen{condition}
        env:
          REQUIREMENT: {requirement}
        run: pip install -- "$REQUIREMENT"
{restore}\
      - name: Build the report{condition}
        env:
          SPEC: {spec}
          REPORTS: {reports}
{secrets}\
        run: |
{script}
{save}\
      - uses: actions/upload-artifact@v4
        if: {upload}
        with:
          name: {name}
          path: {reports}
"""

OFFSET_GUARD_TEMPLATE = """\
      # A line for each offset that the zone has in a year; the one that fits today counts.
      - id: clock
        env:
          LINE: ${{{{ github.event.schedule }}}}
          ZONE: {zone}
        run: |
          case "$LINE at $(TZ="$ZONE" date +%z)" in
            {cases}) echo "due=yes" >> "$GITHUB_OUTPUT" ;;
            *) echo "due=no" >> "$GITHUB_OUTPUT" ;;
          esac
"""

# Separate restore and save steps: the combined action saves nothing after a failed gate.
RESTORE_CACHE_TEMPLATE = """\
      # Gates compare with earlier runs, so that their history goes from one run to the next.
      - uses: actions/cache/restore@v4{condition}
        with:
          path: {history}
          key: {name}-history-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
          restore-keys: {name}-history-
"""
SAVE_CACHE_TEMPLATE = """\
      - uses: actions/cache/save@v4
        if: {condition}
        with:
          path: {history}
          key: {name}-history-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
"""

# A version (==), a direct reference (name @ URL, git+https://…@commit), or a file or folder.
_PINNED_REQUIREMENT = re.compile(r"===?|@|^https://|^\.|/|\.whl$|\.tar\.gz$")
# The distribution named `reportgen` on PyPI, with or without a version, is not this one.
_FOREIGN_REQUIREMENT = re.compile(r"reportgen\s*(\[.*\]\s*)?([=<>~!;].*)?$", re.IGNORECASE)

BUILD_COMMAND = 'reportgen build --output "$REPORTS" -- "$SPEC"'
RETRY_SCRIPT_TEMPLATE = """\
wait={wait}
for left in {countdown}; do
  code=0
  {once} || code=$?
  case "$code/$left" in 0/*|1/*|2/*|*/0) exit "$code" ;; esac
  sleep "$wait"
  wait=$((wait * 2))
done"""


def export_github(context: ExportContext, now: datetime | None = None) -> tuple[ExportedFile, ...]:
    """Return a workflow that builds a spec of the working directory, which is a repository."""
    schedule = context.scheduled_spec.schedule
    lines = _utc_cron_lines(context, now or datetime.now(UTC))
    is_guarded = any(found != set().union(*lines.values()) for found in lines.values())
    condition = "\n        if: steps.clock.outputs.due == 'yes'" if is_guarded else ""
    upload = "always() && steps.clock.outputs.due == 'yes'" if is_guarded else "always()"
    text = WORKFLOW_TEMPLATE.format(
        name=context.unit_name,
        pango=PANGO_PACKAGES,
        requirement=_yaml_string(_pinned_requirement(context)),
        zone=_timezone_comment(context, is_guarded=is_guarded),
        jitter="# GitHub knows no jitter: the schedule's is left out.\n" if schedule.jitter else "",
        lines="\n".join(f"    - cron: {_yaml_string(line)}" for line in lines),
        guard=_offset_guard_step(context, lines) if is_guarded else "",
        condition=condition,
        upload=upload,
        restore=_history_cache_step(context, RESTORE_CACHE_TEMPLATE, condition),
        save=_history_cache_step(context, SAVE_CACHE_TEMPLATE, upload),
        spec=_yaml_string(context.relative_path(context.scheduled_spec.path)),
        reports=_yaml_string(context.relative_path(context.output)),
        secrets="".join(
            f"          {name}: ${{{{ secrets.{name} }}}}\n"
            for name in context.scheduled_spec.environment_variables
        ),
        script="\n".join(f"          {line}" for line in _build_script(context).splitlines()),
    )
    return (ExportedFile(f"{context.unit_name}.yml", text),)


def _pinned_requirement(order: ExportContext) -> str:
    """Return the pip requirement of reportgen; raise SpecError if it is missing or not pinned.

    There is no default: a package name on an index that the user did not choose would
    make the workflow run third-party code.
    """
    requirement = order.requirement.strip()
    if not requirement:
        raise order.unpinned("GitHub installs reportgen in every run, and `--install` is missing")
    if _FOREIGN_REQUIREMENT.match(requirement):
        raise order.unpinned(f"on PyPI `reportgen` is another project: `--install {requirement}`")
    if not _PINNED_REQUIREMENT.search(requirement) or not requirement.isprintable():
        raise order.unpinned(f"`--install {requirement!r}` names no exact version")
    return requirement


def _history_cache_step(context: ExportContext, step: str, condition: str) -> str:
    """Return a cache step that restores or saves the history, if gates need it."""
    if not context.scheduled_spec.needs_history:
        return ""
    history = _yaml_string(context.relative_path(context.output / HISTORY_FILE))
    return step.format(name=context.unit_name, history=history, condition=condition)


def _utc_cron_lines(context: ExportContext, now: datetime) -> dict[str, set[int]]:
    """Return the cron expressions in UTC, each with the UTC offsets for which it applies."""
    fields = parse_cron(context.scheduled_spec.schedule.cron)
    hindered = unsupported_reason(fields)
    if hindered is not None:
        raise context.unsupported_error(hindered)
    minutes = sorted(minute + 60 * hour for hour in fields.hours for minute in fields.minutes)
    across = minutes[0] + 24 * 60 - minutes[-1]
    if min([across, *(later - minute for minute, later in pairwise(minutes))]) < MIN_PERIOD_MINUTES:
        raise context.unsupported_error(
            f"GitHub runs nothing more often than every {MIN_PERIOD_MINUTES} minutes"
        )
    lines: dict[str, set[int]] = {}
    for offset in utc_offsets(context.scheduled_spec.schedule.timezone, now):
        for line in convert_to_utc(context, fields, offset):
            lines.setdefault(format_cron(line), set()).add(offset)
    return lines


def _timezone_comment(context: ExportContext, *, is_guarded: bool) -> str:
    schedule = context.scheduled_spec.schedule
    if schedule.timezone == "UTC":
        return ""
    told = f"# The spec says {schedule.cron!r} in {schedule.timezone}"
    if is_guarded:
        return f"{told}, whose offset from UTC changes;\n# the first step sees to it.\n"
    return f"{told}.\n"


def _offset_guard_step(context: ExportContext, lines: dict[str, set[int]]) -> str:
    cases = [
        f'"{line} at {_format_offset(offset)}"' for line, found in lines.items() for offset in found
    ]
    # A manually started workflow has no cron expression.
    cases.append('" at "*')
    zone = _yaml_string(context.scheduled_spec.schedule.timezone)
    return OFFSET_GUARD_TEMPLATE.format(zone=zone, cases=" | ".join(cases))


def _format_offset(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    return f"{sign}{hours:02}{rest:02}"


def _build_script(context: ExportContext) -> str:
    schedule = context.scheduled_spec.schedule
    if not schedule.retries:
        return BUILD_COMMAND
    countdown = " ".join(str(left) for left in range(schedule.retries, -1, -1))
    return RETRY_SCRIPT_TEMPLATE.format(
        wait=schedule.retry_after, countdown=countdown, once=BUILD_COMMAND
    )


def _yaml_string(text: str) -> str:
    """Return a text as a YAML string in which GitHub expressions are escaped."""
    return json.dumps(text.replace("${{", "${{ '${{' }}"), ensure_ascii=False)
