"""Sensitivity, specificity and precision over the threshold of a score."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from reportgen.comparisons.thresholds.choosing import Rule
from reportgen.comparisons.thresholds.curve_points import curve_points
from reportgen.measures import known_measure
from reportgen.report.charts.lines import LineChart, Marker, Panels, Series
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import best_first, drawn_of, how_many_left_out
from reportgen.report.parts import Count, Strong
from reportgen.report.sections.scores.curve_values import (
    AS_PREDICTED,
    HIGHEST_YOUDEN,
    MOST_BANDS,
    threshold_as_predicted,
)
from reportgen.report.words.wording import note_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts.lines import MarkKind, Point, Span
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

CURVES = ("sensitivity", "specificity", "precision")
MOST_FIGURES = 4
# Scores whose ranges differ by more than this have no common axis to be read on.
ALIKE = 4.0


def rate_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw the rates of the classifiers for which thresholds were chosen, a panel for each rate.

    Classifiers share a figure if their scores share a scale.
    """
    curves = evaluation.predictions.curves
    if curves is None:
        return
    names = list(dict.fromkeys(each.classifier for each in evaluation.thresholds))
    groups = _by_scale(list(curve_points(curves, names)))
    kept = _best_groups(evaluation, groups)
    elsewhere = sum(map(len, groups)) - sum(map(len, kept))
    for at, whole in enumerate(kept, start=1):
        drawn = drawn_of(evaluation, [points.classifier for points in whole])
        group = [points for points in whole if points.classifier in drawn]
        reading: tuple[Part, ...] = (
            "A higher threshold finds fewer of ",
            Strong(group[0].class_),
            " and leaves more of the others alone; precision says how far to trust a positive.",
        )
        whose = f", {group[0].classifier}" if len(groups) > 1 and len(group) == 1 else ""
        yield Figure(
            f"thresholds-{at}",
            f"Rates over the threshold{whose}",
            _panels(evaluation, group),
            Paragraph(reading),
            note_of(
                _left_out(evaluation, len(group), len(whole), alone=len(groups) == 1),
                _of_other_scales(elsewhere) if at == len(kept) else (),
            ),
        )


def _best_groups(
    evaluation: Evaluation, groups: Sequence[list[CurvePoints]]
) -> list[list[CurvePoints]]:
    """Return the groups that have a figure: where there are many, those of the best classifiers."""
    ranked = best_first(evaluation)
    best = sorted(groups, key=lambda group: min(ranked.index(each.classifier) for each in group))
    return [group for group in groups if group in best[:MOST_FIGURES]]


def _left_out(evaluation: Evaluation, shown: int, of: int, *, alone: bool) -> tuple[Part, ...]:
    before = "Shown are the " if alone else "Of the scores on this scale shown are the "
    said = how_many_left_out(evaluation, shown, of, before=(before,))
    return (*said, ".") if said else ()


def _of_other_scales(more: int) -> tuple[Part, ...]:
    if not more:
        return ()
    words = "classifier has" if more == 1 else "classifiers have"
    are = "is" if more == 1 else "are"
    return (Count(more), f" further {words} scores on other scales and {are} not drawn.")


def _by_scale(found: Sequence[CurvePoints]) -> list[list[CurvePoints]]:
    """Put classifiers together whose scores are alike, each with the first that is like it."""
    groups: list[list[CurvePoints]] = []
    for points in found:
        fitting = (group for group in groups if _are_alike(_span([group[0]]), _span([points])))
        group = next(fitting, None)
        if group is None:
            groups.append([points])
        else:
            group.append(points)
    return groups


def _are_alike(one: Span, other: Span) -> bool:
    widths = sorted((one[1] - one[0], other[1] - other[0]))
    overlap = min(one[1], other[1]) > max(one[0], other[0])
    shares = (0.0, 1.0) in {one, other}
    return one == other if shares else overlap and widths[1] <= ALIKE * widths[0]


def _span(found: Sequence[CurvePoints]) -> Span:
    low = min(min(points.thresholds) for points in found)
    high = max(max(points.thresholds) for points in found)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)


def _panels(evaluation: Evaluation, group: Sequence[CurvePoints]) -> Panels:
    span = _span(group)
    markers = {points.classifier: _markers(evaluation, points, span) for points in group}
    if len(group) > MOST_BANDS:
        markers = {name: [each for each in of if each[0] != "best"] for name, of in markers.items()}
    kinds = {kind for each in markers.values() for kind, *_ in each}
    meanings: tuple[tuple[MarkKind, str], ...] = (
        ("operating", AS_PREDICTED),
        ("best", HIGHEST_YOUDEN),
    )
    return Panels(
        tuple(
            LineChart(
                "threshold",
                measure.title,
                tuple(
                    Series(
                        points.classifier,
                        _steps(points, at, span),
                        evaluation.order(points.classifier),
                        step=True,
                        markers=tuple(
                            Marker((threshold, rate), kind=kind)
                            for kind, threshold, rates in markers[points.classifier]
                            if (rate := rates[at - 1]) is not None
                        ),
                    )
                    for points in group
                ),
                x_range=span,
                marks=tuple(each for each in meanings if each[0] in kinds),
            )
            for at, measure in enumerate(map(known_measure, CURVES), start=1)
        ),
        columns=len(CURVES),
    )


def _markers(
    evaluation: Evaluation, points: CurvePoints, span: Span
) -> list[tuple[MarkKind, float, tuple[float | None, ...]]]:
    """Return where the predictions were made, and where Youden's index is highest."""
    counts = evaluation.counts(points.classifier, points.class_)
    used = threshold_as_predicted(evaluation, points.classifier, points.class_)
    found: list[tuple[MarkKind, float, tuple[float | None, ...]]] = []
    best = [
        each
        for each in evaluation.thresholds
        if each.classifier == points.classifier and each.rule is Rule.YOUDEN
    ]
    for each in best:
        threshold, tp, fp = each.threshold, each.tp, each.fp
        if threshold is not None and tp is not None and fp is not None and isfinite(threshold):
            missed, left_alone = points.positives - tp, points.negatives - fp
            found.append(("best", threshold, _rates(tp, missed, fp, left_alone)))
    if counts is not None and used is not None and span[0] <= used <= span[1]:
        found.append(("operating", used, _rates(*counts)))
    return found


def _rates(tp: int, fn: int, fp: int, tn: int) -> tuple[float | None, ...]:
    """Return sensitivity, specificity and precision; None: undefined."""
    pairs = (tp, tp + fn), (tn, fp + tn), (tp, tp + fp)
    return tuple(part / whole if whole else None for part, whole in pairs)


def _steps(points: CurvePoints, at: int, span: Span) -> tuple[Point, ...]:
    """Return a rate from high thresholds to low: between two scores the higher one counts.

    Above all scores nothing is taken for the class, so that precision begins at the first.
    """
    rates = points.rates()
    above = {1: ((span[1], 0.0),), 2: ((span[1], 1.0),)}.get(at, ())
    return (*above, *((row[0], row[at]) for row in rates), (span[0], rates[-1][at]))
