"""Tests of two predictive values on the same cases, where each has another denominator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.statistics.paired_table import PairedTable


@frozen
class PredictiveValueTest:
    """Two predictive values and the chi-square (1 degree of freedom) of their difference.

    A value is None where a classifier never gave the answer, the statistic where one is, or where
    the two give it to the same cases.
    """

    first: float | None
    second: float | None
    statistic: float | None
    p: float | None


def score_test_of_ppv(table: PairedTable) -> PredictiveValueTest:
    """Test positive predictive values by the generalised score (Leisenring, Alonzo, Pepe 2000)."""
    return _tested(table, _score(table))


def score_test_of_npv(table: PairedTable) -> PredictiveValueTest:
    """Test negative predictive values by the generalised score."""
    return score_test_of_ppv(table.turned)


def _tested(table: PairedTable, statistic: float | None) -> PredictiveValueTest:
    from scipy.special import chdtrc

    right, wrong = table.positives, table.negatives
    return PredictiveValueTest(
        _share(right.first, wrong.first),
        _share(right.second, wrong.second),
        statistic,
        None if statistic is None else float(chdtrc(1, statistic)),
    )


def _share(right: int, wrong: int) -> float | None:
    return right / (right + wrong) if right + wrong else None


def _score(table: PairedTable) -> float | None:
    """Score the slope of a logistic model of the truth of yes answers, by who gave them."""
    right, wrong = table.positives, table.negatives
    by_first, by_second = right.first + wrong.first, right.second + wrong.second
    if not by_first or not by_second:
        return None
    share_of_second = by_second / (by_first + by_second)
    share_right = (right.first + right.second) / (by_first + by_second)
    # A case says as much as its yes answers do, each measured from the mean of all of them.
    weights = np.array([1 - 2 * share_of_second, -share_of_second, 1 - share_of_second])
    said = [
        np.array([answers.both, answers.first_only, answers.second_only])
        for answers in (right, wrong)
    ]
    residuals = (1 - share_right, -share_right)
    score = sum(
        float(counts @ weights) * residual for counts, residual in zip(said, residuals, strict=True)
    )
    variance = sum(
        float(counts @ weights**2) * residual**2
        for counts, residual in zip(said, residuals, strict=True)
    )
    return score**2 / variance if variance > 0 else None
