"""Lines and graphs as drawn: cut at the axes, thinned unseen, and readable by a script."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.render.svg.axes import AxisScale
from reportgen.render.svg.elements import MUTED_COLOUR, SVG_FONT_SIZE
from reportgen.render.svg.labels import LabelBox, place_line_labels, text_width
from reportgen.render.svg.likelihood_graph import ratio_range
from reportgen.render.svg.paths import (
    SIMPLIFY_TOLERANCE,
    clip_polygon,
    clip_polyline,
    simplify_polyline,
)
from reportgen.report.charts import (
    MUTED_COLOR_INDEX,
    BinHistogram,
    ConfidenceBand,
    LikelihoodRatioGraph,
    LineChart,
    LinePanels,
    Marker,
    RatioPoint,
    ReferenceLine,
    Series,
)
from tests.render.sample_figures import SVG, parse_figure, texts

WORDS = ("superior overall", "for positives", "for negatives", "inferior overall")


def panels() -> LinePanels:
    """Return a whole plot and its corner, with everything a line can have."""
    series = Series(
        "A",
        ((0.0, 0.0), (0.1, 0.9), (1.0, 1.0)),
        3,
        band=ConfidenceBand(
            ((0.2, 0.0), (0.3, 0.8), (1.0, 0.9)), ((0.0, 0.1), (0.05, 0.95), (1.0, 1.0))
        ),
        markers=(
            Marker((0.1, 0.9), kind="operating", low=0.85, high=0.95),
            Marker((0.1, 0.9), kind="best"),
        ),
    )
    line_chart = LineChart(
        "x",
        "y",
        (series,),
        references=(ReferenceLine((0.2, 0.0), (0.2, 1.0), "target", 0.2),),
        square=True,
        marker_legend=(("operating", "as predicted"), ("best", "preferred"), ("crossing", "equal")),
        markers=(Marker((0.2, 0.9), label_value=0.2, kind="crossing"),),
        zoom_window=((0.0, 0.25), (0.75, 1.0)),
        histograms=(BinHistogram("A", 3, ((0.0, 0.5, 7.0), (0.5, 1.0, 0.0))),),
        histogram_label="cases",
    )
    corner = LineChart("x", "y", (series,), (0.0, 0.25), (0.75, 1.0), square=True)
    return LinePanels((line_chart, corner), 2)


def graph() -> LikelihoodRatioGraph:
    """Return a reference at LR+ 10 and LR− 0.2, a point in every quadrant, and an extreme one."""
    places = {"both": (40, 0.05), "plus": (30, 0.5), "minus": (4, 0.1), "neither": (3, 0.6)}
    others = tuple(
        RatioPoint(name, at, plus, minus, (plus / 2, plus * 2), (minus / 2, minus * 2))
        for at, (name, (plus, minus)) in enumerate(places.items(), start=1)
    )
    perfect = RatioPoint("perfect", 5, math.inf, 0.0, (50.0, math.inf), (0.0, 0.1))
    return LikelihoodRatioGraph("x", "y", RatioPoint("R", 0, 10.0, 0.2), (*others, perfect), WORDS)


def test_a_script_knows_which_number_stands_where() -> None:
    """The group of a panel has both axes, the path of a series its name."""
    root = parse_figure(panels())

    plots = [
        [float(part) for part in group.attrib["data-plot"].split()]
        for group in root.iter(f"{SVG}g")
        if "data-plot" in group.attrib
    ]
    # The first panel has an inset, which enlarges what the second panel shows.
    assert [plot[:2] + plot[4:6] for plot in plots] == [
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 0.25, 0.75, 1.0],
        [0.0, 0.25, 0.75, 1.0],
    ]
    for _, _, left, right, _, _, bottom, top in plots:
        assert right - left == pytest.approx(bottom - top)
    paths = [path.attrib for path in root.iter(f"{SVG}path")]
    assert [path["data-series"] for path in paths if "data-series" in path] == ["A"] * 3
    moving = [
        item
        for item in root.iter()
        if "operating" in item.attrib.get("class", "").split() and "data-series" in item.attrib
    ]
    assert [item.attrib["data-series"] for item in moving] == ["A"] * 3
    for group in root.iter(f"{SVG}g"):
        if "data-plot" in group.attrib:
            labels = [item.text for item in group.iter(f"{SVG}text") if _is_label(item.attrib)]
            assert labels[:2] == ["x", "y"]


def _is_label(attributes: dict[str, str]) -> bool:
    return attributes.get("class") == "svg-text"


def many_lines() -> LineChart:
    """Return three lines in colour that cross no other, and four in grey."""
    colored = tuple(
        Series(f"best {at}", ((0.0, 0.2 + 0.3 * at), (1.0, 0.2 + 0.3 * at)), at) for at in range(3)
    )
    muted = tuple(
        Series(f"other {at}", ((0.0, 0.0), (1.0, 0.2 * at)), MUTED_COLOR_INDEX) for at in range(4)
    )
    return LineChart("x", "y", (*colored, *muted))


def test_among_grey_lines_those_in_colour_have_labels() -> None:
    """The legend counts the others; on the page each of them can still be pointed at."""
    page, pdf = parse_figure(many_lines()), parse_figure(many_lines(), for_pdf=True)

    assert [name for name in texts(page) if "best" in name] == ["best 0", "best 1", "best 2"]
    assert "4 others" in texts(page)
    assert not [name for name in texts(page) if "other " in name]
    named = [item.attrib["data-series"] for item in page.iter() if "data-series" in item.attrib]
    assert sorted(named) == [
        *(f"best {at}" for at in range(3)),
        *(f"other {at}" for at in range(4)),
    ]
    greys = [item for item in pdf.iter(f"{SVG}path") if item.attrib.get("stroke") == MUTED_COLOUR]
    assert len(greys) == 1


def test_labels_of_lines_overlap_neither_lines_nor_labels() -> None:
    """Three lines far apart have room; each label is closest to its own line."""
    lines = [[(0.0, 20.0 + 60 * at), (300.0, 20.0 + 60 * at)] for at in range(3)]

    places = place_line_labels([80.0] * 3, lines, [], LabelBox(0.0, 0.0, 300.0, 200.0))

    for own, place in enumerate(places):
        gaps = [max(place.box.top - line[0][1], line[0][1] - place.box.bottom) for line in lines]
        assert min(gaps) == gaps[own] >= 3
        assert place.anchor[1] == lines[own][0][1]
    boxes = [place.box for place in places]
    for first, second in combinations(boxes, 2):
        assert first.bottom < second.top or second.bottom < first.top


def small_multiples() -> LinePanels:
    """Return seven panels of one line in rows of five."""
    chart = LineChart("x", "y", (Series("A", ((0.0, 0.0), (1.0, 1.0)), 0),), square=True)
    return LinePanels((chart,) * 7, 5, tuple(f"class {at}" for at in range(7)))


def test_small_multiples_are_labelled_at_the_outside() -> None:
    """Titles over all; numbers below the lowest panel of each column and left of each row."""
    message = texts(parse_figure(small_multiples(), for_pdf=True))

    assert [text for text in message if text.startswith("class")] == [
        f"class {at}" for at in range(7)
    ]
    assert (message.count("x"), message.count("y")) == (1, 1)
    # Three numbers per axis: 5 columns and 2 rows.
    assert sum(text in {"0.0", "0.5", "1.0"} for text in message) == 3 * 5 + 3 * 2


def test_small_multiples_need_a_title_each() -> None:
    """A panel without a title could not be read."""
    with pytest.raises(ValueError, match="7 panels have 1 titles"):
        LinePanels(small_multiples().panels, 5, ("class 0",))


def test_the_pdf_has_neither_classes_nor_data() -> None:
    """Nothing there reads them."""
    for chart in (panels(), graph()):
        for item in parse_figure(chart, for_pdf=True).iter():
            assert not [key for key in item.attrib if key == "class" or key.startswith("data-")]


@pytest.mark.parametrize("chart", [panels(), graph()], ids=["panels", "ratios"])
def test_all_of_it_lies_on_the_drawing(chart: LinePanels | LikelihoodRatioGraph) -> None:
    """Also what the axes cut off."""
    root = parse_figure(chart)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])

    for item in root.iter():
        for key, most in {"x": width, "x1": width, "x2": width, "cx": width}.items():
            assert 0 <= float(item.attrib.get(key, 0)) <= most
        for key in ("y", "y1", "y2", "cy"):
            assert 0 <= float(item.attrib.get(key, 0)) <= height


def test_the_legend_names_everything_once() -> None:
    """A series that is in two panels, the kinds of marks, the thin line."""
    message = texts(parse_figure(panels()))

    for words in ("A", "as predicted", "preferred", "equal", "target", "cases"):
        assert message.count(words) == 1


def test_a_line_is_cut_where_it_leaves_the_axes() -> None:
    """From (-1, 0.5) to (1, 0.5), up to (1, 2), and back in from above at (0.5, 1)."""
    points = ((-1.0, 0.5), (1.0, 0.5), (1.0, 2.0), (0.5, 2.0), (0.5, 0.0))

    pieces = clip_polyline(points, (0.0, 1.0), (0.0, 1.0))

    assert pieces == [[(0.0, 0.5), (1.0, 0.5), (1.0, 1.0)], [(0.5, 1.0), (0.5, 0.0)]]


def test_a_line_beside_the_axes_is_not_drawn() -> None:
    """Neither where it runs along them nor where it would touch a corner's extension."""
    assert clip_polyline(((-1.0, 0.5), (-1.0, 0.9)), (0.0, 1.0), (0.0, 1.0)) == []
    assert clip_polyline(((-1.0, 0.5), (0.5, 2.5)), (0.0, 1.0), (0.0, 1.0)) == []


