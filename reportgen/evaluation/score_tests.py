"""Primary tests of measures of scores, probabilities and numeric predictions, pair by pair.

Areas under ROC curves are compared by DeLong's test, areas under precision-recall curves by the
influence of each case, means over cases by the paired t-test, calibration errors by the influence
of each case with the bias of the bins removed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.ranking import MIN_CASES_DELONG
from reportgen.evaluation.comparison import Comparison
from reportgen.evaluation.confidence.operating_points import repetition_weight
from reportgen.evaluation.confidence.scores import NEWCOMBE, calibration_bin_statistics
from reportgen.evaluation.pairwise_tests import mover_difference_interval
from reportgen.measures import Orientation, get_measure
from reportgen.statistics.calibration import CalibrationGaps, debiased_ece_difference
from reportgen.statistics.distributions import critical_z, satterthwaite_df
from reportgen.statistics.max_t import two_sided_p
from reportgen.statistics.paired_tests import mcnemar_exact_p
from reportgen.statistics.t_tests import estimate_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.values import MeasureValue
    from reportgen.statistics import FloatArray

    Values = Mapping[tuple[str, str | None, str | None, str], MeasureValue]

MEASURE_BY_LOSS = {
    "probability_errors": "brier",
    "log_losses": "log_loss",
    "rank_probability_errors": "ranked_probability_score",
    "information": "information_score",
    "squared_errors": "rmse",
    "absolute_errors": "mae",
}
LOSS_BY_MEASURE = {measure: loss for loss, measure in MEASURE_BY_LOSS.items()} | {
    "r2": "squared_errors",
    "relative_information_score": "information",
}
DELONG_UNPAIRED = "delong, unpaired"
NOT_JOINED = "the scores were not joined by case; on the same cases the test is conservative"
BOOTSTRAP_Z_TEST = "paired bootstrap of cases"
FISHER_Z_TEST = "fisher z (influence function)"
PERFECT_CORRELATION = "not tested: a correlation is 1 or −1"
PR_AREAS = ("average_precision", "pr_auc")
INFLUENCE_MEASURES = ("pearson", "ece")
ECE_TEST = "influence function z (debiased)"
ECE_DEBIASED = (
    "the sampling bias of both errors is removed where that makes the difference smaller; the"
    " limits are those of the debiased difference"
)
TOO_FEW_FOR_ECE = f"fewer than {MIN_CASES_DELONG} hits or misses say too little of how gaps vary"
NO_VARIATION = "both give every case the same"
INFINITE_LOSS = "infinite for a classifier that gave a true class probability 0"
INFINITE_LOSS_TEST = "mcnemar exact (infinite losses)"
INFINITE_LOSS_TESTED = (
    "infinite for a classifier that gave a true class probability 0; tested on the number of such"
    " cases"
)
TOO_FEW_FOR_DELONG = (
    f"fewer than {MIN_CASES_DELONG} cases of a class say too little of how areas vary"
)
TESTED_ON_SQUARED_ERRORS = (
    "tested on squared errors; the limits are theirs, divided by the sum of both RMSE"
)


AREA_AVERAGES: tuple[str | None, ...] = (None, "macro", "weighted")
INFLUENCE_TEST = "influence function t"


def run_score_tests(
    aggregates: Aggregates, values: Values, pairs: Sequence[tuple[str, str]], level: float
) -> tuple[Comparison, ...]:
    """Test every pair whose scores, probabilities or numbers were joined case by case."""
    return tuple(
        row
        for pair in pairs
        for tests in (
            _auc_tests(aggregates, values, pair, level),
            _pr_area_tests(aggregates, values, pair, level),
            _operating_point_tests(aggregates, pair, level),
            _loss_tests(aggregates, pair, level),
            _calibration_error_test(aggregates, values, pair, level),
            _pearson_test(aggregates, values, pair),
        )
        for row in tests
    )


def difference_variances(
    aggregates: Aggregates,
    pairs: Sequence[tuple[str, str]],
    measure: str,
    class_: str | None,
    average: str | None,
) -> dict[tuple[str, str], float]:
    """Return the variance of the difference for every two classifiers of the pairs, where known.

    Variances of losses are in the unit of the loss, which is all that correlations need.
    """
    variances = _independent_variances(aggregates, pairs, measure, class_, average)
    if aggregates.design is None:
        return variances
    return {
        (first, second): variance
        / aggregates.case_weight(first, measure, class_, average, other=second)
        for (first, second), variance in variances.items()
    }


def _independent_variances(
    aggregates: Aggregates,
    pairs: Sequence[tuple[str, str]],
    measure: str,
    class_: str | None,
    average: str | None,
) -> dict[tuple[str, str], float]:
    """Return the variances of differences as if all cases were independent."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    all_pairs = list(combinations(names, 2))
    if measure == "roc_auc" and aggregates.auc_covariances is not None:
        covariances = aggregates.auc_covariances.covariances(names, class_, average)
        return {} if covariances is None else _variances_of_differences(names, covariances)
    if measure in PR_AREAS:
        moments = {
            pair: _pr_moments(aggregates, measure, pair, class_, average) for pair in all_pairs
        }
        return {
            pair: pair_moments[0]
            for pair, pair_moments in moments.items()
            if pair_moments is not None
        }
    points = aggregates.operating_points
    if points is not None and measure in points.covariances.frame["measure"]:
        covariances = points.covariances.covariances(names, measure)
        return {} if covariances is None else _variances_of_differences(names, covariances)
    if measure in INFLUENCE_MEASURES and aggregates.influence_covariances is not None:
        covariances = aggregates.influence_covariances.covariances(names, measure)
        return {} if covariances is None else _variances_of_differences(names, covariances)
    if aggregates.paired_losses is None:
        return {}
    loss = LOSS_BY_MEASURE.get(measure)
    frame = aggregates.paired_losses.frame.filter(pl.col("loss") == loss)
    columns = ("first", "second", "cases", "differences", "differences_squared")
    return {
        (first, second): squares - total * total / cases
        for first, second, cases, total, squares in frame.select(columns).rows()
    }


