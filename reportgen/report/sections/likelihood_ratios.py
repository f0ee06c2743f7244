"""Likelihood-ratio comparison: graph of both, and relations of every pair (Biggerstaff 2000)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.evaluation.likelihood_relations import LIKELIHOOD_RELATIONS, UNDEFINED_RELATION
from reportgen.measures import get_measure
from reportgen.report.charts import LikelihoodRatioGraph, RatioPoint
from reportgen.report.document import Column, Details, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import Count, MathSymbol, Strong, VerdictBadge
from reportgen.report.phrases import join_names_abbreviated, join_sentences
from reportgen.report.sections.capabilities import likelihood_ratio_swap_notes, verdict_tone
from reportgen.report.sections.curves import max_curve_classes
from reportgen.report.selection import (
    MAX_CURVES,
    classifier_color,
    is_full_detail,
    omitted_classifiers_phrase,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.likelihood_relations import LikelihoodRelation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# The likelihood-ratio graph of Biggerstaff (2000, figure 1).

_REGION_LABELS = (
    LIKELIHOOD_RELATIONS[1, 1],
    LIKELIHOOD_RELATIONS[1, -1],
    LIKELIHOOD_RELATIONS[-1, 1],
    LIKELIHOOD_RELATIONS[-1, -1],
)
_LR_NEGATIVE_LABEL = "LR− (log scale): the lower, the better a negative result rules out"
_LR_POSITIVE_LABEL = "LR+ (log scale): the higher, the better a positive result rules in"
_MIN_CLASSIFIERS = 2
# Values of Youden's J closer than this differ by rounding only.
_YOUDEN_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class _ReferencePoint:
    """The reference classifier of the graph, and the reason for choosing it."""

    point: RatioPoint
    reason: str


def likelihood_ratio_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Yield the graph of a binary task; of several classes one each in full detail."""
    classes = list(dict.fromkeys(relation.class_ for relation in evaluation.likelihood_relations))
    if evaluation.is_multiclass and not is_full_detail(evaluation):
        return
    for number, class_ in enumerate(classes[: max_curve_classes(evaluation)], start=1):
        relations = [
            relation for relation in evaluation.likelihood_relations if relation.class_ == class_
        ]
        swapped = {name for relation in relations for name in relation.swapped_classifiers}
        points = list(_ratio_points(evaluation, class_, swapped))
        if len(points) >= _MIN_CLASSIFIERS:
            yield _likelihood_ratio_figure(
                evaluation, points, relations, f"likelihood-graph-{number}", swapped
            )


def _ratio_points(
    evaluation: Evaluation, class_: str | None, swapped: set[str]
) -> Iterator[RatioPoint]:
    """Yield the likelihood ratios of the classifiers that have both.

    Inverting the predictions of a classifier exchanges its ratios.
    """
    measures = get_measure("lr_positive"), get_measure("lr_negative")
    for point in evaluation.likelihood_points:
        if point.class_ != class_:
            continue
        values = [evaluation.value(point.classifier, measure, class_) for measure in measures]
        if point.classifier in swapped:
            values.reverse()
        positive, negative = values
        if positive is None or positive.number is None:
            continue
        if negative is None or negative.number is None:
            continue
        yield RatioPoint(
            point.classifier,
            classifier_color(evaluation, point.classifier),
            positive.number,
            negative.number,
            _ratio_interval(positive),
            _ratio_interval(negative),
        )


def _ratio_interval(value: MeasureValue) -> tuple[float, float] | None:
    """Return the confidence limits; an upper limit of None is infinite."""
    if value.method is None:
        return None
    return value.low or 0.0, math.inf if value.high is None else value.high


def _choose_reference_point(
    evaluation: Evaluation, points: Sequence[RatioPoint], class_: str | None, swapped: set[str]
) -> _ReferencePoint:
    """Return the baseline, or else the first classifier with the highest Youden's J."""
    baseline = evaluation.spec.comparison.baseline
    for point in points:
        if point.name == baseline:
            return _ReferencePoint(point, "baseline")
    rates = {
        rate.classifier: rate.tpr - rate.fpr
        for rate in evaluation.likelihood_points
        if rate.class_ == class_
    }
    # Youden's J before swapping: inverted predictions have the opposite sign.
    indices = [rates[point.name] * (-1 if point.name in swapped else 1) for point in points]
    best = [
        point
        for point, index in zip(points, indices, strict=True)
        if index > max(indices) - _YOUDEN_TOLERANCE
    ]
    highest = "highest Youden's J"
    return _ReferencePoint(
        best[0], highest if len(best) == 1 else f"one of {len(best)} with {highest}"
    )


