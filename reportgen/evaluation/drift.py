"""What changed over time: every main value in earlier runs, and why it differs from the last."""

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


# What changed between two runs, by their confusion matrices: the mix of classes, or the rates.

if TYPE_CHECKING:
    _IntArray = npt.NDArray[np.int64]
    _FloatArray = npt.NDArray[np.float64]

# Whether the mix changed and whether the rates did are two questions: each has half the level.
DRIFT_FAMILIES = 2


class DriftVerdict(StrEnum):
    """What the tests show of a classifier since the run before."""

    NO_SIGNIFICANT_CHANGE = "chance"
    LABEL_SHIFT = "mix"
    PERFORMANCE_SHIFT = "rates"
    BOTH = "mix and rates"
    NEW_CLASSIFIER = "new"
    CLASSES_CHANGED = "other classes"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionChange:
    """A share of cases then and now: of a class among all, or of those recognised in a class.

    What has no cases in one of the runs has no share there, and no difference.
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
    """Whether classes were as frequent then as now, for classifiers measured on the same cases."""

    classifiers: tuple[str, ...]
    test: HomogeneityTest
    p_adjusted: float
    is_significant: bool
    prevalence_changes: tuple[ProportionChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAttribution:
    """What a classifier's change is due to, as far as tests show it.

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
        """The classes that it is shown to recognise more or less often."""
        return tuple(rate for rate in self.recall_changes if rate.is_significant)


@dataclass(frozen=True, slots=True)
class ConfusionMatrixPair:
    """The confusion matrix of a classifier then and now; a count stands for its weight in cases."""

    classifier: str
    then: _IntArray
    now: _IntArray
    weights: tuple[float, float] = (1.0, 1.0)
    """Of then and now, below 1 where cases were predicted several times."""

    @property
    def class_sizes(self) -> tuple[_IntArray, _IntArray]:
        """How many cases each class has, then and now."""
        return self.then.sum(axis=1), self.now.sum(axis=1)

    @property
    def totals(self) -> tuple[_IntArray, _IntArray]:
        """How many cases there are in all, for each class, then and now."""
        then, now = self.class_sizes
        return np.full_like(then, then.sum()), np.full_like(now, now.sum())

    @property
    def correct(self) -> tuple[_IntArray, _IntArray]:
        """How many of them were recognised, then and now."""
        return self.then.diagonal(), self.now.diagonal()

    def test_label_shift(self, seed: int) -> HomogeneityTest | None:
        """Test whether the classes had the same shares then; None: a run had no cases."""
        return homogeneity_test(*self.round_to_cases(self.class_sizes), seed)

    def round_to_cases(self, counts: tuple[_IntArray, _IntArray]) -> tuple[_IntArray, _IntArray]:
        """Return counts of then and now in whole cases."""
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
    """Test whether the mix of classes and whether the rates changed; no test: nothing counted.

    The chance of any false claim is at most alpha: half of it is for the mixes and half for the
    rates, and both are adjusted by Holm.
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
    found: dict[tuple[str, str], float] = {}
    for pair in pairs:
        counts = (*pair.round_to_cases(pair.correct), *pair.round_to_cases(pair.class_sizes))
        for class_, then, now, of_then, of_now in zip(classes, *counts, strict=True):
            test = homogeneity_test((then, of_then - then), (now, of_now - now), settings.seed)
            if test is not None:
                found[pair.classifier, class_] = test.p
    adjusted = dict(zip(found, _adjust_p_values(list(found.values())), strict=True))
    return {
        pair.classifier: tuple(
            _add_p_values(share, found, adjusted, pair.classifier, alpha)
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
    """Set shares of then and now against each other, as independent samples (Newcombe 1998)."""
    weight = np.array(weights[::-1])[:, np.newaxis]
    counted, of = (np.array(each[::-1]) * weight for each in (successes, trials))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counted / of
    limits = proportion_confint(counted, of, settings)
    low, high = mover_intervals(shares, limits.low, limits.high, (1.0, -1.0))
    columns = (shares[1], shares[0], shares[0] - shares[1], low, high)
    known = [[None if np.isnan(each) else float(each) for each in column] for column in columns]
    return tuple(
        ProportionChange(
            class_=class_, then=then, now=now, difference=difference, low=least, high=most
        )
        for class_, then, now, difference, least, most in zip(classes, *known, strict=True)
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
    """Split the difference in accuracy into what the mix and what the rates did (Kitagawa 1955).

    A class without cases in one run has no rate there; the other run's stands for it, so that
    its coming or going counts as a change of the mix.
    """
    totals = [sizes.sum() for sizes in pair.class_sizes]
    if not all(totals):
        return None, None
    weights = [sizes / total for sizes, total in zip(pair.class_sizes, totals, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        then, now = (
            right / sizes for right, sizes in zip(pair.correct, pair.class_sizes, strict=True)
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
    """An earlier run: when it ended and what it was made by."""

    id: str
    ended: datetime
    version: str


@dataclass(frozen=True, slots=True)
class MeasureTrend:
    """A measure of a classifier: one score for each run, then that of now; None: not measured."""

    classifier: str
    measure: str
    values: tuple[MeasureValue | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A measure of a classifier in the last run and now; `note` says why there is no difference."""

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
    """The trend over earlier runs, the latest last, and what changed since the latest of them."""

    runs: tuple[ComparedRun, ...]
    trends: tuple[MeasureTrend, ...]
    value_changes: tuple[ValueChange, ...]
    label_shift_tests: tuple[LabelShiftTest, ...]
    attributions: tuple[DriftAttribution, ...]
    removed_classifiers: tuple[str, ...]
    """Classifiers that the last run had and this one has not."""

    @property
    def last_run(self) -> ComparedRun:
        """The run that now is compared with."""
        return self.runs[-1]


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """What this run found, as far as it is compared with earlier ones."""

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
        """Return a value of a classifier as a whole, or its mean where only folds are known."""
        found = self.by_key.get((classifier, None, None, measure))
        return found or fold_mean_value(self.fold_summaries, classifier, measure)


