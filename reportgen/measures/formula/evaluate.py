"""Evaluate a formula over arrays: its value, and its gradient with respect to each quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

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
    as_quotient,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.statistics import FloatArray


def evaluate_formula(formula: Formula, quantities: Mapping[str, FloatArray]) -> FloatArray:
    """Return the value by IEEE rules: infinite for x/0, NaN for 0/0."""
    with np.errstate(all="ignore"):
        return _evaluate_node(formula, quantities)


def formula_gradient(
    formula: Formula, quantities: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """Return the partial derivative with respect to each quantity."""
    return value_and_gradient(formula, quantities)[1]


def value_and_gradient(
    formula: Formula, quantities: Mapping[str, FloatArray]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the value and the gradient, computing shared parts once."""
    with np.errstate(all="ignore"):
        return _differentiate_node(formula, quantities)


def _evaluate_node(formula: Formula, quantities: Mapping[str, FloatArray]) -> FloatArray:
    match formula:
        case Quantity(name=name):
            return np.asarray(quantities[name], dtype=np.float64)
        case Constant(value=value):
            return np.float64(value) * np.ones(())
        case NamedFormula(formula=inner):
            return _evaluate_node(inner, quantities)
        case Sum(left, right):
            return _evaluate_node(left, quantities) + _evaluate_node(right, quantities)
        case Difference(Constant(value=1), right):
            return _evaluate_complement(right, quantities)
        case Difference(left, right):
            return _evaluate_node(left, quantities) - _evaluate_node(right, quantities)
        case Product(left, right):
            return _evaluate_node(left, quantities) * _evaluate_node(right, quantities)
        case Quotient(numerator, denominator):
            return _evaluate_node(numerator, quantities) / _evaluate_node(denominator, quantities)
        case Power(base, exponent):
            return _evaluate_node(base, quantities) ** exponent
        case SquareRoot(operand):
            return np.sqrt(_evaluate_node(operand, quantities))
        case Logarithm(operand):
            return np.log(_evaluate_node(operand, quantities))
        case AbsoluteValue(operand):
            return np.abs(_evaluate_node(operand, quantities))
        case Maximum(left, right):
            return np.maximum(_evaluate_node(left, quantities), _evaluate_node(right, quantities))
        case ChiSquareSurvival(operand):
            from scipy.special import chdtrc

            return np.asarray(chdtrc(1.0, _evaluate_node(operand, quantities)), dtype=np.float64)
        case _:
            assert_never(formula)


def _evaluate_complement(formula: Formula, quantities: Mapping[str, FloatArray]) -> FloatArray:
    """Return 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = as_quotient(formula)
    if quotient is None:
        return 1.0 - _evaluate_node(formula, quantities)
    denominator = _evaluate_node(quotient.denominator, quantities)
    return (denominator - _evaluate_node(quotient.numerator, quantities)) / denominator


def _differentiate_node(
    formula: Formula, quantities: Mapping[str, FloatArray]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    match formula:
        case Quantity(name=name):
            value = _evaluate_node(formula, quantities)
            return value, {name: np.ones_like(value)}
        case Constant():
            return _evaluate_node(formula, quantities), {}
        case NamedFormula(formula=inner):
            return _differentiate_node(inner, quantities)
        case Sum(left, right):
            (a, by_a), (b, by_b) = (
                _differentiate_node(left, quantities),
                _differentiate_node(right, quantities),
            )
            return a + b, _add_gradients(by_a, by_b)
        case Difference(Constant(value=1), right):
            return _evaluate_complement(right, quantities), _scale_gradient(
                _differentiate_node(right, quantities)[1], -1.0
            )
        case Difference(left, right):
            (a, by_a), (b, by_b) = (
                _differentiate_node(left, quantities),
                _differentiate_node(right, quantities),
            )
            return a - b, _add_gradients(by_a, _scale_gradient(by_b, -1.0))
        case Product(left, right):
            (a, by_a), (b, by_b) = (
                _differentiate_node(left, quantities),
                _differentiate_node(right, quantities),
            )
            return a * b, _add_gradients(_scale_gradient(by_a, b), _scale_gradient(by_b, a))
        case Quotient(numerator, denominator):
            (a, by_a), (b, by_b) = (
                _differentiate_node(numerator, quantities),
                _differentiate_node(denominator, quantities),
            )
            return a / b, _add_gradients(
                _scale_gradient(by_a, 1 / b), _scale_gradient(by_b, -a / b**2)
            )
        case Maximum(left, right):
            (a, by_a), (b, by_b) = (
                _differentiate_node(left, quantities),
                _differentiate_node(right, quantities),
            )
            is_left = (a >= b).astype(np.float64)
            return np.maximum(a, b), _add_gradients(
                _scale_gradient(by_a, is_left), _scale_gradient(by_b, 1 - is_left)
            )
        case Power(operand) | SquareRoot(operand) | Logarithm(operand) | AbsoluteValue(operand):
            inner_value, by_inner = _differentiate_node(operand, quantities)
            value, slope = _differentiate_unary(formula, inner_value)
            return value, _scale_gradient(by_inner, slope)
        case ChiSquareSurvival(operand):
            statistic, by_statistic = _differentiate_node(operand, quantities)
            density = np.exp(-statistic / 2) / np.sqrt(2 * np.pi * statistic)
            return _evaluate_node(formula, quantities), _scale_gradient(by_statistic, -density)
        case _:
            assert_never(formula)


def _differentiate_unary(
    formula: Power | SquareRoot | Logarithm | AbsoluteValue, operand: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the value of a function of one operand, and its derivative."""
    match formula:
        case Power(exponent=exponent):
            return operand**exponent, exponent * operand ** (exponent - 1)
        case SquareRoot():
            root = np.sqrt(operand)
            return root, 0.5 / root
        case Logarithm():
            return np.log(operand), 1 / operand
        case AbsoluteValue():
            return np.abs(operand), np.sign(operand)
        case _:
            assert_never(formula)


def _scale_gradient(
    gradient: Mapping[str, FloatArray], factor: FloatArray | float
) -> dict[str, FloatArray]:
    return {name: slope * factor for name, slope in gradient.items()}


def _add_gradients(
    left: Mapping[str, FloatArray], right: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    total = dict(left)
    for name, slope in right.items():
        total[name] = total[name] + slope if name in total else slope
    return total
