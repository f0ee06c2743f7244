"""Intervals of scores at the ends of what they can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from reportgen.spec.inference import IntervalSettings
from tests.evaluation.confidence.test_score_intervals import of, tallied, values_with_intervals
from tests.scored_cases import binary_cases, several_classes

PAIRS = "clopper-pearson on min(n1, n0) pairs"


@pytest.mark.parametrize("area", [0, 1])
def test_an_area_of_0_or_1_has_the_exact_limits_of_its_separate_pairs(area: int) -> None:
    """3 positives and 5 negatives make 3 pairs without a common case; limits by SciPy."""
    truth = [1] * 3 + [0] * 5
    scores = [0.9 if label == area else 0.2 for label in truth]
    score = of("roc_auc", tallied(binary_cases(truth, {"A": scores})), IntervalSettings(level=0.9))
    expected = binomtest(3 * area, 3).proportion_ci(0.9, "exact")

    assert score.value == area
    assert (score.low, score.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert score.method == PAIRS


def test_repeated_cases_make_no_new_pairs() -> None:
    """8 rows of 4 cases: of the 4 separate pairs 2 are left, and 0.025 = a² at the limit."""
    truth = [1] * 4 + [0] * 4
    once = tallied(binary_cases(truth, {"A": [0.5 + label / 4 for label in truth]}))
    score = of("roc_auc", replace(once, distinct_cases=4))

    assert score.low == pytest.approx(0.025 ** (1 / 2))


def test_a_mean_of_areas_of_1_is_as_sure_as_its_smallest_class() -> None:
    """Classes of 4, 3 and 2 cases: the smallest has 2 pairs, the largest 4."""
    truth = [0] * 4 + [1] * 3 + [2] * 2
    result = values_with_intervals(
        tallied(several_classes(truth, {"A": np.eye(3)[truth] * 0.7 + 0.1})), None
    )
    pairs: dict[tuple[str | None, str | None], int] = {
        ("0", None): 4,
        ("1", None): 3,
        ("2", None): 2,
        (None, "macro"): 2,
        (None, "weighted"): 2,
        (None, None): 2,
    }

    for (class_, average), separate in pairs.items():
        score = result["A", class_, average, "roc_auc"]
        assert (score.low, score.high) == pytest.approx((0.025 ** (1 / separate), 1))
        assert score.method == PAIRS


def test_a_true_area_at_the_limit_is_seldom_found_perfect() -> None:
    """4 positives and 6 negatives: the limit of an area of 1 is 0.025^(1/4) = 0.398.

    If that is the true area, a sample may be perfect with a chance of at most 0.025.
    """
    random = np.random.default_rng(5)
    # Normal scores Φ⁻¹(a)·√2 apart have an area of a.
    shift = norm.ppf(0.025 ** (1 / 4)) * np.sqrt(2)
    positives = random.standard_normal((200_000, 4)) + shift
    negatives = random.standard_normal((200_000, 6))
    perfect = float((positives.min(axis=1) > negatives.max(axis=1)).mean())

    assert 0 < perfect <= 0.025


def test_scores_that_are_all_equal_have_no_interval_of_their_area() -> None:
    """Its ½ is what ties are counted as, and no estimate that could be off."""
    score = of("roc_auc", tallied(binary_cases([1, 1, 0, 0], {"A": [0.5] * 4})))

    assert (score.value, score.method) == (0.5, None)


def test_a_brier_score_of_two_classes_is_at_most_1() -> None:
    """Squared errors of 0.81, 0.64 and 0.25: t alone would end at 1.28."""
    predictions = tallied(binary_cases([1, 1, 0], {"A": [0.1, 0.2, 0.5]}))
    score = of("brier", predictions)

    assert score.value == pytest.approx(1.7 / 3)
    assert score.high == 1


def test_a_brier_score_summed_over_classes_is_at_most_2() -> None:
    """Squared errors of 2, 2 and 0.5: t alone would end at 3.65."""
    rows = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    result = values_with_intervals(tallied(several_classes([0, 1, 2], {"A": rows})), None)
    score = result["A", None, None, "brier"]

    assert score.value == pytest.approx(1.5)
    assert score.high == 2