def _variances_of_differences(
    names: Sequence[str], covariances: FloatArray
) -> dict[tuple[str, str], float]:
    spread = np.diag(covariances)
    square = spread[:, None] + spread[None, :] - 2 * covariances
    return {
        (names[i], names[j]): float(square[i, j]) for i, j in combinations(range(len(names)), 2)
    }


def _both_values(
    values: Values, pair: tuple[str, str], measure: str, class_: str | None, average: str | None
) -> tuple[float, float] | None:
    """Return the two values of a pair; None unless both are numbers."""
    first, second = (values.get((name, class_, average, measure)) for name in pair)
    if first is None or second is None or first.value is None or second.value is None:
        return None
    return first.value, second.value


def _auc_tests(
    aggregates: Aggregates, values: Values, pair: tuple[str, str], level: float
) -> Iterator[Comparison]:
    """Yield DeLong's test of the positive class, or of every class and of their averages.

    Where the scores of a case were not joined, the areas are compared as those of independent
    samples, next to the primary tests: on the same cases that is conservative.
    """
    if aggregates.auc_covariances is None or aggregates.ranking is None:
        return
    for class_, average in _area_keys(aggregates):
        areas = _both_values(values, pair, "roc_auc", class_, average)
        covariances = aggregates.auc_covariances.covariances(pair, class_, average)
        if areas is None:
            continue
        if covariances is None:
            yield from _unpaired_auc_test(aggregates, pair, (class_, average), areas, level)
            continue
        variance = float(covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1])
        row = Comparison(
            first=pair[0],
            second=pair[1],
            measure="roc_auc",
            class_=class_,
            average=average,
            test=f"delong{aggregates.method_suffix}",
            data="paired",
            difference=areas[0] - areas[1],
            primary_test=True,
        )
        too_few_cases = aggregates.too_few_for_delong(pair[0], class_)
        weight = aggregates.case_weight(pair[0], "roc_auc", class_, average, other=pair[1])
        tested = _delong_test(row, variance / weight, level, too_few_cases=too_few_cases)
        yield _with_newcombe_limits(tested, values, covariances)


