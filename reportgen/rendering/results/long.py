"""Rows of results.json that hold a matrix, a curve or several verdicts, in long form for tables."""

from typing import Literal

from pydantic import Field

from reportgen.rendering.results.rows import ResultModel


class ConfusionCell(ResultModel):
    """One count of a confusion matrix."""

    classifier: str
    """Whose it is."""
    fold: str | None
    """The fold; null: all cases."""
    truth: str
    """The true class."""
    prediction: str
    """The predicted class."""
    count: int
    """How many cases."""


class CurvePoint(ResultModel):
    """One point of a curve over all thresholds."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    kind: Literal["roc", "pr"]
    """The kind of curve."""
    x: float
    """1 − specificity, or recall."""
    y: float
    """Sensitivity, or precision."""
    threshold: float | None
    """The threshold; null: nothing is predicted as the class."""


class CapabilityCell(ResultModel):
    """One verdict of a capability table."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    table: Literal["traditional", "discriminant"]
    """By which measures."""
    capability: str
    """What was judged."""
    verdict: str
    """The word by the values found."""
    backed: bool | None
    """Whether a test supports it; null: not tested."""
    p_adjusted: float | None
    """The p-value behind it."""
    rank: int | None
    """The place."""
    of: int
    """How many were compared."""