def _likelihood_ratio_figure(
    evaluation: Evaluation,
    points: Sequence[RatioPoint],
    relations: Sequence[LikelihoodRelation],
    name: str,
    swapped: set[str],
) -> Figure:
    class_ = relations[0].class_
    reference = _choose_reference_point(evaluation, points, class_, swapped)
    others = _compared_points(evaluation, points, reference.point)
    plotted_points = (reference.point, *others)
    class_suffix = "" if class_ is None else f": class {class_} vs rest"
    return Figure(
        name,
        f"Likelihood ratios vs {reference.point.name} ({reference.reason}){class_suffix}",
        LikelihoodRatioGraph(
            _LR_NEGATIVE_LABEL, _LR_POSITIVE_LABEL, reference.point, others, _REGION_LABELS
        ),
        Paragraph(tuple(_figure_description(reference.point.name, relations))),
        join_sentences(
            _interval_note(evaluation, reference.point.name),
            _edge_note(plotted_points),
            _swap_note([point.name for point in plotted_points if point.name in swapped]),
            _undefined_ratio_note(evaluation, points),
            _omitted_points_note(evaluation, reference.point.name, len(others), len(points) - 1),
        ),
    )


def _compared_points(
    evaluation: Evaluation, points: Sequence[RatioPoint], reference: RatioPoint
) -> tuple[RatioPoint, ...]:
    """Return the compared classifiers: all, or the best of them."""
    others = {point.name: point for point in points if point is not reference}
    max_points = MAX_CURVES - 1
    return tuple(
        others[name] for name in top_classifiers(evaluation, max_points, max_points, others)
    )


def _omitted_points_note(
    evaluation: Evaluation, reference: str, n_displayed: int, n_total: int
) -> tuple[Inline, ...]:
    prefix = ("Shown with ", Strong(reference), ": the ")
    phrase = omitted_classifiers_phrase(evaluation, n_displayed, n_total, prefix=prefix)
    return (*phrase, ".") if phrase else ()


def _figure_description(
    reference: str, relations: Sequence[LikelihoodRelation]
) -> Iterator[Inline]:
    """Yield the confirmed relations to the reference classifier, and the unconfirmed ones."""
    by_relation: dict[str, list[str]] = {}
    others = []
    for relation in relations:
        if reference not in {relation.first, relation.second}:
            continue
        is_first = relation.first == reference
        other = relation.second if is_first else relation.first
        name = relation.reverse_relation if is_first else relation.relation
        significant = relation.reverse_significant if is_first else relation.significant
        if significant and name not in {UNDEFINED_RELATION, LIKELIHOOD_RELATIONS[0, 0]}:
            by_relation.setdefault(name, []).append(other)
        elif name != UNDEFINED_RELATION:
            others.append(other)
    if not by_relation:
        yield "No position relative to "
        yield Strong(reference)
        yield " is statistically confirmed."
        return
    yield "Compared with "
    yield Strong(reference)
    for index, (name, names) in enumerate(by_relation.items()):
        yield ", " if index == 0 else "; "
        yield from join_names_abbreviated(names)
        yield f" {'is' if len(names) == 1 else 'are'} {name}"
    if others:
        yield "; position not statistically confirmed: "
        yield from join_names_abbreviated(others)
    yield "."


def _interval_note(evaluation: Evaluation, reference: str) -> tuple[Inline, ...]:
    return (
        "Crosses: ",
        confidence_level(evaluation),
        " CIs; lines: ratios of ",
        Strong(reference),
        ".",
    )


def _edge_note(points: Sequence[RatioPoint]) -> tuple[Inline, ...]:
    """Return which points are at the edge because a ratio is 0 or infinite."""
    names = [
        point.name for point in points if point.lr_negative == 0 or math.isinf(point.lr_positive)
    ]
    return (
        ("At the edge (LR+ infinite or LR− 0): ", *join_names_abbreviated(names), ".")
        if names
        else ()
    )


def _swap_note(names: Sequence[str]) -> tuple[Inline, ...]:
    if not names:
        return ()
    return (*join_names_abbreviated(names), " shown with inverted predictions.")


def _undefined_ratio_note(
    evaluation: Evaluation, points: Sequence[RatioPoint]
) -> tuple[Inline, ...]:
    point_names = {point.name for point in points}
    missing = [name for name in evaluation.measured_classifiers if name not in point_names]
    if not missing:
        return ()
    return ("Not shown (undefined likelihood ratio): ", *join_names_abbreviated(missing), ".")


_MAX_CLASSIFIERS_IN_A_MATRIX = 6
_MAX_ROWS, _MAX_ROWS_BRIEF = 60, 12
_NO_RELATION: tuple[str | None, bool | None] = (None, None)


