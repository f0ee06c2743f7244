"""Definitions of the measures that the report uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.thresholds import THRESHOLD_MEASURES
from reportgen.measures import (
    CAPABILITIES,
    CHANGE_DESCRIPTIONS,
    MatrixChange,
    Measure,
    MeasureFamily,
    find_invariances,
    find_measure,
    is_function_of_counts,
)
from reportgen.measures.references import SOKOLOVA_2009
from reportgen.report.document import (
    Column,
    Definition,
    Details,
    Formulas,
    Paragraph,
    RowGroup,
    Table,
)
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.inline import InlineCode, MeasureName
from reportgen.report.phrases import measure_phrase
from reportgen.report.selection import FULL_DETAIL, is_full_detail, requested_sections
from reportgen.spec.decision import declared_decision

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block

_COMPARING_SECTIONS = {"capabilities", "comparisons", "likelihood_relations"}
# Measures of the first page, if they were computed, in addition to those of the capabilities.
_HEADLINE_MEASURES = ("accuracy", "sensitivity", "specificity", "roc_auc")
_MAX_NAMED_DEFINITIONS = 6


def build_definitions_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the definitions of the measures of the first page, and folded those of the others."""
    measures = used_measures(evaluation)
    if not measures:
        return ()
    interval_method = evaluation.spec.intervals.method
    if is_full_detail(evaluation):
        every = _definitions(evaluation, measures)
        return (Formulas(every, interval_method), *_invariance_table(measures))
    front = front_page_measures(evaluation)
    others = tuple(measure for measure in measures if measure not in front)
    visible = Formulas(_definitions(evaluation, front), interval_method, brief=True)
    if not others:
        return (visible,)
    other_formulas = Formulas(_definitions(evaluation, others), interval_method, brief=True)
    return (
        visible,
        Details(_other_definitions_sentence(others), (other_formulas,)),
        Paragraph(
            (
                "All others, conditions for undefined values, and sources: ",
                InlineCode("reportgen explain MEASURE"),
                " or ",
                InlineCode(FULL_DETAIL),
                ".",
            )
        ),
    )


def _definitions(evaluation: Evaluation, measures: tuple[Measure, ...]) -> tuple[Definition, ...]:
    """Return the definitions; the formula over all classes only where it differs."""
    return tuple(
        Definition(
            measure,
            overall=evaluation.is_multiclass
            and measure.has_overall_value(evaluation.task_kind)
            and measure.overall_formula not in (None, measure.formula),
        )
        for measure in measures
    )


def _other_definitions_sentence(others: tuple[Measure, ...]) -> Paragraph:
    names = ", ".join(measure_phrase(measure) for measure in others[:_MAX_NAMED_DEFINITIONS])
    more = len(others) - _MAX_NAMED_DEFINITIONS
    suffix = f" and {more} more" if more > 0 else ""
    return Paragraph((f"Definitions of {names}{suffix}",))


# Of one kind of task only, which is then about them.
_TASK_FAMILIES = frozenset({MeasureFamily.ORDINAL, MeasureFamily.MULTILABEL})


def front_page_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the measures that the first page is about, of those used.

    They are the primary measure, those of gates, of the capabilities and of comparisons across
    data sets, and the most common ones; in a regression all measures.
    """
    measures = used_measures(evaluation)
    primary = primary_measure(evaluation)
    names = {
        *_HEADLINE_MEASURES,
        *(name for capability in CAPABILITIES.values() for name in capability.measures),
        *(gate.measure for gate in evaluation.gates),
        *(comparison.measure.name for comparison in evaluation.datasets),
        *((primary.name,) if primary else ()),
        *(measure.name for measure in measures if measure.family in _TASK_FAMILIES),
    }
    return tuple(measure for measure in measures if measure.name in names) or measures


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
    if declared_decision(evaluation.spec).cost is not None:
        names.append("expected_cost")
    measures = (find_measure(name) for name in names)
    return tuple(dict.fromkeys(measure for measure in measures if measure is not None))
