"""Inference of column roles of a prediction file from names and contents, for `init`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from reportgen.predictions.columns import MISSING_MARKERS
from reportgen.predictions.label_sets import indicator_length
from reportgen.predictions.labels import (
    canonicalize_labels,
    find_positive_label,
    fold_spelling,
)
from reportgen.predictions.pooling import FOLD_NAMES, MODEL_NAMES, REPEAT_NAMES, SUBSET_LABELS
from reportgen.predictions.profiling import id_name_rank, normalize_name
from reportgen.spec.task import LABEL_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from reportgen.predictions.profiling import ColumnProfile, FileProfile

TRUTH_NAMES = (
    *("truth", "true", "ytrue", "ytest", "actual", "observed", "obs", "truelabel", "trueclass"),
    *("groundtruth", "gold", "goldlabel", "reference", "correctlabel", "correctanswer", "expected"),
    "from",
)
# Names that a truth has where no other column is called one.
OUTCOME_NAMES = (
    *("target", "targets", "outcome", "label", "labels", "class", "y", "diagnosis", "churn"),
    *("churned", "fraud", "isfraud", "default", "defaulted", "survived", "response", "converted"),
    *("clicked", "spam", "disease", "sentiment", "species", "category", "result", "event", "died"),
    *("relapse", "readmitted", "approved", "grade", "price", "quality", "answer", "status"),
    *("diagnose", "befund", "klasse", "ergebnis", "diagnostic", "classe", "diagnostico", "clase"),
)
PREDICTION_NAMES = (
    *("prediction", "predicted", "pred", "ypred", "yhat", "predictedlabel", "predictedclass"),
    *("predlabel", "predclass", "estimate", "output", "modeloutput", "predictions", "predict"),
    *("into", "pgr1"),
)
_TRUTH_WORDS = (
    frozenset(
        ("truth", "true", "actual", "gold", "gt", "human", "expert", "annotator", "annotated")
    )
    | frozenset(("annotation", "observed", "reference", "manual", "groundtruth", "adjudicated"))
    | frozenset(("wahrheit", "verite", "vérité", "verdad"))
    | frozenset(("histology", "pathology", "biopsy", "histologie", "pathologie", "adjudication"))
)
_PREDICTION_WORDS = (
    frozenset(
        (
            "pred",
            "preds",
            "prediction",
            "predictions",
            "predicted",
            "yhat",
            "ypred",
            "hat",
            "predict",
        )
    )
    | frozenset(
        ("estimate", "estimated", "forecast", "vorhersage", "prognose", "prédiction", "predicción")
    )
    | frozenset(("vorhergesagt", "vorhergesagte", "vorhersagen", "scored", "into", "pgr"))
)

_SCORE_WORDS = (
    frozenset(
        ("score", "scores", "prob", "probs", "proba", "probability", "probabilities", "confidence")
    )
    | frozenset(("conf", "p", "pr", "logit", "logits", "risk", "decision", "function", "margin"))
    | frozenset(("wahrscheinlichkeit", "probabilité", "probabilidad"))
)
_FILLER_WORDS = frozenset(("y", "label", "class", "of", "the", "value", "output", "answer"))
_MODEL_WORD = re.compile(
    r"(model|clf|classifier|system|rf|forest|randomforest|svm|svc|knn|nb|bayes|tree|dt|cart|xgb"
    r"|xgboost|lgbm|lightgbm|catboost|gbm|gbt|gb|boost|boosting|lr|logreg|logistic|logit|ridge"
    r"|lasso|linear|ols|mlp|nn|cnn|rnn|lstm|net|resnet|vgg|vit|bert|roberta|distilbert|gpt|llm"
    r"|claude|llama|mistral|gemini|qwen|ensemble|baseline|dummy|ada|adaboost|lda|qda|sgd"
    r"|perceptron|judge|rater|reader|radiologist|ai|ki|regex|rules?|v|m)\d*"
)
# People whose answers a model is measured against, if nothing else is the truth.
_READER_WORDS = frozenset(("rater", "reader", "radiologist", "teacher", "examiner", "doctor"))
# Normalized labels of predictions that name no class.
ABSTENTIONS = (
    frozenset(("unclear", "unknown", "unsure", "undecided", "undetermined", "uncertain", "abstain"))
    | frozenset(
        ("abstained", "refused", "refusal", "error", "failed", "parseerror", "invalid", "noanswer")
    )
    | frozenset(("idontknow", "dontknow", "cannotsay", "cantsay", "notsure", "weißnicht"))
)

MAX_INTEGER_LABELS = 30
MAX_CLASS_LABELS = 1000
MAX_FOLDS = 100
_MAX_MODELS = 50
_MIN_CORRELATION = 0.5
_ROW_SUM_TOLERANCE = 0.01
_HALF = 0.5
TaskKind = Literal["binary", "multiclass", "multilabel", "regression"]
InitOption = Literal[
    "truth",
    "prediction",
    "score",
    "positive",
    "id",
    "fold",
    "model",
    "cluster",
    "sheet",
    "table",
]


@dataclass(frozen=True, slots=True)
class Question:
    """What cannot be inferred: the option of `init` that answers it, and its possible values."""

    option: InitOption
    text: str
    choices: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Further columns, which are less likely."""


