"""Findings on the majority-class baseline, by the confidence intervals of accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statsmodels.stats.proportion import proportion_confint

from reportgen.report.build import build_report
from reportgen.report.findings.comparisons import (
    MajorityBaselineFinding,
    majority_baseline_findings,
    majority_class_finding,
)
from reportgen.report.phrases.findings import majority_baseline_sentence
from tests.report.report_text import MULTICLASS, confusion, evaluated, read, sentences

if TYPE_CHECKING:
    from pathlib import Path

# 80 yes and 920 no: always predicting no is right in 92 % of the cases.
WORSE = confusion((30, 50), (55, 865))  # 895 of 1000 are right: Wilson 0.874 to 0.913
OPEN = confusion((20, 60), (10, 910))  # 930: 0.912 to 0.944
BETTER = confusion((60, 20), (10, 910))  # 970: 0.957 to 0.979
BASELINE = "Always predicting no (majority-class baseline)"


def findings(folder: Path, more: str = "", **classifiers: str) -> list[MajorityBaselineFinding]:
    """Return the findings of the summary."""
    return list(majority_baseline_findings(evaluated(folder, classifiers, more=more)))


def positions(finding: MajorityBaselineFinding | None) -> tuple[list[str], list[str], list[str]]:
    """Return the classifiers whose CI lies above, below and around the baseline."""
    assert finding is not None
    groups = (finding.interval_above, finding.interval_below, finding.interval_containing)
    above, below, containing = map(list, groups)
    return above, below, containing


def test_a_classifier_whose_interval_lies_below_the_baseline_is_worse(tmp_path: Path) -> None:
    """895 of 1000 are right; the interval is that of statsmodels."""
    low, high = proportion_confint(895, 1000, method="wilson")

    (result,) = findings(tmp_path, Old=WORSE, New=BETTER)

    assert (result.class_, result.prevalence) == ("no", 0.92)
    assert positions(result) == (["New"], ["Old"], [])
    assert result.interval_below["Old"].low == pytest.approx(low)
    assert result.interval_below["Old"].high == pytest.approx(high)


def test_the_baseline_is_among_the_limits_of_the_evidence(tmp_path: Path) -> None:
    """Once, and only with those that are not better."""
    report = build_report(evaluated(tmp_path, {"Old": WORSE, "New": BETTER}))
    (message,) = (text for text in sentences(report, "limits") if text.startswith(BASELINE))

    assert "Old" in message
    assert "New" not in message


def test_an_interval_that_contains_the_baseline_decides_nothing(tmp_path: Path) -> None:
    """930 of 1000 is more than 92 %, but the interval from 91.2 % contains that."""
    low, high = proportion_confint(930, 1000, method="wilson")
    assert low < 0.92 < high

    (result,) = findings(tmp_path, Old=WORSE, Other=WORSE, Some=OPEN, New=BETTER)

    assert positions(result) == (["New"], ["Old", "Other"], ["Some"])


def test_the_baseline_does_not_differ_from_itself(tmp_path: Path) -> None:
    """A classifier that always predicts no has just the frequency of no."""
    (result,) = findings(tmp_path, Lazy=confusion((0, 80), (0, 920)))

    assert positions(result) == ([], [], ["Lazy"])


def test_where_all_are_better_only_the_section_on_chance_says_so(tmp_path: Path) -> None:
    """970 of 1000 leave nothing to warn of."""
    evaluation = evaluated(tmp_path, {"New": BETTER, "Newer": BETTER})

    assert list(majority_baseline_findings(evaluation)) == []
    texts = sentences(build_report(evaluation), kind="chance")
    assert any(item.startswith(BASELINE) and "New and Newer" in item for item in texts)


def test_the_section_on_chance_covers_all(tmp_path: Path) -> None:
    """Better, worse and not significantly different."""
    evaluation = evaluated(tmp_path, {"Old": WORSE, "Some": OPEN, "New": BETTER})
    result = majority_class_finding(evaluation)

    assert positions(result) == (["New"], ["Old"], ["Some"])
    assert result is not None
    assert all(name in read(majority_baseline_sentence(result)) for name in ("Old", "Some", "New"))


@pytest.mark.parametrize(("majority", "is_stated"), [(59, False), (60, True), (100, False)])
def test_the_baseline_is_stated_from_60_in_100_on(
    tmp_path: Path, majority: int, *, is_stated: bool
) -> None:
    """Of 100 cases: a smaller majority is no competitor, and one class leaves nothing to do."""
    matrix = confusion((0, 100 - majority), (0, majority))
    evaluation = evaluated(tmp_path, {"A": matrix})

    assert (majority_class_finding(evaluation) is not None) == is_stated


def test_another_primary_measure_leaves_the_baseline_to_the_section_on_chance(
    tmp_path: Path,
) -> None:
    """With Youden's J as primary measure accuracy is not what counts."""
    more = '[comparison]\nprimary = "youden"\n'
    evaluation = evaluated(tmp_path, {"Old": WORSE, "New": BETTER}, more=more)

    assert list(majority_baseline_findings(evaluation)) == []
    assert majority_class_finding(evaluation) is not None


def test_classifiers_measured_on_other_cases_have_no_common_baseline(tmp_path: Path) -> None:
    """80 + 920 cases against 100 + 900: the frequency is not one number."""
    assert findings(tmp_path, Old=WORSE, Other=confusion((30, 70), (55, 845))) == []


def test_of_several_classes_the_largest_is_named(tmp_path: Path) -> None:
    """70 of 100 cases are b; 50 correct predictions have Wilson's interval 0.404 to 0.596."""
    matrix = confusion((10, 10, 0), (30, 35, 5), (5, 0, 5))
    (result,) = majority_baseline_findings(evaluated(tmp_path, {"A": matrix}, MULTICLASS))

    assert (result.class_, result.prevalence) == ("b", 0.7)
    assert positions(result) == ([], ["A"], [])
