"""Figures of evidence: places, differences, classes and folds, with all that may be missing."""

from __future__ import annotations

import math
import re
import time
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures.counts import ACCURACY
from reportgen.render.svg.dot_plot import _FOLD_DOT_RADIUS, _non_overlapping_layers
from reportgen.report.charts import (
    Chart,
    CriticalDifferenceDiagram,
    Dot,
    DotPanel,
    FoldPlot,
    FoldRow,
    GroupedDotPlot,
    RankCell,
    RankGroup,
    RankHeatMap,
    RankRow,
)
from tests.render.sample_figures import LONG, SVG, forest, parse_figure, row, texts
from tests.render.sample_tables import SCRIPT, defined


def grid(names: tuple[str, ...] = ("SVM", SCRIPT, "tree", "none")) -> RankHeatMap:
    """Return a first place that is shown, one that is not, one that is shared, and no value."""
    lacking = MeasureValue(None, ValueState.UNDEFINED, "no case was predicted positive")
    places = (
        RankCell(defined(0.9), 1, significant=True),
        RankCell(defined(0.8), 2),
        RankCell(defined(0.7), 3),
        RankCell(lacking),
    )
    open_yet = (
        RankCell(defined(0.8), 2),
        RankCell(defined(0.9), 1, significant=False),
        RankCell(defined(0.7), 3),
        RankCell(lacking),
    )
    shared = (
        RankCell(defined(0.9), 1, tied=True, significant=False),
        RankCell(defined(0.9), 1, tied=True, significant=False),
        RankCell(defined(0.7), 3),
        RankCell(None),
    )
    rows = tuple(RankRow(ACCURACY, item) for item in (places, open_yet, shared))
    columns = tuple((name, at) for at, name in enumerate(names))
    return RankHeatMap(columns, (RankGroup("Traditional", rows),))


def folds(*, joined: bool = False) -> FoldPlot:
    """Return three folds of two classifiers, one fold without a value."""
    rows = (
        FoldRow("A", 0, (0.8, None, 0.9), 0.85, 0.7, 1.0),
        FoldRow(LONG, 1, (0.7, 0.75, 0.8), 0.75),
    )
    return FoldPlot("accuracy", rows, connect_folds=joined)


def classes(count: int, names: int = 2) -> GroupedDotPlot:
    """Return classes with a dot for each classifier, one of them undefined."""
    dots = tuple(Dot(f"c{at}", 0.5 + at / 20, 0.4, 0.9, color_index=at) for at in range(names))
    undefined = tuple(Dot(dot.label, None, color_index=dot.color_index) for dot in dots)
    rows = (*(dots for _ in range(count - 1)), undefined)
    labels = tuple(f"class {at}" for at in range(count))
    columns = tuple((f"c{at}", at) for at in range(names))
    return GroupedDotPlot(
        labels, columns, (DotPanel("sensitivity", rows), DotPanel("precision", rows))
    )


SAMPLES: dict[str, Chart] = {
    "grid": grid(),
    "leaning": grid((LONG, SCRIPT, "tree", LONG + "!")),
    "forest": forest(
        row(0.03, Decision.SUPERIOR), replace(row(0.0, Decision.UNDECIDED), margin=0.01)
    ),
    "open-ended": forest(replace(row(0.03, Decision.SUPERIOR), high=None), row(None, None)),
    "folds": folds(joined=True),
    "classes": classes(50, 6),
    "list": CriticalDifferenceDiagram(tuple((f"{LONG}{at}", 1.0 + at) for at in range(30)), ()),
    "one": forest(replace(row(0.0, Decision.TIED), low=None, high=None)),
    "no value": FoldPlot("x", (FoldRow("A", 0, (None, None), None),)),
    "nothing": GroupedDotPlot((), (), ()),
}


