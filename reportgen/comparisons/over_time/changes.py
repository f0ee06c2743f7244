"""What changed over time: every main value in earlier runs, and why it differs from the last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.gates.earlier import Earlier, difference_since
from reportgen.comparisons.gates.values import mean_over_folds
from reportgen.comparisons.over_time.reasons import Matrices, Reason, Verdict, explain
from reportgen.frozen import frozen
from reportgen.scores import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.comparisons.over_time.past import Past, PastRun, ScoreKey
    from reportgen.comparisons.over_time.reasons import MixTest
    from reportgen.measures import Measure
    from reportgen.predictions import Predictions
    from reportgen.scores import Score
    from reportgen.spec import Spec

NEW = "it was not measured then"
LOST = "it is not measured any more"
OTHER_POSITIVE = "another class was the positive one then"


@frozen
class RunHead:
    """An earlier run: when it ended and what it was made by."""

    id: str
    ended: datetime
    version: str


@frozen
class Trend:
    """A measure of a classifier: one score for each run, then that of now; None: not measured."""

    classifier: str
    measure: str
    scores: tuple[Score | None, ...]


@frozen(kw_only=True)
class ValueChange:
    """A measure of a classifier in the last run and now; `note` says why there is no difference."""

    classifier: str
    measure: str
    then: Score | None
    now: Score | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    note: str | None = None


@frozen(kw_only=True)
class Changes:
    """The trend over earlier runs, the latest last, and what changed since the latest of them."""

    runs: tuple[RunHead, ...]
    trends: tuple[Trend, ...]
    values: tuple[ValueChange, ...]
    mixes: tuple[MixTest, ...]
    reasons: tuple[Reason, ...]
    gone: tuple[str, ...]
    """Classifiers that the last run had and this one has not."""

    @property
    def last(self) -> RunHead:
        """The run that now is compared with."""
        return self.runs[-1]


@frozen
class Found:
    """What this run found, as far as it is compared with earlier ones."""

    spec: Spec
    predictions: Predictions
    by_key: Mapping[ScoreKey, Score]
    folds: Sequence[FoldSummary]
    measures: Sequence[Measure]

    @property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers, in the order of the spec."""
        return tuple(each.name for each in self.spec.classifiers)

    def score(self, classifier: str, measure: str) -> Score | None:
        """Return a value of a classifier as a whole, or its mean where only folds are known."""
        found = self.by_key.get((classifier, None, None, measure))
        return found or mean_over_folds(self.folds, classifier, measure)


def changes_over_time(found: Found, past: Past, data: str) -> Changes | None:
    """Set what was found against earlier runs; None: there is none on other data.

    `data` is the fingerprint of the data; empty: it cannot be known whether they are the same.
    """
    most = found.spec.history.show
    runs = (past.on_other_data(data) if data else past.runs)[-most:] if most else ()
    if not runs:
        return None
    trends = tuple(_trends(found, runs))
    if all(score is None for trend in trends for score in trend.scores[:-1]):
        return None
    mixes, reasons = _reasons(found, runs[-1])
    then = {key[0] for key in runs[-1].scores}
    return Changes(
        runs=tuple(RunHead(run.id, run.ended, run.version) for run in runs),
        trends=trends,
        values=tuple(_value_change(trend, runs[-1], found.spec.task.positive) for trend in trends),
        mixes=mixes,
        reasons=reasons,
        gone=tuple(sorted(then - set(found.classifiers))),
    )


def _trends(found: Found, runs: Sequence[PastRun]) -> Iterator[Trend]:
    for measure in found.measures:
        for classifier in found.classifiers:
            key = classifier, None, None, measure.name
            scores = (*(run.scores.get(key) for run in runs), found.score(classifier, measure.name))
            if any(scores):
                yield Trend(classifier, measure.name, scores)


def _value_change(trend: Trend, run: PastRun, positive: str | None) -> ValueChange:
    then, now = trend.scores[-2:]
    stated = ValueChange(classifier=trend.classifier, measure=trend.measure, then=then, now=now)
    if then is None or now is None:
        return replace(stated, note=NEW if then is None else LOST)
    if run.positive is not None and positive != run.positive:
        return replace(stated, note=OTHER_POSITIVE)
    for score in (then, now):
        if score.state is State.UNDEFINED:
            return replace(stated, note=f"undefined: {score.reason}")
    key = trend.classifier, None, None, trend.measure
    row = difference_since(key, now, Earlier(run, then))
    if isinstance(row, str):
        known = None if now.value is None or then.value is None else now.value - then.value
        return replace(stated, difference=known, note=row)
    return replace(stated, difference=row.difference, low=row.low, high=row.high)


def _reasons(found: Found, run: PastRun) -> tuple[tuple[MixTest, ...], tuple[Reason, ...]]:
    """Explain what can be explained; of the others say why not."""
    measured_then = {key[0] for key in run.scores}
    classes = found.predictions.classes
    if set(classes) != set(run.classes):
        others = {
            name: Reason(
                classifier=name,
                verdict=Verdict.OTHER_CLASSES if name in measured_then else Verdict.NEW,
                more_classes=tuple(each for each in classes if each not in run.classes),
                fewer_classes=tuple(each for each in run.classes if each not in classes),
            )
            for name in found.classifiers
        }
        return (), tuple(others.values())
    mixes, explained = explain(
        tuple(_matrices(found, run)), classes, found.spec.intervals, found.spec.comparison.alpha
    )
    known = {reason.classifier: reason for reason in explained}
    return mixes, tuple(
        known.get(name)
        or Reason(
            classifier=name, verdict=Verdict.UNTESTED if name in measured_then else Verdict.NEW
        )
        for name in found.classifiers
    )


def _matrices(found: Found, run: PastRun) -> Iterator[Matrices]:
    """Yield the matrices of those that have one in both runs, the classes in the order of now.

    Of a run that does not say how often it predicted each case, counts are no evidence.
    """
    tally = found.predictions.confusion
    if tally is None or found.spec.dataset_names:
        return
    order = [run.classes.index(each) for each in tally.classes]
    for each in found.spec.classifiers:
        weight = run.weights.get(each.name)
        if each.fold_scores is None and each.name in run.confusion and weight is not None:
            weights = weight, found.predictions.weight_of(each.name)
            then = np.array(run.confusion[each.name])[np.ix_(order, order)]
            yield Matrices(each.name, then, np.array(tally.matrix(each.name)), weights)