def test_an_area_is_cut_at_the_axes() -> None:
    """The triangle (0, 0), (2, 0), (0, 2) has a square of side 1 within 0 to 1."""
    points = clip_polygon(((0.0, 0.0), (2.0, 0.0), (0.0, 2.0)), (0.0, 1.0), (0.0, 1.0))

    assert set(points) == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}


@settings(deadline=None, max_examples=50)
@given(heights=st.lists(st.floats(0, 300), min_size=2, max_size=30))
def test_no_point_left_out_would_have_been_seen(heights: list[float]) -> None:
    """Each is nearer to the line that is drawn than can be seen."""
    places = [(3.0 * at, height) for at, height in enumerate(heights)]

    points = simplify_polyline(places)

    assert (points[0], points[-1]) == (places[0], places[-1])
    for place in places:
        gaps = [_gap(place, start, end) for start, end in pairwise(points)]
        assert min(gaps) <= SIMPLIFY_TOLERANCE + 1e-9


def _gap(place: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> float:
    """Return the distance of a point from a segment, by trying 4001 places on it."""
    shares = np.linspace(0, 1, 4001)
    along = [start[axis] + shares * (end[axis] - start[axis]) - place[axis] for axis in (0, 1)]
    step = math.dist(start, end) / 4000
    return float(np.hypot(*along).min()) - step


def test_powers_of_ten_are_equally_far_apart_on_a_logarithmic_axis() -> None:
    """From 0.001 to 1 there are three steps."""
    scale = AxisScale((0.001, 1.0), (0.0, 300.0), log=True)

    assert [output for _, output in scale.ticks()] == ["0.001", "0.01", "0.1", "1"]
    assert [scale.position(number) for number, _ in scale.ticks()] == pytest.approx(
        [0, 100, 200, 300]
    )
    assert scale.position(0.0) == 0.0


def test_a_logarithmic_axis_shorter_than_a_decade_has_more_numbers() -> None:
    """Between 12 and 130 there is one power of ten."""
    assert [text for _, text in AxisScale((12.0, 130.0), (0.0, 1.0), log=True).ticks()] == [
        "20",
        "50",
        "100",
    ]


def test_a_short_logarithmic_axis_has_more_than_one_number() -> None:
    """Between 1.7 and 4.4 there is one multiple by 2 and 5."""
    assert [text for _, text in AxisScale((1.7, 4.4), (0.0, 1.0), log=True).ticks()] == [
        "2",
        "2.5",
        "3",
        "4",
    ]


def test_the_quadrant_of_a_point_is_its_likelihood_relation() -> None:
    """Higher LR+ is farther up, lower LR− farther left; 0 and infinity are at the edges."""
    root = parse_figure(graph())
    marks = {
        int(item.attrib["class"].split("s")[-1].split()[0]): _middle(item.attrib)
        for item in root.iter()
        if "area" in item.attrib.get("class", "").split()
    }
    x, y = marks[0]

    sides = {at: (mark[0] < x, mark[1] < y) for at, mark in marks.items() if at}
    assert sides == {
        1: (True, True),
        2: (False, True),
        3: (True, False),
        4: (False, False),
        5: (True, True),
    }
    assert marks[5][0] == min(mark[0] for mark in marks.values())
    assert marks[5][1] == min(mark[1] for mark in marks.values())


def _middle(attributes: dict[str, str]) -> tuple[float, float]:
    if "cx" in attributes:
        return float(attributes["cx"]), float(attributes["cy"])
    corners = [tuple(map(float, part.split(","))) for part in attributes["points"].split()]
    return (
        (min(x for x, _ in corners) + max(x for x, _ in corners)) / 2,
        (min(y for _, y in corners) + max(y for _, y in corners)) / 2,
    )


def test_all_quadrants_and_points_are_named() -> None:
    """The words are in the corners, the names next to the points."""
    text = " ".join(texts(parse_figure(graph())))

    for name in (*WORDS, "R", "both", "plus", "minus", "neither", "perfect"):
        assert name in text


def test_no_line_crosses_the_name_of_a_quadrant() -> None:
    """An interval along the lower edge moves the name of that quadrant to its upper end."""
    words = (*WORDS[:2], "superior for confirmation of negatives", WORDS[3])
    reference = RatioPoint("R", 0, 500.0, 0.05)
    right = RatioPoint("right", 2, 20.0, 0.5, (19.0, 21.0), (0.3, 1.0))

    def height(*others: RatioPoint) -> float:
        graph = LikelihoodRatioGraph("x", "y", reference, others, words)
        (label,) = (
            item for item in parse_figure(graph).iter(f"{SVG}text") if item.text == "of negatives"
        )
        return float(label.attrib["y"])

    crossing = RatioPoint("low", 1, 20.0, 0.03, (19.0, 21.0), (0.025, 0.1))
    above = RatioPoint("low", 1, 100.0, 0.03, (99.0, 101.0), (0.025, 0.1))
    assert height(crossing, right) < height(above, right) - 40


def test_an_axis_of_ratios_contains_all_finite_ones() -> None:
    """An interval reaches at most ten times beyond the points; 0 and infinity do not count."""
    low, high = ratio_range([(2.0, (1.0, 4.0)), (8.0, (0.001, math.inf)), (math.inf, None)])

    assert low == pytest.approx(2.0 / 10 / 1.25)
    assert high == pytest.approx(8.0 * 2.5)
    assert ratio_range([(math.inf, None)])[0] < 1


@pytest.mark.parametrize("top", [1.0, 30_000.0, 2_500_000.0])
def test_the_numbers_of_an_axis_have_room_however_long_they_are(top: float) -> None:
    """Right of the drawing's edge, or of the panel before, stands even the first digit."""
    chart = LineChart("x", "y", (Series("A", ((0.0, 0.0), (1.0, top)), 0),), y_range=(0.0, top))
    root = parse_figure(LinePanels((chart, chart), 2))

    edges = [0.0]
    for group in root.iter(f"{SVG}g"):
        if "data-plot" in group.attrib:
            left, right = map(float, group.attrib["data-plot"].split()[2:4])
            numbers = [
                number
                for contents in group.iter(f"{SVG}g")
                if contents.attrib.get("text-anchor") == "end"
                for number in contents.iter(f"{SVG}text")
            ]
            starts = [
                float(number.attrib["x"]) - text_width(number.text or "") * SVG_FONT_SIZE
                for number in numbers
            ]
            assert len(numbers) > 2
            assert edges[-1] <= min(starts) < left
            edges.append(right)
    assert len(edges) == 3
