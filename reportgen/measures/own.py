"""Measures that a spec defines itself by a formula of the four counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.measures.formula import Formula, NamedFormula, Symbol
from reportgen.measures.formula.arithmetic import Arithmetic
from reportgen.measures.formula.parser import FUNCTION_NAMES, parse_formula
from reportgen.measures.formula.quantities import FN, FP, TN, TP
from reportgen.measures.invariance import is_function_of_counts
from reportgen.measures.measure import (
    DeltaMethod,
    LinkFunction,
    Measure,
    MeasureFamily,
    Orientation,
    ValueRange,
)
from reportgen.measures.references import OWN_DEFINITION, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL_CASES = NamedFormula("n", Symbol("n"), TP + FN + FP + TN)
COUNT_FORMULAS: dict[str, Formula] = {"tp": TP, "fn": FN, "fp": FP, "tn": TN, "n": ALL_CASES}
# Names that a formula gives another meaning.
RESERVED_NAMES = frozenset({*COUNT_FORMULAS, *FUNCTION_NAMES})


def formula_names(measures: Mapping[str, Measure]) -> dict[str, Formula]:
    """Return what names in a formula stand for: the counts, and measures of the counts."""
    of_counts = {
        name: measure.as_formula()
        for name, measure in measures.items()
        if is_function_of_counts(measure) and measure.threshold is None
    }
    return of_counts | COUNT_FORMULAS


def define_measure(  # noqa: PLR0913  # what a spec says of it
    name: str,
    formula_text: str,
    measures: Mapping[str, Measure],
    *,
    title: str | None = None,
    orientation: Orientation = Orientation.NEITHER,
    description: str | None = None,
    range_: ValueRange | None = None,
) -> Measure:
    """Return the measure of a formula.

    Args:
        name: Its name.
        formula_text: Its formula.
        measures: The measures that the formula may refer to, by all their names.
        title: Its title; by default its name.
        orientation: Whether higher or lower values are better.
        description: What it answers; by default its formula.
        range_: The range of its values; by default what the formula shows of it.

    Raises:
        FormulaError: The formula cannot be parsed.
    """
    formula = parse_formula(formula_text, formula_names(measures))
    words = name.replace("_", " ")
    return Measure(
        name=name,
        title=title or words.capitalize(),
        symbol=Symbol(words),
        formula=formula,
        orientation=orientation,
        range=range_ or derive_range(formula),
        question=description or f"Defined in this spec as {formula_text}",
        source=Source(OWN_DEFINITION),
        family=MeasureFamily.OVERALL,
        interval=DeltaMethod(LinkFunction.IDENTITY),
    )


def derive_range(formula: Formula) -> ValueRange:
    """Return bounds of a formula's values for any counts, by interval arithmetic.

    They are safe but need not be tight: TP / (TP + FN) is known to be nonnegative, not that it is
    at most 1.
    """
    low, high = _BOUNDS_ARITHMETIC.evaluate(formula)
    return ValueRange(
        None if math.isinf(low) or math.isnan(low) else low,
        None if math.isinf(high) or math.isnan(high) else high,
    )


_Bounds = tuple[float, float]
_UNBOUNDED: _Bounds = (-math.inf, math.inf)


def _quotient_bounds(numerator: _Bounds, denominator: _Bounds) -> _Bounds:
    low, high = denominator
    # Of a denominator that may be negative nothing is known.
    if low < 0:
        return _UNBOUNDED
    least = 0.0 if math.isinf(high) else 1 / high if high else math.inf
    return _product_bounds(numerator, (least, 1 / low if low > 0 else math.inf))


def _product_bounds(left: _Bounds, right: _Bounds) -> _Bounds:
    products = [0.0 if 0.0 in {a, b} else a * b for a in left for b in right]
    return min(products), max(products)


def _power_bounds(base: _Bounds, exponent: int) -> _Bounds:
    low, high = base
    if low >= 0:
        return low**exponent, high**exponent
    return (0.0, math.inf) if exponent % 2 == 0 else _UNBOUNDED


class _IntervalArithmetic(Arithmetic[_Bounds]):
    """The arithmetic of bounds; 1 - a/b has tighter ones than (b - a)/b."""

    def complement(self, numerator: _Bounds, denominator: _Bounds) -> _Bounds:
        return self.subtract(self.constant(1), self.divide(numerator, denominator))


_BOUNDS_ARITHMETIC = _IntervalArithmetic(
    quantity=lambda _: (0.0, math.inf),
    constant=lambda value: (float(value), float(value)),
    add=lambda left, right: (left[0] + right[0], left[1] + right[1]),
    subtract=lambda left, right: (left[0] - right[1], left[1] - right[0]),
    multiply=_product_bounds,
    divide=_quotient_bounds,
    power=_power_bounds,
    maximum=lambda left, right: (max(left[0], right[0]), max(left[1], right[1])),
    square_root=lambda operand: (math.sqrt(max(operand[0], 0.0)), math.sqrt(max(operand[1], 0.0))),
    absolute_value=lambda _: (0.0, math.inf),
    logarithm=lambda _: _UNBOUNDED,
    chi_square_survival=lambda _: (0.0, 1.0),
)
