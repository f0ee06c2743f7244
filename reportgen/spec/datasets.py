"""Several data sets on which the same classifiers are compared."""

from typing import Annotated

from pydantic import Field

from reportgen.spec.addresses import DataPath
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Label, Line, Many, Number, TaskKind

PLACEHOLDER = "{dataset}"
OF_TASK = ("kind", "positive", "classes")


class DataSet(SpecModel):
    """A data set: its name, and its task and columns where they differ from the others."""

    name: Line = Field(examples=["wine"])
    """The name the report uses; it stands for {dataset} in the paths of prediction files."""

    kind: TaskKind | None = Field(default=None, examples=["binary"])
    """The kind of task, if it differs from [task]."""

    positive: Label | None = Field(default=None, examples=["malignant"])
    """The positive class of a binary data set, if it differs from [task]."""

    classes: Annotated[Many[Label], Field(min_length=2)] | None = Field(
        default=None, examples=[["malignant", "benign"]]
    )
    """The classes in their order, if they differ from [task]."""

    truth: Line | None = Field(default=None, examples=["outcome"])
    """The column of the true class or value, if it differs from [data]."""

    prediction: Line | None = Field(default=None, examples=["predicted"])
    """The column of the predicted class or value, if it differs from [data]."""

    score: Line | None = Field(default=None, examples=["p_success"])
    """The column of the score, if it differs from [data]."""

    probabilities: Line | None = Field(default=None, examples=["p_{class}"])
    """The columns of the probabilities, if they differ from [data]."""

    fold: Line | None = Field(default=None, examples=["fold"])
    """The column of the fold, if it differs from [data]."""

    id: Line | None = Field(default=None, examples=["case"])
    """The column of the case's id, if it differs from [data]."""

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """The file of the truth, if it differs from [data]."""

    threshold: Number | None = Field(default=None, examples=[0.5])
    """The threshold of the score, if it differs from [data]."""


OF_DATA = tuple(key for key in DataSet.model_fields if key not in {"name", *OF_TASK})
