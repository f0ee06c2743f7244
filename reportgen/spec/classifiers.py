"""A classifier and where to read what it did."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Annotated, Literal

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
)
from reportgen.measures import find_measure
from reportgen.spec.data import FormatName, RowFilter
from reportgen.spec.fields import DataPath, DataPaths, FiniteFloat, NonEmpty, SingleLine, SpecModel
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    RawTable,
    ValidationIssue,
    join_alternatives,
    quote_value,
)

CLASSIFIER_SOURCES = ("predictions", "confusion", "fold_scores", "dataset_scores")
# Counts above this are not exact as floats, which the measures are computed with.
MAX_EXACT_COUNT = 2**53

CaseCount = Annotated[int, Field(ge=0, le=MAX_EXACT_COUNT)]
DatasetScores = Annotated[
    dict[str, Annotated[dict[SingleLine, FiniteFloat], Field(min_length=1)]], Field(min_length=1)
]


class Classifier(SpecModel):
    """A classifier: its name, one source of what it did, and columns where it differs."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [source]} for source in CLASSIFIER_SOURCES]}
    )

    name: SingleLine = Field(examples=["SVM"])
    """The name the report uses; no two classifiers share one."""

    predictions: DataPaths | None = Field(default=None, examples=["data/svm.parquet"])
    """Prediction files, relative to the spec: a path, a list, or a glob with a file per fold."""

    confusion: NonEmpty[NonEmpty[CaseCount]] | None = Field(
        default=None, examples=[[[1108, 323], [272, 858]]]
    )
    """Counts instead of cases: a row per true class, a column per predicted class."""

    fold_scores: Annotated[dict[str, NonEmpty[FiniteFloat]], Field(min_length=1)] | None = Field(
        default=None, examples=[{"accuracy": [0.81, 0.82]}]
    )
    """Scores per fold, by measure, if nothing else is known."""

    dataset_scores: DatasetScores | None = Field(
        default=None, examples=[{"accuracy": {"wine": 0.97, "iris": 0.95}}]
    )
    """Scores per data set, by measure, if nothing else is known."""

    format: FormatName | None = Field(default=None, examples=["weka"])
    """The tool that wrote the files, if it differs from [data]; its columns count before those."""

    truth: SingleLine | None = Field(default=None, examples=["outcome"])
    """The column of the true class or value, if it differs from [data]."""

    prediction: SingleLine | None = Field(default=None, examples=["predicted"])
    """The column of the predicted class or value, if it differs from [data]."""

    score: SingleLine | None = Field(default=None, examples=["p_success"])
    """The column of the score, if it differs from [data]."""

    score_kind: Literal["probability", "ranking"] | None = Field(
        default=None, examples=["probability"]
    )
    """What the score is, if it differs from [data]."""

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

    where: RowFilter | None = Field(default=None, examples=[{"mtry": 2}])
    """Keep only the rows with these values, if it differs from [data]."""

    remote: bool | None = Field(default=None, examples=[True])
    """Whether files may be addresses, if it differs from [data]."""


COLUMN_OVERRIDES = tuple(
    key for key in Classifier.model_fields if key not in {"name", *CLASSIFIER_SOURCES}
)


# Every classifier has one source, and that source fits the task.


