"""Numbers and words that papers printed come out of their own data, except where they are wrong."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.export.results import build_results
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.export.schema import Results

SPECS = Path(__file__).parents[2] / "specs"

# Sokolova and others 2006, from the counts of their Table 2, with more digits than they print.
EXACT = {
    "SVM": {
        "accuracy": 0.773917,
        "f1": 0.810970,
        "sensitivity": 0.867925,
        "specificity": 0.654867,
        "balanced_accuracy": 0.761396,
        "youden": 0.52279,
        "lr_positive": 2.51476,
        "lr_negative": 0.20168,
        "discriminant_power": 1.39113,
    },
    "NB": {
        "accuracy": 0.767669,
        "f1": 0.788332,
        "sensitivity": 0.774284,
        "specificity": 0.759292,
        "balanced_accuracy": 0.766788,
        "youden": 0.53358,
        "lr_positive": 3.21669,
        "lr_negative": 0.29727,
        "discriminant_power": 1.31297,
    },
}


@cache
def evaluation(spec: str) -> Evaluation:
    """Evaluate one of the specs."""
    return load_and_evaluate(SPECS / f"{spec}.toml")


@cache
def results(spec: str) -> Results:
    """Return what results.json holds."""
    return build_results(evaluation(spec))


def main_value(spec: str, classifier: str, measure: str) -> float | None:
    """Return the value for the positive class."""
    return evaluation(spec).by_key[classifier, None, None, measure].value


@pytest.mark.parametrize(
    ("classifier", "measure"),
    [(classifier, measure) for classifier, result in EXACT.items() for measure in result],
)
def test_negotiation_values_come_out_of_table_2(classifier: str, measure: str) -> None:
    """Tables 3 and 5, to 1e-4, in the evaluation and in the results."""
    expected = pytest.approx(EXACT[classifier][measure], abs=1e-4)
    rows = [
        row.value
        for row in results("enegotiation").values
        if (row.classifier, row.class_, row.average, row.fold) == (classifier, None, None, None)
        and row.measure == measure
    ]

    assert main_value("enegotiation", classifier, measure) == expected
    assert rows == [expected]


def capability_words(classifier: str) -> dict[str, str]:
    """Return the verdicts on a classifier by capability."""
    (row,) = (
        row for row in evaluation("enegotiation").capabilities if row.classifier == classifier
    )
    return {name: cell.verdict for name, cell in row.cells.items()}


def test_the_words_of_tables_4_and_6_come_out_but_for_predictive_power() -> None:
    """Table 2 gives precision 76.1 against 80.3 and NPV 79.7 against 72.7: not as Table 4 says."""
    assert capability_words("SVM") == {
        "overall_effectiveness": "superior",
        "predictive_power": "superior on negative examples",
        "class_effectiveness": "superior on positive examples",
        "avoidance_of_failure": "inferior",
        "confirmation_of_classes": "superior for negatives",
        "discrimination_of_classes": "limited",
    }
    assert capability_words("NB") == {
        "overall_effectiveness": "inferior",
        "predictive_power": "superior on positive examples",
        "class_effectiveness": "superior on negative examples",
        "avoidance_of_failure": "superior",
        "confirmation_of_classes": "superior for positives",
        "discrimination_of_classes": "limited",
    }


def test_the_papers_verdicts_are_significant_as_far_as_its_counts_show() -> None:
    """Superior in avoidance of failure has p 0.65; what each is superior at is shown."""
    svm, nb = evaluation("enegotiation").capabilities
    significance = {
        name: (svm.cells[name].significant, nb.cells[name].significant) for name in svm.cells
    }

    assert significance == {
        "overall_effectiveness": (False, False),
        "predictive_power": (True, True),
        "class_effectiveness": (True, True),
        "avoidance_of_failure": (False, False),
        "confirmation_of_classes": (True, True),
        "discrimination_of_classes": (True, True),
    }
    compared = evaluation("enegotiation").comparison_index.find("NB", "SVM", None, "youden")
    assert compared is not None
    assert compared.p == pytest.approx(0.650, abs=5e-4)


def test_the_relation_of_figure_1_is_that_of_confirming_one_class_each() -> None:
    """SVM has the lower ρ+ and the lower ρ−."""
    (relation,) = evaluation("enegotiation").likelihood_relations

    assert (relation.first, relation.second) == ("SVM", "NB")
    assert relation.relation == "superior for confirmation of negatives"
    assert relation.swapped_classifiers == ()


def test_exactly_the_known_misprints_disagree_each_with_its_reason() -> None:
    """Four numbers of Table 3, both words on predictive power in Table 4, one γ of Table 5."""
    different = [check for check in evaluation("enegotiation").published if not check.agrees]

    assert {(check.source, check.classifier, check.measure) for check in different} == {
        ("Table 3", "SVM", "f1"),
        ("Table 3", "NB", "f1"),
        ("Table 3", "NB", "sensitivity"),
        ("Table 3", "SVM", "specificity"),
        ("Table 4", "SVM", "predictive_power"),
        ("Table 4", "NB", "predictive_power"),
        ("Table 5", "SVM", "youden"),
    }
    assert len(different) == 7
    assert all(check.note for check in different)


def test_every_number_and_word_the_paper_printed_is_checked() -> None:
    """Tables 3 and 5 have ten and eight numbers, Tables 4 and 6 six words each."""
    checks = evaluation("enegotiation").published
    sources = [check.source for check in checks]

    counted = {source: sources.count(source) for source in dict.fromkeys(sources)}
    assert counted == {"Table 3": 10, "Table 4": 6, "Table 5": 8, "Table 6": 6}
    assert [row.agrees for row in results("enegotiation").published] == [
        check.agrees for check in checks
    ]


@pytest.mark.parametrize(
    ("figure", "chi_square", "accuracy"),
    [
        ("Figure 4", 14.976, 56 / 76),
        ("Figure 5", 14.976, 20 / 76),
        ("Figure 6", 4.956, 38 / 76),
        ("Figure 7", 2.370, 75 / 100),
    ],
)
def test_software_risk_figures_come_out(figure: str, chi_square: float, accuracy: float) -> None:
    """El Emam and others 2000, figures 4 to 7, with Yates' correction."""
    value = main_value("software_risk", figure, "chi_square")

    assert value == pytest.approx(chi_square, abs=5e-4)
    assert main_value("software_risk", figure, "accuracy") == pytest.approx(accuracy, rel=1e-14)


