"""Every attack of the security page has tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.end_to_end.test_reliability_page import defined_functions

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d) \| ([^|]+) \| [^|]+ \| (`tests/[^|]*) \|$", re.MULTILINE)
ATTACKS = ROW.findall((ROOT / "docs/security.md").read_text(encoding="utf-8"))


def test_every_threat_model_has_attacks() -> None:
    """There are seven."""
    assert {model for model, _, _ in ATTACKS} == set("1234567")


@pytest.mark.parametrize(("attack", "tests"), [row[1:] for row in ATTACKS])
def test_the_tests_of_an_attack_exist(attack: str, tests: str) -> None:
    """A test that is renamed or removed is missed here."""
    names = [name.split("::") for name in re.findall(r"`([^`]+)`", tests)]

    assert names, attack
    for path, name in names:
        assert name in defined_functions(ROOT / path)


# Attacks on a part with a browser, a server or a set-up of its own are tested there.
TESTED_OUTSIDE = {
    "tests/browser/test_page_safety.py",
    "tests/browser/test_tools.py",
    "tests/fuzz/test_campaign.py",
    "tests/fuzz/test_regressions.py",
    "tests/jobs/history/test_postgres.py",
    "tests/jobs/notifications/test_delivery.py",
    "tests/jobs/test_junit.py",
    "tests/jobs/test_runs_with_history.py",
    "tests/jobs/test_summary_markdown.py",
    "tests/predictions/test_page_checksums.py",
    "tests/predictions/test_pinned_hashes.py",
    "tests/predictions/test_stored_tables.py",
    "tests/predictions/test_text_formats.py",
}


def test_attacks_are_tested_here() -> None:
    """Other files that test attacks are few, and listed."""
    paths = {path for *_, tests in ATTACKS for path in re.findall(r"`([^`]+)::", tests)}

    assert {path for path in paths if not path.startswith("tests/security/")} == TESTED_OUTSIDE


def test_every_file_of_attacks_is_on_the_page() -> None:
    """An attack that is not on the page is a promise that nobody reads."""
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    files = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}

    assert [name for name in sorted(files) if name not in page] == []
