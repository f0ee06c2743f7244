"""Compile a formula to a polars expression or to postfix notation."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import polars as pl

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
    from collections.abc import Callable, Iterator


def as_polars(formula: Formula) -> pl.Expr:
    """Return the expression by IEEE rules: infinite for x/0, NaN for 0/0."""
    match formula:
        case Quantity(name=name):
            # Float, because products of four margins overflow 64-bit counts.
            return pl.col(name).cast(pl.Float64)
        case Constant(value=value):
            return pl.lit(float(value))
        case NamedFormula(formula=inner):
            return as_polars(inner)
        case Difference(Constant(value=1), right):
            return _polars_complement(right)
        case Sum() | Difference() | Product() | Maximum():
            return _polars_binary(formula)
        case Quotient(numerator, denominator):
            return as_polars(numerator) / as_polars(denominator)
        case Power(base, exponent):
            return as_polars(base).pow(exponent)
        case (
            SquareRoot(operand)
            | Logarithm(operand)
            | AbsoluteValue(operand)
            | ChiSquareSurvival(operand)
        ):
            return POLARS_FUNCTIONS[type(formula)](as_polars(operand))
        case _:
            assert_never(formula)


def _polars_binary(formula: Sum | Difference | Product | Maximum) -> pl.Expr:
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


def _polars_complement(formula: Formula) -> pl.Expr:
    """Return 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = as_quotient(formula)
    if quotient is None:
        return 1.0 - as_polars(formula)
    denominator = as_polars(quotient.denominator)
    return (denominator - as_polars(quotient.numerator)) / denominator


def _polars_chi2_sf(statistic: pl.Expr) -> pl.Expr:
    def tail(values: pl.Series) -> pl.Series:
        from scipy.special import chdtrc  # half a second that most runs never need

        return pl.Series(values.name, chdtrc(1.0, values.to_numpy()), dtype=pl.Float64)

    return statistic.map_batches(tail, return_dtype=pl.Float64)


POLARS_FUNCTIONS: dict[type[Formula], Callable[[pl.Expr], pl.Expr]] = {
    SquareRoot: pl.Expr.sqrt,
    Logarithm: pl.Expr.log,
    AbsoluteValue: pl.Expr.abs,
    ChiSquareSurvival: _polars_chi2_sf,
}


BINARY_OPERATORS: dict[type[Formula], str] = {
    Sum: "+",
    Difference: "-",
    Product: "*",
    Quotient: "/",
    Maximum: "max",
}
UNARY_OPERATORS: dict[type[Formula], str] = {
    SquareRoot: "sqrt",
    Logarithm: "ln",
    AbsoluteValue: "abs",
    ChiSquareSurvival: "tail",
}


def as_postfix(formula: Formula) -> str:
    """Return the formula in postfix notation, tokens separated by blanks, for the page's script."""
    return " ".join(_postfix_tokens(formula))


def _postfix_tokens(formula: Formula) -> Iterator[str]:
    match formula:
        case Quantity(name=name):
            yield name
        case Constant(value=value):
            yield repr(float(value)).removesuffix(".0")
        case NamedFormula(formula=inner):
            yield from _postfix_tokens(inner)
        case Difference(Constant(value=1), right):
            yield from _postfix_complement(right)
        case Sum(left, right) | Difference(left, right) | Product(left, right):
            yield from (
                *_postfix_tokens(left),
                *_postfix_tokens(right),
                BINARY_OPERATORS[type(formula)],
            )
        case Quotient(left, right) | Maximum(left, right):
            yield from (
                *_postfix_tokens(left),
                *_postfix_tokens(right),
                BINARY_OPERATORS[type(formula)],
            )
        case Power(base, exponent):
            yield from (*_postfix_tokens(base), str(exponent), "^")
        case (
            SquareRoot(operand)
            | Logarithm(operand)
            | AbsoluteValue(operand)
            | ChiSquareSurvival(operand)
        ):
            yield from (*_postfix_tokens(operand), UNARY_OPERATORS[type(formula)])
        case _:
            assert_never(formula)


def _postfix_complement(formula: Formula) -> Iterator[str]:
    """Write 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
    quotient = as_quotient(formula)
    if quotient is None:
        yield from ("1", *_postfix_tokens(formula), "-")
    else:
        denominator = tuple(_postfix_tokens(quotient.denominator))
        yield from (*denominator, *_postfix_tokens(quotient.numerator), "-", *denominator, "/")
