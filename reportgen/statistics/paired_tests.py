"""Tests on the same cases: McNemar, Cochran's Q, predictive values, likelihood ratios.

Ratios of sensitivities: Cheng and Macaluso (1997); of predictive values: Moskowitz and Pepe (2006).
Their limits are normal on the log scale, with the variance of the influences of the cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import ConfidenceInterval, clopper_pearson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class McNemarTest:
    """McNemar's test (McNemar 1947) in its exact, mid-p and chi-square forms.

    Without discordant pairs chi-square is None and the p-values are 1.
    """

    first_only: int
    second_only: int
    exact_p: float
    mid_p: float
    chi_square: float | None
    chi_square_p: float | None
    corrected_chi_square: float | None
    corrected_chi_square_p: float | None


@dataclass(frozen=True, slots=True)
class PValueRange:
    """The smallest and the largest p-value compatible with the marginal counts."""

    low: float
    high: float


# SciPy's binomial distribution ends at 2³¹ trials; beyond, the normal one agrees to seven digits.
MAX_BINOMIAL_TRIALS = 10**9


def mcnemar_test(first_only: int, second_only: int) -> McNemarTest:
    """Test whether the discordant pairs are split evenly between two classifiers.

    Args:
        first_only: Cases that only the first classifier predicts correctly.
        second_only: Cases that only the second classifier predicts correctly.
    """
    from scipy.special import chdtrc

    discordant = first_only + second_only
    chi_square = corrected = chi_square_p = corrected_p = None
    if discordant:
        gap = abs(first_only - second_only)
        chi_square, corrected = gap**2 / discordant, max(0, gap - 1) ** 2 / discordant
        chi_square_p, corrected_p = float(chdtrc(1, chi_square)), float(chdtrc(1, corrected))
    return McNemarTest(
        first_only,
        second_only,
        exact_p=mcnemar_exact_p(first_only, second_only),
        mid_p=mcnemar_mid_p(first_only, second_only),
        chi_square=chi_square,
        chi_square_p=chi_square_p,
        corrected_chi_square=corrected,
        corrected_chi_square_p=corrected_p,
    )


def mcnemar_exact_p(first_only: int, second_only: int) -> float:
    """Return the exact two-sided p-value: a binomial test with probability ½."""
    fewer, discordant = min(first_only, second_only), first_only + second_only
    return min(1.0, 2 * _binomial_half_cdf(fewer, discordant))


def mcnemar_mid_p(first_only: int, second_only: int) -> float:
    """Return the mid-p value (Fagerland, Lydersen and Laake 2013)."""
    fewer, discordant = min(first_only, second_only), first_only + second_only
    return min(
        1.0, _binomial_half_cdf(fewer, discordant) + _binomial_half_cdf(fewer - 1, discordant)
    )


def mcnemar_p_value_range(
    first_correct: Sequence[int], second_correct: Sequence[int], cases: Sequence[int]
) -> PValueRange:
    """Return the bounds of the exact p-value given the numbers of correct predictions per class."""
    classes = list(zip(first_correct, second_correct, cases, strict=True))
    if any(not 0 <= min(one, other) <= max(one, other) <= size for one, other, size in classes):
        raise ValueError("right answers must be between 0 and the number of cases")
    gap = sum(first_correct) - sum(second_correct)
    fewest = sum(max(0, other - one) for one, other, _ in classes)
    most = sum(min(other, size - one) for one, other, size in classes)
    # A further case for each side leaves the gap and never lowers the p-value, since
    # P(X ≤ k + 1 of d + 2) − P(X ≤ k of d) = (P(X = k + 1) − P(X = k)) / 4 ≥ 0 below the middle.
    return PValueRange(mcnemar_exact_p(fewest + gap, fewest), mcnemar_exact_p(most + gap, most))


def _binomial_half_cdf(successes: int, trials: int) -> float:
    """Return the cumulative distribution function of Binomial(n, ½)."""
    from scipy.special import bdtr, ndtr

    if successes < 0:
        return 0.0
    if trials > MAX_BINOMIAL_TRIALS:
        return float(ndtr((2 * successes + 1 - trials) / math.sqrt(trials)))
    return float(bdtr(successes, trials, 0.5))


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """A 2×2 agreement table: both, only one, or neither of two classifiers predict the class."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def first(self) -> int:
        """The number of cases for which the first predicts the class."""
        return self.both + self.first_only

    @property
    def second(self) -> int:
        """The number of cases for which the second predicts the class."""
        return self.both + self.second_only

    @property
    def total(self) -> int:
        """The number of cases."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def complement(self) -> AgreementTable:
        """The same table with both predictions negated."""
        return AgreementTable(self.neither, self.second_only, self.first_only, self.both)

    def __add__(self, other: AgreementTable) -> AgreementTable:
        """Return the table of two disjoint sets of cases together."""
        return AgreementTable(
            self.both + other.both,
            self.first_only + other.first_only,
            self.second_only + other.second_only,
            self.neither + other.neither,
        )


@dataclass(frozen=True, slots=True)
class PairedContingencyTable:
    """The agreement tables of two classifiers on positives and on negatives: eight counts."""

    positives: AgreementTable
    negatives: AgreementTable

    @property
    def cells(self) -> tuple[int, ...]:
        """The counts of positives, then of negatives: both, only the first or second, neither."""
        return tuple(
            count
            for side in (self.positives, self.negatives)
            for count in (side.both, side.first_only, side.second_only, side.neither)
        )

    @property
    def swapped_classes(self) -> PairedContingencyTable:
        """The same table with positives and negatives exchanged: its PPV is the NPV of this one."""
        return PairedContingencyTable(self.negatives.complement, self.positives.complement)

    @property
    def negated_predictions(self) -> PairedContingencyTable:
        """The same cases with negated predictions: LR+ there is LR− here."""
        return PairedContingencyTable(self.positives.complement, self.negatives.complement)


@dataclass(frozen=True, slots=True)
class CochranQ:
    """Cochran's Q with its degrees of freedom; Q is None if all are correct on the same cases."""

    statistic: float | None
    df: int
    p: float | None


