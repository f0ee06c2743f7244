"""What a list of definitions has to explain besides the measures: auxiliary symbols and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas import Named, Quantity, quantities
from reportgen.measures import (
    auxiliary_names,
    infinite_when,
    interval_in_words,
    undefined_when,
)
from reportgen.rendering.footnotes import DIRECTIONS
from reportgen.rendering.numbers import range_text
from reportgen.report.document import Formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.formulas import Formula
    from reportgen.measures import Reference
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


def auxiliaries_of(definition: Definition, defined: frozenset[str]) -> tuple[Named, ...]:
    """Return the named parts of a definition's formulas that are explained nowhere else."""
    return auxiliary_names((formula for _, formula in formulas_of(definition)), defined)


def without_value(definition: Definition) -> str:
    """Say when a measure has no finite value, for each of the formulas that are shown."""
    measure = definition.measure
    sentences = [undefined_when(measure), infinite_when(measure)]
    if definition.whole and measure.whole is not None:
        over_all = undefined_when(measure, whole=True)
        sentences = [
            f"Over all classes: {_lowered(over_all)}",
            f"One class: {_lowered(sentences[0])}",
        ]
    return " ".join(sentence for sentence in sentences if sentence)


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


def facts_of(definition: Definition, interval_method: str) -> str:
    """Return range, direction, when there is no value, the method of the interval, the source."""
    measure = definition.measure
    facts = (
        f"{range_text(measure.range)}, {DIRECTIONS[measure.orientation]}.",
        without_value(definition),
        measure.caution,
        interval_in_words(measure, interval_method),
        f"Source: {measure.source.text.removesuffix('.')}.",
    )
    return " ".join(fact for fact in facts if fact)


def _lowered(sentence: str | None) -> str:
    return sentence[0].lower() + sentence[1:] if sentence else ""
