"""[about] describes the report; its date never comes from the clock."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.spec import parse_spec, spec_from_values
from reportgen.spec.toml import format_toml

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.errors import Diagnostic

SPEC = (
    '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
    '[[classifiers]]\nname = "A"\nconfusion = [[5, 1], [2, 6]]\n'
)


@pytest.mark.parametrize("written", ["2026-11-17", '"2026-11-17"'])
def test_a_date_may_be_written_with_or_without_quotes(written: str) -> None:
    """TOML has dates of its own; other languages that write specs have text."""
    content = f"{SPEC}[about]\ndate = {written}\n"

    assert parse_spec(Path("x.toml"), content.encode()).spec.about.date == date(2026, 11, 17)


def test_a_single_author_is_a_list_of_one() -> None:
    """One author needs no brackets."""
    content = f'{SPEC}[about]\nauthors = "Risk analytics"\n'

    assert parse_spec(Path("x.toml"), content.encode()).spec.about.authors == ("Risk analytics",)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ('date = "17.11.2026"', "E123", "`date` is no date: '17.11.2026'"),
        ("date = 2026-11-17T10:00:00", "E105", "`date` must be a date without a time"),
        ("date = 20261117", "E105", "`date` must be a date, not an integer"),
        ('unit = ""', "E117", "`unit` must not be empty"),
        (f'unit = "{"x" * 41}"', "E104", "`unit` has more than 40 characters"),
        ('autors = ["A"]', "E102", "unknown key `autors` in [about]"),
    ],
)
def test_issues_of_about_name_the_key(
    line: str, code: str, message: str, faults_of: Callable[[str], tuple[Diagnostic, ...]]
) -> None:
    """Each issue has its place and its reason."""
    (issue,) = faults_of(f"{SPEC}[about]\n{line}\n")

    assert (issue.error_code.code, issue.message) == (code, message)


def test_a_date_from_python_stands_in_the_text_of_the_spec() -> None:
    """The text of a spec built in Python can be parsed again."""
    values: dict[str, object] = {
        "about": {"date": date(2026, 11, 17)},
        "task": {"kind": "binary", "positive": "yes", "classes": ["yes", "no"]},
        "classifiers": [{"name": "A", "confusion": [[5, 1], [2, 6]]}],
    }
    spec_file = spec_from_values(values, str, str)

    assert "date = 2026-11-17\n" in spec_file.text
    assert parse_spec(Path("x.toml"), spec_file.text.encode()).spec.about == spec_file.spec.about
    assert format_toml({"about": {"date": date(2026, 1, 2)}}) == "[about]\ndate = 2026-01-02\n"