def analyze_drift(
    current: CurrentRun, history: RunHistory, data_fingerprint: str
) -> DriftAnalysis | None:
    """Set what was found against earlier runs; None: there is none on other data.

    `data` is the fingerprint of the data; empty: it cannot be known whether they are the same.
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
        known = None if now.value is None or then.value is None else now.value - then.value
        return replace(stated, difference=known, note=row)
    return replace(stated, difference=row.difference, low=row.low, high=row.high)


def _attributions(
    current: CurrentRun, run: PreviousRun
) -> tuple[tuple[LabelShiftTest, ...], tuple[DriftAttribution, ...]]:
    """Explain what can be explained; of the others say why not."""
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
    known = {reason.classifier: reason for reason in explained}
    return mixes, tuple(
        known.get(name)
        or DriftAttribution(
            classifier=name,
            verdict=DriftVerdict.UNTESTED if name in measured_then else DriftVerdict.NEW_CLASSIFIER,
        )
        for name in current.classifiers
    )


def _matrix_pairs(current: CurrentRun, run: PreviousRun) -> Iterator[ConfusionMatrixPair]:
    """Yield the matrices of those that have one in both runs, the classes in the order of now.

    Of a run that does not say how often it predicted each case, counts are no evidence.
    """
    tally = current.aggregates.confusion
    if tally is None or current.spec.dataset_names:
        return
    order = [run.classes.index(each) for each in tally.classes]
    for each in current.spec.classifiers:
        weight = run.weights.get(each.name)
        if each.fold_scores is None and each.name in run.confusion and weight is not None:
            weights = weight, current.aggregates.case_weight(each.name)
            then = np.array(run.confusion[each.name])[np.ix_(order, order)]
            yield ConfusionMatrixPair(each.name, then, np.array(tally.matrix(each.name)), weights)
