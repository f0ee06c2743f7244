"""Tables of measures by classifier: standard, diagnostic, additional, regression and averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import MEASURE_GROUPS, Measure, Orientation
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.formatting import extra_interval_decimals
from reportgen.report.inline import MeasureEstimate, MeasureName, TableCell
from reportgen.report.ranks import rank_classifiers
from reportgen.report.selection import is_full_detail, omitted_in_results_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.document import Block


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
    classifiers = evaluation.measured_classifiers
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
    return {
        name: MeasureEstimate(values[name], measure, differ and ranks.get(name) == 1, extra)
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


_MACRO = "macro"
_AVERAGE_CAPTIONS = {
    _MACRO: "Macro average: classes weighted equally",
    "micro": "Micro average: one-vs-rest counts pooled over the classes",
    "weighted": "Weighted average: classes weighted by their number of cases",
}


def build_traditional_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of the standard measures."""
    return _measure_group(evaluation, "traditional", "Standard measures")


def build_discriminant_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of Youden's J, the likelihood ratios and discriminant power."""
    return _measure_group(evaluation, "discriminant", "Diagnostic measures")


def build_additional_measures_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of all other requested measures."""
    if evaluation.task_kind == "regression":
        return ()
    grouped = {*MEASURE_GROUPS["traditional"], *MEASURE_GROUPS["discriminant"]}
    others = [measure for measure in evaluation.overall_measures if measure.name not in grouped]
    return measure_tables(evaluation, "measures", "Additional measures", others)


def build_regression_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of regression measures."""
    if evaluation.task_kind != "regression":
        return ()
    return measure_tables(evaluation, "regression", "Error measures", evaluation.overall_measures)


def build_averages_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the averages of one-vs-rest measures over the classes."""
    tables = tuple(
        table
        for average, caption in _AVERAGE_CAPTIONS.items()
        if is_full_detail(evaluation) or average == _MACRO
        for table in measure_tables(
            evaluation,
            f"average-{average}",
            caption,
            [measure for measure in evaluation.reported_measures if measure.has_class_averages],
            average=average,
        )
    )
    if not tables:
        return ()
    introduction = (
        "One-vs-rest values, averaged over the classes. Classes where a measure is undefined are"
        " left out of its average, with a footnote."
    )
    explanation = (
        ()
        if is_full_detail(evaluation)
        else (omitted_in_results_note("Micro and weighted averages"),)
    )
    return (Paragraph((introduction,)), *tables, *explanation)


def _measure_group(evaluation: Evaluation, group: str, caption: str) -> tuple[Block, ...]:
    if evaluation.task_kind == "regression":
        return ()
    members = [
        measure for measure in evaluation.overall_measures if measure.name in MEASURE_GROUPS[group]
    ]
    return measure_tables(evaluation, group, f"{caption}{_caption_suffix(evaluation)}", members)


def _caption_suffix(evaluation: Evaluation) -> str:
    if evaluation.task_kind == "multiclass":
        return " (all classes)"
    return f" (positive class: {evaluation.spec.task.positive})"
