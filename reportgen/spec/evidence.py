"""How sure the report has to be: intervals, comparisons, folds and the prevalence of use."""

from typing import Annotated, Literal

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Margin, Number, Share, Some

Draws = Annotated[int, Field(ge=200, le=100_000)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


class Intervals(SpecModel):
    """How wide the intervals around numbers are, and how they are found."""

    level: Share = Field(default=0.95, examples=[0.95])
    """The share of intervals that are to contain the true value."""

    method: Literal["recommended", "clopper-pearson", "bootstrap"] = Field(
        default="recommended", examples=["recommended"]
    )
    """The recommended one for each measure, Clopper-Pearson for shares, or resampling of counts.

    Areas under curves are resampled in tasks of two classes. Other measures of scores,
    probabilities and numeric predictions keep the recommended one.
    """

    draws: Draws = Field(default=2000, examples=[2000])
    """How many samples are drawn where resampling is used."""

    seed: Seed = Field(default=0, examples=[1])
    """Where random draws begin: the same seed gives the same report."""


class Comparison(SpecModel):
    """How classifiers are compared."""

    alpha: Share = Field(default=0.05, examples=[0.05])
    """The chance of a false claim that is allowed over the whole family of comparisons."""

    baseline: Line | None = Field(default=None, examples=["SVM"])
    """The classifier all others are compared with, instead of all pairs."""

    margin: dict[str, Margin] | None = Field(default=None, examples=[{"accuracy": 0.01}])
    """By measure: differences smaller than this count as equivalent."""

    correction: Literal["step-down", "holm", "none"] = Field(
        default="step-down", examples=["step-down"]
    )
    """How p-values are adjusted for the number of comparisons."""

    primary: Line | None = Field(default=None, examples=["accuracy"])
    """The measure that was declared to decide: tested first, at the full level."""

    p_values: Literal["exact", "mid-p"] = Field(default="exact", examples=["exact"])
    """Whether the outcome found counts whole (exact, on the safe side) or half (mid-p)."""


class Folds(SpecModel):
    """How the folds were made, for tests over folds."""

    ratio: Margin | None = Field(default=None, examples=[0.1111])
    """Test cases by training cases; by default 1/(k−1), as in cross-validation with k folds."""

    repeats: Annotated[int, Field(ge=1, le=10_000)] | None = Field(default=None, examples=[10])
    """How often the cross-validation was repeated; by default read off the data, or 1."""

    tails: Literal["two", "one"] = Field(default="two", examples=["two"])
    """Two tails ask whether classifiers differ, one whether the first is better."""


class Prevalence(SpecModel):
    """Where the classifiers will be used."""

    targets: Some[Share] = Field(examples=[[0.05, 0.2]])
    """Shares of positive cases to compute the measures for."""


class Cost(SpecModel):
    """What a mistake costs, in any unit."""

    false_positive: Margin = Field(examples=[1])
    """The cost of a false alarm."""

    false_negative: Margin = Field(examples=[5])
    """The cost of a missed case."""


class Thresholds(SpecModel):
    """How a threshold for the scores may be chosen."""

    cost: Cost | None = Field(default=None, examples=[{"false_positive": 1, "false_negative": 5}])
    """What mistakes cost: the threshold with the lowest cost is shown."""

    at_least: dict[str, Number] | None = Field(default=None, examples=[{"sensitivity": 0.95}])
    """By measure: what must be reached; of the thresholds that do, the best by Youden's index."""
