"""Which column of a prediction file plays which part, guessed from names and values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.predictions.inspection import ColumnDescription, FileDescription

TRUTH_NAMES = (
    "truth",
    "true",
    "ytrue",
    "actual",
    "observed",
    "obs",
    "target",
    "truelabel",
    "trueclass",
    "groundtruth",
    "gold",
    "reference",
    "outcome",
    "label",
    "class",
    "y",
)
PREDICTION_NAMES = (
    "prediction",
    "predicted",
    "pred",
    "ypred",
    "yhat",
    "predictedlabel",
    "predictedclass",
    "predlabel",
    "estimate",
    "output",
)
ID_NAMES = ("id", "case", "caseid", "sampleid", "rowid", "index", "key", "uid", "inst")
FOLD_NAMES = ("fold", "cvfold", "split", "resample", "foldid")
SCORE_NAMES = ("score", "probability", "prob", "proba", "confidence", "yscore", "yprob", "p")
POSITIVE_LABELS = ("1", "true", "yes", "positive", "pos", "malignant", "success", "y", "case")
MOST_LABELS = 30
MOST_FOLDS = 100


@dataclass(frozen=True, slots=True)
class Roles:
    """What each column is; several predictions mean several classifiers in one file."""

    kind: Literal["binary", "multiclass", "regression"]
    truth: str
    predictions: tuple[str, ...]
    labels: tuple[str, ...] = ()
    positive: str | None = None
    score: str | None = None
    probabilities: str | None = None
    fold: str | None = None
    id: str | None = None


def guess_roles(file: FileDescription) -> Roles | None:
    """Return the roles, or None when truth or predictions cannot be told from the columns."""
    columns = {column.name: column for column in file.columns}
    truth = _named(columns, TRUTH_NAMES)
    if truth is None:
        return None
    id_ = _named((name for name in columns if columns[name].unique), ID_NAMES)
    fold = _named((name for name in columns if columns[name].distinct <= MOST_FOLDS), FOLD_NAMES)
    others = [column for name, column in columns.items() if name not in {truth, id_, fold}]
    if _is_numeric_target(columns[truth]):
        predictions = _predictions([each for each in others if each.kind != "text"])
        return Roles("regression", truth, predictions, fold=fold, id=id_) if predictions else None
    labels = _labels(columns[truth])
    predictions = _predictions([each for each in others if set(_labels(each)) <= set(labels)])
    score = _score(others, labels, predictions)
    if not predictions and score is None:
        return None
    binary = len(labels) <= 2  # noqa: PLR2004  # that is what binary means
    return Roles(
        "binary" if binary else "multiclass",
        truth,
        predictions,
        labels=labels,
        positive=_positive(labels, score) if binary else None,
        score=score if binary else None,
        probabilities=None if binary else _probabilities(others, labels),
        fold=fold,
        id=id_,
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _named(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    by_plain = {_plain(name): name for name in reversed(list(names))}
    return next((by_plain[name] for name in wanted if name in by_plain), None)


def _is_numeric_target(truth: ColumnDescription) -> bool:
    return truth.kind == "number" or (truth.kind == "integer" and truth.distinct > MOST_LABELS)


def _labels(column: ColumnDescription) -> tuple[str, ...]:
    """Return all labels of a column; one with too many or with fractions is not a label column."""
    if column.distinct > MOST_LABELS or column.distinct > len(column.examples):
        return ("", column.name)
    if column.kind == "boolean":
        return tuple(sorted({example.lower() for example in column.examples}))
    return tuple(sorted(column.examples))


def _predictions(candidates: list[ColumnDescription]) -> tuple[str, ...]:
    names = [column.name for column in candidates]
    single = _named(names, PREDICTION_NAMES)
    return (single,) if single else tuple(names)


def _score(
    others: list[ColumnDescription], labels: tuple[str, ...], predictions: tuple[str, ...]
) -> str | None:
    unit = [
        column.name
        for column in others
        if column.name not in predictions
        and column.kind in {"number", "integer"}
        and (column.minimum or 0) >= 0
        and (column.maximum or 0) <= 1
    ]
    of_class = tuple(f"p{_plain(label)}" for label in labels)
    return _named(unit, (*SCORE_NAMES, *of_class)) or (unit[0] if len(unit) == 1 else None)


def _probabilities(others: list[ColumnDescription], labels: tuple[str, ...]) -> str | None:
    names = {column.name for column in others}
    for prefix in ("p_", "prob_", "proba_", "p", "prob", "score_", ""):
        if all(f"{prefix}{label}" in names for label in labels) and prefix:
            return f"{prefix}{{class}}"
    return None


def _positive(labels: tuple[str, ...], score: str | None) -> str:
    if score is not None:
        named = [label for label in labels if _plain(score).endswith(_plain(label))]
        if len(named) == 1:
            return named[0]
    known = (label for wanted in POSITIVE_LABELS for label in labels if _plain(label) == wanted)
    return next(known, labels[-1])
