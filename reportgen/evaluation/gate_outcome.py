"""What became of a gate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.evaluation.values import MeasureValue

GateCondition: TypeAlias = Literal["at_least", "at_most", "not_worse_than", "not_worse_than_last"]


class GateVerdict(StrEnum):
    """What became of a gate; untested: it passed because there was nothing to hold it against."""

    PASSED = "passed"
    FAILED = "failed"
    WARNING = "warning"
    UNTESTED = "untested"


class EvaluatedGate(Protocol):
    """A gate that was judged: an outcome, or what a history or a manifest keeps of it."""

    @property
    def classifier(self) -> str:
        """Whose it is."""

    @property
    def measure(self) -> str:
        """The name in the catalogue."""

    @property
    def class_(self) -> str | None:
        """The class, if it is of one."""

    @property
    def average(self) -> str | None:
        """The average, if it is of one."""

    @property
    def level(self) -> str:
        """Whether it ends a run with exit code 1."""

    @property
    def kind(self) -> str:
        """The condition; empty: it is not known any more."""

    @property
    def bound(self) -> str | None:
        """Which end of the interval had to clear it."""

    @property
    def against(self) -> str | None:
        """The other classifier, or the earlier run."""

    @property
    def passed(self) -> bool:
        """Whether it was met."""

    @property
    def tested(self) -> bool:
        """Whether there was something to judge it by."""

    @property
    def observed(self) -> float | None:
        """What had to clear what is wanted."""

    @property
    def criterion(self) -> float | None:
        """What is wanted."""

    @property
    def reason(self) -> str:
        """Why it was met or not."""


def gate_verdict(gate: EvaluatedGate) -> GateVerdict:
    """Say what became of a gate, in a word."""
    if gate.passed:
        return GateVerdict.PASSED if gate.tested else GateVerdict.UNTESTED
    return GateVerdict.FAILED if gate.level == "error" else GateVerdict.WARNING


def gate_record(gate: EvaluatedGate) -> dict[str, object]:
    """Return a gate as programs read it, wherever it is told."""
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
    """A gate, what was found and wanted, whether that meets it, and why in plain words.

    `found` is the number that had to clear `wanted`: a value or an end of its interval or, where
    nobody may be worse, the worse end of the interval of the difference. It is None where it could
    not be computed, or is infinite.
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
        """What became of it, in a word."""
        return gate_verdict(self)

    @property
    def is_difference(self) -> bool:
        """Tell whether a difference was judged, not a value."""
        return self.kind in {"not_worse_than", "not_worse_than_last"}

    @property
    def fails_run(self) -> bool:
        """Tell whether the run ends with exit code 1 because of it."""
        return not self.passed and self.level == "error"


def gate_warnings(outcomes: Iterable[GateOutcome]) -> tuple[str, ...]:
    """Warn of gates that passed because there is nothing yet that could be worse."""
    return tuple(
        f"the gate on `{outcome.measure}` of `{outcome.classifier}` passed untested:"
        f" {outcome.reason}"
        for outcome in outcomes
        if outcome.verdict is GateVerdict.UNTESTED
    )
