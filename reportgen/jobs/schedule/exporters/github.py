"""Exporter for GitHub Actions: a workflow."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import pairwise, product
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.jobs.schedule.exporters.exporter import (
    MONTHS,
    Exporter,
    format_cron,
    parse_cron,
    to_json,
    unsupported_reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from reportgen.jobs.schedule.exporters.exporter import CronFields, ExportContext


MINUTES_PER_DAY = 24 * 60
DAYS_AHEAD = 400


def utc_offsets(timezone: str, now: datetime) -> tuple[int, ...]:
    """Return the UTC offsets, in minutes, of a time zone within the next year."""
    zone = ZoneInfo(timezone)
    days = (now + timedelta(days=day) for day in range(DAYS_AHEAD))
    offsets = {day.astimezone(UTC).astimezone(zone).utcoffset() or timedelta() for day in days}
    return tuple(sorted(int(offset.total_seconds() // 60) for offset in offsets))


def convert_to_utc(context: ExportContext, fields: CronFields, offset: int) -> Iterator[CronFields]:
    """Yield the cron fields in UTC for an offset; raise SpecError if they cannot be expressed."""
    # Without restrictions on days, a shift to another day has no effect.
    is_every_day = fields.is_daily and len(fields.months) == len(MONTHS)
    hours: dict[tuple[int, int], set[int]] = {}
    for hour, minute in product(sorted(fields.hours), sorted(fields.minutes)):
        day, minute_of_day = divmod(hour * 60 + minute - offset, MINUTES_PER_DAY)
        hours.setdefault((0 if is_every_day else day, minute_of_day % 60), set()).add(
            minute_of_day // 60
        )
    minutes: dict[tuple[int, frozenset[int]], set[int]] = {}
    for (day, minute), day_hours in hours.items():
        minutes.setdefault((day, frozenset(day_hours)), set()).add(minute)
    for (day, same_hours), past_minutes in sorted(minutes.items(), key=_first_run_time):
        if day and not (fields.is_any_day and len(fields.months) == len(MONTHS)):
            raise context.unsupported_error(
                "in UTC it is another day, and the day before the first of a month has no number"
            )
        weekdays = frozenset((weekday + day) % 7 for weekday in fields.weekdays)
        yield replace(fields, minutes=frozenset(past_minutes), hours=same_hours, weekdays=weekdays)


def _first_run_time(line: tuple[tuple[int, frozenset[int]], set[int]]) -> tuple[int, int, int]:
    (day, hours), minutes = line
    return day, min(hours), min(minutes)


MIN_PERIOD_MINUTES = 5

# A version (==), a direct reference (name @ URL, git+https://…@commit), or a file or folder.
_PINNED_REQUIREMENT = re.compile(r"===?|@|^https://|^\.|/|\.whl$|\.tar\.gz$")
# The distribution named `reportgen` on PyPI, with or without a version, is not this one.
_FOREIGN_REQUIREMENT = re.compile(r"reportgen\s*(\[.*\]\s*)?([=<>~!;].*)?$", re.IGNORECASE)


ACTION_VERSIONS = {
    "actions/checkout": ("11bd71901bbe5b1630ceea73d27597364c9af683", "v4.2.2"),
    "actions/setup-python": ("0b93645e9fea7318ecaed2b359559ac225c90a2b", "v5.3.0"),
    "actions/cache": ("5a3ec84eff668545956fd18022155c47e93e2684", "v4.2.3"),
    "actions/upload-artifact": ("ea165f8d65b6e75b540449e92b4886f43607fa02", "v4.6.2"),
}
"""The commit and the tag of each action: a tag can be moved to other code, a commit cannot."""


def pinned_action(action: str) -> str:
    """Return an action with its commit, such as actions/cache/save@5a3ec84… # v4.2.3."""
    repository = "/".join(action.split("/")[:2])
    commit, tag = ACTION_VERSIONS[repository]
    return f"{action}@{commit} # {tag}"


