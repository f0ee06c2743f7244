"""What the tests decide: verdicts, equivalence, and how many cases would settle the rest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from scipy.stats import norm, studentized_range
from statsmodels.stats.multitest import multipletests

from reportgen.evaluation import multiple_testing
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.joint_distribution import joint_normal_of_pairs
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import ComparisonSettings
from reportgen.statistics.max_t import JointNormal
from reportgen.statistics.proportions import bonett_price_interval
from tests.evaluation.tested_families import LEVEL, adjust_rows, block, row

if TYPE_CHECKING:
    from pathlib import Path


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
    assert adjust_rows(row(measure, difference))[0].verdict is finding


@pytest.mark.parametrize(
    ("p", "finding"), [(0.05, Decision.SUPERIOR), (0.0501, Decision.UNDECIDED)]
)
def test_the_adjusted_p_value_decides_at_alpha(p: float, finding: Decision) -> None:
    """0.05 is significant, more is not."""
    assert adjust_rows(row(p=p))[0].verdict is finding


def test_equal_values_are_tied() -> None:
    """Whatever a test makes of them."""
    comparison = adjust_rows(row(difference=0.0, p=1.0, statistic=0.0))[0]

    assert (comparison.verdict, comparison.required_cases) == (Decision.TIED, None)


def test_an_infinite_difference_is_read_by_its_statistic() -> None:
    """ρ+ of a classifier without false alarms is infinite; with ½ added it is a number."""
    higher = adjust_rows(row("lr_positive", None, statistic=3.0))[0]
    lower = adjust_rows(row("lr_positive", None, statistic=-3.0))[0]

    assert (higher.verdict, lower.verdict) == (Decision.SUPERIOR, Decision.INFERIOR)


def test_a_difference_without_a_p_value_is_never_decided() -> None:
    """There was no test, so there is no adjusted p-value either."""
    comparison = adjust_rows(row(p=None))[0]

    assert (comparison.verdict, comparison.p_adjusted) == (Decision.NOT_TESTED, None)
    assert not comparison.tested


def test_half_the_difference_needs_four_times_the_cases() -> None:
    """Statistics grow with the root of the number of cases: (1.96 + 0.84)² / T² times as many."""
    one, half = adjust_rows(row(p=0.3, statistic=1.0))[0], adjust_rows(row(p=0.6, statistic=0.5))[0]

    assert one.required_cases == math.ceil(400 * (norm.ppf(0.975) + norm.ppf(0.8)) ** 2)
    assert half.required_cases == pytest.approx(4 * (one.required_cases or 0), abs=4)


def test_settled_comparisons_need_no_more_cases() -> None:
    """Nor can a number be given where cases are unknown or nothing was found."""
    assert adjust_rows(row())[0].required_cases is None
    assert adjust_rows(row(p=0.4, statistic=0.0))[0].required_cases is None
    assert adjust_rows(row(p=0.4), cases=None)[0].required_cases is None


@pytest.mark.parametrize(("correction", "share"), [("step-down", 0.025), ("none", 0.05)])
def test_cases_needed_are_for_the_level_that_is_left(
    correction: Literal["step-down", "none"], share: float
) -> None:
    """Two pairs share 0.05; uncorrected each has all of it."""
    blocks = [
        block([row(p=0.3, statistic=1.0)]),
        block([row(p=0.3, statistic=1.0, pair=("A", "C"))]),
    ]
    comparisons = adjust_and_decide(blocks, [], ComparisonSettings(correction=correction), LEVEL)
    quantile = norm.ppf(1 - share / 2)

    assert comparisons[0].required_cases == math.ceil(400 * (quantile + norm.ppf(0.8)) ** 2)


def test_tests_beside_the_primary_one_follow_its_verdict() -> None:
    """Whichever classifier they name first; a measure without a primary test is not tested."""
    mcnemar = Comparison(first="A", second="B", measure="accuracy", test="mcnemar", data="paired")
    comparison = Comparison(
        first="B", second="A", measure="accuracy", test="mcnemar", data="paired"
    )
    other = Comparison(first="A", second="B", measure="npv", test="score", data="paired", p=0.001)
    comparisons = adjust_and_decide(
        [block([row()])], [mcnemar, comparison, other], ComparisonSettings(), LEVEL
    )

    assert [item.verdict for item in comparisons] == [
        Decision.SUPERIOR,
        Decision.SUPERIOR,
        Decision.INFERIOR,
        Decision.NOT_TESTED,
    ]


def test_each_family_has_its_share_of_alpha_and_passes_it_on() -> None:
    """Shares ½, ¼, ¼: 0.004 / ½; then ½ and ½ for the others, 0.02 / ½; then the rest has all."""
    blocks = [
        block([row(p=0.004)]),
        block([row("npv", p=0.02, family="overall")]),
        block([row("npv", p=0.3, class_="a", family="details")]),
    ]
    comparisons = adjust_and_decide(blocks, [], ComparisonSettings(), LEVEL)

    assert [item.p_adjusted for item in comparisons] == pytest.approx([0.008, 0.04, 0.3])


def test_a_headline_that_is_not_significant_keeps_its_share() -> None:
    """The others are tested at a quarter of α each: 0.001 / ¼, then 0.3 / ⅓ and 0.4 / ⅔."""
    blocks = [
        block([row(p=0.4)]),
        block([row("npv", p=0.001, family="overall")]),
        block([row("npv", p=0.3, class_="a", family="details")]),
    ]
    comparisons = adjust_and_decide(blocks, [], ComparisonSettings(), LEVEL)

    assert [item.p_adjusted for item in comparisons] == pytest.approx([0.6, 0.004, 0.6])
    assert [item.verdict for item in comparisons][1] is Decision.SUPERIOR


def test_a_family_that_is_empty_leaves_its_share_to_the_others() -> None:
    """Without details the shares are ⅔ and ⅓."""
    blocks = [block([row(p=0.4)]), block([row("npv", p=0.01, family="overall")])]
    comparisons = adjust_and_decide(blocks, [], ComparisonSettings(), LEVEL)

    assert comparisons[1].p_adjusted == pytest.approx(0.03)


def test_holm_adjusts_the_raw_p_values_of_a_family_together() -> None:
    """Statsmodels' Holm over both blocks."""
    raw = [0.004, 0.5, 0.02]
    one = block([row(p=raw[0]), row("error_rate", p=raw[1])])
    other = block([row(p=raw[2], pair=("A", "C"))])
    comparisons = adjust_and_decide([one, other], [], ComparisonSettings(correction="holm"), LEVEL)

    assert [item.p_adjusted for item in comparisons] == pytest.approx(
        multipletests(raw, method="holm")[1]
    )


