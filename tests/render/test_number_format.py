"""How numbers read."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.render.number_format import (
    format_frequency,
    format_measure_value,
    format_number,
    format_percent,
    format_range,
    format_value_interval,
    heat_level,
    join_limits,
)
from reportgen.render.plain_text import cell_text, estimate_text
from reportgen.report.formatting import difference_cells
from reportgen.report.inline import MeasureEstimate
from reportgen.report.sections.measures import value_cells
from tests.render.sample_tables import INFINITE, MINUS_INFINITE, UNDEFINED, defined


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("accuracy", 0.77353, "77.4%"),
        ("accuracy", 1.0, "100.0%"),
        ("accuracy", 0.0, "0.0%"),
        ("accuracy", 0.0004, "<0.1%"),
        ("balanced_accuracy", 0.5, "50.0%"),
        ("f1", 0.5, "0.500"),
        ("roc_auc", 0.5, "0.500"),
        ("jaccard", 0.5, "0.500"),
        ("accuracy", 0.99996, ">99.9%"),
        ("accuracy", 1 - 1e-15, "100.0%"),
        ("youden", -0.25, "−0.250"),
        ("youden", -0.0, "0.000"),
        ("youden", 1e-16, "0.000"),
        ("youden", -1e-5, ">−0.001"),
        ("chi_square_p", 1e-20, "<0.001"),
        ("chi_square_p", 0.0, "<0.001"),
        ("chi_square_p", 0.04, "0.040"),
        ("r2", -12.345, "−12.35"),
        ("lr_positive", 2.508, "2.51"),
        ("lr_positive", 12.468, "12.47"),
        ("lr_positive", 123.4, "123"),
        ("lr_negative", 0.03304, "0.0330"),
        ("lr_negative", 0.9999, "1.00"),
        ("lr_negative", 0.0, "0.00"),
        ("diagnostic_odds_ratio", 12345.6, "12\u202f346"),
        ("rmse", 1.5e-9, "1.50\u202f×\u202f10⁻⁹"),
        ("rmse", 2.5e20, "2.50\u202f×\u202f10²⁰"),
    ],
)
def test_a_measure_shows_the_digits_that_count(name: str, value: float, text: str) -> None:
    """Proportions are in percent; others have three decimals if bounded, or three digits."""
    assert format_measure_value(defined(value), get_measure(name)) == text


@pytest.mark.parametrize(
    ("low", "high", "limits"),
    [
        (-0.0004, 0.31, ("−0.0004", "0.310")),
        (-0.3, -0.0004, ("−0.300", "−0.0004")),
        (0.0004, 0.31, ("<0.001", "0.310")),
        (-1e-16, 0.31, ("0.000", "0.310")),
    ],
)
def test_a_negative_limit_has_the_decimals_that_show_it(
    low: float, high: float, limits: tuple[str, str]
) -> None:
    """A limit is a number: ">−0.001" would be a range within a range."""
    value = MeasureValue(0.155, ValueState.DEFINED, low=low, high=high)

    assert format_value_interval(value, get_measure("youden")) == limits


def test_what_is_no_number_is_stated_in_words_or_signs() -> None:
    """Neither NaN nor inf ever reaches a reader."""
    measure = get_measure("discriminant_power")

    assert format_measure_value(UNDEFINED, measure) == "undefined"
    assert format_measure_value(INFINITE, measure) == "∞"
    assert format_measure_value(MINUS_INFINITE, measure) == "−∞"
    assert format_measure_value(MeasureValue(None, ValueState.UNDEFINED), measure) == "undefined"
    assert format_number(math.nan) == "undefined"
    assert format_number(-math.inf) == "−∞"


def test_plain_numbers_keep_their_digits() -> None:
    """A published 77.40 stays so, and a number without given decimals is not padded."""
    assert format_number(77.4, 2, "%") == "77.40%"
    assert format_number(77.4) == "77.4"
    assert format_number(-3.0) == "−3"
    assert format_number(0.0005) == "0.0005"
    assert format_number(5e-7) == "5\u202f×\u202f10⁻⁷"
    assert format_number(-2.5e-9) == "−2.5\u202f×\u202f10⁻⁹"
    assert format_number(0.1 + 0.2, 3) == "0.300"
    assert format_number(0.9736528822055138) == "0.974"


def test_counts_set_thousands_apart() -> None:
    """A narrow space, which does not break and is no decimal sign anywhere."""
    assert format_frequency(1234567) == "1\u202f234\u202f567"
    assert format_frequency(999) == "999"
    assert format_frequency(10**17 + 1) == "100\u202f000\u202f000\u202f000\u202f000\u202f001"
    assert format_frequency(1234.0) == "1\u202f234"
    assert format_frequency(95.9420289855073) == "95.9"


def test_a_share_is_all_or_nothing_only_if_it_is() -> None:
    """One error in a thousand does not vanish."""
    assert format_percent(1.0) == "100%"
    assert format_percent(0.999) == "99.9%"
    assert format_percent(0.9999) == ">99.9%"
    assert format_percent(0.0001) == "<0.1%"
    assert format_percent(0.002) == "0.2%"
    assert format_percent(0.876) == "88%"
    assert format_percent(None) == "–"
    assert [heat_level(share) for share in (None, 0.0, 0.001, 0.3, 1.0)] == [0, 0, 1, 3, 10]


def test_ranges_name_both_ends() -> None:
    """An open end is infinite."""
    assert format_range(get_measure("youden").range) == "−1 to 1"
    assert format_range(get_measure("lr_positive").range) == "0 to ∞"
    assert format_range(get_measure("discriminant_power").range) == "−∞ to ∞"


def test_values_that_differ_are_written_differently() -> None:
    """0.67612 and 0.67649 are both 0.676; a fourth decimal tells them apart, for the whole row."""
    assert _row("youden", 0.67612, 0.67649, 0.5) == ["0.6761", "0.6765", "0.5000"]
    assert _row("lr_positive", 2.5081, 2.5119) == ["2.508", "2.512"]
    assert _row("accuracy", 0.99971, 0.99984) == ["99.97%", "99.98%"]


def test_values_that_are_distinguished_or_tied_keep_their_decimals() -> None:
    """Nothing is gained by more: not for ties, nor beyond six decimals."""
    assert _row("youden", 0.676, 0.677) == ["0.676", "0.677"]
    assert _row("youden", 0.1 + 0.2, 0.3) == ["0.300", "0.300"]
    assert _row("accuracy", 0.9997, 1.0) == [">99.9%", "100.0%"]
    assert _row("chi_square_p", 1e-9, 1e-20) == ["<0.001", "<0.001"]
    assert _row("accuracy", 0.5, 0.5 + 1e-9) == ["50.0%", "50.0%"]


@pytest.mark.parametrize(
    ("name", "numbers", "texts"),
    [
        ("accuracy", (0.0123, -0.02, 0.045), ("+1.2\u202fpp", "−2.0 to 4.5")),
        ("npv", (-5.5e-6, -7e-6, -4e-6), ("−0.00055\u202fpp", "−0.00070 to −0.00040")),
        ("accuracy", (0.0017, -0.0012, 0.0046), ("+0.17\u202fpp", "−0.12 to 0.46")),
        ("youden", (-0.0003, -0.0853, 0.0862), ("−0.0003", "−0.0853 to 0.0862")),
        ("accuracy", (0.045, 0.000306, 0.089), ("+4.50\u202fpp", "0.03–8.90")),
        ("accuracy", (1e-17, -0.02, 0.02), ("0.0\u202fpp", "−2.0 to 2.0")),
        ("lr_negative", (-0.0922, -0.208, 0.022), ("−0.092", "−0.208 to 0.022")),
        (
            "rmse",
            (2e-9, 1e-9, 3e-9),
            (
                "+2.00\u202f×\u202f10⁻⁹",
                "1.00\u202f×\u202f10⁻⁹ to 3.00\u202f×\u202f10⁻⁹",
            ),
        ),
    ],
)
def test_a_difference_and_its_interval_have_the_same_decimals(
    name: str, numbers: tuple[float, float, float], texts: tuple[str, str]
) -> None:
    """As many as show two digits of a narrow interval, and that nothing is 0 but what is."""
    assert tuple(map(cell_text, difference_cells(get_measure(name), *numbers))) == texts


def test_both_ends_of_a_narrow_interval_can_be_distinguished() -> None:
    """Of two intervals three decimals part one, four the other, and only five both."""
    sure = MeasureValue(0.9, ValueState.DEFINED, None, 0.899984, 0.900016, "wilson")
    (cell,) = value_cells(get_measure("accuracy"), {"A": sure}, ["A"]).values()
    kappas = {
        "A": MeasureValue(0.42048, ValueState.DEFINED, None, 0.42046, 0.42054, "delta"),
        "B": MeasureValue(0.4209, ValueState.DEFINED, None, 0.42082, 0.42098, "delta"),
    }
    pair = value_cells(get_measure("kappa"), kappas, ["A", "B"]).values()

    assert isinstance(cell, MeasureEstimate)
    assert estimate_text(replace(cell, with_interval=True)) == "90.000% (89.998–90.002)"
    assert [cell_text(item) for item in pair] == ["0.42048", "0.42090"]


def _row(name: str, *values: float) -> list[str]:
    scores = {str(at): defined(value) for at, value in enumerate(values)}
    return [cell_text(cell) for cell in value_cells(get_measure(name), scores, [*scores]).values()]


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (("95.7", "98.4"), "95.7–98.4"),
        (("99.97", ">99.99"), "99.97 to >99.99"),
        (("<0.001", "0.088"), "<0.001 to 0.088"),
    ],
)
def test_no_dash_stands_before_a_sign(limits: tuple[str, str], text: str) -> None:
    """Fonts draw a dash before ">" as an arrow."""
    assert join_limits(limits) == text
