"""The summary says what was found and nothing beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.pipeline import evaluate
from reportgen.report import build_report
from tests.report.told import MULTICLASS, confusion, evaluated, notes, sentences

SPECS = Path(__file__).parents[2] / "specs"


def told(folder: Path, **classifiers: str) -> list[str]:
    """Return the summary of binary classifiers."""
    return sentences(build_report(evaluated(folder, classifiers)))


def test_a_difference_that_may_be_chance_is_not_claimed(tmp_path: Path) -> None:
    """15/20 against 13/20: no test tells them apart, and some 900 cases would."""
    found = told(tmp_path, A=confusion((8, 2), (5, 5)), B=confusion((8, 2), (3, 7)))

    assert found[0].startswith("B and A cannot be told apart in accuracy: 0.750 against 0.650 (")
    assert "If the true difference is the one found, about " in found[0]
    assert "better" not in " ".join(found)


def test_a_difference_that_is_shown_is_claimed_with_its_figures(tmp_path: Path) -> None:
    """900 of 1000 against 600 of 1000."""
    found = told(tmp_path, A=confusion((300, 200), (200, 300)), B=confusion((450, 50), (50, 450)))

    assert found[0] == (
        "B is better than A in accuracy: 0.900 against 0.600"
        " (difference +0.300, 0.264 to 0.335; p < 0.001)."
    )
    assert found[1].startswith("Of the other measures, B is shown to be better than A in ")


def test_of_three_the_best_is_better_only_than_those_it_is_shown_to_be(tmp_path: Path) -> None:
    """900 against 890 may be chance, against 600 it is not."""
    found = told(
        tmp_path,
        A=confusion((445, 55), (55, 445)),
        B=confusion((450, 50), (50, 450)),
        C=confusion((300, 200), (200, 300)),
    )

    assert found[0].startswith("B has the highest accuracy, 0.900")
    assert found[0].endswith(": it is better than C, and it cannot be told apart from A.")


def test_equal_values_are_called_the_same(tmp_path: Path) -> None:
    """Neither is called best."""
    same = confusion((8, 2), (3, 7))
    found = told(tmp_path, A=same, B=same)

    assert found[0] == "A and B have the same accuracy, 0.750."
    assert not any(word in " ".join(found) for word in ("best", "leads", "superior", "better"))


def test_three_equal_ones_have_the_same_value(tmp_path: Path) -> None:
    """None of them has the highest."""
    same = confusion((450, 50), (50, 450))

    assert told(tmp_path, A=same, B=same, C=same)[0] == "A, B and C have the same accuracy, 0.900."


def test_a_margin_makes_small_differences_equivalent(tmp_path: Path) -> None:
    """9000 against 9010 of 10000 differ by less than 0.02 for all one can tell."""
    more = "[comparison]\nmargin = { accuracy = 0.02 }\n"
    found = evaluated(
        tmp_path,
        {"A": confusion((4500, 500), (500, 4500)), "B": confusion((4505, 495), (495, 4505))},
        more=more,
    )

    said = sentences(build_report(found))[0]
    assert said.startswith("B and A are equivalent in accuracy: 0.901 against 0.900")


def test_one_classifier_is_not_called_best(tmp_path: Path) -> None:
    """It has no one to be better than."""
    found = told(tmp_path, A=confusion((8, 2), (3, 7)))

    assert found[0].startswith("The accuracy of A is 0.750")
    assert "best" not in " ".join(found)
    assert "highest" not in " ".join(found)


def test_the_negotiation_paper_is_told_as_far_as_its_counts_show() -> None:
    """Accuracy and Youden's index are open, p 0.65; each confirms one side better."""
    found = sentences(build_report(evaluate(SPECS / "enegotiation.toml")))

    assert found[0].startswith("SVM and NB cannot be told apart in accuracy: 0.774 against 0.768")
    assert found[1] == (
        "Of the other measures, SVM is shown to be better than NB in sensitivity and negative"
        " predictive value; NB is shown to be better than SVM in specificity and precision;"
        " for 3 of them that is open."
    )
    assert "NB confirms positives better than SVM: ρ+ 3.217 against 2.515." in found
    assert "SVM confirms negatives better than NB: ρ− 0.202 against 0.297." in found
    assert any("discriminate the classes to a limited degree" in each for each in found)
    assert any(each.startswith("7 of 30 published values do not follow") for each in found)


@pytest.mark.parametrize("spec", sorted(path.stem for path in SPECS.glob("*.toml")))
def test_a_summary_that_compares_says_how_it_tested(spec: str) -> None:
    """No proof, no outperforming, and a note on what the claims rest on."""
    found = evaluate(SPECS / f"{spec}.toml")
    report = build_report(found)
    said = " ".join(sentences(report)).lower()

    for word in ("proves", "proven", "outperform", "reliabl"):
        assert word not in said
    if any(row.decisive and row.p is not None for row in found.differences):
        assert any("is false" in note or "one test" in note for note in notes(report, "summary"))


def test_fold_means_are_told_with_what_the_tests_say_of_them() -> None:
    """0.824 against 0.778: naive p 0.0154, corrected 0.0705."""
    found = sentences(build_report(evaluate(SPECS / "tenfold.toml")))

    assert found[0] == (
        "Mean accuracy over the folds: A 0.824, B 0.778. The difference is not shown to be more"
        " than chance (p = 0.0705)."
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

    assert "A finds class b least often: sensitivity 0.400." in sentences(build_report(found))


def test_an_undefined_discriminant_power_cannot_be_graded(tmp_path: Path) -> None:
    """A classifier that always gives the same answer discriminates nothing, not even poorly."""
    found = told(tmp_path, A=confusion((8, 2), (3, 7)), B=confusion((10, 0), (10, 0)))

    assert any(each.endswith("B cannot be graded.") for each in found)


def test_values_that_are_not_finite_are_counted(tmp_path: Path) -> None:
    """A classifier without a false positive has an infinite ρ+ and discriminant power."""
    found = told(tmp_path, A=confusion((5, 5), (0, 10)))

    assert any("Among the values shown, 2 are infinite;" in each for each in found)


def test_published_values_that_all_agree_are_said_to(tmp_path: Path) -> None:
    """75 %."""
    more = '[[published]]\nclassifier = "A"\nmeasure = "accuracy"\nvalue = 75\nunit = "%"\n'
    found = evaluated(tmp_path, {"A": confusion((8, 2), (3, 7))}, more=more)

    assert any(
        "Every published value comes out as printed." in each
        for each in sentences(build_report(found))
    )
