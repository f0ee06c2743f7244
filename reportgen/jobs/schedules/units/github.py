"""A workflow for GitHub Actions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from reportgen.errors.run_faults import PANGO_PACKAGES
from reportgen.jobs.schedules.units.fields import fields_of, hindrance, plain_line
from reportgen.jobs.schedules.units.unit import Unit
from reportgen.jobs.schedules.units.utc import in_utc, offsets
from reportgen.places import HISTORY_FILE

if TYPE_CHECKING:
    from reportgen.jobs.schedules.units.unit import Order

SHORTEST_PERIOD = 5

WORKFLOW = """\
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
      - run: pip install reportgen{condition}
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

GUARD = """\
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

# Not the action that does both: it keeps nothing where a gate has failed.
RESTORE = """\
      # Gates compare with earlier runs, so that their history goes from one run to the next.
      - uses: actions/cache/restore@v4{condition}
        with:
          path: {history}
          key: {name}-history-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
          restore-keys: {name}-history-
"""
SAVE = """\
      - uses: actions/cache/save@v4
        if: {condition}
        with:
          path: {history}
          key: {name}-history-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
"""

ONCE = 'reportgen build --output "$REPORTS" -- "$SPEC"'
RETRIES = """\
wait={wait}
for left in {countdown}; do
  code=0
  {once} || code=$?
  case "$code/$left" in 0/*|1/*|2/*|*/0) exit "$code" ;; esac
  sleep "$wait"
  wait=$((wait * 2))
done"""


def github_units(order: Order, now: datetime | None = None) -> tuple[Unit, ...]:
    """Return a workflow that builds a spec of this folder, which is a repository."""
    schedule = order.planned.schedule
    lines = _lines(order, now or datetime.now(UTC))
    is_guarded = any(found != set().union(*lines.values()) for found in lines.values())
    condition = "\n        if: steps.clock.outputs.due == 'yes'" if is_guarded else ""
    upload = "always() && steps.clock.outputs.due == 'yes'" if is_guarded else "always()"
    text = WORKFLOW.format(
        name=order.unit_name,
        pango=PANGO_PACKAGES,
        zone=_zone(order, is_guarded=is_guarded),
        jitter="# GitHub knows no jitter: the schedule's is left out.\n" if schedule.jitter else "",
        lines="\n".join(f"    - cron: {_text(line)}" for line in lines),
        guard=_guard(order, lines) if is_guarded else "",
        condition=condition,
        upload=upload,
        restore=_of_history(order, RESTORE, condition),
        save=_of_history(order, SAVE, upload),
        spec=_text(order.relative(order.planned.path)),
        reports=_text(order.relative(order.reports)),
        secrets="".join(
            f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in order.planned.variables
        ),
        script="\n".join(f"          {line}" for line in _script(order).splitlines()),
    )
    return (Unit(f"{order.unit_name}.yml", text),)


def _of_history(order: Order, step: str, condition: str) -> str:
    """Return a step that brings the history back or keeps it, where gates ask for it."""
    if not order.planned.looks_back:
        return ""
    history = _text(order.relative(order.reports / HISTORY_FILE))
    return step.format(name=order.unit_name, history=history, condition=condition)


def _lines(order: Order, now: datetime) -> dict[str, set[int]]:
    """Return the lines in UTC, each with the offsets of the zone at which it counts."""
    fields = fields_of(order.planned.schedule.cron)
    hindered = hindrance(fields)
    if hindered is not None:
        raise order.refusal(hindered)
    minutes = sorted(minute + 60 * hour for hour in fields.hours for minute in fields.minutes)
    across = minutes[0] + 24 * 60 - minutes[-1]
    if min([across, *(later - minute for minute, later in pairwise(minutes))]) < SHORTEST_PERIOD:
        raise order.refusal(f"GitHub runs nothing more often than every {SHORTEST_PERIOD} minutes")
    lines: dict[str, set[int]] = {}
    for offset in offsets(order.planned.schedule.timezone, now):
        for line in in_utc(order, fields, offset):
            lines.setdefault(plain_line(line), set()).add(offset)
    return lines


def _zone(order: Order, *, is_guarded: bool) -> str:
    schedule = order.planned.schedule
    if schedule.timezone == "UTC":
        return ""
    told = f"# The spec says {schedule.cron!r} in {schedule.timezone}"
    if is_guarded:
        return f"{told}, whose offset from UTC changes;\n# the first step sees to it.\n"
    return f"{told}.\n"


def _guard(order: Order, lines: dict[str, set[int]]) -> str:
    cases = [f'"{line} at {_offset(offset)}"' for line, found in lines.items() for offset in found]
    # Started by hand there is no line.
    cases.append('" at "*')
    zone = _text(order.planned.schedule.timezone)
    return GUARD.format(zone=zone, cases=" | ".join(cases))


def _offset(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    return f"{sign}{hours:02}{rest:02}"


def _script(order: Order) -> str:
    schedule = order.planned.schedule
    if not schedule.retries:
        return ONCE
    countdown = " ".join(str(left) for left in range(schedule.retries, -1, -1))
    return RETRIES.format(wait=schedule.retry_after, countdown=countdown, once=ONCE)


def _text(text: str) -> str:
    """Return a text as YAML has it, in which GitHub finds no expression of its own."""
    return json.dumps(text.replace("${{", "${{ '${{' }}"), ensure_ascii=False)
