"""The tables [[classifiers]]: names, one source of results each, and overridden columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import ConfigDict, Field

from reportgen.errors import closest_match
from reportgen.errors.spec import (
    CLASSIFIER_SOURCE,
    DATASETS_DIFFER,
    DUPLICATE_CLASSIFIER,
    FOLD_SCORE_COUNTS_DIFFER,
    INVALID_CONFUSION_MATRIX,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_CLASSIFIER,
)
from reportgen.measures import find_measure
from reportgen.spec.data import FormatName, LabelMap, RowFilter
from reportgen.spec.fields import (
    DataPath,
    DataPaths,
    FiniteFloat,
    LabelText,
    NonEmpty,
    SingleLine,
    SpecModel,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    join_alternatives,
    key_issue,
    quote_value,
    suggest_one_of,
)

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

MAX_LISTED_NAMES = 5
CLASSIFIER_SOURCES = ("predictions", "confusion", "fold_scores", "dataset_scores")
# Counts above this are not exact as floats.
MAX_EXACT_COUNT = 2**53

CaseCount = Annotated[int, Field(ge=0, le=MAX_EXACT_COUNT)]
DatasetScores = Annotated[
    dict[str, Annotated[dict[SingleLine, FiniteFloat], Field(min_length=1)]], Field(min_length=1)
]


class Classifier(SpecModel):
    """A classifier: its name, the source of its results, and columns that differ from [data]."""

    model_config = ConfigDict(
        json_schema_extra={
            # None of them if [data] names the files.
            "not": {
                "anyOf": [{"required": list(pair)} for pair in combinations(CLASSIFIER_SOURCES, 2)]
            }
        }
    )

    name: SingleLine = Field(examples=["SVM"])
    """The name in the report; unique among the classifiers."""

    predictions: DataPaths | None = Field(default=None, examples=["data/svm.parquet"])
    """Prediction files, relative to the spec: a path, a list, or a glob with a file per fold.

    By default those of [data].
    """

    model: LabelText | None = Field(default=None, examples=["rf"])
    """The name in the `model` column of [data], if it differs from the name in the report."""

    confusion: NonEmpty[NonEmpty[CaseCount]] | None = Field(
        default=None, examples=[[[1108, 323], [272, 858]]]
    )
    """A confusion matrix: a row per true class, a column per predicted class."""

    fold_scores: Annotated[dict[str, NonEmpty[FiniteFloat]], Field(min_length=1)] | None = Field(
        default=None, examples=[{"accuracy": [0.81, 0.82]}]
    )
    """Values of measures per fold, where predictions are not available."""

    dataset_scores: DatasetScores | None = Field(
        default=None, examples=[{"accuracy": {"wine": 0.97, "iris": 0.95}}]
    )
    """Values of measures per data set, where predictions are not available."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the files, if it differs from [data]; its columns take precedence."""

    truth: SingleLine | None = Field(default=None, examples=["outcome"])
    """The column of the true class or value, if it differs from [data]."""

    prediction: SingleLine | None = Field(default=None, examples=["predicted"])
    """The column of the predicted class or value, if it differs from [data]."""

    score: SingleLine | None = Field(default=None, examples=["p_success"])
    """The column of the score, if it differs from [data]."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """The type of the score, if it differs from [data]."""

    probabilities: SingleLine | None = Field(default=None, examples=["p_{class}"])
    """The columns of the probabilities, if they differ from [data]."""

    fold: SingleLine | None = Field(default=None, examples=["fold"])
    """The column of the fold, if it differs from [data]."""

    id: SingleLine | None = Field(default=None, examples=["case"])
    """The column of the case's id, if it differs from [data]."""

    labels: DataPath | None = Field(default=None, examples=["labels.csv"])
    """The file of the truth, if it differs from [data]."""

    map: LabelMap | None = Field(default=None, examples=[{"0": "no", "1": "yes"}])
    """The class of each label, if it differs from [data]."""

    threshold: FiniteFloat | None = Field(default=None, examples=[0.5])
    """The threshold of the score, if it differs from [data]."""

    sheet: SingleLine | None = Field(default=None, examples=["SVM"])
    """The sheet of a workbook, if it differs from [data]."""

    table: SingleLine | None = Field(default=None, examples=["svm"])
    """The table of a database, if it differs from [data]."""

    where: RowFilter | None = Field(default=None, examples=[{"mtry": 2}])
    """The row filter, if it differs from [data]."""

    remote: bool | None = Field(default=None, examples=[True])
    """Whether files may be URIs, if it differs from [data]."""


COLUMN_OVERRIDES = tuple(
    key for key in Classifier.model_fields if key not in {"name", "model", *CLASSIFIER_SOURCES}
)


