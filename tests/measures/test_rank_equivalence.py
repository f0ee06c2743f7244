"""Measures that are said to agree about who is better do so, whatever the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.measures import RANK_EQUIVALENT, MeasureFamily, find_measure
from reportgen.measures.ordering import competition_ranks
from tests.report.report_text import confusion, evaluated

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

OF_COUNTS = {
    first: second
    for first, second in RANK_EQUIVALENT.items()
    if (measure := find_measure(first)) is not None
    and measure.family not in {MeasureFamily.PROBABILITY, MeasureFamily.REGRESSION}
}


@pytest.fixture(scope="module")
def classifiers(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return twelve classifiers on the same 60 positives and 140 negatives, better than chance."""
    draws = np.random.default_rng(7)
    correct_counts = draws.integers(31, 60, 12), draws.integers(71, 140, 12)
    counts = {
        f"c{at}": confusion((int(tp), 60 - int(tp)), (140 - int(tn), int(tn)))
        for at, (tp, tn) in enumerate(zip(*correct_counts, strict=True))
    }
    folder: Path = tmp_path_factory.mktemp("same_order")
    return evaluated(folder, counts, more='[measures]\nshow = ["all"]\n')


@pytest.mark.parametrize(("first", "second"), OF_COUNTS.items())
def test_the_order_is_the_same(classifiers: Evaluation, first: str, second: str) -> None:
    """On the same cases one is a strictly monotone function of the other."""
    assert _places(classifiers, first) == _places(classifiers, second)


def test_measures_that_may_disagree_are_seen_to(classifiers: Evaluation) -> None:
    """Accuracy and Youden's index rank these classifiers differently."""
    assert _places(classifiers, "accuracy") != _places(classifiers, "youden")


def _places(evaluation: Evaluation, name: str) -> dict[str, int]:
    measure = find_measure(name)
    assert measure is not None
    scores = {name: evaluation.value(name, measure) for name in evaluation.measured_classifiers}
    numbers = {
        name: score.number
        for name, score in scores.items()
        if score is not None and score.number is not None
    }
    assert len(numbers) == len(scores)
    return competition_ranks(numbers, measure.orientation)