def _with_newcombe_limits(row: Comparison, values: Values, covariances: FloatArray) -> Comparison:
    """Return the comparison with the MOVER interval where an area has Newcombe's interval.

    Where few cases are misranked DeLong's interval of the difference is symmetric and too narrow
    on the side of the lower area, as it is for a single area.
    """
    first, second = (
        values[name, row.class_, row.average, row.measure] for name in (row.first, row.second)
    )
    if row.low is None or not any(
        (one.method or "").startswith(NEWCOMBE) for one in (first, second)
    ):
        return row
    spread = math.sqrt(float(covariances[0, 0] * covariances[1, 1]))
    limits = mover_difference_interval(
        first, second, float(covariances[0, 1]) / spread if spread > 0 else 0.0
    )
    return row if limits is None else replace(row, low=limits.low, high=limits.high)


def _unpaired_auc_test(
    aggregates: Aggregates,
    pair: tuple[str, str],
    class_and_average: tuple[str | None, str | None],
    areas: tuple[float, float],
    level: float,
) -> Iterator[Comparison]:
    """Yield DeLong's test of two areas as those of independent samples."""
    if aggregates.auc_covariances is None:
        return
    class_, average = class_and_average
    variance = 0.0
    for name in pair:
        own = aggregates.auc_covariances.covariances([name], class_, average)
        if own is None:
            return
        variance += float(own[0, 0]) / aggregates.case_weight(name, "roc_auc", class_, average)
    row = Comparison(
        first=pair[0],
        second=pair[1],
        measure="roc_auc",
        class_=class_,
        average=average,
        test=DELONG_UNPAIRED,
        data="unpaired",
        difference=areas[0] - areas[1],
        note=NOT_JOINED,
    )
    too_few_cases = any(aggregates.too_few_for_delong(name, class_) for name in pair)
    yield _delong_test(row, variance, level, too_few_cases=too_few_cases)


def _area_keys(aggregates: Aggregates) -> Iterator[tuple[str | None, str | None]]:
    """Yield class and average of the areas: of the positive class, or of all and each.

    Areas of the labels of a multilabel task are tested with the label; here is their mean.
    """
    if aggregates.label_sets is not None:
        yield None, "macro"
        return
    yield None, None
    if aggregates.ranking is not None and not aggregates.ranking.multiclass.is_empty():
        yield from ((class_, None) for class_ in aggregates.classes)
        yield from ((None, average) for average in AREA_AVERAGES if average is not None)


def _pr_moments(
    aggregates: Aggregates,
    measure: str,
    pair: tuple[str, str],
    class_: str | None,
    average: str | None,
) -> tuple[float, float] | None:
    """Return the variance of a difference of PR areas, and the sum of fourth powers."""
    covariances = aggregates.pr_covariances
    if covariances is None:
        return None
    first, second = pair
    own, other, common = (
        covariances.covariance(measure, names, class_, average)
        for names in ((first, first), (second, second), (first, second))
    )
    if own is None or other is None or common is None:
        return None
    return own[0] + other[0] - 2 * common[0], common[1]


def _pr_area_tests(
    aggregates: Aggregates, values: Values, pair: tuple[str, str], level: float
) -> Iterator[Comparison]:
    """Yield the t-test of the influences on average precision and on the PR area."""
    if aggregates.pr_covariances is None or aggregates.ranking is None:
        return
    for measure in PR_AREAS:
        for class_, average in _area_keys(aggregates):
            areas = _both_values(values, pair, measure, class_, average)
            moments = _pr_moments(aggregates, measure, pair, class_, average)
            if areas is None or moments is None:
                continue
            row = Comparison(
                first=pair[0],
                second=pair[1],
                measure=measure,
                class_=class_,
                average=average,
                test=f"{INFLUENCE_TEST}{aggregates.method_suffix}",
                data="paired",
                difference=areas[0] - areas[1],
                primary_test=True,
            )
            if aggregates.too_few_for_delong(pair[0], class_):
                yield replace(row, note=TOO_FEW_FOR_DELONG)
                continue
            yield _influence_test(aggregates, row, moments, level)


