"""What curves are drawn of, and what is said beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.measures import known_measure
from reportgen.report.detail import in_full
from reportgen.report.parts import Strong, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_AREAS = 6
# Of more curves the bands, bars and lesser marks hide each other.
MOST_BANDS = 3
MOST_CLASSES, MOST_CLASSES_IN_SHORT = 12, 4
AS_PREDICTED, HIGHEST_YOUDEN = "as predicted", "highest Youden's index"


def names_of(evaluation: Evaluation) -> list[str]:
    """Return all classifiers in the order of the spec."""
    return [classifier.name for classifier in evaluation.spec.classifiers]


def most_classes(evaluation: Evaluation) -> int:
    """Return of how many classes the curves are drawn."""
    return MOST_CLASSES if in_full(evaluation) else MOST_CLASSES_IN_SHORT


def threshold_as_predicted(evaluation: Evaluation, classifier: str, class_: str) -> float | None:
    """Return the threshold of the predictions: the one told, or the one that counts the same.

    None where no threshold of the score gives these predictions.
    """
    spec, curves = evaluation.spec, evaluation.predictions.curves
    told = next(each.threshold for each in spec.classifiers if each.name == classifier)
    if told is not None or spec.data.threshold is not None:
        return told if told is not None else spec.data.threshold
    counts = evaluation.counts(classifier, class_)
    if curves is None or counts is None:
        return None
    tp, _, fp, _ = counts
    steps = curves.steps(classifier, class_)
    if steps is None:
        return None
    same = np.flatnonzero((steps.tp == tp) & (steps.fp == fp))
    return float(steps.threshold[same[0]]) if same.size else None


def values_beside(
    evaluation: Evaluation, name: str, classifiers: Sequence[str], class_: str | None
) -> Iterator[Part]:
    """Name the values of a measure beside its curves, where they were measured and are few."""
    if len(classifiers) > MOST_AREAS:
        return
    measure = known_measure(name)
    scores = {
        classifier: evaluation.score(classifier, measure, class_) for classifier in classifiers
    }
    known = {classifier: score for classifier, score in scores.items() if score is not None}
    for at, (classifier, score) in enumerate(known.items()):
        yield f" {measure.title}: " if at == 0 else ", "
        yield Strong(classifier)
        yield " "
        yield Value(score, measure, with_interval=True)
    if known:
        yield "."


def owners(evaluation: Evaluation, found: Sequence[CurvePoints]) -> tuple[list[str], str | None]:
    """Return the classifiers of curves, and their class if scores are known by class."""
    class_ = None if evaluation.kind == "binary" else found[0].class_
    return [points.classifier for points in found], class_
