"""Per-class performance: every class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import MEASURE_GROUPS, Orientation
from reportgen.measures.counts import PRECISION, SENSITIVITY
from reportgen.measures.ordering import competition_ranks
from reportgen.report.charts import Dot, DotPanel, GroupedDotPlot
from reportgen.report.document import Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.formatting import confidence_level, inline_values, value_unit
from reportgen.report.inline import Count, MeasureEstimate, MeasureName, Strong
from reportgen.report.phrases import join_names_abbreviated, measure_phrase
from reportgen.report.sections.measures import (
    MAX_CLASSIFIER_COLUMNS,
    MAX_MEASURE_COLUMNS,
    value_cells,
)
from reportgen.report.selection import (
    classifier_color,
    classifiers_best_first,
    is_full_detail,
    omitted_in_results_note,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Dot plots of recall and precision by class.

_MAX_PLOTTED_CLASSES, _MAX_BRIEF_CLASSES, _MAX_PLOTTED_CLASSIFIERS = 50, 25, 6
_AXIS_LABELS = {
    "sensitivity": "Recall",
    "precision": "Precision",
}


def per_class_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Yield the plot of recall and precision by class, lowest recall first."""
    names = top_classifiers(evaluation, _MAX_PLOTTED_CLASSIFIERS, _MAX_PLOTTED_CLASSIFIERS)
    if not evaluation.is_multiclass:
        return
    shares = {
        class_: _mean_sensitivity(evaluation, class_, names) for class_ in evaluation.named_classes
    }
    known_shares = {class_: share for class_, share in shares.items() if share is not None}
    ordered = sorted(known_shares, key=known_shares.__getitem__)
    if not ordered:
        return
    classes = ordered[: _max_plotted_classes(evaluation)]
    panels = tuple(
        DotPanel(
            _AXIS_LABELS[measure.name],
            tuple(
                tuple(_class_dot(evaluation, measure, class_, name) for name in names)
                for class_ in classes
            ),
            value_unit(measure),
        )
        for measure in (SENSITIVITY, PRECISION)
    )
    yield Figure(
        "classes-drawn",
        f"Recall and precision by {evaluation.class_noun}",
        GroupedDotPlot(
            tuple(classes),
            tuple((name, classifier_color(evaluation, name)) for name in names),
            panels,
        ),
        Paragraph(
            tuple(
                _figure_description(
                    known_shares,
                    len(names),
                    len(evaluation.measured_classifiers),
                    (evaluation.class_noun, evaluation.class_noun_plural),
                )
            )
        ),
        Paragraph(tuple(_figure_note(evaluation, len(known_shares), len(shares), names))),
    )


def _max_plotted_classes(evaluation: Evaluation) -> int:
    return _MAX_PLOTTED_CLASSES if is_full_detail(evaluation) else _MAX_BRIEF_CLASSES


def _mean_sensitivity(evaluation: Evaluation, class_: str, names: Sequence[str]) -> float | None:
    """Return the recall of a class, averaged over the displayed classifiers."""
    scores = (evaluation.value(name, SENSITIVITY, class_) for name in names)
    values = [score.value for score in scores if score is not None and score.value is not None]
    return sum(values) / len(values) if values else None


def _class_dot(evaluation: Evaluation, measure: Measure, class_: str, name: str) -> Dot:
    score = evaluation.value(name, measure, class_)
    order = classifier_color(evaluation, name)
    if score is None or score.number is None:
        return Dot(name, None, color_index=order)
    limits = (score.low, score.high) if score.method is not None else (None, None)
    return Dot(name, score.number, *limits, color_index=order)


