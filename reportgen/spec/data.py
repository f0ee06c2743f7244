"""Which columns of the prediction files hold what."""

from typing import Literal

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import InputPath, Line, Number


class Data(SpecModel):
    """Which columns of the prediction files hold what, for all classifiers."""

    truth: Line = Field(default="truth", examples=["outcome"])
    """The column of the true class or value."""

    prediction: Line = Field(default="prediction", examples=["predicted"])
    """The column of the predicted class or value."""

    score: Line | None = Field(default=None, examples=["p_success"])
    """The column of a score that is higher the more positive a case is."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """What a score is: the positive class's probability, or a number that only ranks cases.

    By default scores that all lie between 0 and 1 are read as probabilities.
    """

    probabilities: Line | None = Field(default=None, examples=["p_{class}"])
    """The columns of the classes' probabilities; {class} stands for the class."""

    fold: Line | None = Field(default=None, examples=["fold"])
    """The column of the cross-validation fold."""

    id: Line | None = Field(default=None, examples=["case"])
    """The column by which the classifiers' cases are joined; without it the row order counts."""

    labels: InputPath | None = Field(default=None, examples=["labels.csv"])
    """A file of its own that holds the truth, joined by `id`."""

    threshold: Number | None = Field(default=None, examples=[0.5])
    """Predict the positive class from this score on, instead of reading a prediction."""

    cases: Literal["common", "identical"] = Field(default="common", examples=["common"])
    """Measure on the cases all classifiers share, or demand that all have identical cases."""
