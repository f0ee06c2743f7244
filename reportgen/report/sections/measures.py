"""Tables of measures by classifier: standard, diagnostic, additional, regression and averages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.measures import MEASURE_GROUPS, Measure, Orientation
from reportgen.report.document import Column, Details, Paragraph, RowGroup, Table
from reportgen.report.formatting import extra_interval_decimals, shared_decimals
from reportgen.report.inline import Count, MeasureEstimate, MeasureName, Strong, TableCell
from reportgen.report.ranks import classifier_ranks, rank_classifiers
from reportgen.report.sections.definitions import front_page_measures
from reportgen.report.selection import (
    classifiers_best_first,
    is_full_detail,
    omitted_in_results_note,
    requested_sections,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline


# Tables of measures by classifier.

MAX_CLASSIFIER_COLUMNS = 6
MAX_MEASURE_COLUMNS = 7


def measure_tables(
    evaluation: Evaluation,
    name: str,
    caption: str,
    measures: Sequence[Measure],
    *,
    average: str | None = None,
) -> tuple[Table, ...]:
    """Return tables of measures by classifier; many classifiers become rows instead of columns."""
    measured = evaluation.measured_classifiers
    classifiers = [name for name in classifiers_best_first(evaluation) if name in measured]
    values = {
        measure: {
            classifier: score
            for classifier in classifiers
            if (score := evaluation.value(classifier, measure, average=average)) is not None
        }
        for measure in measures
    }
    values = {measure: scores for measure, scores in values.items() if scores}
    if not values:
        return ()
    if len(classifiers) <= MAX_CLASSIFIER_COLUMNS:
        return (_measures_as_rows(name, caption, classifiers, values),)
    return tuple(_classifiers_as_rows(name, caption, classifiers, values))


def value_cells(
    measure: Measure, values: Mapping[str, MeasureValue], classifiers: Sequence[str]
) -> dict[str, TableCell]:
    """Return a cell for each classifier, with the best value marked if values differ."""
    ranks = rank_classifiers(values, measure)
    differ = len(set(ranks.values())) > 1 and measure.orientation is not Orientation.NEITHER
    extra = extra_interval_decimals(values.values(), measure)
    decimals = shared_decimals(values.values(), measure) if not extra else None
    return {
        name: MeasureEstimate(
            values[name], measure, differ and ranks.get(name) == 1, extra, decimals=decimals
        )
        if name in values
        else None
        for name in classifiers
    }


def _measures_as_rows(
    name: str,
    caption: str,
    classifiers: Sequence[str],
    values: Mapping[Measure, Mapping[str, MeasureValue]],
) -> Table:
    rows = tuple(
        (MeasureName(measure), *value_cells(measure, scores, classifiers).values())
        for measure, scores in values.items()
    )
    columns = (Column("Measure"), *(Column(classifier, numeric=True) for classifier in classifiers))
    return Table(name, caption, columns, (RowGroup(rows),))


def _classifiers_as_rows(
    name: str,
    caption: str,
    classifiers: Sequence[str],
    values: Mapping[Measure, Mapping[str, MeasureValue]],
) -> list[Table]:
    measures = list(values)
    chunks = [
        measures[start : start + MAX_MEASURE_COLUMNS]
        for start in range(0, len(measures), MAX_MEASURE_COLUMNS)
    ]
    return [
        Table(
            name if number == 1 else f"{name}-{number}",
            caption if len(chunks) == 1 else f"{caption} ({number} of {len(chunks)})",
            (
                Column("Classifier"),
                *(Column(MeasureName(measure), numeric=True) for measure in part),
            ),
            (RowGroup(_classifier_rows(classifiers, part, values)),),
        )
        for number, part in enumerate(chunks, start=1)
    ]


def _classifier_rows(
    classifiers: Sequence[str],
    measures: Sequence[Measure],
    values: Mapping[Measure, Mapping[str, MeasureValue]],
) -> tuple[tuple[TableCell, ...], ...]:
    cells = {measure: value_cells(measure, values[measure], classifiers) for measure in measures}
    return tuple(
        (classifier, *(cells[measure][classifier] for measure in measures))
        for classifier in classifiers
    )


_MAX_NAMED_WINNERS = 3
_MACRO = "macro"
_AVERAGE_CAPTIONS = {
    _MACRO: "Macro average: {} weighted equally",
    "micro": "Micro average: one-vs-rest counts pooled over the {}",
    "weighted": "Weighted average: {} weighted by their number of cases",
}


def build_traditional_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of the standard measures."""
    return _measure_group(evaluation, "traditional", "Standard measures")


def build_discriminant_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of Youden's J, the likelihood ratios and discriminant power."""
    return _measure_group(evaluation, "discriminant", "Diagnostic measures")


# Added to the measures of the first page in the table of main measures.
_OTHER_MAIN_MEASURES = ("f1", "mcc", "brier")
_MEASURE_SECTIONS = {"traditional", "discriminant"}


