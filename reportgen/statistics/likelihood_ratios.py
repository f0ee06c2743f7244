"""A test of two likelihood ratios on the same cases (Gu and Pepe 2009)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.statistics.proportions import Limits
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from reportgen.statistics.paired_table import Answers, PairedTable


@frozen
class LikelihoodRatioTest:
    """The ratio of two likelihood ratios, first to second, and the test of its being 1.

    `statistic` is the logarithm of the ratio by its standard error; None: both answer alike.
    """

    ratio: float
    standard_error: float
    limits: Limits
    statistic: float | None
    p: float | None


def compare_lr_positive(table: PairedTable, level: float) -> LikelihoodRatioTest | None:
    """Compare positive likelihood ratios; None where one of the four shares is 0."""
    yes_counts = (
        *(table.positives.first, table.positives.second),
        *(table.negatives.first, table.negatives.second),
    )
    if not all(yes_counts):
        return None
    # Of a regression of the truth on the answer only the counts of yes remain: the numbers of
    # positives and of negatives are the same for both classifiers, and so leave the ratio.
    tp_first, tp_second, fp_first, fp_second = yes_counts
    ratio = (tp_first / tp_second) * (fp_second / fp_first)
    variance = _variance(table.positives) + _variance(table.negatives)
    return _tested(ratio, math.sqrt(variance), level)


def compare_lr_negative(table: PairedTable, level: float) -> LikelihoodRatioTest | None:
    """Compare negative likelihood ratios; None where one of the four shares is 0."""
    return compare_lr_positive(table.answering_no, level)


def _variance(answers: Answers) -> float:
    """Return the robust variance of ln(yes of the first / yes of the second)."""
    one, other = 1 / answers.first, 1 / answers.second
    return (
        answers.both * (one - other) ** 2
        + answers.first_only * one**2
        + answers.second_only * other**2
    )


def _tested(ratio: float, standard_error: float, level: float) -> LikelihoodRatioTest:
    from scipy.special import ndtr

    log_ratio = math.log(ratio)
    half = normal_quantile(level) * standard_error
    statistic = log_ratio / standard_error if standard_error > 0 else None
    return LikelihoodRatioTest(
        ratio,
        standard_error,
        Limits(math.exp(log_ratio - half), math.exp(log_ratio + half)),
        statistic,
        None if statistic is None else float(2 * ndtr(-abs(statistic))),
    )
