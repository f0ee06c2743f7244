"""A classifier and where to read what it did."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from reportgen.spec.addresses import DataPath, DataPaths
from reportgen.spec.data import FormatName, Where
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Number, Some

SOURCES = ("predictions", "confusion", "fold_scores", "dataset_scores")
# Counts above this are not exact as floats, which the measures are computed with.
LARGEST_COUNT = 2**53

Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
DatasetScores = Annotated[
    dict[str, Annotated[dict[Line, Number], Field(min_length=1)]], Field(min_length=1)
]


class Classifier(SpecModel):
    """A classifier: its name, one source of what it did, and columns where it differs."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [source]} for source in SOURCES]}
    )

    name: Line = Field(examples=["SVM"])
    """The name the report uses; no two classifiers share one."""

    predictions: DataPaths | None = Field(default=None, examples=["data/svm.parquet"])
    """Prediction files, relative to the spec: a path, a list, or a glob with a file per fold."""

    confusion: Some[Some[Count]] | None = Field(default=None, examples=[[[1108, 323], [272, 858]]])
    """Counts instead of cases: a row per true class, a column per predicted class."""

    fold_scores: Annotated[dict[str, Some[Number]], Field(min_length=1)] | None = Field(
        default=None, examples=[{"accuracy": [0.81, 0.82]}]
    )
    """Scores per fold, by measure, if nothing else is known."""

    dataset_scores: DatasetScores | None = Field(
        default=None, examples=[{"accuracy": {"wine": 0.97, "iris": 0.95}}]
    )
    """Scores per data set, by measure, if nothing else is known."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the files, if it differs from [data]; its columns count before those."""

    truth: Line | None = Field(default=None, examples=["outcome"])
    """The column of the true class or value, if it differs from [data]."""

    prediction: Line | None = Field(default=None, examples=["predicted"])
    """The column of the predicted class or value, if it differs from [data]."""

    score: Line | None = Field(default=None, examples=["p_success"])
    """The column of the score, if it differs from [data]."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """What the score is, if it differs from [data]."""

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

    where: Where | None = Field(default=None, examples=[{"mtry": 2}])
    """Keep only the rows with these values, if it differs from [data]."""

    remote: bool | None = Field(default=None, examples=[True])
    """Whether files may be addresses, if it differs from [data]."""


OVERRIDES = tuple(key for key in Classifier.model_fields if key not in {"name", *SOURCES})
