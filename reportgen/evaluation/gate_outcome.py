"""Outcomes of gates (acceptance criteria)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reportgen.evaluation.values import MeasureValue

GateCondition: TypeAlias = Literal["at_least", "at_most", "not_worse_than", "not_worse_than_last"]


class GateVerdict(StrEnum):
    """The verdict on a gate; untested: passed because there was no baseline to compare with."""

    PASSED = "passed"
    FAILED = "failed"
    WARNING = "warning"
    UNTESTED = "untested"


class EvaluatedGate(Protocol):
    """An evaluated gate: an outcome, or its record in a history or a manifest."""

    @property
    def classifier(self) -> str:
        """The classifier that is gated."""

    @property
    def measure(self) -> str:
        """The machine name of the measure."""

    @property
    def class_(self) -> str | None:
        """The class of the measure, if any."""

    @property
    def average(self) -> str | None:
        """The average over classes, if any."""

    @property
    def level(self) -> str:
        """Whether a failure ends the run with exit code 1 (error) or warns."""

    @property
    def kind(self) -> str:
        """The kind of criterion; empty if it is unknown."""

    @property
    def bound(self) -> str | None:
        """Which confidence limit, or the value itself, is compared with the criterion."""

    @property
    def against(self) -> str | None:
        """The other classifier, or the baseline run."""

    @property
    def passed(self) -> bool:
        """Whether the criterion is met."""

    @property
    def tested(self) -> bool:
        """Whether there was something to compare with."""

    @property
    def observed(self) -> float | None:
        """The observed number that is compared with the criterion."""

    @property
    def criterion(self) -> float | None:
        """The number to reach."""

    @property
    def reason(self) -> str:
        """Why the criterion is met or not."""


def gate_verdict(gate: EvaluatedGate) -> GateVerdict:
    """Return the verdict on a gate."""
    if gate.passed:
        return GateVerdict.PASSED if gate.tested else GateVerdict.UNTESTED
    return GateVerdict.FAILED if gate.level == "error" else GateVerdict.WARNING


def format_gate_counts(gates: Iterable[EvaluatedGate]) -> str:
    """Return the number of gates per verdict as text; empty without gates."""
    return format_verdict_counts(Counter(map(gate_verdict, gates)))


def format_verdict_counts(counts: Mapping[GateVerdict, int]) -> str:
    """Return the number of gates per verdict as text, from the counts alone."""
    total = sum(counts.values())
    failed, passed, warned, untested = (
        counts.get(verdict, 0)
        for verdict in (
            GateVerdict.FAILED,
            GateVerdict.PASSED,
            GateVerdict.WARNING,
            GateVerdict.UNTESTED,
        )
    )
    parts = (
        f"{failed} of {total} gates failed" if failed else "",
        f"{passed} of {total} gates passed" if total and not failed else "",
        f"{warned} with a warning" if warned else "",
        f"{untested} untested" if untested else "",
    )
    return ", ".join(part for part in parts if part)


def gate_record(gate: EvaluatedGate) -> dict[str, object]:
    """Return a gate as a row for machine-readable output."""
    return {
        "classifier": gate.classifier,
        "measure": gate.measure,
        "class": gate.class_,
        "average": gate.average,
        "level": gate.level,
        "kind": gate.kind,
        "bound": gate.bound,
        "against": gate.against,
        "passed": gate.passed,
        "tested": gate.tested,
        "observed": _finite_or_none(gate.observed),
        "criterion": _finite_or_none(gate.criterion),
        "reason": gate.reason,
    }


def _finite_or_none(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """A gate with the observed number, the criterion, whether it is met, and the reason.

    `observed` is a value, a confidence limit or, for non-inferiority, the worse limit of the
    difference. It is None where it could not be computed or is infinite.
    """

    classifier: str
    measure: str
    class_: str | None
    average: Literal["macro", "micro", "weighted"] | None
    kind: GateCondition
    bound: Literal["low", "value", "high"] | None
    level: Literal["error", "warning"]
    passed: bool
    reason: str
    observed: float | None = None
    criterion: float | None = None
    against: str | None = None
    """The other classifier, or the id of the earlier run."""
    value: float | None = None
    """The value or the difference that was found; `low` and `high` are the ends of its interval."""
    low: float | None = None
    high: float | None = None
    measure_value: MeasureValue | None = None
    """The value of the classifier, if it was measured."""
    tested: bool = True
    """Whether there was something to judge it by; passed all the same: nothing to be worse than."""

    @property
    def verdict(self) -> GateVerdict:
        """The verdict on the gate."""
        return gate_verdict(self)

    @property
    def is_difference(self) -> bool:
        """Return whether a difference was evaluated, not a value."""
        return self.kind in {"not_worse_than", "not_worse_than_last"}

    @property
    def fails_run(self) -> bool:
        """Return whether the run ends with exit code 1 because of this gate."""
        return not self.passed and self.level == "error"


def gate_warnings(outcomes: Iterable[GateOutcome]) -> tuple[str, ...]:
    """Return warnings about gates that passed without a baseline."""
    return tuple(
        f"the gate on `{outcome.measure}` of `{outcome.classifier}` passed untested:"
        f" {outcome.reason}"
        for outcome in outcomes
        if outcome.verdict is GateVerdict.UNTESTED
    )
