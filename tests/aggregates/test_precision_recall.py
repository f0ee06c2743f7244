"""Covariances of areas under precision-recall curves, against resampled cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from reportgen.aggregates.curves import count_curves
from reportgen.aggregates.precision_recall import PrCovariances, pr_covariances
from tests.scored_cases import binary_cases, drawn_probabilities, several_classes

MEASURES = ("average_precision", "pr_auc")


def test_the_covariance_is_that_of_the_bootstrap() -> None:
    """Cases drawn with replacement, areas by scikit-learn; the same cases for both classifiers."""
    random = np.random.default_rng(3)
    truth = (random.random(400) < 0.3).astype(int)
    common = random.standard_normal(400)
    first, second = (truth + 0.8 * common + 0.6 * random.standard_normal(400) for _ in range(2))
    tally = pr_covariances(
        binary_cases(truth.tolist(), {"A": first.tolist(), "B": second.tolist()}, ranking_only=True)
    )
    areas = []
    for _ in range(3000):
        cases = random.integers(400, size=400)
        areas.append(
            [average_precision_score(truth[cases], item[cases]) for item in (first, second)]
        )
    expected = np.cov(np.array(areas).T)

    for pair, place in ((("A", "A"), (0, 0)), (("A", "B"), (0, 1)), (("B", "B"), (1, 1))):
        result = tally.covariance("average_precision", pair, None)
        assert result is not None
        assert result[0] == pytest.approx(expected[place], rel=0.12)
    assert tally.covariance("average_precision", ("B", "A"), "yes") == tally.covariance(
        "average_precision", ("A", "B"), None
    )


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_the_variance_of_an_average_is_that_of_the_bootstrap(average: str) -> None:
    """Averages over three classes by scikit-learn; class sizes vary with the cases."""
    truth, rows = drawn_probabilities(12, cases=300, classes=3)
    tally = pr_covariances(several_classes(truth.tolist(), {"A": rows}))
    random = np.random.default_rng(4)
    areas = []
    for _ in range(2000):
        cases = random.integers(300, size=300)
        areas.append(average_precision_score(np.eye(3)[truth[cases]], rows[cases], average=average))
    result = tally.covariance("average_precision", ("A", "A"), None, average)

    assert result is not None
    assert result[0] == pytest.approx(np.var(areas), rel=0.15)


@pytest.mark.parametrize("measure", MEASURES)
def test_counts_per_score_give_the_variance_of_the_cases(measure: str) -> None:
    """One curve needs its counts only; rows that stand for several cases count as often."""
    random = np.random.default_rng(5)
    truth = (random.random(80) < 0.4).astype(int)
    scores = (truth + random.standard_normal(80)).round(1)
    counts = random.integers(1, 5, size=80)
    expanded = binary_cases(
        np.repeat(truth, counts).tolist(),
        {"A": np.repeat(scores, counts).tolist()},
        ranking_only=True,
    )
    grouped = replace(
        binary_cases(truth.tolist(), {"A": scores.tolist()}, ranking_only=True),
        counts=counts.astype(np.float64),
    )
    expected = pr_covariances(expanded).covariance(measure, ("A", "A"), None)

    assert expected is not None
    for tally in (
        pr_covariances(expanded, count_curves(expanded)),
        pr_covariances(grouped),
        pr_covariances(grouped, count_curves(grouped)),
    ):
        assert tally.covariance(measure, ("A", "A"), None) == pytest.approx(expected, rel=1e-10)


def test_covariances_need_their_schema() -> None:
    """A frame without a column is refused."""
    tally = pr_covariances(binary_cases([1, 1, 0, 0], {"A": [4.0, 2.0, 3.0, 1.0]}))
    with pytest.raises(TypeError, match="PR covariances need"):
        PrCovariances(tally.frame.drop("class"))