class UndecidedError(Exception):
    """Column roles that names and contents leave open."""

    def __init__(self, question: Question) -> None:
        """Keep the question."""
        super().__init__(question.text)
        self.question = question


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """Columns named on the command line, which are not inferred."""

    truth: str | None = None
    prediction: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    positive: str | None = None
    id: str | None = None
    fold: str | None = None
    model: str | None = None
    cluster: str | None = None
    sheet: str | None = None
    table: str | None = None

    def with_answer(self, question: Question, answer: str) -> ColumnOptions:
        """Return the options with the answer to a question."""
        if question.option == "prediction":
            return replace(self, prediction=(*self.prediction, answer))
        if question.option == "score":
            return replace(self, score=(*self.score, answer))
        single: dict[str, Any] = {question.option: answer}
        return replace(self, **single)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are named."""
        single = (self.truth, self.id, self.fold, self.model, self.cluster)
        return (*(name for name in single if name), *self.prediction, *self.score)


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """The column of the truth, the kind of task, and the labels if they are classes."""

    column: str
    kind: TaskKind
    labels: tuple[str, ...] = ()
    is_certain: bool = True
    separator: str = LABEL_SEPARATOR
    """What separates the labels of a set, in a multilabel task."""


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns of one classifier in a file; without a name it is named after the file."""

    name: str | None
    prediction: str | None
    score: str | None = None
    probabilities: str | None = None
    threshold: float | None = None


# Names.