@pytest.mark.parametrize(
    ("figure", "significant"),
    [("Figure 4", True), ("Figure 5", True), ("Figure 6", True), ("Figure 7", False)],
)
def test_the_p_value_says_which_figures_are_significant(figure: str, *, significant: bool) -> None:
    """At 0.05; the p-value is erfc(√(χ²/2)), one degree of freedom."""
    p_value = main_value("software_risk", figure, "chi_square_p")
    chi_square = main_value("software_risk", figure, "chi_square")

    assert p_value is not None
    assert chi_square is not None
    assert (p_value < 0.05) == significant
    assert p_value == pytest.approx(math.erfc(math.sqrt(chi_square / 2)), rel=1e-12)


def test_chi_square_cannot_distinguish_a_classifier_from_its_opposite_but_youden_can() -> None:
    """Figure 5 is Figure 4 with its answers exchanged: J −0.470 instead of 0.470."""
    same = main_value("software_risk", "Figure 4", "chi_square")

    assert main_value("software_risk", "Figure 5", "chi_square") == pytest.approx(same, rel=1e-12)
    assert main_value("software_risk", "Figure 4", "youden") == pytest.approx(0.470, abs=5e-4)
    assert main_value("software_risk", "Figure 5", "youden") == pytest.approx(-0.470, abs=5e-4)


def test_all_that_the_software_risk_paper_printed_agrees() -> None:
    """Seven numbers."""
    checks = evaluation("software_risk").published

    assert [check.agrees for check in checks] == [True] * 7


def test_the_swap_rule_is_applied_to_figure_5_alone() -> None:
    """Its ρ+ is below 1: a positive answer speaks against the class."""
    swapped = {
        name
        for likelihood_relation in evaluation("software_risk").likelihood_relations
        for name in likelihood_relation.swapped_classifiers
    }

    assert swapped == {"Figure 5"}


A = (0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81)
B = (0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77)


@pytest.mark.parametrize(("classifier", "scores"), [("A", A), ("B", B)])
def test_the_ten_folds_give_mean_and_variance(classifier: str, scores: tuple[float, ...]) -> None:
    """Passerini: Σ(Sᵢ−S̄)²/(k−1), and that over k for the mean."""
    (fold,) = (
        fold for fold in evaluation("tenfold").fold_summaries if fold.classifier == classifier
    )
    mean = math.fsum(scores) / 10
    squares = math.fsum((score - mean) ** 2 for score in scores)

    assert (fold.measure, fold.k, fold.undefined_folds) == ("accuracy", 10, 0)
    assert fold.mean == pytest.approx(mean, rel=1e-12)
    assert fold.variance == pytest.approx(squares / 9, rel=1e-12)
    assert fold.variance_of_mean == pytest.approx(squares / 90, rel=1e-12)


def test_the_ten_folds_differ_as_published() -> None:
    """Mean difference 0.046 with standard error 0.0154344, from the scores fold by fold."""
    frame = evaluation("tenfold").values.frame
    values = {
        (classifier, fold): score
        for classifier, fold, score in frame.select("classifier", "fold", "value").rows()
    }
    differences = [values["A", str(fold)] - values["B", str(fold)] for fold in range(1, 11)]
    mean = math.fsum(differences) / 10
    squares = math.fsum((difference - mean) ** 2 for difference in differences)

    first, second = (fold.mean for fold in evaluation("tenfold").fold_summaries)
    assert first is not None
    assert second is not None
    assert first - second == pytest.approx(mean, rel=1e-12) == pytest.approx(0.046, rel=1e-12)
    assert math.sqrt(squares / 90) == pytest.approx(0.0154344, abs=5e-8)


def test_only_fold_scores_means_no_verdicts() -> None:
    """Without counts there is no capability, relation or score over all folds."""
    result = evaluation("tenfold")

    assert result.capabilities == ()
    assert result.likelihood_relations == ()
    assert result.by_key == {}
