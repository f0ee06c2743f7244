"""What a list of definitions has to explain besides the measures: auxiliary symbols and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas import Named, Quantity, names_in, quantities
from reportgen.measures import infinite_when, undefined_when
from reportgen.rendering.footnotes import DIRECTIONS
from reportgen.rendering.numbers import range_text
from reportgen.report.document import Formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.formulas import Formula
    from reportgen.measures import Measure, Reference
    from reportgen.report.document import Definition, Report


def defined_measures(report: Report) -> frozenset[str]:
    """Return the names of all measures a report defines."""
    return frozenset(
        item.measure.name
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Formulas)
        for item in block.items
    )


def formulas_of(definition: Definition) -> tuple[tuple[str, Formula], ...]:
    """Return the formulas to show, each with the words that tell it from the other."""
    measure = definition.measure
    if not definition.whole or measure.whole is None:
        return (("", measure.formula),)
    return (
        ("over all classes", measure.whole),
        ("one class against the rest", measure.formula),
    )


def auxiliary_names(definition: Definition, defined: frozenset[str]) -> tuple[Named, ...]:
    """Return the named parts of a definition's formulas that are explained nowhere else."""
    found: dict[Named, None] = {}
    pending = [formula for _, formula in formulas_of(definition)]
    while pending:
        formula = pending.pop(0)
        names = [name for name in names_in(formula) if name.name not in defined]
        pending.extend(name.formula for name in names if name not in found)
        found.update(dict.fromkeys(names))
    return tuple(found)


def quantities_of(formulas: Formulas) -> tuple[Quantity, ...]:
    """Return the counts and sums that a list of definitions speaks of, each symbol once."""
    found = {quantity.symbol: quantity for quantity in _quantities(formulas)}
    return tuple(found.values())


def references_of(formulas: Formulas) -> tuple[Reference, ...]:
    """Return the publications that a list of definitions cites, each once."""
    return tuple(dict.fromkeys(item.measure.source.reference for item in formulas.items))


def _quantities(formulas: Formulas) -> Iterator[Quantity]:
    for item in formulas.items:
        for _, formula in formulas_of(item):
            yield from quantities(formula)


def facts_of(measure: Measure) -> str:
    """Return the range of a measure, which way is better, when it has no value, and its source."""
    facts = (
        f"{range_text(measure.range)}, {DIRECTIONS[measure.orientation]}.",
        undefined_when(measure),
        infinite_when(measure),
        measure.caution,
        f"Source: {measure.source.text.removesuffix('.')}.",
    )
    return " ".join(fact for fact in facts if fact)
