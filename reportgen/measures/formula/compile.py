"""Compile a formula to a polars expression or to postfix notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.measures.formula.arithmetic import Arithmetic

if TYPE_CHECKING:
    from reportgen.measures.formula.tree import Formula


def as_polars(formula: Formula) -> pl.Expr:
    """Return the expression by IEEE rules: infinite for x/0, NaN for 0/0."""
    return POLARS_ARITHMETIC.evaluate(formula)


def _polars_chi2_sf(statistic: pl.Expr) -> pl.Expr:
    def tail(values: pl.Series) -> pl.Series:
        from scipy.special import chdtrc  # half a second that most runs never need

        return pl.Series(values.name, chdtrc(1.0, values.to_numpy()), dtype=pl.Float64)

    return statistic.map_batches(tail, return_dtype=pl.Float64)


POLARS_ARITHMETIC: Arithmetic[pl.Expr] = Arithmetic(
    # Float, because products of four margins overflow 64-bit counts.
    quantity=lambda name: pl.col(name).cast(pl.Float64),
    constant=lambda value: pl.lit(float(value)),
    maximum=lambda left, right: pl.when(left >= right).then(left).otherwise(right),
    square_root=pl.Expr.sqrt,
    logarithm=pl.Expr.log,
    chi_square_survival=_polars_chi2_sf,
    absolute_value=pl.Expr.abs,
)


def as_postfix(formula: Formula) -> str:
    """Return the formula in postfix notation, tokens separated by blanks, for the page's script."""
    return POSTFIX_ARITHMETIC.evaluate(formula)


POSTFIX_ARITHMETIC: Arithmetic[str] = Arithmetic(
    quantity=str,
    constant=lambda value: repr(float(value)).removesuffix(".0"),
    add="{} {} +".format,
    subtract="{} {} -".format,
    multiply="{} {} *".format,
    divide="{} {} /".format,
    maximum="{} {} max".format,
    power="{} {} ^".format,
    square_root="{} sqrt".format,
    logarithm="{} ln".format,
    absolute_value="{} abs".format,
    chi_square_survival="{} tail".format,
)