def split_words(name: str) -> list[str]:
    """Return the words of a column's name in lower case: `rfPred_label` is rf, pred, label."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.casefold() for word in re.split(r"[\W_]+", words) if word]


def has_prediction_name(name: str) -> bool:
    """Return whether a column is called a prediction; `pred_proba` is a score."""
    words = set(split_words(name))
    is_named = bool(words & _PREDICTION_WORDS) or normalize_name(name) in PREDICTION_NAMES
    return is_named and not words & (_SCORE_WORDS - {"p", "pr"})


def has_score_name(name: str) -> bool:
    """Return whether a column is called a score or a probability."""
    return bool(set(split_words(name)) & _SCORE_WORDS)


def has_truth_name(name: str) -> bool:
    """Return whether a column is called the truth, as `human_label` is."""
    is_named = normalize_name(name) in TRUTH_NAMES or bool(set(split_words(name)) & _TRUTH_WORDS)
    return is_named and not has_prediction_name(name) and not has_score_name(name)


def has_model_name(name: str) -> bool:
    """Return whether a column is called like a model, as `rf`, `model_a` and `gpt4` are."""
    return any(_MODEL_WORD.fullmatch(word) for word in split_words(name))


def _has_outcome_name(name: str) -> bool:
    return normalize_name(name) in OUTCOME_NAMES or split_words(name)[:1] in (
        ["is"],
        ["has"],
        ["was"],
    )


def owner_of(name: str, labels: Iterable[str] = ()) -> str | None:
    """Return a name without the words for predictions, scores and classes: the classifier."""
    spaced_name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = [word for word in re.split(r"[\W_]+", spaced_name) if word]
    keywords = _PREDICTION_WORDS | _SCORE_WORDS | _FILLER_WORDS
    keywords |= {normalize_name(label) for label in labels}
    remaining = [word for word in words if word.casefold() not in keywords]
    separator = "_" if "_" in name else "-" if "-" in name else " "
    return separator.join(remaining) or None


def find_by_name(names: Iterable[str], candidates: tuple[str, ...]) -> str | None:
    """Return the column with the first of some names, None if there is none."""
    by_normalized = {normalize_name(name): name for name in reversed(list(names))}
    return next((by_normalized[name] for name in candidates if name in by_normalized), None)


# The structure of a file: folds, repetitions, models.


_FOLD_VALUE = re.compile(r"(fold|split|resample|bootstrap|cv)[\W_]*\d+", re.IGNORECASE)
_REPEAT_VALUE = re.compile(r"(repeat|rep|repetition)[\W_]*\d+", re.IGNORECASE)


def infer_fold_column(file: FileProfile) -> str | None:
    """Return the column of folds by its name or its values, or None; train and test are no folds.

    Values such as Fold01 are those of tidymodels, whose column is called `id` or `id2`.
    """
    candidates = [
        column
        for column in file.columns
        if 1 < column.distinct_count <= MAX_FOLDS and not _are_subsets(column)
    ]
    return find_by_name((column.name for column in candidates), FOLD_NAMES) or _find_by_values(
        candidates, _FOLD_VALUE
    )


def _find_by_values(columns: Iterable[ColumnProfile], pattern: re.Pattern[str]) -> str | None:
    """Return the only column whose values all match a pattern, or None."""
    names = [column.name for column in columns if all(map(pattern.fullmatch, column.examples))]
    return names[0] if len(names) == 1 else None


def infer_subset(file: FileProfile) -> tuple[str, str] | None:
    """Return the column that splits a file into train and test, and the value of the test rows."""
    for column in file.columns:
        if normalize_name(column.name) in (*FOLD_NAMES, "set", "subset", "partition", "dataset"):
            tests = [
                label
                for label in column.examples
                if label.casefold() in {"test", "testing", "holdout"}
            ]
            if _are_subsets(column) and column.distinct_count > 1 and len(tests) == 1:
                return column.name, tests[0]
    return None


def _are_subsets(column: ColumnProfile) -> bool:
    return {example.casefold() for example in column.examples} <= SUBSET_LABELS


def infer_model_column(
    file: FileProfile, frame: pl.DataFrame, truth: str | None, role_columns: Collection[str | None]
) -> str | None:
    """Return the column of models of a file in long format, by its name or by repeated cases."""
    repetitive_columns = [
        column
        for column in file.columns
        if 1 < column.distinct_count <= _MAX_MODELS
        and column.name not in role_columns
        and column.distinct_count * 2 <= file.rows
    ]
    name = find_by_name((column.name for column in repetitive_columns), MODEL_NAMES)
    if name is not None and repeats_cases(frame, name, truth):
        return name
    others = [
        column.name
        for column in repetitive_columns
        if column.kind == "text" and normalize_name(column.name) not in REPEAT_NAMES + FOLD_NAMES
    ]
    ids = [column.name for column in file.columns if id_name_rank(column.name) is not None]
    candidates = [
        other
        for other in others
        if any(id_ != other and _crosses_ids(frame, other, id_, truth) for id_ in ids)
    ]
    return candidates[0] if len(candidates) == 1 else None


def infer_repeat_column(
    file: FileProfile, frame: pl.DataFrame, truth: str | None, role_columns: Collection[str | None]
) -> str | None:
    """Return the column of repetitions, in each of which the same cases are."""
    columns = [
        column
        for column in file.columns
        if 1 < column.distinct_count <= MAX_FOLDS and column.name not in role_columns
    ]
    name = find_by_name((column.name for column in columns), REPEAT_NAMES) or _find_by_values(
        columns, _REPEAT_VALUE
    )
    return name if name is not None and repeats_cases(frame, name, truth) else None


def repeats_cases(frame: pl.DataFrame, column: str, truth: str | None) -> bool:
    """Return whether each value of a column has the same truths, or the same ids."""
    ids = [
        name
        for name in frame.columns
        if name not in {column, truth} and id_name_rank(name) is not None
    ]
    if any(_crosses_ids(frame, column, id_, truth) for id_ in ids):
        return True
    if truth is None:
        return False
    counts = frame.group_by(column, truth).len("size")
    n_values, n_truths = frame[column].n_unique(), frame[truth].n_unique()
    return (
        counts.height == n_values * n_truths and counts.select(truth, "size").n_unique() == n_truths
    )


def _crosses_ids(frame: pl.DataFrame, column: str, id_: str, truth: str | None) -> bool:
    """Return whether ids occur with most values of a column, and have one truth."""
    n_ids, n_values = frame[id_].n_unique(), frame[column].n_unique()
    pairs = frame.select(column, id_).n_unique()
    if pairs < 0.8 * n_ids * n_values or n_ids < 2 or n_values < 2:  # noqa: PLR2004
        return False
    return truth is None or frame.select(id_, truth).n_unique() == n_ids


def infer_repeated_id(frame: pl.DataFrame, by: Sequence[str], truth: str) -> str | None:
    """Return the column whose values occur once for each model and repetition, by contents."""
    candidates = [
        name
        for name in frame.columns
        if name not in {*by, truth}
        and not frame[name].null_count()
        and frame.select(*by, name).n_unique() == frame.height
        and all(_crosses_ids(frame, column, name, truth) for column in by)
    ]
    return candidates[0] if len(candidates) == 1 else None


# The truth.


def infer_truth_column(
    file: FileProfile, options: ColumnOptions, role_columns: Collection[str | None]
) -> str | None:
    """Return the column of the truth, None if the file has none; raise if several may be it."""
    columns = [
        column
        for column in file.columns
        if column.name not in {*role_columns, *options.prediction, *options.score}
        and not _is_structural(column.name)
        and column.distinct_count > 0
    ]
    names = [column.name for column in columns]
    by_name = find_by_name(names, TRUTH_NAMES)
    if by_name is not None:
        return by_name
    truth_names = [name for name in names if has_truth_name(name)]
    if len(truth_names) == 1:
        return truth_names[0]
    if truth_names:
        return _truth_by_labels(columns, truth_names)
    return (
        _truth_by_pair(names)
        or find_by_name(names, OUTCOME_NAMES[:7])
        or _truth_by_content(
            [column for column in columns if id_name_rank(column.name) is None], options
        )
    )


def _truth_by_labels(columns: Sequence[ColumnProfile], truth_names: Sequence[str]) -> str:
    """Return the only one of these columns with labels that others have too; raise if several."""
    others = {
        _label_set(column)
        for column in columns
        if column.name not in truth_names and _is_label_column(column) and column.distinct_count > 1
    }
    shared = [
        column.name
        for column in columns
        if column.name in truth_names
        and any(_share_labels(_label_set(column), labels) for labels in others)
    ]
    if len(shared) == 1:
        return shared[0]
    raise UndecidedError(_ask_truth(truth_names))


def _is_structural(name: str) -> bool:
    return normalize_name(name) in (*MODEL_NAMES, *FOLD_NAMES, *REPEAT_NAMES)


def _truth_by_pair(names: Sequence[str]) -> str | None:
    """Return X if there is a column `predicted_X`, `X_pred` or `X_hat`."""
    by_normalized = {normalize_name(name): name for name in names}
    for name in names:
        if has_prediction_name(name):
            words = [word for word in split_words(name) if word not in _PREDICTION_WORDS]
            base = by_normalized.get("".join(words))
            if base is not None and base != name:
                return base
    return None


def _truth_by_content(columns: Sequence[ColumnProfile], options: ColumnOptions) -> str | None:
    predictions = [
        column
        for column in columns
        if has_prediction_name(column.name) and _is_label_column(column)
    ]
    labelled = [
        column
        for column in columns
        if _is_label_column(column)
        and column.distinct_count > 1
        and not has_prediction_name(column.name)
        and not has_score_name(column.name)
    ]
    if predictions or options.prediction:
        label_sets = {_label_set(column) for column in predictions}
        labelled = [
            column
            for column in labelled
            if not label_sets
            or any(_share_labels(_label_set(column), labels) for labels in label_sets)
        ]
        return _only_candidate(labelled)
    scores = [column for column in columns if is_unit(column) and not _is_label_column(column)]
    if scores or options.score or any(has_score_name(column.name) for column in columns):
        return _only_candidate(labelled)
    numeric = [column for column in columns if has_prediction_name(column.name)]
    if numeric:
        outcomes = [
            column
            for column in columns
            if column.kind in {"integer", "number"} and column not in numeric
        ]
        return _only_candidate(outcomes)
    others = [column for column in labelled if not has_model_name(column.name)]
    if len(others) < len(labelled) and others:
        return _only_candidate(others)
    humans = [column for column in labelled if set(split_words(column.name)) & _READER_WORDS]
    if len(humans) == 1:
        return humans[0].name
    outcome_names = [column.name for column in labelled if _has_outcome_name(column.name)]
    if len(outcome_names) == 1:
        return outcome_names[0]
    if len(labelled) > 1:
        raise UndecidedError(_ask_truth([column.name for column in labelled]))
    return None


def _only_candidate(columns: Sequence[ColumnProfile]) -> str | None:
    """Return the only column, or the only one called an outcome; raise if that leaves several."""
    if len(columns) <= 1:
        return columns[0].name if columns else None
    outcome_names = [column.name for column in columns if _has_outcome_name(column.name)]
    if len(outcome_names) == 1:
        return outcome_names[0]
    raise UndecidedError(_ask_truth(outcome_names or [column.name for column in columns]))


def _ask_truth(names: Sequence[str]) -> Question:
    return Question("truth", "which column is the truth?", tuple(names))


def _is_label_column(column: ColumnProfile) -> bool:
    if column.kind in {"integer", "number"}:
        return column.is_integral and column.distinct_count <= MAX_INTEGER_LABELS
    return 0 < column.distinct_count <= MAX_CLASS_LABELS and not column.is_unique


def _label_set(column: ColumnProfile) -> frozenset[str]:
    return frozenset(canonicalize_labels(column.examples).values())


def _share_labels(labels: frozenset[str], others: frozenset[str]) -> bool:
    return labels <= others or others <= labels


def is_unit(column: ColumnProfile) -> bool:
    """Return whether all numbers of a column lie between 0 and 1."""
    return (
        column.kind in {"number", "integer"}
        and (column.minimum or 0) >= 0
        and (column.maximum or 0) <= 1
    )


# The task and the classifiers.


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """Columns of 0 and 1 for the labels of a multilabel task, as patterns with {class}."""

    labels: tuple[str, ...]
    truth: str
    prediction: str | None
    probabilities: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of all labels."""
        patterns = [text for text in (self.truth, self.prediction, self.probabilities) if text]
        return tuple(text.replace("{class}", label) for text in patterns for label in self.labels)


