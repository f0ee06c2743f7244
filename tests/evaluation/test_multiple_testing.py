"""What the tests decide: verdicts, equivalence, and how many cases would settle the rest."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from reportgen.evaluation import multiple_testing
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.spec import ComparisonSettings
from tests.evaluation.tested_families import LEVEL, block, row, settled


@pytest.mark.parametrize(
    ("measure", "difference", "finding"),
    [
        ("accuracy", 0.02, Decision.SUPERIOR),
        ("accuracy", -0.02, Decision.INFERIOR),
        # The less the better.
        ("lr_negative", 0.02, Decision.INFERIOR),
        ("lr_negative", -0.02, Decision.SUPERIOR),
        ("error_rate", -0.02, Decision.SUPERIOR),
        ("brier", 0.02, Decision.INFERIOR),
    ],
)
def test_a_significant_difference_is_read_by_what_is_better(
    measure: str, difference: float, finding: Decision
) -> None:
    """The sign of the difference and the better end of the measure make the verdict."""
    assert settled(row(measure, difference))[0].verdict is finding


@pytest.mark.parametrize(
    ("p", "finding"), [(0.05, Decision.SUPERIOR), (0.0501, Decision.UNDECIDED)]
)
def test_the_adjusted_p_value_decides_at_alpha(p: float, finding: Decision) -> None:
    """0.05 is significant, more is not."""
    assert settled(row(p=p))[0].verdict is finding


def test_equal_values_are_tied() -> None:
    """Whatever a test makes of them."""
    found = settled(row(difference=0.0, p=1.0, statistic=0.0))[0]

    assert (found.verdict, found.required_cases) == (Decision.TIED, None)


def test_an_infinite_difference_is_read_by_its_statistic() -> None:
    """ρ+ of a classifier without false alarms is infinite; with ½ added it is a number."""
    higher = settled(row("lr_positive", None, statistic=3.0))[0]
    lower = settled(row("lr_positive", None, statistic=-3.0))[0]

    assert (higher.verdict, lower.verdict) == (Decision.SUPERIOR, Decision.INFERIOR)


def test_a_difference_without_a_p_value_is_never_decided() -> None:
    """There was no test, so there is no adjusted p-value either."""
    found = settled(row(p=None))[0]

    assert (found.verdict, found.p_adjusted) == (Decision.UNDECIDED, None)


def test_half_the_difference_needs_four_times_the_cases() -> None:
    """Statistics grow with the root of the number of cases: (1.96 + 0.84)² / T² times as many."""
    one, half = settled(row(p=0.3, statistic=1.0))[0], settled(row(p=0.6, statistic=0.5))[0]

    assert one.required_cases == math.ceil(400 * (norm.ppf(0.975) + norm.ppf(0.8)) ** 2)
    assert half.required_cases == pytest.approx(4 * (one.required_cases or 0), abs=4)


def test_settled_comparisons_need_no_more_cases() -> None:
    """Nor can a number be given where cases are unknown or nothing was found."""
    assert settled(row())[0].required_cases is None
    assert settled(row(p=0.4, statistic=0.0))[0].required_cases is None
    assert settled(row(p=0.4), cases=None)[0].required_cases is None


def test_few_cases_do_not_make_the_number_needed_small() -> None:
    """Where nothing larger than 1.2 can be seen, more cases still have to reach 1.96."""
    few = multiple_testing.TestedFamily(
        (row(p=0.5, statistic=1.0),), (0.5,), 10, lambda _level: 1.2
    )
    (found,) = adjust_and_decide([few], [], ComparisonSettings(), LEVEL)

    assert found.required_cases == math.ceil(10 * (norm.ppf(0.975) + norm.ppf(0.8)) ** 2)


@pytest.mark.parametrize(("correction", "share"), [("step-down", 0.025), ("none", 0.05)])
def test_cases_needed_are_for_the_level_that_is_left(
    correction: Literal["step-down", "none"], share: float
) -> None:
    """Two pairs share 0.05; uncorrected each has all of it."""
    blocks = [
        block([row(p=0.3, statistic=1.0)]),
        block([row(p=0.3, statistic=1.0, pair=("A", "C"))]),
    ]
    found = adjust_and_decide(blocks, [], ComparisonSettings(correction=correction), LEVEL)
    quantile = norm.ppf(1 - share / 2)

    assert found[0].required_cases == math.ceil(400 * (quantile + norm.ppf(0.8)) ** 2)


def test_tests_beside_the_primary_one_follow_its_verdict() -> None:
    """Whichever classifier they name first; what was not decided anywhere is undecided."""
    straight = Comparison(first="A", second="B", measure="accuracy", test="mcnemar", data="paired")
    turned = Comparison(first="B", second="A", measure="accuracy", test="mcnemar", data="paired")
    other = Comparison(first="A", second="B", measure="npv", test="score", data="paired", p=0.001)
    found = adjust_and_decide(
        [block([row()])], [straight, turned, other], ComparisonSettings(), LEVEL
    )

    assert [each.verdict for each in found] == [
        Decision.SUPERIOR,
        Decision.SUPERIOR,
        Decision.INFERIOR,
        Decision.UNDECIDED,
    ]


def test_step_down_uses_the_p_values_within_blocks_and_shares_over_them() -> None:
    """Two pairs: 0.01 within its pair becomes 0.02, the raw 0.004 plays no part.

    At 2 · 0.3 = 0.6 the second pair is rejected whole and passes its share on to npv's 0.6.
    """
    one = block([row(p=0.004), row("npv", p=0.5)], within=[0.01, 0.6])
    other = block([row(p=0.3, pair=("A", "C"))], within=[0.3])
    found = adjust_and_decide([one, other], [], ComparisonSettings(), LEVEL)

    assert [each.p_adjusted for each in found] == pytest.approx([0.02, 0.6, 0.6])


def test_holm_adjusts_all_raw_p_values_of_the_report_together() -> None:
    """Statsmodels' Holm over both blocks."""
    raw = [0.004, 0.5, 0.02]
    one = block([row(p=raw[0]), row("npv", p=raw[1])], within=[1.0, 1.0])
    other = block([row(p=raw[2], pair=("A", "C"))], within=[1.0])
    found = adjust_and_decide([one, other], [], ComparisonSettings(correction="holm"), LEVEL)

    assert [each.p_adjusted for each in found] == pytest.approx(
        multipletests(raw, method="holm")[1]
    )