def workflow_command(context: ExportContext) -> str:
    """Return the command for the shell, with variables for everything that the user named.

    Raises:
        SpecError: It would publish to a folder, which is deleted with the machine of the run.
    """
    if context.publish_folder is not None:
        raise context.unsafe_path_error(
            f"{context.publish} is a folder, which GitHub deletes after the run; publish to"
            " s3://, gs:// or az://, or to GitHub Pages (docs/how-to/github-pages.md)"
        )
    publish = None if context.publish is None else '"$PUBLISH"'
    words = context.arguments('"$REPORTS"', publish, '"$SPEC"', with_retries=True)
    return " ".join(["reportgen", *words])


def pinned_requirement(context: ExportContext) -> str:
    """Return the pip requirement of reportgen; raise SpecError if it is missing or not pinned.

    There is no default: a package name on an index that the user did not choose would
    make the workflow run third-party code.
    """
    requirement = context.requirement.strip()
    if not requirement:
        raise context.unpinned_error(
            "GitHub installs reportgen in every run, and `--install` is missing"
        )
    if _FOREIGN_REQUIREMENT.match(requirement):
        raise context.unpinned_error(
            f"on PyPI `reportgen` is another project: `--install {requirement}`"
        )
    if not _PINNED_REQUIREMENT.search(requirement) or not requirement.isprintable():
        raise context.unpinned_error(f"`--install {requirement!r}` names no exact version")
    return requirement


def utc_cron_lines(context: ExportContext) -> dict[str, set[int]]:
    """Return the cron expressions in UTC, each with the UTC offsets for which it applies."""
    fields = parse_cron(context.schedule.cron)
    reason = unsupported_reason(fields)
    if reason is not None:
        raise context.unsupported_error(reason)
    minutes = sorted(minute + 60 * hour for hour in fields.hours for minute in fields.minutes)
    periods = [later - minute for minute, later in pairwise(minutes)]
    if min([minutes[0] + MINUTES_PER_DAY - minutes[-1], *periods]) < MIN_PERIOD_MINUTES:
        raise context.unsupported_error(
            f"the shortest interval of GitHub is {MIN_PERIOD_MINUTES} minutes"
        )
    lines: dict[str, set[int]] = {}
    for offset in utc_offsets(context.schedule.timezone, context.now):
        for line in convert_to_utc(context, fields, offset):
            lines.setdefault(format_cron(line), set()).add(offset)
    return lines


def is_guarded(lines: Mapping[str, AbstractSet[int]]) -> bool:
    """Return whether a line applies only for some of the UTC offsets, so that a step checks it."""
    offsets = frozenset().union(*lines.values())
    return any(line_offsets != offsets for line_offsets in lines.values())


def guard_patterns(lines: Mapping[str, AbstractSet[int]]) -> str:
    """Return the patterns of the shell for "LINE at OFFSET" that are due."""
    patterns = [
        f'"{line} at {_format_offset(offset)}"'
        for line, offsets in lines.items()
        for offset in sorted(offsets)
    ]
    # A manually started workflow has no cron expression.
    return " | ".join([*patterns, '" at "*'])


def _format_offset(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    hours, remaining_minutes = divmod(abs(minutes), 60)
    return f"{sign}{hours:02}{remaining_minutes:02}"


def workflow_string(text: str) -> str:
    """Return a text as a YAML string in which GitHub expressions are escaped."""
    return to_json(text.replace("${{", "${{ '${{' }}"))


EXPORTER = Exporter(
    templates=("github.yml.j2",),
    filters={
        "guard_patterns": guard_patterns,
        "is_guarded": is_guarded,
        "pinned_action": pinned_action,
        "pinned_requirement": pinned_requirement,
        "utc_cron_lines": utc_cron_lines,
        "workflow_command": workflow_command,
        "workflow_string": workflow_string,
    },
    is_yaml=True,
)