def build_likelihood_ratios_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the likelihood-ratio graph and the table of relations of every pair."""
    relations = evaluation.likelihood_relations
    if not relations:
        return ()
    introduction: tuple[Inline, ...] = (
        "Higher ",
        MathSymbol(get_measure("lr_positive").symbol),
        " rules in better, lower ",
        MathSymbol(get_measure("lr_negative").symbol),
        " rules out better; better on both = superior overall.",
    )
    one_class = len({relation.class_ for relation in relations}) == 1
    fits_matrix = len(evaluation.measured_classifiers) <= _MAX_CLASSIFIERS_IN_A_MATRIX
    if one_class and fits_matrix:
        table = _relation_matrix(evaluation)
    else:
        max_rows = _MAX_ROWS if is_full_detail(evaluation) else _MAX_ROWS_BRIEF
        table = (
            _relation_pairs_table(evaluation)
            if len(relations) <= max_rows
            else _relation_counts_table(evaluation)
        )
    figures = tuple(likelihood_ratio_figures(evaluation))
    is_folded = bool(figures) and not is_full_detail(evaluation)
    return (
        Paragraph(introduction),
        *figures,
        Details(_confirmed_relations_sentence(evaluation), (table,)) if is_folded else table,
        *likelihood_ratio_swap_notes(evaluation),
    )


def _confirmed_relations_sentence(evaluation: Evaluation) -> Paragraph:
    """Return how many relations of the likelihood ratios are confirmed."""
    relations = evaluation.likelihood_relations
    confirmed = sum(relation.significant is True for relation in relations)
    total = Count(len(relations))
    number: Inline = Count(confirmed) if confirmed else "None"
    verb = "is" if confirmed <= 1 else "are"
    return Paragraph((number, " of ", total, f" relations between pairs {verb} confirmed."))


def _relation_matrix(evaluation: Evaluation) -> Table:
    relations: dict[tuple[str, str], tuple[str | None, bool | None]] = {}
    for relation in evaluation.likelihood_relations:
        relations[relation.first, relation.second] = (relation.relation, relation.significant)
        relations[relation.second, relation.first] = (
            relation.reverse_relation,
            relation.reverse_significant,
        )
    names = evaluation.measured_classifiers
    rows = tuple(
        (
            first,
            *(_relation_cell(*relations.get((first, second), _NO_RELATION)) for second in names),
        )
        for first in names
    )
    columns = (Column("Row vs column"), *(Column(name) for name in names))
    return Table("likelihood-relations", "Likelihood relations", columns, (RowGroup(rows),))


def _relation_pairs_table(evaluation: Evaluation) -> Table:
    groups = tuple(
        RowGroup(
            tuple(
                (
                    relation.first,
                    _relation_cell(relation.relation, relation.significant),
                    relation.second,
                )
                for relation in relations
            ),
            None if class_ is None else f"{evaluation.class_noun.capitalize()} {class_}",
        )
        for class_, relations in groupby(
            evaluation.likelihood_relations, key=lambda relation: relation.class_
        )
    )
    columns = (Column("Classifier"), Column("Relation"), Column("Compared with"))
    return Table("likelihood-relations", "Likelihood relations, by pair", columns, groups)


def _relation_counts_table(evaluation: Evaluation) -> Table:
    """Return the number of relations of each kind for every classifier."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in evaluation.measured_classifiers}
    for relation in evaluation.likelihood_relations:
        counts[relation.first][relation.relation] += 1
        counts[relation.second][relation.reverse_relation] += 1
    relations = [
        relation
        for relation in dict.fromkeys((*LIKELIHOOD_RELATIONS.values(), UNDEFINED_RELATION))
        if _occurs(relation, counts)
    ]
    columns = (
        Column("Classifier"),
        *(Column(relation.capitalize(), numeric=True) for relation in relations),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (name, *(Count(classifier_counts[relation]) for relation in relations))
        for name, classifier_counts in counts.items()
    )
    note = Paragraph(("All pairs of classifiers on all classes; full list: results.json.",))
    caption = "Likelihood relations: number of pairs by relation"
    return Table("likelihood-relations", caption, columns, (RowGroup(rows),), note)


def _occurs(relation: str, counts: dict[str, Counter[str]]) -> bool:
    return any(classifier_counts[relation] for classifier_counts in counts.values())


def _relation_cell(relation: str | None, significant: bool | None) -> TableCell:  # noqa: FBT001  # of a pair
    return None if relation is None else VerdictBadge(relation, verdict_tone(relation), significant)
