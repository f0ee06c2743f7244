"""Change between runs: trends, and attribution to label shift or changed error rates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import proportion_confint
from reportgen.evaluation.gates import fold_mean_value
from reportgen.evaluation.non_inferiority import BaselineValue, compare_with_baseline
from reportgen.evaluation.values import ValueState
from reportgen.statistics.contingency import homogeneity_test
from reportgen.statistics.multiplicity import holm
from reportgen.statistics.proportions import mover_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    import numpy.typing as npt

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.previous_runs import PreviousRun, RunHistory, ValueKey
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.spec import Spec
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics.contingency import HomogeneityTest


if TYPE_CHECKING:
    _IntArray = npt.NDArray[np.int64]
    _FloatArray = npt.NDArray[np.float64]

# Label shift and changed recall are two families: each has half of alpha.
DRIFT_FAMILIES = 2


class DriftVerdict(StrEnum):
    """The decision about a classifier's change since the previous run."""

    NO_SIGNIFICANT_CHANGE = "chance"
    LABEL_SHIFT = "mix"
    PERFORMANCE_SHIFT = "rates"
    BOTH = "mix and rates"
    NEW_CLASSIFIER = "new"
    CLASSES_CHANGED = "other classes"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionChange:
    """A proportion in the previous and the current run: a class's prevalence or its recall.

    Without cases in a run there is no proportion there, and no difference.
    """

    class_: str
    then: float | None
    now: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    is_significant: bool = False


