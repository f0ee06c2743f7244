"""The tables [[datasets]]: several data sets on which the same classifiers are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reportgen.errors.spec import (
    DATASET_PLACEHOLDER,
    MISSING_KEY,
    NOT_APPLICABLE_TO_DATASETS,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_CLASS,
)
from reportgen.spec.data import validate_probabilities_pattern
from reportgen.spec.fields import (
    DataPath,
    FiniteFloat,
    LabelText,
    ListOf,
    SingleLine,
    SpecModel,
    TaskKind,
    with_article,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    duplicate_issues,
    key_issue,
    quote_value,
    suggest_one_of,
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
    """A data set: its name, and its task and columns where they differ from the shared ones."""

    name: SingleLine = Field(examples=["wine"])
    """The name in the report; it replaces {dataset} in the paths of prediction files."""

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


SINGLE_DATASET_SOURCES = ("confusion", "fold_scores")
SINGLE_DATASET_TABLES = ("published", "prevalence", "decision", "thresholds", "gates")
_INAPPLICABLE_KEYS: dict[TaskKind, tuple[str, ...]] = {
    "binary": (),
    "multiclass": ("positive",),
    "ordinal": ("positive",),
    "multilabel": ("positive",),
    "regression": ("positive", "classes"),
}
_REQUIRED_KEYS = {"labels": "id", "threshold": "score"}


def validate_datasets(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield issues of [[datasets]], and keys that do not apply to several data sets."""
    yield from _validate_dataset_names(spec)
    for index, dataset in enumerate(spec.datasets):
        path: KeyPath = ("datasets", index)
        yield from _validate_dataset_task(spec, path, dataset)
        yield from validate_probabilities_pattern(path, dataset.probabilities)
        yield from _validate_dataset_columns(spec, path, dataset)
    yield from _validate_paths(spec)
    if spec.dataset_names:
        yield from _validate_single_dataset_keys(spec)


def is_positive_class_optional(spec: Spec) -> bool:
    """Return whether data sets name their positive class, or only their scores are given."""
    if spec.datasets and all(
        dataset.positive is not None or _dataset_task_kind(spec, dataset) != "binary"
        for dataset in spec.datasets
    ):
        return True
    return all(classifier.dataset_scores is not None for classifier in spec.classifiers)


def _dataset_task_kind(spec: Spec, dataset: DataSet) -> TaskKind:
    return dataset.kind or spec.task.kind


def _validate_dataset_names(spec: Spec) -> Iterator[ValidationIssue]:
    names = [dataset.name for dataset in spec.datasets]
    yield from duplicate_issues("data set", names, ("datasets",), "name")
    if len(spec.datasets) == 1:
        yield ValidationIssue(
            OUT_OF_RANGE,
            "a comparison over data sets needs two or more [[datasets]]",
            ("datasets", 0),
            "for a single data set remove [[datasets]] and write its path in `predictions`",
            depends_on=(("datasets",),),
        )


def _validate_dataset_task(
    spec: Spec, path: KeyPath, dataset: DataSet
) -> Iterator[ValidationIssue]:
    kind = _dataset_task_kind(spec, dataset)
    if any((kind == own) != (spec.task.kind == own) for own in ("regression", "multilabel")):
        message = f"a {kind} data set cannot be part of a {spec.task.kind} task"
        help_text = "no measure would apply to both"
        yield ValidationIssue(NOT_APPLICABLE_TO_TASK, message, (*path, "kind"), help_text)
        return
    if kind == "binary" and dataset.positive is None and spec.task.positive is None:
        yield key_issue(
            MISSING_KEY,
            (*path, "positive"),
            f"is missing for the binary data set {quote_value(dataset.name)}",
            'for example `positive = "malignant"`',
            Highlight.TABLE,
            depends_on=((*path, "positive"), ("task", "positive")),
        )
    for key in _INAPPLICABLE_KEYS[kind]:
        if getattr(dataset, key) is not None:
            yield _inapplicable_to_dataset((*path, key), kind)
    classes, positive = dataset.classes, dataset.positive
    if positive is not None and classes is not None and positive not in classes:
        yield ValidationIssue(
            UNKNOWN_CLASS,
            f"{quote_value(positive)} is not one of the classes of its data set",
            (*path, "positive"),
            suggest_one_of(positive, classes),
        )


def _inapplicable_to_dataset(path: KeyPath, kind: TaskKind) -> ValidationIssue:
    return key_issue(
        NOT_APPLICABLE_TO_TASK,
        path,
        f"does not apply to {with_article(kind)} data set",
        f"remove `{path[-1]}`",
        Highlight.KEY,
    )


