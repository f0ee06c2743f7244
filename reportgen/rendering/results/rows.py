"""The rows of results.json, each flat."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field


class ResultModel(BaseModel):
    """A part of results.json."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        from_attributes=True,
        # Validators are made with that of all results, not once for each row.
        defer_build=True,
        validate_by_name=True,
    )


class InputResult(ResultModel):
    """A file that was read."""

    classifier: str
    """For whom it was read."""
    path: str
    """The path as the spec names it; or that it was given in Python, and for whom."""
    sha256: str | None
    """The hash of its bytes; of what was given in Python, those as CSV; null: remote."""
    rows: int
    """How many rows it has."""


class ConfusionResult(ResultModel):
    """A confusion matrix."""

    classifier: str
    """Whose it is."""
    fold: str | None
    """The fold; null: all cases."""
    classes: tuple[str, ...]
    """The classes of rows and columns."""
    counts: tuple[tuple[int, ...], ...]
    """Rows are true classes, columns predicted ones."""


class ScoreResult(ResultModel):
    """One value of one measure."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """The class that was taken as positive; null: the task's positive class, or all classes."""
    average: Literal["macro", "micro", "weighted"] | None
    """How classes were averaged; null: they were not."""
    fold: str | None
    """The fold; null: all cases."""
    measure: str
    """The name in the catalogue."""
    value: float | None
    """The value; null when infinite or undefined."""
    state: Literal["defined", "infinite", "undefined"]
    """Whether there is a value."""
    reason: str | None
    """Why there is none, the sign of an infinity, or over how many classes an average is."""
    low: float | None = None
    """The lower end of the interval."""
    high: float | None = None
    """The upper end of the interval."""
    interval: str | None = None
    """The method of the interval."""


class FoldResult(ResultModel):
    """What the folds say together."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in scores."""
    measure: str
    """The name in the catalogue."""
    k: int
    """How many folds there are."""
    mean: float | None
    """The mean over the folds where the measure is finite."""
    variance: float | None
    """The variance between those folds (divisor one less than their number)."""
    variance_of_mean: float | None
    """The variance divided by the number of those folds."""
    low: float | None = None
    """The lower end of the interval."""
    high: float | None = None
    """The upper end of the interval."""
    undefined_folds: int
    """How many folds were left out because the measure is undefined or infinite there."""


class ComparisonResult(ResultModel):
    """A tested difference of two classifiers."""

    first: str
    """The one."""
    second: str
    """The other."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in scores."""
    measure: str
    """The name in the catalogue."""
    test: str
    """The test."""
    decisive: bool
    """Whether this test decides; the other tests of the same difference stand beside it."""
    data: Literal["paired", "unpaired", "folds"]
    """What the test was made on."""
    difference: float | None
    """First minus second."""
    low: float | None
    """The lower end of the interval of the difference."""
    high: float | None
    """The upper end of the interval of the difference."""
    statistic: float | None
    """The test's statistic."""
    df: float | None
    """Its degrees of freedom."""
    p: float | None
    """The p-value."""
    p_adjusted: float | None
    """The p-value adjusted for all comparisons made."""
    verdict: Literal["superior", "inferior", "tied", "undecided", "equivalent"]
    """What the decisive test says about the first; the same in all rows of a difference."""
    non_inferior: bool | None
    """Whether the first is worse by less than the margin at most; null: no margin was named."""
    cases_needed: int | None
    """How many cases would settle it with 80 % power if the difference found is the true one.

    10⁹ stands for as many or more.
    """
    note: str | None
    """What to know about this test."""


class OmnibusResult(ResultModel):
    """One test of all classifiers together."""

    test: str
    """The test."""
    measure: str
    """The name in the catalogue."""
    statistic: float | None
    """The test's statistic; null: all classifiers are right on the same cases."""
    df: int
    """Its degrees of freedom."""
    p: float | None
    """The p-value."""
    classifiers: int
    """How many classifiers were compared."""
    cases: int
    """On how many cases."""


class RelationResult(ResultModel):
    """What the first classifier is to the second in confirming classes."""

    first: str
    """The one."""
    second: str
    """The other."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    relation: str
    """The relation in words."""
    swapped: bool
    """Whether the likelihood ratios of one of them were swapped, being below 1."""
    p_positive: float | None
    """The p-value for the positive likelihood ratios."""
    p_negative: float | None
    """The p-value for the negative likelihood ratios."""
    backed: bool | None
    """Whether a test supports it; null: not tested."""
    reverse_backed: bool | None
    """The same for the relation of the second to the first, which is the mirrored one."""


class CurveResult(ResultModel):
    """A curve over all thresholds."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    kind: Literal["roc", "pr"]
    """The kind of curve."""
    points: tuple[tuple[float, float, float | None], ...]
    """x, y and threshold."""


class GateResult(ResultModel):
    """A condition the results had to meet."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in scores."""
    measure: str
    """The name in the catalogue."""
    kind: Literal["at_least", "at_most", "not_worse_than", "not_worse_than_last"]
    """The condition."""
    bound: Literal["low", "value", "high"] | None
    """What had to clear it: the value or an end of its interval; null: a difference had to."""
    against: str | None
    """The other classifier, or the id of the earlier run; null: there is none."""
    level: Literal["error", "warning"]
    """Whether it ends the run with exit code 1, or is only told."""
    passed: bool
    """Whether it was met; what could not be computed was not."""
    tested: bool
    """Whether there was something to judge it by; false and passed: no run to be worse than yet."""
    found: float | None
    """The number that had to clear `wanted`; null: it could not be computed, or is infinite.

    Where nobody may be worse it is the worse end of the interval of the difference.
    """
    wanted: float | None
    """What was wanted; of a difference the margin, with the sign of being worse."""
    value: float | None
    """The value, or the difference."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end of its interval."""
    why: str
    """The reason in words."""


class PublishedResult(ResultModel):
    """A published value against the computed one."""

    classifier: str
    """Whose it is."""
    class_: str | None = Field(alias="class")
    """As in scores."""
    measure: str
    """A measure or a capability."""
    prevalence: float | None
    """The prevalence the value is for; null: that of the data."""
    published: float | str
    """What was printed."""
    computed: float | str | None
    """What the data give, in the same unit."""
    unit: str | None
    """The unit of both."""
    agrees: bool
    """Whether the computed value, rounded as printed, is the printed one."""
    source: str | None
    """Where it was printed."""
    note: str | None
    """What the spec says about it."""
