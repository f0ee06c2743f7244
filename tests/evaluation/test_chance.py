"""Significant and right in over half: El Emam's matrices, Tables 9 and 10, footnote 22."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.evaluation.chance import ChanceAudit, compare_with_chance
from reportgen.evaluation.prevalence import PositiveClassCounts
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import parse_spec

SPEC = Path(__file__).parents[2] / "specs" / "chance.toml"
# Enumerated apart from this code: N = 10 and α = 0.1, one to five tenths Low.
TEN_CASES = [0.0098, 0.0381, 0.0859, 0.0742, 0.0547]


@pytest.fixture(scope="module")
def audit() -> ChanceAudit:
    """Return the audit of the spec that reproduces the paper."""
    chance = load_and_evaluate(SPEC).chance
    assert chance is not None
    return chance


def test_a_classifier_and_its_opposite_have_the_same_chi_square(audit: ChanceAudit) -> None:
    """Figures 4 and 5: chi-square about 15, accuracies of 74 and 26 %; only one passes."""
    right, wrong = audit.comparisons[:2]

    assert right.chi_square == wrong.chi_square == pytest.approx(14.976, abs=5e-4)
    assert (right.accuracy, wrong.accuracy) == pytest.approx((0.737, 0.263), abs=5e-4)
    assert (right.passes, wrong.passes) == (True, False)
    assert (right.misleading, wrong.misleading) == (False, True)
    assert wrong.youden == pytest.approx(-0.470, abs=5e-4)


def test_figures_6_and_7_do_not_pass(audit: ChanceAudit) -> None:
    """One is significant and right in exactly half; one is right in 75 % and not significant."""
    half, good = audit.comparisons[2:]

    assert (half.chi_square, half.accuracy) == pytest.approx((4.956, 0.5), abs=5e-4)
    assert (good.chi_square, good.accuracy) == pytest.approx((2.370, 0.75), abs=5e-4)
    assert (half.significant, half.passes) == (True, False)
    assert (good.significant, good.passes) == (False, False)


def test_tables_9_and_10_fit_without_the_correction_and_not_with_it(audit: ChanceAudit) -> None:
    """All 100 printed values are likely outcomes of 5000 draws without it, none with it."""
    assert len(audit.table_cells) == 100
    assert {(cell.plain_agrees, cell.corrected_agrees) for cell in audit.table_cells} == {
        (True, False)
    }
    first_row = [cell.plain for cell in audit.table_cells if (cell.size, cell.alpha) == (10, 0.1)]
    assert first_row == pytest.approx(TEN_CASES, abs=5e-5)


def test_footnote_22_does_not_come_out(audit: ChanceAudit) -> None:
    """0.1488 instead of the simulated 0.137; "less than 0.0001" for even guesses does."""
    same, even = audit.published_checks

    assert (same.published, same.agrees) == (0.137, False)
    assert same.computed == pytest.approx(0.1488, abs=5e-5)
    assert even.agrees
    assert even.computed < 0.0001


def test_a_table_without_draws_has_to_agree_as_printed(tmp_path: Path) -> None:
    """Exact values printed with four digits agree; one of them a digit off does not."""
    text = (
        '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
        '[[classifiers]]\nname = "A"\nconfusion = [[9, 1], [2, 8]]\n'
        "[chance]\nsizes = [10]\nshares = [0.1, 0.2, 0.3, 0.4, 0.5]\nalphas = [0.1]\n"
        "[[chance.tables]]\nalpha = 0.1\nvalues = [[0.0098, 0.0381, 0.0859, 0.0742, 0.0548]]\n"
    )
    chance = parse_spec(tmp_path / "spec.toml", text.encode()).spec.chance

    chance_audit = compare_with_chance([], 0.05, chance)

    assert chance_audit is not None
    assert [cell.plain_agrees for cell in chance_audit.table_cells] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_a_classifier_that_always_says_the_same_has_no_chi_square() -> None:
    """It never passes; guessing in the same way is as accurate for certain."""
    chance_audit = compare_with_chance(
        [PositiveClassCounts("A", tp=0, fn=10, fp=0, tn=90)], 0.05, None
    )

    assert chance_audit is not None
    (row,) = chance_audit.comparisons
    assert (row.chi_square, row.p, row.passes, row.misleading) == (None, None, False, False)
    assert row.p_value_vs_same_rate == 1


def test_a_class_without_cases_is_distinguished_from_a_bad_classifier() -> None:
    """Youden's index is unknown then, and so is chi-square."""
    chance_audit = compare_with_chance(
        [PositiveClassCounts("A", tp=0, fn=0, fp=5, tn=5)], 0.05, None
    )

    assert chance_audit is not None
    assert (chance_audit.comparisons[0].youden, chance_audit.comparisons[0].prob_random_passes) == (
        None,
        0,
    )


def test_nothing_is_audited_without_matrices() -> None:
    """A multiclass task or scores per fold."""
    assert compare_with_chance([], 0.05, None) is None
