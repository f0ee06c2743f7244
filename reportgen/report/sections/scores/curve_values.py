"""What curves are drawn of, and what is said beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.measures import find_measure
from reportgen.report.document import Paragraph
from reportgen.report.findings.leading import how_many_left_out, leading
from reportgen.report.parts import Strong, Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_CURVES, MOST_AREAS = 12, 6
# Of more curves the bands, bars and lesser marks hide each other.
MOST_BANDS = 3
MOST_CLASSES = {"summary": 4, "standard": 4, "full": 12}
AS_PREDICTED = "as predicted"


def names_of(evaluation: Evaluation) -> list[str]:
    """Return all classifiers in the order of the spec."""
    return [classifier.name for classifier in evaluation.spec.classifiers]


def most_classes(evaluation: Evaluation) -> int:
    """Return of how many classes the curves are drawn."""
    return MOST_CLASSES[evaluation.spec.output.detail]


def counts_as_predicted(
    evaluation: Evaluation, classifier: str, class_: str
) -> tuple[int, int, int, int] | None:
    """Return tp, fn, fp and tn of a class, by the predictions as they were made."""
    tally = evaluation.predictions.confusion
    if tally is None or class_ not in tally.classes:
        return None
    at = tally.classes.index(class_)
    matrix = tally.matrix(classifier)
    true, predicted = sum(matrix[at]), sum(row[at] for row in matrix)
    tp = matrix[at][at]
    return tp, true - tp, predicted - tp, sum(map(sum, matrix)) - true - predicted + tp


def threshold_as_predicted(evaluation: Evaluation, classifier: str, class_: str) -> float | None:
    """Return the threshold of the predictions: the one told, or the one that counts the same.

    None where no threshold of the score gives these predictions.
    """
    spec, curves = evaluation.spec, evaluation.predictions.curves
    told = next(each.threshold for each in spec.classifiers if each.name == classifier)
    if told is not None or spec.data.threshold is not None:
        return told if told is not None else spec.data.threshold
    counts = counts_as_predicted(evaluation, classifier, class_)
    if curves is None or counts is None:
        return None
    tp, _, fp, _ = counts
    same = curves.frame.filter(
        pl.col("classifier") == classifier,
        pl.col("class") == class_,
        pl.col("tp") == tp,
        pl.col("fp") == fp,
    )
    return None if same.is_empty() else float(same["threshold"][0])


def values_beside(
    evaluation: Evaluation, name: str, classifiers: Sequence[str], class_: str | None
) -> Iterator[Part]:
    """Name the values of a measure beside its curves, where they were measured and are few."""
    measure = find_measure(name)
    if measure is None or len(classifiers) > MOST_AREAS:
        return
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


def drawn_of(evaluation: Evaluation, names: Collection[str]) -> tuple[str, ...]:
    """Return of which classifiers curves are drawn: all that have some, or the best of them."""
    return leading(evaluation, MOST_CURVES, MOST_CURVES, names)


def not_drawn(evaluation: Evaluation, names: Collection[str]) -> tuple[Part, ...]:
    """Say how many classifiers have no curve for want of room, and who has one."""
    said = how_many_left_out(evaluation, len(drawn_of(evaluation, names)), len(names))
    return (*said, ".") if said else ()


def note_of(*sentences: tuple[Part, ...]) -> Paragraph | None:
    """Join what is to be remarked; None: nothing."""
    parts: list[Part] = []
    for sentence in filter(None, sentences):
        parts += [" ", *sentence] if parts else sentence
    return Paragraph(tuple(parts)) if parts else None
