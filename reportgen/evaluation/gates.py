"""Gates: acceptance criteria on values, confidence limits and differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.errors import did_you_mean
from reportgen.evaluation.comparisons import compare_classifiers
from reportgen.evaluation.cross_validation import run_fold_tests
from reportgen.evaluation.gate_outcome import GateOutcome
from reportgen.evaluation.non_inferiority import (
    DIFFERENCE_NOT_TESTABLE,
    BaselineValue,
    GateQuery,
    assess_non_inferiority,
    compare_with_baseline,
    find_baseline,
    non_inferiority_margin,
)
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Orientation, get_measure
from reportgen.measures.ordering import is_close

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.gate_outcome import GateCondition
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.evaluation.values import MeasureValues, ValueKey
    from reportgen.measures import Measure
    from reportgen.spec import Gate, Spec


FOLD_MEAN_INTERVAL = "mean over folds"
CONFIDENCE_LIMITS = {"low": "the lower confidence limit", "high": "the upper confidence limit"}


def fold_mean_value(
    fold_summaries: Sequence[FoldSummary], classifier: str, measure: str
) -> MeasureValue | None:
    """Return the mean over folds of a classifier for which only fold values are known."""
    matching = [
        fold
        for fold in fold_summaries
        if fold.is_overall and (fold.classifier, fold.measure) == (classifier, measure)
    ]
    if not matching:
        return None
    mean, low, high = matching[0].mean, matching[0].low, matching[0].high
    if mean is None:
        return MeasureValue(None, ValueState.UNDEFINED, "there is no fold with a finite value")
    has_ends = low is not None and high is not None
    return MeasureValue(
        mean, ValueState.DEFINED, None, low, high, FOLD_MEAN_INTERVAL if has_ends else None
    )


def value_under_test(value: MeasureValue, bound: str) -> float | str:
    """Return the value or the confidence limit to test; or the reason why there is none."""
    number = value.number
    if number is None:
        return f"the value is undefined: {value.reason or 'it cannot be computed'}"
    if bound == "value":
        return number
    if value.method is None:
        state = "infinite and has" if math.isinf(number) else "known, but there is"
        return f"the value is {state} no interval"
    if bound == "low":
        return -math.inf if value.low is None else value.low
    return math.inf if value.high is None else value.high


def passes_gate(tested_value: float, gate: Gate) -> bool:
    """Return whether a number meets the criterion, up to rounding."""
    if gate.at_least is not None:
        return tested_value >= gate.at_least or is_close(tested_value, gate.at_least)
    most = math.inf if gate.at_most is None else gate.at_most
    return tested_value <= most or is_close(tested_value, most)


def describe_gate_result(tested_value: float, measure_value: MeasureValue, gate: Gate) -> str:
    """Return the reason why a number meets the criterion or not."""
    least, passed = gate.at_least is not None, passes_gate(tested_value, gate)
    quantity = CONFIDENCE_LIMITS.get(gate.bound, "the value")
    pass_text = "at least the minimum" if least else "at most the maximum"
    fail_text = "below the minimum" if least else "above the maximum"
    infinite = "infinite and " if math.isinf(tested_value) else ""
    result = f"{quantity} is {infinite}{pass_text if passed else fail_text}"
    value = measure_value.number
    if passed or gate.bound == "value" or value is None or not passes_gate(value, gate):
        return result
    return f"{result}, though the value is {pass_text}"


def gate_comparisons(
    spec: Spec,
    aggregates: Aggregates,
    values: MeasureValues,
    by_key: Mapping[ValueKey, MeasureValue],
    comparisons: Sequence[Comparison],
) -> tuple[Comparison, ...]:
    """Return the primary comparisons of the report, and those that only gates need.

    The latter are not part of the report's family: each gate is a single prespecified test.
    """
    missing: dict[tuple[str, str], list[Measure]] = {}
    for gate in spec.gates:
        if gate.not_worse_than is None:
            continue
        if find_gate_comparison(gate, comparisons, spec.task.positive) is None:
            pair = gate.classifier, gate.not_worse_than
            missing.setdefault(pair, []).append(get_measure(gate.measure))
    gates = [
        row
        for pair, measures in missing.items()
        for row in _compare_pair(spec, aggregates, values, by_key, (pair, tuple(measures)))
    ]
    return tuple(row for row in (*comparisons, *gates) if row.primary_test)


def find_gate_comparison(
    gate: Gate, comparisons: Sequence[Comparison], positive: str | None
) -> Comparison | None:
    """Return the comparison of a gate, its classifier minus the other one."""
    pair = gate.classifier, gate.not_worse_than
    # The positive class of a binary task goes unnamed in tests.
    class_ = None if gate.class_ == positive else gate.class_
    value_key = get_measure(gate.measure).name, class_, gate.average
    for row in comparisons:
        if row.primary_test and (row.measure, row.class_, row.average) == value_key:
            if (row.first, row.second) == pair:
                return row
            if (row.second, row.first) == pair:
                return row.reversed
    return None


def _compare_pair(
    spec: Spec,
    aggregates: Aggregates,
    values: MeasureValues,
    by_key: Mapping[ValueKey, MeasureValue],
    pair_and_measures: tuple[tuple[str, str], tuple[Measure, ...]],
) -> tuple[Comparison, ...]:
    """Compare two classifiers without adjustment for the others."""
    pair, measures = pair_and_measures
    classifiers = tuple(classifier for classifier in spec.classifiers if classifier.name in pair)
    comparison = spec.comparison.model_copy(
        update={"baseline": None, "primary": None, "margin": None, "correction": "none"}
    )
    pair_spec = spec.model_copy(update={"classifiers": classifiers, "comparison": comparison})
    return compare_classifiers(
        pair_spec, aggregates, by_key, measures, run_fold_tests(values, pair_spec, aggregates), None
    )


CASES_NOT_COMPARABLE = "they were not measured on cases that can be compared"
HISTORY_NOT_READABLE = (
    "no history was read, or it could not be, so it is not known what an earlier run found"
)
FIRST_RUN_FAILS = ", and it says of itself that it then fails"
NOT_MEASURED = "it was not measured: the data have nothing to measure it by"


def evaluate_gates(  # noqa: PLR0913  # each is evidence of another kind
    spec: Spec,
    by_key: Mapping[ValueKey, MeasureValue],
    comparisons: Sequence[Comparison],
    history: RunHistory,
    *,
    fold_summaries: Sequence[FoldSummary],
    classes: Sequence[str],
    data_fingerprint: str,
) -> tuple[GateOutcome, ...]:
    """Evaluate every gate; the fingerprint identifies the data of the current run."""
    evaluator = _GateEvaluator(
        spec, by_key, comparisons, history, fold_summaries, tuple(classes), data_fingerprint
    )
    return tuple(map(evaluator.evaluate, spec.gates))


@dataclass(frozen=True, slots=True)
class _GateEvaluator:
    """The results that gates are evaluated on."""

    spec: Spec
    by_key: Mapping[ValueKey, MeasureValue]
    comparisons: Sequence[Comparison]
    history: RunHistory
    fold_summaries: Sequence[FoldSummary]
    classes: tuple[str, ...]
    data_fingerprint: str

    def evaluate(self, gate: Gate) -> GateOutcome:
        """Evaluate a gate."""
        if gate.not_worse_than is not None:
            return self._against_classifier(gate, gate.not_worse_than)
        if gate.not_worse_than_last is not None:
            return self._against_previous_run(gate, gate.not_worse_than_last)
        return self._against_limit(gate)

    def _value(self, gate: Gate, classifier: str) -> MeasureValue | None:
        name = get_measure(gate.measure).name
        measure_value = self.by_key.get((classifier, gate.class_, gate.average, name))
        if measure_value is None and gate.class_ is None and gate.average is None:
            return fold_mean_value(self.fold_summaries, classifier, name)
        return measure_value

    def _against_limit(self, gate: Gate) -> GateOutcome:
        kind: GateCondition = "at_most" if gate.at_least is None else "at_least"
        limit = gate.at_most if gate.at_least is None else gate.at_least
        score = self._value(gate, gate.classifier)
        outcome = replace(_failed_outcome(gate, kind, limit, score), bound=gate.bound)
        number = (
            self._missing_value_reason(gate)
            if score is None
            else value_under_test(score, gate.bound)
        )
        if score is None or isinstance(number, str):
            return replace(outcome, reason=str(number))
        return replace(
            outcome,
            passed=passes_gate(number, gate),
            tested=True,
            reason=describe_gate_result(number, score, gate),
            observed=number if math.isfinite(number) else None,
        )

    def _missing_value_reason(self, gate: Gate) -> str:
        """Return why there is no value."""
        classes = sorted({class_ for _, class_, _, _ in self.by_key if class_ is not None})
        if gate.class_ is None or gate.class_ in classes:
            return NOT_MEASURED
        reason = f"the class {gate.class_} does not occur in the data"
        hint = did_you_mean(gate.class_, classes)
        return f"{reason}: {hint}" if hint else reason

    def _against_classifier(self, gate: Gate, other: str) -> GateOutcome:
        row = find_gate_comparison(gate, self.comparisons, self.spec.task.positive)
        score = self._value(gate, gate.classifier)
        outcome = _failed_outcome(gate, "not_worse_than", self._non_inferiority_limit(gate), score)
        outcome = replace(outcome, against=other)
        if row is None or row.difference is None:
            return replace(outcome, reason=self._untested_reason(gate, other, row))
        return assess_non_inferiority(
            outcome, row, non_inferiority_margin(gate, self.spec), self.spec
        )

    def _untested_reason(self, gate: Gate, other: str, comparison: Comparison | None) -> str:
        """Return why there is no difference: because of the values, or of the test."""
        for name in (gate.classifier, other):
            score = self._value(gate, name)
            if score is None:
                return f"of {name} {self._missing_value_reason(gate)}"
            if score.number is None:
                return f"the value of {name} is undefined: {score.reason}"
            if math.isinf(score.number):
                return f"the value of {name} is infinite, so that the difference is no number"
        note = comparison.note if comparison and comparison.note else CASES_NOT_COMPARABLE
        return f"{DIFFERENCE_NOT_TESTABLE}: {note}"

    def _against_previous_run(self, gate: Gate, baseline_kind: str) -> GateOutcome:
        key = gate.classifier, gate.class_, gate.average, get_measure(gate.measure).name
        score = self._value(gate, gate.classifier)
        outcome = _failed_outcome(
            gate, "not_worse_than_last", self._non_inferiority_limit(gate), score
        )
        if not self.history.is_readable:
            return replace(outcome, reason=HISTORY_NOT_READABLE)
        if score is None or score.number is None:
            reason = (
                self._missing_value_reason(gate)
                if score is None
                else value_under_test(score, "value")
            )
            return replace(outcome, reason=str(reason))
        query = GateQuery(
            baseline_kind, key, self.data_fingerprint, self.classes, self.spec.task.positive
        )
        earlier = find_baseline(self.history, query)
        if not isinstance(earlier, BaselineValue):
            passed = earlier.is_first_run and gate.first == "pass"
            reason = (
                f"{earlier.reason}{FIRST_RUN_FAILS}"
                if earlier.is_first_run > passed
                else earlier.reason
            )
            return replace(outcome, passed=passed, tested=earlier.all_runs_failed, reason=reason)
        outcome = replace(outcome, against=earlier.run.id)
        row = compare_with_baseline(key, score, earlier)
        if isinstance(row, str):
            return replace(outcome, tested=True, reason=row)
        assessment = assess_non_inferiority(
            outcome, row, non_inferiority_margin(gate, self.spec), self.spec
        )
        return replace(
            assessment, reason=f"{assessment.reason}, compared with the run of {earlier.run_time}"
        )

    def _non_inferiority_limit(self, gate: Gate) -> float:
        """Return the limit for the worse confidence limit of the difference."""
        margin = non_inferiority_margin(gate, self.spec)
        return -margin if get_measure(gate.measure).orientation is Orientation.HIGHER else margin


def _failed_outcome(
    gate: Gate, condition: GateCondition, criterion: float | None, value: MeasureValue | None
) -> GateOutcome:
    """Return the outcome of a gate before anything supports it."""
    literal = condition in {"at_least", "at_most"}
    return GateOutcome(
        classifier=gate.classifier,
        measure=get_measure(gate.measure).name,
        class_=gate.class_,
        average=gate.average,
        kind=condition,
        bound=None,
        level=gate.level,
        passed=False,
        tested=False,
        reason="",
        criterion=criterion,
        value=value.value if literal and value else None,
        low=value.low if literal and value else None,
        high=value.high if literal and value else None,
        measure_value=value,
    )
