"""Confidence intervals of measures of counts: per class, overall, and averaged over classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.evaluation.confidence.delta_method import (
    BOUNDARY_TOLERANCE,
    ConfidenceIntervals,
    default_link,
    delta_intervals,
    is_degenerate,
)
from reportgen.evaluation.confidence.gradient import (
    COUNT_NAMES,
    MatrixGradient,
    SparseConfusionMatrix,
    gradient_of_average,
    gradient_overall,
    gradient_per_class,
    values_per_class,
)
from reportgen.measures.counts import JACCARD, SENSITIVITY
from reportgen.measures.formula import Constant, Difference, Formula, NamedFormula, Quotient
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.formula.quantities import CORRECT, FN, MATRIX_TOTAL, MEAN_RECALL, TP
from reportgen.measures.measure import (
    DeltaMethod,
    ProductOfProportions,
    Proportion,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.statistics.distributions import critical_t, critical_z
from reportgen.statistics.proportions import (
    clopper_pearson_intervals,
    mover_intervals,
    mover_log_intervals,
    mover_mean_intervals,
    wilson_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    import numpy.typing as npt

    from reportgen.measures import Average, Measure
    from reportgen.measures.measure import LinkFunction
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics import FloatArray


WILSON, CLOPPER_PEARSON = "wilson", "clopper-pearson"
CLASS_SIZE = TP + FN


@dataclass(frozen=True, slots=True)
class ProportionFormula:
    """A proportion: the formulas of its numerator and denominator."""

    numerator: Formula
    denominator: Formula

    def evaluate(
        self, quantities: Mapping[str, FloatArray], weight: FloatArray | float
    ) -> tuple[FloatArray, FloatArray]:
        """Return numerator and denominator, with the weight of each case."""
        return evaluate_formula(self.numerator, quantities) * weight, evaluate_formula(
            self.denominator, quantities
        ) * weight


def as_proportion(formula: Formula) -> ProportionFormula:
    """Return the proportion that a formula is: a quotient, or 1 minus one."""
    match formula:
        case NamedFormula(formula=inner):
            return as_proportion(inner)
        case Quotient(cases, among):
            return ProportionFormula(cases, among)
        case Difference(Constant(value=1), subtrahend):
            other = as_proportion(subtrahend)
            return ProportionFormula(
                Difference(other.denominator, other.numerator), other.denominator
            )
        case _:
            raise TypeError(f"{formula} is no share of cases")


def count_proportion(
    measure: Measure,
    matrix: npt.NDArray[np.int64],
    weight: float,
    positive: str | None,
    classes: Sequence[str],
) -> tuple[int, int] | None:
    """Return the numerator and denominator of a proportion as whole effective cases.

    They are of the positive class or, without one, of all cases; None if the measure has no value
    over all classes.
    """
    formula = measure.formula if positive is not None else measure.overall_formula
    if formula is None:
        return None
    sparse = SparseConfusionMatrix.from_dense(matrix.astype(np.float64))
    if positive is None:
        quantities = sparse.overall_counts
    else:
        at = classes.index(positive)
        quantities = {name: count[at] for name, count in sparse.class_counts.items()}
    numerator, denominator = as_proportion(formula).evaluate(quantities, weight)
    return round(float(numerator)), round(float(denominator))


def proportion_confint(
    successes: FloatArray, trials: FloatArray, settings: IntervalSettings
) -> ConfidenceIntervals:
    """Return intervals of proportions: Clopper-Pearson if the settings ask for it, else Wilson."""
    if settings.method == CLOPPER_PEARSON:
        return ConfidenceIntervals.from_method(
            *clopper_pearson_intervals(successes, trials, settings.level), CLOPPER_PEARSON
        )
    return ConfidenceIntervals.from_method(
        *wilson_intervals(successes, trials, settings.level), WILSON
    )


if TYPE_CHECKING:
    CountIntervalMethod: TypeAlias = (
        Proportion | SumOfProportions | ProductOfProportions | TransformedWilson | DeltaMethod
    )

PSEUDO_COUNT = 0.5
PSEUDO_COUNT_LABEL = "½ added"


def intervals_per_class(
    measure: Measure,
    interval_method: CountIntervalMethod,
    counts: Mapping[str, FloatArray],
    settings: IntervalSettings,
    weight: FloatArray,
) -> ConfidenceIntervals:
    """Return the intervals of a measure for vectors of TP, FN, FP and TN."""
    match interval_method:
        case Proportion():
            return proportion_confint(
                *as_proportion(measure.formula).evaluate(counts, weight), settings
            )
        case SumOfProportions():
            return _mover_per_class(measure, interval_method, counts, settings.level, weight)
        case ProductOfProportions():
            return _mover_log_per_class(interval_method, counts, settings.level, weight)
        case TransformedWilson():
            overlap = as_proportion(JACCARD.formula).evaluate(counts, weight)
            low, high = wilson_intervals(*overlap, settings.level)
            return ConfidenceIntervals.from_method(
                _f1_from_jaccard(low), _f1_from_jaccard(high), "wilson, transformed from jaccard"
            )
        case DeltaMethod(link=curve):
            weighted_counts = {name: counts[name] * weight for name in COUNT_NAMES}
            return _delta_per_class(measure, curve, weighted_counts, settings.level)
        case _:
            assert_never(interval_method)


def _mover_per_class(
    measure: Measure,
    interval_method: SumOfProportions,
    counts: Mapping[str, FloatArray],
    level: float,
    weight: FloatArray,
) -> ConfidenceIntervals:
    shares = [
        as_proportion(part.formula).evaluate(counts, weight) for part in interval_method.parts
    ]
    cases, among = (
        np.array([share[0] for share in shares]),
        np.array([share[1] for share in shares]),
    )
    with np.errstate(all="ignore"):
        estimates = cases / among
        factors = np.full(len(shares), interval_method.weight)
        low, high = mover_intervals(estimates, *wilson_intervals(cases, among, level), factors)
        # What the measure adds to the sum of its parts, such as the −1 of Youden's index.
        remainder = gradient_per_class(measure, counts)[0] - interval_method.weight * estimates.sum(
            axis=0
        )
    return ConfidenceIntervals.from_method(low + remainder, high + remainder, "mover")


def _mover_log_per_class(
    interval_method: ProductOfProportions,
    counts: Mapping[str, FloatArray],
    level: float,
    weight: FloatArray,
) -> ConfidenceIntervals:
    parts = [
        as_proportion(part.formula).evaluate(counts, weight) for part, _ in interval_method.factors
    ]
    successes, trials = np.array([part[0] for part in parts]), np.array([part[1] for part in parts])
    exponents = [exponent for _, exponent in interval_method.factors]
    return ConfidenceIntervals.from_method(
        *mover_log_intervals(successes, trials, exponents, level), "mover, log"
    )


def _f1_from_jaccard(jaccard: FloatArray) -> FloatArray:
    return 2 * jaccard / (1 + jaccard)


def _delta_per_class(
    measure: Measure, link: LinkFunction, counts: Mapping[str, FloatArray], level: float
) -> ConfidenceIntervals:
    """Return delta-method intervals, with ½ added to each count where that is needed."""
    quantile = critical_z(level)
    value, variance = _value_and_variance(measure, counts)
    intervals = delta_intervals(value, variance, link, quantile)
    is_degenerate_value = is_degenerate(value, variance, measure.range)
    if not is_degenerate_value.any():
        return intervals
    more = {name: count + PSEUDO_COUNT for name, count in counts.items()}
    shrunken = delta_intervals(*_value_and_variance(measure, more), link, quantile)
    name = f"{shrunken.method.flat[0]}, {PSEUDO_COUNT_LABEL}"
    return ConfidenceIntervals.from_method(shrunken.low, shrunken.high, name).where(
        is_degenerate_value, intervals
    )


def _value_and_variance(
    measure: Measure, counts: Mapping[str, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return values and their variance under multinomial sampling of the four counts."""
    value, by_count = gradient_per_class(measure, counts)
    count = np.array([counts[name] for name in COUNT_NAMES])
    slope = np.array([by_count[name] for name in COUNT_NAMES])
    with np.errstate(all="ignore"):
        centre = (count * slope).sum(axis=0) / count.sum(axis=0)
        return value, (count * (slope - centre) ** 2).sum(axis=0)


