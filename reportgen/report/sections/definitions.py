"""Definitions of the measures that the report uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.thresholds import THRESHOLD_MEASURES
from reportgen.measures import (
    CAPABILITIES,
    CHANGE_DESCRIPTIONS,
    MatrixChange,
    Measure,
    find_invariances,
    find_measure,
    is_function_of_counts,
)
from reportgen.measures.references import SOKOLOVA_2009
from reportgen.report.document import Column, Definition, Formulas, Paragraph, RowGroup, Table
from reportgen.report.inline import MeasureName
from reportgen.report.selection import is_full_detail, omitted_in_full_note, requested_sections

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block

_OMITTED_DETAILS = "Conditions for undefined values, and sources"
_COMPARING_SECTIONS = {"capabilities", "comparisons", "likelihood_relations"}


def build_definitions_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the definitions of all measures used."""
    measures = used_measures(evaluation)
    if not measures:
        return ()
    multiclass = evaluation.task_kind == "multiclass"
    # The formula over all classes is shown only if it differs.
    items = tuple(
        Definition(
            measure, overall=multiclass and measure.overall_formula not in (None, measure.formula)
        )
        for measure in measures
    )
    brief = not is_full_detail(evaluation)
    return (
        Formulas(items, evaluation.spec.intervals.method, brief=brief),
        *(() if brief else _invariance_table(measures)),
        *((omitted_in_full_note(_OMITTED_DETAILS),) if brief else ()),
    )


def _invariance_table(measures: tuple[Measure, ...]) -> tuple[Table, ...]:
    """Return which changes of the confusion matrix leave each measure of counts as it is."""
    rows = tuple(
        (
            MeasureName(measure),
            *("✓" if change in find_invariances(measure) else "" for change in MatrixChange),
        )
        for measure in measures
        if is_function_of_counts(measure)
    )
    if not rows:
        return ()
    changes = "; ".join(f"{change.value}: {words}" for change, words in CHANGE_DESCRIPTIONS.items())
    meaning = "✓: the change leaves the value as it is, so the measure cannot detect it"
    note = Paragraph((f"{meaning}. {changes}. {SOKOLOVA_2009.short_citation}.",))
    columns = (Column("Measure"), *(Column(change.value) for change in MatrixChange))
    caption = "Invariance under changes of the confusion matrix"
    return (Table("invariance", caption, columns, (RowGroup(rows),), note),)


def used_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the measures shown, those of capability tables and gates, and those published."""
    names = (
        [measure.name for measure in evaluation.reported_measures]
        if evaluation.measured_classifiers
        else []
    )
    names += [summary.measure for summary in evaluation.fold_summaries]
    requested = set(requested_sections(evaluation))
    if evaluation.capabilities and (not requested or requested & _COMPARING_SECTIONS):
        names += [name for capability in CAPABILITIES.values() for name in capability.measures]
    names += [check.measure for check in evaluation.published]
    names += [gate.measure for gate in evaluation.gates]
    names += [comparison.measure.name for comparison in evaluation.datasets]
    if evaluation.thresholds:
        names += THRESHOLD_MEASURES
    measures = (find_measure(name) for name in names)
    return tuple(dict.fromkeys(measure for measure in measures if measure is not None))
