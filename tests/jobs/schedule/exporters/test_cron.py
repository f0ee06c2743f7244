"""Lines for a crontab, read as cron and the shell do."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.jobs.schedule.exporters.contexts import ODD_NAMES, RETRIES, command_of, exported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.jobs.schedule.exporters.exporter import ExportContext


def cron_runs(line: str, home: Path) -> list[str]:
    """Return the arguments of a crontab's command, read as cron does and then by sh."""
    command = line.split(maxsplit=5)[5]
    # As do_command.c of Vixie's cron has it: an escaped percent sign loses its backslash, another
    # one ends the command.
    text, is_escaped = "", False
    for sign in command:
        if is_escaped:
            text = text[:-1] + sign if sign == "%" else text + sign
            is_escaped = False
            continue
        if sign == "%":
            break
        text += sign
        is_escaped = sign == "\\"
    command_line = re.sub(r"^sleep \d+ && ", "", text)
    process = subprocess.run(
        ["sh", "-c", f"printf '%s\\0' {command_line}"], capture_output=True, check=True, cwd=home
    )
    return process.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_cron_and_the_shell_read_back_any_name(
    tmp_path: Path, order: Callable[..., ExportContext], name: str
) -> None:
    """Whatever is in a name, it stays one word, and nothing of it is run."""
    context = order(name)
    (unit,) = exported("cron", context)
    line = unit.text.splitlines()[-1]

    assert cron_runs(line, tmp_path) == command_of(context, *RETRIES)
    assert not (tmp_path / "hacked").exists()


def test_a_crontab_has_the_zone_the_numbers_and_a_fixed_delay(
    order: Callable[..., ExportContext],
) -> None:
    """Names of days become numbers, and the delay is the same every time."""
    (unit,) = exported("cron", order())
    lines = [line for line in unit.text.splitlines() if not line.startswith("#")]

    assert lines[0] == "CRON_TZ=Europe/Berlin"
    match = re.match(r"0 6 \* \* 1-5 sleep (\d+) && ", lines[1])
    assert match is not None
    assert 0 < int(match[1]) <= 60


PLAIN = {
    "0 6 * * MON-FRI": "0 6 * * 1-5",
    "*/15 8-18 * * *": "*/15 8-18 * * *",
    "0 0 1,15 * 7": "0 0 1,15 * 0",
    "0 6 1-31 * MON": "0 6 * * *",
    "5 4 * jan,feb,mar *": "5 4 * 1-3 *",
    "0 6 */2 * *": "0 6 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31 * *",
}


@pytest.mark.parametrize(("cron", "expected"), PLAIN.items(), ids=PLAIN)
def test_lines_are_written_so_that_every_cron_reads_them_alike(
    order: Callable[..., ExportContext], cron: str, expected: str
) -> None:
    """1-31 without a star means every day or Mondays, and so every day."""
    (unit,) = exported("cron", order(cron=cron))

    assert unit.text.splitlines()[-1].startswith(f"{expected} ")


def test_the_line_is_one_program_with_an_absolute_path(
    tmp_path: Path, order: Callable[..., ExportContext]
) -> None:
    """The PATH of cron is /usr/bin:/bin: a command of a virtual environment is not on it."""
    context = replace(order(), publish="my site")
    (unit,) = exported("cron", context)
    program, *arguments = cron_runs(unit.text.splitlines()[-1], tmp_path)

    assert program.startswith("/")
    assert arguments[arguments.index("--publish") + 1] == str(tmp_path / "my site")
    assert "reportgen" in arguments
    # `&&` belongs to the delay; nothing else joins commands.
    assert not re.search(r"[;|]|&(?!&)", re.sub(r"sleep \d+ &&", "", unit.text.splitlines()[-1]))
