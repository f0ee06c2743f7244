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


def test_the_highest_accuracy_is_said_with_the_others(tmp_path: Path) -> None:
    """15/20 against 13/20."""
    found = told(tmp_path, A=confusion((8, 2), (5, 5)), B=confusion((8, 2), (3, 7)))

    assert found[0] == "B has the highest accuracy, 0.750 (A 0.650)."


def test_a_shared_first_place_is_shared(tmp_path: Path) -> None:
    """Neither is called best."""
    same = confusion((8, 2), (3, 7))
    found = told(tmp_path, A=same, B=same)

    assert found[0] == "A and B share the highest accuracy, 0.750."
    assert not any(word in " ".join(found) for word in ("best", "leads", "superior"))


def test_one_classifier_is_not_called_best(tmp_path: Path) -> None:
    """It has no one to be better than."""
    found = told(tmp_path, A=confusion((8, 2), (3, 7)))

    assert found[0] == "The accuracy of A is 0.750."
    assert "best" not in " ".join(found)
    assert "highest" not in " ".join(found)


def test_measures_that_crown_different_classifiers_are_told_apart() -> None:
    """In the negotiation paper the measures do not agree."""
    found = sentences(build_report(evaluate(SPECS / "enegotiation.toml")))

    (sentence,) = (each for each in found if each.startswith("The measures do not agree"))
    assert "SVM leads in accuracy" in sentence
    assert "NB leads in" in sentence
    assert any(each.startswith("NB confirms positives best: ρ+ 3.217") for each in found)
    assert any(each.startswith("SVM confirms negatives best: ρ− 0.202") for each in found)
    assert any("discriminate the classes to a limited degree" in each for each in found)
    assert any(each.startswith("7 of 30 published values do not follow") for each in found)


@pytest.mark.parametrize("spec", sorted(path.stem for path in SPECS.glob("*.toml")))
def test_no_summary_claims_what_was_not_tested(spec: str) -> None:
    """No significance and no proof, and a note that says so."""
    report = build_report(evaluate(SPECS / f"{spec}.toml"))
    said = " ".join(sentences(report)).lower()

    for word in ("significant", "proves", "proven", "better than", "outperform", "reliabl"):
        assert word not in said
    assert any("has not been tested" in note for note in notes(report, "summary"))


def test_the_fold_means_are_ranked_when_only_they_are_known() -> None:
    """0.824 against 0.778."""
    found = sentences(build_report(evaluate(SPECS / "tenfold.toml")))

    assert found == ["A has the best mean accuracy over its folds, 0.824, against 0.778 for B."]


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
