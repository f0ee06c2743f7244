"""Several data sets on which the same classifiers are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reportgen.errors import did_you_mean
from reportgen.errors.spec import (
    DATASET_PLACEHOLDER,
    DUPLICATE_VALUE,
    INVALID_FORMAT,
    MISSING_KEY,
    NOT_APPLICABLE_TO_DATASETS,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_CLASS,
)
from reportgen.spec.fields import (
    DataPath,
    FiniteFloat,
    LabelText,
    ListOf,
    SingleLine,
    SpecModel,
    TaskKind,
    format_label,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    RawTable,
    ValidationIssue,
    quote_value,
)

if TYPE_CHECKING:
    from reportgen.spec.classifiers import Classifier
    from reportgen.spec.data import DataSettings
    from reportgen.spec.load import SpecFile
    from reportgen.spec.spec import Spec
    from reportgen.spec.task import Task


NAME_PLACEHOLDER = "{dataset}"
TASK_OVERRIDES = ("kind", "positive", "classes")


class DataSet(SpecModel):
    """A data set: its name, and its task and columns where they differ from the others."""

    name: SingleLine = Field(examples=["wine"])
    """The name the report uses; it stands for {dataset} in the paths of prediction files."""

    kind: TaskKind | None = Field(default=None, examples=["binary"])
    """The kind of task, if it differs from [task]."""

    positive: LabelText | None = Field(default=None, examples=["malignant"])
    """The positive class of a binary data set, if it differs from [task]."""

    classes: Annotated[ListOf[LabelText], Field(min_length=2)] | None = Field(
        default=None, examples=[["malignant", "benign"]]
    )
    """The classes in their order, if they differ from [task]."""

    truth: SingleLine | None = Field(default=None, examples=["outcome"])
    """The column of the true class or value, if it differs from [data]."""

    prediction: SingleLine | None = Field(default=None, examples=["predicted"])
    """The column of the predicted class or value, if it differs from [data]."""

    score: SingleLine | None = Field(default=None, examples=["p_success"])
    """The column of the score, if it differs from [data]."""

    probabilities: SingleLine | None = Field(default=None, examples=["p_{class}"])
    """The columns of the probabilities, if they differ from [data]."""

    fold: SingleLine | None = Field(default=None, examples=["fold"])
    """The column of the fold, if it differs from [data]."""

    id: SingleLine | None = Field(default=None, examples=["case"])
    """The column of the case's id, if it differs from [data]."""

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """The file of the truth, if it differs from [data]."""

    threshold: FiniteFloat | None = Field(default=None, examples=[0.5])
    """The threshold of the score, if it differs from [data]."""


DATA_OVERRIDES = tuple(key for key in DataSet.model_fields if key not in {"name", *TASK_OVERRIDES})


# Data sets are named once, stand in every path, and fit the task.

SINGLE_DATASET_SOURCES = ("confusion", "fold_scores")
SINGLE_DATASET_TABLES = ("published", "prevalence", "thresholds", "gates")
_REQUIRED_KEYS = {"labels": "id", "threshold": "score"}


