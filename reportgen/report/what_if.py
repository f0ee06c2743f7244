"""Data of the interactive page: counts at every threshold, and the measures as formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.evaluation.prevalence import PREVALENCE_MEASURES
from reportgen.measures import MeasureFamily, get_measure
from reportgen.measures.invariance import (
    depends_on_prevalence,
    is_function_of_counts,
    is_function_of_rates,
)
from reportgen.report.selection import classifier_color, classifiers_best_first
from reportgen.spec.decision import declared_decision, target_prevalences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.aggregates.curves import CumulativeCounts
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.threshold_counts import ThresholdAxis
    from reportgen.measures import Measure


@dataclass(frozen=True, slots=True)
class WhatIfClassifier:
    """A classifier: its counts (tp, fn, fp, tn) and, with scores, its cumulative counts.

    `axis` is the index of the axis of its threshold; None without scores.
    """

    name: str
    counts: tuple[float, float, float, float] | None = None
    cumulative_counts: CumulativeCounts | None = None
    axis: int | None = None
    color_index: int = 0


@dataclass(frozen=True, slots=True)
class WhatIfData:
    """The data of the interactive page, the best classifier first.

    Classifiers without counts are listed by name.
    """

    classifiers: tuple[WhatIfClassifier, ...]
    classes: tuple[str, str] | None = None
    axes: tuple[ThresholdAxis, ...] = ()
    measures: tuple[Measure, ...] = ()
    prevalence_measures: tuple[Measure, ...] = ()
    target_prevalences: tuple[float, ...] = ()
    crossovers: tuple[float, ...] = ()
    baseline: str | None = None
    cost_ratio: float | None = None
    """The declared cost of a false negative relative to a false positive."""
    false_positive_cost: float = 1.0
    """The declared cost of a false positive: the unit of costs on the page."""


def build_what_if(evaluation: Evaluation) -> WhatIfData | None:
    """Return the data of the interactive page; for regression, names only."""
    in_spec = (item.name for item in evaluation.spec.classifiers)
    # Classifiers known by the values of folds only are not in the ranking.
    names = tuple(dict.fromkeys((*classifiers_best_first(evaluation), *in_spec)))
    if not names:
        return None
    counts = evaluation.positive_class_counts
    if not counts:
        without_counts = tuple(WhatIfClassifier(name) for name in names)
        return WhatIfData(without_counts, baseline=evaluation.spec.comparison.baseline)
    thresholds = evaluation.threshold_counts
    threshold_counts, axes = thresholds.counts, thresholds.axes
    if not thresholds.has_common_axis:
        axes = tuple(sorted(axes, key=lambda axis: names.index(axis.classifier or "")))
    axis_indices = {
        name: 0 if thresholds.has_common_axis else [axis.classifier for axis in axes].index(name)
        for name in threshold_counts
    }
    cost = declared_decision(evaluation.spec).cost
    positive = evaluation.spec.task.positive or ""
    other = next(name for name in evaluation.aggregates.classes if name != positive)
    return WhatIfData(
        classifiers=tuple(
            WhatIfClassifier(
                name,
                counts.get(name),
                threshold_counts.get(name),
                axis_indices.get(name),
                classifier_color(evaluation, name),
            )
            for name in names
        ),
        classes=(positive, other),
        axes=axes,
        measures=_confusion_count_measures(evaluation.reported_measures),
        prevalence_measures=_prevalence_measures(evaluation.reported_measures),
        target_prevalences=target_prevalences(evaluation.spec),
        crossovers=tuple(
            sorted(
                {item.prevalence for item in evaluation.prevalence_crossovers if item.prevalence}
            )
        ),
        baseline=evaluation.spec.comparison.baseline,
        cost_ratio=None if evaluation.decisions is None else evaluation.decisions.cost_ratio,
        false_positive_cost=1.0 if cost is None else cost.false_positive,
    )


def _confusion_count_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures that depend on the four confusion counts only."""
    return tuple(
        measure
        for measure in measures
        if is_function_of_counts(measure)
        and measure.threshold is None
        and measure.family is not MeasureFamily.DESCRIPTION
    )


def _prevalence_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures that depend on prevalence and are in results.json or in the report."""
    dependent = (
        measure
        for measure in _confusion_count_measures(measures)
        if is_function_of_rates(measure) and depends_on_prevalence(measure)
    )
    return tuple(dict.fromkeys([*map(get_measure, PREVALENCE_MEASURES), *dependent]))
