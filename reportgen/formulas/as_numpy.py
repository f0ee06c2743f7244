"""A formula read over arrays of numbers: its value, and its slope in each quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

import numpy as np

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
    from collections.abc import Mapping

    import numpy.typing as npt

Numbers: TypeAlias = "npt.NDArray[np.float64]"


def as_numpy(formula: Formula, quantities: Mapping[str, Numbers]) -> Numbers:
    """Return the value by IEEE rules: infinite for x/0, NaN for 0/0."""
    with np.errstate(all="ignore"):
        return _value(formula, quantities)


def slopes(formula: Formula, quantities: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Return the partial derivative of a formula in each quantity it is made of."""
    return value_and_slopes(formula, quantities)[1]


def value_and_slopes(
    formula: Formula, quantities: Mapping[str, Numbers]
) -> tuple[Numbers, dict[str, Numbers]]:
    """Return the value and the slopes together, with every part worked out once."""
    with np.errstate(all="ignore"):
        return _sloped(formula, quantities)


def _value(formula: Formula, at: Mapping[str, Numbers]) -> Numbers:
    match formula:
        case Quantity(name=name):
            return np.asarray(at[name], dtype=np.float64)
        case Constant(value=value):
            return np.float64(value) * np.ones(())
        case Named(formula=inner):
            return _value(inner, at)
        case Sum(left, right):
            return _value(left, at) + _value(right, at)
        case Difference(Constant(value=1), right):
            return _complement(right, at)
        case Difference(left, right):
            return _value(left, at) - _value(right, at)
        case Product(left, right):
            return _value(left, at) * _value(right, at)
        case Quotient(numerator, denominator):
            return _value(numerator, at) / _value(denominator, at)
        case Power(base, exponent):
            return _value(base, at) ** exponent
        case Root(operand):
            return np.sqrt(_value(operand, at))
        case Logarithm(operand):
            return np.log(_value(operand, at))
        case Magnitude(operand):
            return np.abs(_value(operand, at))
        case Maximum(left, right):
            return np.maximum(_value(left, at), _value(right, at))
        case ChiSquareTail(operand):
            from scipy.special import chdtrc

            return np.asarray(chdtrc(1.0, _value(operand, at)), dtype=np.float64)
        case _:
            assert_never(formula)


def _complement(formula: Formula, at: Mapping[str, Numbers]) -> Numbers:
    """Return 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = quotient_in(formula)
    if quotient is None:
        return 1.0 - _value(formula, at)
    denominator = _value(quotient.denominator, at)
    return (denominator - _value(quotient.numerator, at)) / denominator


def _sloped(formula: Formula, at: Mapping[str, Numbers]) -> tuple[Numbers, dict[str, Numbers]]:
    match formula:
        case Quantity(name=name):
            value = _value(formula, at)
            return value, {name: np.ones_like(value)}
        case Constant():
            return _value(formula, at), {}
        case Named(formula=inner):
            return _sloped(inner, at)
        case Sum(left, right):
            (a, by_a), (b, by_b) = _sloped(left, at), _sloped(right, at)
            return a + b, _added(by_a, by_b)
        case Difference(Constant(value=1), right):
            return _complement(right, at), _scaled(_sloped(right, at)[1], -1.0)
        case Difference(left, right):
            (a, by_a), (b, by_b) = _sloped(left, at), _sloped(right, at)
            return a - b, _added(by_a, _scaled(by_b, -1.0))
        case Product(left, right):
            (a, by_a), (b, by_b) = _sloped(left, at), _sloped(right, at)
            return a * b, _added(_scaled(by_a, b), _scaled(by_b, a))
        case Quotient(numerator, denominator):
            (a, by_a), (b, by_b) = _sloped(numerator, at), _sloped(denominator, at)
            return a / b, _added(_scaled(by_a, 1 / b), _scaled(by_b, -a / b**2))
        case Maximum(left, right):
            (a, by_a), (b, by_b) = _sloped(left, at), _sloped(right, at)
            is_left = (a >= b).astype(np.float64)
            return np.maximum(a, b), _added(_scaled(by_a, is_left), _scaled(by_b, 1 - is_left))
        case Power(operand) | Root(operand) | Logarithm(operand) | Magnitude(operand):
            inner_value, by_inner = _sloped(operand, at)
            value, slope = _of_one(formula, inner_value)
            return value, _scaled(by_inner, slope)
        case ChiSquareTail(operand):
            statistic, by_statistic = _sloped(operand, at)
            density = np.exp(-statistic / 2) / np.sqrt(2 * np.pi * statistic)
            return _value(formula, at), _scaled(by_statistic, -density)
        case _:
            assert_never(formula)


def _of_one(
    formula: Power | Root | Logarithm | Magnitude, operand: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the value of a function of one operand, and its slope there."""
    match formula:
        case Power(exponent=exponent):
            return operand**exponent, exponent * operand ** (exponent - 1)
        case Root():
            root = np.sqrt(operand)
            return root, 0.5 / root
        case Logarithm():
            return np.log(operand), 1 / operand
        case Magnitude():
            return np.abs(operand), np.sign(operand)
        case _:
            assert_never(formula)


def _scaled(slopes_: Mapping[str, Numbers], factor: Numbers | float) -> dict[str, Numbers]:
    return {name: slope * factor for name, slope in slopes_.items()}


def _added(left: Mapping[str, Numbers], right: Mapping[str, Numbers]) -> dict[str, Numbers]:
    found = dict(left)
    for name, slope in right.items():
        found[name] = found[name] + slope if name in found else slope
    return found