def _figure_description(
    mean_sensitivities: dict[str, float], n_plotted: int, n_classifiers: int, nouns: tuple[str, str]
) -> Iterator[Inline]:
    """Yield the classes with the lowest and highest mean recall; nouns are class and classes."""
    lowest, highest = (
        _extreme_classes(mean_sensitivities, side)
        for side in (Orientation.LOWER, Orientation.HIGHER)
    )
    shares = [
        MeasureValue(mean_sensitivities[extreme[0]], ValueState.DEFINED)
        for extreme in (lowest, highest)
    ]
    low, high = inline_values(SENSITIVITY, *shares)
    noun = "displayed classifiers" if n_plotted < n_classifiers else "classifiers"
    average = f" (mean over the {noun})" if n_plotted > 1 else ""
    if len(mean_sensitivities) == 1:
        yield from (f"Recall of {nouns[0]} ", Strong(lowest[0]), ": ", low, f"{average}.")
    elif len(lowest) == len(mean_sensitivities):
        yield from (f"Equal recall in all {nouns[1]}: ", low, f"{average}.")
    else:
        yield from ("Lowest recall: ", *_list_classes(lowest, nouns), ", ", low)
        yield from ("; highest: ", *_list_classes(highest, nouns), ", ", high, f"{average}.")


def _extreme_classes(mean_sensitivities: dict[str, float], orientation: Orientation) -> list[str]:
    return [
        class_
        for class_, rank in competition_ranks(mean_sensitivities, orientation).items()
        if rank == 1
    ]


def _list_classes(names: Sequence[str], nouns: tuple[str, str]) -> Iterator[Inline]:
    yield from (f"{nouns[0] if len(names) == 1 else nouns[1]} ", *join_names_abbreviated(names))


def _figure_note(
    evaluation: Evaluation, n_defined: int, n_classes: int, names: Sequence[str]
) -> Iterator[Inline]:
    yield from ("Sorted by mean recall; lines: ", confidence_level(evaluation), " CIs.")
    if n_defined > (most := _max_plotted_classes(evaluation)):
        yield from (" Lowest ", Count(most), " of ", Count(n_defined))
        yield f" {evaluation.class_noun_plural} shown."
    if empty := n_classes - n_defined:
        yield from (" ", Count(empty))
        noun = evaluation.class_noun if empty == 1 else evaluation.class_noun_plural
        yield f" {noun} without cases not shown."
    main = primary_measure(evaluation)
    if len(names) < len(evaluation.measured_classifiers) and main is not None:
        yield from (
            " Best ",
            Count(len(names)),
            " of ",
            Count(len(evaluation.measured_classifiers)),
        )
        yield f" classifiers by {measure_phrase(main)} shown."


_MAX_TABLE_CLASSES = 60
_MAX_WORST_CLASSES = 20
_BRIEF_MEASURES = ("sensitivity", "precision")
_MAIN_CLASS_MEASURES = ("sensitivity", "precision", "f1", "youden")


