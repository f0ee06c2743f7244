"""Change between runs: trends, input files, tests of every measure, and verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import count_proportion
from reportgen.evaluation.drift_attribution import (
    DRIFT_FAMILIES,
    ConfusionMatrixPair,
    DriftAttribution,
    DriftVerdict,
    attribute_drift,
    holm_in_family,
)
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.drift_attribution import LabelShiftTest, ProportionChange
    from reportgen.evaluation.previous_runs import PreviousRun, RunHistory
    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.measures import Measure
    from reportgen.predictions.load import Input
    from reportgen.spec import Spec
    from reportgen.spec.gates import Gate

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
    if all(value is None for trend in trends for value in trend.values[:-1]):
        return None
    pairs = tuple(_matrix_pairs(current, runs[-1]))
    label_shift_tests, attributions = _attributions(current, runs[-1], pairs)
    value_changes = test_value_changes(
        tuple(_value_change(trend, runs[-1], current.spec.task.positive) for trend in trends),
        current,
        pairs,
        attributions,
    )
    classifiers_then = {key[0] for key in runs[-1].values}
    return DriftAnalysis(
        runs=tuple(ComparedRun(run.id, run.ended, run.version) for run in runs),
        trends=trends,
        value_changes=value_changes,
        label_shift_tests=label_shift_tests,
        attributions=tuple(
            _add_measure_verdict(attribution, value_changes) for attribution in attributions
        ),
        removed_classifiers=tuple(sorted(classifiers_then - set(current.classifiers))),
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
            values = (
                *(run.values.get(key) for run in runs),
                current.value(classifier, measure.name),
            )
            if any(values):
                gates = tuple(_limiting_gates(current.spec, classifier, measure))
                yield MeasureTrend(
                    classifier,
                    measure.name,
                    values,
                    tuple(dict.fromkeys(limit for _, limit in gates)),
                    tuple(
                        index
                        for index, value in enumerate(values)
                        if value is not None and _is_beyond_limit(value, gates)
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
    for value in (then, now):
        if value.state is ValueState.UNDEFINED:
            return replace(change, note=f"undefined: {value.reason}")
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
    verdicts = {attribution.classifier: attribution.verdict for attribution in attributions}
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
    adjusted = holm_in_family(list(p_values.values()), n_families)
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
        (
            attribution.classifier,
            "sensitivity" if recall.class_ == positive else "specificity",
        ): recall
        for attribution in attributions
        for recall in attribution.recall_changes
        if recall.p is not None
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
        attributions = tuple(
            DriftAttribution(
                classifier=name,
                verdict=DriftVerdict.CLASSES_CHANGED
                if name in measured_then
                else DriftVerdict.NEW_CLASSIFIER,
                added_classes=tuple(label for label in classes if label not in run.classes),
                removed_classes=tuple(label for label in run.classes if label not in classes),
            )
            for name in current.classifiers
        )
        return (), attributions
    label_shift_tests, attributions = attribute_drift(
        pairs,
        classes,
        current.spec.intervals,
        current.spec.comparison.alpha,
    )
    by_classifier = {attribution.classifier: attribution for attribution in attributions}
    return label_shift_tests, tuple(
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
