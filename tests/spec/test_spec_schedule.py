"""Cron lines and time zones of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import load_spec
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

BASE = counted_spec([[40, 10], [8, 60]])

WRONG = {
    "60 6 * * *": "has the invalid minute '60'",
    "0 24 * * *": "has the invalid hour '24'",
    "0 6 32 * *": "has the invalid day '32'",
    "0 6 * 13 *": "has the invalid month '13'",
    "0 6 * * 8": "has the invalid weekday '8'",
    "0 6 * * MOON": "has the invalid weekday 'MOON'",
    "0 6 * * FRI-MON": "has the invalid weekday 'FRI-MON'",
    "*/0 6 * * *": "has the invalid minute '*/0'",
    "0 6, * * *": "has the invalid hour '6,'",
    "0 6 30 2 *": "names a day that does not exist",
    "0 6 31 4,6 *": "names a day that does not exist",
    "0 6 * *": "must have five fields",
    "0 0 6 * * *": "must have five fields",
    "@daily": "must have five fields",
}


@pytest.mark.parametrize(("cron", "message"), WRONG.items(), ids=WRONG)
def test_a_wrong_cron_line_says_which_field_is_wrong(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]], cron: str, message: str
) -> None:
    """The field and what was found for it are named."""
    (fault,) = faults_of(f'{BASE}[schedule]\ncron = "{cron}"\n')

    assert fault.error_code.code == "E123"
    assert message in fault.message
    assert fault.help


def test_thousands_of_digits_are_a_wrong_field(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]],
) -> None:
    """Python refuses to read such numbers, which must not look like a crash."""
    (fault,) = faults_of(f'{BASE}[schedule]\ncron = "{"9" * 5000} 6 * * *"\n')

    assert fault.error_code.code == "E123"


@pytest.mark.parametrize(
    "cron",
    [
        "0 6 * * MON",
        "*/15 8-18 * * 1-5",
        "0 0 L * *",
        "0 6 * * fri#2",
        "0 6 29 2 *",
        "5 4 1,15 * 7",
    ],
)
def test_a_cron_line_is_kept_as_it_is_written(tmp_path: Path, cron: str) -> None:
    """Names, lists, ranges, steps, and the last or second of something are known."""
    path = tmp_path / "spec.toml"
    path.write_text(f'{BASE}[schedule]\ncron = "{cron}"\n', encoding="utf-8")
    read = load_spec(path)

    assert read.spec.schedule is not None
    assert read.spec.schedule.cron == cron
    assert read.warnings == ()