def test_pairs_of_classifiers_are_adjusted_by_their_joint_distribution() -> None:
    """Three equally accurate classifiers: Tukey's 2.34 instead of Bonferroni's 2.39."""
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    joint = joint_normal_of_pairs(pairs, dict.fromkeys(pairs, 2.0))
    p = float(2 * norm.sf(studentized_range.ppf(0.95, 3, math.inf) / math.sqrt(2)))
    rows = tuple(row(p=p, pair=pair, difference=0.1, error=0.04) for pair in pairs)
    tested = multiple_testing.TestedBlock(rows, (400,) * 3, joint)
    comparisons = adjust_and_decide([tested], [], ComparisonSettings(), LEVEL)

    assert comparisons[0].p_adjusted == pytest.approx(0.05, abs=0.006)
    assert 3 * p > 0.055


@pytest.mark.parametrize(("threshold", "p_values"), [(None, (0.02, 0.03)), (0.3, (0.0396, 0.0396))])
def test_a_difference_in_the_headline_leaves_one_measure_of_the_same_counts_to_be_equal(
    threshold: float | None, p_values: tuple[float, float]
) -> None:
    """Sensitivity and specificity of the same predictions; not of those at another threshold."""
    first, other = (
        multiple_testing.RatesCompared("A", "B", "yes", point, is_straight=True)
        for point in (None, threshold)
    )
    headline = multiple_testing.TestedBlock((row(p=0.001),), (400,), None, (first,))
    rows = tuple(
        row(name, p=p, family="overall")
        for name, p in (("sensitivity", 0.02), ("specificity", 0.03))
    )
    joint = JointNormal(np.diag([1.0, 1.0, 0.0, 0.0]), np.array([0, 1]), np.array([2, 3]))
    overall = multiple_testing.TestedBlock(rows, (400,) * 2, joint, (other,) * 2)

    comparisons = adjust_and_decide([headline, overall], [], ComparisonSettings(), LEVEL)

    assert tuple(one.p_adjusted for one in comparisons[1:]) == pytest.approx(p_values, abs=0.004)


