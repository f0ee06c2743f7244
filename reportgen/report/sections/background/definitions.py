"""What the measures of this report mean: exactly those that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.thresholds.choosing import SHOWN
from reportgen.measures import CAPABILITIES, Measure, find_measure
from reportgen.report.detail import in_full, named_sections, rest_in_full
from reportgen.report.document import Definition, Formulas

if TYPE_CHECKING:
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

REST = "When a measure is undefined, and where its definition comes from,"
JUDGING = {"capabilities", "comparisons", "likelihood_relations"}


def definitions(evaluation: Evaluation) -> tuple[Block, ...]:
    """Define every measure that was used."""
    measures = used_measures(evaluation)
    if not measures:
        return ()
    multiclass = evaluation.kind == "multiclass"
    # Where both formulas are the same, there is nothing to tell apart.
    items = tuple(
        Definition(measure, whole=multiclass and measure.whole not in (None, measure.formula))
        for measure in measures
    )
    brief = not in_full(evaluation)
    return (
        Formulas(items, evaluation.spec.intervals.method, brief=brief),
        *((rest_in_full(REST),) if brief else ()),
    )


def used_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the measures shown, those of capability tables and gates, and those published."""
    names = [measure.name for measure in evaluation.shown] if evaluation.measured else []
    names += [summary.measure for summary in evaluation.folds]
    asked = set(named_sections(evaluation))
    if evaluation.capabilities and (not asked or asked & JUDGING):
        names += [name for found in CAPABILITIES.values() for name in found.measures]
    names += [check.measure for check in evaluation.published]
    names += [gate.measure for gate in evaluation.gates]
    names += [compared.measure.name for compared in evaluation.datasets]
    if evaluation.thresholds:
        names += SHOWN
    found = (find_measure(name) for name in names)
    return tuple(dict.fromkeys(measure for measure in found if measure is not None))