def build_per_class_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the measures of every class: a plot, and tables in full detail."""
    if evaluation.aggregates.confusion is None and evaluation.aggregates.label_sets is None:
        return ()
    introduction = (
        "Each label as a binary task. Cases: number of cases with the label."
        if evaluation.task_kind == "multilabel"
        else "One-vs-rest measures: each class in turn is the positive class. Cases: number of"
        " cases of the class."
    )
    use_leaders = len(
        evaluation.measured_classifiers
    ) > MAX_CLASSIFIER_COLUMNS or not is_full_detail(evaluation)
    tables = _tables_by_measure(evaluation) if use_leaders else _tables_by_classifier(evaluation)
    figures = tuple(per_class_figures(evaluation))
    full_detail = is_full_detail(evaluation)
    has_tables = full_detail or not figures
    if has_tables and len(evaluation.named_classes) > _MAX_TABLE_CLASSES:
        introduction += (
            f" Tables: the {_MAX_WORST_CLASSES} {evaluation.class_noun_plural} with the lowest"
            f" recall of {len(evaluation.named_classes)}; full list: results.json."
        )
    return (
        Paragraph((introduction,)),
        *figures,
        *(tables if has_tables else ()),
        *(
            ()
            if full_detail
            else (omitted_in_results_note(f"All measures of every {evaluation.class_noun}"),)
        ),
    )


def _tables_by_measure(evaluation: Evaluation) -> Iterator[Table]:
    """Yield tables of classes by classifiers for the main measures."""
    names = classifiers_best_first(evaluation)
    measure_names = _MAIN_CLASS_MEASURES if is_full_detail(evaluation) else _BRIEF_MEASURES
    measures = [
        measure for measure in evaluation.reported_measures if measure.name in measure_names
    ]
    for measure in measures or _class_measures(evaluation, names[0])[:1]:
        rows = tuple(
            (
                class_,
                *value_cells(measure, _class_values(evaluation, measure, class_), names).values(),
            )
            for class_ in _displayed_classes(evaluation, names[0])
        )
        yield Table(
            f"class-{measure.name}",
            f"{measure.title}, by {evaluation.class_noun}",
            (
                Column(evaluation.class_noun.capitalize()),
                *(Column(name, numeric=True) for name in names),
            ),
            (RowGroup(rows),),
        )


def _class_values(evaluation: Evaluation, measure: Measure, class_: str) -> dict[str, MeasureValue]:
    values = {
        name: evaluation.value(name, measure, class_) for name in evaluation.measured_classifiers
    }
    return {name: score for name, score in values.items() if score is not None}


def _tables_by_classifier(evaluation: Evaluation) -> Iterator[Table]:
    cases = _class_sizes(evaluation)
    for number, classifier in enumerate(classifiers_best_first(evaluation), start=1):
        for part, measures in enumerate(
            _measure_groups(_class_measures(evaluation, classifier)), start=1
        ):
            yield Table(
                f"class-{number}-{part}",
                f"{classifier}, by {evaluation.class_noun}",
                (
                    Column(evaluation.class_noun.capitalize()),
                    Column("Cases", numeric=True),
                    *(Column(MeasureName(measure), numeric=True) for measure in measures),
                ),
                (RowGroup(tuple(_class_rows(evaluation, classifier, measures, cases))),),
            )


def _class_measures(evaluation: Evaluation, classifier: str) -> list[Measure]:
    """Return the measures that are available for every class."""
    classes = evaluation.named_classes
    return [
        measure
        for measure in evaluation.reported_measures
        if all(evaluation.value(classifier, measure, class_) for class_ in classes)
    ]


def _measure_groups(measures: Sequence[Measure]) -> list[list[Measure]]:
    """Return groups of measures, each at most as wide as a table."""
    names = (MEASURE_GROUPS["traditional"], MEASURE_GROUPS["discriminant"])
    groups = [[measure for measure in measures if measure.name in group] for group in names]
    others = [measure for measure in measures if not any(measure.name in group for group in names)]
    chunks = [
        others[start : start + MAX_MEASURE_COLUMNS]
        for start in range(0, len(others), MAX_MEASURE_COLUMNS)
    ]
    return [group for group in (*groups, *chunks) if group]


def _class_rows(
    evaluation: Evaluation,
    classifier: str,
    measures: Sequence[Measure],
    cases: Mapping[tuple[str, str], int],
) -> Iterator[tuple[TableCell, ...]]:
    for class_ in _displayed_classes(evaluation, classifier):
        scores = ((measure, evaluation.value(classifier, measure, class_)) for measure in measures)
        values = (MeasureEstimate(score, measure) if score else None for measure, score in scores)
        yield (class_, Count(cases[classifier, class_]), *values)


def _displayed_classes(evaluation: Evaluation, classifier: str) -> Sequence[str]:
    """Return all classes or, of too many, those with the lowest recall."""
    classes = evaluation.named_classes
    if len(classes) <= _MAX_TABLE_CLASSES:
        return classes
    scores = {class_: evaluation.value(classifier, SENSITIVITY, class_) for class_ in classes}
    ranks = {
        class_: score.value
        for class_, score in scores.items()
        if score is not None and score.value is not None
    }
    return sorted(ranks, key=ranks.__getitem__)[:_MAX_WORST_CLASSES]


def _class_sizes(evaluation: Evaluation) -> dict[tuple[str, str], int]:
    return {
        (classifier, class_): size
        for classifier, sizes in evaluation.class_sizes.items()
        for class_, size in zip(evaluation.aggregates.classes, sizes, strict=True)
    }