def infer_label_columns(
    file: FileProfile, role_columns: Collection[str | None]
) -> LabelColumns | None:
    """Return columns of truths and predictions 0 and 1 for several labels, None without them.

    Their names differ only in the label, and in words for truths, predictions and scores.
    """
    columns = [column for column in file.columns if column.name not in role_columns]
    truths, predictions, scores = (dict[str, str]() for _ in range(3))
    for column in columns:
        label = _strip_role_words(column.name)
        if not label:
            continue
        if has_prediction_name(column.name) and _is_indicator(column):
            predictions.setdefault(label, column.name)
        elif (has_score_name(column.name) or has_prediction_name(column.name)) and is_unit(column):
            scores.setdefault(label, column.name)
        elif _is_indicator(column):
            truths.setdefault(label, column.name)
    predicted = predictions or scores
    labels = tuple(label for label in truths if label in predicted)
    if not 1 < len(labels) <= file.rows:  # one label is a binary task
        return None
    others = [
        column for column in columns if column.name not in {truths[label] for label in labels}
    ]
    if any(_is_label_column(column) and _is_outcome(column.name) for column in others):
        # There is a truth, so that these are columns of classifiers.
        return None
    truth, prediction = (_common_pattern(names, labels) for names in (truths, predicted))
    if truth is None or prediction is None:
        return None
    probabilities = _common_pattern(scores, labels)
    return LabelColumns(labels, truth, prediction if predictions else None, probabilities)


