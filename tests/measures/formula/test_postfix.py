"""Formulas as steps: followed by a small machine they give what the tree gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.measures import MEASURE_REGISTRY
from reportgen.measures.counts import f_measure
from reportgen.measures.formula import (
    PI,
    Quantity,
    Symbol,
    absolute_value,
    find_quantities,
    ln,
    sqrt,
)
from reportgen.measures.formula.compile import as_postfix
from reportgen.measures.formula.evaluate import evaluate_exact
from reportgen.measures.measure import CONFUSION_COUNTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.measures import Measure

A, B = (Quantity(name, Symbol(name), "a number") for name in "ab")
OF_COUNTS = [
    measure
    for measure in (*MEASURE_REGISTRY.values(), f_measure(0.5), f_measure(2))
    if {quantity.name for quantity in find_quantities(measure.formula)} <= set(CONFUSION_COUNTS)
]
UNARY: dict[str, Callable[[float], float]] = {
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "ln": lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    "abs": abs,
    "tail": lambda x: math.nan if math.isnan(x) else math.erfc(math.sqrt(x / 2)),
}


def _divided(over: float, under: float) -> float:
    if under:
        return over / under
    return math.nan if over == 0 or math.isnan(over) else math.copysign(math.inf, over)


def _larger(left: float, right: float) -> float:
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


BINARY: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divided,
    "^": math.pow,
    "max": _larger,
}


def follow(steps: str, values: dict[str, float]) -> float:
    """Follow the steps with a stack, as the page's script does."""
    stack: list[float] = []
    for step in steps.split(" "):
        if step in values:
            stack.append(values[step])
        elif step in UNARY:
            stack.append(UNARY[step](stack.pop()))
        elif step in BINARY:
            right = stack.pop()
            stack.append(BINARY[step](stack.pop(), right))
        else:
            stack.append(float(step))
    (value,) = stack
    return value


def test_operands_come_before_what_is_done_with_them() -> None:
    """Written as calculators with a stack want it; 1 − a/b keeps its digits as (b − a)/b."""
    assert as_postfix((A + B) / 2) == "a b + 2 /"
    assert as_postfix(1 - A / B) == "b a - b /"
    assert as_postfix(sqrt(absolute_value(A) ** 2) * ln(B)) == "a abs 2 ^ sqrt b ln *"
    assert as_postfix(PI * A) == "3.141592653589793 a *"


@pytest.mark.parametrize("measure", OF_COUNTS, ids=lambda measure: measure.name)
@given(counts=st.tuples(*[st.integers(0, 500)] * 4))
def test_steps_give_the_value_of_the_formula(
    measure: Measure, counts: tuple[int, int, int, int]
) -> None:
    """For every measure of four counts and any table, also where it is infinite or undefined."""
    values = dict(zip(CONFUSION_COUNTS, map(float, counts), strict=True))
    expected = float(evaluate_exact(measure.formula, values))

    actual = follow(as_postfix(measure.formula), values)

    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
