"""Whether the gates of a spec are met."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.errors import did_you_mean
from reportgen.evaluation.comparison import is_close
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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.gate_outcome import GateCondition
    from reportgen.evaluation.previous_runs import RunHistory, ValueKey
    from reportgen.evaluation.values import MeasureValues
    from reportgen.measures import Measure
    from reportgen.spec import Gate, Spec


# Gates on a value, or on an end of its interval: taken by the letter, whichever way is better.

FOLD_MEAN_INTERVAL = "mean over folds"
INTERVAL_ENDS = {"low": "the low end of the interval", "high": "the high end of the interval"}


def fold_mean_value(
    folds: Sequence[FoldSummary], classifier: str, measure: str
) -> MeasureValue | None:
    """Return the mean of a classifier of which only scores per fold are known."""
    found = [
        fold
        for fold in folds
        if fold.is_of_whole and (fold.classifier, fold.measure) == (classifier, measure)
    ]
    if not found:
        return None
    mean, low, high = found[0].mean, found[0].low, found[0].high
    if mean is None:
        return MeasureValue(None, ValueState.UNDEFINED, "there is no fold with a finite value")
    has_ends = low is not None and high is not None
    return MeasureValue(
        mean, ValueState.DEFINED, None, low, high, FOLD_MEAN_INTERVAL if has_ends else None
    )


def value_under_test(score: MeasureValue, bound: str) -> float | str:
    """Return the value or the end of its interval; or, in words, why there is none."""
    number = score.number
    if number is None:
        return f"the value is undefined: {score.reason or 'it cannot be computed'}"
    if bound == "value":
        return number
    if score.interval is None:
        state = "infinite and has" if math.isinf(number) else "known, but there is"
        return f"the value is {state} no interval"
    if bound == "low":
        return -math.inf if score.low is None else score.low
    return math.inf if score.high is None else score.high


def passes_gate(number: float, gate: Gate) -> bool:
    """Tell whether a number is as the gate wants it; rounding never decides."""
    if gate.at_least is not None:
        return number >= gate.at_least or is_close(number, gate.at_least)
    most = math.inf if gate.at_most is None else gate.at_most
    return number <= most or is_close(number, most)


def describe_gate_result(number: float, score: MeasureValue, gate: Gate) -> str:
    """Say how a number clears what is wanted, or that it does not."""
    least, passed = gate.at_least is not None, passes_gate(number, gate)
    what = INTERVAL_ENDS.get(gate.bound, "the value")
    met = "reaches what is wanted" if least else "does not exceed what is wanted"
    missed = "falls short of what is wanted" if least else "exceeds what is wanted"
    infinite = "infinite and " if math.isinf(number) else ""
    said = f"{what} {'is ' + infinite if infinite else ''}{met if passed else missed}"
    value = score.number
    if passed or gate.bound == "value" or value is None or not passes_gate(value, gate):
        return said
    return f"{said}, though the value {'reaches' if least else 'does not exceed'} it"


# The differences that gates are about, also where the report does not compare them.


def gate_comparisons(
    spec: Spec,
    predictions: Aggregates,
    scores: MeasureValues,
    by_key: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    differences: Sequence[Comparison],
) -> tuple[Comparison, ...]:
    """Return the decisive differences of the report, and those that only gates ask for.

    The latter stay out of the family of the report's tests: a gate is a question of its own and
    makes no other answer less sure.
    """
    wanted: dict[tuple[str, str], list[Measure]] = {}
    for gate in spec.gates:
        if gate.not_worse_than is None:
            continue
        if find_gate_comparison(gate, differences, spec.task.positive) is None:
            pair = gate.classifier, gate.not_worse_than
            wanted.setdefault(pair, []).append(get_measure(gate.measure))
    asked = [
        row
        for pair, measures in wanted.items()
        for row in _compare_pair(spec, predictions, scores, by_key, (pair, tuple(measures)))
    ]
    return tuple(row for row in (*differences, *asked) if row.decisive)


def find_gate_comparison(
    gate: Gate, differences: Sequence[Comparison], positive: str | None
) -> Comparison | None:
    """Return the tested difference of a gate, its classifier less the other one."""
    pair = gate.classifier, gate.not_worse_than
    # The positive class of a binary task goes unnamed in tests.
    class_ = None if gate.class_ == positive else gate.class_
    what = get_measure(gate.measure).name, class_, gate.average
    for row in differences:
        if row.decisive and (row.measure, row.class_, row.average) == what:
            if (row.first, row.second) == pair:
                return row
            if (row.second, row.first) == pair:
                return row.turned
    return None


def _compare_pair(
    spec: Spec,
    predictions: Aggregates,
    scores: MeasureValues,
    by_key: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    asked: tuple[tuple[str, str], tuple[Measure, ...]],
) -> tuple[Comparison, ...]:
    """Compare two classifiers as if nobody else were there."""
    pair, measures = asked
    both = tuple(each for each in spec.classifiers if each.name in pair)
    plain = spec.comparison.model_copy(
        update={"baseline": None, "primary": None, "margin": None, "correction": "none"}
    )
    alone = spec.model_copy(update={"classifiers": both, "comparison": plain})
    return compare_classifiers(
        alone, predictions, by_key, measures, run_fold_tests(scores, alone, predictions)
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
    differences: Sequence[Comparison],
    past: RunHistory,
    *,
    folds: Sequence[FoldSummary] = (),
    classes: Sequence[str] = (),
    data: str = "",
) -> tuple[GateOutcome, ...]:
    """Judge every gate; `data` is the fingerprint of the data, by which runs are told apart."""
    judge = _GateEvaluator(spec, by_key, differences, past, folds, tuple(classes), data)
    return tuple(map(judge.outcome, spec.gates))


@dataclass(frozen=True, slots=True)
class _GateEvaluator:
    """The evidence that gates are judged by."""

    spec: Spec
    by_key: Mapping[ValueKey, MeasureValue]
    differences: Sequence[Comparison]
    past: RunHistory
    folds: Sequence[FoldSummary]
    classes: tuple[str, ...]
    data: str

    def outcome(self, gate: Gate) -> GateOutcome:
        """Judge a gate."""
        if gate.not_worse_than is not None:
            return self._against_classifier(gate, gate.not_worse_than)
        if gate.not_worse_than_last is not None:
            return self._against_run(gate, gate.not_worse_than_last)
        return self._by_the_letter(gate)

    def _score(self, gate: Gate, classifier: str) -> MeasureValue | None:
        name = get_measure(gate.measure).name
        found = self.by_key.get((classifier, gate.class_, gate.average, name))
        if found is None and gate.class_ is None and gate.average is None:
            return fold_mean_value(self.folds, classifier, name)
        return found

    def _by_the_letter(self, gate: Gate) -> GateOutcome:
        kind: GateCondition = "at_most" if gate.at_least is None else "at_least"
        wanted = gate.at_most if gate.at_least is None else gate.at_least
        score = self._score(gate, gate.classifier)
        stated = replace(_failed_outcome(gate, kind, wanted, score), bound=gate.bound)
        number = self._missing(gate) if score is None else value_under_test(score, gate.bound)
        if score is None or isinstance(number, str):
            return replace(stated, why=str(number))
        return replace(
            stated,
            passed=passes_gate(number, gate),
            tested=True,
            why=describe_gate_result(number, score, gate),
            found=number if math.isfinite(number) else None,
        )

    def _missing(self, gate: Gate) -> str:
        """Say why there is no value at all."""
        classes = sorted({class_ for _, class_, _, _ in self.by_key if class_ is not None})
        if gate.class_ is None or gate.class_ in classes:
            return NOT_MEASURED
        said = f"the class {gate.class_} does not occur in the data"
        hint = did_you_mean(gate.class_, classes)
        return f"{said}: {hint}" if hint else said

    def _against_classifier(self, gate: Gate, other: str) -> GateOutcome:
        row = find_gate_comparison(gate, self.differences, self.spec.task.positive)
        score = self._score(gate, gate.classifier)
        stated = _failed_outcome(gate, "not_worse_than", self._wanted(gate), score)
        stated = replace(stated, against=other)
        if row is None or row.difference is None:
            return replace(stated, why=self._untested(gate, other, row))
        return assess_non_inferiority(
            stated, row, non_inferiority_margin(gate, self.spec), self.spec
        )

    def _untested(self, gate: Gate, other: str, row: Comparison | None) -> str:
        """Say why there is no difference: by the values first, then by the test."""
        for name in (gate.classifier, other):
            score = self._score(gate, name)
            if score is None:
                return f"of {name} {self._missing(gate)}"
            if score.number is None:
                return f"the value of {name} is undefined: {score.reason}"
            if math.isinf(score.number):
                return f"the value of {name} is infinite, so that the difference is no number"
        return (
            f"{DIFFERENCE_NOT_TESTABLE}: {row.note if row and row.note else CASES_NOT_COMPARABLE}"
        )

    def _against_run(self, gate: Gate, which: str) -> GateOutcome:
        key = gate.classifier, gate.class_, gate.average, get_measure(gate.measure).name
        score = self._score(gate, gate.classifier)
        stated = _failed_outcome(gate, "not_worse_than_last", self._wanted(gate), score)
        if not self.past.is_readable:
            return replace(stated, why=HISTORY_NOT_READABLE)
        if score is None or score.number is None:
            why = self._missing(gate) if score is None else value_under_test(score, "value")
            return replace(stated, why=str(why))
        asked = GateQuery(which, key, self.data, self.classes, self.spec.task.positive)
        earlier = find_baseline(self.past, asked)
        if not isinstance(earlier, BaselineValue):
            passed = earlier.is_first and gate.first == "pass"
            why = f"{earlier.why}{FIRST_RUN_FAILS}" if earlier.is_first > passed else earlier.why
            return replace(stated, passed=passed, tested=earlier.has_failed, why=why)
        stated = replace(stated, against=earlier.run.id)
        row = compare_with_baseline(key, score, earlier)
        if isinstance(row, str):
            return replace(stated, tested=True, why=row)
        judged = assess_non_inferiority(
            stated, row, non_inferiority_margin(gate, self.spec), self.spec
        )
        return replace(judged, why=f"{judged.why}, compared with the run of {earlier.moment}")

    def _wanted(self, gate: Gate) -> float:
        """Return what the worse end of the interval of the difference must clear."""
        margin = non_inferiority_margin(gate, self.spec)
        return -margin if get_measure(gate.measure).orientation is Orientation.HIGHER else margin


def _failed_outcome(
    gate: Gate, kind: GateCondition, wanted: float | None, score: MeasureValue | None
) -> GateOutcome:
    """Return a gate as long as nothing speaks for it."""
    literal = kind in {"at_least", "at_most"}
    return GateOutcome(
        classifier=gate.classifier,
        measure=get_measure(gate.measure).name,
        class_=gate.class_,
        average=gate.average,
        kind=kind,
        bound=None,
        level=gate.level,
        passed=False,
        tested=False,
        why="",
        wanted=wanted,
        value=score.value if literal and score else None,
        low=score.low if literal and score else None,
        high=score.high if literal and score else None,
        score=score,
    )
