"""How many runs ended in which way, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.cli.build import format_outcome_counts
from reportgen.errors import ExitCode
from reportgen.jobs.job import JobOutcome

BUILT = JobOutcome(Path("a.toml"), ExitCode.SUCCESS, files=("a/results.json",))
GATE_FAILED = JobOutcome(Path("b.toml"), ExitCode.GATE_FAILED, files=("b/results.json",))
STAYED = JobOutcome(Path("c.toml"), ExitCode.SUCCESS, unchanged=True)
STAYED_FAILED = JobOutcome(Path("d.toml"), ExitCode.GATE_FAILED, unchanged=True)
BROKEN = JobOutcome(Path("e.toml"), ExitCode.DATA)


@pytest.mark.parametrize(
    ("outcomes", "job_count", "text"),
    [
        ([BUILT, BUILT], 2, "2 built"),
        ([BUILT, GATE_FAILED], 2, "2 built; gates failed in 1"),
        ([STAYED, STAYED_FAILED], 2, "2 unchanged; gates failed in 1"),
        ([BUILT, STAYED, BROKEN], 5, "1 built, 1 unchanged, 1 failed, 2 not started or stopped"),
    ],
)
def test_runs_are_counted_by_how_they_ended(
    outcomes: list[JobOutcome], job_count: int, text: str
) -> None:
    """Gates may have failed in reports that were built and in those that stay."""
    assert format_outcome_counts(outcomes, job_count) == text
