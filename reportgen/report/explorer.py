"""What a living page computes with: counts at every threshold, and the measures as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.elsewhere.prevalence import AT_TARGETS
from reportgen.formulas.walk import quantities
from reportgen.frozen import frozen
from reportgen.measures import Family, known_measure
from reportgen.measures.rates import COUNTS, depends_on_prevalence, follows_from_rates
from reportgen.tallies.curves import Steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation

# Up to so many distinct scores every threshold is kept: of one classifier, and of all together.
MOST_STEPS, MOST_STEPS_OF_ALL = 5_000, 20_000
# Beyond, the thresholds that are kept, for all classifiers of an axis the same.
KEPT_STEPS = 1_000
TWO = 2


@frozen
class Explored:
    """A classifier: its counts as predicted (tp, fn, fp, tn) and, if it has scores, its steps.

    `axis` is the scale on which its threshold moves; no steps, no axis.
    """

    name: str
    counts: tuple[int, int, int, int] | None = None
    steps: Steps | None = None
    axis: int | None = None


@frozen
class Axis:
    """A scale on which a threshold moves: of one classifier, or (no name) common to all.

    Only the thresholds of the steps can be chosen where they are `thinned`; otherwise any number.
    `start` is the threshold predictions were made with, if the spec sets one.
    """

    classifier: str | None
    low: float
    high: float
    start: float | None
    thinned: bool = False


@frozen
class Explorer:
    """The data of a living page; whoever is compared is named even where nothing can be moved."""

    classifiers: tuple[Explored, ...]
    classes: tuple[str, str] | None = None
    axes: tuple[Axis, ...] = ()
    measures: tuple[Measure, ...] = ()
    elsewhere: tuple[Measure, ...] = ()
    targets: tuple[float, ...] = ()
    crossings: tuple[float, ...] = ()
    baseline: str | None = None


def explorer_of(evaluation: Evaluation) -> Explorer | None:
    """Gather what the page of a report needs to be moved; regression has only names."""
    names = [each.name for each in evaluation.spec.classifiers]
    if not names:
        return None
    counts = _counts(evaluation)
    if not counts:
        named = tuple(Explored(name) for name in names)
        return Explorer(named, baseline=evaluation.spec.comparison.baseline)
    steps = _steps(evaluation, counts)
    axes = _axes(evaluation, steps)
    kept = _thinned(steps, axes) if any(axis.thinned for axis in axes) else steps
    shared = len(axes) == 1 and axes[0].classifier is None
    places = {name: 0 if shared else at for at, name in enumerate(kept)}
    positive = evaluation.spec.task.positive or ""
    other = next(name for name in evaluation.predictions.classes if name != positive)
    prevalence = evaluation.spec.prevalence
    return Explorer(
        classifiers=tuple(
            Explored(name, counts.get(name), kept.get(name), places.get(name)) for name in names
        ),
        classes=(positive, other),
        axes=axes,
        measures=_of_counts(evaluation.shown),
        elsewhere=_elsewhere(evaluation.shown),
        targets=prevalence.targets if prevalence else (),
        crossings=tuple(
            sorted({each.prevalence for each in evaluation.crossings if each.prevalence})
        ),
        baseline=evaluation.spec.comparison.baseline,
    )


def _counts(evaluation: Evaluation) -> dict[str, tuple[int, int, int, int]]:
    """Return tp, fn, fp and tn as predicted, of a task of two classes."""
    positive = evaluation.spec.task.positive
    if evaluation.kind != "binary" or len(evaluation.predictions.classes) != TWO or not positive:
        return {}
    found = {name: evaluation.counts(name, positive) for name in evaluation.measured}
    return {name: counts for name, counts in found.items() if counts is not None}


def _steps(
    evaluation: Evaluation, counts: Mapping[str, tuple[int, int, int, int]]
) -> dict[str, Steps]:
    """Return the steps of the classifiers whose scores are of the cases that were counted."""
    curves = evaluation.predictions.curves
    if curves is None:
        return {}
    found = {}
    for name, (tp, fn, fp, tn) in counts.items():
        steps = curves.steps(name, evaluation.spec.task.positive or "")
        if steps is not None and (steps.positives, steps.negatives) == (tp + fn, fp + tn):
            found[name] = steps
    return found


def _axes(evaluation: Evaluation, steps: Mapping[str, Steps]) -> tuple[Axis, ...]:
    """Let probabilities share one axis from 0 to 1; other scores have an axis each."""
    if not steps:
        return ()
    kinds = {each.classifier: each.kind for each in evaluation.predictions.score_readings}
    sizes = [len(each.threshold) for each in steps.values()]
    many = max(sizes) > MOST_STEPS or sum(sizes) > MOST_STEPS_OF_ALL
    common = evaluation.spec.data.threshold
    given = {
        each.name: common if each.threshold is None else each.threshold
        for each in evaluation.spec.classifiers
    }
    starts = {given[name] for name in steps}
    if all(kinds.get(name) == "probability" for name in steps) and len(starts) == 1:
        return (Axis(None, 0.0, 1.0, starts.pop(), thinned=many),)
    return tuple(
        Axis(
            name,
            float(each.threshold[-1]),
            float(each.threshold[0]),
            given[name],
            thinned=many,
        )
        for name, each in steps.items()
    )


def _thinned(steps: Mapping[str, Steps], axes: Sequence[Axis]) -> dict[str, Steps]:
    """Keep few thresholds, evenly among the scores; what is counted at each stays exact."""
    if len(axes) == 1 and axes[0].classifier is None:
        pooled = np.unique(np.concatenate([each.threshold for each in steps.values()]))
        return {name: _at(each, _evenly(pooled)) for name, each in steps.items()}
    return {name: _at(each, _evenly(each.threshold[::-1])) for name, each in steps.items()}


def _evenly(rising: Numbers) -> Numbers:
    """Return at most so many of the thresholds, from the highest down, both ends among them."""
    places = np.unique(np.linspace(0, len(rising) - 1, KEPT_STEPS).round().astype(np.int64))
    return rising[places][::-1]


def _at(steps: Steps, thresholds: Numbers) -> Steps:
    """Count at other thresholds: all scores at or above each."""
    above = np.searchsorted(-steps.threshold, -thresholds, side="right")
    tp, fp = (np.concatenate([[0], counts])[above] for counts in (steps.tp, steps.fp))
    return Steps(thresholds, tp, fp)


def _of_counts(shown: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return what moves with the predictions: measures that the four counts decide."""
    return tuple(
        measure
        for measure in shown
        if {quantity.name for quantity in quantities(measure.formula)} <= set(COUNTS)
        and measure.family is not Family.DESCRIPTION
    )


def _elsewhere(shown: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return what moves with the share of positives: what results.json has, and what is shown."""
    moving = (
        measure
        for measure in _of_counts(shown)
        if follows_from_rates(measure) and depends_on_prevalence(measure)
    )
    return tuple(dict.fromkeys([*map(known_measure, AT_TARGETS), *moving]))
