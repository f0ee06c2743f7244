"""The summary says what was found and nothing beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from tests.report.report_text import MULTICLASS, confusion, evaluated, notes, sentences

SPECS = Path(__file__).parents[2] / "specs"
MOST_SENTENCES = 7


def summary_sentences(folder: Path, **classifiers: str) -> list[str]:
    """Return the summary of binary classifiers."""
    return sentences(build_report(evaluated(folder, classifiers)))


def test_a_difference_that_may_be_chance_is_not_claimed(tmp_path: Path) -> None:
    """15/20 against 13/20: Wilson's limits squared and added, (−0.177, 0.357), hold 0."""
    found = summary_sentences(tmp_path, A=confusion((8, 2), (5, 5)), B=confusion((8, 2), (3, 7)))

    assert found[0].startswith("B and A cannot be told apart in accuracy: 75.0% against 65.0")
    assert "(difference 10.0\u202fpoints, −17.6 to 35.7; p = " in found[0]
    assert "If that is the true difference, about " in found[0]
    assert "better" not in " ".join(found)


def test_a_difference_that_is_shown_is_claimed_with_its_figures(tmp_path: Path) -> None:
    """900 of 1000 against 600 of 1000."""
    found = summary_sentences(
        tmp_path, A=confusion((300, 200), (200, 300)), B=confusion((450, 50), (50, 450))
    )

    assert found[0] == (
        "B is better than A in accuracy: 90.0% against 60.0%"
        " (difference 30.0\u202fpoints, 26.4 to 33.5; p < 0.001)."
    )
    assert found[1].startswith("B avoids failure better than A (γ 0.800 against 0.200), confirms ")


def test_of_three_the_best_is_better_only_than_those_it_is_shown_to_be(tmp_path: Path) -> None:
    """900 against 890 may be chance, against 600 it is not."""
    found = summary_sentences(
        tmp_path,
        A=confusion((445, 55), (55, 445)),
        B=confusion((450, 50), (50, 450)),
        C=confusion((300, 200), (200, 300)),
    )

    assert found[0].startswith("B has the highest accuracy, 90.0")
    assert ": it is better than C (by 30.0\u202fpoints, 26.4 to 33.5), and it cannot" in found[0]
    assert found[0].endswith("be told apart from A (difference 1.0\u202fpoints, −1.7 to 3.7).")
    assert found[1].startswith("A is better than C in accuracy (difference 29.0\u202fpoints, ")


@pytest.mark.parametrize(
    ("fifth", "than"), [(300, "than all 4 others"), (448, "than 3 of the 4 others")]
)
def test_those_led_are_counted_or_all(tmp_path: Path, fifth: int, than: str) -> None:
    """450 of 500 found are more than 300; 448 may be as many."""
    worse = confusion((300, 200), (200, 300))
    found = summary_sentences(
        tmp_path,
        A=confusion((450, 50), (50, 450)),
        B=worse,
        C=worse,
        D=worse,
        E=confusion((fifth, 500 - fifth), (500 - fifth, fifth)),
    )

    assert found[1].startswith(f"A avoids failure better {than} (γ 0.800), confirms positives ")
    again = "all of them" if "all" in than else "3 of them"
    assert f"confirms positives better than {again} (ρ+ 9.000)" in found[1]


def test_equal_values_are_called_the_same(tmp_path: Path) -> None:
    """Neither is called best."""
    same = confusion((8, 2), (3, 7))
    found = summary_sentences(tmp_path, A=same, B=same)

    assert found[0] == "A and B have the same accuracy, 75.0%."
    assert not any(word in " ".join(found) for word in ("best", "leads", "superior", "better"))


def test_three_equal_ones_have_the_same_value(tmp_path: Path) -> None:
    """None of them has the highest."""
    same = confusion((450, 50), (50, 450))

    found = summary_sentences(tmp_path, A=same, B=same, C=same)

    assert found[0] == "A, B and C have the same accuracy, 90.0%."


def test_a_margin_makes_small_differences_equivalent(tmp_path: Path) -> None:
    """9000 against 9010 of 10000 differ by less than 0.02 for all one can tell."""
    more = "[comparison]\nmargin = { accuracy = 0.02 }\n"
    found = evaluated(
        tmp_path,
        {"A": confusion((4500, 500), (500, 4500)), "B": confusion((4505, 495), (495, 4505))},
        more=more,
    )

    said = sentences(build_report(found))[0]
    assert said.startswith("B and A are equivalent in accuracy: 90.1% against 90.0%")


def test_one_classifier_is_not_called_best(tmp_path: Path) -> None:
    """It has no one to be better than."""
    found = summary_sentences(tmp_path, A=confusion((8, 2), (3, 7)))

    assert found[0].startswith("The accuracy of A is 75.0%")
    assert "best" not in " ".join(found)
    assert "highest" not in " ".join(found)


