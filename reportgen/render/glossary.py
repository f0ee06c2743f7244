"""Definitions of measures: formulas, auxiliary symbols, counts, undefined cases and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import (
    describe_infinite,
    describe_interval_method,
    describe_undefined,
    find_auxiliary_formulas,
)
from reportgen.measures.formula import NamedFormula, Quantity, find_quantities
from reportgen.measures.formula.notation import formula_as_text
from reportgen.render.footnotes import ORIENTATION_TEXTS
from reportgen.render.number_format import format_range
from reportgen.report.document import Formulas, iter_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import LiteratureReference
    from reportgen.measures.formula import Formula
    from reportgen.report.document import Definition, ReportDocument


# Characters of a formula as plain text that fit into half the width of a PDF page.
MAX_HALF_WIDTH_FORMULA = 100


def defined_measures(report: ReportDocument) -> frozenset[str]:
    """Return the names of all measures a report defines."""
    return frozenset(
        item.measure.name
        for section in report.sections
        for block in iter_blocks(section.blocks)
        if isinstance(block, Formulas)
        for item in block.items
    )


def definition_formulas(definition: Definition) -> tuple[tuple[str, Formula], ...]:
    """Return the formulas to show, each with a label if there are several."""
    measure = definition.measure
    if not definition.overall or measure.overall_formula is None:
        return (("", measure.formula),)
    return (
        ("over all classes", measure.overall_formula),
        ("one class against the rest", measure.formula),
    )


def has_wide_formula(definition: Definition) -> bool:
    """Return whether a formula, or a part explained with it, is too wide for half a PDF page."""
    formulas = [formula for _, formula in definition_formulas(definition)]
    parts = [part.formula for part in auxiliary_definitions(definition, frozenset())]
    return any(
        len(formula_as_text(formula)) > MAX_HALF_WIDTH_FORMULA for formula in (*formulas, *parts)
    )


def auxiliary_definitions(
    definition: Definition, defined: frozenset[str]
) -> tuple[NamedFormula, ...]:
    """Return the named parts of a definition's formulas that are explained nowhere else."""
    return find_auxiliary_formulas(
        (formula for _, formula in definition_formulas(definition)), defined
    )


def describe_undefined_cases(definition: Definition) -> str:
    """Return when a measure is undefined or infinite, for each of the formulas shown."""
    measure = definition.measure
    sentences = [describe_undefined(measure), describe_infinite(measure)]
    if definition.overall and measure.overall_formula is not None:
        multiclass = describe_undefined(measure, over_all_classes=True)
        sentences = [
            f"Over all classes: {_lower_first_letter(multiclass)}",
            f"One class: {_lower_first_letter(sentences[0])}",
        ]
    return " ".join(sentence for sentence in sentences if sentence)


def used_quantities(formulas: Formulas) -> tuple[Quantity, ...]:
    """Return the counts and sums that definitions refer to, each symbol once."""
    quantities = {quantity.symbol: quantity for quantity in _iter_quantities(formulas)}
    return tuple(quantities.values())


def cited_references(formulas: Formulas) -> tuple[LiteratureReference, ...]:
    """Return the publications that definitions cite, each once."""
    return tuple(dict.fromkeys(item.measure.source.reference for item in formulas.items))


def _iter_quantities(formulas: Formulas) -> Iterator[Quantity]:
    for item in formulas.items:
        for _, formula in definition_formulas(item):
            yield from find_quantities(formula)


def measure_facts(definition: Definition, interval_method: str) -> str:
    """Return range, orientation, undefined cases, interval method and source of a measure."""
    measure = definition.measure
    facts = (
        f"{format_range(measure.range)}, {ORIENTATION_TEXTS[measure.orientation]}.",
        describe_undefined_cases(definition),
        measure.caution,
        describe_interval_method(measure, interval_method),
        f"Source: {measure.source.citation.removesuffix('.')}.",
    )
    return " ".join(fact for fact in facts if fact)


def _lower_first_letter(sentence: str | None) -> str:
    return sentence[0].lower() + sentence[1:] if sentence else ""
