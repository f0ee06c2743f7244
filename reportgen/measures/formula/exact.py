"""Evaluate a formula for one set of numbers; fractions stay exact where the operations allow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, assert_never

from reportgen.measures.formula.tree import (
    AbsoluteValue,
    ChiSquareSurvival,
    Constant,
    Difference,
    Formula,
    Logarithm,
    Maximum,
    NamedFormula,
    Power,
    Product,
    Quantity,
    Quotient,
    SquareRoot,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


ExactNumber: TypeAlias = Fraction | float


def evaluate_exact(formula: Formula, values: Mapping[str, ExactNumber]) -> ExactNumber:
    """Return the value by IEEE rules: infinite for x/0, NaN for 0/0."""
    match formula:
        case Quantity(name=name):
            return values[name]
        case Constant(value=value):
            return value
        case NamedFormula(formula=inner):
            return evaluate_exact(inner, values)
        case Sum(left, right):
            return evaluate_exact(left, values) + evaluate_exact(right, values)
        case Difference(left, right):
            return evaluate_exact(left, values) - evaluate_exact(right, values)
        case Product(left, right):
            return evaluate_exact(left, values) * evaluate_exact(right, values)
        case Maximum(left, right):
            return _exact_maximum(evaluate_exact(left, values), evaluate_exact(right, values))
        case Quotient(numerator, denominator):
            return _exact_quotient(
                evaluate_exact(numerator, values), evaluate_exact(denominator, values)
            )
        case Power(base, exponent):
            return evaluate_exact(base, values) ** exponent
        case AbsoluteValue(operand):
            return _exact_absolute_value(evaluate_exact(operand, values))
        case SquareRoot(operand):
            return _square_root_or_nan(evaluate_exact(operand, values))
        case Logarithm(operand):
            return _logarithm_or_nan(evaluate_exact(operand, values))
        case ChiSquareSurvival(operand):
            statistic = float(evaluate_exact(operand, values))
            return math.nan if math.isnan(statistic) else math.erfc(math.sqrt(statistic / 2))
        case _:
            assert_never(formula)


def _exact_absolute_value(operand: ExactNumber) -> ExactNumber:
    return -operand if operand < 0 else operand


def _exact_quotient(numerator: ExactNumber, denominator: ExactNumber) -> ExactNumber:
    if denominator != 0:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return math.nan
    return math.copysign(math.inf, numerator)


def _exact_maximum(left: ExactNumber, right: ExactNumber) -> ExactNumber:
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


def _square_root_or_nan(operand: ExactNumber) -> float:
    return math.sqrt(operand) if operand >= 0 else math.nan


def _logarithm_or_nan(operand: ExactNumber) -> float:
    if math.isnan(operand) or operand < 0:
        return math.nan
    return math.log(operand) if operand > 0 else -math.inf