def _influence_test(
    aggregates: Aggregates, row: Comparison, moments: tuple[float, float], level: float
) -> Comparison:
    from scipy.special import stdtr, stdtrit

    variance, quartic = moments
    difference = row.difference or 0.0
    if variance <= np.finfo(np.float64).eps ** 2:
        if difference == 0:
            return replace(row, p=1.0, note=NO_VARIATION)
        return replace(row, note="neither area varies")
    weight = aggregates.case_weight(
        row.first, row.measure, row.class_, row.average, other=row.second
    )
    cases = float(aggregates.score_case_count or aggregates.case_count or 0)
    df = weight * satterthwaite_df(variance * (cases - 1) / cases, quartic, cases)
    error = math.sqrt(variance / weight)
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    return replace(
        row,
        low=difference - reach,
        high=difference + reach,
        statistic=difference / error,
        df=df if math.isfinite(df) else None,
        p=2 * float(stdtr(df, -abs(difference) / error)),
    )


def _operating_point_tests(
    aggregates: Aggregates, pair: tuple[str, str], level: float
) -> Iterator[Comparison]:
    """Yield the test of every measure at an operating point: normal, with bootstrap covariances."""
    statistics = aggregates.operating_points
    if statistics is None:
        return
    covariance_rows = statistics.covariances.frame
    for name in covariance_rows.get_column("measure").unique(maintain_order=True):
        covariances = statistics.covariances.covariances(pair, name)
        values = statistics.values(get_measure(name))
        if covariances is None or not all(side in values for side in pair):
            continue
        variance = float(covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1])
        row = Comparison(
            first=pair[0],
            second=pair[1],
            measure=name,
            test=f"{BOOTSTRAP_Z_TEST}{aggregates.method_suffix}",
            data="paired",
            difference=values[pair[0]] - values[pair[1]],
            primary_test=True,
        )
        too_few_cases = aggregates.too_few_for_delong(pair[0])
        weight = repetition_weight(aggregates, pair[0])
        yield _delong_test(row, variance / weight, level, too_few_cases=too_few_cases)


def _delong_test(
    comparison: Comparison, variance: float, level: float, *, too_few_cases: bool
) -> Comparison:
    """Return the tested difference, or the reason why it was not tested."""
    from scipy.special import ndtr

    difference = comparison.difference or 0.0
    # What is left of equal areas' variances are rounding errors.
    if variance <= np.finfo(np.float64).eps ** 2:
        if difference == 0:
            return replace(comparison, p=1.0, note=NO_VARIATION)
        return replace(comparison, note="neither area varies")
    if too_few_cases:
        return replace(comparison, note=TOO_FEW_FOR_DELONG)
    error = math.sqrt(variance)
    reach = critical_z(level) * error
    return replace(
        comparison,
        low=difference - reach,
        high=difference + reach,
        statistic=difference / error,
        p=2 * float(ndtr(-abs(difference / error))),
    )