def _is_outcome(name: str) -> bool:
    return has_truth_name(name) or normalize_name(name) in OUTCOME_NAMES


def _is_indicator(column: ColumnProfile) -> bool:
    values = {example.lower() for example in column.examples}
    return bool(values) and values <= {"0", "1", "0.0", "1.0", "true", "false"}


def _strip_role_words(name: str) -> str:
    """Return the label in a name such as `true_sport`, `y_pred_sport` and `sport_prob`."""
    keywords = _PREDICTION_WORDS | _SCORE_WORDS | _TRUTH_WORDS | {"y", ""}
    tokens = re.split(r"([\W_]+)", name)
    while tokens and (tokens[0].casefold() in keywords or not re.search(r"[^\W_]", tokens[0])):
        tokens = tokens[1:]
    while tokens and (tokens[-1].casefold() in keywords or not re.search(r"[^\W_]", tokens[-1])):
        tokens = tokens[:-1]
    return "".join(tokens)


def _common_pattern(names: Mapping[str, str], labels: Sequence[str]) -> str | None:
    """Return the pattern that all columns of labels have, or None."""
    if not set(labels) <= set(names):
        return None
    patterns = {names[label].replace(label, "{class}", 1) for label in labels}
    return patterns.pop() if len(patterns) == 1 else None


def infer_target(columns: Sequence[ColumnProfile]) -> TargetColumn | None:
    """Return the target by the truth columns of all files, or None if it has too many labels."""
    name, kinds = columns[0].name, {column.kind for column in columns}
    labels = {label for column in columns for label in column.examples}
    has_few_integers = len(labels) <= MAX_INTEGER_LABELS and all(
        column.is_integral for column in columns
    )
    numeric = kinds <= {"integer", "number"}
    for separator in (LABEL_SEPARATOR, ";", ","):
        if label_sets := _split_label_sets(labels, separator):
            return TargetColumn(name, "multilabel", label_sets, separator=separator)
    if numeric and not has_few_integers:
        return TargetColumn(
            name, "regression", is_certain=not all(column.is_integral for column in columns)
        )
    if len(labels) > MAX_CLASS_LABELS or any(
        column.distinct_count > len(column.examples) for column in columns
    ):
        return None
    spellings = {fold_spelling(label): label for label in reversed(_canonical_examples(columns))}
    ordered = tuple(sorted(spellings.values()))
    binary = len(ordered) <= 2  # noqa: PLR2004  # that is what binary means
    return TargetColumn(name, "binary" if binary else "multiclass", ordered, is_certain=not numeric)


def _canonical_examples(columns: Sequence[ColumnProfile]) -> list[str]:
    """Return the labels of columns in canonical spelling, in order of appearance."""
    labels = list(dict.fromkeys(label for column in columns for label in column.examples))
    canonical = canonicalize_labels(labels)
    return [canonical[label] for label in labels]


def _split_label_sets(cells: Collection[str], separator: str) -> tuple[str, ...]:
    """Return the labels of cells that are sets, `a|b` or lists; empty if they are single labels.

    It is certain only if every label occurs in several different sets.
    """
    sets = [
        re.findall(r"""[^\s,'"\[\]][^,'"\[\]]*""", cell)
        if cell.startswith("[")
        else [label.strip() for label in cell.split(separator)]
        for cell in cells
        if cell
    ]
    if all(cell.startswith("[") for cell in cells) and (length := indicator_length(sets)):
        return tuple(map(str, range(length)))
    counts = Counter(label.strip() for labels in sets for label in set(labels))
    multiple_label_sets = [labels for labels in sets if len(labels) > 1]
    if not multiple_label_sets or any(not label or n == 1 for label, n in counts.items()):
        return ()
    return tuple(sorted(counts))


