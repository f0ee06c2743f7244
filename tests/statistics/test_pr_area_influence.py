"""Influence functions of areas under precision-recall curves, and intervals from them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t
from sklearn.metrics import average_precision_score

from reportgen.statistics.auc import (
    AreaInfluence,
    CurveArea,
    ScoreCounts,
    exchange_one_pair,
    influence_interval,
    pr_area_influence,
    sum_influence_powers,
)
from reportgen.statistics.distributions import satterthwaite_df

STEP = 1e-6


def draw_scores(decimals: int) -> tuple[np.ndarray, np.ndarray, ScoreCounts]:
    """Return true classes, scores, and their counts per distinct score."""
    random = np.random.default_rng(decimals)
    truth = random.random(60) < 0.4
    scores = (truth + random.standard_normal(60)).round(decimals)
    distinct = np.unique(scores)[::-1]
    sides = (
        np.array([int((side & (scores == score)).sum()) for score in distinct])
        for side in (truth, ~truth)
    )
    return truth, scores, ScoreCounts(*sides)


def by_case(influence: AreaInfluence, truth: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the influence of every case."""
    place = np.searchsorted(-np.unique(scores)[::-1], -scores)
    return np.where(truth, influence.of_positives[place], influence.of_negatives[place])


@pytest.mark.parametrize("decimals", [0, 8])
def test_the_influence_on_average_precision_is_its_derivative_in_case_weights(
    decimals: int,
) -> None:
    """Differences of scikit-learn's average precision with one case weighted more or less."""
    truth, scores, counts = draw_scores(decimals)
    influence = pr_area_influence(counts, CurveArea.AVERAGE_PRECISION)
    expected = []
    for case in range(len(truth)):
        ends = []
        for side in (1, -1):
            weights = np.ones(len(truth))
            weights[case] += side * STEP
            ends.append(average_precision_score(truth, scores, sample_weight=weights))
        expected.append((ends[0] - ends[1]) / (2 * STEP))

    assert influence.value == pytest.approx(average_precision_score(truth, scores), rel=1e-12)
    assert by_case(influence, truth, scores) == pytest.approx(expected, abs=1e-8)


def integrated_area(positives: np.ndarray, negatives: np.ndarray) -> float:
    """Integrate precision over recall, false positives growing in proportion to true ones."""
    summed, tp, predicted = 0.0, 0.0, 0.0
    for more, others in zip(positives, negatives, strict=True):
        if more > 0:
            growth = (more + others) / more
            # Nothing is predicted before the first score, where precision is constant.
            summed += (
                more / growth
                if predicted == 0
                else quad(
                    lambda x, tp=tp, predicted=predicted, growth=growth: (
                        (tp + x) / (predicted + growth * x)
                    ),
                    0,
                    more,
                )[0]
            )
        tp, predicted = tp + more, predicted + more + others
    return summed / tp


@pytest.mark.parametrize("decimals", [0, 8])
def test_the_influence_on_the_interpolated_area_is_its_derivative_in_the_counts(
    decimals: int,
) -> None:
    """Differences of the area, integrated numerically (SciPy) as Davis and Goadrich define it."""
    _, _, counts = draw_scores(decimals)
    influence = pr_area_influence(counts, CurveArea.INTERPOLATED_PR)
    class_counts = counts.positives.astype(float), counts.negatives.astype(float)
    for side, result in enumerate((influence.of_positives, influence.of_negatives)):
        for place in np.flatnonzero(class_counts[side]):
            ends = []
            for step in (1e-4, -1e-4):
                moved = [class_counts[0].copy(), class_counts[1].copy()]
                moved[side][place] += step
                ends.append(integrated_area(*moved))
            assert result[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-7)

    assert influence.value == pytest.approx(integrated_area(*class_counts), rel=1e-9)


@pytest.mark.parametrize("area", [CurveArea.AVERAGE_PRECISION, CurveArea.INTERPOLATED_PR])
def test_influences_sum_to_zero(area: CurveArea) -> None:
    """Twice the same cases have the same area."""
    _, _, counts = draw_scores(8)
    influence = pr_area_influence(counts, area)

    assert influence.power_sum(counts, 1) == pytest.approx(0, abs=1e-15)


def test_degrees_of_freedom_are_those_of_a_variance_of_normal_numbers() -> None:
    """The kurtosis of normal numbers is 3, so that n squares have n degrees of freedom."""
    assert satterthwaite_df(100.0, 3 * 100.0, 100) == pytest.approx(100)
    # Two of 1000 cases have all the influence: 2 · (2a²)² / (2a⁴) = 4, nearly.
    assert satterthwaite_df(2.0, 2.0, 1000) == pytest.approx(4 / (1 - 0.002))


def test_the_interval_is_student_s_on_the_logit_scale() -> None:
    """expit(logit A ∓ t·SE/(A(1 − A))), worked out with SciPy."""
    low, high = influence_interval(0.9, 0.0004, 7.5, 0.95)
    logit, reach = math.log(9), t.ppf(0.975, 7.5) * 0.02 / 0.09

    assert low == pytest.approx(1 / (1 + math.exp(reach - logit)), rel=1e-12)
    assert high == pytest.approx(1 / (1 + math.exp(-reach - logit)), rel=1e-12)


@pytest.mark.parametrize(("positives", "negatives"), [(10, 90), (1, 5), (5, 1), (1, 1)])
def test_one_exchanged_pair_keeps_the_class_sizes(positives: int, negatives: int) -> None:
    """All positives but one are above all negatives but one."""
    counts = exchange_one_pair(positives, negatives)

    assert (counts.positives.sum(), counts.negatives.sum()) == (positives, negatives)
    value = pr_area_influence(counts, CurveArea.AVERAGE_PRECISION).value
    assert value == pytest.approx((positives - 1 + positives / (positives + 1)) / positives)


@pytest.mark.parametrize("area", [CurveArea.AVERAGE_PRECISION, CurveArea.INTERPOLATED_PR])
@pytest.mark.parametrize("decimals", [0, 8])
def test_powers_are_summed_block_by_block(
    area: CurveArea, decimals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In blocks of seven scores, the last of them smaller, as of all scores together."""
    monkeypatch.setattr("reportgen.statistics.parallel.BLOCK_LENGTH", 7)
    _, _, counts = draw_scores(decimals)
    influence = pr_area_influence(counts, area)

    summed = sum_influence_powers(
        counts.positives.cumsum(), counts.negatives.cumsum(), area, (1, 2, 4)
    )

    assert summed[0] == pytest.approx(0, abs=1e-12)
    for power, exponent in zip(summed[1:], (2, 4), strict=True):
        assert power == pytest.approx(influence.power_sum(counts, exponent), rel=1e-12)
