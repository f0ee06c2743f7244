"""[decision] declares costs or a requirement, in one place for everything that decides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reportgen import evaluate
from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.measures import find_measure
from reportgen.spec import Spec, declared_decision, parse_spec
from reportgen.spec.decision import target_prevalences
from reportgen.spec.measures import define_spec_measures

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen import Report
    from reportgen.errors import Diagnostic

BINARY = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
COUNTED = '[[classifiers]]\nname = "A"\nconfusion = [[5, 1], [2, 6]]\n'
SCORED = (
    '[data]\ntruth = "t"\nprediction = "p"\nscore = "s"\n'
    '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'
)
THRESHOLDS = "[thresholds]\ncost = { false_positive = 2, false_negative = 3 }\n"


def results_of(report: Report) -> Any:  # noqa: ANN401  # JSON
    """Return results.json of a report."""
    return report.results


def parse(content: str) -> Spec:
    """Return a spec of some content."""
    return parse_spec(Path("x.toml"), content.encode()).spec


def test_costs_of_decision_come_before_those_of_thresholds() -> None:
    """Both tables may declare costs; [decision] decides."""
    decision = "[decision]\ncost = { false_positive = 1, false_negative = 8 }\n"

    only_thresholds = declared_decision(parse(BINARY + SCORED + THRESHOLDS)).cost
    both = declared_decision(parse(BINARY + SCORED + THRESHOLDS + decision)).cost

    assert only_thresholds is not None
    assert both is not None
    assert (only_thresholds.false_positive, only_thresholds.false_negative) == (2, 3)
    assert (both.false_positive, both.false_negative) == (1, 8)


def test_benefits_are_costs_of_the_errors() -> None:
    """Not acting on a positive loses its benefit; acting on a negative costs its loss."""
    content = "[decision]\nbenefit = { true_positive = 20, false_positive = -1.5 }\n"

    cost = declared_decision(parse(BINARY + COUNTED + content)).cost

    assert cost is not None
    assert (cost.false_positive, cost.false_negative) == (1.5, 20)


def test_a_single_target_is_the_prevalence_of_use() -> None:
    """Of several targets none is preferred, unless [decision] names it."""
    one = parse(BINARY + COUNTED + "[prevalence]\ntargets = [0.05]\n")
    two = parse(BINARY + COUNTED + "[prevalence]\ntargets = [0.05, 0.2]\n")
    named = parse(
        BINARY + COUNTED + "[prevalence]\ntargets = [0.05, 0.2]\n[decision]\nprevalence = 0.2\n"
    )

    assert declared_decision(one).prevalence == 0.05
    assert declared_decision(two).prevalence is None
    assert declared_decision(named).prevalence == 0.2
    assert target_prevalences(named) == (0.2, 0.05)


def test_expected_cost_has_the_costs_and_the_prevalence_of_decision() -> None:
    """Without a parameter it is the declared one."""
    content = (
        "[decision]\ncost = { false_positive = 1, false_negative = 8 }\nprevalence = 0.02\n"
        '[measures]\nshow = ["expected_cost"]\n'
    )

    measure = define_spec_measures(parse(BINARY + COUNTED + content))["expected_cost"]

    assert measure.name == "expected_cost@fp=1,fn=8,prevalence=0.02"
    assert measure == find_measure("expected_cost@fp=1,fn=8,prevalence=0.02")


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (
            '[task]\nkind = "multiclass"\n' + SCORED + "[decision]\nprevalence = 0.1\n",
            "E116",
            "[decision] does not apply to a multiclass task",
        ),
        (
            BINARY
            + COUNTED
            + "[decision]\ncost = { false_positive = 1, false_negative = 8 }\n"
            + "require = { sensitivity = 0.9 }\n",
            "E138",
            "`cost` and `require` are two criteria, but one decides",
        ),
        (
            BINARY + COUNTED + "[decision]\nrequire = { sensitivty = 0.9 }\n",
            "E108",
            "unknown measure `sensitivty`",
        ),
        (
            BINARY + COUNTED + "[decision]\nrequire = { roc_auc = 0.9 }\n",
            "E109",
            "`roc_auc` has no value at a single threshold",
        ),
        (
            BINARY + COUNTED + "[decision]\nrequire = {}\n",
            "E104",
            "`require` must not be empty",
        ),
        (
            BINARY + COUNTED + "[decision]\nprevalence = 2\n",
            "E104",
            "`prevalence` must be less than 1",
        ),
        (
            BINARY + COUNTED + "[decision]\nbenefit = { true_positive = 3, false_positive = 1 }\n",
            "E104",
            "`false_positive` must be less than 0",
        ),
    ],
)
def test_a_decision_that_cannot_be_made_is_one_issue(
    faults_of: Callable[[str], tuple[Diagnostic, ...]], content: str, code: str, message: str
) -> None:
    """The issue names the key."""
    (issue,) = faults_of(content)

    assert issue.error_code.code == code
    assert message in issue.message


def test_a_call_may_declare_costs() -> None:
    """`cost` of `evaluate` is `cost` in [decision]."""
    truth = ["yes"] * 4 + ["no"] * 6
    scores = [0.9, 0.8, 0.4, 0.3, 0.5, 0.35, 0.2, 0.2, 0.1, 0.1]

    report = evaluate(
        truth,
        scores={"A": scores},
        threshold=0.5,
        positive="yes",
        cost={"false_positive": 1, "false_negative": 10},
    )

    (chosen,) = [row for row in results_of(report)["thresholds"] if row["rule"] == "cost"]
    # At 0.3 all positives are found, with two false positives: 2 / 10 by case.
    assert (chosen["threshold"], chosen["fn"], chosen["fp"]) == (0.3, 0, 2)
    assert chosen["cost_per_case"] == pytest.approx(0.2)
    assert ThresholdRule(chosen["rule"]) is ThresholdRule.COST


def test_the_threshold_of_minimum_cost_is_that_of_the_prevalence_of_use() -> None:
    """Where positives are rare, false alarms weigh more and the threshold rises."""
    truth = ["yes"] * 4 + ["no"] * 6
    scores = [0.9, 0.8, 0.4, 0.3, 0.5, 0.35, 0.2, 0.2, 0.1, 0.1]

    report = evaluate(
        truth,
        scores={"A": scores},
        threshold=0.5,
        positive="yes",
        spec={
            "decision": {
                "cost": {"false_positive": 1, "false_negative": 10},
                "prevalence": 0.02,
            }
        },
    )

    (chosen,) = [row for row in results_of(report)["thresholds"] if row["rule"] == "cost"]
    # 0.8: half of the positives missed, 0.02 * 0.5 * 10; 0.3 would cost 0.98 * 2 / 6.
    assert (chosen["threshold"], chosen["fn"], chosen["fp"]) == (0.8, 2, 0)
    assert chosen["cost_per_case"] == pytest.approx(0.1)