def infer_roles(
    file: FileProfile,
    frame: pl.DataFrame,
    target: TargetColumn,
    role_columns: Collection[str | None],
    options: ColumnOptions,
) -> tuple[ColumnRoles, ...]:
    """Return the columns of each classifier of a file; empty without predictions and scores.

    Raise if columns may be predictions or scores, but nothing says which.
    """
    others = [
        column
        for column in file.columns
        if column.name not in {target.column, *role_columns}
        and (column.name in options.columns or not _is_structural(column.name))
    ]
    if target.kind == "regression":
        return _regression_roles(others, frame, target, options)
    scores = _score_columns(others, target, options)
    patterns = _probability_patterns(others, frame, target)
    in_patterns = {
        pattern.replace("{class}", label)
        for pattern in patterns.values()
        for label in target.labels
    }
    predictions = _prediction_columns(
        [column for column in others if column.name not in {*scores.values(), *in_patterns}],
        target,
        options,
        frame.select({*scores.values(), *in_patterns} & set(frame.columns)),
        frame,
    )
    if target.kind == "binary" and not predictions and not options.score and not patterns:
        predictions = _predictions_of_confidence(others, frame, target, scores, options)
    if len(scores) > len(patterns) and set(scores.values()) <= in_patterns:
        # Not a classifier for each class: `.pred_no` and `.pred_yes`.
        scores = {}
    if target.kind == "binary" and scores:
        patterns = {}
    if not predictions:
        return _roles_without_predictions(scores, patterns, frame)
    if len(predictions) == 1:
        score = scores.get(None) or (next(iter(scores.values())) if len(scores) == 1 else None)
        pattern = patterns.get(None) or next(iter(patterns.values()), None)
        return (ColumnRoles(None, predictions[0], score, pattern),)
    owners = {name: owner_of(name) or name for name in predictions}
    if len(set(owners.values())) < len(owners):
        owners = {name: name for name in predictions}
    # The object that has all predictions names no classifier: `judges.gpt.verdict`.
    objects = {name.partition(".")[0] for name in owners}
    is_nested = len(objects) == 1 and all("." in name for name in owners)
    inner = {name: name.partition(".")[2] for name in owners}
    titles = _strip_common_ends(
        [owner_of(inner[name]) or inner[name] for name in owners]
        if is_nested
        else list(owners.values())
    )
    # A score of its own, as that of a model among human readers, is a further classifier.
    others_scores = {
        owner or name: name
        for owner, name in scores.items()
        if owner not in owners.values() and (name in options.score or has_model_name(owner or ""))
    }
    return tuple(
        ColumnRoles(title, name, scores.get(owner), patterns.get(owner))
        for title, (name, owner) in zip(titles, owners.items(), strict=True)
    ) + tuple(
        ColumnRoles(owner, None, name, threshold=_guess_threshold(frame[name]))
        for owner, name in others_scores.items()
    )


def _strip_common_ends(names: list[str]) -> list[str]:
    """Return names without the last words that all have: `gpt.verdict`, `claude.verdict`."""
    words = [re.split(r"([\W_]+)", name) for name in names]
    while all(len(tokens) > 2 for tokens in words) and len({tokens[-1] for tokens in words}) == 1:  # noqa: PLR2004
        words = [tokens[:-2] for tokens in words]
    short_names = ["".join(tokens) for tokens in words]
    return short_names if len(set(short_names)) == len(names) else names


def _roles_without_predictions(
    scores: dict[str | None, str], patterns: dict[str | None, str], frame: pl.DataFrame
) -> tuple[ColumnRoles, ...]:
    """Return classifiers known by scores, with a threshold, or by the probabilities of classes."""
    alone = len(scores or patterns) == 1
    if scores:
        return tuple(
            ColumnRoles(
                None if alone else owner, None, score, threshold=_guess_threshold(frame[score])
            )
            for owner, score in scores.items()
        )
    return tuple(
        ColumnRoles(None if alone else owner, None, probabilities=pattern)
        for owner, pattern in patterns.items()
    )


def _guess_threshold(texts: pl.Series) -> float:
    """Return ½ for probabilities, 0 for margins with both signs, else the median."""
    numbers = texts.cast(pl.Float64, strict=False).drop_nulls()
    low, high = float(str(numbers.min())), float(str(numbers.max()))
    if low >= 0 and high <= 1:
        return _HALF
    return 0.0 if low < 0 < high else round(float(str(numbers.median())), 6)


def _prediction_columns(
    others: Sequence[ColumnProfile],
    target: TargetColumn,
    options: ColumnOptions,
    scores: pl.DataFrame,
    frame: pl.DataFrame,
) -> tuple[str, ...]:
    if options.prediction:
        return options.prediction
    candidates = [column.name for column in others if _has_target_labels(column, target)]
    labelled = [
        column.name
        for column in others
        if has_prediction_name(column.name) and _is_label_column(column)
    ]
    single = find_by_name(candidates, PREDICTION_NAMES) or find_by_name(labelled, PREDICTION_NAMES)
    if single is not None:
        return (single,)
    prediction_names = [name for name in candidates if has_prediction_name(name)] or labelled
    if prediction_names:
        return tuple(prediction_names)
    candidates = [
        name
        for name in candidates
        if not has_truth_name(name) and (not _has_outcome_name(name) or len(candidates) == 1)
    ]
    # Any feature may have the values 0 and 1; other labels are those of the task.
    if not {label.casefold() for label in target.labels} <= {"0", "1", "true", "false", "-1"}:
        return tuple(candidates)
    models = [name for name in candidates if has_model_name(name)]
    if models or scores.width:
        by_score = [
            name
            for name in candidates
            if any(_is_separated(frame, name, score) for score in scores.columns)
        ]
        return tuple(models or by_score)
    if len(candidates) > 1:
        text = "which columns are predictions?"
        raise UndecidedError(Question("prediction", text, tuple(candidates)))
    return tuple(candidates)


