"""Counts at thresholds that a reader of the interactive page may choose, for binary tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.curves import CumulativeCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.spec import Spec
    from reportgen.statistics import FloatArray

# Up to so many distinct scores every threshold is kept: of one classifier, and of all together.
MAX_THRESHOLDS, _MAX_TOTAL_THRESHOLDS = 5_000, 20_000
# Beyond, the number of thresholds kept, the same ones for all classifiers of an axis.
THINNED_THRESHOLDS = 1_000


@dataclass(frozen=True, slots=True)
class ThresholdAxis:
    """A scale of thresholds: of one classifier, or (no name) common to all.

    Where it is `thinned`, only the thresholds that were kept can be chosen; otherwise any number.
    `operating_threshold` is the threshold of the predictions, if the spec names one.
    """

    classifier: str | None
    low: float
    high: float
    operating_threshold: float | None
    thinned: bool = False


@dataclass(frozen=True, slots=True)
class ThresholdCounts:
    """Counts at every threshold that can be chosen, by classifier, and the scales of thresholds."""

    counts: Mapping[str, CumulativeCounts] = field(default_factory=dict)
    axes: tuple[ThresholdAxis, ...] = ()

    @property
    def has_common_axis(self) -> bool:
        """Return whether all classifiers share one scale."""
        return len(self.axes) == 1 and self.axes[0].classifier is None


def count_at_thresholds(
    aggregates: Aggregates, spec: Spec, counts: Mapping[str, tuple[float, float, float, float]]
) -> ThresholdCounts:
    """Return the counts at the thresholds of classifiers whose scores cover the counted cases.

    Args:
        aggregates: The counts at every distinct score.
        spec: The positive class and the thresholds it names.
        counts: tp, fn, fp and tn as predicted, by classifier.
    """
    if aggregates.curves is None:
        return ThresholdCounts()
    steps: dict[str, CumulativeCounts] = {}
    for name, (tp, fn, fp, tn) in counts.items():
        cumulative = aggregates.curves.cumulative_counts(name, spec.task.positive or "")
        sizes = tp + fn, fp + tn
        if cumulative is not None and (cumulative.positives, cumulative.negatives) == sizes:
            steps[name] = cumulative
    threshold_counts = ThresholdCounts(steps, _threshold_axes(aggregates, spec, steps))
    if any(axis.thinned for axis in threshold_counts.axes):
        return ThresholdCounts(_thin_thresholds(threshold_counts), threshold_counts.axes)
    return threshold_counts


def _threshold_axes(
    aggregates: Aggregates, spec: Spec, cumulative_counts: Mapping[str, CumulativeCounts]
) -> tuple[ThresholdAxis, ...]:
    """Return one axis from 0 to 1 for probabilities; other scores have an axis each."""
    if not cumulative_counts:
        return ()
    kinds = {score_type.classifier: score_type.kind for score_type in aggregates.score_types}
    sizes = [len(counts.threshold) for counts in cumulative_counts.values()]
    many = max(sizes) > MAX_THRESHOLDS or sum(sizes) > _MAX_TOTAL_THRESHOLDS
    common = spec.data.threshold
    operating_thresholds = {
        item.name: common if item.threshold is None else item.threshold for item in spec.classifiers
    }
    starts = {operating_thresholds[name] for name in cumulative_counts}
    if all(kinds.get(name) == "probability" for name in cumulative_counts) and len(starts) == 1:
        return (ThresholdAxis(None, 0.0, 1.0, starts.pop(), thinned=many),)
    return tuple(
        ThresholdAxis(
            name,
            float(counts.threshold[-1]),
            float(counts.threshold[0]),
            operating_thresholds[name],
            thinned=many,
        )
        for name, counts in cumulative_counts.items()
    )


def _thin_thresholds(threshold_counts: ThresholdCounts) -> dict[str, CumulativeCounts]:
    """Keep few thresholds, evenly among the scores; the counts at each stay exact."""
    if threshold_counts.has_common_axis:
        first, *others = (counts.threshold for counts in threshold_counts.counts.values())
        # The scores of one classifier are distinct and in order.
        pooled = np.unique(np.concatenate([first, *others])) if others else first[::-1]
        selected = _select_evenly_spaced(pooled)
        return {
            name: counts.at_thresholds(selected) for name, counts in threshold_counts.counts.items()
        }
    return {
        name: counts.at_thresholds(_select_evenly_spaced(counts.threshold[::-1]))
        for name, counts in threshold_counts.counts.items()
    }


def _select_evenly_spaced(ascending: FloatArray) -> FloatArray:
    """Return the thresholds that are kept, from the highest down, both ends among them."""
    places = np.unique(
        np.linspace(0, len(ascending) - 1, THINNED_THRESHOLDS).round().astype(np.int64)
    )
    return ascending[places][::-1]
