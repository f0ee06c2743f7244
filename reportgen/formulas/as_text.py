"""A formula read as one line of plain text."""

from __future__ import annotations

from typing import assert_never

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
from reportgen.formulas.written import ATOM, TIGHT, enclosed, plain_number


def as_text(formula: Formula) -> str:
    """Return the equation's right-hand side in one line."""
    match formula:
        case Quantity(symbol=symbol) | Named(symbol=symbol):
            return symbol.text
        case Constant(value=value, symbol=symbol):
            return symbol.text if symbol else plain_number(value)
        case Sum(left, right):
            return f"{as_text(left)} + {as_text(right)}"
        case Difference(left, right):
            return f"{as_text(left)} − {_within(right, TIGHT)}"
        case Product(left, right):
            return f"{_within(left, TIGHT)} · {_within(right, TIGHT)}"
        case Quotient(numerator, denominator):
            return f"{_within(numerator, TIGHT)} / {_within(denominator, ATOM)}"
        case Power(base, exponent):
            return f"{_within(base, ATOM)}{_raised(exponent)}"
        case Root(operand):
            return f"√{_within(operand, ATOM)}"
        case Logarithm(operand):
            return f"ln({as_text(operand)})"
        case Magnitude(operand):
            return f"|{as_text(operand)}|"
        case Maximum(left, right):
            return f"max({as_text(left)}, {as_text(right)})"
        case ChiSquareTail(operand):
            return f"P(χ²₁ ≥ {as_text(operand)})"
        case _:
            assert_never(formula)


def is_zero_text(formula: Formula) -> str:
    """Say in text that a formula is 0, as simply as its form allows."""
    match formula:
        case Difference(Constant() as constant, right):
            return f"{as_text(right)} = {as_text(constant)}"
        case Difference(left, right):
            return f"{as_text(left)} = {as_text(right)}"
        case Quotient(numerator, _):
            return is_zero_text(numerator)
        case Root(operand) | Power(base=operand):
            return is_zero_text(operand)
        case _:
            return f"{as_text(formula)} = 0"


def _within(formula: Formula, least: int) -> str:
    return enclosed(formula, least, as_text, "(|)", fraction=TIGHT)


def _raised(exponent: int) -> str:
    return {2: "²", 3: "³"}.get(exponent, f"^{exponent}")
