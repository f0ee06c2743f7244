"""What reading the predictions gives: tallies, inputs and the audit of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from reportgen.tallies.confusion import ConfusionTally
    from reportgen.tallies.pairs import PairTally
    from reportgen.tallies.regression import RegressionTally


@dataclass(frozen=True, slots=True)
class Input:
    """A file that was read, for whom, and how to recognise it."""

    classifier: str
    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class CaseAudit:
    """How the cases of one classifier compare with the cases that were asked for.

    `cases` are those it was measured on; `rows` counts what its files hold.
    """

    classifier: str
    rows: int
    cases: int
    missing: int
    extra: int
    duplicated: int
    contradicting: int
    missing_examples: tuple[str, ...] = ()
    extra_examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Predictions:
    """Everything later steps need to know of the prediction files."""

    classes: tuple[str, ...]
    confusion: ConfusionTally | None
    regression: RegressionTally | None
    inputs: tuple[Input, ...]
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int | None
    warnings: tuple[str, ...]
    distinct_cases: int | None = None
    """How many different ids the cases have, if ids repeat over folds."""
    pairs: PairTally | None = None
    """The answers of every two classifiers whose predictions were joined case by case."""
