"""How many runs ended in which way, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.cli.outcomes import counted
from reportgen.errors import ExitCode
from reportgen.jobs.running.job import Outcome

BUILT = Outcome(Path("a.toml"), ExitCode.DONE, files=("a/results.json",))
GATE_FAILED = Outcome(Path("b.toml"), ExitCode.GATE_FAILED, files=("b/results.json",))
STAYED = Outcome(Path("c.toml"), ExitCode.DONE, unchanged=True)
STAYED_FAILED = Outcome(Path("d.toml"), ExitCode.GATE_FAILED, unchanged=True)
BROKEN = Outcome(Path("e.toml"), ExitCode.DATA)


@pytest.mark.parametrize(
    ("outcomes", "asked", "said"),
    [
        ([BUILT, BUILT], 2, "2 built"),
        ([BUILT, GATE_FAILED], 2, "2 built; gates failed in 1"),
        ([STAYED, STAYED_FAILED], 2, "2 unchanged; gates failed in 1"),
        ([BUILT, STAYED, BROKEN], 5, "1 built, 1 unchanged, 1 failed, 2 not begun or stopped"),
    ],
)
def test_runs_are_counted_by_how_they_ended(outcomes: list[Outcome], asked: int, said: str) -> None:
    """Gates may have failed in reports that were built and in those that stay."""
    assert counted(outcomes, asked) == said