def cochran_q(correct_by_classifier: npt.ArrayLike, sum_of_squared_row_totals: float) -> CochranQ:
    """Test whether several classifiers have the same accuracy on the same cases (Cochran 1950).

    Args:
        correct_by_classifier: The number of correct predictions of each classifier.
        sum_of_squared_row_totals: The sum over cases of the squared number of correct classifiers.
    """
    from scipy.special import chdtrc

    correct = np.asarray(correct_by_classifier, dtype=np.float64)
    classifiers = correct.size
    total = float(correct.sum())
    df = classifiers - 1
    spread = classifiers * total - sum_of_squared_row_totals
    if spread <= 0:
        return CochranQ(None, df, None)
    statistic = df * (classifiers * float(correct @ correct) - total**2) / spread
    return CochranQ(statistic, df, float(chdtrc(df, statistic)))


@dataclass(frozen=True, slots=True)
class PredictiveValueTest:
    """Two predictive values and the chi-square (one degree of freedom) of their difference.

    A value is None where a classifier never predicts the class; the statistic is None where a
    value is, or where both predict it for the same cases.
    """

    first: float | None
    second: float | None
    statistic: float | None
    p: float | None


def ppv_score_test(table: PairedContingencyTable) -> PredictiveValueTest:
    """Test PPVs by the generalized score statistic (Leisenring, Alonzo and Pepe 2000)."""
    return _predictive_value_test(table, _generalized_score(table))


def npv_score_test(table: PairedContingencyTable) -> PredictiveValueTest:
    """Test NPVs by the generalized score statistic."""
    return ppv_score_test(table.swapped_classes)


def _predictive_value_test(
    table: PairedContingencyTable, statistic: float | None
) -> PredictiveValueTest:
    from scipy.special import chdtrc

    correct, wrong = table.positives, table.negatives
    return PredictiveValueTest(
        _predictive_value(correct.first, wrong.first),
        _predictive_value(correct.second, wrong.second),
        statistic,
        None if statistic is None else float(chdtrc(1, statistic)),
    )


def _predictive_value(correct: int, incorrect: int) -> float | None:
    return correct / (correct + incorrect) if correct + incorrect else None


def _generalized_score(table: PairedContingencyTable) -> float | None:
    """Return the score statistic of the classifier effect in a marginal logistic model."""
    correct, wrong = table.positives, table.negatives
    by_first, by_second = correct.first + wrong.first, correct.second + wrong.second
    if not by_first or not by_second:
        return None
    share_of_second = by_second / (by_first + by_second)
    share_right = (correct.first + correct.second) / (by_first + by_second)
    # A case says as much as its yes answers do, each measured from the mean of all of them.
    weights = np.array([1 - 2 * share_of_second, -share_of_second, 1 - share_of_second])
    predictions = [
        np.array([answers.both, answers.first_only, answers.second_only])
        for answers in (correct, wrong)
    ]
    residuals = (1 - share_right, -share_right)
    score = sum(
        float(counts @ weights) * residual
        for counts, residual in zip(predictions, residuals, strict=True)
    )
    variance = sum(
        float(counts @ weights**2) * residual**2
        for counts, residual in zip(predictions, residuals, strict=True)
    )
    return score**2 / variance if variance > 0 else None