def validate_classifiers(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield issues of names and sources of classifiers."""
    yield from _validate_shared_files(spec)
    yield from validate_unique_names(spec)
    yield from _validate_classes_listed(spec)
    for index, classifier in enumerate(spec.classifiers):
        path: KeyPath = ("classifiers", index)
        yield from _validate_source(path, classifier)
        yield from _validate_confusion_matrix(spec, path, classifier)
        yield from _validate_fold_score_counts(path, classifier)


def validate_unique_names(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield classifiers of the same name."""
    names: dict[str, str] = {}
    for index, classifier in enumerate(spec.classifiers):
        # One space and two, or one at the end, look the same in a report.
        normalized = " ".join(classifier.name.split())
        if normalized not in names:
            names[normalized] = classifier.name
            continue
        name, first = quote_value(classifier.name), quote_value(names[normalized])
        message = (
            f"duplicate classifier name {name}"
            if name == first
            else f"{name} differs from {first} only in spaces"
        )
        yield ValidationIssue(
            DUPLICATE_CLASSIFIER,
            message,
            ("classifiers", index, "name"),
            "give every classifier a unique name",
        )


def _validate_shared_files(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield `model` without files in long format, and shared files that no classifier uses."""
    shared = spec.data.predictions
    if spec.data.model is not None and shared is None:
        yield key_issue(
            REQUIRES_OTHER_KEY,
            ("data", "model"),
            "needs `predictions` in [data], the file in long format",
            'for example `predictions = "predictions.csv"` in [data]',
            depends_on=(("data", "predictions"),),
        )
    used = any(map(spec.has_shared_files, spec.classifiers))
    if shared is not None and spec.classifiers and not used:
        yield key_issue(
            REQUIRES_OTHER_KEY,
            ("data", "predictions"),
            "has no effect: every classifier has a source of its own",
            "remove it, or remove `predictions` of the classifiers that are in it",
            Highlight.KEY,
            depends_on=(("classifiers",),),
        )
    for index, classifier in enumerate(spec.classifiers):
        in_long_format = spec.data.model is not None and spec.has_shared_files(classifier)
        if "model" in classifier.model_fields_set and not in_long_format:
            yield key_issue(
                REQUIRES_OTHER_KEY,
                ("classifiers", index, "model"),
                "needs `model` and `predictions` in [data], a file in long format",
                'to select rows of another file write `where = { column = "value" }`',
                Highlight.KEY,
                depends_on=(("data", "model"), ("data", "predictions")),
            )


def _validate_classes_listed(spec: Spec) -> Iterator[ValidationIssue]:
    if spec.task.classes is not None or spec.task.kind == "regression":
        return
    for index, classifier in enumerate(spec.classifiers):
        if classifier.confusion is not None:
            yield key_issue(
                REQUIRES_OTHER_KEY,
                ("classifiers", index, "confusion"),
                "needs `classes` in [task] for the order of rows and columns",
                'for example `classes = ["success", "failure"]`',
                depends_on=(("task", "classes"),),
            )
            return


def _validate_source(path: KeyPath, classifier: Classifier) -> Iterator[ValidationIssue]:
    sources = [source for source in CLASSIFIER_SOURCES if getattr(classifier, source) is not None]
    if not sources:
        yield ValidationIssue(
            CLASSIFIER_SOURCE,
            f"a classifier needs {join_alternatives(CLASSIFIER_SOURCES)}",
            (*path, CLASSIFIER_SOURCES[0]),
            'for example `predictions = "data/svm.parquet"`',
            Highlight.TABLE,
            depends_on=(
                ("data", "predictions"),
                *((*path, source) for source in CLASSIFIER_SOURCES),
            ),
        )
    for source in sources[1:]:
        yield key_issue(
            CLASSIFIER_SOURCE,
            (*path, source),
            f"cannot be combined with `{sources[0]}`",
            "keep one of them: they could contradict each other",
            Highlight.KEY,
        )


def _validate_confusion_matrix(
    spec: Spec, path: KeyPath, classifier: Classifier
) -> Iterator[ValidationIssue]:
    rows, key_path = classifier.confusion, (*path, "confusion")
    if rows is None:
        return
    if spec.task.kind == "regression":
        message = "does not apply to a regression task"
        yield key_issue(
            NOT_APPLICABLE_TO_TASK, key_path, message, "give `predictions` instead", Highlight.KEY
        )
        return
    error = _confusion_matrix_error(rows, spec.task.classes)
    if error is not None:
        help_text = "one row per true class, one column per predicted class"
        yield key_issue(INVALID_CONFUSION_MATRIX, key_path, error, help_text)


def _confusion_matrix_error(
    rows: tuple[tuple[int, ...], ...], classes: tuple[str, ...] | None
) -> str | None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            return (
                f"must be square, but row {number} has {_format_count(len(row), 'cell')} and there"
                f" are {_format_count(len(rows), 'row')}"
            )
    if classes is not None and len(rows) != len(classes):
        return f"has {_format_count(len(rows), 'row')}, but there are {len(classes)} classes"
    total = sum(map(sum, rows))
    if total == 0:
        return "has no cases: all counts are 0"
    if total > MAX_EXACT_COUNT:
        return "has more than 2^53 cases, which cannot be counted exactly"
    return None


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _validate_fold_score_counts(path: KeyPath, classifier: Classifier) -> Iterator[ValidationIssue]:
    by_measure = list((classifier.fold_scores or {}).items())
    for measure, scores in by_measure[1:]:
        first, expected = by_measure[0][0], len(by_measure[0][1])
        if len(scores) != expected:
            yield key_issue(
                FOLD_SCORE_COUNTS_DIFFER,
                (*path, "fold_scores", measure),
                f"has {_format_count(len(scores), 'score')}, but {quote_value(first)} has"
                f" {expected}",
                "every list has one score per fold",
            )


def validate_dataset_scores(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield scores out of range, and measures and data sets that only some classifiers have."""
    tables: list[tuple[KeyPath, dict[str, dict[str, float]]]] = [
        (("classifiers", index, "dataset_scores"), classifier.dataset_scores)
        for index, classifier in enumerate(spec.classifiers)
        if classifier.dataset_scores is not None
    ]
    for path, scores in tables:
        yield from _validate_same_measures(path, scores, tables[0][1])
        for measure, by_dataset in scores.items():
            yield from _validate_same_datasets((*path, measure), by_dataset, spec.dataset_names)
            yield from _validate_dataset_score_range((*path, measure), measure, by_dataset)


def _validate_same_measures(
    path: KeyPath, scores: Iterable[str], expected: Iterable[str]
) -> Iterator[ValidationIssue]:
    measures = {find_measure(name) for name in scores}
    missing = [name for name in expected if find_measure(name) not in measures]
    if missing:
        yield ValidationIssue(
            DATASETS_DIFFER,
            f"missing scores of {_list_names(missing)}, which another classifier has",
            path,
            "give every classifier the same measures",
            depends_on=tuple((*path, name) for name in missing),
        )


def _validate_same_datasets(
    path: KeyPath, by_dataset: Iterable[str], expected: tuple[str, ...]
) -> Iterator[ValidationIssue]:
    names = tuple(by_dataset)
    missing = [name for name in expected if name not in names]
    for name in names:
        if name not in expected:
            suggestion = closest_match(name, missing)
            missing = [other for other in missing if other != suggestion]
            yield ValidationIssue(
                DATASETS_DIFFER,
                f"the data set {quote_value(name)} is not one of those of the other classifiers",
                (*path, name),
                f"did you mean `{suggestion}`?"
                if suggestion
                else f"expected one of {_list_names(expected)}",
                Highlight.KEY,
                depends_on=(("datasets",),),
            )
    if missing:
        yield ValidationIssue(
            DATASETS_DIFFER,
            f"missing scores on {_list_names(missing)}",
            path,
            "classifiers are compared on the same data sets: add the scores, or remove those of"
            " the other classifiers",
            depends_on=tuple((*path, name) for name in missing),
        )
    elif len(expected) == 1:
        yield ValidationIssue(
            OUT_OF_RANGE,
            "a comparison over data sets needs two or more of them",
            path,
            "for example `{ wine = 0.97, iris = 0.95 }`",
            depends_on=(("datasets",),),
        )


def _list_names(names: Sequence[str]) -> str:
    ellipsis = ", …" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(map(quote_value, names[:MAX_LISTED_NAMES])) + ellipsis


def _validate_dataset_score_range(
    path: KeyPath, name: str, by_dataset: Mapping[str, float]
) -> Iterator[ValidationIssue]:
    measure = find_measure(name)
    for dataset, score in by_dataset.items():
        if measure is not None and not measure.range.contains(score):
            yield ValidationIssue(
                OUT_OF_RANGE,
                f"the score on {quote_value(dataset)} is outside the range of {quote_value(name)}",
                (*path, dataset),
                "a score of 97 % is written 0.97",
            )
            # One issue per measure, because percentages for proportions are one mistake.
            return


def validate_classifier_name(spec: Spec, name: str, path: KeyPath) -> Iterator[ValidationIssue]:
    """Yield an issue if a table names a classifier that the spec does not have."""
    # The names of models are known only when their file is read.
    if spec.find_classifier(name) is None and spec.data.model is None:
        yield ValidationIssue(
            UNKNOWN_CLASSIFIER,
            f"unknown classifier {quote_value(name)}",
            path,
            suggest_one_of(name, (classifier.name for classifier in spec.classifiers)),
            depends_on=(("classifiers",),),
        )
