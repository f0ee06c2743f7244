"""A formula means the same as a number and as a polars expression."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from reportgen.measures.formula import (
    PI,
    Formula,
    absolute_value,
    chi_square_survival,
    find_quantities,
    ln,
    maximum,
    operands,
    sqrt,
)
from reportgen.measures.formula.compile import as_polars
from reportgen.measures.formula.evaluate import evaluate_exact, evaluate_formula, formula_gradient
from reportgen.measures.formula.quantities import FN, FP, TN, TP
from reportgen.measures.formula.singularities import find_infinite, find_undefined

SHARE = TP / (TP + FN)
NODES: dict[str, Formula] = {
    "sum": TP + 1,
    "sum, reflected": 1 + TP,
    "difference": FN - TP,
    "difference, reflected": 1 - TP,
    "complement": 1 - SHARE,
    "product": 3 * TP,
    "quotient": TP / FN,
    "power": (TP + FN) ** 3,
    "root": sqrt(TP + FN),
    "logarithm": ln(TP / FN),
    "magnitude": absolute_value(TP - FN),
    "maximum": maximum(TP, FN),
    "constant": PI * TP,
    "tail": chi_square_survival(TP + FN),
}


def polars_number(formula: Formula, values: dict[str, float]) -> float:
    """Return the value of a formula over a frame of one row."""
    return float(pl.DataFrame([values]).select(as_polars(formula)).item())


@pytest.mark.parametrize("formula", NODES.values(), ids=NODES)
@pytest.mark.parametrize("values", [(3, 4), (0, 4), (3, 0), (0, 0)], ids=str)
def test_polars_and_python_agree_on_every_node(formula: Formula, values: tuple[int, int]) -> None:
    """Also where the value is infinite or none."""
    named = {"tp": float(values[0]), "fn": float(values[1])}
    expected = float(evaluate_exact(formula, named))

    assert polars_number(formula, named) == pytest.approx(expected, rel=1e-14, nan_ok=True)


@pytest.mark.parametrize(
    ("formula", "values", "expected"),
    [
        (TP / FN, (1, 0), math.inf),
        ((FN - TP) / FN, (1, 0), -math.inf),
        (ln(TP), (0, 0), -math.inf),
    ],
)
def test_something_over_nothing_is_infinite(
    formula: Formula, values: tuple[int, int], expected: float
) -> None:
    """With the sign of what is divided."""
    named = {"tp": float(values[0]), "fn": float(values[1])}

    assert evaluate_exact(formula, named) == polars_number(formula, named) == expected


@pytest.mark.parametrize("formula", [TP / FN, ln(TP / FN), maximum(1, TP / FN), sqrt(TP / FN)])
def test_nothing_over_nothing_has_no_value(formula: Formula) -> None:
    """Nor has anything made of it."""
    named = {"tp": 0.0, "fn": 0.0}

    assert math.isnan(evaluate_exact(formula, named))
    assert math.isnan(polars_number(formula, named))


def test_infinity_less_infinity_has_no_value() -> None:
    """As in the discriminant power of a classifier that calls everything positive."""
    formula = ln(TP / FN) + ln(TN / FP)
    named = {"tp": 1.0, "fn": 0.0, "fp": 1.0, "tn": 0.0}

    assert math.isnan(evaluate_exact(formula, named))
    assert math.isnan(polars_number(formula, named))


def test_fractions_stay_exact() -> None:
    """Sums, products, quotients and powers of fractions are fractions."""
    formula = ((TP + 1) * TP - FN) / (TP + FN) ** 2

    assert evaluate_exact(formula, {"tp": Fraction(1), "fn": Fraction(2)}) == Fraction(0, 9)
    assert evaluate_exact(formula, {"tp": Fraction(2), "fn": Fraction(5)}) == Fraction(1, 49)


def test_a_complement_keeps_the_digits_of_a_rare_error() -> None:
    """1 − (10¹⁵−1)/10¹⁵ is 10⁻¹⁵ to all digits, not to one."""
    error = polars_number(1 - SHARE, {"tp": 10.0**15 - 1, "fn": 1.0})

    assert error == pytest.approx(1e-15, rel=1e-15)


def test_products_of_large_counts_do_not_overflow() -> None:
    """Four margins of 10⁶ each are more than 64 bits hold."""
    frame = pl.DataFrame({"tp": [10**6], "fn": [10**6], "fp": [10**6], "tn": [10**6]})

    actual = frame.select(as_polars((TP + FN) * (FP + TN) * (TP + FP) * (FN + TN))).item()

    assert actual == 16e24


def test_quantities_and_operands_are_found_in_order() -> None:
    """Each quantity once, as it first appears."""
    formula = (TP + FP) / (TP + FN)

    assert find_quantities(formula) == (TP, FP, FN)
    assert operands(formula) == (TP + FP, TP + FN)
    assert operands(TP) == ()


def test_the_causes_of_a_share_are_found_from_its_formula() -> None:
    """A share is undefined when its whole is empty, and never infinite."""
    (cause,) = find_undefined(SHARE)

    assert cause.condition == "TP + FN = 0"
    assert find_infinite(SHARE) == ()


def test_odds_have_a_cause_of_either_kind() -> None:
    """0/0 needs both to be 0; infinite needs only the second."""
    assert [cause.condition for cause in find_undefined(TP / FN)] == ["TP = 0 and FN = 0"]
    assert [cause.condition for cause in find_infinite(TP / FN)] == ["FN = 0"]


def test_what_is_required_is_a_cause_of_its_own() -> None:
    """Even if the formula could do without it."""
    causes = find_undefined(TP + FN, (FP + TN,))

    assert [cause.condition for cause in causes] == ["FP + TN = 0"]


def test_the_slope_of_a_chi_square_tail_is_minus_its_density() -> None:
    """By hand: (tail(x + h) − tail(x − h)) / 2h at x = 3.84."""
    formula = chi_square_survival(TP)
    ends = [float(evaluate_formula(formula, {"tp": np.array(3.84 + h)})) for h in (1e-5, -1e-5)]

    actual = float(formula_gradient(formula, {"tp": np.array(3.84)})["tp"])

    assert actual == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)
