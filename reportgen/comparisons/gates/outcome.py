"""What became of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.scores import Score

Condition: TypeAlias = Literal["at_least", "at_most", "not_worse_than", "not_worse_than_last"]


@frozen(kw_only=True)
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
    kind: Condition
    bound: Literal["low", "value", "high"] | None
    level: Literal["error", "warning"]
    passed: bool
    why: str
    found: float | None = None
    wanted: float | None = None
    against: str | None = None
    """The other classifier, or the id of the earlier run."""
    value: float | None = None
    """The value or the difference that was found; `low` and `high` are the ends of its interval."""
    low: float | None = None
    high: float | None = None
    score: Score | None = None
    """The value of the classifier, if it was measured."""
    is_without_past: bool = False
    """Whether it passed because there is no earlier run to be worse than."""

    @property
    def is_difference(self) -> bool:
        """Tell whether a difference was judged, not a value."""
        return self.kind in {"not_worse_than", "not_worse_than_last"}

    @property
    def stops(self) -> bool:
        """Tell whether the run ends with exit code 1 because of it."""
        return not self.passed and self.level == "error"


def gate_warnings(outcomes: Iterable[GateOutcome]) -> tuple[str, ...]:
    """Warn of gates that passed because there is nothing yet that could be worse."""
    return tuple(
        f"the gate on `{outcome.measure}` of `{outcome.classifier}` passed untested: {outcome.why}"
        for outcome in outcomes
        if outcome.is_without_past
    )
