"""Definitions of the measures that the report uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.thresholds import THRESHOLD_MEASURES
from reportgen.measures import CAPABILITIES, Measure, find_measure
from reportgen.report.document import Definition, Formulas
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
        *((omitted_in_full_note(_OMITTED_DETAILS),) if brief else ()),
    )


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
