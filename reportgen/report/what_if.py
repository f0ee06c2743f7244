"""What a living page computes with: counts at every threshold, and the measures as formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.aggregates.curves import CumulativeCounts
from reportgen.evaluation.prevalence import PREVALENCE_MEASURES
from reportgen.measures import MeasureFamily, get_measure
from reportgen.measures.formula.tree import find_quantities
from reportgen.measures.measure import CONFUSION_COUNTS, depends_on_prevalence, is_function_of_rates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

# Up to so many distinct scores every threshold is kept: of one classifier, and of all together.
MAX_THRESHOLDS, _MAX_TOTAL_THRESHOLDS = 5_000, 20_000
# Beyond, the thresholds that are kept, for all classifiers of an axis the same.
THINNED_THRESHOLDS = 1_000
_BINARY = 2


@dataclass(frozen=True, slots=True)
class WhatIfClassifier:
    """A classifier: its counts as predicted (tp, fn, fp, tn) and, if it has scores, its steps.

    `axis` is the scale on which its threshold moves; no steps, no axis.
    """

    name: str
    counts: tuple[int, int, int, int] | None = None
    cumulative_counts: CumulativeCounts | None = None
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class WhatIfAxis:
    """A scale on which a threshold moves: of one classifier, or (no name) common to all.

    Only the thresholds of the steps can be chosen where they are `thinned`; otherwise any number.
    `start` is the threshold predictions were made with, if the spec sets one.
    """

    classifier: str | None
    low: float
    high: float
    operating_threshold: float | None
    thinned: bool = False


@dataclass(frozen=True, slots=True)
class WhatIfData:
    """The data of a living page; whoever is compared is named even where nothing can be moved."""

    classifiers: tuple[WhatIfClassifier, ...]
    classes: tuple[str, str] | None = None
    axes: tuple[WhatIfAxis, ...] = ()
    measures: tuple[Measure, ...] = ()
    prevalence_measures: tuple[Measure, ...] = ()
    target_prevalences: tuple[float, ...] = ()
    crossovers: tuple[float, ...] = ()
    baseline: str | None = None


def build_what_if(evaluation: Evaluation) -> WhatIfData | None:
    """Gather what the page of a report needs to be moved; regression has only names."""
    names = [each.name for each in evaluation.spec.classifiers]
    if not names:
        return None
    counts = _confusion_counts(evaluation)
    if not counts:
        named = tuple(WhatIfClassifier(name) for name in names)
        return WhatIfData(named, baseline=evaluation.spec.comparison.baseline)
    steps = _cumulative_counts(evaluation, counts)
    axes = _threshold_axes(evaluation, steps)
    kept = _thin_thresholds(steps, axes) if any(axis.thinned for axis in axes) else steps
    shared = len(axes) == 1 and axes[0].classifier is None
    places = {name: 0 if shared else at for at, name in enumerate(kept)}
    positive = evaluation.spec.task.positive or ""
    other = next(name for name in evaluation.aggregates.classes if name != positive)
    prevalence = evaluation.spec.prevalence
    return WhatIfData(
        classifiers=tuple(
            WhatIfClassifier(name, counts.get(name), kept.get(name), places.get(name))
            for name in names
        ),
        classes=(positive, other),
        axes=axes,
        measures=_confusion_count_measures(evaluation.reported_measures),
        prevalence_measures=_prevalence_measures(evaluation.reported_measures),
        target_prevalences=prevalence.targets if prevalence else (),
        crossovers=tuple(
            sorted(
                {each.prevalence for each in evaluation.prevalence_crossovers if each.prevalence}
            )
        ),
        baseline=evaluation.spec.comparison.baseline,
    )


def _confusion_counts(evaluation: Evaluation) -> dict[str, tuple[int, int, int, int]]:
    """Return tp, fn, fp and tn as predicted, of a task of two classes."""
    positive = evaluation.spec.task.positive
    if (
        evaluation.task_kind != "binary"
        or len(evaluation.aggregates.classes) != _BINARY
        or not positive
    ):
        return {}
    found = {name: evaluation.counts(name, positive) for name in evaluation.measured_classifiers}
    return {name: counts for name, counts in found.items() if counts is not None}


def _cumulative_counts(
    evaluation: Evaluation, counts: Mapping[str, tuple[int, int, int, int]]
) -> dict[str, CumulativeCounts]:
    """Return the steps of the classifiers whose scores are of the cases that were counted."""
    curves = evaluation.aggregates.curves
    if curves is None:
        return {}
    found = {}
    for name, (tp, fn, fp, tn) in counts.items():
        steps = curves.cumulative_counts(name, evaluation.spec.task.positive or "")
        if steps is not None and (steps.positives, steps.negatives) == (tp + fn, fp + tn):
            found[name] = steps
    return found


def _threshold_axes(
    evaluation: Evaluation, cumulative_counts: Mapping[str, CumulativeCounts]
) -> tuple[WhatIfAxis, ...]:
    """Let probabilities share one axis from 0 to 1; other scores have an axis each."""
    if not cumulative_counts:
        return ()
    kinds = {each.classifier: each.kind for each in evaluation.aggregates.score_types}
    sizes = [len(each.threshold) for each in cumulative_counts.values()]
    many = max(sizes) > MAX_THRESHOLDS or sum(sizes) > _MAX_TOTAL_THRESHOLDS
    common = evaluation.spec.data.threshold
    given = {
        each.name: common if each.threshold is None else each.threshold
        for each in evaluation.spec.classifiers
    }
    starts = {given[name] for name in cumulative_counts}
    if all(kinds.get(name) == "probability" for name in cumulative_counts) and len(starts) == 1:
        return (WhatIfAxis(None, 0.0, 1.0, starts.pop(), thinned=many),)
    return tuple(
        WhatIfAxis(
            name,
            float(each.threshold[-1]),
            float(each.threshold[0]),
            given[name],
            thinned=many,
        )
        for name, each in cumulative_counts.items()
    )


def _thin_thresholds(
    cumulative_counts: Mapping[str, CumulativeCounts], axes: Sequence[WhatIfAxis]
) -> dict[str, CumulativeCounts]:
    """Keep few thresholds, evenly among the scores; what is counted at each stays exact."""
    if len(axes) == 1 and axes[0].classifier is None:
        pooled = np.unique(np.concatenate([each.threshold for each in cumulative_counts.values()]))
        return {
            name: _counts_at(each, _select_evenly_spaced(pooled))
            for name, each in cumulative_counts.items()
        }
    return {
        name: _counts_at(each, _select_evenly_spaced(each.threshold[::-1]))
        for name, each in cumulative_counts.items()
    }


def _select_evenly_spaced(ascending: FloatArray) -> FloatArray:
    """Return at most so many of the thresholds, from the highest down, both ends among them."""
    places = np.unique(
        np.linspace(0, len(ascending) - 1, THINNED_THRESHOLDS).round().astype(np.int64)
    )
    return ascending[places][::-1]


def _counts_at(cumulative_counts: CumulativeCounts, thresholds: FloatArray) -> CumulativeCounts:
    """Count at other thresholds: all scores at or above each."""
    above = np.searchsorted(-cumulative_counts.threshold, -thresholds, side="right")
    tp, fp = (
        np.concatenate([[0], counts])[above]
        for counts in (cumulative_counts.tp, cumulative_counts.fp)
    )
    return CumulativeCounts(thresholds, tp, fp)


def _confusion_count_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return what moves with the predictions: measures that the four counts decide."""
    return tuple(
        measure
        for measure in measures
        if {quantity.name for quantity in find_quantities(measure.formula)} <= set(CONFUSION_COUNTS)
        and measure.family is not MeasureFamily.DESCRIPTION
    )


def _prevalence_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return what moves with the share of positives: what results.json has, and what is shown."""
    moving = (
        measure
        for measure in _confusion_count_measures(measures)
        if is_function_of_rates(measure) and depends_on_prevalence(measure)
    )
    return tuple(dict.fromkeys([*map(get_measure, PREVALENCE_MEASURES), *moving]))
