"""Which columns of the prediction files hold what."""

from math import isfinite
from typing import Annotated, Literal

from pydantic import Field, PlainValidator

from reportgen.errors.spec_faults import WRONG_TYPE
from reportgen.spec.addresses import DataPath
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Number, refusal

FormatName = Literal["weka", "caret", "sklearn", "mlflow", "huggingface"]
# What a tool's format says of its files; the nearer one says it for a classifier.
OF_FORMAT = ("truth", "prediction", "score", "score_kind", "probabilities", "fold")


def _cell(value: object) -> str | float:
    """Take what a cell of a file may hold."""
    match value:
        case str() | bool() | int():
            return value
        case float() if isfinite(value):
            return float(value)
        case _:
            raise refusal(WRONG_TYPE, "must be text, a number, true or false")


Cell = Annotated[
    str | bool | int | float, PlainValidator(_cell, json_schema_input_type=str | bool | int | float)
]
Where = Annotated[dict[Line, Cell], Field(min_length=1)]


class Data(SpecModel):
    """Which columns of the prediction files hold what, for all classifiers."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the files: weka, caret, sklearn, mlflow or huggingface.

    It presets the columns, as docs/formats.md shows; keys given beside it count more.
    """

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

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """A file of its own that holds the truth, joined by `id`."""

    threshold: Number | None = Field(default=None, examples=[0.5])
    """Predict the positive class from this score on, instead of reading a prediction."""

    where: Where | None = Field(default=None, examples=[{"mtry": 2}])
    """Keep only the rows whose columns have these values, as column = value."""

    remote: bool = Field(default=False, examples=[True])
    """Whether files may be addresses: s3://, gs://, az://, abfss:// and hf://, never http://.

    Parquet and Arrow are read from there, with credentials from the environment (docs/remote.md).
    """

    cases: Literal["common", "identical"] = Field(default="common", examples=["common"])
    """Measure on the cases all classifiers share, or demand that all have identical cases."""

    def without_columns(self) -> "Data":
        """Return the same without what a tool's format would say."""
        given = self.model_fields_set - set(OF_FORMAT)
        return Data.model_construct(_fields_set=given, **{k: getattr(self, k) for k in given})
