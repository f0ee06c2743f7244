"""A formula read as a polars expression over the columns of a tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import polars as pl

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
    from collections.abc import Callable


def as_polars(formula: Formula) -> pl.Expr:
    """Return the expression: infinite where something is divided by 0, NaN where 0 is."""
    match formula:
        case Quantity(name=name):
            # Float, because products of four margins overflow 64-bit counts.
            return pl.col(name).cast(pl.Float64)
        case Constant(value=value):
            return pl.lit(float(value))
        case Named(formula=inner):
            return as_polars(inner)
        case Difference(Constant(value=1), right):
            return _complement(right)
        case Sum() | Difference() | Product() | Maximum():
            return _binary(formula)
        case Quotient(numerator, denominator):
            return as_polars(numerator) / as_polars(denominator)
        case Power(base, exponent):
            return as_polars(base).pow(exponent)
        case Root(operand) | Logarithm(operand) | Magnitude(operand) | ChiSquareTail(operand):
            return FUNCTIONS[type(formula)](as_polars(operand))
        case _:
            assert_never(formula)


def _binary(formula: Sum | Difference | Product | Maximum) -> pl.Expr:
    left, right = as_polars(formula.left), as_polars(formula.right)
    match formula:
        case Sum():
            return left + right
        case Difference():
            return left - right
        case Product():
            return left * right
        case Maximum():
            return pl.when(left >= right).then(left).otherwise(right)


def _complement(formula: Formula) -> pl.Expr:
    """Return 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = quotient_in(formula)
    if quotient is None:
        return 1.0 - as_polars(formula)
    denominator = as_polars(quotient.denominator)
    return (denominator - as_polars(quotient.numerator)) / denominator


def _upper_tail(statistic: pl.Expr) -> pl.Expr:
    def tail(values: pl.Series) -> pl.Series:
        from scipy.special import chdtrc  # half a second that most runs never need

        return pl.Series(values.name, chdtrc(1.0, values.to_numpy()), dtype=pl.Float64)

    return statistic.map_batches(tail, return_dtype=pl.Float64)


FUNCTIONS: dict[type[Formula], Callable[[pl.Expr], pl.Expr]] = {
    Root: pl.Expr.sqrt,
    Logarithm: pl.Expr.log,
    Magnitude: pl.Expr.abs,
    ChiSquareTail: _upper_tail,
}
