"""Names in figures: whole where they fit, and told apart where they are cut."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.measures import get_measure
from reportgen.measures.counts import ACCURACY
from reportgen.render.svg.labels import (
    break_label,
    text_width,
    truncate_label,
    truncate_labels_distinctly,
)
from reportgen.report.charts import (
    BinHistogram,
    LikelihoodRatioGraph,
    LineChart,
    LinePanels,
    RankCell,
    RankGroup,
    RankHeatMap,
    RankRow,
    RatioPoint,
    ReliabilityDiagram,
    ReliabilityPanel,
    Series,
)
from tests.render.sample_figures import SVG, forest, parse_figure, row, texts
from tests.render.sample_tables import defined

VARIANTS = tuple(f"Classifier with a name that is rather long, variant {at}" for at in range(3))


@pytest.mark.parametrize(
    ("first", "second"),
    [("Linear", "Forest"), ("Logistic regression", "Gradient boosting")],
)
def test_two_names_that_fit_are_not_cut(first: str, second: str) -> None:
    """The room is measured by the widest label, which must not miss it by the last bit."""
    plot = forest(replace(row(0.1, None), label=first, second_label=second))

    assert f"{first} − {second}" in texts(parse_figure(plot, for_pdf=True))


def test_names_with_a_common_start_are_distinguished_in_a_forest() -> None:
    """Each pair keeps the end of its names; on the page pointing shows them whole."""
    pairs = ((0, 1), (0, 2), (1, 2))
    rows = [
        replace(row(0.1, None), label=VARIANTS[first], second_label=VARIANTS[second])
        for first, second in pairs
    ]
    labels = [item for item in texts(parse_figure(forest(*rows), for_pdf=True)) if " − " in item]
    titles = [item.text for item in parse_figure(forest(*rows)).iter(f"{SVG}title")]

    for label, (first, second) in zip(labels, pairs, strict=True):
        left, right = label.split(" − ")
        assert left.endswith(f"variant {first}")
        assert right.endswith(f"variant {second}")
    assert f"{VARIANTS[0]} − {VARIANTS[1]}" in titles


def test_names_with_a_common_start_are_distinguished_over_a_grid() -> None:
    """Heads lean and are cut, but no two are alike."""
    places = tuple(RankCell(defined(0.9), at + 1) for at in range(3))
    group = RankGroup("Traditional", (RankRow(ACCURACY, places),))
    grid = RankHeatMap(tuple((name, at) for at, name in enumerate(VARIANTS)), (group,))
    heads = [item for item in texts(parse_figure(grid, for_pdf=True)) if "…" in item]

    assert len(heads) == len(set(heads)) == 3


def test_what_is_cut_fits_and_keeps_what_differs() -> None:
    """At the end if that is enough, else in the middle, else at the start."""
    ends = truncate_labels_distinctly(("a very long name indeed", "quite another long name"), 7)
    middles = truncate_labels_distinctly(("support vectors, linear", "support vectors, radial"), 8)
    starts = truncate_labels_distinctly(("abcdefghijkl 1 mnopq", "abcdefghijkl 2 mnopq"), 5.5)

    assert ends["a very long name indeed"] == truncate_label("a very long name indeed", 7)
    assert {short[-6:] for short in middles.values()} == {"linear", "radial"}
    assert all(short.startswith("supp") for short in middles.values())
    assert ["1" in short for short in starts.values()] == [True, False]
    for result, room in ((ends, 7), (middles, 8), (starts, 5.5)):
        assert all(text_width(short) <= room for short in result.values())


def test_of_thirty_places_the_last_are_the_faintest() -> None:
    """Twelve of thirty are drawn; a place beyond twelve is not darker than the second."""
    ranks = (2, 5, 12, 20, 29, 30)
    places = tuple(RankCell(defined(0.9), rank) for rank in ranks)
    group = RankGroup("Traditional", (RankRow(ACCURACY, places),))
    grid = RankHeatMap(tuple((str(rank), 0) for rank in ranks), (group,))
    shades = [float(box.attrib["fill-opacity"]) for box in parse_figure(grid).iter(f"{SVG}rect")]

    assert len(shades) == len(ranks)
    assert shades == sorted(shades, reverse=True)
    assert shades[0] > shades[-1]


def test_a_label_is_broken_where_its_lines_are_of_similar_length() -> None:
    """One word is never broken."""
    assert break_label("superior overall", 500) == ("superior overall",)
    assert break_label("superior for confirmation of negatives", 150) == (
        "superior for confirmation",
        "of negatives",
    )
    assert break_label("Bayes", 5) == ("Bayes",)


def test_names_with_a_common_start_are_distinguished_in_legends() -> None:
    """Lines, panels of calibration, which have two lines, and points of likelihood ratios."""
    series = tuple(Series(name, ((0.0, 0.0), (1.0, 1.0)), at) for at, name in enumerate(VARIANTS))
    longer = [f"A {name.replace('rather', 'rather and really')}" for name in VARIANTS]
    bars = BinHistogram("A", 0, ((0.0, 0.5, 3.0),))
    panels = tuple(
        ReliabilityPanel(f"{name} of it", at, 0.1, (), bars) for at, name in enumerate(longer)
    )
    points = [RatioPoint(name, at, 5.0 + at, 0.2 - at / 20) for at, name in enumerate(VARIANTS)]
    for chart in (
        LinePanels((LineChart("x", "y", series),), 1),
        ReliabilityDiagram("x", "y", panels),
        LikelihoodRatioGraph("x", "y", points[0], tuple(points[1:]), ("a", "b", "c", "d")),
    ):
        cut = [item for item in texts(parse_figure(chart, for_pdf=True)) if "…" in item]
        assert len(cut) == len(set(cut)) == 3


def test_a_name_of_two_words_is_whole_over_a_panel() -> None:
    """On two lines, and the others are just above their plots."""
    bars = BinHistogram("A", 0, ((0.0, 0.5, 3.0),))
    names = ("Logistic regression", "SVM", "A", "B", "C")
    panels = tuple(ReliabilityPanel(name, 0, 0.1, (), bars) for name in names)
    drawn = texts(parse_figure(ReliabilityDiagram("x", "y", panels), for_pdf=True))

    assert {"Logistic", "regression", "SVM"} <= set(drawn)


def test_a_title_that_does_not_fit_beside_a_grid_is_its_symbol() -> None:
    """MCC, and not Matthews correlation coeffic…."""
    places = tuple(RankCell(defined(0.9), at + 1) for at in range(12))
    group = RankGroup("Additional", (RankRow(get_measure("mcc"), places),))
    grid = RankHeatMap(tuple((f"C{at}", at) for at in range(12)), (group,))

    drawn = texts(parse_figure(grid, for_pdf=True))
    assert "MCC" in drawn
    assert not any(item.startswith("Matthews") for item in drawn)
