"""The likelihood-ratio graph of Biggerstaff (2000), which figure 1 of the paper puts in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.verdicts.relations import RELATIONS, UNDEFINED
from reportgen.frozen import frozen
from reportgen.report.charts.lines import LikelihoodGraph, RatePoint
from reportgen.report.detail import in_full
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import MOST_CURVES, how_many_left_out, leading
from reportgen.report.parts import Plain, Strong
from reportgen.report.sections.scores.curve_values import most_classes
from reportgen.report.sections.scores.roc import FALSE_ALARMS, FOUND
from reportgen.report.words.level import level_of
from reportgen.report.words.wording import names_in_a_row, note_of
from reportgen.statistics.proportions import wilson_limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.verdicts.relations import LikelihoodRelation
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

WORDS = (RELATIONS[1, 1], RELATIONS[1, -1], RELATIONS[-1, 1], RELATIONS[-1, -1])
# How much of an axis may be shown, if all classifiers lie there with a margin.
WINDOWS, MARGIN = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8), 1.22
FEWEST = 2
# Youden's indices nearer to each other than this differ by rounding alone.
TIE = 1e-12


@frozen
class _Chosen:
    """The classifier all others are held against, and why it is this one."""

    point: RatePoint
    why: str


def likelihood_graphs(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw one graph of two classes; of more classes one each, if everything is asked for."""
    classes = list(dict.fromkeys(relation.class_ for relation in evaluation.relations))
    if evaluation.kind == "multiclass" and not in_full(evaluation):
        return
    for number, class_ in enumerate(classes[: most_classes(evaluation)], start=1):
        relations = [relation for relation in evaluation.relations if relation.class_ == class_]
        swapped = {name for relation in relations for name in relation.swapped_ones}
        found = list(_points(evaluation, class_, swapped))
        if len(found) >= FEWEST:
            yield _figure(evaluation, found, relations, f"likelihood-graph-{number}", swapped)


def _points(evaluation: Evaluation, class_: str | None, swapped: set[str]) -> Iterator[RatePoint]:
    """Yield the classifiers whose likelihood ratios are defined, with Wilson's intervals.

    A classifier whose ratios were swapped stands where it would with its answers exchanged.
    """
    for name in evaluation.measured:
        counts = evaluation.counts(name, class_ or evaluation.spec.task.positive or "")
        if counts is None:
            continue
        tp, fn, fp, tn = counts
        if not tp + fn or not fp + tn or not tp + fp or not fn + tn:
            continue
        positive, negative = (fn, tn) if name in swapped else (tp, fp)
        weight = evaluation.predictions.weight_of(name)
        trials = np.array([fp + tn, tp + fn], dtype=np.float64)
        low, high = wilson_limits(
            np.array([negative, positive]) * weight,
            trials * weight,
            evaluation.spec.intervals.level,
        )
        yield RatePoint(
            name,
            evaluation.order(name),
            (negative / (fp + tn), positive / (tp + fn)),
            (float(low[0]), float(high[0])),
            (float(low[1]), float(high[1])),
        )


def _chosen(evaluation: Evaluation, found: Sequence[RatePoint], swapped: set[str]) -> _Chosen:
    """Choose the baseline, or else the first with the highest Youden's index."""
    baseline = evaluation.spec.comparison.baseline
    for point in found:
        if point.name == baseline:
            return _Chosen(point, "the baseline")
    # The index as it was found: exchanged answers would have the opposite one.
    indices = [
        (point.at[1] - point.at[0]) * (-1 if point.name in swapped else 1) for point in found
    ]
    best = [
        point for point, index in zip(found, indices, strict=True) if index > max(indices) - TIE
    ]
    highest = "the highest Youden's index"
    return _Chosen(best[0], highest if len(best) == 1 else f"one of {len(best)} with {highest}")