@dataclass(frozen=True, slots=True)
class LabelShiftTest:
    """The test of label shift for classifiers measured on the same cases."""

    classifiers: tuple[str, ...]
    test: HomogeneityTest
    p_adjusted: float
    is_significant: bool
    prevalence_changes: tuple[ProportionChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAttribution:
    """The attribution of a classifier's change.

    `by_mix` and `by_rates` add up to the difference in accuracy.
    """

    classifier: str
    verdict: DriftVerdict
    recall_changes: tuple[ProportionChange, ...] = ()
    label_shift_effect: float | None = None
    performance_effect: float | None = None
    added_classes: tuple[str, ...] = ()
    removed_classes: tuple[str, ...] = ()

    @property
    def significant_recall_changes(self) -> tuple[ProportionChange, ...]:
        """The classes with a significant change in recall."""
        return tuple(rate for rate in self.recall_changes if rate.is_significant)


@dataclass(frozen=True, slots=True)
class ConfusionMatrixPair:
    """The previous and the current confusion matrix; a count has the weight of its cases."""

    classifier: str
    then: _IntArray
    now: _IntArray
    weights: tuple[float, float] = (1.0, 1.0)
    """Of then and now, below 1 where cases were predicted several times."""

    @property
    def class_sizes(self) -> tuple[_IntArray, _IntArray]:
        """The class sizes, previous and current."""
        return self.then.sum(axis=1), self.now.sum(axis=1)

    @property
    def totals(self) -> tuple[_IntArray, _IntArray]:
        """The numbers of cases, previous and current."""
        then, now = self.class_sizes
        return np.full_like(then, then.sum()), np.full_like(now, now.sum())

    @property
    def correct(self) -> tuple[_IntArray, _IntArray]:
        """The correct predictions per class, previous and current."""
        return self.then.diagonal(), self.now.diagonal()

    def test_label_shift(self, seed: int) -> HomogeneityTest | None:
        """Test whether the class proportions are equal; None if a run has no cases."""
        return homogeneity_test(*self.round_to_cases(self.class_sizes), seed)

    def round_to_cases(self, counts: tuple[_IntArray, _IntArray]) -> tuple[_IntArray, _IntArray]:
        """Return the previous and current counts in whole cases."""
        then, now = (
            np.asarray(np.rint(count * weight), dtype=np.int64)
            for count, weight in zip(counts, self.weights, strict=True)
        )
        return then, now


def attribute_drift(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> tuple[tuple[LabelShiftTest, ...], tuple[DriftAttribution, ...]]:
    """Test for label shift and for changed recall.

    The family-wise error rate is at most alpha: half of it is spent on label shift and half on
    recall, each adjusted by Holm's procedure.
    """
    mixes = _label_shift_tests(pairs, classes, settings, alpha)
    rates = _recall_changes(pairs, classes, settings, alpha)
    moved = {name for mix in mixes if mix.is_significant for name in mix.classifiers}
    return mixes, tuple(_attribution(pair, rates[pair.classifier], moved) for pair in pairs)


def _label_shift_tests(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> tuple[LabelShiftTest, ...]:
    truths: dict[tuple[object, ...], list[ConfusionMatrixPair]] = {}
    for pair in pairs:
        truth = *(sizes.tobytes() for sizes in pair.class_sizes), *pair.weights
        truths.setdefault(truth, []).append(pair)
    tested = [
        (test, same)
        for same in truths.values()
        if (test := same[0].test_label_shift(settings.seed)) is not None
    ]
    adjusted = _adjust_p_values([test.p for test, _ in tested])
    return tuple(
        LabelShiftTest(
            tuple(pair.classifier for pair in same),
            test,
            p,
            p <= alpha,
            _proportion_changes(
                classes,
                same[0].class_sizes,
                same[0].totals,
                same[0].weights,
                settings,
            ),
        )
        for (test, same), p in zip(tested, adjusted, strict=True)
    )


def _recall_changes(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> Mapping[str, tuple[ProportionChange, ...]]:
    p_values: dict[tuple[str, str], float] = {}
    for pair in pairs:
        counts = (*pair.round_to_cases(pair.correct), *pair.round_to_cases(pair.class_sizes))
        for class_, then, now, of_then, of_now in zip(classes, *counts, strict=True):
            test = homogeneity_test((then, of_then - then), (now, of_now - now), settings.seed)
            if test is not None:
                p_values[pair.classifier, class_] = test.p
    adjusted = dict(zip(p_values, _adjust_p_values(list(p_values.values())), strict=True))
    return {
        pair.classifier: tuple(
            _add_p_values(share, p_values, adjusted, pair.classifier, alpha)
            for share in _proportion_changes(
                classes, pair.correct, pair.class_sizes, pair.weights, settings
            )
        )
        for pair in pairs
    }


def _add_p_values(
    change: ProportionChange,
    p_values: Mapping[tuple[str, str], float],
    adjusted_p_values: Mapping[tuple[str, str], float],
    classifier: str,
    alpha: float,
) -> ProportionChange:
    key = classifier, change.class_
    if key not in p_values:
        return change
    return replace(
        change,
        p=p_values[key],
        p_adjusted=adjusted_p_values[key],
        is_significant=adjusted_p_values[key] <= alpha,
    )


def _adjust_p_values(p_values: Sequence[float]) -> list[float]:
    return [min(1.0, DRIFT_FAMILIES * p) for p in holm(p_values)] if p_values else []


def _proportion_changes(
    classes: Sequence[str],
    successes: tuple[_IntArray, _IntArray],
    trials: tuple[_IntArray, _IntArray],
    weights: tuple[float, float],
    settings: IntervalSettings,
) -> tuple[ProportionChange, ...]:
    """Compare previous and current proportions as independent samples (Newcombe 1998)."""
    weight = np.array(weights[::-1])[:, np.newaxis]
    weighted_successes, of = (np.array(each[::-1]) * weight for each in (successes, trials))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = weighted_successes / of
    limits = proportion_confint(weighted_successes, of, settings)
    low, high = mover_intervals(shares, limits.low, limits.high, (1.0, -1.0))
    columns = (shares[1], shares[0], shares[0] - shares[1], low, high)
    finite = [[None if np.isnan(each) else float(each) for each in column] for column in columns]
    return tuple(
        ProportionChange(
            class_=class_, then=then, now=now, difference=difference, low=least, high=most
        )
        for class_, then, now, difference, least, most in zip(classes, *finite, strict=True)
    )


def _attribution(
    pair: ConfusionMatrixPair, recall_changes: tuple[ProportionChange, ...], label_shifted: set[str]
) -> DriftAttribution:
    by_mix, by_rates = _kitagawa_decomposition(pair)
    mix, rate = (
        pair.classifier in label_shifted,
        any(each.is_significant for each in recall_changes),
    )
    verdicts = {
        (True, True): DriftVerdict.BOTH,
        (True, False): DriftVerdict.LABEL_SHIFT,
        (False, True): DriftVerdict.PERFORMANCE_SHIFT,
    }
    return DriftAttribution(
        classifier=pair.classifier,
        verdict=verdicts.get((mix, rate), DriftVerdict.NO_SIGNIFICANT_CHANGE),
        recall_changes=recall_changes,
        label_shift_effect=by_mix,
        performance_effect=by_rates,
    )


def _kitagawa_decomposition(pair: ConfusionMatrixPair) -> tuple[float | None, float | None]:
    """Decompose the change in accuracy into class mix and error rates (Kitagawa 1955).

    A class without cases in one run takes the recall of the other run, so that its appearance or
    disappearance counts as a change of the class mix.
    """
    totals = [sizes.sum() for sizes in pair.class_sizes]
    if not all(totals):
        return None, None
    weights = [sizes / total for sizes, total in zip(pair.class_sizes, totals, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        then, now = (
            correct / sizes for correct, sizes in zip(pair.correct, pair.class_sizes, strict=True)
        )
    then, now = np.where(np.isnan(then), now, then), np.where(np.isnan(now), then, now)
    then, now = np.nan_to_num(then), np.nan_to_num(now)
    by_mix = ((weights[1] - weights[0]) * (then + now) / 2).sum()
    by_rates = ((now - then) * (weights[0] + weights[1]) / 2).sum()
    return float(by_mix), float(by_rates)


NOT_MEASURED_BEFORE = "it was not measured then"
NO_LONGER_MEASURED = "it is not measured any more"
POSITIVE_CLASS_CHANGED = "another class was the positive one then"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A previous run: when it ended and which version produced it."""

    id: str
    ended: datetime
    version: str


@dataclass(frozen=True, slots=True)
class MeasureTrend:
    """The values of a measure in each run, the current one last; None where not measured."""

    classifier: str
    measure: str
    values: tuple[MeasureValue | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A measure in the previous and the current run; `note` is why there is no difference."""

    classifier: str
    measure: str
    then: MeasureValue | None
    now: MeasureValue | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAnalysis:
    """The trend over previous runs, the latest last, and the changes since the latest."""

    runs: tuple[ComparedRun, ...]
    trends: tuple[MeasureTrend, ...]
    value_changes: tuple[ValueChange, ...]
    label_shift_tests: tuple[LabelShiftTest, ...]
    attributions: tuple[DriftAttribution, ...]
    removed_classifiers: tuple[str, ...]
    """Classifiers that the last run had and this one has not."""

    @property
    def last_run(self) -> ComparedRun:
        """The run that the current one is compared with."""
        return self.runs[-1]


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """The results of the current run that are compared with previous ones."""

    spec: Spec
    aggregates: Aggregates
    by_key: Mapping[ValueKey, MeasureValue]
    fold_summaries: Sequence[FoldSummary]
    measures: Sequence[Measure]

    @property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers, in the order of the spec."""
        return tuple(each.name for each in self.spec.classifiers)

    def value(self, classifier: str, measure: str) -> MeasureValue | None:
        """Return the overall value of a classifier, or its mean where only folds are known."""
        measure_value = self.by_key.get((classifier, None, None, measure))
        return measure_value or fold_mean_value(self.fold_summaries, classifier, measure)


def analyze_drift(
    current: CurrentRun, history: RunHistory, data_fingerprint: str
) -> DriftAnalysis | None:
    """Compare the current run with previous ones; None without a run on other data.

    An empty fingerprint means that it is unknown whether the data are the same.
    """
    most = current.spec.history.show
    runs = (
        (history.on_other_data(data_fingerprint) if data_fingerprint else history.runs)[-most:]
        if most
        else ()
    )
    if not runs:
        return None
    trends = tuple(_measure_trends(current, runs))
    if all(score is None for trend in trends for score in trend.values[:-1]):
        return None
    mixes, reasons = _attributions(current, runs[-1])
    then = {key[0] for key in runs[-1].values}
    return DriftAnalysis(
        runs=tuple(ComparedRun(run.id, run.ended, run.version) for run in runs),
        trends=trends,
        value_changes=tuple(
            _value_change(trend, runs[-1], current.spec.task.positive) for trend in trends
        ),
        label_shift_tests=mixes,
        attributions=reasons,
        removed_classifiers=tuple(sorted(then - set(current.classifiers))),
    )


def _measure_trends(current: CurrentRun, runs: Sequence[PreviousRun]) -> Iterator[MeasureTrend]:
    for measure in current.measures:
        for classifier in current.classifiers:
            key = classifier, None, None, measure.name
            scores = (
                *(run.values.get(key) for run in runs),
                current.value(classifier, measure.name),
            )
            if any(scores):
                yield MeasureTrend(classifier, measure.name, scores)


def _value_change(trend: MeasureTrend, run: PreviousRun, positive: str | None) -> ValueChange:
    then, now = trend.values[-2:]
    stated = ValueChange(classifier=trend.classifier, measure=trend.measure, then=then, now=now)
    if then is None or now is None:
        return replace(stated, note=NOT_MEASURED_BEFORE if then is None else NO_LONGER_MEASURED)
    if run.positive is not None and positive != run.positive:
        return replace(stated, note=POSITIVE_CLASS_CHANGED)
    for score in (then, now):
        if score.state is ValueState.UNDEFINED:
            return replace(stated, note=f"undefined: {score.reason}")
    key = trend.classifier, None, None, trend.measure
    row = compare_with_baseline(key, now, BaselineValue(run, then))
    if isinstance(row, str):
        difference = None if now.value is None or then.value is None else now.value - then.value
        return replace(stated, difference=difference, note=row)
    return replace(stated, difference=row.difference, low=row.low, high=row.high)


def _attributions(
    current: CurrentRun, run: PreviousRun
) -> tuple[tuple[LabelShiftTest, ...], tuple[DriftAttribution, ...]]:
    """Attribute the change of each classifier, or give the reason why that is not possible."""
    measured_then = {key[0] for key in run.values}
    classes = current.aggregates.classes
    if set(classes) != set(run.classes):
        others = {
            name: DriftAttribution(
                classifier=name,
                verdict=DriftVerdict.CLASSES_CHANGED
                if name in measured_then
                else DriftVerdict.NEW_CLASSIFIER,
                added_classes=tuple(each for each in classes if each not in run.classes),
                removed_classes=tuple(each for each in run.classes if each not in classes),
            )
            for name in current.classifiers
        }
        return (), tuple(others.values())
    mixes, explained = attribute_drift(
        tuple(_matrix_pairs(current, run)),
        classes,
        current.spec.intervals,
        current.spec.comparison.alpha,
    )
    by_classifier = {reason.classifier: reason for reason in explained}
    return mixes, tuple(
        by_classifier.get(name)
        or DriftAttribution(
            classifier=name,
            verdict=DriftVerdict.UNTESTED if name in measured_then else DriftVerdict.NEW_CLASSIFIER,
        )
        for name in current.classifiers
    )


def _matrix_pairs(current: CurrentRun, run: PreviousRun) -> Iterator[ConfusionMatrixPair]:
    """Yield the matrices of classifiers that have one in both runs.

    Counts of a run with an unknown number of predictions per case are not used.
    """
    confusion = current.aggregates.confusion
    if confusion is None or current.spec.dataset_names:
        return
    order = [run.classes.index(each) for each in confusion.classes]
    for each in current.spec.classifiers:
        weight = run.weights.get(each.name)
        if each.fold_scores is None and each.name in run.confusion and weight is not None:
            weights = weight, current.aggregates.case_weight(each.name)
            then = np.array(run.confusion[each.name])[np.ix_(order, order)]
            yield ConfusionMatrixPair(
                each.name, then, np.array(confusion.matrix(each.name)), weights
            )