def _validate_dataset_columns(
    spec: Spec, path: KeyPath, dataset: DataSet
) -> Iterator[ValidationIssue]:
    kind = _dataset_task_kind(spec, dataset)
    if dataset.threshold is not None and kind != "binary":
        yield _inapplicable_to_dataset((*path, "threshold"), kind)
        return
    keys = dataset.model_fields_set
    for key, required in _REQUIRED_KEYS.items():
        if key in keys and not (spec.data.model_fields_set | keys) & {required, "format"}:
            yield key_issue(
                REQUIRES_OTHER_KEY,
                (*path, key),
                f"needs `{required}`",
                f"add `{required}` to [data]",
                depends_on=(("data", required), (*path, required)),
            )


def _validate_paths(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield paths that lack the placeholder of the data set, or have one without data sets."""
    labels: list[tuple[KeyPath, str | None]] = [(("data", "labels"), spec.data.labels)]
    predictions: list[tuple[KeyPath, str]] = []
    for index, classifier in enumerate(spec.classifiers):
        labels.append((("classifiers", index, "labels"), classifier.labels))
        for number, file in enumerate(classifier.predictions or ()):
            predictions.append(((*spec.predictions_path(index), number), file))
    if not spec.datasets:
        for path, file_name in (*labels, *predictions):
            if file_name is not None and NAME_PLACEHOLDER in file_name:
                yield ValidationIssue(
                    DATASET_PLACEHOLDER,
                    f"{NAME_PLACEHOLDER} is replaced by the names of [[datasets]], but there are"
                    " none",
                    path,
                    'add [[datasets]], each with a `name`, for example `name = "wine"`',
                    depends_on=(("datasets",),),
                )
        return
    for path, file in predictions:
        if NAME_PLACEHOLDER not in file:
            yield ValidationIssue(
                DATASET_PLACEHOLDER,
                f"the path must contain {NAME_PLACEHOLDER}, or every data set reads the same file",
                path,
                f'for example "data/{NAME_PLACEHOLDER}/svm.csv"',
            )


def _validate_single_dataset_keys(spec: Spec) -> Iterator[ValidationIssue]:
    for index, classifier in enumerate(spec.classifiers):
        if classifier.dataset_scores is not None:
            # A second source next to it is an issue of its own.
            continue
        for source in SINGLE_DATASET_SOURCES:
            if getattr(classifier, source) is not None:
                yield key_issue(
                    NOT_APPLICABLE_TO_DATASETS,
                    ("classifiers", index, source),
                    "is for one data set, but the spec compares over several",
                    "give `predictions` or `dataset_scores`, or write a separate spec",
                    Highlight.KEY,
                )
        if classifier.predictions is not None and not spec.datasets:
            yield key_issue(
                NOT_APPLICABLE_TO_DATASETS,
                ("classifiers", index, "predictions"),
                "of one data set cannot be combined with scores of several",
                f"add [[datasets]] and write {NAME_PLACEHOLDER} in the path",
                Highlight.KEY,
                depends_on=(("datasets",),),
            )
    for table in SINGLE_DATASET_TABLES:
        if getattr(spec, table):
            yield key_issue(
                NOT_APPLICABLE_TO_DATASETS,
                (table,),
                "is for one data set, but the spec compares over several",
                "remove it, or write a spec for the single data set",
                Highlight.KEY,
            )


def spec_file_for_dataset(spec_file: SpecFile, dataset: DataSet) -> SpecFile:
    """Return the spec of one data set with the text of the full spec, so that locations hold."""
    return replace(spec_file, spec=spec_for_dataset(spec_file.spec, dataset), warnings=())


def spec_for_dataset(spec: Spec, dataset: DataSet) -> Spec:
    """Return the spec for one of its data sets alone."""
    task = _task_for_dataset(spec.task, dataset)
    return spec.model_copy(
        update={
            "task": task,
            "data": _data_for_dataset(spec.data, dataset, task),
            "classifiers": tuple(
                _classifier_for_dataset(classifier, dataset) for classifier in spec.classifiers
            ),
            "datasets": (),
        }
    )


def _task_for_dataset(task: Task, dataset: DataSet) -> Task:
    overrides = _explicit_values(dataset, TASK_OVERRIDES)
    kind = overrides.get("kind", task.kind)
    if kind != "binary":
        overrides["positive"] = None
    if kind != task.kind or dataset.positive is not None:
        # The classes of another task are not the classes of this one.
        overrides.setdefault("classes", None)
    return task.model_copy(update=overrides)


def _data_for_dataset(data: DataSettings, dataset: DataSet, task: Task) -> DataSettings:
    overrides = _explicit_values(dataset, DATA_OVERRIDES)
    if dataset.prediction is not None or task.kind != "binary":
        # A column of predictions takes precedence over predictions derived from a score.
        overrides.setdefault("threshold", None)
    labels = dataset.labels or data.labels
    overrides["labels"] = _fill_placeholder(labels, dataset)
    if data.predictions is not None:
        files = (_fill_placeholder(path, dataset) for path in data.predictions)
        overrides["predictions"] = tuple(files)
    return data.model_copy(update=overrides)


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
