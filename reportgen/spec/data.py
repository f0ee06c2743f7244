"""The tables [data] and [engine]: columns of the prediction files, and the engine that counts."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, PlainValidator

from reportgen.errors.spec import (
    CREDENTIALS_IN_URI,
    INVALID_FORMAT,
    NOT_APPLICABLE_TO_TASK,
    NOT_SUPPORTED_BY_ENGINE,
    REMOTE_INPUT_NOT_ALLOWED,
    REQUIRES_OTHER_KEY,
    UNKNOWN_CLASS,
    WRONG_TYPE,
)
from reportgen.spec.fields import (
    POSTGRES_SCHEMES,
    DataPath,
    DataPaths,
    FiniteFloat,
    LabelText,
    SingleLine,
    SpecModel,
    custom_error,
    is_remote_uri,
    with_article,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    key_issue,
    quote_value,
    suggest_one_of,
)

if TYPE_CHECKING:
    from reportgen.spec.classifiers import Classifier
    from reportgen.spec.spec import Spec

# Each name is a module of predictions/presets. The order is that of detection: the most specific
# layout comes first.
FormatName = Literal[
    "weka",
    "caret",
    "inspect",
    "lm_eval",
    "promptfoo",
    "deepeval",
    "mlflow",
    "huggingface",
    "sklearn",
]
# Columns that a tool's format presets; a classifier's own format replaces those of [data].
FORMAT_COLUMNS = ("truth", "prediction", "score", "score_kind", "probabilities", "fold")
MAX_GROUPED_ROWS = 2_000_000
DEFAULT_SCORE_BINS = 65_536


def _parse_cell(value: object) -> str | float:
    match value:
        case str() | bool() | int():
            return value
        case float() if isfinite(value):
            return float(value)
        case _:
            raise custom_error(WRONG_TYPE, "must be text, a number or a boolean")


CellValue = Annotated[
    str | bool | int | float,
    PlainValidator(_parse_cell, json_schema_input_type=str | bool | int | float),
]
RowFilter = Annotated[dict[SingleLine, CellValue], Field(min_length=1)]
LabelMap = Annotated[dict[str, LabelText], Field(min_length=1)]


def _check_encoding(name: str) -> str:
    try:
        # Some of Python's codecs, such as zip, are none of text.
        "1".encode(name)
    except (LookupError, UnicodeError):
        raise custom_error(
            INVALID_FORMAT, "is no encoding that Python knows", "for example latin-1 or cp1252"
        ) from None
    return name


class DataSettings(SpecModel):
    """The columns of the prediction files, for all classifiers."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the prediction files: a preset of their columns (docs/formats.md).

    Keys of the spec override the preset.
    """

    predictions: DataPaths | None = Field(default=None, examples=["predictions.csv"])
    """Prediction files of the classifiers that name none of their own.

    With `model`, a file in long format; otherwise a file with columns for each classifier.
    """

    model: SingleLine | None = Field(default=None, examples=["model"])
    """The column that names the classifier of a row, in a file in long format.

    Its values are the classifiers, in order of appearance; [[classifiers]] are optional then, for
    other names and another order.
    """

    truth: SingleLine = Field(default="truth", examples=["outcome"])
    """The column of the true class or value.

    Of a multilabel task a column of sets, or columns of 0 and 1 with {class} for the label.
    """

    prediction: SingleLine = Field(default="prediction", examples=["predicted"])
    """The column of the predicted class or value; of a multilabel task as `truth`."""

    separator: Annotated[str, Field(min_length=1)] = Field(default="|", examples=[","])
    """What separates the labels of a text in a multilabel task."""

    score: SingleLine | None = Field(default=None, examples=["p_success"])
    """The column of a score, higher for cases more likely to be positive."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """The type of the scores: probabilities of the positive class, or values that only rank cases.

    By default scores that all lie between 0 and 1 are read as probabilities.
    """

    probabilities: SingleLine | None = Field(default=None, examples=["p_{class}"])
    """The columns of the class probabilities; {class} is replaced by the class.

    Without a column of predictions the most probable class is the prediction.
    """

    fold: SingleLine | None = Field(default=None, examples=["fold"])
    """The column of the cross-validation fold."""

    repeat: SingleLine | None = Field(default=None, examples=["repeat"])
    """The column of the repetition, of repeated cross-validation (with `fold`) or of repeated
    predictions of the same cases (without); an id occurs once in each."""

    cluster: SingleLine | None = Field(default=None, examples=["patient"])
    """The column of the cluster, such as the patient: cases of one cluster depend on each other.

    Intervals and tests then treat clusters, not cases, as independent.
    """

    weight: SingleLine | None = Field(default=None, examples=["w"])
    """The column of the sampling weight: how many cases of the population a case stands for.

    Weights change the values and widen intervals; a row that stands for n cases has a `count`.
    """

    count: SingleLine | None = Field(default=None, examples=["n"])
    """The column of a count: the row stands for so many identical cases; rows of 0 are ignored."""

    missing: SingleLine = Field(default="error", examples=["wrong"])
    """What an empty prediction counts as: "error", "wrong", "drop", or the name of a class.

    "drop" leaves the case out for all classifiers.
    """

    id: SingleLine | None = Field(default=None, examples=["case"])
    """The column of the case id, by which classifiers are joined; by default the row order."""

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """A separate file with the truth, joined by `id`."""

    map: LabelMap | None = Field(default=None, examples=[{"0": "no", "1": "yes"}])
    """The class of each label that is spelled otherwise in a file, as label = class."""

    threshold: FiniteFloat | None = Field(default=None, examples=[0.5])
    """Predict the positive class where score ≥ threshold, instead of reading a prediction."""

    decimal: Literal[".", ","] = Field(default=".", examples=[","])
    """The decimal mark of numbers in text files."""

    encoding: Annotated[SingleLine, AfterValidator(_check_encoding)] | None = Field(
        default=None, examples=["latin-1"]
    )
    """The encoding of CSV files, such as latin-1, cp1252 or utf-16; by default UTF-8."""

    sheet: SingleLine | None = Field(default=None, examples=["Results"])
    """The sheet of a workbook; by default the only one with rows."""

    table: SingleLine | None = Field(default=None, examples=["predictions"])
    """The table or view of a database (SQLite, DuckDB, PostgreSQL); by default the only one.

    A PostgreSQL server is a URI such as postgresql://host/database, with `remote = true`; user and
    password come from the environment (docs/formats.md).
    """

    where: RowFilter | None = Field(default=None, examples=[{"mtry": 2}])
    """Filter rows: keep those whose columns have these values, as column = value."""

    remote: bool = Field(default=False, examples=[True])
    """Whether files may be URIs: s3://, gs://, az://, abfss://, hf:// and postgresql://.

    Parquet, Arrow and tables of PostgreSQL are supported, with credentials from the environment
    (docs/remote.md); http:// is not.
    """

    cases: Literal["common", "identical"] = Field(default="common", examples=["common"])
    """Evaluate on the cases all classifiers share, or require that all have identical cases."""

    def without_format_columns(self) -> DataSettings:
        """Return the settings without the columns that a tool's format presets."""
        keys = self.model_fields_set - set(FORMAT_COLUMNS)
        return DataSettings.model_construct(_fields_set=keys, **{k: getattr(self, k) for k in keys})


