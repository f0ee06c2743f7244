"""Evaluate a formula over arrays, with its gradient, or for fractions, which stay exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.measures.formula.arithmetic import Arithmetic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures.formula.tree import Formula
    from reportgen.statistics import FloatArray

ExactNumber: TypeAlias = Fraction | float


def evaluate_formula(formula: Formula, quantities: Mapping[str, FloatArray]) -> FloatArray:
    """Return the value by IEEE rules: infinite for x/0, NaN for 0/0."""
    with np.errstate(all="ignore"):
        return _array_arithmetic(quantities).evaluate(formula)


def evaluate_exact(formula: Formula, values: Mapping[str, ExactNumber]) -> ExactNumber:
    """Return the value of fractions by the same rules, exact where the operations allow."""
    arithmetic: Arithmetic[ExactNumber] = Arithmetic(
        quantity=values.__getitem__,
        constant=lambda value: value,
        divide=_exact_quotient,
        maximum=lambda left, right: (
            math.nan if math.isnan(left) or math.isnan(right) else max(left, right)
        ),
        square_root=lambda operand: math.sqrt(operand) if operand >= 0 else math.nan,
        logarithm=_exact_logarithm,
        chi_square_survival=_exact_chi2_sf,
    )
    return arithmetic.evaluate(formula)


def _exact_quotient(numerator: ExactNumber, denominator: ExactNumber) -> ExactNumber:
    if denominator != 0:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return math.nan
    return math.copysign(math.inf, numerator)


def _exact_logarithm(operand: ExactNumber) -> float:
    if math.isnan(operand) or operand < 0:
        return math.nan
    return math.log(operand) if operand > 0 else -math.inf


def _exact_chi2_sf(statistic: ExactNumber) -> float:
    return math.nan if math.isnan(statistic) else math.erfc(math.sqrt(statistic / 2))


def _array_arithmetic(quantities: Mapping[str, FloatArray]) -> Arithmetic[FloatArray]:
    return Arithmetic(
        quantity=lambda name: np.asarray(quantities[name], dtype=np.float64),
        constant=lambda value: np.float64(value) * np.ones(()),
        maximum=np.maximum,
        square_root=np.sqrt,
        logarithm=np.log,
        chi_square_survival=_chi2_sf,
        absolute_value=np.abs,
    )


def _chi2_sf(statistic: FloatArray) -> FloatArray:
    from scipy.special import chdtrc

    return np.asarray(chdtrc(1.0, statistic), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class DualArray:
    """Values with their partial derivatives with respect to each quantity."""

    value: FloatArray
    gradient: dict[str, FloatArray]


def formula_gradient(
    formula: Formula, quantities: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """Return the partial derivative with respect to each quantity."""
    return value_and_gradient(formula, quantities)[1]


def value_and_gradient(
    formula: Formula, quantities: Mapping[str, FloatArray]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the value and the gradient, by forward accumulation (dual numbers)."""
    with np.errstate(all="ignore"):
        dual = _dual_arithmetic(quantities).evaluate(formula)
    return dual.value, dual.gradient


def _dual_arithmetic(quantities: Mapping[str, FloatArray]) -> Arithmetic[DualArray]:
    arrays = _array_arithmetic(quantities)

    def quantity(name: str) -> DualArray:
        value = arrays.quantity(name)
        return DualArray(value, {name: np.ones_like(value)})

    return _DualArithmetic(
        quantity=quantity,
        constant=lambda value: DualArray(arrays.constant(value), {}),
        add=lambda a, b: _chain(a.value + b.value, (a, 1.0), (b, 1.0)),
        subtract=lambda a, b: _chain(a.value - b.value, (a, 1.0), (b, -1.0)),
        multiply=lambda a, b: _chain(a.value * b.value, (a, b.value), (b, a.value)),
        divide=lambda a, b: _chain(a.value / b.value, (a, 1 / b.value), (b, -a.value / b.value**2)),
        maximum=_dual_maximum,
        power=lambda a, exponent: _chain(
            a.value**exponent, (a, exponent * a.value ** (exponent - 1))
        ),
        square_root=_dual_square_root,
        logarithm=lambda a: _chain(np.log(a.value), (a, 1 / a.value)),
        absolute_value=lambda a: _chain(np.abs(a.value), (a, np.sign(a.value))),
        chi_square_survival=_dual_chi2_sf,
    )


class _DualArithmetic(Arithmetic[DualArray]):
    """The arithmetic of dual numbers; the derivative of 1 - a/b is that of -a/b."""

    def complement(self, numerator: DualArray, denominator: DualArray) -> DualArray:
        a, b = numerator.value, denominator.value
        return _chain((b - a) / b, (numerator, -1 / b), (denominator, a / b**2))


def _dual_maximum(a: DualArray, b: DualArray) -> DualArray:
    is_first = (a.value >= b.value).astype(np.float64)
    return _chain(np.maximum(a.value, b.value), (a, is_first), (b, 1 - is_first))


def _dual_square_root(a: DualArray) -> DualArray:
    root = np.sqrt(a.value)
    return _chain(root, (a, 0.5 / root))


def _dual_chi2_sf(statistic: DualArray) -> DualArray:
    value = statistic.value
    density = np.exp(-value / 2) / np.sqrt(2 * np.pi * value)
    return _chain(_chi2_sf(value), (statistic, -density))


def _chain(value: FloatArray, *terms: tuple[DualArray, FloatArray | float]) -> DualArray:
    """Return a value with its gradient by the chain rule: operands and derivatives by them."""
    gradient: dict[str, FloatArray] = {}
    for operand, derivative in terms:
        for name, slope in operand.gradient.items():
            summand = slope * derivative
            gradient[name] = gradient[name] + summand if name in gradient else summand
    return DualArray(value, gradient)