@pytest.mark.parametrize("for_pdf", [False, True])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_figure_of_evidence_is_well_formed_and_within_its_edges(
    name: str, *, for_pdf: bool
) -> None:
    """Texts, marks and paths stay on the drawing, and no number is written as nan or inf."""
    root = parse_figure(SAMPLES[name], for_pdf=for_pdf)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])

    assert not re.search(r"\b(nan|inf)\b", ET.tostring(root, encoding="unicode"))
    for item in root.iter():
        for key, most in (("x", width), ("y", height), ("cx", width), ("cy", height)):
            assert 0 <= float(item.attrib.get(key, 0)) <= most
    # 25 cm of a page of A4, at 16 cm for 640 units.
    assert height <= 1000


def test_a_first_place_is_full_where_tests_show_it_and_dashed_where_not() -> None:
    """Seen without colours too: one full cell, three with a dashed outline, and what it means."""
    root = parse_figure(grid(), for_pdf=True)
    rects = list(root.iter(f"{SVG}rect"))
    dashed = [rect for rect in rects if rect.attrib.get("stroke-dasharray") == "3.5 2.5"]
    full = [rect for rect in rects if rect.attrib["fill"] and "fill-opacity" not in rect.attrib]

    # One more of each is the key.
    assert len(full) == 1 + 1
    assert len(dashed) == 3 + 1
    assert "best (significant)" in texts(root)
    assert "best (not significant)" in texts(root)
    assert "best (not tested)" not in texts(root)
    assert texts(root).count("1=") == 2
    assert texts(root).count("–") == 3


def test_a_cell_without_a_value_says_why_when_pointed_at() -> None:
    """The dash itself has no room for it."""
    message = [title.text for title in parse_figure(grid()).iter(f"{SVG}title")]

    assert "none, Accuracy: undefined, no case was predicted positive" in message
    assert "SVM, Accuracy: 90.0%, rank 1; best (significant)" in message


def test_rows_of_a_forest_are_distinguished_by_shape() -> None:
    """Shown: a full disc; open: a hollow one; equivalent: a square; each also in the key."""
    root = parse_figure(
        forest(
            row(0.05, Decision.SUPERIOR),
            row(-0.05, Decision.INFERIOR),
            row(0.01, Decision.UNDECIDED),
            replace(row(0.0, Decision.EQUIVALENT), margin=0.03),
        ),
        for_pdf=True,
    )
    discs = [item.attrib["fill"] for item in root.iter(f"{SVG}circle")]

    assert discs.count("#0a5a94") == 2 + 1
    assert discs.count("#ffffff") == 1 + 1
    assert len(list(root.iter(f"{SVG}polygon"))) == 1 + 1
    # The margin of one row, and its key.
    assert len(list(root.iter(f"{SVG}rect"))) == 2


def test_rows_of_pairs_are_known_by_their_names_on_the_page_alone() -> None:
    """The script needs them; the PDF has none. A name stays a name, whatever its signs."""
    about_a_pair = replace(row(0.1, Decision.SUPERIOR), pair=("A", SCRIPT))
    plot = forest(about_a_pair, row(0.2, None))

    pairs = [
        item.get("data-pair") for item in parse_figure(plot).iter() if "data-pair" in item.attrib
    ]
    # Label, numbers and interval, which move apart on a phone.
    assert pairs == [f"A − {SCRIPT}"] * 3
    assert not any("data-pair" in item.attrib for item in parse_figure(plot, for_pdf=True).iter())


def test_the_ends_of_a_forest_say_who_is_better_there() -> None:
    """An arrow points away from 0, which is always on the axis."""
    labels = texts(parse_figure(forest(row(0.3, Decision.SUPERIOR))))

    assert "← favours the second" in labels
    assert "favours the first →" in labels
    assert "no difference" in labels
    assert "0.0" in labels


def test_an_interval_without_an_end_has_an_arrow() -> None:
    """A path that closes (Z) is the head at the edge; an end that is known has a cap."""
    half_open = parse_figure(forest(replace(row(0.1, Decision.SUPERIOR), high=None)))
    closed = parse_figure(forest(row(0.1, Decision.SUPERIOR)))

    def arrows(root: ET.Element) -> int:
        return sum(item.attrib["d"].count("Z") for item in root.iter(f"{SVG}path"))

    assert arrows(half_open) == arrows(closed) + 1


