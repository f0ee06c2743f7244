"""Heat maps and clouds: well-formed, lean, inside their edges, and true to the numbers."""

from __future__ import annotations

import math
import re

import pytest

from reportgen.errors import RenderingError
from reportgen.render.svg import render_figure
from reportgen.report.charts import (
    ConfusionHeatMap,
    ConfusionPanel,
    ScatterBin,
    ScatterPanel,
    ScatterPlot,
)
from tests.render.sample_figures import LONG, SVG, figure, parse_figure, texts
from tests.render.sample_tables import SCRIPT

MOVES = re.compile(r"M([\d.]+) ([\d.]+)h")


def heat(number: int, *names: str, count: int = 7) -> ConfusionHeatMap:
    """Return matrices that are right twice as often as they take a class for the next."""
    classes = (*(f"k{at}" for at in range(number - 2)), SCRIPT, "größer & kleiner")
    rows = tuple(
        tuple(
            2 * count if true == other else count * (other == (true + 1) % number)
            for other in range(number)
        )
        for true in range(number)
    )
    return ConfusionHeatMap(classes, tuple(ConfusionPanel(name, rows) for name in names))


def cloud(models: int, cases: int = 1) -> ScatterPlot:
    """Return models with three dots each."""
    dots = (ScatterBin((0.0, 1.0), 1), ScatterBin((5.0, 5.0), cases), ScatterBin((10.0, 9.0), 1))
    panels = tuple(
        ScatterPanel(SCRIPT if at == 1 else f"model {at}", at, dots, ((0.0, 0.0), (9.0, 4.0)))
        for at in range(models)
    )
    span = (-1.0, 11.0)
    return ScatterPlot(
        "x", "y", panels, span, span, ((-1.0, -1.0), (11.0, 11.0)), "as it is", "trend"
    )


@pytest.mark.parametrize("for_pdf", [False, True])
@pytest.mark.parametrize(
    "chart",
    [heat(9, "A", LONG), heat(15, "A", SCRIPT), heat(24, "A", "B"), heat(50, LONG), cloud(1)]
    + [cloud(number) for number in (2, 3, 4, 12)],
    ids=lambda chart: type(chart).__name__,
)
def test_drawings_are_well_formed_and_inside_their_edges(
    chart: ConfusionHeatMap | ScatterPlot, *, for_pdf: bool
) -> None:
    """Names as <script> are text; no text, line, cell or dot lies outside."""
    root = parse_figure(chart, for_pdf=for_pdf)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])

    assert not list(root.iter(f"{SVG}script"))
    assert render_figure(figure("chart", chart)) == render_figure(figure("chart", chart))
    for element in root.iter():
        places = [(element.attrib.get("x", "0"), element.attrib.get("y", "0"))]
        places += MOVES.findall(element.attrib.get("d", ""))
        for x, y in places:
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
    # A4 leaves 257 mm, and a drawing is 160 mm wide.
    assert height <= 640 * 257 / 160 * 0.95


def test_a_heat_map_of_fifty_classes_has_few_elements() -> None:
    """100 cells that are not empty, and yet one path for each of the two tints and the legend's 14.

    Besides them there are texts: names at both sides, of the panel, of the axes and the legend.
    """
    root = parse_figure(heat(50, "A"))

    # Twice of three cases of a class are right (67 %, up to 70), one is wrong (33 %, up to 50).
    assert len(list(root.iter(f"{SVG}path"))) == 2 + 14
    assert len(texts(root)) == 50 + 50 + 1 + 2 + 2 + 14
    cells = [len(MOVES.findall(path.attrib["d"])) for path in root.iter(f"{SVG}path")]
    assert sorted(cells)[-2:] == [50, 50]


def test_counts_are_written_while_they_can_be_read() -> None:
    """Up to 15 classes, if the largest fits: seven digits do not fit fifteen times."""
    assert texts(parse_figure(heat(15, "A", count=70))).count("140") == 15
    assert "140" not in texts(parse_figure(heat(16, "A", count=70)))
    assert not any("000" in result for result in texts(parse_figure(heat(15, "A", count=10**9))))


