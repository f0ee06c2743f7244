"""Fitted estimators of scikit-learn as sources of predictions and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
import polars as pl

from reportgen.api.columns import ArrayLike, to_label
from reportgen.errors import DataError, Diagnostic
from reportgen.errors.spec import INVALID_ARGUMENT

_BINARY_CLASS_COUNT = 2


@runtime_checkable
class Estimator(Protocol):
    """A fitted estimator with the interface of scikit-learn."""

    def predict(self, X: object, /) -> object:  # noqa: N803  # as in scikit-learn
        """Return a prediction for each case."""


PredictionsLike: TypeAlias = (
    Mapping[str, ArrayLike | Estimator] | pl.DataFrame | pl.LazyFrame | Estimator
)
"""Predictions by classifier: a mapping, a frame of pandas or polars, or a fitted estimator."""


@dataclass(frozen=True, slots=True)
class EstimatorOutputs:
    """Predictions by classifier, and scores and probabilities of those that are estimators."""

    predictions: object
    scores: dict[str, object] = field(default_factory=dict)
    probabilities: dict[str, object] = field(default_factory=dict)


def predict_with_estimators(
    predictions: object, features: object, positive: str | None
) -> EstimatorOutputs:
    """Replace estimators by their predictions for the features, and add their scores.

    Args:
        predictions: predictions or estimators by classifier, or one estimator.
        features: the features of the cases, `X`.
        positive: the positive class of a binary task, whose scores are taken.
    """
    if _is_estimator(predictions):
        predictions = {type(predictions).__name__: predictions}
    if not isinstance(predictions, Mapping) or not any(map(_is_estimator, predictions.values())):
        if features is not None:
            message = "`X` is passed, but no classifier is an estimator with `predict`"
            help_text = 'pass fitted estimators: `{"SVM": svm}`'
            raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
        return EstimatorOutputs(predictions)
    if features is None:
        message = "estimators need the features of the cases"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help="pass `X=X_test`"))
    outputs = EstimatorOutputs({})
    columns: dict[object, object] = {}
    for name, source in predictions.items():
        if not _is_estimator(source):
            columns[name] = source
            continue
        columns[name] = source.predict(features)
        _add_scores(outputs, str(name), source, features, positive)
    return EstimatorOutputs(columns, outputs.scores, outputs.probabilities)


def _is_estimator(value: object) -> TypeGuard[Estimator]:
    return isinstance(value, Estimator) and not isinstance(value, type)


def _add_scores(
    outputs: EstimatorOutputs,
    name: str,
    estimator: Estimator,
    features: object,
    positive: str | None,
) -> None:
    """Add the probability of each class or, of two, the score of the positive one."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return
    labels = [to_label(label, f"`classes_` of {name}") for label in np.asarray(classes).tolist()]
    predict_proba = getattr(estimator, "predict_proba", None)
    decision_function = getattr(estimator, "decision_function", None)
    if predict_proba is not None:
        table = np.asarray(predict_proba(features))
        if len(labels) > _BINARY_CLASS_COUNT:
            outputs.probabilities[name] = {
                label: table[:, number] for number, label in enumerate(labels)
            }
        elif positive in labels:
            outputs.scores[name] = table[:, labels.index(positive)]
    elif decision_function is not None and len(labels) == _BINARY_CLASS_COUNT:
        margin = np.asarray(decision_function(features))
        if positive in labels:
            # Margins are those of the second class.
            outputs.scores[name] = margin if labels.index(positive) else -margin