def test_of_two_long_names_both_are_cut() -> None:
    """Neither side of a difference is lost."""
    plot = forest(replace(row(0.1, None), label=LONG, second_label=LONG))
    (label,) = [item for item in texts(parse_figure(plot, for_pdf=True)) if " − " in item]

    first, second = label.split(" − ")
    assert first.endswith("…")
    assert second.endswith("…")
    assert len(first) > 8
    assert len(second) > 8


def test_folds_without_a_value_are_counted_and_break_the_line() -> None:
    """Of fold 2 only the second classifier has a value, so only two folds are joined."""
    root = parse_figure(folds(joined=True))
    apart = parse_figure(folds())

    assert "1 of 3 undefined" in texts(root)
    (joining,) = [
        item.attrib["d"] for item in root.iter(f"{SVG}path") if item.attrib.get("opacity") == "0.45"
    ]
    assert joining.count("L") == 2
    assert not [item for item in apart.iter() if item.attrib.get("opacity") == "0.45"]


def test_equal_folds_darken_each_other() -> None:
    """Three of five folds are equal: three layers, of which the others share the first."""
    row = FoldRow("A", 0, (0.5, 0.9, 0.9, 0.9, 0.1), 0.66)
    root = parse_figure(FoldPlot("accuracy", (row,)))
    layers = [
        item.attrib["d"].count("M")
        for item in root.iter(f"{SVG}path")
        if item.attrib.get("fill-opacity") == "0.4"
    ]

    assert layers == [3, 1, 1]


def test_fifty_classes_of_six_classifiers_stay_few_nodes() -> None:
    """600 dots are 12 paths of lines and 12 of marks; an undefined row is said in words."""
    root = parse_figure(classes(50, 6))

    assert sum(1 for _ in root.iter()) < 150
    assert texts(root).count("undefined") == 2


def test_infinite_dots_of_a_class_point_beyond_the_edge() -> None:
    """An arrow is no mark at a place that was made up."""
    dots = (Dot("a", math.inf, 2.0, None, color_index=1), Dot("b", 3.0, 2.0, 4.0, color_index=2))
    chart = GroupedDotPlot(("k",), (("a", 1), ("b", 2)), (DotPanel("ratio", (dots,)),))

    paths = [item.attrib["d"] for item in parse_figure(chart).iter(f"{SVG}path")]

    # The head ends at the right edge of the panel, 8 before that of the drawing.
    assert any(path.startswith("M632 ") and path.endswith("Z") for path in paths)


def test_very_many_ranks_become_a_list_hollow_where_no_difference_is_significant() -> None:
    """c1 to c4 do not differ significantly from the best, c0."""
    ranks = tuple((f"c{at}", 1.0 + at) for at in range(20))
    group = tuple(f"c{at}" for at in range(5))
    root = parse_figure(CriticalDifferenceDiagram(ranks, (group,), tuple(range(20))))
    marks = [item for item in root.iter() if "area" in item.attrib.get("class", "").split()]

    assert len(marks) == 20
    assert ["hollow" in mark.attrib["class"].split() for mark in marks] == [
        0 < at < 5 for at in range(20)
    ]


def test_dots_of_many_folds_are_layered_in_linear_time() -> None:
    """As by taking for each dot the first layer with room, which takes minutes for 50,000 dots."""
    rng = np.random.default_rng(1)
    positions = rng.normal(300, 40, 400).tolist()
    expected: list[list[float]] = []
    for position in sorted(positions):
        rooms = [layer for layer in expected if position - layer[-1] >= 2 * _FOLD_DOT_RADIUS]
        if rooms:
            rooms[0].append(position)
        else:
            expected.append([position])
    began = time.process_time()
    layers = _non_overlapping_layers(rng.normal(300, 40, 100_000).tolist())

    assert _non_overlapping_layers(positions) == expected
    assert len(expected) > 5
    assert sum(map(len, layers)) == 100_000
    assert time.process_time() - began < 5
