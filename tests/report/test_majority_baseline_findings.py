"""What the report says of the rule that always names the largest class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statsmodels.stats.proportion import proportion_confint

from reportgen.report.build import build_report
from reportgen.report.findings.majority_baseline import (
    majority_baseline_findings,
    majority_baseline_sentence,
    tempting_baseline,
)
from tests.report.report_text import MULTICLASS, confusion, evaluated, read, sentences

if TYPE_CHECKING:
    from pathlib import Path

# 80 yes and 920 no: always saying no is right in 92 % of the cases.
WORSE = confusion((30, 50), (55, 865))  # 895 of 1000 are right: Wilson 0.874 to 0.913
OPEN = confusion((20, 60), (10, 910))  # 930: 0.912 to 0.944
BETTER = confusion((60, 20), (10, 910))  # 970: 0.957 to 0.979
RULE = "Always saying no would be right in 92.0% of these cases"


def found(folder: Path, more: str = "", **classifiers: str) -> list[str]:
    """Return what the first page says of the rule."""
    return list(map(read, majority_baseline_findings(evaluated(folder, classifiers, more=more))))


def test_a_classifier_whose_interval_lies_below_the_rule_is_called_worse(tmp_path: Path) -> None:
    """895 of 1000 are right; the interval is that of statsmodels."""
    low, high = proportion_confint(895, 1000, method="wilson")

    (said,) = found(tmp_path, Old=WORSE, New=BETTER)

    interval = f"{100 * low:.1f} to {100 * high:.1f}"
    assert said == f"{RULE}; Old is worse (its interval, {interval}, lies below that)."


def test_the_sentence_stands_among_the_findings_of_the_first_page(tmp_path: Path) -> None:
    """It comes with the comparison of the classifiers among each other."""
    report = build_report(evaluated(tmp_path, {"Old": WORSE, "New": BETTER}))

    assert sum(sentence.startswith(RULE) for sentence in sentences(report)) == 1


def test_an_interval_that_holds_the_share_decides_nothing(tmp_path: Path) -> None:
    """930 of 1000 is more than 92 %, but the interval from 91.2 % holds that."""
    low, high = proportion_confint(930, 1000, method="wilson")
    assert low < 0.92 < high

    (said,) = found(tmp_path, Old=WORSE, Other=WORSE, Some=OPEN, New=BETTER)

    assert said == (
        f"{RULE}; Old and Other are worse (their intervals lie below that), and Some cannot be"
        " told apart from that rule."
    )


def test_the_rule_itself_cannot_be_distinguished_from_it(tmp_path: Path) -> None:
    """A classifier that always says no has just the share of no."""
    assert found(tmp_path, Lazy=confusion((0, 80), (0, 920))) == [
        f"{RULE}; Lazy cannot be told apart from that rule."
    ]


def test_where_everybody_is_better_only_the_section_on_chance_says_so(tmp_path: Path) -> None:
    """970 of 1000 leave nothing to warn of."""
    evaluation = evaluated(tmp_path, {"New": BETTER, "Newer": BETTER})

    assert list(majority_baseline_findings(evaluation)) == []
    said = f"{RULE}; New and Newer are better (their intervals lie above that)."
    assert any(each.startswith(said) for each in sentences(build_report(evaluation), kind="chance"))


def test_the_section_on_chance_covers_everybody(tmp_path: Path) -> None:
    """Better, worse and open, each by an interval of its own."""
    evaluation = evaluated(tmp_path, {"Old": WORSE, "Some": OPEN, "New": BETTER})

    assert read(majority_baseline_sentence(evaluation)) == (
        f"{RULE}; New is better (its interval, 95.7 to 97.9, lies above that), Old is worse (its"
        " interval, 87.4 to 91.3, lies below that), and Some cannot be told apart from that rule."
        " Each interval stands for itself: it is not adjusted for the number of classifiers."
    )


@pytest.mark.parametrize(("majority", "told"), [(59, False), (60, True), (100, False)])
def test_the_rule_is_reported_from_60_in_100_on(
    tmp_path: Path, majority: int, *, told: bool
) -> None:
    """Of 100 cases: a smaller majority tempts nobody, and with one class all is said."""
    matrix = confusion((0, 100 - majority), (0, majority))
    evaluation = evaluated(tmp_path, {"A": matrix})

    assert (tempting_baseline(evaluation) is not None) == told


def test_another_main_measure_leaves_the_rule_to_the_section_on_chance(tmp_path: Path) -> None:
    """Whoever declares Youden's index does not judge by accuracy."""
    more = '[comparison]\nprimary = "youden"\n'
    evaluation = evaluated(tmp_path, {"Old": WORSE, "New": BETTER}, more=more)

    assert list(majority_baseline_findings(evaluation)) == []
    assert read(majority_baseline_sentence(evaluation)).startswith(RULE)


def test_classifiers_measured_on_other_cases_have_no_rule_in_common(tmp_path: Path) -> None:
    """80 + 920 cases against 100 + 900: the share is not one number."""
    assert found(tmp_path, Old=WORSE, Other=confusion((30, 70), (55, 845))) == []


def test_of_several_classes_the_largest_is_named(tmp_path: Path) -> None:
    """70 of 100 cases are b; 50 right answers have Wilson's interval 0.404 to 0.596."""
    matrix = confusion((10, 10, 0), (30, 35, 5), (5, 0, 5))
    evaluation = evaluated(tmp_path, {"A": matrix}, MULTICLASS)

    (said,) = map(read, majority_baseline_findings(evaluation))
    assert said == (
        "Always saying b would be right in 70.0% of these cases; A is worse (its interval,"
        " 40.4 to 59.6, lies below that)."
    )
