"""What was taken for what: tables, heat maps or a list, and the sentence under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.render.html import render_html
from reportgen.render.markdown import render_markdown
from reportgen.report.build import build_report
from reportgen.report.charts import ConfusionHeatMap
from reportgen.report.document import Figure, Matrices, iter_blocks
from reportgen.report.inline import Estimate
from reportgen.statistics.proportions import wilson_interval
from tests.report.report_text import (
    MULTICLASS,
    confusion,
    evaluated,
    heads,
    read,
    rows,
    section,
    sentences,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import ReportDocument, ReportSection

ONLY = '[[sections]]\nkind = "confusion"\n[measures]\nshow = ["accuracy"]\n'


def matrix(number: int, *wrong: tuple[int, int, int], right: int = 20) -> str:
    """Return a matrix that is right but for some counts at a row and a column."""
    counts = np.diag(np.full(number, right))
    for row, column, count in wrong:
        counts[row, column] = count
    return confusion(*(tuple(map(int, row)) for row in counts))


def confusion_report(
    folder: Path, number: int, classifiers: dict[str, str], more: str = ""
) -> ReportDocument:
    """Build the report of classifiers over so many classes."""
    classes = [f"c{at}" for at in range(number)]
    task = f'kind = "multiclass"\nclasses = {classes}'
    return build_report(evaluated(folder, classifiers, task, ONLY + more))


def maps(section: ReportSection) -> list[ConfusionHeatMap]:
    """Return the heat maps of a section."""
    charts = [block.chart for block in section.blocks if isinstance(block, Figure)]
    return [chart for chart in charts if isinstance(chart, ConfusionHeatMap)]


@pytest.mark.parametrize(
    ("number", "matrices", "maps_count", "has_table"),
    [(3, 1, 0, False), (5, 1, 0, True), (9, 0, 1, True), (51, 0, 0, True)],
)
def test_classes_decide_how_confusions_are_shown(
    tmp_path: Path, number: int, matrices: int, maps_count: int, *, has_table: bool
) -> None:
    """Up to 8 classes a table, up to 50 a drawing, then only the worst; a list from 5 on."""
    report = confusion_report(tmp_path, number, {"A": matrix(number, (0, 1, 3))})
    report_section = section(report, "confusion")

    assert sum(isinstance(block, Matrices) for block in report_section.blocks) == matrices
    assert len(maps(report_section)) == maps_count
    names = [getattr(block, "name", "") for block in iter_blocks(report_section.blocks)]
    assert ("worst-confusions" in names) is has_table


def test_the_reading_names_the_most_frequent_confusion(tmp_path: Path) -> None:
    """7 of the 20 + 7 + 2 cases of c3 were taken for c1: 24.1 %."""
    report = confusion_report(tmp_path, 9, {"A": matrix(9, (3, 1, 7), (3, 2, 2), (0, 5, 6))})
    (figure,) = (b for b in section(report, "confusion").blocks if isinstance(b, Figure))

    assert read(figure.description.parts) == (
        "A: most frequent confusion c3 → c1, 7 of 29 (24.1%)."
    )


@pytest.mark.parametrize(
    ("count", "right", "phrase"), [(1, 4999, "0.02"), (4999, 1, "99.98"), (1, 99, "1.0")]
)
def test_what_is_not_nothing_or_all_is_not_written_so(
    tmp_path: Path, count: int, right: int, phrase: str
) -> None:
    """1 of 5000 is 0.02 %, and 4999 of 5000 are not 100.0 %; 1 of 100 needs one decimal."""
    report = confusion_report(tmp_path, 9, {"A": matrix(9, (0, 0, right), (0, 1, count))})
    (figure,) = (b for b in section(report, "confusion").blocks if isinstance(b, Figure))

    assert read(figure.description.parts).endswith(f"({phrase}%).")
    assert rows(table(report, "worst-confusions"))["c0 → c1"][1] == phrase


def test_the_reading_says_when_several_are_as_frequent_or_nothing_is_wrong(tmp_path: Path) -> None:
    """Of equal counts the one of the smaller class is named: 4 of 24 against 4 of 25."""
    twice = matrix(9, (0, 1, 4), (0, 2, 1), (5, 6, 4))
    report = confusion_report(tmp_path, 9, {"A": twice, "B": matrix(9)})
    (figure,) = (b for b in section(report, "confusion").blocks if isinstance(b, Figure))

    assert read(figure.description.parts) == (
        "B: no confusions. A: most frequent confusion c5 → c6, 4 of 24 (16.7%); tied with 1 other."
    )


def test_the_list_has_counts_and_wilsons_limits_side_by_side(tmp_path: Path) -> None:
    """The rows are sorted by the sum over both classifiers: 9 + 1 before 0 + 5 before 4 + 0."""
    first, second = matrix(9, (0, 1, 9), (4, 5, 4)), matrix(9, (0, 1, 1), (7, 8, 5))
    report = confusion_report(tmp_path, 9, {"A": first, "B": second})
    result = table(report, "worst-confusions")
    limits = wilson_interval(9, 29, 0.95)
    (_, estimate, *_) = (cell for cell in result.groups[0].rows[0] if isinstance(cell, Estimate))

    # B has fewer errors.
    assert heads(result) == ["True → predicted", "B: cases", "B: %", "A: cases", "A: %"]
    assert rows(result) == {
        "c0 → c1": ["1", "4.8", "9", "31.0"],
        "c7 → c8": ["5", "20.0", "0", "0.0"],
        "c4 → c5": ["0", "0.0", "4", "16.7"],
    }
    assert (estimate.low, estimate.high) == pytest.approx((100 * limits.low, 100 * limits.high))


@pytest.mark.slow
def test_of_many_classifiers_the_best_are_drawn_and_in_full_all(tmp_path: Path) -> None:
    """C5 to C2 have the fewest errors of six; the best comes first."""
    six = {f"C{at}": matrix(9, (0, 1, 20 - 2 * at)) for at in range(6)}
    standard = section(confusion_report(tmp_path, 9, six), "confusion")
    full = section(confusion_report(tmp_path, 9, six, '[output]\ndetail = "full"\n'), "confusion")

    panel_names = [[panel.name for panel in chart.panels] for chart in maps(standard)]
    assert panel_names == [["C5", "C4"], ["C3", "C2"]]
    texts = sentences(confusion_report(tmp_path, 9, six), "confusion")
    assert "Shown: the 4 best by accuracy; 2 more classifiers not shown" in texts[-1]
    assert sum(len(chart.panels) for chart in maps(full)) == 6


def test_no_error_needs_no_list(tmp_path: Path) -> None:
    """A list of nothing is not shown."""
    report_section = section(confusion_report(tmp_path, 9, {"A": matrix(9)}), "confusion")

    assert not any(
        getattr(block, "name", "") == "worst-confusions" for block in report_section.blocks
    )


def test_a_class_without_cases_has_an_undefined_share(tmp_path: Path) -> None:
    """B was measured on no case of c0, so nothing can be said of how it takes them."""
    without = matrix(9, (0, 0, 0), (3, 4, 2))
    report = confusion_report(tmp_path, 9, {"A": matrix(9, (0, 1, 9)), "B": without})

    assert rows(table(report, "worst-confusions"))["c0 → c1"][:2] == ["0", "undefined"]


def test_of_many_classifiers_nine_have_matrices(tmp_path: Path) -> None:
    """The best of twelve, best first; all in full detail."""
    twelve = {f"C{at}": matrix(2, (0, 1, 20 - at)) for at in range(12)}

    def captions(more: str = "") -> list[str]:
        blocks = section(confusion_report(tmp_path, 2, twelve, more), "confusion").blocks
        (matrices,) = (block for block in blocks if isinstance(block, Matrices))
        return [item.caption for item in matrices.items]

    assert captions() == [f"C{at}" for at in range(11, 2, -1)]
    assert len(captions('[output]\ndetail = "full"\n')) == 12


def test_the_class_of_unanswered_cases_has_no_row(tmp_path: Path) -> None:
    """No case is truly unanswered, so that the row would have zeros only."""
    (tmp_path / "cases.csv").write_text(
        "truth,answer\n" + "a,a\nb,b\nc,\nc,c\nb,a\na,\n" * 5, encoding="utf-8"
    )
    keys = 'predictions = "cases.csv"\nprediction = "answer"'
    report = build_report(
        evaluated(tmp_path, {"A": keys}, MULTICLASS, '[data]\ntruth = "truth"\nmissing = "wrong"\n')
    )
    (matrix,) = next(
        block.items for block in section(report, "confusion").blocks if isinstance(block, Matrices)
    )

    assert matrix.classes == ("a", "b", "c", "no answer")
    assert [[cell.count for cell in row] for row in matrix.rows] == [
        [5, 0, 0, 5],
        [5, 5, 0, 0],
        [0, 0, 5, 5],
    ]
    assert "\n| no answer" not in render_markdown(report)
    assert '<th scope="row">no answer</th>' not in render_html(report)