PSEUDO_CASES_LABEL = "2 pseudo-cases"
CASE_PER_CLASS_LABEL = "a case per class added"
TWO_CLASSES = 2
ACCURACY_PROPORTION = ProportionFormula(CORRECT, MATRIX_TOTAL)


@dataclass(frozen=True, slots=True)
class MatrixEstimate:
    """A confusion matrix, the weight of a case, and the gradient of a measure in its cells."""

    matrix: SparseConfusionMatrix
    weight: float
    gradient: Callable[[SparseConfusionMatrix], MatrixGradient]

    def value_and_variance(self) -> tuple[FloatArray, FloatArray]:
        """Return value and variance, from unweighted counts so that empty cells are recognised."""
        gradient = self.gradient(self.matrix)
        return np.asarray(gradient.value), np.asarray(gradient.variance(self.matrix) / self.weight)

    def degrees_of_freedom(self) -> float:
        """Return the degrees of freedom of the variance (Satterthwaite 1946)."""
        return self.gradient(self.matrix).degrees_of_freedom(self.matrix) * self.weight

    def with_pseudo_cases(self) -> MatrixEstimate:
        """Return the estimate with two pseudo-cases spread over the matrix."""
        return MatrixEstimate(
            self.matrix.scale(self.weight).with_pseudo_cases(), 1.0, self.gradient
        )

    def with_case_per_class(self) -> MatrixEstimate:
        """Return the estimate with a pseudo-case of every class."""
        return MatrixEstimate(
            self.matrix.scale(self.weight).with_case_per_class(), 1.0, self.gradient
        )


