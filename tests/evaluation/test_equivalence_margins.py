"""Equivalence and non-inferiority: differences that are shown to be smaller than a margin."""

from __future__ import annotations

import pytest
from scipy.stats import norm

from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.spec import ComparisonSettings
from tests.evaluation.tested_families import LEVEL, adjust_rows, block, row


def test_equivalence_is_two_one_sided_tests() -> None:
    """Difference 0.002, error 0.003, margin 0.01: (0.01 − 0.002) / 0.003 = 2.67 > 1.645 twice."""
    comparison_settings = ComparisonSettings(margin={"accuracy": 0.01})
    for error, expected in ((0.003, True), (0.0048, True), (0.0049, False), (0.02, False)):
        upper, lower = (0.01 - 0.002) / error, (0.01 + 0.002) / error
        by_hand = max(norm.sf(upper), norm.sf(lower)) < 0.05
        comparison = adjust_rows(
            row(difference=0.002, p=0.4, error=error), settings=comparison_settings
        )[0]

        assert bool(by_hand) == expected
        assert (comparison.verdict is Decision.EQUIVALENT) == expected


def test_the_level_of_equivalence_is_shared_by_all_comparisons_with_a_margin() -> None:
    """Two pairs: each has 0.025, so 1.96 errors are needed, not 1.645."""
    comparison_settings = ComparisonSettings(margin={"accuracy": 0.01})
    # 0.008 / 0.0045 = 1.78 errors to the margin.
    one = row(difference=0.002, p=0.4, error=0.0045)
    other = row(difference=0.002, p=0.4, error=0.0045, pair=("A", "C"))
    alone = adjust_and_decide([block([one])], [], comparison_settings, LEVEL)
    both = adjust_and_decide([block([one]), block([other])], [], comparison_settings, LEVEL)
    unshared = comparison_settings.model_copy(update={"correction": "none"})

    assert alone[0].verdict is Decision.EQUIVALENT
    assert both[0].verdict is Decision.UNDECIDED
    assert adjust_and_decide([block([one]), block([other])], [], unshared, LEVEL)[0].verdict is (
        Decision.EQUIVALENT
    )


def test_a_difference_within_the_margin_is_equivalent_though_significant() -> None:
    """0.002 with an error of 0.0005 is not 0, but surely smaller than 0.01."""
    small = row(difference=0.002, p=0.0001, error=0.0005)

    assert adjust_rows(small)[0].verdict is Decision.SUPERIOR
    assert (
        adjust_rows(small, settings=ComparisonSettings(margin={"accuracy": 0.01}))[0].verdict
        is Decision.EQUIVALENT
    )


@pytest.mark.parametrize(
    ("measure", "difference", "expected"),
    [
        # Worse by 0.004 ± 1.645 · 0.003: at most 0.0089.
        ("accuracy", -0.004, True),
        # At most 0.0109.
        ("accuracy", -0.006, False),
        ("accuracy", 0.5, True),
        ("error_rate", 0.004, True),
        ("error_rate", 0.006, False),
        ("error_rate", -0.5, True),
    ],
)
def test_non_inferior_is_worse_by_less_than_the_margin(
    measure: str, difference: float, expected: object
) -> None:
    """One side of the interval matters: the one where the first is worse."""
    comparison_settings = ComparisonSettings(margin={measure: 0.01})
    comparison = adjust_rows(
        row(measure, difference, p=0.4, error=0.003), settings=comparison_settings
    )[0]

    assert comparison.non_inferior is expected


def test_without_a_margin_nothing_is_stated_of_non_inferiority() -> None:
    """And without an interval it is not shown."""
    comparison_settings = ComparisonSettings(margin={"accuracy": 0.01})

    assert adjust_rows(row(error=0.003))[0].non_inferior is None
    assert adjust_rows(row(), settings=comparison_settings)[0].non_inferior is False
