"""What stands below and in a drawing of differences, for every verdict there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.measures import find_measure
from reportgen.report.charts import ForestGroup, ForestPlot, ForestRow
from reportgen.report.inline import PValue
from reportgen.report.sections.forest_plot import (
    build_forest_plot,
    describe_measures_of_pair,
    describe_pairs,
    tested_decision,
)
from tests.report.report_text import confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

SAME = confusion((40, 10), (5, 45))
RATIOS = '[comparison]\nprimary = "lr_positive"\n[measures]\nshow = ["accuracy", "lr_positive"]\n'


def below(folder: Path, classifiers: dict[str, str], more: str = "") -> str:
    """Return what stands below the drawing."""
    figure = build_forest_plot(evaluated(folder, classifiers, more=more))
    assert figure is not None
    return read(figure.description.parts)


def row(first: str, second: str, finding: Decision | None) -> ForestRow:
    """Return a row of two classifiers."""
    pair = first, second
    return ForestRow(first, 0.1, 0.0, 0.2, finding, ("0.1",), PValue(0.5), None, second, pair)


def pairs(*findings: Decision | None) -> str:
    """Return what is said of pairs with these findings in one measure."""
    rows = tuple(row(f"a{at}", f"b{at}", finding) for at, finding in enumerate(findings))
    return read(tuple(describe_pairs([ForestGroup("", rows)])))


def test_identical_classifiers_are_not_called_open(tmp_path: Path) -> None:
    """Three times the same counts: four measures of three pairs are equal, none is in doubt."""
    assert below(tmp_path, {"A": SAME, "B": SAME, "C": SAME}) == (
        "None of 12 differences significant; 12 tied."
    )


def test_twins_have_the_same_value(tmp_path: Path) -> None:
    """Two times the same counts."""
    more = '[measures]\nshow = ["accuracy"]\n'

    assert below(tmp_path, {"A": SAME, "B": SAME}, more).startswith("Tied in accuracy")


def test_equivalent_pairs_are_called_so(tmp_path: Path) -> None:
    """9000 and 9010 of 10000 differ by less than 0.05, and are shown to; C is far behind."""
    classifiers = {
        "A": confusion((4500, 500), (500, 4500)),
        "B": confusion((4505, 495), (495, 4505)),
        "C": confusion((3000, 2000), (2000, 3000)),
    }
    more = '[measures]\nshow = ["accuracy"]\n[comparison]\nmargin = { accuracy = 0.05 }\n'
    figure = build_forest_plot(evaluated(tmp_path, classifiers, more=more), max_groups=1)

    assert figure is not None
    assert read(figure.description.parts) == (
        "B is significantly better than C; A is significantly better than C; 1 of 3 pairs"
        " equivalent."
    )


@pytest.mark.parametrize(
    ("findings", "caption"),
    [
        ([Decision.UNDECIDED], "1 n.s."),
        ([Decision.UNDECIDED] * 2, "2 n.s."),
        ([Decision.EQUIVALENT], "1 equivalent."),
        ([Decision.EQUIVALENT] * 2, "2 equivalent."),
        ([Decision.TIED, None], "1 tied and 1 not tested."),
        (
            [Decision.EQUIVALENT, Decision.UNDECIDED, None, None],
            "1 equivalent, 1 n.s. and 2 not tested.",
        ),
    ],
)
def test_where_nothing_is_shown_every_kind_is_counted(
    findings: list[Decision | None], caption: str
) -> None:
    """One or several of each."""
    assert pairs(*findings) == f"None of {len(findings)} differences significant; {caption}"


def test_who_is_better_is_followed_by_what_is_left() -> None:
    """One pair of each kind."""
    kinds = (Decision.INFERIOR, Decision.UNDECIDED, Decision.UNDECIDED, Decision.TIED, None)

    assert pairs(*kinds) == (
        "b0 is significantly better than a0; 1 of 5 pairs tied, 2 n.s. and 1 not tested."
    )


def test_one_pair_is_read_measure_by_measure() -> None:
    """Each verdict has its words; one that was not tested is not open."""
    result = []
    for name, verdict, p in (
        ("accuracy", Decision.INFERIOR, 0.01),
        ("sensitivity", Decision.EQUIVALENT, 0.5),
        ("specificity", Decision.TIED, 1.0),
        ("precision", Decision.UNDECIDED, 0.5),
        ("roc_auc", Decision.UNDECIDED, None),
    ):
        measure = find_measure(name)
        assert measure is not None
        test = Comparison(
            first="A", second="B", measure=name, test="t", data="paired", p=p, verdict=verdict
        )
        result.append((measure, test))

    assert read(tuple(describe_measures_of_pair(("A", "B"), result))) == (
        "Significantly better: B in accuracy; equivalent in sensitivity; tied in specificity; no"
        " significant difference in precision; not tested: area under the ROC curve."
    )
    assert [tested_decision(test) for _, test in result][-1] is None


def test_an_infinite_difference_keeps_its_sign(tmp_path: Path) -> None:
    """A and C never say yes to a no: ρ+ is infinite, and that of B is 0.6/0.1 = 6."""
    classifiers = {
        "A": confusion((40, 10), (0, 50)),
        "B": confusion((30, 20), (5, 45)),
        "C": confusion((45, 5), (0, 50)),
        "D": confusion((0, 50), (0, 50)),
    }
    figure = build_forest_plot(evaluated(tmp_path, classifiers, more=RATIOS))
    assert figure is not None
    assert isinstance(figure.chart, ForestPlot)
    rows = {item.pair: read(item.estimate) for group in figure.chart.groups for item in group.rows}

    assert rows["A", "B"] == "∞"
    assert rows["C", "B"] == "∞"
    # Infinite against infinite is no number, whoever is tested to be better.
    assert rows["A", "C"] == "–"


def test_the_level_is_written_as_numbers_are(tmp_path: Path) -> None:
    """68.3 %, with the thin space that stands before every unit."""
    more = "[intervals]\nlevel = 0.683\n"
    figure = build_forest_plot(
        evaluated(tmp_path, {"A": SAME, "B": confusion((30, 20), (5, 45))}, more=more)
    )

    assert figure is not None
    assert isinstance(figure.chart, ForestPlot)
    assert read(figure.chart.difference_head) == "difference (68.3% CI)"


def test_nothing_is_adjusted_where_one_test_was_made(tmp_path: Path) -> None:
    """Scores per fold in one measure give one difference; what holds of many is not said of it."""
    first = "fold_scores = { accuracy = [0.81, 0.82, 0.84, 0.78, 0.85] }"
    second = "fold_scores = { accuracy = [0.80, 0.77, 0.70, 0.83, 0.80] }"
    figure = build_forest_plot(evaluated(tmp_path, {"A": first, "B": second}))

    assert figure is not None
    assert figure.note is not None
    note = "Line: confidence interval of the difference. pp: percentage points."
    assert read(figure.note.parts) == note


def test_the_better_classifier_comes_first(tmp_path: Path) -> None:
    """B is the best and A the worst: differences have the order of the tables, B, C, A."""
    classifiers = {
        "A": confusion((30, 20), (10, 40)),
        "B": confusion((48, 2), (3, 47)),
        "C": confusion((40, 10), (8, 42)),
    }
    figure = build_forest_plot(evaluated(tmp_path, classifiers), max_groups=1)

    assert figure is not None
    assert isinstance(figure.chart, ForestPlot)
    (group,) = figure.chart.groups
    assert [row.pair for row in group.rows] == [("B", "C"), ("B", "A"), ("C", "A")]
    assert all(row.difference is not None and row.difference > 0 for row in group.rows)