def _pearson_test(
    aggregates: Aggregates, values: Values, pair: tuple[str, str]
) -> Iterator[Comparison]:
    """Yield the test of two dependent correlations on the scale of Fisher's z (delta method)."""
    influences = aggregates.influence_covariances
    correlations = _both_values(values, pair, "pearson", None, None)
    covariances = None if influences is None else influences.covariances(pair, "pearson")
    if covariances is None or correlations is None:
        return
    first, second = correlations
    row = Comparison(
        first=pair[0],
        second=pair[1],
        measure="pearson",
        test=f"{FISHER_Z_TEST}{aggregates.method_suffix}",
        data="paired",
        difference=first - second,
        primary_test=True,
    )
    unexplained_shares = np.array([1 - first**2, 1 - second**2])
    if np.any(unexplained_shares <= np.finfo(np.float64).eps):
        yield replace(row, note=PERFECT_CORRELATION)
        return
    on_scale = covariances / np.outer(unexplained_shares, unexplained_shares)
    variance = float(on_scale[0, 0] + on_scale[1, 1] - 2 * on_scale[0, 1])
    if variance <= np.finfo(np.float64).eps ** 2:
        yield replace(row, p=1.0, note=NO_VARIATION)
        return
    weight = aggregates.case_weight(pair[0], "pearson", other=pair[1])
    score = (math.atanh(first) - math.atanh(second)) / math.sqrt(variance / weight)
    spread = math.sqrt(float(covariances[0, 0] * covariances[1, 1]))
    common = min(1.0, max(-1.0, float(covariances[0, 1]) / spread)) if spread > 0 else 0.0
    one, other = (values[name, None, None, "pearson"] for name in pair)
    limits = mover_difference_interval(one, other, common)
    yield replace(
        row,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        statistic=score,
        p=float(two_sided_p(np.array([score]))[0]),
    )


def _calibration_error_test(
    aggregates: Aggregates, values: Values, pair: tuple[str, str], level: float
) -> Iterator[Comparison]:
    """Yield the z-test of two expected calibration errors, with bins that stay fixed.

    Noise enlarges a sum of absolute gaps, and more so with more bins, so that two calibrated
    classifiers differ by it: the difference of the biases is removed. The variance is that of gaps
    of known sign, which is too large for small gaps: the test is conservative for calibrated
    classifiers.
    """
    covariances, bins = aggregates.influence_covariances, aggregates.calibration
    errors = _both_values(values, pair, "ece", None, None)
    matrix = None if covariances is None else covariances.covariances(pair, "ece")
    if matrix is None or errors is None or bins is None:
        return
    row = Comparison(
        first=pair[0],
        second=pair[1],
        measure="ece",
        test=f"{ECE_TEST}{aggregates.method_suffix}",
        data="paired",
        difference=errors[0] - errors[1],
        primary_test=True,
    )
    variance = float(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1])
    if variance <= np.finfo(np.float64).eps ** 2:
        yield replace(row, p=1.0, note=NO_VARIATION) if errors[0] == errors[1] else row
        return
    gaps = []
    for name in pair:
        statistics = calibration_bin_statistics(bins, name)
        if statistics is None:
            return
        weight = aggregates.case_weight(name, "ece")
        if min(float(side.count.sum()) for side in statistics) * weight < MIN_CASES_DELONG:
            yield replace(row, note=TOO_FEW_FOR_ECE)
            return
        gaps.append(CalibrationGaps.from_bins(*statistics, weight))
    debiased = debiased_ece_difference(*gaps)
    tested = _delong_test(
        replace(row, difference=debiased),
        variance / aggregates.case_weight(pair[0], "ece", other=pair[1]),
        level,
        too_few_cases=False,
    )
    low, high = tested.low, tested.high
    difference = errors[0] - errors[1]
    yield replace(
        tested,
        difference=difference,
        low=None if low is None else min(low, difference),
        high=None if high is None else max(high, difference),
        note=ECE_DEBIASED,
    )


def _loss_tests(
    aggregates: Aggregates, pair: tuple[str, str], level: float
) -> Iterator[Comparison]:
    """Yield the paired t-test of every measure that is a function of a mean over cases."""
    if aggregates.paired_losses is None:
        return
    frame = aggregates.paired_losses.frame
    in_order = frame.filter(pl.col("first") == pair[0], pl.col("second") == pair[1])
    reversed_order = frame.filter(pl.col("first") == pair[1], pl.col("second") == pair[0])
    sign = 1 if not in_order.is_empty() else -1
    rows = in_order if sign == 1 else reversed_order
    numbers = ("cases", "differences", "differences_squared", "first_infinite", "second_infinite")
    columns = ("loss", *numbers)
    for loss, cases, total, squares, *infinite in rows.select(columns).rows():
        sums = _LossSums(sign * total, squares, float(cases), *infinite[::sign])
        for measure, scale in _scales(aggregates, pair, loss).items():
            weight = aggregates.case_weight(pair[0], measure, other=pair[1])
            tested = _paired_t_test(pair, measure, sums, scale, (level, weight))
            yield replace(tested, test=f"{tested.test}{aggregates.method_suffix}")