def test_the_negotiation_paper_is_reported_as_far_as_its_counts_show() -> None:
    """Accuracy and Youden's index are open, p 0.65; each confirms one side better."""
    found = sentences(build_report(load_and_evaluate(SPECS / "enegotiation.toml")))

    assert found[0].startswith(
        "SVM and NB cannot be told apart in accuracy: 77.4% against 76.8%"
        " (difference 0.6\u202fpoints, −1.7 to 2.9; p = 0.639)."
    )
    assert found[1].startswith(
        "SVM confirms negatives better than NB (ρ− 0.202 against 0.297), finds a larger share of"
        " the positives (sensitivity 86.8% against 77.4%) and is right more often when"
    )
    assert found[2].startswith(
        "NB confirms positives better than SVM (ρ+ 3.217 against 2.515), rejects a larger share"
        " of the negatives (specificity 75.9% against 65.5%) and is right more often"
    )
    assert found[3] == (
        "SVM and NB cannot be told apart in avoiding failure (γ: difference −0.011, −0.057 to"
        " 0.036), discriminating the classes (DP: difference +0.078, −0.070 to 0.227) or 1 further"
        " measure."
    )
    assert any("discriminate the classes to a limited degree" in each for each in found)
    assert any(each.startswith("7 of 30 published values do not follow") for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(path.stem for path in SPECS.glob("*.toml")))
def test_a_summary_that_compares_says_how_it_tested(spec: str) -> None:
    """No proof, no outperforming, and a note on what the claims rest on."""
    found = load_and_evaluate(SPECS / f"{spec}.toml")
    report = build_report(found)
    said = " ".join(sentences(report)).lower()

    for word in ("proves", "proven", "outperform", "reliabl"):
        assert word not in said
    if any(row.primary_test and row.p is not None for row in found.comparisons):
        assert any("is false" in note or "one test" in note for note in notes(report, "summary"))
        assert len(sentences(report)) <= MOST_SENTENCES


def test_fold_means_are_reported_with_what_the_tests_say_of_them() -> None:
    """0.824 against 0.778: naive p 0.0154, corrected 0.0705."""
    found = sentences(build_report(load_and_evaluate(SPECS / "tenfold.toml")))

    assert found[0] == (
        "Mean accuracy over the folds: A 82.4%, B 77.8% (difference 4.6\u202fpoints,"
        " −0.5 to 9.7). The difference is not shown to be more than chance (p = 0.0705)."
    )
    assert "Trust the corrected one." in found[1]


def test_a_classifier_that_is_wrong_more_often_than_right_confirms_nothing_best(
    tmp_path: Path,
) -> None:
    """Below ρ+ = 1 the ratios are swapped: the table calls B superior, so may not the summary A."""
    found = evaluated(
        tmp_path,
        {"A": confusion((33, 67), (67, 33)), "B": confusion((20, 80), (80, 20))},
    )
    verdicts = {
        row.classifier: row.cells["confirmation_of_classes"].verdict for row in found.capabilities
    }

    assert verdicts == {"A": "inferior overall", "B": "superior overall"}
    said = sentences(build_report(found))
    assert not any(each.startswith("A confirms") for each in said)


def test_classes_that_are_all_found_equally_often_have_no_hardest_one(tmp_path: Path) -> None:
    """A classifier that finds everything finds nothing least often."""
    perfect = evaluated(tmp_path, {"A": confusion((5, 0, 0), (0, 5, 0), (0, 0, 5))}, MULTICLASS)

    assert not any("least often" in each for each in sentences(build_report(perfect)))


def test_the_hardest_class_is_the_one_found_least_often(tmp_path: Path) -> None:
    """Sensitivity 0.8, 0.4 and 0.6."""
    found = evaluated(tmp_path, {"A": confusion((8, 1, 1), (3, 4, 3), (2, 2, 6))}, MULTICLASS)

    said = "Found least often: class b by A, 40.0% (16.8 to 68.7)."
    assert said in sentences(build_report(found))


def test_an_undefined_discriminant_power_cannot_be_graded(tmp_path: Path) -> None:
    """A classifier that always gives the same answer discriminates nothing, not even poorly."""
    found = summary_sentences(tmp_path, A=confusion((8, 2), (3, 7)), B=confusion((10, 0), (10, 0)))

    assert any(each.endswith("B cannot be graded.") for each in found)


def test_values_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    """A classifier without a false positive has an infinite ρ+ and discriminant power."""
    found = summary_sentences(tmp_path, A=confusion((5, 5), (0, 10)))

    assert any("Among the values shown, 2 are infinite;" in each for each in found)


def test_published_values_that_all_agree_are_stated_to(tmp_path: Path) -> None:
    """75 %."""
    more = '[[published]]\nclassifier = "A"\nmeasure = "accuracy"\nvalue = 75\nunit = "%"\n'
    found = evaluated(tmp_path, {"A": confusion((8, 2), (3, 7))}, more=more)

    assert any(
        "Every published value comes out as printed." in each
        for each in sentences(build_report(found))
    )
