"""Gates judged on small counts, with or without earlier runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.evaluation.previous_runs import EMPTY_HISTORY, PreviousRun, RunHistory
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.pipeline import evaluate_spec_file
from reportgen.spec import load_spec
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.evaluation.values import ValueKey

# Example (a) of Newcombe 1998: 56 of 70 and 48 of 80 positives found.
NEWCOMBE = {
    "A": "confusion = [[56, 14], [10, 90]]",
    "B": "confusion = [[48, 32], [10, 90]]",
}
# One-sided at 0.025, so that the interval is the printed one of 95 %.
TWO_SIDED = "[comparison]\nalpha = 0.025\n"


def evaluated(
    folder: Path,
    gates: str,
    classifiers: Mapping[str, str] = NEWCOMBE,
    more: str = "",
    history: RunHistory = EMPTY_HISTORY,
) -> Evaluation:
    """Evaluate classifiers given by the keys of their tables."""
    tables = (f'[[classifiers]]\nname = "{name}"\n{keys}\n' for name, keys in classifiers.items())
    path = folder / "spec.toml"
    path.write_text(YES_OR_NO + more + "".join(tables) + gates, encoding="utf-8")
    return evaluate_spec_file(load_spec(path), history=history)


def evaluate_gate(  # noqa: PLR0913, PLR0917  # what is usual need not be named
    folder: Path,
    gate: str,
    classifiers: Mapping[str, str] = NEWCOMBE,
    more: str = "",
    history: RunHistory = EMPTY_HISTORY,
    classifier: str = "A",
) -> GateOutcome:
    """Return what becomes of one gate."""
    text = f'[[gates]]\nclassifier = "{classifier}"\n{gate}\n'
    (outcome,) = evaluated(folder, text, classifiers, more, history).gates
    return outcome


def run(
    scores: Mapping[ValueKey, MeasureValue],
    *,
    number: int = 1,
    data: str = "old",
    published: bool = True,
    failed: Iterable[ValueKey] = (),
) -> PreviousRun:
    """Return an earlier run; the later its number, the later it ended."""
    return PreviousRun(
        id=f"run-{number}",
        ended=datetime(2026, 3, number, tzinfo=UTC),
        version="0.1.0",
        data_fingerprint=data,
        published=published,
        classes=("yes", "no"),
        values=scores,
        level=0.95,
        confusion={},
        positive="yes",
        failed_keys=frozenset(failed),
    )


def measure_value(
    value: float, low: float | None = None, high: float | None = None
) -> MeasureValue:
    """Return a score with its interval, if it has one."""
    return MeasureValue(
        value, ValueState.DEFINED, None, low, high, None if low is None else "Wilson"
    )
