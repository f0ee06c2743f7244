"""The first page of several classes counts what is shown, pair by pair and class by class."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.report.build import build_report
from reportgen.report.sections.capabilities import is_superior_overall, significant_wins_table
from tests.report.report_text import MULTICLASS, confusion, evaluated, heads, notes, rows, sentences

if TYPE_CHECKING:
    from pathlib import Path

GOOD = confusion((190, 5, 5), (5, 190, 5), (5, 5, 190))
POOR = confusion((100, 50, 50), (50, 100, 50), (50, 50, 100))
ALIKE = confusion((189, 6, 5), (5, 189, 6), (6, 5, 189))
CLASSES = ("a", "b", "c")


def test_a_classifier_need_not_beat_everybody_to_be_counted(tmp_path: Path) -> None:
    """Two alike beat the poor one in all three classes; against each other nothing is shown."""
    evaluation = evaluated(tmp_path, {"Good": GOOD, "Alike": ALIKE, "Poor": POOR}, MULTICLASS)

    found = significant_wins_table(evaluation)

    assert found.caption == ("Significant wins out of 6 comparisons (3 classes × 2 competitors)")
    assert rows(found) == {"Good": ["3"] * 6, "Alike": ["3"] * 6, "Poor": ["0"] * 6}
    assert not any(
        row.cells["overall_effectiveness"].significant
        for row in evaluation.capabilities
        if row.cells["overall_effectiveness"].verdict == "superior"
    )


def test_the_counts_are_those_of_the_evidence(tmp_path: Path) -> None:
    """Accuracy has one side: as many as tests, asked one by one, find superior."""
    names = ("Good", "Alike", "Poor")
    matrices = dict(zip(names, (GOOD, ALIKE, POOR), strict=True))
    evaluation = evaluated(tmp_path, matrices, MULTICLASS)
    found = significant_wins_table(evaluation)
    at = heads(found).index("Overall effectiveness") - 1

    for name in names:
        tests = [
            evaluation.comparison_index.find(name, other, class_, "accuracy")
            for other, class_ in product(set(names) - {name}, CLASSES)
        ]
        shown = sum(test is not None and test.verdict is Decision.SUPERIOR for test in tests)
        assert rows(found)[name][at] == str(shown)


@pytest.mark.parametrize(
    ("findings", "better"),
    [
        ((Decision.SUPERIOR,), True),
        ((Decision.UNDECIDED,), False),
        ((Decision.SUPERIOR, Decision.UNDECIDED), True),
        ((Decision.SUPERIOR, Decision.INFERIOR), False),
        ((Decision.INFERIOR, Decision.INFERIOR), False),
        ((Decision.TIED, Decision.EQUIVALENT), False),
    ],
)
def test_better_on_one_side_must_not_be_worse_on_the_other(
    findings: tuple[Decision, ...], *, better: bool
) -> None:
    """A higher precision bought with a lower NPV is no greater predictive power."""
    assert is_superior_overall(findings) == better


def test_with_a_baseline_the_caption_says_who_is_compared_with_whom(tmp_path: Path) -> None:
    """Good is tested against Poor alone: 3 classes; Poor against both: 6."""
    matrices = {"Good": GOOD, "Alike": ALIKE, "Poor": POOR}
    more = '[comparison]\nbaseline = "Poor"\n'

    found = significant_wins_table(evaluated(tmp_path, matrices, MULTICLASS, more))

    assert found.caption == (
        "Significant wins against Poor in 3 classes (Poor: in 6 comparisons with 2 competitors)"
    )
    assert rows(found)["Good"][0] == "3"


def test_swapped_likelihood_ratios_are_not_counted(tmp_path: Path) -> None:
    """Who is right less often than by guessing has ratios below 1; no test is of those swapped."""
    wrong = confusion((20, 90, 90), (90, 20, 90), (90, 90, 20))

    found = significant_wins_table(evaluated(tmp_path, {"Good": GOOD, "Wrong": wrong}, MULTICLASS))

    at = heads(found).index("Confirmation of classes") - 1
    assert rows(found)["Good"][0] == "3"
    assert rows(found)["Good"][at] == rows(found)["Wrong"][at] == ""


def test_the_error_rate_is_stated_of_differences_and_not_of_grades(tmp_path: Path) -> None:
    """A grade of discriminant power rests on an interval that is adjusted for nothing."""
    matrices = {"A": confusion((450, 50), (50, 450)), "B": confusion((300, 200), (200, 300))}
    report = build_report(evaluated(tmp_path, matrices))

    (multiplicity,) = notes(report, "summary")
    assert "comparisons significant; family-wise error rate" in multiplicity
    method = " ".join(sentences(report, "method"))
    assert "is confirmed if its CI (unadjusted) lies within the grade" in method
