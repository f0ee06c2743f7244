"""A formula read as steps a machine without a tree can follow: operands first, then what to do."""

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
from reportgen.formulas.walk import quotient_in

if TYPE_CHECKING:
    from collections.abc import Iterator

BINARY: dict[type[Formula], str] = {
    Sum: "+",
    Difference: "-",
    Product: "*",
    Quotient: "/",
    Maximum: "max",
}
UNARY: dict[type[Formula], str] = {
    Root: "sqrt",
    Logarithm: "ln",
    Magnitude: "abs",
    ChiSquareTail: "tail",
}


def as_steps(formula: Formula) -> str:
    """Return the steps, set apart by blanks: names, numbers and operators on what came before."""
    return " ".join(_steps(formula))


def _steps(formula: Formula) -> Iterator[str]:
    match formula:
        case Quantity(name=name):
            yield name
        case Constant(value=value):
            yield repr(float(value)).removesuffix(".0")
        case Named(formula=inner):
            yield from _steps(inner)
        case Difference(Constant(value=1), right):
            yield from _complement(right)
        case Sum(left, right) | Difference(left, right) | Product(left, right):
            yield from (*_steps(left), *_steps(right), BINARY[type(formula)])
        case Quotient(left, right) | Maximum(left, right):
            yield from (*_steps(left), *_steps(right), BINARY[type(formula)])
        case Power(base, exponent):
            yield from (*_steps(base), str(exponent), "^")
        case Root(operand) | Logarithm(operand) | Magnitude(operand) | ChiSquareTail(operand):
            yield from (*_steps(operand), UNARY[type(formula)])
        case _:
            assert_never(formula)


def _complement(formula: Formula) -> Iterator[str]:
    """Write 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = quotient_in(formula)
    if quotient is None:
        yield from ("1", *_steps(formula), "-")
    else:
        denominator = tuple(_steps(quotient.denominator))
        yield from (*denominator, *_steps(quotient.numerator), "-", *denominator, "/")
