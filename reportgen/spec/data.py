"""Which columns of the prediction files hold what."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Annotated, Literal

from pydantic import Field, PlainValidator

from reportgen.errors.spec import (
    INVALID_FORMAT,
    NOT_APPLICABLE_TO_TASK,
    REMOTE_INPUT_NOT_ALLOWED,
    REQUIRES_OTHER_KEY,
    WRONG_TYPE,
)
from reportgen.spec.fields import (
    DataPath,
    FiniteFloat,
    SingleLine,
    SpecModel,
    custom_error,
    is_remote_uri,
)
from reportgen.spec.issues import Highlight, KeyPath, RawSpec, RawTable, ValidationIssue

FormatName = Literal["weka", "caret", "sklearn", "mlflow", "huggingface"]
# What a tool's format says of its files; the nearer one says it for a classifier.
FORMAT_COLUMNS = ("truth", "prediction", "score", "score_kind", "probabilities", "fold")


def _parse_cell(value: object) -> str | float:
    """Take what a cell of a file may hold."""
    match value:
        case str() | bool() | int():
            return value
        case float() if isfinite(value):
            return float(value)
        case _:
            raise custom_error(WRONG_TYPE, "must be text, a number, true or false")


CellValue = Annotated[
    str | bool | int | float,
    PlainValidator(_parse_cell, json_schema_input_type=str | bool | int | float),
]
RowFilter = Annotated[dict[SingleLine, CellValue], Field(min_length=1)]


class DataSettings(SpecModel):
    """Which columns of the prediction files hold what, for all classifiers."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the files: weka, caret, sklearn, mlflow or huggingface.

    It presets the columns, as docs/formats.md shows; keys given beside it count more.
    """

    truth: SingleLine = Field(default="truth", examples=["outcome"])
    """The column of the true class or value."""

    prediction: SingleLine = Field(default="prediction", examples=["predicted"])
    """The column of the predicted class or value."""

    score: SingleLine | None = Field(default=None, examples=["p_success"])
    """The column of a score that is higher the more positive a case is."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """What a score is: the positive class's probability, or a number that only ranks cases.

    By default scores that all lie between 0 and 1 are read as probabilities.
    """

    probabilities: SingleLine | None = Field(default=None, examples=["p_{class}"])
    """The columns of the classes' probabilities; {class} stands for the class."""

    fold: SingleLine | None = Field(default=None, examples=["fold"])
    """The column of the cross-validation fold."""

    id: SingleLine | None = Field(default=None, examples=["case"])
    """The column by which the classifiers' cases are joined; without it the row order counts."""

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """A file of its own that holds the truth, joined by `id`."""

    threshold: FiniteFloat | None = Field(default=None, examples=[0.5])
    """Predict the positive class from this score on, instead of reading a prediction."""

    where: RowFilter | None = Field(default=None, examples=[{"mtry": 2}])
    """Keep only the rows whose columns have these values, as column = value."""

    remote: bool = Field(default=False, examples=[True])
    """Whether files may be addresses: s3://, gs://, az://, abfss:// and hf://, never http://.

    Parquet and Arrow are read from there, with credentials from the environment (docs/remote.md).
    """

    cases: Literal["common", "identical"] = Field(default="common", examples=["common"])
    """Measure on the cases all classifiers share, or demand that all have identical cases."""

    def without_format_columns(self) -> DataSettings:
        """Return the same without what a tool's format would say."""
        given = self.model_fields_set - set(FORMAT_COLUMNS)
        return DataSettings.model_construct(
            _fields_set=given, **{k: getattr(self, k) for k in given}
        )


# Columns and settings of [data], also where a classifier overrides them.

_REQUIRED_COLUMNS = {
    "labels": ("id", "labels are joined"),
    "threshold": ("score", "it is applied"),
    "score_kind": ("score", "it belongs"),
}
_INAPPLICABLE_COLUMNS = {
    "binary": (),
    "multiclass": ("threshold", "score_kind"),
    "regression": ("score", "score_kind", "probabilities", "threshold"),
}


def validate_data_columns(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield settings of columns that do not fit the task, their form or each other."""
    tables: list[tuple[KeyPath, RawTable]] = [
        (("data",), raw.table("data")),
        *raw.tables("classifiers"),
    ]
    for path, table in tables:
        yield from _validate_probabilities_pattern(path, table)
        yield from _validate_columns_for_task(raw, path, table)
    yield from _validate_required_columns(raw)


def _validate_probabilities_pattern(path: KeyPath, table: RawTable) -> Iterator[ValidationIssue]:
    columns = table.get("probabilities")
    if isinstance(columns, str) and columns.strip() and "{class}" not in columns:
        yield ValidationIssue(
            INVALID_FORMAT,
            "`probabilities` must contain {class}, which stands for the class",
            (*path, "probabilities"),
            'for example "p_{class}"',
        )


def _validate_columns_for_task(
    raw: RawSpec, path: KeyPath, table: RawTable
) -> Iterator[ValidationIssue]:
    for key in _INAPPLICABLE_COLUMNS.get(raw.task_kind or "", ()):
        if key in table:
            message = f"`{key}` does not fit a {raw.task_kind} task"
            yield ValidationIssue(
                NOT_APPLICABLE_TO_TASK, message, (*path, key), f"take `{key}` out", Highlight.KEY
            )


def _validate_required_columns(raw: RawSpec) -> Iterator[ValidationIssue]:
    shared = raw.table("data")
    readers = [item for item in raw.tables("classifiers") if "predictions" in item[1]]
    for path, own in readers or [(("data",), shared)]:
        for key, (needed, reason) in _REQUIRED_COLUMNS.items():
            merged = {*shared, *own}
            # A tool's format brings its own columns of ids and scores.
            needed_here = needed not in merged and "format" not in merged
            misfit = key in _INAPPLICABLE_COLUMNS.get(raw.task_kind or "", ())
            if key in merged and needed_here and not misfit:
                place = (*path, key) if key in own else ("data", key)
                yield ValidationIssue(
                    REQUIRES_OTHER_KEY,
                    f"`{key}` needs `{needed}`, the column {reason} {_preposition(key)}",
                    place,
                    f"add `{needed}` to [data]",
                    missing_keys=(("data", needed), (*path, needed)),
                )


def _preposition(key: str) -> str:
    return "by" if key == "labels" else "to"


# Addresses, which are read only where the spec says that it wants to.


def validate_remote_inputs(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield the addresses that are named where `remote` is not true."""
    shared = raw.table("data").get("remote", False)
    tables: list[tuple[KeyPath, RawTable]] = [
        (("data",), raw.table("data")),
        *raw.tables("datasets"),
        *raw.tables("classifiers"),
    ]
    for path, table in tables:
        if table.get("remote", shared) is not True:
            yield from _remote_input_issues(path, table)


def _remote_input_issues(path: KeyPath, table: RawTable) -> Iterator[ValidationIssue]:
    for key in ("predictions", "labels"):
        written = table.get(key)
        named = list(enumerate(written)) if isinstance(written, list) else [(None, written)]
        for index, each in named:
            if isinstance(each, str) and is_remote_uri(each):
                own = (*path, key) if index is None else (*path, key, index)
                yield ValidationIssue(
                    REMOTE_INPUT_NOT_ALLOWED,
                    f"`{key}` must be a file: addresses are read only where `remote = true`",
                    own,
                    "download the file and give its path, or write `remote = true` under `[data]`",
                )
