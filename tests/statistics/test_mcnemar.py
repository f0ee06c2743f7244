"""McNemar's test, exact and approximate, and what it could say from margins alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels

from reportgen.statistics.paired_tests import mcnemar_exact_p, mcnemar_p_value_range, mcnemar_test


def test_mid_p_gives_the_check_value() -> None:
    """25 cases right by the first alone, 12 by the second alone."""
    assert mcnemar_test(25, 12).mid_p == pytest.approx(0.033552, abs=5e-7)


def test_few_cases_can_be_counted_by_hand() -> None:
    """One of four heads or fewer: 5/16 on each side; mid-p leaves out half of 4/16 on each."""
    result = mcnemar_test(3, 1)

    assert result.exact_p == pytest.approx(2 * 5 / 16)
    assert result.mid_p == pytest.approx(2 * (5 / 16 - 2 / 16))
    assert result.chi_square == pytest.approx((3 - 1) ** 2 / 4)
    assert result.corrected_chi_square == pytest.approx((3 - 1 - 1) ** 2 / 4)


def test_an_even_split_is_no_evidence_in_any_form() -> None:
    """The correction takes no more away than there is."""
    result = mcnemar_test(5, 5)

    assert (result.exact_p, result.chi_square_p, result.corrected_chi_square_p) == (1, 1, 1)
    assert result.mid_p == pytest.approx(1)


@given(st.integers(0, 400), st.integers(0, 400))
def test_exact_p_agrees_with_scipy(b: int, c: int) -> None:
    """It is the binomial test of a fair coin."""
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0

    assert mcnemar_test(b, c).exact_p == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 400), st.integers(0, 400).filter(bool))
def test_every_form_agrees_with_statsmodels(b: int, c: int) -> None:
    """Exact, chi-square, and chi-square with the correction of continuity."""
    table = [[7, b], [c, 5]]
    result = mcnemar_test(b, c)
    exact = mcnemar_of_statsmodels(table, exact=True)
    plain = mcnemar_of_statsmodels(table, exact=False, correction=False)

    assert result.exact_p == pytest.approx(exact.pvalue, rel=1e-9)
    assert result.chi_square == pytest.approx(plain.statistic, rel=1e-9)
    assert result.chi_square_p == pytest.approx(plain.pvalue, rel=1e-9)
    if b != c:
        # Statsmodels squares |b − c| − 1 where b = c, too, and finds 1/(b + c) instead of 0.
        corrected = mcnemar_of_statsmodels(table, exact=False, correction=True)
        assert result.corrected_chi_square == pytest.approx(corrected.statistic, rel=1e-9)
        assert result.corrected_chi_square_p == pytest.approx(corrected.pvalue, rel=1e-9)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_order_of_classifiers_does_not_matter(b: int, c: int) -> None:
    """And mid-p is never above the exact p-value."""
    one, other = mcnemar_test(b, c), mcnemar_test(c, b)

    assert (one.exact_p, one.mid_p, one.chi_square_p) == (
        other.exact_p,
        other.mid_p,
        other.chi_square_p,
    )
    assert one.mid_p <= one.exact_p


def test_classifiers_right_on_the_same_cases_have_no_chi_square() -> None:
    """0/0 is undefined; exactly, nothing speaks for a difference."""
    result = mcnemar_test(0, 0)

    assert (result.exact_p, result.mid_p) == (1.0, 1.0)
    assert result.chi_square is None
    assert result.corrected_chi_square_p is None


def test_margins_allow_a_range_of_p_values() -> None:
    """9 and 6 right of 10: from no case against the better one (3:0) to one (4:1).

    The second can be right where the first is wrong only once, as the first is wrong only once.
    """
    pvalue_range = mcnemar_p_value_range([9], [6], [10])

    assert (pvalue_range.low, pvalue_range.high) == pytest.approx((2 / 8, 2 * 6 / 32))


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 4), min_size=1, max_size=3))
def test_the_range_is_that_of_all_tables_with_these_margins(
    tables: list[tuple[int, int, int, int]],
) -> None:
    """Each class has cases right by both, by the first, by the second, by neither.

    All sums of possible "right by the second alone" are tried, one by one.
    """
    first = [both + only for both, only, _, _ in tables]
    second = [both + only for both, _, only, _ in tables]
    sizes = [sum(table) for table in tables]
    possible = {0}
    for one, other, size in zip(first, second, sizes, strict=True):
        fitting = [c for c in range(size + 1) if 0 <= other - c <= one <= size - c]
        possible = {total + c for total in possible for c in fitting}
    gap = sum(first) - sum(second)
    p_values = [mcnemar_exact_p(c + gap, c) for c in possible]

    pvalue_range = mcnemar_p_value_range(first, second, sizes)

    assert pvalue_range.low == pytest.approx(min(p_values))
    assert pvalue_range.high == pytest.approx(max(p_values))


def test_impossible_margins_are_rejected() -> None:
    """Nobody is right on more cases than there are."""
    with pytest.raises(ValueError, match="between 0 and the number"):
        mcnemar_p_value_range([11], [6], [10])
