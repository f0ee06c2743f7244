"""The key findings are facts that follow from the evaluation, and claim nothing beyond it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from reportgen.report.findings.collect import (
    DiscriminantPowerFinding,
    LowestRecallFinding,
    ReproductionFinding,
    collect_findings,
)
from reportgen.report.findings.comparisons import (
    LeaderFinding,
    LeaderOutcome,
    NonsignificantPairFinding,
    OverallLeadFinding,
    PairFinding,
    SuperiorityFinding,
    TieFinding,
    ValueFinding,
)
from reportgen.report.findings.cross_validation import CorrectionDisagreementFinding
from tests.report.report_text import MULTICLASS, confusion, evaluated, notes, sentences

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.findings import Finding

SPECS = Path(__file__).parents[2] / "specs"
MOST_SENTENCES = 7
Kind = TypeVar("Kind")


def findings(folder: Path, **classifiers: str) -> tuple[Finding, ...]:
    """Return the findings on binary classifiers."""
    return collect_findings(evaluated(folder, classifiers))


def of_kind(findings: tuple[Finding, ...], kind: type[Kind]) -> list[Kind]:
    """Return the findings of a kind."""
    return [finding for finding in findings if isinstance(finding, kind)]


def advantages(finding: SuperiorityFinding | OverallLeadFinding) -> dict[str, tuple[str, ...]]:
    """Return the losers by measure."""
    return {advantage.measure.name: advantage.losers for advantage in finding.advantages}


def test_a_difference_that_may_be_chance_is_not_claimed(tmp_path: Path) -> None:
    """15/20 against 13/20: Wilson's limits squared and added, (−0.177, 0.357), hold 0."""
    result = findings(tmp_path, A=confusion((8, 2), (5, 5)), B=confusion((8, 2), (3, 7)))
    (pair,) = of_kind(result, PairFinding)

    assert (pair.first, pair.second, pair.decision) == ("B", "A", Decision.UNDECIDED)
    assert pair.comparison is not None
    assert pair.comparison.low == pytest.approx(-0.176, abs=0.001)
    assert pair.comparison.required_cases is not None
    assert not of_kind(result, SuperiorityFinding)


def test_a_difference_that_is_significant_is_claimed_with_its_values(tmp_path: Path) -> None:
    """900 of 1000 against 600 of 1000."""
    result = findings(
        tmp_path, A=confusion((300, 200), (200, 300)), B=confusion((450, 50), (50, 450))
    )
    (pair,) = of_kind(result, PairFinding)
    (superior,) = of_kind(result, SuperiorityFinding)

    assert (pair.first, pair.decision) == ("B", Decision.SUPERIOR)
    assert pair.values is not None
    assert [value.value for value in pair.values] == [0.9, 0.6]
    assert superior.winner == "B"
    assert advantages(superior)["youden"] == ("A",)


def test_of_three_the_best_is_better_only_than_those_it_is_shown_to_be(tmp_path: Path) -> None:
    """900 against 890 may be chance, against 600 it is not."""
    result = findings(
        tmp_path,
        A=confusion((445, 55), (55, 445)),
        B=confusion((450, 50), (50, 450)),
        C=confusion((300, 200), (200, 300)),
    )
    (leader,), (runners_up,) = of_kind(result, LeaderFinding), of_kind(result, PairFinding)

    assert leader.best == ("B",)
    assert [(relation.outcome, relation.others) for relation in leader.relations] == [
        (LeaderOutcome.SUPERIOR, ("C",)),
        (LeaderOutcome.NOT_SIGNIFICANT, ("A",)),
    ]
    assert (runners_up.first, runners_up.second) == ("A", "C")
    assert runners_up.decision is Decision.SUPERIOR


@pytest.mark.parametrize(("fifth", "losers"), [(300, 4), (448, 3)])
def test_significant_wins_are_counted(tmp_path: Path, fifth: int, losers: int) -> None:
    """450 of 500 found are more than 300; 448 may be as many."""
    worse = confusion((300, 200), (200, 300))
    result = findings(
        tmp_path,
        A=confusion((450, 50), (50, 450)),
        B=worse,
        C=worse,
        D=worse,
        E=confusion((fifth, 500 - fifth), (500 - fifth, fifth)),
    )
    (lead,) = of_kind(result, OverallLeadFinding)

    assert (lead.winner, lead.n_others) == ("A", 4)
    assert {len(names) for names in advantages(lead).values()} == {losers}


def test_equal_values_are_a_tie(tmp_path: Path) -> None:
    """Neither is called best."""
    same = confusion((8, 2), (3, 7))
    result = findings(tmp_path, A=same, B=same)
    (pair,) = of_kind(result, PairFinding)

    assert pair.decision is Decision.TIED
    assert not of_kind(result, SuperiorityFinding)


def test_three_equal_ones_have_the_same_value(tmp_path: Path) -> None:
    """None of them has the highest."""
    same = confusion((450, 50), (50, 450))
    (tie,) = of_kind(findings(tmp_path, A=same, B=same, C=same), TieFinding)

    assert (tie.classifiers, tie.value.value) == (("A", "B", "C"), 0.9)


def test_a_margin_makes_small_differences_equivalent(tmp_path: Path) -> None:
    """9000 against 9010 of 10000 differ by less than 0.02 for all one can tell."""
    more = "[comparison]\nmargin = { accuracy = 0.02 }\n"
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((4500, 500), (500, 4500)), "B": confusion((4505, 495), (495, 4505))},
        more=more,
    )
    (pair,) = of_kind(collect_findings(evaluation), PairFinding)

    assert (pair.decision, pair.margin) == (Decision.EQUIVALENT, 0.02)


