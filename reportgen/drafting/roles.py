"""Which column of a prediction file plays which part, guessed from names and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from reportgen.frozen import frozen
from reportgen.predictions.ids import plain
from reportgen.predictions.labels import canonical_spellings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reportgen.predictions.inspection import ColumnDescription, FileDescription

TRUTH_NAMES = (
    *("truth", "true", "ytrue", "actual", "observed", "obs", "target", "truelabel", "trueclass"),
    *("groundtruth", "gold", "reference", "outcome", "label", "class", "y"),
)
PREDICTION_NAMES = (
    *("prediction", "predicted", "pred", "ypred", "yhat", "predictedlabel", "predictedclass"),
    *("predlabel", "estimate", "output"),
)
FOLD_NAMES = ("fold", "cvfold", "split", "resample", "foldid")
POSITIVE_LABELS = ("1", "true", "yes", "positive", "pos", "malignant", "success", "y", "case")
MOST_WHOLE_LABELS = 30
MOST_LABELS = 1000
MOST_FOLDS = 100
_PREDICTION_WORD = re.compile(
    r"(?<![^\W_])(y[\W_]?)?(pred|preds|prediction|predicted|yhat)(?![^\W_])", re.IGNORECASE
)
_SCORE_WORD = re.compile(
    r"(?<![^\W_])(y[\W_]?)?(score|prob|proba|probability|confidence|p)(?![^\W_])", re.IGNORECASE
)
TaskKind = Literal["binary", "multiclass", "regression"]


@frozen
class Target:
    """What the truth is: its column, the kind of task, and the labels if they are classes."""

    column: str
    kind: TaskKind
    labels: tuple[str, ...] = ()
    certain: bool = True


@frozen
class Part:
    """The columns of one classifier in a file; without a name it is called like the file."""

    name: str | None
    prediction: str | None
    score: str | None = None
    probabilities: str | None = None


def find_truth(file: FileDescription) -> str | None:
    """Return the column that is called like a truth."""
    return _named((column.name for column in file.columns), TRUTH_NAMES)


def find_fold(file: FileDescription) -> str | None:
    """Return the column that is called like a fold."""
    few = (column.name for column in file.columns if column.distinct <= MOST_FOLDS)
    return _named(few, FOLD_NAMES)


def find_target(columns: Sequence[ColumnDescription]) -> Target | None:
    """Return what the truth is, given its column in each file, or None if it has no labels."""
    name, kinds = columns[0].name, {column.kind for column in columns}
    labels = {label for column in columns for label in column.examples}
    few = len(labels) <= MOST_WHOLE_LABELS and all(column.whole for column in columns)
    numeric = kinds <= {"integer", "number"}
    if numeric and not few:
        return Target(name, "regression", certain=not all(column.whole for column in columns))
    if len(labels) > MOST_LABELS or any(
        column.distinct > len(column.examples) for column in columns
    ):
        return None
    ordered = tuple(sorted(set(canonical_spellings(labels).values())))
    binary = len(ordered) <= 2  # noqa: PLR2004  # that is what binary means
    return Target(name, "binary" if binary else "multiclass", ordered, certain=not numeric)


def find_parts(
    file: FileDescription, target: Target, taken: Collection[str | None]
) -> tuple[Part, ...]:
    """Return the classifiers of a file; none if there are neither predictions nor scores."""
    others = [column for column in file.columns if column.name not in {target.column, *taken}]
    predictions = _predictions(others, target)
    scores = _scores([column for column in others if column.name not in predictions], target)
    if not predictions:
        alone = len(scores) == 1
        return tuple(Part(None if alone else owner, None, scores[owner]) for owner in scores)
    if len(predictions) == 1:
        own = scores.get(None) or (next(iter(scores.values())) if len(scores) == 1 else None)
        return (Part(None, predictions[0], own, _probabilities(others, target)),)
    owners = {name: _rest(_PREDICTION_WORD, name) or name for name in predictions}
    return tuple(Part(owner, name, scores.get(owner)) for name, owner in owners.items())


def positive_label(target: Target, scores: Iterable[str | None]) -> str:
    """Return the label that is probably the positive one."""
    of_scores = {_class_of(score, target.labels) for score in scores if score is not None}
    named = [label for label in target.labels if label in of_scores]
    known = (
        label for wanted in POSITIVE_LABELS for label in target.labels if plain(label) == wanted
    )
    return named[0] if len(named) == 1 else next(known, target.labels[-1])


def _named(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    by_plain = {plain(name): name for name in reversed(list(names))}
    return next((by_plain[name] for name in wanted if name in by_plain), None)


def _rest(word: re.Pattern[str], name: str) -> str | None:
    """Return what is left of a name without the word, as `rf` of `rf_pred`."""
    return word.sub("", name).strip("_-. ") or None


def _predictions(others: Sequence[ColumnDescription], target: Target) -> tuple[str, ...]:
    if target.kind == "regression":
        fitting = [column.name for column in others if column.kind in {"integer", "number"}]
    else:
        fitting = [column.name for column in others if _has_labels_of(column, target)]
    single = _named((column.name for column in others), PREDICTION_NAMES)
    if single is not None:
        return (single,)
    called = [name for name in fitting if _PREDICTION_WORD.search(name)]
    return tuple(called or fitting)


def _has_labels_of(column: ColumnDescription, target: Target) -> bool:
    if not column.examples or column.distinct > MOST_LABELS:
        return False
    return set(canonical_spellings(column.examples).values()) <= set(target.labels)


def _scores(others: Sequence[ColumnDescription], target: Target) -> dict[str | None, str]:
    """Return columns between 0 and 1 that are scores, by the classifier in their name."""
    if target.kind != "binary":
        return {}
    unit = [
        column.name
        for column in others
        if column.kind in {"number", "integer"}
        and (column.minimum or 0) >= 0
        and (column.maximum or 0) <= 1
    ]
    of_class = {name: label for name in unit if (label := _class_of(name, target.labels))}
    if of_class:
        positive = positive_label(target, ())
        wanted = [name for name, label in of_class.items() if label == positive]
        return {None: (wanted or list(of_class))[0]}
    called = {_rest(_SCORE_WORD, name): name for name in unit if _SCORE_WORD.search(name)}
    return called or ({None: unit[0]} if len(unit) == 1 else {})


def _class_of(name: str, labels: Sequence[str]) -> str | None:
    """Return the class in the name of a score, as yes in p_yes."""
    found = _SCORE_WORD.search(name)
    rest = _rest(_SCORE_WORD, name) if found else None
    return next((label for label in labels if rest and plain(rest) == plain(label)), None)


def _probabilities(others: Sequence[ColumnDescription], target: Target) -> str | None:
    names = {column.name for column in others}
    for prefix in ("p_", "prob_", "proba_", "p", "prob", "score_"):
        if target.kind == "multiclass" and all(
            f"{prefix}{each}" in names for each in target.labels
        ):
            return f"{prefix}{{class}}"
    return None
