"""Ratios of paired proportions and predictive values, odds ratios, and tests against a baseline."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import binom, binomtest
from statsmodels.stats.inter_rater import cohens_kappa

from reportgen.statistics.chance import exceeds_rate_p_value, kappa_null_test
from reportgen.statistics.paired_tests import (
    AgreementTable,
    PairedContingencyTable,
    RatioEstimate,
    mcnemar_odds_ratio,
    paired_proportion_ratio,
    predictive_value_ratio,
)

POSITIVES = AgreementTable(both=60, first_only=15, second_only=6, neither=19)
NEGATIVES = AgreementTable(both=20, first_only=10, second_only=18, neither=152)
TABLE = PairedContingencyTable(POSITIVES, NEGATIVES)


def by_log_regression(
    outcome: list[int], is_first: list[int], case: list[int]
) -> tuple[float, float, float]:
    """Return the ratio and its limits by a log-linear GEE with robust variance (statsmodels)."""
    design = sm.add_constant(np.array(is_first, dtype=float))
    model = sm.GEE(
        np.array(outcome), design, groups=np.array(case), family=sm.families.Poisson()
    ).fit(cov_type="robust")
    low, high = model.conf_int()[1]
    return math.exp(model.params[1]), math.exp(low), math.exp(high)


def numbers(estimate: RatioEstimate | None) -> tuple[float, float, float]:
    """Return ratio and limits."""
    assert estimate is not None
    return estimate.ratio, estimate.interval.low, estimate.interval.high


def cells(table: AgreementTable) -> list[tuple[int, int]]:
    """Return both predictions of every case."""
    counts = (table.both, table.first_only, table.second_only, table.neither)
    answers = ((1, 1), (1, 0), (0, 1), (0, 0))
    return [answer for answer, count in zip(answers, counts, strict=True) for _ in range(count)]


def test_a_ratio_of_sensitivities_is_that_of_log_regression() -> None:
    """A marginal model of who finds a positive, cases as clusters."""
    rows = [
        (result, 1 - at, case)
        for case, pair in enumerate(cells(POSITIVES))
        for at, result in enumerate(pair)
    ]
    expected = by_log_regression(*(list(column) for column in zip(*rows, strict=True)))

    assert numbers(paired_proportion_ratio(POSITIVES, 0.95)) == pytest.approx(expected, rel=1e-6)


def test_a_ratio_of_predictive_values_is_that_of_log_regression() -> None:
    """A marginal model of the truth of positive predictions, cases as clusters."""
    every = [(1, pair) for pair in cells(POSITIVES)] + [(0, pair) for pair in cells(NEGATIVES)]
    rows = [
        (truth, 1 - at, case)
        for case, (truth, pair) in enumerate(every)
        for at, predicted in enumerate(pair)
        if predicted
    ]
    expected = by_log_regression(*(list(column) for column in zip(*rows, strict=True)))

    assert numbers(predictive_value_ratio(TABLE, 0.95)) == pytest.approx(expected, rel=1e-6)


def test_the_ratio_of_negative_predictive_values_is_that_of_exchanged_classes() -> None:
    """NPV is the predictive value of the other class."""
    ratio_estimate = predictive_value_ratio(TABLE.swapped_classes, 0.95)
    first = 170 / (170 + 25)
    second = (152 + 10) / (162 + 34)

    assert ratio_estimate is not None
    assert ratio_estimate.ratio == pytest.approx(first / second)


def test_the_odds_ratio_has_exact_limits() -> None:
    """Those of the binomial proportion of discordant pairs (SciPy), as odds."""
    limits = binomtest(15, 21).proportion_ci(0.95, method="exact")
    expected = (15 / 6, limits.low / (1 - limits.low), limits.high / (1 - limits.high))

    assert numbers(mcnemar_odds_ratio(15, 6, 0.95)) == pytest.approx(expected)
    assert numbers(mcnemar_odds_ratio(3, 0, 0.95))[::2] == (math.inf, math.inf)
    assert mcnemar_odds_ratio(0, 0, 0.95) is None


def test_a_ratio_to_nothing_is_none() -> None:
    """Nothing found, or nothing predicted."""
    assert paired_proportion_ratio(AgreementTable(0, 5, 0, 5), 0.95) is None
    none_right = PairedContingencyTable(AgreementTable(0, 0, 3, 5), NEGATIVES)
    assert predictive_value_ratio(none_right, 0.95) is None


@pytest.mark.parametrize(
    "matrix", [[[40, 10], [20, 130]], [[5, 1, 2], [3, 8, 1], [0, 2, 9]], [[3, 7], [8, 2]]]
)
def test_kappa_of_zero_is_tested_as_by_statsmodels(matrix: list[list[int]]) -> None:
    """Fleiss, Cohen and Everitt 1969."""
    expected = cohens_kappa(np.array(matrix))
    kappa_test = kappa_null_test(matrix)

    assert kappa_test is not None
    assert kappa_test.kappa == pytest.approx(expected.kappa)
    assert kappa_test.kappa / kappa_test.statistic == pytest.approx(expected.std_kappa0)
    assert kappa_test.statistic == pytest.approx(expected.z_value)
    assert kappa_test.p == pytest.approx(expected.pvalue_two_sided)


def test_kappa_is_not_tested_where_it_cannot_vary() -> None:
    """All of one class, or predicted so."""
    assert kappa_null_test([[5, 0], [0, 0]]) is None
    assert kappa_null_test([[5, 0], [3, 0]]) is None
    assert kappa_null_test([[0, 0], [0, 0]]) is None


def test_the_no_information_rate_is_tested_as_by_caret() -> None:
    """The example of caret's confusionMatrix: 285 of 344 correct, rate 0.75, p 0.0003097."""
    assert exceeds_rate_p_value(285, 344, 0.75) == pytest.approx(0.0003097, abs=5e-8)
    expected = binomtest(285, 344, 0.75, alternative="greater").pvalue
    assert exceeds_rate_p_value(285, 344, 0.75) == pytest.approx(expected)
    assert exceeds_rate_p_value(0, 10, 0.5) == 1.0
    # Down to the smallest positive floats, and to 0.
    for correct in (1000, 1500, 1700, 1750, 1900, 2000):
        expected = binom.sf(correct - 1, 2000, 0.5)
        assert exceeds_rate_p_value(correct, 2000, 0.5) == pytest.approx(expected, rel=1e-9, abs=0)