@dataclass(frozen=True, slots=True)
class _LossSums:
    """The sum of case-wise differences, that of their squares, and the number of cases.

    `first_infinite` counts the cases with an infinite loss of the first classifier alone.
    """

    total: float
    squares: float
    cases: float
    first_infinite: int
    second_infinite: int


def _scales(aggregates: Aggregates, pair: tuple[str, str], loss: str) -> dict[str, float]:
    """Return by which factor a difference of mean losses becomes one of each measure."""
    scales = {MEASURE_BY_LOSS[loss]: 1.0}
    if loss == "squared_errors" and aggregates.regression is not None:
        rows = aggregates.regression.frame.filter(pl.col("fold").is_null())
        columns = ("classifier", "squared_errors", "cases", "true_spread")
        sums = {name: rest for name, *rest in rows.select(columns).rows()}
        roots = sum(math.sqrt(sums[name][0] / sums[name][1]) for name in pair)
        # √a − √b = (a − b) / (√a + √b)
        scales["rmse"] = 1 / roots if roots > 0 else 1.0
        _, cases, spread = sums[pair[0]]
        if spread > 0:
            scales["r2"] = -cases / spread
    if loss == "information" and aggregates.probability_losses is not None:
        frame = aggregates.probability_losses.frame.filter(pl.col("fold").is_null())
        entropies = frame.filter(pl.col("classifier") == pair[0])["prior_entropy"]
        if len(entropies) and entropies[0] > 0:
            scales["relative_information_score"] = 100 / entropies[0]
    return scales


def _paired_t_test(
    pair: tuple[str, str],
    measure: str,
    sums: _LossSums,
    scale: float,
    level_and_weight: tuple[float, float],
) -> Comparison:
    level, weight = level_and_weight
    mean = estimate_mean(sums.total, sums.squares, sums.cases, weight)
    difference = sums.total / sums.cases * scale if math.isfinite(sums.total) else None
    row = Comparison(
        first=pair[0],
        second=pair[1],
        measure=measure,
        test="paired t",
        data="paired",
        difference=difference,
        primary_test=True,
    )
    if difference is None:
        return _infinite_loss_test(row, sums, scale, is_repeated=weight < 1)
    if mean is None:
        return replace(row, p=1.0, note=NO_VARIATION) if sums.squares == 0 else row
    low, high = sorted(limit * scale for limit in mean.interval(level))
    return replace(
        row,
        low=low,
        high=high,
        statistic=math.copysign(1.0, scale) * mean.statistic,
        df=mean.df,
        p=mean.p,
        note=TESTED_ON_SQUARED_ERRORS if measure == "rmse" else None,
    )


def _infinite_loss_test(
    row: Comparison, sums: _LossSums, scale: float, *, is_repeated: bool
) -> Comparison:
    """Test an infinite mean by McNemar's exact test of the cases with an infinite loss.

    The classifier that gives fewer true classes probability 0 is the better one: a mean with fewer
    infinite losses stays below one with more, however large the finite ones are.
    """
    discordant = sums.first_infinite + sums.second_infinite
    if is_repeated or not discordant:
        return replace(row, note=INFINITE_LOSS)
    higher_is_better = get_measure(row.measure).orientation is Orientation.HIGHER
    worse = sums.first_infinite - sums.second_infinite
    sign = -1.0 if higher_is_better == (scale > 0) else 1.0
    return replace(
        row,
        test=INFINITE_LOSS_TEST,
        statistic=sign * worse / math.sqrt(discordant),
        p=mcnemar_exact_p(sums.first_infinite, sums.second_infinite),
        note=INFINITE_LOSS_TESTED,
    )
