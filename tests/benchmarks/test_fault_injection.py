"""The checks of the fault injection notice what they look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.fault_injection import BuildFolder, Tally, check_history, check_report

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_mixed_reports_and_lost_runs_are_noticed(tmp_path: Path) -> None:
    """A file of another run, a report nobody built, and a run that the history does not have."""
    place, tally = BuildFolder(tmp_path), Tally()
    place.write_spec(5)
    assert place.build() == 0
    assert check_report(place, tally, 4, 5, "none") == 5
    tally.acknowledged.add(5)
    check_history(place, tally)
    assert tally.violations == []

    check_report(place, tally, 6, 7, "another run")
    (place.report / "results.json").write_text("{}", encoding="utf-8")
    check_report(place, tally, 4, 5, "mixed")
    tally.acknowledged.add(9)
    check_history(place, tally)

    assert tally.violations == [
        "another run: a report of another run, 5",
        "mixed: results.json does not belong to the manifest",
        "acknowledged runs are not in the history: [9]",
    ]
