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
    with np.errstate(all="ignore"):
        return _slopes(formula, quantities)


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
    inner = formula.formula if isinstance(formula, Named) else formula
    if isinstance(inner, Quotient):
        denominator = _value(inner.denominator, at)
        return (denominator - _value(inner.numerator, at)) / denominator
    return 1.0 - _value(formula, at)


def _slopes(formula: Formula, at: Mapping[str, Numbers]) -> dict[str, Numbers]:
    match formula:
        case Quantity(name=name):
            return {name: np.ones_like(_value(formula, at))}
        case Constant():
            return {}
        case Named(formula=inner):
            return _slopes(inner, at)
        case Sum(left, right):
            return _combined(_slopes(left, at), 1.0, _slopes(right, at), 1.0)
        case Difference(left, right):
            return _combined(_slopes(left, at), 1.0, _slopes(right, at), -1.0)
        case Product(left, right):
            a, b = _value(left, at), _value(right, at)
            return _combined(_slopes(left, at), b, _slopes(right, at), a)
        case Quotient(numerator, denominator):
            a, b = _value(numerator, at), _value(denominator, at)
            return _combined(_slopes(numerator, at), 1 / b, _slopes(denominator, at), -a / b**2)
        case Maximum(left, right):
            is_left = (_value(left, at) >= _value(right, at)).astype(np.float64)
            return _combined(_slopes(left, at), is_left, _slopes(right, at), 1 - is_left)
        case Power(base, exponent):
            outer = exponent * _value(base, at) ** (exponent - 1)
            return _scaled(_slopes(base, at), outer)
        case Root(operand):
            return _scaled(_slopes(operand, at), 0.5 / np.sqrt(_value(operand, at)))
        case Logarithm(operand):
            return _scaled(_slopes(operand, at), 1 / _value(operand, at))
        case Magnitude(operand):
            return _scaled(_slopes(operand, at), np.sign(_value(operand, at)))
        case ChiSquareTail(operand):
            statistic = _value(operand, at)
            density = np.exp(-statistic / 2) / np.sqrt(2 * np.pi * statistic)
            return _scaled(_slopes(operand, at), -density)
        case _:
            assert_never(formula)


def _scaled(slopes_: Mapping[str, Numbers], factor: Numbers) -> dict[str, Numbers]:
    return {name: slope * factor for name, slope in slopes_.items()}


def _combined(
    left: Mapping[str, Numbers],
    left_factor: Numbers | float,
    right: Mapping[str, Numbers],
    right_factor: Numbers | float,
) -> dict[str, Numbers]:
    found = {name: slope * left_factor for name, slope in left.items()}
    for name, slope in right.items():
        found[name] = found.get(name, 0.0) + slope * right_factor
    return found