def _check_no_credentials(url: str) -> str:
    if "@" in url or ";" in url:
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must be a host and a port, without a user, a token or other settings",
            "set them in Spark's own configuration or in environment variables (docs/engines.md)",
        )
    return url


class EngineSettings(SpecModel):
    """The engine that counts the cases: polars on this machine, or Spark."""

    kind: Literal["polars", "spark"] = Field(default="polars", examples=["spark"])
    """polars, on this machine; or spark, on a cluster or on this machine (docs/engines.md)."""

    url: Annotated[SingleLine, AfterValidator(_check_no_credentials)] | None = Field(
        default=None, examples=["sc://spark.example.org:15002"]
    )
    """The URL of Spark: sc://host:port of Spark Connect, or a master such as spark://… or local[4].

    By default the active session, or one with Spark's own configuration.
    """

    most_rows: Annotated[int, Field(ge=1)] = Field(
        default=MAX_GROUPED_ROWS, examples=[MAX_GROUPED_ROWS]
    )
    """The maximum number of different rows that Spark returns; with more, scores are binned."""

    bins: Annotated[int, Field(ge=16, le=10_000_000)] = Field(
        default=DEFAULT_SCORE_BINS, examples=[DEFAULT_SCORE_BINS]
    )
    """The number of bins of scores on Spark if there are more; the report states the precision."""


_REQUIRED_COLUMNS = {
    "labels": ("id", "the column labels are joined by"),
    "repeat": ("id", "the column that repeats"),
    "threshold": ("score", "the column it is applied to"),
    "score_kind": ("score", "the column it describes"),
}
_INAPPLICABLE_COLUMNS: dict[str, tuple[str, ...]] = {
    "binary": (),
    "multiclass": ("threshold", "score_kind"),
    "ordinal": ("threshold", "score_kind"),
    "multilabel": ("score", "threshold", "score_kind", "format"),
    "regression": ("score", "score_kind", "probabilities", "threshold"),
}