def interval_overall(
    measure: Measure, matrix: SparseConfusionMatrix, settings: IntervalSettings, weight: float
) -> ConfidenceIntervals:
    """Return the interval of a measure over all classes."""
    if measure.overall_formula is None:
        raise LookupError(measure.name)
    if isinstance(measure.interval, Proportion):
        at = matrix.overall_counts
        return proportion_confint(
            *as_proportion(measure.overall_formula).evaluate(at, weight), settings
        )
    if measure.overall_formula == MEAN_RECALL:
        return interval_of_average(SENSITIVITY, matrix, "macro", settings, weight)
    kind = measure.interval
    curve = kind.link if isinstance(kind, DeltaMethod) else default_link(measure.range)
    estimate = MatrixEstimate(matrix, weight, lambda at: gradient_overall(measure, at))
    return _delta_of_matrix(measure, curve, estimate, settings.level)


def interval_of_average(
    measure: Measure,
    matrix: SparseConfusionMatrix,
    average: Average,
    settings: IntervalSettings,
    weight: float,
) -> ConfidenceIntervals:
    """Return the interval of an average over the classes.

    Every micro average is a function of accuracy, and so is the average of sensitivities weighted
    by class size: the interval of accuracy is transformed.
    """
    share = as_proportion(measure.formula) if isinstance(measure.interval, Proportion) else None
    if average == "micro":
        return _transformed_accuracy_interval(measure, matrix, settings, weight)
    if share and share.denominator == CLASS_SIZE:
        if average == "weighted":
            return _transformed_accuracy_interval(measure, matrix, settings, weight)
        return _mover_of_macro_average(share, matrix, settings.level, weight)
    estimate = MatrixEstimate(matrix, weight, lambda at: gradient_of_average(measure, at, average))
    return _delta_of_average(measure, estimate, settings.level, average)


