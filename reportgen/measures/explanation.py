"""When a measure has no value or an infinite one, in words: derived from its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas import Constant, Formula, Product, Quantity, Sum, quantities
from reportgen.formulas.reasons import Cause, infinite_causes, undefined_causes
from reportgen.tallies import EMPTY_MARGINS

if TYPE_CHECKING:
    from reportgen.measures.measure import Measure


def cause_in_words(cause: Cause) -> str:
    """Say why: in words where a margin is empty, and as the equation in any case."""
    words = _empty_margin(cause.vanishing)
    return f"{words} ({cause.text})" if words else cause.text


def undefined_when(measure: Measure) -> str:
    """Return the sentence that says when a measure is undefined."""
    found = undefined_causes(measure.formula, measure.requires)
    causes = list(dict.fromkeys(map(cause_in_words, found)))
    return f"Undefined when {', or '.join(causes)}." if causes else "Always defined."


def infinite_when(measure: Measure) -> str | None:
    """Return the sentence that says when a measure is infinite, if it can be."""
    found = infinite_causes(measure.formula, measure.requires)
    causes = list(dict.fromkeys(map(cause_in_words, found)))
    return f"Infinite when {' or '.join(causes)}." if causes else None


def _empty_margin(formula: Formula | None) -> str | None:
    if formula is None:
        return None
    if isinstance(formula, Product) and _is_product_of_margins(formula):
        return "a row or column of the table is empty"
    return EMPTY_MARGINS.get(frozenset(quantities(formula))) if _is_sum(formula) else None


def _is_sum(formula: Formula) -> bool:
    match formula:
        case Quantity() | Product(Constant(), Quantity()):
            return True
        case Sum(left, right):
            return _is_sum(left) and _is_sum(right)
        case _:
            return False


def _is_product_of_margins(formula: Formula) -> bool:
    match formula:
        case Product(left, right):
            return _is_product_of_margins(left) and _is_product_of_margins(right)
        case Sum():
            return _is_sum(formula)
        case _:
            return False
