"""Change between runs: trends, tests of every measure, and attribution of the change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import count_proportion, proportion_confint
from reportgen.evaluation.gates import (
    FOLD_MEAN_INTERVAL,
    fold_mean_value,
    passes_gate,
    value_under_test,
)
from reportgen.evaluation.non_inferiority import BaselineValue, compare_with_baseline
from reportgen.evaluation.values import ValueState
from reportgen.measures import find_measure, get_measure
from reportgen.measures.measure import Proportion
from reportgen.statistics.contingency import homogeneity_test
from reportgen.statistics.distributions import chi2_sf, critical_z
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
    from reportgen.predictions.load import Input
    from reportgen.spec import Spec
    from reportgen.spec.gates import Gate
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics.contingency import HomogeneityTest


if TYPE_CHECKING:
    _IntArray = npt.NDArray[np.int64]
    _FloatArray = npt.NDArray[np.float64]

# Label shift, recall by class and overall measures are three families: each has a third of alpha.
DRIFT_FAMILIES = 3


class DriftVerdict(StrEnum):
    """The decision about a classifier's change since the previous run.

    `SIGNIFICANT_CHANGE`: a measure changed, but neither the class mix nor the recall of a class.
    """

    NO_SIGNIFICANT_CHANGE = "no significant change"
    SIGNIFICANT_CHANGE = "significant change"
    LABEL_SHIFT = "class mix"
    PERFORMANCE_SHIFT = "recall"
    BOTH = "class mix and recall"
    NEW_CLASSIFIER = "new"
    CLASSES_CHANGED = "other classes"
    UNTESTED = "not tested"


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

    `label_shift_effect` and `performance_effect` add up to the difference in accuracy.
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

    Each of the two has a third of alpha, within which it is adjusted by Holm's procedure; the
    last third is that of the overall measures (`test_value_changes`).
    """
    mixes = _label_shift_tests(pairs, classes, settings, alpha)
    rates = _recall_changes(pairs, classes, settings, alpha)
    shifted_classifiers = {name for mix in mixes if mix.is_significant for name in mix.classifiers}
    return mixes, tuple(
        _attribution(pair, rates[pair.classifier], shifted_classifiers) for pair in pairs
    )


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
    return _holm_in_share(p_values, DRIFT_FAMILIES)


def _holm_in_share(p_values: Sequence[float], n_families: int) -> list[float]:
    """Adjust the p-values of one of several families with equal shares of alpha."""
    return [min(1.0, n_families * p) for p in holm(p_values)] if p_values else []


def _proportion_changes(
    classes: Sequence[str],
    successes: tuple[_IntArray, _IntArray],
    trials: tuple[_IntArray, _IntArray],
    weights: tuple[float, float],
    settings: IntervalSettings,
) -> tuple[ProportionChange, ...]:
    """Compare previous and current proportions as independent samples (Newcombe 1998)."""
    weight = np.array(weights[::-1])[:, np.newaxis]
    weighted_successes, of = (np.array(counts[::-1]) * weight for counts in (successes, trials))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = weighted_successes / of
    limits = proportion_confint(weighted_successes, of, settings)
    low, high = mover_intervals(shares, limits.low, limits.high, (1.0, -1.0))
    columns = (shares[1], shares[0], shares[0] - shares[1], low, high)
    finite = [[None if np.isnan(count) else float(count) for count in column] for column in columns]
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
        any(change.is_significant for change in recall_changes),
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