def _is_separated(frame: pl.DataFrame, labels: str, score: str) -> bool:
    """Return whether one of two labels has all scores from some threshold on."""
    ranges = (
        frame.select(label=labels, score=pl.col(score).cast(pl.Float64, strict=False))
        .drop_nulls()
        .group_by("label")
        .agg(low=pl.col("score").min(), high=pl.col("score").max())
        .sort("low", "high")
    )
    if ranges.height != 2:  # noqa: PLR2004
        return False
    (_, _, highest_negative), (_, lowest_positive, _) = ranges.rows()
    return bool(highest_negative < lowest_positive)


def _predictions_of_confidence(
    others: Sequence[ColumnProfile],
    frame: pl.DataFrame,
    target: TargetColumn,
    scores: Mapping[str | None, str],
    options: ColumnOptions,
) -> tuple[str, ...]:
    """Return the labels that a single score is the confidence in, none without such a score.

    Raise if several columns may be the truth and the predictions, as `Label` of PyCaret.
    """
    labelled = [column.name for column in others if _has_target_labels(column, target)]
    if len(scores) != 1 or not labelled or frame.height < _MIN_CONFIDENCE_ROWS:
        return ()
    (score,) = scores.values()
    low, high = frame.select(
        pl.col(score).cast(pl.Float64, strict=False).min().alias("low"),
        pl.col(score).cast(pl.Float64, strict=False).max().alias("high"),
    ).row(0)
    if low is None or low < _HALF or high > 1:
        return ()
    if options.truth is not None and len(labelled) == 1:
        return tuple(labelled)
    option: InitOption = "truth" if options.truth is None else "prediction"
    text = (
        f"`{score}` is never below 0.5, so it is the confidence in a prediction: which column is"
        f" the {option}?"
    )
    named = [] if options.truth is not None else [target.column]
    raise UndecidedError(Question(option, text, (*named, *labelled)))


# Fewer scores may be above one half by chance.
_MIN_CONFIDENCE_ROWS = 20


def _has_target_labels(column: ColumnProfile, target: TargetColumn) -> bool:
    if not column.examples or column.distinct_count > MAX_CLASS_LABELS:
        return False
    answers = answered_labels(column.examples, target.labels)
    classes = {fold_spelling(label) for label in target.labels}
    canonical = canonicalize_labels(answers).values()
    return bool(answers) and {fold_spelling(label) for label in canonical} <= classes


def answered_labels(labels: Iterable[str], classes: Collection[str]) -> list[str]:
    """Return labels without those that stand for no answer and are no class."""
    return [
        label
        for label in labels
        if label in classes
        or not (label in MISSING_MARKERS or normalize_name(label) in ABSTENTIONS)
    ]


def _score_columns(
    others: Sequence[ColumnProfile], target: TargetColumn, options: ColumnOptions
) -> dict[str | None, str]:
    """Return the score columns of a binary task by the classifier in their name."""
    if options.score:
        alone = len(options.score) == 1
        return {
            None if alone else (owner_of(name, target.labels) or name): name
            for name in options.score
        }
    if target.kind != "binary":
        return {}
    numbers = [
        column
        for column in others
        if column.kind in {"number", "integer"}
        and column.name not in options.prediction
        and not (has_prediction_name(column.name) and _has_target_labels(column, target))
    ]
    unit = [column.name for column in numbers if is_unit(column) and column.distinct_count > 1]
    score_names = [column.name for column in numbers if has_score_name(column.name)]
    of_class = {
        name: label for name in score_names if (label := _class_in_name(name, target.labels))
    }
    if of_class:
        return _scores_of_classes(of_class, target)
    scores = {owner_of(name, target.labels): name for name in score_names}
    if len(scores) == len(score_names) > 0:
        return scores
    if score_names:
        return {name: name for name in score_names}
    models = [name for name in unit if has_model_name(name) or has_prediction_name(name)]
    fractions = [
        column.name for column in numbers if column.name in unit and not column.is_integral
    ]
    candidates = [name for name in models if name in fractions] or fractions
    if len(candidates) == 1:
        return {None: candidates[0]}
    return {owner_of(name) or name: name for name in candidates if name in models}


def _scores_of_classes(of_class: dict[str, str], target: TargetColumn) -> dict[str | None, str]:
    """Return the score of the positive class of each classifier, of `rf_p_yes` and `rf_p_no`."""
    positive = infer_positive_label(target, ())
    by_owner: dict[str | None, list[str]] = {}
    for name in of_class:
        by_owner.setdefault(owner_of(name, target.labels), []).append(name)
    return {
        owner: next((name for name in names if of_class[name] == positive), names[0])
        for owner, names in by_owner.items()
    }