def build_measures_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of the main measures and, folded, those of all others.

    With the sections of standard and diagnostic measures, as in full detail, it has all other
    measures instead.
    """
    if evaluation.task_kind == "regression":
        return ()
    requested = requested_sections(evaluation)
    has_other_sections = (
        bool(_MEASURE_SECTIONS.intersection(requested)) if requested else is_full_detail(evaluation)
    )
    if has_other_sections:
        return _additional_measures(evaluation, "Additional measures")
    main = main_measures(evaluation)
    others = [measure for measure in evaluation.overall_measures if measure not in main]
    suffix = _caption_suffix(evaluation)
    tables = measure_tables(evaluation, "main-measures", f"Main measures{suffix}", main)
    other_tables = measure_tables(evaluation, "measures", f"Other measures{suffix}", others)
    if not other_tables:
        return tables
    return (*tables, Details(_other_measures_sentence(evaluation, others), other_tables))


def main_measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures of the main table; where classifiers are rows, one row's worth."""
    front = {measure.name for measure in front_page_measures(evaluation)}
    if not front.intersection(measure.name for measure in evaluation.overall_measures):
        return list(evaluation.overall_measures)
    names = front.union(_OTHER_MAIN_MEASURES)
    main = [measure for measure in evaluation.overall_measures if measure.name in names]
    if len(evaluation.measured_classifiers) <= MAX_CLASSIFIER_COLUMNS:
        return main
    primary = evaluation.primary_measure
    first = [primary.measure] if primary and primary.measure in main else []
    return [*first, *(measure for measure in main if measure not in first)][:MAX_MEASURE_COLUMNS]


def _other_measures_sentence(evaluation: Evaluation, others: Sequence[Measure]) -> Paragraph:
    """Return which classifiers have the best values of the measures."""
    winners: Counter[str] = Counter()
    n_tied = 0
    oriented = [measure for measure in others if measure.orientation is not Orientation.NEITHER]
    for measure in oriented:
        first = [name for name, rank in classifier_ranks(evaluation, measure).items() if rank == 1]
        if len(first) == 1:
            winners.update(first)
        else:
            n_tied += 1
    plural = "" if len(others) == 1 else "s"
    parts: list[Inline] = [Count(len(others)), f" other measure{plural}"]
    if len(evaluation.measured_classifiers) > 1 and oriented:
        first_places = winners.most_common(_MAX_NAMED_WINNERS)
        clauses: list[tuple[Inline, ...]] = [
            (Strong(name), " is best in " if not number else " in ", Count(count))
            for number, (name, count) in enumerate(first_places)
        ]
        n_others = sum(winners.values()) - sum(count for _, count in first_places)
        clauses += [("others in ", Count(n_others))] if n_others else []
        clauses += [("the best values are tied in ", Count(n_tied))] if n_tied else []
        for number, clause in enumerate(clauses):
            parts += [", " if number else ": ", *clause]
    return Paragraph((*parts, "."))


def _additional_measures(evaluation: Evaluation, caption: str) -> tuple[Table, ...]:
    grouped = {*MEASURE_GROUPS["traditional"], *MEASURE_GROUPS["discriminant"]}
    others = [measure for measure in evaluation.overall_measures if measure.name not in grouped]
    return measure_tables(evaluation, "measures", caption, others)


def build_regression_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of regression measures."""
    if evaluation.task_kind != "regression":
        return ()
    return measure_tables(evaluation, "regression", "Error measures", evaluation.overall_measures)


def build_averages_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the averages of one-vs-rest measures over the classes; folded, the macro averages."""
    classifiers = evaluation.measured_classifiers
    tables = tuple(
        table
        for average, caption in _AVERAGE_CAPTIONS.items()
        if is_full_detail(evaluation) or average == _MACRO
        for table in measure_tables(
            evaluation,
            f"average-{average}",
            caption.format(evaluation.class_noun_plural),
            [measure for measure in evaluation.reported_measures if measure.has_class_averages],
            average=average,
        )
    )
    if not tables:
        return ()
    introduction = (
        "Averages over the labels; cases, not labels, are the units of their CIs and tests. Labels"
        " where a measure is undefined are left out of its average, with a footnote."
        if evaluation.task_kind == "multilabel"
        else "One-vs-rest values, averaged over the classes. Classes where a measure is undefined"
        " are left out of its average, with a footnote."
    )
    if is_full_detail(evaluation):
        return (Paragraph((introduction,)), *tables)
    macro = [
        measure
        for measure in evaluation.reported_measures
        if measure.has_class_averages
        and any(evaluation.value(name, measure, average=_MACRO) for name in classifiers)
    ]
    return (
        Details(
            Paragraph((f"Macro averages of {len(macro)} one-vs-rest measures.",)),
            (
                Paragraph((introduction,)),
                *tables,
                omitted_in_results_note("Micro and weighted averages"),
            ),
        ),
    )


def _measure_group(evaluation: Evaluation, group: str, caption: str) -> tuple[Block, ...]:
    if evaluation.task_kind == "regression":
        return ()
    members = [
        measure for measure in evaluation.overall_measures if measure.name in MEASURE_GROUPS[group]
    ]
    return measure_tables(evaluation, group, f"{caption}{_caption_suffix(evaluation)}", members)


def _caption_suffix(evaluation: Evaluation) -> str:
    if evaluation.is_multiclass:
        return f" (all {evaluation.class_noun_plural})"
    return f" (positive class: {evaluation.spec.task.positive})"