def test_one_classifier_is_not_called_best(tmp_path: Path) -> None:
    """It has no one to be better than."""
    result = findings(tmp_path, A=confusion((8, 2), (3, 7)))
    (value,) = of_kind(result, ValueFinding)

    assert (value.classifier, value.value.value) == ("A", 0.75)
    assert not of_kind(result, LeaderFinding)


def test_the_negotiation_paper_is_reported_as_far_as_its_counts_show() -> None:
    """Accuracy and Youden's J do not differ, p 0.65; each is better on one side."""
    result = collect_findings(load_and_evaluate(SPECS / "enegotiation.toml"))
    (pair,) = of_kind(result, PairFinding)
    svm, nb = of_kind(result, SuperiorityFinding)
    (rest,), (power,) = (
        of_kind(result, NonsignificantPairFinding),
        of_kind(result, DiscriminantPowerFinding),
    )

    assert (pair.first, pair.decision) == ("SVM", Decision.UNDECIDED)
    assert (svm.winner, list(advantages(svm))) == ("SVM", ["lr_negative", "sensitivity", "npv"])
    assert (nb.winner, list(advantages(nb))) == ("NB", ["lr_positive", "specificity", "precision"])
    assert [measure.name for measure, _ in rest.comparisons][:2] == ["youden", "discriminant_power"]
    assert set(power.grades) == {("limited", "limited")}
    assert of_kind(result, ReproductionFinding) == [
        ReproductionFinding(30, 7, section_included=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(path.stem for path in SPECS.glob("*.toml")))
def test_a_summary_that_compares_says_how_it_tested(spec: str) -> None:
    """No proof, no outperforming, and a note on the error rate."""
    evaluation = load_and_evaluate(SPECS / f"{spec}.toml")
    report = build_report(evaluation)
    # A spec that lists its sections need not have the findings; the summary then stands alone.
    kinds = {section.kind for section in report.sections}
    kind = "findings" if "findings" in kinds else "summary"
    message = " ".join(sentences(report, kind)).lower()

    assert message
    for word in ("proves", "proven", "outperform"):
        assert word not in message
    if kind == "findings" and any(
        row.primary_test and row.p is not None for row in evaluation.comparisons
    ):
        rates = ("error rate", "significance level")
        assert any(rate in note for note in notes(report, "findings") for rate in rates)
        assert len(sentences(report)) <= MOST_SENTENCES


def test_fold_means_are_reported_with_their_tests() -> None:
    """0.824 against 0.778: naive p 0.0154, corrected 0.0705."""
    result = collect_findings(load_and_evaluate(SPECS / "tenfold.toml"))
    (pair,), (disagreement,) = (
        of_kind(result, PairFinding),
        of_kind(result, CorrectionDisagreementFinding),
    )

    assert (pair.over_folds, pair.decision) == (True, Decision.UNDECIDED)
    assert disagreement.uncorrected.p == pytest.approx(0.0154, abs=1e-4)
    assert disagreement.corrected.p == pytest.approx(0.0705, abs=1e-4)


def test_swapped_likelihood_ratios_are_no_finding(tmp_path: Path) -> None:
    """Below LR+ = 1 the ratios are swapped: the table rates B superior, so A is no finding."""
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((33, 67), (67, 33)), "B": confusion((20, 80), (80, 20))},
    )
    verdicts = {
        row.classifier: row.cells["confirmation_of_classes"].verdict
        for row in evaluation.capabilities
    }

    assert verdicts == {"A": "inferior overall", "B": "superior overall"}
    superior = of_kind(collect_findings(evaluation), SuperiorityFinding)
    assert not any("lr_" in name for finding in superior for name in advantages(finding))


def lowest_recall(evaluation: Evaluation) -> list[LowestRecallFinding]:
    """Return the findings on the lowest recall."""
    return of_kind(collect_findings(evaluation), LowestRecallFinding)


def test_classes_with_equal_recall_have_no_lowest(tmp_path: Path) -> None:
    """A classifier that finds everything finds nothing least often."""
    perfect = evaluated(tmp_path, {"A": confusion((5, 0, 0), (0, 5, 0), (0, 0, 5))}, MULTICLASS)

    assert lowest_recall(perfect) == []


def test_the_class_with_the_lowest_recall_is_named(tmp_path: Path) -> None:
    """Recall 0.8, 0.4 and 0.6."""
    evaluation = evaluated(tmp_path, {"A": confusion((8, 1, 1), (3, 4, 3), (2, 2, 6))}, MULTICLASS)
    ((lowest,),) = (finding.lowest for finding in lowest_recall(evaluation))

    assert (lowest.classifier, lowest.classes, lowest.value.value) == ("A", ("b",), 0.4)


def test_an_undefined_discriminant_power_cannot_be_graded(tmp_path: Path) -> None:
    """A classifier with constant predictions discriminates nothing, not even poorly."""
    result = findings(tmp_path, A=confusion((8, 2), (3, 7)), B=confusion((10, 0), (10, 0)))
    (power,) = of_kind(result, DiscriminantPowerFinding)

    assert power.grades[None] == ("B",)


def test_published_values_that_all_agree_are_stated(tmp_path: Path) -> None:
    """75 %."""
    more = '[[published]]\nclassifier = "A"\nmeasure = "accuracy"\nvalue = 75\nunit = "%"\n'
    evaluation = evaluated(tmp_path, {"A": confusion((8, 2), (3, 7))}, more=more)
    (reproduced,) = of_kind(collect_findings(evaluation), ReproductionFinding)

    assert (reproduced.n_published, reproduced.n_different) == (1, 0)
