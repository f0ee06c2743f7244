"""ROC and precision-recall curves with confidence bands, and the operating points on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation.thresholds import cost_per_case, shortest_threshold
from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.spec import Spec
    from reportgen.statistics import FloatArray

    _IntArray: TypeAlias = npt.NDArray[np.int64]

MAX_CURVE_POINTS = 300


@dataclass(frozen=True, slots=True)
class RocBand:
    """Joint confidence limits of both rates of a ROC curve, one entry per point of the curve.

    At each threshold by itself the rectangle of the four limits holds the pair of true rates with
    the confidence level. The first entry is that of the point (0, 0).
    """

    fpr_low: tuple[float, ...]
    fpr_high: tuple[float, ...]
    tpr_low: tuple[float, ...]
    tpr_high: tuple[float, ...]

    def limits(self) -> Iterator[tuple[float, float, float, float]]:
        """Yield lower and upper limit of the false, then of the true positive rate."""
        yield from zip(self.fpr_low, self.fpr_high, self.tpr_low, self.tpr_high, strict=True)


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """A curve of one classifier and class, thinned: counts from the highest threshold down."""

    classifier: str
    class_: str
    thresholds: tuple[float, ...]
    tp: tuple[int, ...]
    fp: tuple[int, ...]
    positives: int
    negatives: int
    band: RocBand

    @property
    def prevalence(self) -> float:
        """The proportion of cases that belong to the class."""
        return self.positives / (self.positives + self.negatives)

    def roc(self) -> tuple[tuple[float, float], ...]:
        """Return false positive rate and true positive rate, beginning at (0, 0)."""
        return (
            (0.0, 0.0),
            *(
                (fp / self.negatives, tp / self.positives)
                for tp, fp in zip(self.tp, self.fp, strict=True)
            ),
        )

    def precision_recall(self) -> tuple[tuple[float, float], ...]:
        """Return recall and precision, from the highest threshold down."""
        return tuple(
            (tp / self.positives, tp / (tp + fp)) for tp, fp in zip(self.tp, self.fp, strict=True)
        )

    def rates(self) -> tuple[tuple[float, float, float, float], ...]:
        """Return threshold, sensitivity, specificity and precision, the highest threshold first."""
        return tuple(
            (threshold, tp / self.positives, 1 - fp / self.negatives, tp / (tp + fp))
            for threshold, tp, fp in zip(self.thresholds, self.tp, self.fp, strict=True)
        )


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The counts and rates of a classifier for a class at one threshold.

    `kind` is "as_predicted" for the predictions as they were read, and "youden" for the threshold
    with the highest Youden's index. Rates are proportions, None where their denominator is 0.
    """

    classifier: str
    class_: str
    kind: Literal["as_predicted", "youden"]
    threshold: float | None
    """None: no threshold of the score gives these predictions."""
    rounded: float | None
    """The threshold with the fewest digits that predicts the same cases as positive."""
    tp: float
    fn: float
    fp: float
    tn: float
    sensitivity: float | None
    specificity: float | None
    precision: float | None
    cost_per_case: float | None
    """None: the spec names no costs."""

    @property
    def roc(self) -> tuple[float, float] | None:
        """False positive rate and true positive rate; None: one of them is undefined."""
        negatives = self.fp + self.tn
        if self.sensitivity is None or not negatives:
            return None
        return self.fp / negatives, self.sensitivity

    @property
    def precision_recall(self) -> tuple[float, float] | None:
        """Recall and precision; None: one of them is undefined."""
        if self.sensitivity is None or self.precision is None:
            return None
        return self.sensitivity, self.precision


def compute_curves(aggregates: Aggregates, spec: Spec) -> tuple[CurvePoints, ...]:
    """Return the curves of all classifiers that have scores, with their ROC bands."""
    if aggregates.curves is None:
        return ()
    names = [classifier.name for classifier in spec.classifiers]
    return tuple(
        compute_curve_points(
            aggregates.curves,
            names,
            level=spec.intervals.level,
            weights={name: aggregates.case_weight(name) for name in names},
        )
    )


def compute_curve_points(
    curves: ScoreCurves,
    classifiers: Sequence[str],
    *,
    level: float = 0.95,
    weights: Mapping[str, float] | None = None,
) -> Iterator[CurvePoints]:
    """Yield the curves of classifiers, in their order, where both classes have cases.

    Args:
        curves: The counts at every threshold.
        classifiers: The names of the classifiers.
        level: The joint confidence level of the ROC bands.
        weights: Distinct cases per counted case by classifier; 1 where none is given.
    """
    for classifier in classifiers:
        weight = 1.0 if weights is None else weights.get(classifier, 1.0)
        for class_, steps in curves.by_class(classifier):
            if steps.positives and steps.negatives:
                thin_steps = thin_curve(steps)
                yield CurvePoints(
                    classifier,
                    class_,
                    tuple(thin_steps.threshold.tolist()),
                    tuple(thin_steps.tp.tolist()),
                    tuple(thin_steps.fp.tolist()),
                    steps.positives,
                    steps.negatives,
                    _roc_band(thin_steps, steps, level, weight),
                )