def validate_data_columns(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield columns of [data] and of classifiers that are malformed or inapplicable."""
    for path, table in _data_tables(spec):
        yield from validate_probabilities_pattern(path, table.probabilities)
        for key in _INAPPLICABLE_COLUMNS[spec.task.kind]:
            if key in table.model_fields_set:
                message = f"does not apply to {with_article(spec.task.kind)} task"
                yield key_issue(
                    NOT_APPLICABLE_TO_TASK,
                    (*path, key),
                    message,
                    f"remove `{key}`",
                    Highlight.KEY,
                )
    yield from _validate_required_columns(spec)
    yield from _validate_missing(spec)
    yield from _validate_weights(spec)


def _validate_weights(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield weights where they are not supported: with probabilities of several classes."""
    probabilities = any(table.probabilities is not None for _, table in _data_tables(spec))
    if spec.data.weight is not None and spec.task.is_multiclass and probabilities:
        message = "is not supported with probabilities of several classes"
        help_text = "remove `probabilities`: measures of predicted classes are weighted"
        yield key_issue(
            NOT_APPLICABLE_TO_TASK, ("data", "weight"), message, help_text, Highlight.KEY
        )


def _validate_missing(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield a rule for empty predictions that does not fit the task."""
    missing, task = spec.data.missing, spec.task
    if missing in {"error", "drop"}:
        return
    if task.kind == "multilabel":
        message = f"is {quote_value(missing)}, which is no set of labels"
        yield key_issue(
            NOT_APPLICABLE_TO_TASK, ("data", "missing"), message, 'write `missing = "drop"`'
        )
    elif task.kind == "regression":
        message = f"is {quote_value(missing)}, but a missing number can only be left out"
        yield key_issue(
            NOT_APPLICABLE_TO_TASK, ("data", "missing"), message, 'write `missing = "drop"`'
        )
    elif missing != "wrong" and task.classes is not None and missing not in task.classes:
        message = f"is {quote_value(missing)}, which is not one of the classes"
        yield key_issue(
            UNKNOWN_CLASS,
            ("data", "missing"),
            message,
            suggest_one_of(missing, ("error", "wrong", "drop", *task.classes)),
        )
    elif missing == "wrong" and task.is_multiclass and spec.data.probabilities is not None:
        message = 'is "wrong", but probabilities are known of the classes only'
        help_text = 'write `missing = "drop"`, or remove `probabilities`'
        yield key_issue(NOT_APPLICABLE_TO_TASK, ("data", "missing"), message, help_text)


def _data_tables(spec: Spec) -> Iterator[tuple[KeyPath, DataSettings | Classifier]]:
    yield ("data",), spec.data
    for index, classifier in enumerate(spec.classifiers):
        yield ("classifiers", index), classifier


def validate_probabilities_pattern(path: KeyPath, pattern: str | None) -> Iterator[ValidationIssue]:
    """Yield an issue if a pattern of probability columns lacks the class."""
    if pattern is not None and "{class}" not in pattern:
        yield key_issue(
            INVALID_FORMAT,
            (*path, "probabilities"),
            "must contain {class}, which is replaced by the class",
            'for example "p_{class}"',
        )


def _validate_required_columns(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield settings of columns that need another column."""
    shared = spec.data.model_fields_set
    from_files: list[tuple[KeyPath, set[str]]] = [
        (("classifiers", index), classifier.model_fields_set)
        for index, classifier in enumerate(spec.classifiers)
        if classifier.predictions is not None
    ]
    for path, settings in from_files or [(("data",), shared)]:
        for key, (required, description) in _REQUIRED_COLUMNS.items():
            merged = shared | settings
            applies = key in merged and key not in _INAPPLICABLE_COLUMNS[spec.task.kind]
            # A tool's format has its own columns of ids and scores.
            if applies and not merged & {required, "format"}:
                yield key_issue(
                    REQUIRES_OTHER_KEY,
                    (*path, key) if key in settings else ("data", key),
                    f"needs `{required}`, {description}",
                    f"add `{required}` to [data]",
                    depends_on=(("data", required), (*path, required)),
                )


def validate_remote_inputs(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield URIs of files where `remote` is not true."""
    inputs: list[tuple[KeyPath, str | None, bool]] = [
        (("data", "labels"), spec.data.labels, spec.data.remote)
    ]
    for index, dataset in enumerate(spec.datasets):
        inputs.append((("datasets", index, "labels"), dataset.labels, spec.data.remote))
    for index, classifier in enumerate(spec.classifiers):
        path: KeyPath = ("classifiers", index)
        remote = spec.data.remote if classifier.remote is None else classifier.remote
        files = enumerate(classifier.predictions or ())
        inputs += [((*path, "predictions", index), file, remote) for index, file in files]
        inputs.append(((*path, "labels"), classifier.labels, remote))
    yield from _validate_database_order(spec)
    for path, file, remote in inputs:
        if file is not None and is_remote_uri(file) and not remote:
            key = next(part for part in reversed(path) if isinstance(part, str))
            yield ValidationIssue(
                REMOTE_INPUT_NOT_ALLOWED,
                f"`{key}` must be a local file: URIs are read only with `remote = true`",
                path,
                "download the file and give its path, or set `remote = true` in [data]",
            )


def _validate_database_order(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield classifiers without ids in tables of a server, whose rows have no order."""
    with_files = [
        (index, item) for index, item in enumerate(spec.classifiers) if item.predictions is not None
    ]
    if len(with_files) == 1:
        return
    for index, classifier in with_files:
        is_database = any(
            file.partition("://")[0] in POSTGRES_SCHEMES for file in classifier.predictions or ()
        )
        if is_database and spec.data_settings_for(classifier).id is None:
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                f"{quote_value(classifier.name)} needs `id`: rows of a database have no order",
                spec.predictions_path(index),
                'name a column of ids: `id = "…"` in [data]',
                depends_on=(("data", "id"), ("classifiers", index, "id")),
            )


_SPARK_KEYS = ("url", "most_rows", "bins")
# What only this machine can read: Spark reads Parquet and CSV.
_UNSUPPORTED_ON_SPARK = {
    "sheet": ("workbooks are read on one machine only", "write the sheet as Parquet or CSV"),
    "table": (
        "databases are read on one machine only",
        "write the table as Parquet, or print the query of its counts with `reportgen sql`",
    ),
}
# Formats that only name columns; others have a reader of their own, which needs the rows in order.
SPARK_FORMATS = ("caret", "sklearn")


def validate_engine(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield what Spark does not support, and settings of Spark where it is not used."""
    if spec.engine.kind == "spark":
        yield from _validate_spark(spec)
        return
    for key in _SPARK_KEYS:
        if key in spec.engine.model_fields_set:
            yield key_issue(
                REQUIRES_OTHER_KEY,
                ("engine", key),
                'has no effect unless the engine is "spark"',
                f'set `kind = "spark"` in [engine], or remove `{key}`',
                Highlight.KEY,
                depends_on=(("engine", "kind"),),
            )


def _validate_spark(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield what Spark cannot read or identify; whatever it can read it aggregates."""
    if spec.sha256:
        yield ValidationIssue(
            NOT_SUPPORTED_BY_ENGINE,
            "hashes of files cannot be verified on Spark: files are not downloaded",
            ("sha256",),
            'remove [sha256], or `kind = "spark"` from [engine]',
        )
    for path, table in _data_tables(spec):
        for key, (reason, alternative) in _UNSUPPORTED_ON_SPARK.items():
            if key in table.model_fields_set:
                message = f"is not supported on Spark: {reason}"
                yield key_issue(
                    NOT_SUPPORTED_BY_ENGINE, (*path, key), message, alternative, Highlight.KEY
                )
        if table.format is not None and table.format not in SPARK_FORMATS:
            message = (
                f"is {quote_value(table.format)}, whose files have a reader of their own that needs"
                " their rows in order; Spark reads tables"
            )
            yield key_issue(
                NOT_SUPPORTED_BY_ENGINE,
                (*path, "format"),
                message,
                "save plain columns and name them: `truth`, `prediction`, `score`",
            )
    from_files = [
        (index, classifier)
        for index, classifier in enumerate(spec.classifiers)
        if classifier.predictions is not None
    ]
    for index, classifier in from_files:
        data, name = spec.data_settings_for(classifier), quote_value(classifier.name)
        if data.id is not None:
            continue
        if len(from_files) > 1:
            message = f"{name} has no ids, and on Spark the order of rows does not identify cases"
        elif data.labels is not None:
            message = f"{name} has no ids by which the labels could be joined"
        else:
            continue
        yield ValidationIssue(
            NOT_SUPPORTED_BY_ENGINE,
            message,
            spec.predictions_path(index),
            'name a column of ids: `id = "…"` in [data]',
            depends_on=(("data", "id"), ("classifiers", index, "id")),
        )
