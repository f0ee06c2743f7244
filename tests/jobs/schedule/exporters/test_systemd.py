"""Units for systemd, checked by systemd."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.jobs.schedule.exporters.systemd import on_calendar_expressions
from tests.external_programs import needs_systemd
from tests.jobs.schedule.exporters.contexts import (
    ALL,
    ODD_NAMES,
    RETRIES,
    WEBHOOK,
    command_of,
    exported,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.jobs.schedule.exporters.exporter import ExportContext

REFUSED = set("'\"\\")

LINES = [
    "0 6 * * MON-FRI",
    "*/15 8-18 * * *",
    "* * * * *",
    "30 2 * * *",
    "5 4 1,15 * *",
    "0 6 1,15 * MON",
    "0 6 */2 * MON",
    "0 6 L * *",
    "0 6 1,L 2,3 *",
    "0 6 * * MON#1",
    "0 6 * * TUE#5",
    "0 6 * * 5L",
    "0 6 * * MON#1,FRI",
    "0 6 1-31 * MON",
    "0 0 29 2 *",
]


def analysed(*arguments: str) -> str:
    """Return what systemd-analyze says."""
    process = subprocess.run(
        ["systemd-analyze", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={"TZ": "UTC", "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
    return process.stdout + process.stderr


@needs_systemd
@pytest.mark.parametrize("cron", LINES)
def test_systemd_finds_the_same_times(order: Callable[..., ExportContext], cron: str) -> None:
    """The next ten times by systemd's calendar are those of the timetable.

    From July on, because in a year's other half clocks skip a time that systemd leaves out.
    """
    context = order(cron=cron, more='timezone = "Asia/Kolkata"\n')
    start = datetime(2026, 7, 1, tzinfo=UTC)
    expected = list(islice(context.scheduled_spec.timetable.due_times(start), 10))
    times: set[datetime] = set()
    for line in on_calendar_expressions(context):
        analysis = analysed("calendar", "--iterations=10", "--base-time=2026-07-01 00:00:00", line)
        for time in re.findall(r"(?:elapse|#\d+): \w{3} (\S+ \S+) UTC", analysis):
            times.add(datetime.fromisoformat(time).replace(tzinfo=UTC))

    assert sorted(times)[:10] == expected


@needs_systemd
@pytest.mark.parametrize("name", ["churn", *ODD_NAMES])
def test_systemd_takes_the_units(
    tmp_path: Path, order: Callable[..., ExportContext], name: str
) -> None:
    """Checked by `systemd-analyze verify`, which says nothing against them."""
    files = []
    for unit in exported("systemd", order(name, more=ALL + WEBHOOK)):
        path = tmp_path / "units" / unit.filename
        path.parent.mkdir(exist_ok=True)
        path.write_text(unit.text, encoding="utf-8")
        files.append(str(path))

    assert analysed("verify", "--man=no", *files) == ""


def words_of(line: str) -> list[str]:
    """Return the words of a command as systemd.service(5) and systemd.syntax(7) read them."""
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    unescaped = (re.sub(r"\\(.)", r"\1", word) for word in quoted)
    return [word.replace("%%", "%").replace("$$", "$") for word in unescaped]


@pytest.mark.parametrize("name", ["churn", *ODD_NAMES])
def test_systemd_reads_back_any_name(order: Callable[..., ExportContext], name: str) -> None:
    """No specifier and no variable is left in the command that systemd would replace."""
    context = order(name)
    (line,) = re.findall(r"^ExecStart=(.*)$", exported("systemd", context)[0].text, re.MULTILINE)

    assert words_of(line) == command_of(context, *RETRIES)
    assert not re.search(r"(?<!%)(%%)*%(?!%)", line)
    assert not re.search(r"(?<!\$)(\$\$)*\$(?!\$)", line)


@needs_systemd
@pytest.mark.parametrize("name", [name for name in ODD_NAMES if REFUSED.isdisjoint(name)])
def test_systemd_itself_sees_the_program(
    tmp_path: Path, order: Callable[..., ExportContext], name: str
) -> None:
    """A program that is not there is named as it is when systemd looks for it."""
    missing = tmp_path / f"{name} program"
    service = exported("systemd", replace(order(), program=(str(missing),)))[0]
    path = tmp_path / service.filename
    path.write_text(service.text, encoding="utf-8")
    process = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"Command {missing} is not executable" in process.stderr


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if not REFUSED.isdisjoint(name)])
def test_a_program_that_systemd_would_reject_is_rejected(
    order: Callable[..., ExportContext], name: str
) -> None:
    """Systemd takes no quotes and backslashes in the path of a program, however written."""
    with pytest.raises(SpecError) as raised:
        exported("systemd", replace(order(), program=(f"/opt/{name}/python",)))

    assert raised.value.diagnostics[0].error_code.code == "E533"


def test_a_timer_makes_up_for_what_it_missed(order: Callable[..., ExportContext]) -> None:
    """And begins within the jitter, always at the same moment of it."""
    timer = exported("systemd", order())[1].text

    assert "Persistent=true" in timer
    assert "RandomizedDelaySec=60s\nFixedRandomDelay=true" in timer


@pytest.mark.parametrize("more", [ALL, ""])
def test_starts_by_hand_never_keep_the_timer_from_starting_the_service(
    order: Callable[..., ExportContext], more: str
) -> None:
    """Without a start limit; retries are counted by the command, for each start by itself."""
    service = exported("systemd", order(more=more))[0].text

    assert "\nStartLimitIntervalSec=0\n" in service
    assert "StartLimitBurst" not in service
    assert "Restart" not in service
    assert ('"--retries" "2" "--retry-after" "30s"' in service) is (more == ALL)


def test_a_service_may_write_to_the_reports_only(order: Callable[..., ExportContext]) -> None:
    """It has no rights that a report does not need."""
    context = order()
    service = exported("systemd", context)[0].text

    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="):
        assert f"\n{line}\n" in service
    assert f'ReadWritePaths="{context.working_dir / "my reports"}"\n' in service

    site = exported("systemd", replace(context, publish="my site"))[0].text
    folders = (context.working_dir / "my reports", context.working_dir / "my site")
    assert 'ReadWritePaths="{}" "{}"\n'.format(*folders) in site


@pytest.mark.parametrize("cron", ["0 6 LW * *", "0 6 */2 * MON#1"])
def test_what_systemd_cannot_say_is_rejected(
    order: Callable[..., ExportContext], cron: str
) -> None:
    """With the reason, rather than with other times."""
    with pytest.raises(SpecError) as raised:
        exported("systemd", order(cron=cron))

    assert raised.value.diagnostics[0].error_code.code == "E532"


@needs_systemd
def test_a_time_that_clocks_skip_is_reported_because_systemd_leaves_it_out(
    order: Callable[..., ExportContext],
) -> None:
    """On 2026-03-29 there is no 02:30 in Berlin, and systemd goes on to the 30th."""
    context = order(cron="30 2 * * *")
    before = datetime(2026, 3, 28, 12, tzinfo=UTC)
    (line,) = on_calendar_expressions(context)
    analysis = analysed("calendar", "--base-time=2026-03-28 12:00:00", line)

    assert "2026-03-30 00:30:00 UTC" in analysis
    timer = exported("systemd", replace(context, now=before))[1].text
    assert "# On 2026-03-29 clocks are set forward" in timer
    later = exported("systemd", replace(order(), now=before + timedelta(days=2)))[1].text
    assert "# On " not in later
