"""The recommendation follows costs or a requirement, and claims no more than the tests show."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.load import load_predictions
from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from reportgen.evaluation.decision import Recommendation
    from reportgen.evaluation.evaluation import Evaluation

SPECS = Path(__file__).parents[2] / "specs"
TASK = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'


@dataclass(frozen=True)
class CountedClassifier:
    """A classifier known by its counts."""

    name: str
    tp: int
    fn: int
    fp: int
    tn: int

    def cost(self, ratio: float) -> float:
        """Return the cost by case where a miss costs as much as so many false alarms."""
        return (self.fp + ratio * self.fn) / (self.tp + self.fn + self.fp + self.tn)


def evaluate_counts(rows: list[CountedClassifier], decision: str = "") -> Evaluation:
    """Return the evaluation of classifiers known by their counts."""
    tables = "".join(
        f'[[classifiers]]\nname = "{row.name}"\n'
        f"confusion = [[{row.tp}, {row.fn}], [{row.fp}, {row.tn}]]\n"
        for row in rows
    )
    spec_file = parse_spec(Path("x.toml"), f"{TASK}{tables}{decision}".encode())
    return evaluate_aggregates(spec_file, aggregate(spec_file, load_predictions(spec_file)))


def recommended(evaluation: Evaluation) -> Recommendation:
    """Return the recommendation of an evaluation that has one."""
    facts = evaluation.recommendation
    assert facts is not None
    return facts


def cost_table(ratio: float) -> str:
    """Return [decision] with a ratio of costs."""
    return f"[decision]\ncost = {{ false_positive = 1, false_negative = {ratio} }}\n"


# A misses less, B has fewer false alarms: 30 misses more against 100 false alarms less.
CAUTIOUS, STRICT = (
    CountedClassifier("A", 480, 20, 120, 380),
    CountedClassifier("B", 450, 50, 20, 480),
)


def test_without_a_decision_the_primary_measure_recommends() -> None:
    """Accuracy 0.86 and 0.93: B is significantly better."""
    facts = recommended(evaluate_counts([CAUTIOUS, STRICT]))

    assert (facts.criterion, facts.measure) == ("primary measure", "accuracy")
    assert facts.recommended == ("B",)
    assert (facts.evidence, facts.better_than) == ("significant", ("A",))
    assert facts.p_adjusted is not None
    assert facts.p_adjusted < 0.001


@pytest.mark.parametrize(("ratio", "leader"), [(2, "B"), (3, "B"), (4, "A"), (20, "A")])
def test_the_lowest_cost_leads(ratio: float, leader: str) -> None:
    """B costs 20 + 50 r, A 120 + 20 r: they cross at r = 100 / 30."""
    facts = recommended(evaluate_counts([CAUTIOUS, STRICT], cost_table(ratio)))

    assert facts.criterion == "cost"
    assert facts.leader == leader
    for row in (CAUTIOUS, STRICT):
        option = facts.option(row.name)
        assert option is not None
        assert option.cost == pytest.approx(row.cost(ratio))


def test_the_answer_changes_at_the_ratio_where_costs_cross() -> None:
    """At r = 10 / 3 costs are equal; the prevalence is where the odds change by as much."""
    facts = recommended(evaluate_counts([CAUTIOUS, STRICT], cost_table(2)))
    limits = {change.quantity: change for change in facts.changes}

    assert limits["cost ratio"].limit == pytest.approx(10 / 3)
    assert (limits["cost ratio"].direction, limits["cost ratio"].classifier) == ("above", "A")
    # Cost by case at a prevalence q: (1 - q) FPR + 2 q FNR, with the rates of both equal there.
    q = limits["prevalence"].limit
    by_a = (1 - q) * 120 / 500 + 2 * q * 20 / 500
    by_b = (1 - q) * 20 / 500 + 2 * q * 50 / 500
    assert by_a == pytest.approx(by_b)


def test_natural_frequencies_are_about_the_prevalence_of_use() -> None:
    """Of 1,000 cases at 2 % 20 are positive; A finds 96 % and raises alarms for 24 %."""
    facts = recommended(evaluate_counts([CAUTIOUS, STRICT], cost_table(2) + "prevalence = 0.02\n"))
    option = facts.submitted_option("A")
    assert option is not None
    frequencies = option.frequencies
    assert frequencies is not None

    assert frequencies.per == 1000
    assert frequencies.fn == pytest.approx(20 * 20 / 500)
    assert frequencies.fp == pytest.approx(980 * 120 / 500)
    assert option.cost == pytest.approx((2 * frequencies.fn + frequencies.fp) / 1000)
    assert facts.cost_of_none == pytest.approx(2 * 0.02)
    assert facts.cost_of_all == pytest.approx(0.98)


def test_rare_positives_are_counted_in_more_cases() -> None:
    """At 0.2 % only two of 1,000 would be positive."""
    facts = recommended(evaluate_counts([CAUTIOUS], cost_table(2) + "prevalence = 0.002\n"))
    option = facts.submitted_option("A")
    assert option is not None
    assert option.frequencies is not None

    assert option.frequencies.per == 10_000


def test_no_classifier_is_shown_to_be_better_of_close_ones() -> None:
    """Both are recommended, the better value first; that is no claim of equality."""
    close = [
        CountedClassifier("A", 90, 10, 12, 88),
        CountedClassifier("B", 91, 9, 12, 88),
        CountedClassifier("C", 50, 50, 50, 50),
    ]

    facts = recommended(evaluate_counts(close))

    assert facts.leader == "B"
    assert facts.recommended == ("B", "A")
    assert facts.evidence == "partly significant"
    assert facts.better_than == ("C",)


def test_who_is_worse_than_any_other_is_not_recommended() -> None:
    """C4.5 with m alone is significantly better than C4.5, the leader is not."""
    facts = recommended(load_and_evaluate(SPECS / "demsar.toml"))

    assert "C4.5" in facts.not_significant
    assert facts.recommended == ("C4.5+m+cf", "C4.5+m", "C4.5+cf")


def test_a_single_classifier_is_no_comparison() -> None:
    """There is nothing to be better than."""
    facts = recommended(evaluate_counts([CAUTIOUS]))

    assert (facts.recommended, facts.evidence) == (("A",), "only classifier")
    assert facts.runner_up is None


def test_a_requirement_that_one_class_for_everything_meets_is_not_met() -> None:
    """Predicting everything positive has a sensitivity of 1, and is no classifier."""
    rows = [CountedClassifier("All", 500, 0, 500, 0), STRICT]
    decision = "[decision]\nrequire = { sensitivity = 0.95 }\n"

    facts = recommended(evaluate_counts(rows, decision))

    option = facts.submitted_option("All")
    assert option is not None
    assert (option.meets_requirement, option.single_class) == (True, "yes")
    assert facts.recommended == ()


def test_a_requirement_on_a_measure_where_lower_is_better_is_a_maximum() -> None:
    """False positive rates of 0.24 and 0.04, at most 0.05."""
    decision = "[decision]\nrequire = { type_1_rate = 0.05 }\n"

    facts = recommended(evaluate_counts([CAUTIOUS, STRICT], decision))

    met = {option.classifier: option.meets_requirement for option in facts.options}
    assert met == {"A": False, "B": True}
    assert facts.recommended == ("B",)


@pytest.fixture(scope="module")
def flagship() -> Evaluation:
    """Return the evaluation of three classifiers with scores and costs."""
    return load_and_evaluate(SPECS / "breast_cancer.toml")


def test_costs_choose_a_threshold_for_each_classifier(flagship: Evaluation) -> None:
    """The counts of the options are those of the thresholds of minimum cost."""
    facts = recommended(flagship)
    chosen = {row.classifier: row for row in flagship.thresholds if row.rule is ThresholdRule.COST}

    assert [option.basis for option in facts.chosen] == ["cost"] * 3
    for option in facts.chosen:
        row = chosen[option.classifier]
        assert (option.threshold, option.fn, option.fp) == (row.threshold, row.fn, row.fp)
        assert option.cost == pytest.approx((option.fp + 10 * option.fn) / 569)
        assert (option.cost_low, option.cost_high) == (row.achieved_low, row.achieved_high)


def test_cases_are_counted_at_the_thresholds_of_the_decision(flagship: Evaluation) -> None:
    """The paired counts that the test uses have the same margins."""
    counted = flagship.aggregates.at_decision
    assert counted is not None
    assert counted.confusion is not None
    for option in recommended(flagship).chosen:
        counts = counted.confusion.counts(option.classifier, "malignant")
        assert counts == (option.tp, option.fn, option.fp, option.tn)


def test_tests_at_the_decision_share_the_error_rate_of_the_headline(flagship: Evaluation) -> None:
    """A chosen threshold makes a better naive Bayes: significant in accuracy, not in cost."""
    facts = recommended(flagship)
    rows = {frozenset({row.first, row.second}): row for row in flagship.decision_comparisons}
    names = [option.classifier for option in facts.options]

    assert set(rows) == {frozenset(pair) for pair in itertools.combinations(names, 2)}
    assert all(row.family == "headline" and row.at_decision for row in rows.values())
    row = rows[frozenset({"SVM", "Naive Bayes"})]
    assert row.difference == pytest.approx((19 + 40 - 42 - 30) / 569)
    assert row.significant is False
    assert facts.not_significant == ("Naive Bayes",)
    assert set(facts.primary_better_than) == {"Naive Bayes", "Decision tree"}
    assert facts.recommended == ("SVM",)


@pytest.mark.parametrize(
    ("spec", "criterion", "leader", "evidence"),
    [
        ("digits", "primary measure", "Logistic regression", "significant"),
        ("diabetes", "primary measure", "Linear regression", "partly significant"),
        ("tenfold", "primary measure", "A", "not significant"),
        ("demsar", "mean rank", "C4.5+m+cf", "not significant"),
    ],
)
def test_every_kind_of_task_has_a_recommendation(
    spec: str, criterion: str, leader: str, evidence: str
) -> None:
    """Several classes, numbers, fold scores and data sets."""
    facts = recommended(load_and_evaluate(SPECS / f"{spec}.toml"))

    assert (facts.criterion, facts.leader, facts.evidence) == (criterion, leader, evidence)
