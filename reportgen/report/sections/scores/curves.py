"""Curves over all thresholds: ROC, precision against recall, and how far probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.thresholds.curve_points import curve_points
from reportgen.report.document import Paragraph
from reportgen.report.parts import Count
from reportgen.report.sections.scores.curve_values import most_classes, names_of
from reportgen.report.sections.scores.precision_recall import precision_recall_figure
from reportgen.report.sections.scores.rates import rate_figures
from reportgen.report.sections.scores.reliability import reliability_figures
from reportgen.report.sections.scores.roc import roc_figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation


def curves(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw the curves of all classifiers that have scores."""
    return (
        *_threshold_curves(evaluation),
        *reliability_figures(evaluation),
        *rate_figures(evaluation),
    )


def _threshold_curves(evaluation: Evaluation) -> Iterator[Block]:
    tally = evaluation.predictions.curves
    if tally is None:
        return
    found = list(curve_points(tally, names_of(evaluation)))
    classes = list(dict.fromkeys(points.class_ for points in found))
    most = most_classes(evaluation)
    for number, class_ in enumerate(classes[:most], start=1):
        of_class = [points for points in found if points.class_ == class_]
        yield roc_figure(evaluation, of_class, number)
        yield precision_recall_figure(evaluation, of_class, number)
    if len(classes) > most:
        left = len(classes) - most
        noun = "class" if left == 1 else "classes"
        yield Paragraph(("The curves of ", Count(left), f" further {noun} are not drawn."))