def validate_datasets(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what is wrong with [[datasets]], and what does not go with several data sets."""
    yield from _validate_dataset_names(raw)
    for path, dataset in raw.tables("datasets"):
        yield from _validate_dataset_task(raw, path, dataset)
        yield from _validate_dataset_columns(raw, path, dataset)
    yield from _validate_label_paths(raw)
    for path, classifier in raw.tables("classifiers"):
        yield from _validate_prediction_paths(raw, path, classifier)
    if has_several_datasets(raw):
        yield from _validate_single_dataset_keys(raw)


def has_several_datasets(raw: RawSpec) -> bool:
    """Tell whether classifiers are compared over several data sets."""
    scored = any("dataset_scores" in table for _, table in raw.tables("classifiers"))
    return "datasets" in raw.document or scored


def is_positive_class_optional(raw: RawSpec) -> bool:
    """Tell whether [task] needs no positive class: data sets name theirs, or there are no cases."""
    datasets = [table for _, table in raw.tables("datasets")]
    own = [
        table
        for table in datasets
        if "positive" in table or _dataset_task_kind(raw, table) != "binary"
    ]
    sources = [table for _, table in raw.tables("classifiers")]
    scored = [table for table in sources if "dataset_scores" in table]
    return (bool(own) and len(own) == len(datasets)) or (
        bool(scored) and len(scored) == len(sources)
    )


def _dataset_task_kind(raw: RawSpec, dataset: RawTable) -> object:
    return dataset.get("kind", raw.task_kind)


def _validate_dataset_names(raw: RawSpec) -> Iterator[ValidationIssue]:
    seen: set[str] = set()
    tables = list(raw.tables("datasets"))
    for path, dataset in tables:
        name = dataset.get("name")
        if isinstance(name, str) and name in seen:
            message = f"the data set {quote_value(name)} is listed twice"
            yield ValidationIssue(DUPLICATE_VALUE, message, (*path, "name"), "keep one of the two")
        elif isinstance(name, str):
            seen.add(name)
    if len(tables) == 1:
        yield ValidationIssue(
            OUT_OF_RANGE,
            "one data set is no comparison over data sets: [[datasets]] needs two or more",
            tables[0][0],
            "for a single one leave [[datasets]] out and write its path into `predictions`",
        )


def _validate_dataset_task(
    raw: RawSpec, path: KeyPath, dataset: RawTable
) -> Iterator[ValidationIssue]:
    kind, shared = _dataset_task_kind(raw, dataset), raw.task_kind
    if shared is not None and (kind == "regression") != (shared == "regression"):
        message = f"a data set of kind {quote_value(kind)} does not fit a {shared} task"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, (*path, "kind"), "no measure would fit both"
        )
        return
    if kind == "binary" and "positive" not in dataset and raw.positive is None:
        name = dataset.get("name")
        yield ValidationIssue(
            MISSING_KEY,
            f"`positive` is missing for the binary data set {quote_value(name)}",
            (*path, "positive"),
            'for example `positive = "malignant"`',
            Highlight.TABLE,
            missing_keys=((*path, "positive"), ("task", "positive")),
        )
    if kind in {"multiclass", "regression"} and "positive" in dataset:
        message = f"`positive` does not fit a {kind} data set"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            message,
            (*path, "positive"),
            "take `positive` out",
            Highlight.KEY,
        )
    if kind == "regression" and "classes" in dataset:
        message = "`classes` does not fit a regression task"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, (*path, "classes"), "take `classes` out", Highlight.KEY
        )
    yield from _validate_dataset_positive(path, dataset)


def _validate_dataset_positive(path: KeyPath, dataset: RawTable) -> Iterator[ValidationIssue]:
    written, positive = dataset.get("classes"), format_label(dataset.get("positive"))
    classes = [format_label(item) for item in written] if isinstance(written, list) else []
    known = tuple(label for label in classes if label is not None)
    if positive is not None and known and positive not in known:
        yield ValidationIssue(
            UNKNOWN_CLASS,
            f"{quote_value(positive)} is not among the classes of its data set",
            (*path, "positive"),
            did_you_mean(positive, known) or f"there are {', '.join(map(quote_value, known[:10]))}",
        )


def _validate_dataset_columns(
    raw: RawSpec, path: KeyPath, dataset: RawTable
) -> Iterator[ValidationIssue]:
    columns = dataset.get("probabilities")
    if isinstance(columns, str) and columns.strip() and "{class}" not in columns:
        message = "`probabilities` must contain {class}, which stands for the class"
        yield ValidationIssue(
            INVALID_FORMAT, message, (*path, "probabilities"), 'for example "p_{class}"'
        )
    if "threshold" in dataset and _dataset_task_kind(raw, dataset) in {
        "multiclass",
        "regression",
    }:
        message = f"`threshold` does not fit a {_dataset_task_kind(raw, dataset)} data set"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, (*path, "threshold"), "take it out", Highlight.KEY
        )
        return
    merged = {*raw.table("data"), *(key for key in DATA_OVERRIDES if key in dataset)}
    for key, needed in _REQUIRED_KEYS.items():
        if key in dataset and not merged & {needed, "format"}:
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                f"`{key}` needs `{needed}`",
                (*path, key),
                f"add `{needed}` to [data]",
                missing_keys=(("data", needed), (*path, needed)),
            )


def _validate_label_paths(raw: RawSpec) -> Iterator[ValidationIssue]:
    tables: list[tuple[KeyPath, RawTable]] = [(("data",), raw.table("data"))]
    for path, table in (*tables, *raw.tables("classifiers")):
        labels = table.get("labels")
        if (
            isinstance(labels, str)
            and NAME_PLACEHOLDER in labels
            and "datasets" not in raw.document
        ):
            yield _unused_placeholder_issue((*path, "labels"))


def _validate_prediction_paths(
    raw: RawSpec, path: KeyPath, classifier: RawTable
) -> Iterator[ValidationIssue]:
    written, place = classifier.get("predictions"), (*path, "predictions")
    paths: list[tuple[KeyPath, object]] = (
        [((*place, index), item) for index, item in enumerate(written)]
        if isinstance(written, list)
        else [(place, written)]
    )
    for spot, item in paths:
        if not isinstance(item, str) or not item.strip():
            continue
        if NAME_PLACEHOLDER in item and "datasets" not in raw.document:
            yield _unused_placeholder_issue(spot)
        elif NAME_PLACEHOLDER not in item and "datasets" in raw.document:
            yield ValidationIssue(
                DATASET_PLACEHOLDER,
                f"the path must contain {NAME_PLACEHOLDER}, or every data set reads the same file",
                spot,
                f'for example "data/{NAME_PLACEHOLDER}/svm.csv"',
            )


def _unused_placeholder_issue(path: KeyPath) -> ValidationIssue:
    return ValidationIssue(
        DATASET_PLACEHOLDER,
        f"{NAME_PLACEHOLDER} stands for the names of [[datasets]], and there are none",
        path,
        'add [[datasets]], each with a `name`, as `name = "wine"`',
        missing_keys=(("datasets",),),
    )


def _validate_single_dataset_keys(raw: RawSpec) -> Iterator[ValidationIssue]:
    for path, classifier in raw.tables("classifiers"):
        if "dataset_scores" in classifier:
            # A second source beside it is a fault of its own.
            continue
        for source in SINGLE_DATASET_SOURCES:
            if source in classifier:
                message = f"`{source}` is of one data set, but the spec compares over several"
                help_line = "give `predictions` or `dataset_scores`, or write a spec of its own"
                yield ValidationIssue(
                    NOT_APPLICABLE_TO_DATASETS, message, (*path, source), help_line, Highlight.KEY
                )
        if "predictions" in classifier and "datasets" not in raw.document:
            message = "`predictions` of one data set cannot stand beside scores of several"
            help_line = f"add [[datasets]] and write {NAME_PLACEHOLDER} into the path"
            yield ValidationIssue(
                NOT_APPLICABLE_TO_DATASETS,
                message,
                (*path, "predictions"),
                help_line,
                Highlight.KEY,
            )
    for key in SINGLE_DATASET_TABLES:
        if key in raw.document:
            message = f"`{key}` is for one data set, but the spec compares over several"
            help_line = "take it out, or write a spec for the single data set"
            yield ValidationIssue(
                NOT_APPLICABLE_TO_DATASETS, message, (key,), help_line, Highlight.KEY
            )


# The spec of each data set, as if it were the only one.


def spec_file_for_dataset(spec_file: SpecFile, dataset: DataSet) -> SpecFile:
    """Return the spec of one data set with the text of the whole, so that places stay right."""
    return replace(spec_file, spec=spec_for_dataset(spec_file.spec, dataset), warnings=())


def spec_for_dataset(spec: Spec, dataset: DataSet) -> Spec:
    """Return the spec as it would be written for one of its data sets alone."""
    task = _task_for_dataset(spec.task, dataset)
    return spec.model_copy(
        update={
            "task": task,
            "data": _data_for_dataset(spec.data, dataset, task),
            "classifiers": tuple(
                _classifier_for_dataset(each, dataset) for each in spec.classifiers
            ),
            "datasets": (),
        }
    )


def _task_for_dataset(task: Task, dataset: DataSet) -> Task:
    own = _explicit_values(dataset, TASK_OVERRIDES)
    kind = own.get("kind", task.kind)
    if kind != "binary":
        own["positive"] = None
    if kind != task.kind or dataset.positive is not None:
        # The classes of another task are not the classes of this one.
        own.setdefault("classes", None)
    return task.model_copy(update=own)


def _data_for_dataset(data: DataSettings, dataset: DataSet, task: Task) -> DataSettings:
    own = _explicit_values(dataset, DATA_OVERRIDES)
    if dataset.prediction is not None or task.kind != "binary":
        # Who names a column of predictions wants these, not ones made from a score.
        own.setdefault("threshold", None)
    labels = dataset.labels or data.labels
    return data.model_copy(update=own | {"labels": _fill_placeholder(labels, dataset)})


def _classifier_for_dataset(classifier: Classifier, dataset: DataSet) -> Classifier:
    paths = classifier.predictions
    if paths is None:
        return classifier
    return classifier.model_copy(
        update={
            "predictions": tuple(_fill_placeholder(path, dataset) for path in paths),
            "labels": _fill_placeholder(classifier.labels, dataset),
        }
    )


def _explicit_values(dataset: DataSet, keys: tuple[str, ...]) -> dict[str, object]:
    return {key: value for key in keys if (value := getattr(dataset, key)) is not None}


def _fill_placeholder(path: str | None, dataset: DataSet) -> str | None:
    return None if path is None else path.replace(NAME_PLACEHOLDER, dataset.name)
