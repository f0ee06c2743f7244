"""Whether the gates of a spec are met."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.gates.differences import difference_of
from reportgen.comparisons.gates.earlier import Asked, Earlier, difference_since, find_earlier
from reportgen.comparisons.gates.not_worse import NO_TEST, judge_difference, margin_of_gate
from reportgen.comparisons.gates.outcome import GateOutcome
from reportgen.comparisons.gates.values import clears, mean_over_folds, number_to_clear, said_of
from reportgen.errors import did_you_mean
from reportgen.frozen import frozen
from reportgen.measures import Orientation, known_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.comparisons.gates.outcome import Condition
    from reportgen.comparisons.over_time.past import Past, ScoreKey
    from reportgen.scores import Score
    from reportgen.spec import Gate, Spec

NOT_COMPARABLE = "they were not measured on cases that can be compared"
UNREADABLE = "no history was read, or it could not be, so it is not known what an earlier run found"
FIRST_FAILS = ", and it says of itself that it then fails"
NOT_MEASURED = "it was not measured: the data have nothing to measure it by"


def judge_gates(  # noqa: PLR0913  # each is evidence of another kind
    spec: Spec,
    by_key: Mapping[ScoreKey, Score],
    differences: Sequence[Difference],
    past: Past,
    *,
    folds: Sequence[FoldSummary] = (),
    classes: Sequence[str] = (),
    data: str = "",
) -> tuple[GateOutcome, ...]:
    """Judge every gate; `data` is the fingerprint of the data, by which runs are told apart."""
    judge = _Judge(spec, by_key, differences, past, folds, tuple(classes), data)
    return tuple(map(judge.outcome, spec.gates))


@frozen
class _Judge:
    """The evidence that gates are judged by."""

    spec: Spec
    by_key: Mapping[ScoreKey, Score]
    differences: Sequence[Difference]
    past: Past
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

    def _score(self, gate: Gate, classifier: str) -> Score | None:
        name = known_measure(gate.measure).name
        found = self.by_key.get((classifier, gate.class_, gate.average, name))
        if found is None and gate.class_ is None and gate.average is None:
            return mean_over_folds(self.folds, classifier, name)
        return found

    def _by_the_letter(self, gate: Gate) -> GateOutcome:
        kind: Condition = "at_most" if gate.at_least is None else "at_least"
        wanted = gate.at_most if gate.at_least is None else gate.at_least
        score = self._score(gate, gate.classifier)
        stated = replace(_failed(gate, kind, wanted, score), bound=gate.bound)
        number = self._missing(gate) if score is None else number_to_clear(score, gate.bound)
        if score is None or isinstance(number, str):
            return replace(stated, why=str(number))
        return replace(
            stated,
            passed=clears(number, gate),
            tested=True,
            why=said_of(number, score, gate),
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
        row = difference_of(gate, self.differences, self.spec.task.positive)
        score = self._score(gate, gate.classifier)
        stated = _failed(gate, "not_worse_than", self._wanted(gate), score)
        stated = replace(stated, against=other)
        if row is None or row.difference is None:
            return replace(stated, why=self._untested(gate, other, row))
        return judge_difference(stated, row, margin_of_gate(gate, self.spec), self.spec)

    def _untested(self, gate: Gate, other: str, row: Difference | None) -> str:
        """Say why there is no difference: by the values first, then by the test."""
        for name in (gate.classifier, other):
            score = self._score(gate, name)
            if score is None:
                return f"of {name} {self._missing(gate)}"
            if score.number is None:
                return f"the value of {name} is undefined: {score.reason}"
            if math.isinf(score.number):
                return f"the value of {name} is infinite, so that the difference is no number"
        return f"{NO_TEST}: {row.note if row and row.note else NOT_COMPARABLE}"

    def _against_run(self, gate: Gate, which: str) -> GateOutcome:
        key = gate.classifier, gate.class_, gate.average, known_measure(gate.measure).name
        score = self._score(gate, gate.classifier)
        stated = _failed(gate, "not_worse_than_last", self._wanted(gate), score)
        if not self.past.is_readable:
            return replace(stated, why=UNREADABLE)
        if score is None or score.number is None:
            why = self._missing(gate) if score is None else number_to_clear(score, "value")
            return replace(stated, why=str(why))
        asked = Asked(which, key, self.data, self.classes, self.spec.task.positive)
        earlier = find_earlier(self.past, asked)
        if not isinstance(earlier, Earlier):
            passed = earlier.is_first and gate.first == "pass"
            why = f"{earlier.why}{FIRST_FAILS}" if earlier.is_first > passed else earlier.why
            return replace(stated, passed=passed, tested=earlier.has_failed, why=why)
        stated = replace(stated, against=earlier.run.id)
        row = difference_since(key, score, earlier)
        if isinstance(row, str):
            return replace(stated, tested=True, why=row)
        judged = judge_difference(stated, row, margin_of_gate(gate, self.spec), self.spec)
        return replace(judged, why=f"{judged.why}, compared with the run of {earlier.moment}")

    def _wanted(self, gate: Gate) -> float:
        """Return what the worse end of the interval of the difference must clear."""
        margin = margin_of_gate(gate, self.spec)
        return -margin if known_measure(gate.measure).orientation is Orientation.HIGHER else margin


def _failed(gate: Gate, kind: Condition, wanted: float | None, score: Score | None) -> GateOutcome:
    """Return a gate as long as nothing speaks for it."""
    literal = kind in {"at_least", "at_most"}
    return GateOutcome(
        classifier=gate.classifier,
        measure=known_measure(gate.measure).name,
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