TWO_PROPORTIONS_TEST, MOVER_TEST = "two proportions", "MOVER"
# Measures that are a monotone function of another one, on any data: one hypothesis. Others that
# rank classifiers alike on the same cases (R² and RMSE) may change differently between runs.
EQUIVALENT_CHANGES = {
    "error_rate": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "diagnostic_odds_ratio": "discriminant_power",
    "jaccard": "f1",
}
CLASSES_DIFFER = "the classes differ from that run"
FEW_FOLDS = "the interval of a mean over folds has too few degrees of freedom for this test"
UNKNOWN_WEIGHT = "it is not known how often that run predicted each case"
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
    """The values of a measure in each run, the current one last; None where not measured.

    `limits` are those of today's gates, and `failing` the runs whose value is beyond one of them.
    """

    classifier: str
    measure: str
    values: tuple[MeasureValue | None, ...]
    limits: tuple[float, ...] = ()
    failing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A measure in the previous and the current run.

    `note` is why there is no difference, or why it was not tested; p-values of None: not tested.
    """

    classifier: str
    measure: str
    then: MeasureValue | None
    now: MeasureValue | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    note: str | None = None
    test: str | None = None
    p: float | None = None
    p_adjusted: float | None = None
    is_significant: bool = False


class InputState(StrEnum):
    """How an input file compares with those of the previous run, by their hashes."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input file in the previous and the current run.

    `min_changed_cases` is a lower bound of the number of cases with another true or predicted
    class, from the confusion matrices of a classifier whose only changed file it is. None where
    there is no such matrix, or the number of cases changed as well.
    """

    path: str
    state: InputState
    rows_then: int | None
    rows_now: int | None
    min_changed_cases: int | None = None


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
    input_changes: tuple[InputChange, ...] = ()
    """All files of known hash of the current run, then those that only the last run had."""

    @property
    def significant_value_changes(self) -> tuple[ValueChange, ...]:
        """The overall measures with a significant change, without equivalent ones.

        Without sensitivity and specificity too, where they are the recall of a class.
        """
        recalls = {
            attribution.classifier
            for attribution in self.attributions
            if attribution.recall_changes
        }
        significant = [
            change
            for change in self.value_changes
            if change.is_significant
            and not (
                change.classifier in recalls
                and _hypothesis_of(change.measure) in {"sensitivity", "specificity"}
            )
        ]
        distinct = {
            (change.classifier, _hypothesis_of(change.measure)): change
            for change in reversed(significant)
        }
        return tuple(change for change in significant if change in distinct.values())

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
        return tuple(classifier.name for classifier in self.spec.classifiers)

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
    pairs = tuple(_matrix_pairs(current, runs[-1]))
    mixes, reasons = _attributions(current, runs[-1], pairs)
    value_changes = test_value_changes(
        tuple(_value_change(trend, runs[-1], current.spec.task.positive) for trend in trends),
        current,
        pairs,
        reasons,
    )
    then = {key[0] for key in runs[-1].values}
    return DriftAnalysis(
        runs=tuple(ComparedRun(run.id, run.ended, run.version) for run in runs),
        trends=trends,
        value_changes=value_changes,
        label_shift_tests=mixes,
        attributions=tuple(_add_measure_verdict(reason, value_changes) for reason in reasons),
        removed_classifiers=tuple(sorted(then - set(current.classifiers))),
        input_changes=tuple(_input_changes(current.aggregates.inputs, runs[-1], pairs)),
    )


def _input_changes(
    inputs: Sequence[Input], run: PreviousRun, pairs: Sequence[ConfusionMatrixPair]
) -> Iterator[InputChange]:
    """Compare the input files of two runs; a file that was only renamed is unchanged."""
    then = {file.path: file for file in run.inputs if file.sha256}
    now = {file.path: file for file in inputs if file.sha256 is not None}
    if not then:
        return
    hashes_then, hashes_now = ({file.sha256 for file in files.values()} for files in (then, now))
    changed_paths = {
        path for path, file in now.items() if path in then and file.sha256 not in hashes_then
    }
    changed_files = {
        pair.classifier: {file.path for file in inputs if file.classifier == pair.classifier}
        & changed_paths
        for pair in pairs
    }
    bounds: dict[str, int] = {}
    for pair in pairs:
        if len(changed_files[pair.classifier]) == 1 and pair.then.sum() == pair.now.sum():
            (path,) = changed_files[pair.classifier]
            # Each case that moves takes one from a cell and adds one to another.
            count_change = int(np.abs(pair.now - pair.then).sum()) // 2
            bounds[path] = max(bounds.get(path, 0), count_change)
    for path, file in now.items():
        if file.sha256 in hashes_then:
            yield InputChange(path, InputState.UNCHANGED, file.rows, file.rows)
        elif path in changed_paths:
            rows = then[path].rows
            yield InputChange(path, InputState.CHANGED, rows, file.rows, bounds.get(path))
        else:
            yield InputChange(path, InputState.ADDED, None, file.rows)
    for path, previous in then.items():
        if path not in now and previous.sha256 not in hashes_now:
            yield InputChange(path, InputState.REMOVED, previous.rows, None)


def _measure_trends(current: CurrentRun, runs: Sequence[PreviousRun]) -> Iterator[MeasureTrend]:
    for measure in current.measures:
        for classifier in current.classifiers:
            key = classifier, None, None, measure.name
            scores = (
                *(run.values.get(key) for run in runs),
                current.value(classifier, measure.name),
            )
            if any(scores):
                gates = tuple(_limiting_gates(current.spec, classifier, measure))
                yield MeasureTrend(
                    classifier,
                    measure.name,
                    scores,
                    tuple(dict.fromkeys(limit for _, limit in gates)),
                    tuple(
                        index
                        for index, score in enumerate(scores)
                        if score is not None and _is_beyond_limit(score, gates)
                    ),
                )


def _limiting_gates(spec: Spec, classifier: str, measure: Measure) -> Iterator[tuple[Gate, float]]:
    """Yield the gates on the overall value of a measure, with their limits."""
    for gate in spec.gates:
        limit = gate.at_least if gate.at_least is not None else gate.at_most
        is_overall = gate.class_ is None and gate.average is None
        same = gate.classifier == classifier and find_measure(gate.measure) is measure
        if limit is not None and is_overall and same:
            yield gate, limit


def _is_beyond_limit(value: MeasureValue, gates: Sequence[tuple[Gate, float]]) -> bool:
    for gate, _ in gates:
        tested = value_under_test(value, gate.bound)
        if isinstance(tested, str) or not passes_gate(tested, gate):
            return True
    return False


def _value_change(trend: MeasureTrend, run: PreviousRun, positive: str | None) -> ValueChange:
    then, now = trend.values[-2:]
    change = ValueChange(classifier=trend.classifier, measure=trend.measure, then=then, now=now)
    if then is None or now is None:
        return replace(change, note=NOT_MEASURED_BEFORE if then is None else NO_LONGER_MEASURED)
    if run.positive is not None and positive != run.positive:
        return replace(change, note=POSITIVE_CLASS_CHANGED)
    for score in (then, now):
        if score.state is ValueState.UNDEFINED:
            return replace(change, note=f"undefined: {score.reason}")
    key = trend.classifier, None, None, trend.measure
    row = compare_with_baseline(key, now, BaselineValue(run, then))
    if isinstance(row, str):
        difference = None if now.value is None or then.value is None else now.value - then.value
        return replace(change, difference=difference, note=row)
    unknown = trend.classifier in run.confusion and trend.classifier not in run.weights
    note = UNKNOWN_WEIGHT if unknown else None
    return replace(change, difference=row.difference, low=row.low, high=row.high, note=note)


def test_value_changes(
    changes: Sequence[ValueChange],
    current: CurrentRun,
    pairs: Sequence[ConfusionMatrixPair],
    attributions: Sequence[DriftAttribution],
) -> tuple[ValueChange, ...]:
    """Test every measure that has an interval in both runs, and adjust over all of them.

    Measures that always change together are one hypothesis. Proportions of the confusion matrix
    are tested by counts, as recall is; other measures by the quantile at which the MOVER interval
    of the difference ends at 0. In a binary task sensitivity and specificity are the recall of a
    class, whose test they take over.
    """
    by_classifier = {pair.classifier: pair for pair in pairs}
    recalls = _binary_recalls(current, attributions)
    verdicts = {reason.classifier: reason.verdict for reason in attributions}
    tested: list[ValueChange] = []
    for change in changes:
        recall = recalls.get((change.classifier, _hypothesis_of(change.measure)))
        if verdicts[change.classifier] is DriftVerdict.CLASSES_CHANGED:
            tested.append(replace(change, note=change.note or CLASSES_DIFFER))
        elif recall is not None:
            tested.append(_take_over_test(change, recall))
        else:
            tested.append(_test_value_change(change, current, by_classifier.get(change.classifier)))
    p_values: dict[tuple[str, str], float] = {}
    for change in tested:
        if change.p is not None and change.p_adjusted is None:
            key = change.classifier, _hypothesis_of(change.measure)
            # The p-values of one hypothesis differ only by approximation: the larger counts.
            p_values[key] = max(change.p, p_values.get(key, 0.0))
    n_families = DRIFT_FAMILIES if pairs else 1
    adjusted = _holm_in_share(list(p_values.values()), n_families)
    p_by_key = dict(zip(p_values, adjusted, strict=True))
    return tuple(
        _add_adjusted_p(change, p_by_key, current.spec.comparison.alpha) for change in tested
    )


def _hypothesis_of(measure: str) -> str:
    return EQUIVALENT_CHANGES.get(measure, measure)


def _take_over_test(change: ValueChange, recall: ProportionChange) -> ValueChange:
    return replace(
        change,
        test=TWO_PROPORTIONS_TEST,
        p=recall.p,
        p_adjusted=recall.p_adjusted,
        is_significant=recall.is_significant,
    )


def _add_adjusted_p(
    change: ValueChange, p_by_key: Mapping[tuple[str, str], float], alpha: float
) -> ValueChange:
    if change.p is None or change.p_adjusted is not None:
        return change
    p = p_by_key[change.classifier, _hypothesis_of(change.measure)]
    return replace(change, p_adjusted=p, is_significant=p <= alpha)


def _binary_recalls(
    current: CurrentRun, attributions: Sequence[DriftAttribution]
) -> dict[tuple[str, str], ProportionChange]:
    """Return the tested recalls of a binary task, by classifier and name of the measure."""
    positive = current.spec.task.positive
    if current.spec.task.kind != "binary":
        return {}
    return {
        (reason.classifier, "sensitivity" if rate.class_ == positive else "specificity"): rate
        for reason in attributions
        for rate in reason.recall_changes
        if rate.p is not None
    }


def _test_value_change(
    change: ValueChange, current: CurrentRun, pair: ConfusionMatrixPair | None
) -> ValueChange:
    if change.then is None or change.now is None or change.note is not None:
        return change
    measure = get_measure(change.measure)
    if pair is not None and isinstance(measure.interval, Proportion):
        counts = _proportion_counts(measure, current, pair)
        test = None if counts is None else homogeneity_test(*counts, current.spec.intervals.seed)
        if test is not None:
            return replace(change, test=TWO_PROPORTIONS_TEST, p=test.p)
    if FOLD_MEAN_INTERVAL in {change.then.method, change.now.method}:
        return replace(change, note=FEW_FOLDS)
    z = mover_z(change, current.spec.intervals.level)
    return change if z is None else replace(change, test=MOVER_TEST, p=chi2_sf(z * z))


def _proportion_counts(
    measure: Measure, current: CurrentRun, pair: ConfusionMatrixPair
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return cases with and without the property, previous and current."""
    run_counts = []
    for matrix, weight in zip((pair.then, pair.now), pair.weights, strict=True):
        counts = count_proportion(
            measure, matrix, weight, current.spec.task.positive, current.aggregates.classes
        )
        if counts is None:
            return None
        cases, among = counts
        run_counts.append((cases, among - cases))
    return run_counts[0], run_counts[1]


