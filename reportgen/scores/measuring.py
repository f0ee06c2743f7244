"""Formulas applied to a tally: one row per key and measure, with the reason where not finite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.formulas.as_polars import as_polars
from reportgen.formulas.reasons import infinite_causes, undefined_causes
from reportgen.measures import Measure, cause_in_words
from reportgen.scores.score import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.formulas import Formula


def measured(
    tally: pl.DataFrame, keys: Sequence[str], formulas: Mapping[Measure, Formula]
) -> pl.DataFrame:
    """Return keys, measure, raw (IEEE), value, state and reason for every row and formula."""
    values = tally.select(
        *keys,
        *(_raw(measure, formula).alias(measure.name) for measure, formula in formulas.items()),
    ).unpivot(index=list(keys), variable_name="measure", value_name="raw")
    return with_states(_with_reasons(values, tally, keys, formulas))


def with_states(scores: pl.DataFrame) -> pl.DataFrame:
    """Turn raw IEEE numbers into a value, or none, and the state that says which."""
    raw = pl.col("raw")
    return scores.with_columns(
        value=pl.when(raw.is_finite()).then(raw),
        state=pl.when(raw.is_nan())
        .then(pl.lit(State.UNDEFINED.value))
        .when(raw.is_infinite())
        .then(pl.lit(State.INFINITE.value))
        .otherwise(pl.lit(State.DEFINED.value)),
    )


def _raw(measure: Measure, formula: Formula) -> pl.Expr:
    """Return the value, NaN where something required is 0."""
    value = as_polars(formula)
    missing = [as_polars(part) == 0 for part in measure.requires]
    if missing:
        value = pl.when(pl.any_horizontal(missing)).then(float("nan")).otherwise(value)
    # Rounding may carry a perfect MCC to 1.0000000000000002.
    low, high = measure.range.low, measure.range.high
    return value.clip(low, high) if (low, high) != (None, None) else value


def _with_reasons(
    values: pl.DataFrame,
    tally: pl.DataFrame,
    keys: Sequence[str],
    formulas: Mapping[Measure, Formula],
) -> pl.DataFrame:
    """Join the reasons; they are worked out only for measures that are somewhere not finite."""
    odd = set(values.filter(~pl.col("raw").is_finite()).get_column("measure").unique())
    reasons = [
        tally.select(*keys, measure=pl.lit(measure.name), reason=_reason(measure, formula))
        for measure, formula in formulas.items()
        if measure.name in odd
    ]
    if not reasons:
        return values.with_columns(reason=pl.lit(None, pl.String))
    on = [*keys, "measure"]
    return values.join(
        pl.concat(reasons), on=on, how="left", nulls_equal=True, maintain_order="left"
    )


def _reason(measure: Measure, formula: Formula) -> pl.Expr:
    undefined: list[pl.Expr] = [
        pl.when(as_polars(cause.node).is_nan()).then(pl.lit(cause_in_words(cause)))
        for cause in undefined_causes(formula, measure.requires)
    ]
    infinite: list[pl.Expr] = [
        pl.when(as_polars(cause.node).is_infinite()).then(pl.lit(cause_in_words(cause)))
        for cause in infinite_causes(formula, measure.requires)
    ]
    sign = pl.when(as_polars(formula) > 0).then(pl.lit("+∞: ")).otherwise(pl.lit("−∞: "))
    is_infinite = as_polars(formula).is_infinite()
    because = pl.when(is_infinite).then(pl.concat_str(sign, pl.coalesce(infinite or [pl.lit("")])))
    return pl.coalesce([*undefined, because])