@dataclass(frozen=True, slots=True)
class LikelihoodRatioTest:
    """The ratio of two likelihood ratios, first to second, and the test of its being 1.

    `statistic` is the logarithm of the ratio over its standard error; None if both agree.
    """

    ratio: float
    standard_error: float
    interval: ConfidenceInterval
    statistic: float | None
    p: float | None


def compare_lr_positive(table: PairedContingencyTable, level: float) -> LikelihoodRatioTest | None:
    """Compare positive likelihood ratios (Gu and Pepe 2009); None where one of four rates is 0."""
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
    variance = _log_ratio_variance(table.positives) + _log_ratio_variance(table.negatives)
    return _likelihood_ratio_test(ratio, math.sqrt(variance), level)


def compare_lr_negative(table: PairedContingencyTable, level: float) -> LikelihoodRatioTest | None:
    """Compare negative likelihood ratios; None where one of four rates is 0."""
    return compare_lr_positive(table.negated_predictions, level)


def _log_ratio_variance(agreement: AgreementTable) -> float:
    """Return the robust variance of the log ratio of two paired rates."""
    one, other = 1 / agreement.first, 1 / agreement.second
    return (
        agreement.both * (one - other) ** 2
        + agreement.first_only * one**2
        + agreement.second_only * other**2
    )


def _likelihood_ratio_test(
    ratio: float, standard_error: float, level: float
) -> LikelihoodRatioTest:
    from scipy.special import ndtr

    log_ratio = math.log(ratio)
    half = critical_z(level) * standard_error
    statistic = log_ratio / standard_error if standard_error > 0 else None
    return LikelihoodRatioTest(
        ratio,
        standard_error,
        ConfidenceInterval(math.exp(log_ratio - half), math.exp(log_ratio + half)),
        statistic,
        None if statistic is None else float(2 * ndtr(-abs(statistic))),
    )


# Ratios.


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """A ratio, first over second, with confidence limits; an infinite one is `math.inf`."""

    ratio: float
    interval: ConfidenceInterval


def paired_proportion_ratio(table: AgreementTable, level: float) -> RatioEstimate | None:
    """Return the ratio of two paired proportions; None where one of them is 0."""
    if not (table.first and table.second):
        return None
    discordant = table.first_only + table.second_only
    variance = discordant / (table.first * table.second)
    return _on_log_scale(table.first / table.second, variance, level)


def predictive_value_ratio(table: PairedContingencyTable, level: float) -> RatioEstimate | None:
    """Return the ratio of two positive predictive values; None where one is 0 or undefined."""
    positives, negatives = table.positives, table.negatives
    if not (positives.first and positives.second):
        return None
    first_size, second_size = (
        positives.first + negatives.first,
        positives.second + negatives.second,
    )
    first, second = positives.first / first_size, positives.second / second_size
    variance = 0.0
    for side, truth in ((positives, 1.0), (negatives, 0.0)):
        by_first = (truth - first) / (first * first_size)
        by_second = (truth - second) / (second * second_size)
        variance += side.both * (by_first - by_second) ** 2
        variance += side.first_only * by_first**2 + side.second_only * by_second**2
    return _on_log_scale(first / second, variance, level)


def mcnemar_odds_ratio(first_only: int, second_only: int, level: float) -> RatioEstimate | None:
    """Return the odds ratio of discordant pairs with exact limits; None without any."""
    discordant = first_only + second_only
    if not discordant:
        return None
    limits = clopper_pearson_interval(first_only, discordant, level)
    return RatioEstimate(
        _odds(first_only / discordant), ConfidenceInterval(_odds(limits.low), _odds(limits.high))
    )


def _odds(proportion: float) -> float:
    return math.inf if proportion >= 1 else proportion / (1 - proportion)


def _on_log_scale(ratio: float, variance: float, level: float) -> RatioEstimate:
    reach = math.exp(critical_z(level) * math.sqrt(variance))
    return RatioEstimate(ratio, ConfidenceInterval(ratio / reach, ratio * reach))