def test_uncorrected_p_values_are_left_alone() -> None:
    """As asked, primary or not."""
    asked = ComparisonSettings(correction="none", primary="accuracy")
    found = settled(row(p=0.2), row("npv", p=0.04), asked=asked)

    assert [each.p_adjusted for each in found] == [0.2, 0.04]


@pytest.mark.parametrize("correction", ["step-down", "holm"])
def test_the_primary_measure_is_tested_first_at_the_full_level(
    correction: Literal["step-down", "holm"],
) -> None:
    """Its raw 0.04 is enough; npv's 0.001 then stands, but not where the primary fails."""
    asked = ComparisonSettings(primary="accuracy", correction=correction)
    passing = [row(p=0.04), row("npv", p=0.001)]
    failing = [row(p=0.06), row("npv", p=0.001)]
    first = adjust_and_decide([block(passing, within=[0.3, 0.004])], [], asked, LEVEL)
    second = adjust_and_decide([block(failing, within=[0.3, 0.004])], [], asked, LEVEL)

    assert [each.p_adjusted for each in first] == pytest.approx([0.04, 0.04])
    assert [each.p_adjusted for each in second] == pytest.approx([0.06, 0.06])
    assert {each.verdict for each in second} == {Decision.UNDECIDED}


def test_the_primary_measure_of_all_classes_decides_where_there_is_one() -> None:
    """Accuracy over all classes, not that of class a against the rest."""
    asked = ComparisonSettings(primary="accuracy")
    rows = [row(p=0.5, class_="a"), row(p=0.01)]
    found = adjust_and_decide([block(rows, within=[0.5, 0.2])], [], asked, LEVEL)

    assert [each.p_adjusted for each in found] == pytest.approx([0.5, 0.01])


def test_a_primary_measure_of_single_classes_is_adjusted_for_their_number() -> None:
    """Youden's index exists by class only: the least of three raw p-values counts three times."""
    asked = ComparisonSettings(primary="youden")
    rows = [row("youden", p=p, class_=label) for p, label in ((0.03, "a"), (0.2, "b"), (0.9, "c"))]
    found = adjust_and_decide([block(rows, within=[0.03, 0.2, 0.9])], [], asked, LEVEL)

    assert found[0].p_adjusted == pytest.approx(0.09)
    assert found[0].verdict is Decision.UNDECIDED


def test_tests_made_one_by_one_are_adjusted_by_holm_within_their_pair() -> None:
    """Statsmodels' Holm; the quantile is Bonferroni's."""
    raw = [0.03, 0.01, 0.5]
    names = ("roc_auc", "brier", "log_loss")
    rows = [row(name, p=p) for p, name in zip(raw, names, strict=True)]
    found = multiple_testing.holm_family(rows, 100)

    assert found.p_adjusted_within == pytest.approx(multipletests(raw, method="holm")[1])
    assert found.critical_value(0.05) == pytest.approx(norm.ppf(1 - 0.05 / 3 / 2))