def test_measures_of_the_same_predictions_are_related_in_a_report(tmp_path: Path) -> None:
    """As accuracy differs, each of the others is adjusted for nothing but the headline."""
    table = "truth,A,B,n\n" + "".join(
        f"{truth},{a},{b},{count}\n"
        for truth, a, b, count in (
            *(("yes", "yes", "yes", 150), ("yes", "yes", "no", 30), ("yes", "no", "yes", 12)),
            *(("yes", "no", "no", 8), ("no", "no", "no", 150), ("no", "no", "yes", 28)),
            *(("no", "yes", "no", 13), ("no", "yes", "yes", 9)),
        )
    )
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\ncount = "n"\n'
        '[measures]\nshow = ["accuracy", "sensitivity", "specificity", "youden"]\n'
        + "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
            for name in "AB"
        ),
        encoding="utf-8",
    )
    rows = [one for one in load_and_evaluate(spec).comparisons if one.is_tested]
    headline = {one.p_adjusted or 1.0 for one in rows if one.family == "headline"}
    others = sorted(
        (one.p or 1.0, one.p_adjusted or 1.0) for one in rows if one.family == "overall"
    )

    assert len(headline) == 1
    assert max(headline) < 0.01
    assert {"sensitivity", "specificity", "precision", "npv"} <= {one.measure for one in rows}
    reached = max(headline)
    for raw, adjusted in others:
        reached = max(reached, raw)
        assert adjusted == pytest.approx(reached)
    assert others[-1][1] < 0.05


def test_simultaneous_limits_are_wider_by_the_critical_value() -> None:
    """Two tests of unknown correlation: the quantile of 1 − 0.05 / 2 instead of 0.95."""
    comparisons = adjust_rows(row(error=0.001), row("kappa", difference=0.03, error=0.002))
    reach = norm.ppf(1 - 0.05 / 4)

    assert comparisons[0].low_adjusted == pytest.approx(0.02 - reach * 0.001)
    assert comparisons[1].high_adjusted == pytest.approx(0.03 + reach * 0.002)
    assert (
        comparisons[0].reversed.low_adjusted,
        comparisons[0].reversed.high_adjusted,
    ) == pytest.approx((-(comparisons[0].high_adjusted or 0), -(comparisons[0].low_adjusted or 0)))


@pytest.mark.parametrize("error", [0.001, 0.0095, 0.03])
@pytest.mark.parametrize("difference", [0.02, -0.02])
@pytest.mark.parametrize("p", [0.0001, 0.03, 0.2])
def test_simultaneous_limits_agree_with_the_decision(
    error: float, difference: float, p: float
) -> None:
    """0 is inside, or a limit, exactly where the difference is not significant, or just is."""
    comparison = adjust_rows(
        row(p=p, difference=difference, error=error), row("kappa", p=1e-9, error=0.001)
    )[0]
    assert comparison.low_adjusted is not None
    assert comparison.high_adjusted is not None

    if comparison.verdict is Decision.UNDECIDED:
        assert comparison.low_adjusted <= 0 <= comparison.high_adjusted
    else:
        assert comparison.low_adjusted >= 0 or comparison.high_adjusted <= 0


@pytest.mark.parametrize(("first_only", "second_only", "cases"), [(9, 2, 60), (30, 12, 400)])
@pytest.mark.parametrize("level", [0.975, 0.9999])
def test_rescaled_limits_are_those_of_the_method_at_the_other_level(
    first_only: int, second_only: int, cases: int, level: float
) -> None:
    """Exactly for intervals around the difference, nearly for those of Bonett and Price."""
    difference = (first_only - second_only) / cases
    own, other = (
        bonett_price_interval(first_only, second_only, cases, item) for item in (LEVEL, level)
    )
    comparison = replace(row(difference=difference), low=own.low, high=own.high)
    rescaled = multiple_testing.rescale_interval(comparison, LEVEL, level)
    around = replace(comparison, low=difference - 0.02, high=difference + 0.02)
    symmetric = multiple_testing.rescale_interval(around, LEVEL, level)
    reach = 0.02 * norm.ppf((1 + level) / 2) / norm.ppf((1 + LEVEL) / 2)

    assert rescaled == pytest.approx((other.low, other.high), abs=0.015 * (other.high - other.low))
    assert symmetric == pytest.approx((difference - reach, difference + reach), rel=1e-9)


def test_limits_without_adjustment_are_not_called_simultaneous() -> None:
    """With correction = "none" there are none."""
    comparison = adjust_rows(row(error=0.001), settings=ComparisonSettings(correction="none"))[0]

    assert (comparison.low_adjusted, comparison.high_adjusted) == (None, None)


def test_uncorrected_p_values_are_left_alone() -> None:
    """As asked, whatever the family."""
    comparison_settings = ComparisonSettings(correction="none", primary="accuracy")
    comparisons = adjust_rows(row(p=0.2), row("error_rate", p=0.04), settings=comparison_settings)

    assert [item.p_adjusted for item in comparisons] == [0.2, 0.04]
