"""The simulated coverage of intervals of counts."""

from __future__ import annotations

from itertools import chain

from benchmarks.interval_coverage import binary, numeric, three

SAMPLES = 30


def test_every_measure_with_a_row_in_the_document_can_be_simulated() -> None:
    """A few samples of the tables of counts and numbers; rows are distinct."""
    rows = list(chain(binary(60, SAMPLES), three(60, SAMPLES), numeric(60, SAMPLES)))
    titles = [row.what for row in rows]

    assert len(set(titles)) == len(titles)
    assert {
        "Accuracy",
        "G-mean",
        "F1 score, three classes, weighted",
        "Pearson correlation",
    } <= set(titles)
    assert all(row.percent >= 75 for row in rows)
