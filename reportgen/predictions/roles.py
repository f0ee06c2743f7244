"""Inference of column roles of a prediction file from names and values, for `init`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reportgen.predictions.labels import POSITIVE_LABELS, canonicalize_labels
from reportgen.predictions.pooling import FOLD_NAMES
from reportgen.predictions.profiling import normalize_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reportgen.predictions.profiling import ColumnProfile, FileProfile

TRUTH_NAMES = (
    *("truth", "true", "ytrue", "actual", "observed", "obs", "target", "truelabel", "trueclass"),
    *("groundtruth", "gold", "reference", "outcome", "label", "class", "y"),
)
PREDICTION_NAMES = (
    *("prediction", "predicted", "pred", "ypred", "yhat", "predictedlabel", "predictedclass"),
    *("predlabel", "estimate", "output"),
)
MAX_INTEGER_LABELS = 30
MAX_CLASS_LABELS = 1000
MAX_FOLDS = 100
_PREDICTION_PATTERN = re.compile(
    r"(?<![^\W_])(y[\W_]?)?(pred|preds|prediction|predicted|yhat)(?![^\W_])", re.IGNORECASE
)
_SCORE_PATTERN = re.compile(
    r"(?<![^\W_])(y[\W_]?)?(score|prob|proba|probability|confidence|p)(?![^\W_])", re.IGNORECASE
)
TaskKind = Literal["binary", "multiclass", "regression"]


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """The column of the truth, the kind of task, and the labels if they are classes."""

    column: str
    kind: TaskKind
    labels: tuple[str, ...] = ()
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns of one classifier in a file; without a name it is named after the file."""

    name: str | None
    prediction: str | None
    score: str | None = None
    probabilities: str | None = None


def infer_truth_column(file: FileProfile) -> str | None:
    """Return the column whose name is one of the truth, or None."""
    return _find_by_name((column.name for column in file.columns), TRUTH_NAMES)


def infer_fold_column(file: FileProfile) -> str | None:
    """Return the column whose name is one of a fold, or None."""
    candidates = (column.name for column in file.columns if column.distinct_count <= MAX_FOLDS)
    return _find_by_name(candidates, FOLD_NAMES)


def infer_target(columns: Sequence[ColumnProfile]) -> TargetColumn | None:
    """Return the target by the truth columns of all files, or None if it has too many labels."""
    name, kinds = columns[0].name, {column.kind for column in columns}
    labels = {label for column in columns for label in column.examples}
    has_few_labels = len(labels) <= MAX_INTEGER_LABELS and all(
        column.is_integral for column in columns
    )
    numeric = kinds <= {"integer", "number"}
    if numeric and not has_few_labels:
        return TargetColumn(
            name, "regression", is_certain=not all(column.is_integral for column in columns)
        )
    if len(labels) > MAX_CLASS_LABELS or any(
        column.distinct_count > len(column.examples) for column in columns
    ):
        return None
    ordered = tuple(sorted(set(canonicalize_labels(labels).values())))
    binary = len(ordered) <= 2  # noqa: PLR2004  # that is what binary means
    return TargetColumn(name, "binary" if binary else "multiclass", ordered, is_certain=not numeric)


def infer_roles(
    file: FileProfile, target: TargetColumn, assigned: Collection[str | None]
) -> tuple[ColumnRoles, ...]:
    """Return the columns of each classifier of a file; empty without predictions and scores."""
    others = [column for column in file.columns if column.name not in {target.column, *assigned}]
    predictions = _prediction_columns(others, target)
    scores = _score_columns([column for column in others if column.name not in predictions], target)
    if not predictions:
        is_single = len(scores) == 1
        return tuple(
            ColumnRoles(None if is_single else owner, None, scores[owner]) for owner in scores
        )
    if len(predictions) == 1:
        score = scores.get(None) or (next(iter(scores.values())) if len(scores) == 1 else None)
        return (ColumnRoles(None, predictions[0], score, _probability_pattern(others, target)),)
    owners = {name: _strip_keyword(_PREDICTION_PATTERN, name) or name for name in predictions}
    return tuple(ColumnRoles(owner, name, scores.get(owner)) for name, owner in owners.items())


def infer_positive_label(target: TargetColumn, scores: Iterable[str | None]) -> str:
    """Return the label that is probably the positive class."""
    score_classes = {_class_in_name(score, target.labels) for score in scores if score is not None}
    candidates = [label for label in target.labels if label in score_classes]
    usual = (
        label
        for positive in POSITIVE_LABELS
        for label in target.labels
        if normalize_name(label) == positive
    )
    return candidates[0] if len(candidates) == 1 else next(usual, target.labels[-1])


def _find_by_name(names: Iterable[str], candidates: tuple[str, ...]) -> str | None:
    by_normalized = {normalize_name(name): name for name in reversed(list(names))}
    return next((by_normalized[name] for name in candidates if name in by_normalized), None)


def _strip_keyword(pattern: re.Pattern[str], name: str) -> str | None:
    """Return a name without the keyword, as `rf` of `rf_pred`, or None if nothing is left."""
    return pattern.sub("", name).strip("_-. ") or None


def _prediction_columns(others: Sequence[ColumnProfile], target: TargetColumn) -> tuple[str, ...]:
    if target.kind == "regression":
        candidates = [column.name for column in others if column.kind in {"integer", "number"}]
    else:
        candidates = [column.name for column in others if _has_target_labels(column, target)]
    single = _find_by_name((column.name for column in others), PREDICTION_NAMES)
    if single is not None:
        return (single,)
    by_name = [name for name in candidates if _PREDICTION_PATTERN.search(name)]
    return tuple(by_name or candidates)


def _has_target_labels(column: ColumnProfile, target: TargetColumn) -> bool:
    if not column.examples or column.distinct_count > MAX_CLASS_LABELS:
        return False
    return set(canonicalize_labels(column.examples).values()) <= set(target.labels)


def _score_columns(others: Sequence[ColumnProfile], target: TargetColumn) -> dict[str | None, str]:
    """Return the score columns (between 0 and 1), by the classifier in their name."""
    if target.kind != "binary":
        return {}
    unit = [
        column.name
        for column in others
        if column.kind in {"number", "integer"}
        and (column.minimum or 0) >= 0
        and (column.maximum or 0) <= 1
    ]
    classes = {name: label for name in unit if (label := _class_in_name(name, target.labels))}
    if classes:
        positive = infer_positive_label(target, ())
        candidates = [name for name, label in classes.items() if label == positive]
        return {None: (candidates or list(classes))[0]}
    by_keyword = {
        _strip_keyword(_SCORE_PATTERN, name): name for name in unit if _SCORE_PATTERN.search(name)
    }
    return by_keyword or ({None: unit[0]} if len(unit) == 1 else {})


def _class_in_name(name: str, labels: Sequence[str]) -> str | None:
    """Return the class in the name of a score, as yes in p_yes."""
    keyword = _SCORE_PATTERN.search(name)
    rest = _strip_keyword(_SCORE_PATTERN, name) if keyword else None
    return next(
        (label for label in labels if rest and normalize_name(rest) == normalize_name(label)), None
    )


def _probability_pattern(others: Sequence[ColumnProfile], target: TargetColumn) -> str | None:
    names = {column.name for column in others}
    for prefix in ("p_", "prob_", "proba_", "p", "prob", "score_"):
        if target.kind == "multiclass" and all(
            f"{prefix}{label}" in names for label in target.labels
        ):
            return f"{prefix}{{class}}"
    return None
