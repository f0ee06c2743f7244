"""How sure the report has to be: intervals, comparisons and the prevalence of use."""

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Margin, Share, Some


class Intervals(SpecModel):
    """How wide the intervals around numbers are."""

    level: Share = Field(default=0.95, examples=[0.95])
    """The share of intervals that are to contain the true value."""


class Comparison(SpecModel):
    """How classifiers are compared."""

    alpha: Share = Field(default=0.05, examples=[0.05])
    """The chance of a false claim that is allowed over the whole family of comparisons."""

    baseline: Line | None = Field(default=None, examples=["SVM"])
    """The classifier all others are compared with, instead of all pairs."""

    margin: dict[str, Margin] | None = Field(default=None, examples=[{"accuracy": 0.01}])
    """By measure: differences smaller than this count as equivalent."""


class Prevalence(SpecModel):
    """Where the classifiers will be used."""

    targets: Some[Share] = Field(examples=[[0.05, 0.2]])
    """Shares of positive cases to compute the measures for."""