def _class_in_name(name: str, labels: Sequence[str]) -> str | None:
    """Return the class in the name of a score, as yes in p_yes."""
    words = split_words(name)
    if not set(words) & _SCORE_WORDS:
        return None
    return next((label for label in labels if _contains_label(words, label)), None)


def _contains_label(words: Sequence[str], label: str) -> bool:
    parts = split_words(label)
    size = len(parts)
    return bool(parts) and any(
        list(words[start : start + size]) == parts for start in range(len(words) - size + 1)
    )


def _probability_patterns(
    others: Sequence[ColumnProfile], frame: pl.DataFrame, target: TargetColumn
) -> dict[str | None, str]:
    """Return the patterns of columns with a probability per class, by classifier.

    The columns have the same name but for the class, are between 0 and 1 and add up to 1.
    """
    unit = {column.name for column in others if is_unit(column)}
    first = target.labels[0] if target.labels else ""
    templates = dict.fromkeys(
        f"{name[: match.start()]}{{class}}{name[match.end() :]}"
        for name in sorted(unit)
        for match in re.finditer(re.escape(first), name)
        if first
    )
    patterns = {}
    for template in templates:
        names = [template.replace("{class}", label) for label in target.labels]
        if set(names) <= unit and _add_up_to_one(frame, names):
            patterns[owner_of(template.replace("{class}", ""))] = template
    return patterns


def _add_up_to_one(frame: pl.DataFrame, names: Sequence[str]) -> bool:
    total = pl.sum_horizontal(pl.col(name).cast(pl.Float64, strict=False) for name in names)
    return bool(frame.select(((total - 1).abs() < _ROW_SUM_TOLERANCE).mean() > 0.9).item())  # noqa: PLR2004


def _regression_roles(
    others: Sequence[ColumnProfile],
    frame: pl.DataFrame,
    target: TargetColumn,
    options: ColumnOptions,
) -> tuple[ColumnRoles, ...]:
    numbers = [column.name for column in others if column.kind in {"integer", "number"}]
    names = list(options.prediction) or [name for name in numbers if has_prediction_name(name)]
    single = find_by_name(names, PREDICTION_NAMES)
    if not options.prediction and single is not None:
        names = [single]
    names = names or [name for name in numbers if has_model_name(name)]
    if not names and target.column in frame.columns:
        names = [name for name in numbers if _resembles(frame, name, target.column)]
        if len(names) > 1:
            text = "which columns are predictions?"
            raise UndecidedError(Question("prediction", text, tuple(names)))
    if len(names) == 1:
        return (ColumnRoles(None, names[0]),)
    return tuple(ColumnRoles(owner_of(name) or name, name) for name in names)


def _resembles(frame: pl.DataFrame, name: str, truth: str) -> bool:
    """Return whether a column of numbers correlates with the truth and has its scale."""
    values, truths = (pl.col(column).cast(pl.Float64, strict=False) for column in (name, truth))
    correlation, ratio, shift = frame.select(
        pl.corr(values, truths),
        (values.std() / truths.std()).alias("ratio"),
        ((values.mean() - truths.mean()).abs() / truths.std()).alias("shift"),
    ).row(0)
    if correlation is None or ratio is None or shift is None:
        return False
    return bool(correlation > _MIN_CORRELATION and 0.2 < ratio < 2 and shift < 1)  # noqa: PLR2004


# The positive class, and what a score is the score of.


def infer_positive_label(target: TargetColumn, scores: Iterable[str | None]) -> str:
    """Return the label that is probably the positive class."""
    of_scores = {_class_in_name(score, target.labels) for score in scores if score is not None}
    scored_labels = [label for label in target.labels if label in of_scores]
    if len(scored_labels) == 1:
        return scored_labels[0]
    return find_positive_label(target.labels) or target.labels[-1]


def is_confidence(frame: pl.DataFrame, score: str, prediction: str | None) -> bool:
    """Return whether a score is that of the predicted class: never below ½ for any of them."""
    if prediction is None:
        return False
    numbers = pl.col(score).cast(pl.Float64, strict=False)
    low, high, classes = frame.select(
        numbers.min().alias("low"), numbers.max().alias("high"), pl.col(prediction).n_unique()
    ).row(0)
    return low is not None and low >= _HALF and high <= 1 and classes > 1


def higher_scored_label(frame: pl.DataFrame, score: str, labels_in: str) -> str | None:
    """Return the label of the cases with the higher mean score; None if the means are close."""
    means = (
        frame.select(label=pl.col(labels_in), score=pl.col(score).cast(pl.Float64, strict=False))
        .drop_nulls()
        .group_by("label")
        .agg(mean=pl.col("score").mean(), deviation=pl.col("score").std(), size=pl.len())
        .sort("mean")
    )
    if means.height != 2:  # noqa: PLR2004
        return None
    (_, low, low_sd, low_n), (label, high, high_sd, high_n) = means.rows()
    error = ((low_sd or 0) ** 2 / low_n + (high_sd or 0) ** 2 / high_n) ** _HALF
    return label if high - low > 2 * error else None
