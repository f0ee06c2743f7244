"""What every way of writing a formula shares: which operand binds how tightly, and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas.tree import (
    Difference,
    Formula,
    Product,
    Quotient,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Callable

LOOSE, TIGHT, ATOM = 1, 2, 3


def binding(formula: Formula, *, fraction: int) -> int:
    """Return how tightly a node holds together; a fraction bar may bind like an atom."""
    match formula:
        case Sum() | Difference():
            return LOOSE
        case Product():
            return TIGHT
        case Quotient():
            return fraction
        case _:
            return ATOM


def plain_number(value: float) -> str:
    """Write a constant without a needless decimal point."""
    return f"{value:g}"


def enclosed(
    formula: Formula, least: int, write: Callable[[Formula], str], brackets: str, fraction: int
) -> str:
    """Write a node, in brackets when it binds less tightly than its place needs."""
    written = write(formula)
    opening, closing = brackets.split("|")
    return (
        f"{opening}{written}{closing}" if binding(formula, fraction=fraction) < least else written
    )