def validate_classifiers(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what is wrong with names and sources of classifiers."""
    yield from _validate_unique_names(raw)
    yield from _validate_classes_listed(raw)
    for path, classifier in raw.tables("classifiers"):
        yield from _validate_source(path, classifier)
        yield from _validate_confusion_matrix(raw, path, classifier)
        yield from _validate_fold_score_counts(path, classifier)


def _validate_unique_names(raw: RawSpec) -> Iterator[ValidationIssue]:
    seen: dict[str, str] = {}
    for path, classifier in raw.tables("classifiers"):
        name = classifier.get("name")
        if not isinstance(name, str):
            continue
        # Readers see no difference between one space and two, or one at the end.
        seen_as = " ".join(name.split())
        if seen_as not in seen:
            seen[seen_as] = name
            continue
        first = seen[seen_as]
        message = f"a classifier named {quote_value(name)} exists already"
        if first != name:
            message = f"{quote_value(name)} differs from {quote_value(first)} only in spaces"
        help_line = "give every classifier a name of its own"
        yield ValidationIssue(DUPLICATE_CLASSIFIER, message, (*path, "name"), help_line)


def _validate_classes_listed(raw: RawSpec) -> Iterator[ValidationIssue]:
    task = raw.table("task")
    if not task or "classes" in task or raw.task_kind == "regression":
        return
    for path, classifier in raw.tables("classifiers"):
        if "confusion" in classifier:
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                "`confusion` needs `classes` in [task] for the order of rows and columns",
                (*path, "confusion"),
                'for example `classes = ["success", "failure"]`',
                missing_keys=(("task", "classes"),),
            )
            return


def _validate_source(path: KeyPath, classifier: RawTable) -> Iterator[ValidationIssue]:
    given = [source for source in CLASSIFIER_SOURCES if source in classifier]
    if not given:
        yield ValidationIssue(
            CLASSIFIER_SOURCE,
            f"a classifier needs {join_alternatives(CLASSIFIER_SOURCES)}",
            (*path, CLASSIFIER_SOURCES[0]),
            'for example `predictions = "data/svm.parquet"`',
            Highlight.TABLE,
            missing_keys=tuple((*path, source) for source in CLASSIFIER_SOURCES),
        )
    for source in given[1:]:
        yield ValidationIssue(
            CLASSIFIER_SOURCE,
            f"`{source}` cannot stand beside `{given[0]}`",
            (*path, source),
            "keep one of them: they could contradict each other",
            Highlight.KEY,
        )


def _validate_confusion_matrix(
    raw: RawSpec, path: KeyPath, classifier: RawTable
) -> Iterator[ValidationIssue]:
    rows = classifier.get("confusion")
    place = (*path, "confusion")
    if rows is not None and raw.task_kind == "regression":
        message = "`confusion` does not fit a regression task"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, place, "give `predictions` instead", Highlight.KEY
        )
    elif isinstance(rows, list) and rows and all(isinstance(row, list) and row for row in rows):
        fault = _confusion_matrix_error(rows, raw.classes)
        if fault is not None:
            help_line = "one row per true class, one column per predicted class"
            yield ValidationIssue(INVALID_CONFUSION_MATRIX, fault, place, help_line)


def _confusion_matrix_error(
    rows: list[list[object]], classes: tuple[str, ...] | None
) -> str | None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            return (
                "`confusion` must be square, but"
                f" row {number} has {_format_count(len(row), 'cell')} and there are"
                f" {_format_count(len(rows), 'row')}"
            )
    if classes is not None and len(rows) != len(classes):
        return f"`confusion` has {_format_count(len(rows), 'row')}, but there are {len(classes)} classes"
    if all(cell == 0 and not isinstance(cell, bool) for row in rows for cell in row):
        return "`confusion` has no cases: all counts are 0"
    counts = [cell for row in rows for cell in row if isinstance(cell, int)]
    if sum(counts) > MAX_EXACT_COUNT:
        return "`confusion` has more than 2^53 cases, which cannot be counted exactly"
    return None


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _validate_fold_score_counts(path: KeyPath, classifier: RawTable) -> Iterator[ValidationIssue]:
    scores = classifier.get("fold_scores")
    written = scores.items() if isinstance(scores, dict) else ()
    lists = [(key, items) for key, items in written if isinstance(items, list) and items]
    for key, items in lists[1:]:
        first, expected = lists[0][0], len(lists[0][1])
        if len(items) != expected:
            yield ValidationIssue(
                FOLD_SCORE_COUNTS_DIFFER,
                f"{quote_value(key)} has {_format_count(len(items), 'score')},"
                f" but {quote_value(first)} has {expected}",
                (*path, "fold_scores", key),
                "every list has one score per fold",
            )


# Scores per data set are in range, and every classifier has the same measures and data sets.

MAX_LISTED_NAMES = 5


def validate_dataset_scores(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield scores out of range and data sets that one classifier has and another lacks."""
    tables = [
        ((*path, "dataset_scores"), scores)
        for path, classifier in raw.tables("classifiers")
        if isinstance(scores := classifier.get("dataset_scores"), dict) and scores
    ]
    expected = _expected_datasets(raw, [scores for _, scores in tables])
    for path, scores in tables:
        yield from _validate_same_measures(path, scores, tables[0][1])
        for measure, by_dataset in scores.items():
            if isinstance(by_dataset, dict) and by_dataset:
                yield from _validate_same_datasets((*path, measure), by_dataset, expected)
                yield from _validate_dataset_score_range((*path, measure), measure, by_dataset)


def _expected_datasets(raw: RawSpec, scores: list[RawTable]) -> tuple[str, ...]:
    """Return the data sets by [[datasets]] or, without it, by the first scores."""
    listed = [table.get("name") for _, table in raw.tables("datasets")]
    names = tuple(name for name in listed if isinstance(name, str))
    written = (table for each in scores for table in each.values() if isinstance(table, dict))
    return names or tuple(next(written, ()))


def _validate_same_measures(
    path: KeyPath, scores: RawTable, expected: RawTable
) -> Iterator[ValidationIssue]:
    known = {find_measure(name) for name in scores}
    missing = [name for name in expected if find_measure(name) not in known]
    if missing:
        yield ValidationIssue(
            DATASETS_DIFFER,
            f"the scores by {', '.join(map(quote_value, missing))} are missing: another classifier has"
            " them",
            path,
            "give every classifier the same measures",
        )


def _validate_same_datasets(
    path: KeyPath, by_dataset: RawTable, expected: tuple[str, ...]
) -> Iterator[ValidationIssue]:
    missing = [name for name in expected if name not in by_dataset]
    for name in by_dataset:
        if name not in expected:
            meant = closest_match(name, missing)
            missing = [other for other in missing if other != meant]
            yield ValidationIssue(
                DATASETS_DIFFER,
                f"the data set {quote_value(name)} is not among those of the others",
                (*path, name),
                f"did you mean `{meant}`?"
                if meant
                else f"the data sets are {', '.join(map(quote_value, expected[:MAX_LISTED_NAMES]))}"
                + (", …" if len(expected) > MAX_LISTED_NAMES else ""),
                Highlight.KEY,
            )
    if missing:
        said = ", ".join(map(quote_value, missing[:MAX_LISTED_NAMES])) + (
            ", …" if len(missing) > MAX_LISTED_NAMES else ""
        )
        noun = "the score of the data set" if len(missing) == 1 else "the scores of the data sets"
        yield ValidationIssue(
            DATASETS_DIFFER,
            f"{noun} {said} {'is' if len(missing) == 1 else 'are'} missing",
            path,
            "classifiers are compared on the same data sets: add it, or take it from the others",
        )
    if len(expected) == 1 and not missing:
        yield ValidationIssue(
            OUT_OF_RANGE,
            "one data set is no comparison over data sets: two or more are needed",
            path,
            "for example `{ wine = 0.97, iris = 0.95 }`",
        )


def _validate_dataset_score_range(
    path: KeyPath, name: str, by_dataset: RawTable
) -> Iterator[ValidationIssue]:
    measure = find_measure(name)
    outside = [
        dataset
        for dataset, score in by_dataset.items()
        # What is no number at all, or nan, is found by the model.
        if isinstance(score, int | float) and not isinstance(score, bool) and not isnan(score)
        if measure is not None and not measure.range.contains(score)
    ]
    # One fault per measure, because percentages for shares are one mistake.
    for dataset in outside[:1]:
        yield ValidationIssue(
            OUT_OF_RANGE,
            f"the score on {quote_value(dataset)} is outside of the range of {quote_value(name)}",
            (*path, dataset),
            "a score of 97 % is written 0.97",
        )
