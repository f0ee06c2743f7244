"""One rule of rounding: 5 goes up, on the decimal digits of a number."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from reportgen.measures.counts import ACCURACY
from reportgen.render.number_format import (
    format_measure_value,
    format_number,
    format_p_value,
    format_percent,
)
from tests.render.sample_tables import defined


def test_a_share_reads_the_same_as_a_number_and_in_percent() -> None:
    """3850 of 4000 are 0.9625 exactly: 96.3% in tables and in sentences."""
    share = 3850 / 4000

    assert format_measure_value(defined(share), ACCURACY) == "96.3%"
    assert format_number(100 * share, 1, "%") == "96.3%"


@pytest.mark.parametrize("cases", [16, 80, 400, 2000, 4000])
def test_shares_of_whole_numbers_are_rounded_by_hand(cases: int) -> None:
    """Exact fractions say what half up is; floats may miss a tie by their last bit."""
    for count in range(cases + 1):
        thousandths = floor(Fraction(1000 * count, cases) + Fraction(1, 2))
        share = count / cases

        assert format_number(share, 3) == f"{thousandths // 1000}.{thousandths % 1000:03}"
        assert format_number(100 * share, 1) == f"{thousandths // 10}.{thousandths % 10}"


def test_every_kind_of_number_is_rounded_by_the_same_rule() -> None:
    """A p-value of 2/2⁴ = 0.125, an eighth of a row, and a number below 0."""
    assert format_p_value(2 / 2**4) == "0.13"
    assert format_percent(1 / 8) == "13%"
    assert format_number(-0.125, 2) == "−0.13"


def test_numbers_of_any_size_can_be_rounded() -> None:
    """A tie among very many digits is no failure."""
    assert format_number(4_503_599_627_370_495.5, 0).replace("\u202f", "").isdigit()
    assert format_number(1e22, 2) == "10" + 7 * "\u202f000" + ".00"
    assert format_number(5e-324, 3) == "0.000"
