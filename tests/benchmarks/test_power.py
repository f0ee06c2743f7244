"""Single reports in which a small difference between two classifiers must not get lost."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from benchmarks.power import SINGLE_REPORTS, SingleReport
from reportgen.statistics.multiplicity import holm

MANY_CLASSES, DIGITS, THIRTY = SINGLE_REPORTS
# As many pairs take long; eight classifiers have 28.
FEWER = replace(THIRTY, classifiers=8, others=(0.8, 0.93))


@pytest.mark.parametrize(
    ("single", "difference", "p"),
    [(MANY_CLASSES, 0.074, 5e-21), (DIGITS, 0.022, 0.0037), (THIRTY, 0.011, 0.010)],
    ids=lambda value: value.name if isinstance(value, SingleReport) else "",
)
def test_the_first_two_classifiers_differ_as_stated(
    single: SingleReport, difference: float, p: float
) -> None:
    """Difference and McNemar's p-value, as they were first reported."""
    table = single.table()
    first, second = ((table[name] == table["truth"]).mean() for name in table.columns[1:3])
    assert isinstance(first, float)
    assert isinstance(second, float)

    assert first - second == pytest.approx(difference, abs=0.0005)
    assert single.mcnemar_p_values()[0] == pytest.approx(p, rel=0.05 if p > 1e-9 else 1)


@pytest.mark.slow
@pytest.mark.parametrize("single", [MANY_CLASSES, DIGITS, FEWER], ids=lambda single: single.name)
def test_every_pair_is_decided_as_by_mcnemar_at_the_share_of_the_headline(
    single: SingleReport,
) -> None:
    """The p-value is McNemar's; adjusted, it is at most that of Holm's procedure at α/2."""
    rows, raw = single.compare(), single.mcnemar_p_values()

    assert [row.p for row in rows] == pytest.approx(raw, rel=1e-9)
    for row, shared in zip(rows, holm(raw), strict=True):
        assert row.p_adjusted is not None
        assert row.p_adjusted <= min(1.0, 2 * shared) * (1 + 1e-9)


@pytest.mark.slow
def test_a_larger_difference_of_the_same_precision_never_has_a_larger_p_value() -> None:
    """No p-value is sampled, so that none has a lower bound."""
    rows = FEWER.compare()
    for one, other in combinations(rows, 2):
        assert one.low is not None
        assert one.high is not None
        assert other.low is not None
        assert other.high is not None
        same_precision = one.high - one.low <= other.high - other.low
        if same_precision and abs(one.difference or 0) > abs(other.difference or 0):
            assert one.p is not None
            assert other.p is not None
            assert one.p <= other.p
            assert (one.p_adjusted or 0) <= (other.p_adjusted or 0) + 1e-12
    assert {row.test for row in rows} == {"paired permutation (exact)"}


def test_thousands_of_hypotheses_do_not_hide_the_headline() -> None:
    """150 classes, 7.4 points: 5e-21 by McNemar's test."""
    (row,) = MANY_CLASSES.compare()

    assert row.p_adjusted is not None
    assert row.p_adjusted < 1e-19
    assert row.significant