def _transformed_accuracy_interval(
    measure: Measure, matrix: SparseConfusionMatrix, settings: IntervalSettings, weight: float
) -> ConfidenceIntervals:
    """Transform the interval of accuracy into that of a micro average.

    Summed over K classes, a correct prediction is one TP and K − 1 TN, an error one FN, one FP
    and K − 2 TN.
    """
    proportion = ACCURACY_PROPORTION.evaluate(matrix.overall_counts, weight)
    if isinstance(measure.interval, Proportion):
        accuracy_interval = proportion_confint(*proportion, settings)
    else:
        # Clopper and Pearson's limits are asked for shares alone.
        accuracy_interval = ConfidenceIntervals.from_method(
            *wilson_intervals(*proportion, settings.level), WILSON
        )
    share = np.array([accuracy_interval.low, accuracy_interval.high])
    pooled_counts = {
        "tp": share,
        "fn": 1 - share,
        "fp": 1 - share,
        "tn": np.maximum(matrix.size - 2 + share, 0.0),
    }
    ends = values_per_class(measure, pooled_counts)
    itself = any(
        np.allclose(ends, same, rtol=0, atol=BOUNDARY_TOLERANCE) for same in (share, 1 - share)
    )
    method = (
        f"{accuracy_interval.method}"
        if itself
        else f"{accuracy_interval.method}, transformed from accuracy"
    )
    return ConfidenceIntervals.from_method(np.asarray(ends.min()), np.asarray(ends.max()), method)


def _mover_of_macro_average(
    proportion: ProportionFormula, matrix: SparseConfusionMatrix, level: float, weight: float
) -> ConfidenceIntervals:
    """Return the interval of a mean of independent proportions."""
    cases, among = proportion.evaluate(matrix.class_counts, weight)
    used = (among > 0) & (matrix.macro_weights > 0)
    cases, among = cases[used], among[used]
    if not len(among):
        return ConfidenceIntervals.from_method(np.asarray(np.nan), np.asarray(np.nan), "")
    low, high = mover_mean_intervals(cases, among, level)
    return ConfidenceIntervals.from_method(np.asarray(low), np.asarray(high), "mover, skewness")


def _delta_of_matrix(
    measure: Measure, link: LinkFunction, estimate: MatrixEstimate, level: float
) -> ConfidenceIntervals:
    """Return the delta-method interval, with two pseudo-cases where that is needed."""
    quantile = critical_z(level)
    value, variance = estimate.value_and_variance()
    if not is_degenerate(value, variance, measure.range).any():
        return delta_intervals(value, variance, link, quantile)
    intervals = delta_intervals(*estimate.with_pseudo_cases().value_and_variance(), link, quantile)
    suffix = PSEUDO_COUNT_LABEL if estimate.matrix.size == TWO_CLASSES else PSEUDO_CASES_LABEL
    return ConfidenceIntervals.from_method(
        intervals.low, intervals.high, f"{intervals.method}, {suffix}"
    )


def _delta_of_average(
    measure: Measure, estimate: MatrixEstimate, level: float, average: Average
) -> ConfidenceIntervals:
    """Return the delta-method interval with Student's t, for few cases of a small class.

    The values of small classes are biased as well, towards 0 for Fβ, and all classes have the same
    weight in a macro average: its interval is about the value with a pseudo-case of every class,
    and has the larger of the variances with and without them.
    """
    link = default_link(measure.range)
    value, variance = estimate.value_and_variance()
    if is_degenerate(value, variance, measure.range).any():
        return _delta_of_matrix(measure, link, estimate, level)
    name = "t"
    if average == "macro":
        centre, centre_variance = estimate.with_case_per_class().value_and_variance()
        if not is_degenerate(centre, centre_variance, measure.range).any():
            value, variance = centre, np.maximum(variance, centre_variance)
            name = f"t, {CASE_PER_CLASS_LABEL}"
    interval = delta_intervals(
        value, variance, link, critical_t(estimate.degrees_of_freedom(), level)
    )
    return ConfidenceIntervals.from_method(
        interval.low, interval.high, f"{interval.method}, {name}"
    )
