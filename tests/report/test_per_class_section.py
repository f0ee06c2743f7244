"""What stands below the drawing of classes: which are found least and most often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.report.build import build_report
from reportgen.report.charts import GroupedDotPlot
from reportgen.report.sections.per_class import per_class_figures
from tests.report.report_text import MULTICLASS, confusion, evaluated, read, sentences

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import Figure


def draw_classifier(folder: Path, *rows: tuple[int, ...], task: str = MULTICLASS) -> Figure:
    """Return the drawing of one classifier."""
    (figure,) = per_class_figures(evaluated(folder, {"A": confusion(*rows)}, task))
    return figure


def below(figure: Figure) -> str:
    """Return what stands below a drawing."""
    return read(figure.description.parts).replace("\u202f", " ")


def test_classes_that_are_all_found_have_no_hardest_one(tmp_path: Path) -> None:
    """A perfect classifier."""
    assert below(draw_classifier(tmp_path, (5, 0, 0), (0, 5, 0), (0, 0, 5))) == (
        "Equal recall in all classes: 100.0%."
    )


def test_all_classes_at_an_end_are_named(tmp_path: Path) -> None:
    """Class a is found in 9 of 10 cases, b and c in 6."""
    assert below(draw_classifier(tmp_path, (9, 1, 0), (2, 6, 2), (2, 2, 6))) == (
        "Lowest recall: classes b and c, 60.0%; highest: class a, 90.0%."
    )


def test_what_is_not_all_is_not_written_as_all(tmp_path: Path) -> None:
    """4999 of 5000 are 99.98 %, and not the 100.0 % of the others."""
    text = below(draw_classifier(tmp_path, (4999, 1, 0), (0, 50, 0), (0, 0, 50)))

    assert text == "Lowest recall: class a, 99.98%; highest: classes b and c, 100.00%."


@pytest.mark.parametrize(
    ("empty", "note"),
    [(1, " 1 class without cases not shown."), (2, " 2 classes without cases not shown.")],
)
def test_classes_without_a_case_are_counted(tmp_path: Path, empty: int, note: str) -> None:
    """Nothing can be found where nothing is."""
    rows = [(9, 1, 0, 0), (2, 8, 0, 0), (0, 0, 4, 0), (0, 0, 0, 0)]
    rows[2] = rows[2] if empty == 1 else rows[3]
    figure = draw_classifier(
        tmp_path, *rows, task='kind = "multiclass"\nclasses = ["a", "b", "c", "d"]'
    )

    assert figure.note is not None
    assert read(figure.note.parts).endswith(note)


@pytest.mark.parametrize(("detail", "n_plotted"), [("standard", 25), ("full", 50)])
def test_of_many_classes_one_number_of_shown_ones_is_stated(
    tmp_path: Path, detail: str, n_plotted: int
) -> None:
    """70 classes: the figure says how many it has, and only tables have another number."""
    matrix = tuple(tuple(9 if at == row else int(at == 0) for at in range(70)) for row in range(70))
    more = f'[output]\ndetail = "{detail}"\n'
    names = ", ".join(f'"c{at}"' for at in range(70))
    task = f'kind = "multiclass"\nclasses = [{names}]'
    evaluation = evaluated(tmp_path, {"A": confusion(*matrix)}, task, more)
    (figure,) = per_class_figures(evaluation)
    assert figure.note is not None
    assert isinstance(figure.chart, GroupedDotPlot)
    first = sentences(build_report(evaluation), "per_class")[0]

    assert len(figure.chart.labels) == n_plotted
    assert f"Lowest {n_plotted} of 70 classes shown." in read(figure.note.parts)
    assert ("Tables: the 20 classes" in first) == (detail == "full")
