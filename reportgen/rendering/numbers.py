"""The only place where numbers become text."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from reportgen.formulas import ChiSquareTail
from reportgen.report.decimals import (
    LEAST_POWER,
    MOST_POWER,
    decimals_of,
    decimals_of_any_size,
    is_whole,
    power_of_ten,
)
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from reportgen.measures import Measure, Range

NARROW_SPACE = "\u202f"
MINUS = "\u2212"
UNDEFINED = "undefined"
HEAT_LEVELS = 10
MOST_DIGITS = 6
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def score_text(score: Score, measure: Measure, extra_decimals: int = 0) -> str:
    """Write the value of a measure; the reason, if there is one, is not part of it."""
    number = score.number
    if score.state is State.UNDEFINED or number is None:
        return UNDEFINED
    if math.isinf(number):
        return _infinity(number)
    decimals = decimals_of(number, measure, extra_decimals)
    if measure.range.high != 1:
        return _of_any_size(number, decimals)
    # A p-value may be too small for a computer, but it is never 0.
    if isinstance(measure.formula, ChiSquareTail) and number < 10**-decimals / 2:
        return f"<{10**-decimals:.{decimals}f}"
    return _of_unit(number, decimals)


def plain_text(number: float, decimals: int | None = None, unit: str = "") -> str:
    """Write a number with so many decimals; without them as it is if short, else rounded."""
    if math.isnan(number):
        return UNDEFINED
    if math.isinf(number):
        return _infinity(number)
    written = _fixed(number, decimals) if decimals is not None else _shortest(number)
    return f"{written}{NARROW_SPACE}{unit.strip()}" if unit.strip() else written


def count_text(number: int) -> str:
    """Write a number of things, thousands set apart."""
    return _signed(f"{number:,}")


def percent_text(share: float | None) -> str:
    """Write a share of a row as a percentage; a row without cases has none."""
    if share is None:
        return "–"
    percent = 100 * share
    written = f"{percent:.0f}"
    # 99.97 % is not all and 0.02 % is not nothing.
    if written in {"0", "100"} and not is_whole(share):
        written = {"0.0": "<0.1", "100.0": ">99.9"}.get(f"{percent:.1f}", f"{percent:.1f}")
    return f"{written}{NARROW_SPACE}%"


def heat_level(share: float | None) -> int:
    """Return how dark a matrix cell is: 0 for nothing, 10 for all of its row."""
    return math.ceil(round(HEAT_LEVELS * (share or 0), 9))


def range_text(span: Range) -> str:
    """Write the values a measure can take."""
    low = _infinity(-math.inf) if span.low is None else plain_text(span.low)
    high = _infinity(math.inf) if span.high is None else plain_text(span.high)
    return f"{low} to {high}"


def _of_unit(number: float, decimals: int) -> str:
    """Write neither 0 nor 1 for what is merely close to it."""
    smallest = 10**-decimals
    if not is_whole(number):
        if abs(number) < smallest / 2:
            written = f"{smallest:.{decimals}f}"
            return f"<{written}" if number > 0 else f">{MINUS}{written}"
        if 1 - smallest / 2 <= number < 1:
            return f">{1 - smallest:.{decimals}f}"
    return _fixed(number, decimals)


def _of_any_size(number: float, decimals: int) -> str:
    if LEAST_POWER <= power_of_ten(number) < MOST_POWER:
        return _fixed(number, decimals)
    mantissa, exponent = f"{number:.2e}".split("e")
    power = str(int(exponent)).translate(RAISED)
    return NARROW_SPACE.join((_signed(mantissa), "×", f"10{power}"))


def _infinity(number: float) -> str:
    return "∞" if number > 0 else f"{MINUS}∞"


def _fixed(number: float, decimals: int) -> str:
    written = f"{number:,.{decimals}f}"
    # What rounds to nothing has no sign.
    return _signed(written.removeprefix("-") if not written.strip("-0.,") else written)


def _shortest(number: float) -> str:
    if len(Decimal(repr(float(number))).as_tuple().digits) > MOST_DIGITS:
        return _of_any_size(number, decimals_of_any_size(number))
    return _signed(f"{Decimal(repr(float(number))):,f}".removesuffix(".0"))


def _signed(written: str) -> str:
    return written.replace(",", NARROW_SPACE).replace("-", MINUS)