def mover_z(change: ValueChange, level: float) -> float | None:
    """Return the normal quantile at which the MOVER interval of the difference ends at 0.

    The distance of the limit nearer to 0 grows in proportion to the quantile, so that the p-value
    agrees with the interval at its level. None without an interval.
    """
    limit = change.low if (change.difference or 0.0) > 0 else change.high
    if change.difference is None or limit is None or not math.isfinite(limit):
        return None
    distance = abs(change.difference - limit)
    if distance == 0:
        return 0.0 if change.difference == 0 else None
    return abs(change.difference) / distance * critical_z(level)


def _add_measure_verdict(
    attribution: DriftAttribution, changes: Sequence[ValueChange]
) -> DriftAttribution:
    """Count the tests of overall measures in the verdict on a classifier."""
    tested = [
        change
        for change in changes
        if change.classifier == attribution.classifier and change.p is not None
    ]
    undecided = {DriftVerdict.NO_SIGNIFICANT_CHANGE, DriftVerdict.UNTESTED}
    if attribution.verdict not in undecided or not tested:
        return attribution
    changed = any(change.is_significant for change in tested)
    verdict = DriftVerdict.SIGNIFICANT_CHANGE if changed else DriftVerdict.NO_SIGNIFICANT_CHANGE
    return replace(attribution, verdict=verdict)


def _attributions(
    current: CurrentRun, run: PreviousRun, pairs: tuple[ConfusionMatrixPair, ...]
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
                added_classes=tuple(label for label in classes if label not in run.classes),
                removed_classes=tuple(label for label in run.classes if label not in classes),
            )
            for name in current.classifiers
        }
        return (), tuple(others.values())
    mixes, attributions = attribute_drift(
        pairs,
        classes,
        current.spec.intervals,
        current.spec.comparison.alpha,
    )
    by_classifier = {reason.classifier: reason for reason in attributions}
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
    if (
        confusion is None
        or current.spec.dataset_names
        or set(confusion.classes) != set(run.classes)
    ):
        return
    order = [run.classes.index(label) for label in confusion.classes]
    for classifier in current.spec.classifiers:
        weight = run.weights.get(classifier.name)
        if (
            classifier.fold_scores is None
            and classifier.name in run.confusion
            and weight is not None
        ):
            weights = weight, current.aggregates.case_weight(classifier.name)
            then = np.array(run.confusion[classifier.name])[np.ix_(order, order)]
            yield ConfusionMatrixPair(
                classifier.name, then, np.array(confusion.matrix(classifier.name)), weights
            )