def _figure(
    evaluation: Evaluation,
    found: Sequence[RatePoint],
    relations: Sequence[LikelihoodRelation],
    name: str,
    swapped: set[str],
) -> Figure:
    chosen = _chosen(evaluation, found, swapped)
    others = _others(evaluation, found, chosen.point)
    shown = (chosen.point, *others)
    across = 0.0, _window(max(point.across[1] for point in shown))
    up = round(1 - _window(max(1 - point.up[0] for point in shown)), 2), 1.0
    class_ = relations[0].class_
    of_class = "" if class_ is None else f", {class_}"
    return Figure(
        name,
        f"Likelihood ratios against {chosen.point.name} ({chosen.why}){of_class}",
        LikelihoodGraph(FALSE_ALARMS, FOUND, chosen.point, others, WORDS, across, up),
        Paragraph(tuple(_reading(chosen.point.name, relations))),
        note_of(
            _about_crosses(evaluation),
            _about_axes(across[1], up[0]),
            _about_swaps([point.name for point in shown if point.name in swapped]),
            _undefined(evaluation, found),
            _left_out(evaluation, chosen.point.name, len(others), len(found) - 1),
        ),
    )


def _others(
    evaluation: Evaluation, found: Sequence[RatePoint], chosen: RatePoint
) -> tuple[RatePoint, ...]:
    """Return those held against the chosen one: all, or the best of them."""
    others = {point.name: point for point in found if point is not chosen}
    most = MOST_CURVES - 1
    return tuple(others[name] for name in leading(evaluation, most, most, others))


def _left_out(evaluation: Evaluation, chosen: str, shown: int, of: int) -> tuple[Part, ...]:
    before = ("Shown beside ", Strong(chosen), " are the ")
    said = how_many_left_out(evaluation, shown, of, before=before)
    return (*said, ".") if said else ()


def _window(farthest: float) -> float:
    """Return how much of an axis has to be shown for a cross that reaches so far."""
    return next((window for window in WINDOWS if farthest * MARGIN <= window), 1.0)


def _reading(chosen: str, relations: Sequence[LikelihoodRelation]) -> Iterator[Part]:
    """Say of which classifiers the tests show where they stand to the chosen one."""
    words: dict[str, list[str]] = {}
    others = []
    for relation in relations:
        if chosen not in {relation.first, relation.second}:
            continue
        is_first = relation.first == chosen
        other = relation.second if is_first else relation.first
        word = relation.reverse if is_first else relation.relation
        backed = relation.reverse_backed if is_first else relation.backed
        if backed and word not in {UNDEFINED, RELATIONS[0, 0]}:
            words.setdefault(word, []).append(other)
        elif word != UNDEFINED:
            others.append(other)
    if not words:
        yield "The tests show of no classifier in which region it lies, seen from "
        yield Strong(chosen)
        yield ": each stands where the values found put it, which may be chance."
        return
    yield "The tests show that, compared with "
    yield Strong(chosen)
    for at, (word, names) in enumerate(words.items()):
        yield ", " if at == 0 else "; "
        yield from names_in_a_row(names)
        yield f" {'is' if len(names) == 1 else 'are'} {word}"
    if others:
        yield ". Where "
        yield from names_in_a_row(others)
        yield f" {'stands' if len(others) == 1 else 'stand'} may be chance"
    yield "."


def _about_crosses(evaluation: Evaluation) -> tuple[Part, ...]:
    return (
        "Crosses are ",
        level_of(evaluation),
        " intervals of each share by itself.",
    )


def _about_axes(right: float, bottom: float) -> tuple[Part, ...]:
    if (right, bottom) == (1.0, 0.0):
        return ()
    return (
        "The axes are cut: false alarms go up to ",
        Plain(right),
        ", the share found begins at ",
        Plain(bottom),
        ".",
    )


def _about_swaps(names: Sequence[str]) -> tuple[Part, ...]:
    if not names:
        return ()
    stand = "stands" if len(names) == 1 else "stand"
    return (*names_in_a_row(names), f" {stand} where exchanged answers would be.")


def _undefined(evaluation: Evaluation, found: Sequence[RatePoint]) -> tuple[Part, ...]:
    drawn = {point.name for point in found}
    missing = [name for name in evaluation.measured if name not in drawn]
    if not missing:
        return ()
    are = "is" if len(missing) == 1 else "are"
    return (*names_in_a_row(missing), f" {are} not drawn: a likelihood ratio is undefined.")
