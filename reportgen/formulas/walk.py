"""Ways through a formula's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formulas.tree import (
    ChiSquareTail,
    Constant,
    Difference,
    Formula,
    Logarithm,
    Magnitude,
    Maximum,
    Named,
    Power,
    Product,
    Quantity,
    Quotient,
    Root,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def operands(formula: Formula) -> tuple[Formula, ...]:
    """Return the nodes directly below a node."""
    match formula:
        case Quantity() | Constant():
            return ()
        case Named(formula=inner):
            return (inner,)
        case Sum(left, right) | Difference(left, right) | Product(left, right):
            return (left, right)
        case Maximum(left, right):
            return (left, right)
        case Quotient(numerator, denominator):
            return (numerator, denominator)
        case Power(base=inner):
            return (inner,)
        case Root(inner) | Logarithm(inner) | Magnitude(inner) | ChiSquareTail(inner):
            return (inner,)
        case _:
            assert_never(formula)


def quotient_in(formula: Formula) -> Quotient | None:
    """Return the quotient that a formula is, by itself or under a name."""
    inner = formula.formula if isinstance(formula, Named) else formula
    return inner if isinstance(inner, Quotient) else None


def bottom_up(formula: Formula) -> Iterator[Formula]:
    """Visit every node, operands before what is made of them."""
    for operand in operands(formula):
        yield from bottom_up(operand)
    yield formula


def quantities(formula: Formula) -> tuple[Quantity, ...]:
    """Return the columns a formula reads, in order of appearance."""
    found = (node for node in bottom_up(formula) if isinstance(node, Quantity))
    return tuple(dict.fromkeys(found))


def names_in(formula: Formula) -> tuple[Named, ...]:
    """Return the named formulas a formula mentions itself, not those within them."""
    found: dict[Named, None] = {}
    pending = list(operands(formula))
    while pending:
        node = pending.pop(0)
        if isinstance(node, Named):
            found[node] = None
        else:
            pending[:0] = operands(node)
    return tuple(found)