def _roc_band(
    thinned: CumulativeCounts, counts: CumulativeCounts, level: float, weight: float
) -> RocBand:
    """Return limits that hold both rates of each threshold together at the level.

    Cases of the class and other cases are independent, so both Wilson intervals (Wilson 1927) at
    the square root of the level hold jointly at the level. Repeated predictions of a case count
    as one.
    """
    side_level = math.sqrt(level)
    tp, fp = (np.append(0, numbers) * weight for numbers in (thinned.tp, thinned.fp))
    tpr_low, tpr_high = wilson_intervals(tp, counts.positives * weight, side_level)
    fpr_low, fpr_high = wilson_intervals(fp, counts.negatives * weight, side_level)
    return RocBand(*(tuple(ends.tolist()) for ends in (fpr_low, fpr_high, tpr_low, tpr_high)))


def compute_operating_points(
    aggregates: Aggregates, spec: Spec, thresholds: Sequence[OptimalThreshold]
) -> tuple[OperatingPoint, ...]:
    """Return where classifiers with scores stand: as predicted, and at the best Youden's index.

    Args:
        aggregates: The confusion counts and the counts at every threshold.
        spec: The thresholds and costs it names.
        thresholds: The thresholds that were chosen on these cases.
    """
    if aggregates.curves is None:
        return ()
    points: list[OperatingPoint] = []
    predicted = {} if aggregates.confusion is None else aggregates.confusion.overall_counts()
    for (classifier, class_), steps in aggregates.curves.curves.items():
        counts = predicted.get((classifier, class_))
        if counts is not None:
            used = _operating_threshold(spec, classifier, steps, tp=counts[0], fp=counts[2])
            points.append(_operating_point(spec, steps, (classifier, class_), used, counts))
        points += [
            _operating_point(
                spec,
                steps,
                (classifier, class_),
                optimum.threshold,
                (
                    optimum.tp,
                    steps.positives - optimum.tp,
                    optimum.fp,
                    steps.negatives - optimum.fp,
                ),
                "youden",
            )
            for optimum in thresholds
            if (optimum.classifier, optimum.class_) == (classifier, class_)
            and optimum.rule is ThresholdRule.YOUDEN
            and optimum.threshold is not None
            and optimum.tp is not None
            and optimum.fp is not None
        ]
    return tuple(points)


def _operating_point(  # noqa: PLR0913, PLR0917  # what identifies the point, and its counts
    spec: Spec,
    steps: CumulativeCounts,
    key: tuple[str, str],
    threshold: float | None,
    counts: tuple[float, float, float, float],
    kind: Literal["as_predicted", "youden"] = "as_predicted",
) -> OperatingPoint:
    tp, fn, fp, tn = counts
    return OperatingPoint(
        *key,
        kind,
        threshold,
        # Of several classes not all thresholds are kept.
        threshold
        if threshold is None or spec.task.kind != "binary"
        else shortest_threshold(steps, threshold),
        *counts,
        sensitivity=tp / (tp + fn) if tp + fn else None,
        specificity=tn / (fp + tn) if fp + tn else None,
        precision=tp / (tp + fp) if tp + fp else None,
        cost_per_case=cost_per_case(spec, counts) if any(counts) else None,
    )


def _operating_threshold(
    spec: Spec, classifier: str, steps: CumulativeCounts, *, tp: float, fp: float
) -> float | None:
    """Return the threshold of the spec, or else the highest one that gives the same counts.

    None where no threshold of the score gives these predictions.
    """
    classifier_threshold = next(
        item.threshold for item in spec.classifiers if item.name == classifier
    )
    if classifier_threshold is not None or spec.data.threshold is not None:
        return classifier_threshold if classifier_threshold is not None else spec.data.threshold
    # Both counts grow from step to step.
    first, last = np.searchsorted(steps.tp, tp, "left"), np.searchsorted(steps.tp, tp, "right")
    at = int(first + np.searchsorted(steps.fp[first:last], fp, "left"))
    return float(steps.threshold[at]) if at < last and steps.fp[at] == fp else None


def thin_curve(counts: CumulativeCounts) -> CumulativeCounts:
    """Keep as many steps as can be seen, the first and the last among them.

    Steps are taken evenly along the curve, not of the scores, so that steep parts keep their
    shape.
    """
    last = len(counts.tp) - 1
    if last < MAX_CURVE_POINTS:
        return counts
    ends = _position_along_curve(counts, np.array([0, last]))
    positions = np.linspace(ends[0], ends[1], MAX_CURVE_POINTS)
    places = np.unique(np.concatenate([[0], _first_step_at(counts, positions), [last]]))
    return counts.take(places[-MAX_CURVE_POINTS:])


def _position_along_curve(counts: CumulativeCounts, indices: _IntArray) -> FloatArray:
    """Return how far along the curve some steps are."""
    rates = counts.tp[indices] / counts.positives + counts.fp[indices] / counts.negatives
    return np.asarray(rates, dtype=np.float64)


def _first_step_at(counts: CumulativeCounts, positions: FloatArray) -> _IntArray:
    """Find the first step that is so far along, halving what is left for all at once."""
    low = np.zeros(len(positions), np.int64)
    high = np.full(len(positions), len(counts.tp) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        is_reached = _position_along_curve(counts, middle) >= positions
        low, high = np.where(is_reached, low, middle + 1), np.where(is_reached, middle, high)
    return high
