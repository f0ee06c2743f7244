"""A formula read for one set of numbers; fractions stay exact as long as the operations allow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, assert_never

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
    from collections.abc import Mapping

Number: TypeAlias = Fraction | float


def as_number(formula: Formula, values: Mapping[str, Number]) -> Number:
    """Return the value by IEEE rules: infinite for x/0, NaN for 0/0."""
    match formula:
        case Quantity(name=name):
            return values[name]
        case Constant(value=value):
            return value
        case Named(formula=inner):
            return as_number(inner, values)
        case Sum(left, right):
            return as_number(left, values) + as_number(right, values)
        case Difference(left, right):
            return as_number(left, values) - as_number(right, values)
        case Product(left, right):
            return as_number(left, values) * as_number(right, values)
        case Maximum(left, right):
            return _maximum(as_number(left, values), as_number(right, values))
        case Quotient(numerator, denominator):
            return _divide(as_number(numerator, values), as_number(denominator, values))
        case Power(base, exponent):
            return as_number(base, values) ** exponent
        case Magnitude(operand):
            return _magnitude(as_number(operand, values))
        case Root(operand):
            return _root(as_number(operand, values))
        case Logarithm(operand):
            return _logarithm(as_number(operand, values))
        case ChiSquareTail(operand):
            statistic = float(as_number(operand, values))
            return math.nan if math.isnan(statistic) else math.erfc(math.sqrt(statistic / 2))
        case _:
            assert_never(formula)


def _magnitude(operand: Number) -> Number:
    return -operand if operand < 0 else operand


def _divide(numerator: Number, denominator: Number) -> Number:
    if denominator != 0:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return math.nan
    return math.copysign(math.inf, numerator)


def _maximum(left: Number, right: Number) -> Number:
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


def _root(operand: Number) -> float:
    return math.sqrt(operand) if operand >= 0 else math.nan


def _logarithm(operand: Number) -> float:
    if math.isnan(operand) or operand < 0:
        return math.nan
    return math.log(operand) if operand > 0 else -math.inf