def test_long_names_are_numbered() -> None:
    """A name that is too long to stand over a column stands beside its number once."""
    classes = ("a", "b", "c", "d", "e", "f", "g", "h", "a name far too long for a column")
    counts = tuple(tuple(int(row == column) for column in range(9)) for row in range(9))
    result = texts(parse_figure(ConfusionHeatMap(classes, (ConfusionPanel("A", counts),))))

    assert "1. a" in result
    assert any(item.startswith("9. a name far") for item in result)
    assert [item for item in result if item.isdigit()][:9] == [str(at) for at in range(1, 10)]


def test_a_class_of_no_case_has_a_column_only() -> None:
    """Of six classes and unanswered cases there are six rows and seven columns."""
    classes = ("a", "b", "c", "d", "e", "f", "no answer")
    counts = tuple(tuple(10 + row + column for column in range(7)) for row in range(6))
    result = texts(parse_figure(ConfusionHeatMap(classes, (ConfusionPanel("A", counts),))))

    assert [result.count(name) for name in classes] == [2, 2, 2, 2, 2, 2, 1]
    assert {str(10 + row + column) for row in range(6) for column in range(7)} <= {*result}


def test_two_matrices_share_the_names_beside_them() -> None:
    """Side by side there is one column of names, below each other there are two."""
    in_row, below = (
        texts(parse_figure(heat(9, "A", "B"))),
        texts(parse_figure(heat(15, "A", "B", count=10**4))),
    )

    assert in_row.count("1. k0") == 1
    assert below.count("1. k0") == 2


@pytest.mark.parametrize(("count", "strength"), [(20, "0.24"), (21, "0.36")])
def test_a_cell_is_as_deep_as_its_share_of_the_row(count: int, strength: str) -> None:
    """2 % of the 1000 cases of a row is the second step of wrong, a touch more is the third."""
    first = (1000 - count, count, *[0] * 18)
    others = (tuple(int(row == column) for column in range(20)) for row in range(1, 20))
    root = parse_figure(
        ConfusionHeatMap(tuple(map(str, range(20))), (ConfusionPanel("A", (first, *others)),))
    )

    # The samples of the legend are 11 high, which cells of 20 classes are not.
    (wrong,) = (
        path
        for path in root.iter(f"{SVG}path")
        if path.attrib["stroke"] == "#e16e14" and path.attrib["stroke-width"] != "11"
    )
    assert wrong.attrib["stroke-opacity"] == strength


def test_dots_of_one_size_are_one_path_and_larger_for_more_cases() -> None:
    """Three dots in two sizes are two paths; four times the cases are twice as wide."""
    root = parse_figure(cloud(1, cases=4))
    dots = [path for path in root.iter(f"{SVG}path") if "stroke-linecap" in path.attrib]
    sizes = [(len(MOVES.findall(path.attrib["d"])), path.attrib["stroke-width"]) for path in dots]

    # The plot, and the legend with a dot for one case and one for two.
    assert len(sizes) == 4
    assert sizes[0][0] == 2
    assert sizes[1][0] == 1
    assert float(sizes[1][1]) == pytest.approx(2 * float(sizes[0][1]), rel=0.15)


def test_what_has_no_place_is_rejected_before_it_is_drawn() -> None:
    """Infinite or missing numbers, and matrices of other classes."""
    for point in ((math.nan, 1.0), (1.0, math.inf)):
        with pytest.raises(RenderingError, match="cannot be drawn"):
            ScatterPanel("A", 0, (ScatterBin(point, 1),))
    with pytest.raises(ValueError, match="the matrix of A has not 2 rows and 2 columns"):
        ConfusionHeatMap(("a", "b"), (ConfusionPanel("A", ((1, 2, 3), (1, 2, 3))),))
    with pytest.raises(ValueError, match="the matrix of B has not 1 rows and 2 columns"):
        ConfusionHeatMap(
            ("a", "b"), (ConfusionPanel("A", ((1, 2),)), ConfusionPanel("B", ((1, 2), (3, 4))))
        )
