"""Intervals where some classifiers were measured several times on the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.statistics.proportions import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[data]
id = "case"
fold = "fold"
[[classifiers]]
name = "read"
predictions = "read.csv"
[[classifiers]]
name = "counted"
confusion = [[420, 180], [180, 420]]
"""


def test_counts_alone_get_plain_intervals_beside_repeated_cases(tmp_path: Path) -> None:
    """840 of 1200 is 0.673 to 0.725 by Wilson; 20 cases read twice count as 20, not as 40."""
    rows = [
        f"{case},{fold},{'yes' if case % 2 else 'no'},{'yes' if case % 2 or case < 5 else 'no'}"
        for fold in (1, 2)
        for case in range(20)
    ]
    (tmp_path / "read.csv").write_text("case,fold,truth,prediction\n" + "\n".join(rows) + "\n")
    (tmp_path / "spec.toml").write_text(SPEC)

    evaluation = load_and_evaluate(tmp_path / "spec.toml")
    counted = evaluation.by_key["counted", None, None, "accuracy"]
    read = evaluation.by_key["read", None, None, "accuracy"]

    assert evaluation.aggregates.distinct_cases == 20
    assert evaluation.aggregates.case_weight("counted") == 1
    assert evaluation.aggregates.case_weight("read") == pytest.approx(0.5)
    assert (counted.low, counted.high) == pytest.approx((0.673, 0.725), abs=5e-4)
    # 0, 2 and 4 are wrong.
    assert read.value == pytest.approx(17 / 20)
    once = wilson_interval(17, 20, 0.95)
    assert (read.low, read.high) == pytest.approx((once.low, once.high))
