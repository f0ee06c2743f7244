"""Figures: well-formed, safe, the same every time, and said in words where nothing is drawn."""

from __future__ import annotations

import io
import math
from typing import get_args

import pytest
from pypdf import PdfReader

from reportgen.render.html import render_html
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.pdf import render_pdf
from reportgen.render.svg import render_figure
from reportgen.render.svg.axes import AxisScale, axis_range, round_tick_step
from reportgen.render.svg.charts import CHART_RENDERERS
from reportgen.render.svg.elements import (
    SERIES_COLOURS,
    SvgStyle,
    merge_styles,
    series_colour,
    series_dash,
)
from reportgen.render.svg.labels import text_width, truncate_label
from reportgen.report.charts import (
    Chart,
    CriticalDifferenceDiagram,
    Dot,
    DotPlot,
    LineChart,
    Series,
)
from tests.render.sample_figures import LONG, SVG, dots, figures, parse_figure, texts
from tests.render.sample_report import report_of
from tests.render.sample_tables import CLASSIFIERS, SCRIPT


def test_every_chart_class_has_a_renderer() -> None:
    """A class without one would fail only when a report has such a chart."""
    assert set(CHART_RENDERERS) == set(get_args(Chart))


@pytest.mark.parametrize("for_pdf", [False, True])
@pytest.mark.parametrize("at", range(4))
def test_a_drawing_is_well_formed_and_the_same_every_time(at: int, *, for_pdf: bool) -> None:
    """Names as <script> are text, and say who is meant."""
    result = figures()[at]
    root = parse_figure(result, for_pdf=for_pdf)

    assert render_figure(result, for_pdf=for_pdf) == render_figure(figures()[at], for_pdf=for_pdf)
    title, words = root.findtext(f"{SVG}title") or "", root.findtext(f"{SVG}desc") or ""
    assert title.startswith(result.title)
    # WeasyPrint takes the alternative text from the title alone.
    assert SCRIPT in (title if for_pdf else words)
    assert not list(root.iter(f"{SVG}script"))
    assert not any("style" in element.attrib for element in root.iter())


@pytest.mark.parametrize("at", range(4))
def test_nothing_is_drawn_beyond_the_edges(at: int) -> None:
    """Every place of a line, mark or text lies on the drawing."""
    root = parse_figure(figures()[at])
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])

    for element in root.iter():
        for key, most in {"x": width, "x1": width, "x2": width, "cx": width}.items():
            assert 0 <= float(element.attrib.get(key, 0)) <= most
        for key in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.attrib.get(key, 0)) <= height


def test_twelve_classifiers_are_distinguished_without_colour() -> None:
    """No two of the first 49 lines have the same colour and pattern."""
    looks = {
        (series_colour(order), series_dash(order)) for order in range(len(SERIES_COLOURS) ** 2)
    }
    message = texts(parse_figure(figures()[0]))

    assert len(looks) == len(SERIES_COLOURS) ** 2
    assert all(name in message for name in CLASSIFIERS[:10])
    assert "chance" in message


def test_a_long_name_is_cut_and_shown_when_pointed_at() -> None:
    """The legend has room for some thirty letters."""
    (title,) = (
        element
        for element in parse_figure(figures()[1]).iter(f"{SVG}text")
        if element.find(f"{SVG}title") is not None
    )

    assert title.find(f"{SVG}title").text == LONG  # type: ignore[union-attr]  # filtered above
    assert LONG.startswith("".join(title.itertext()).removeprefix(LONG).removesuffix("…"))


def test_names_in_wide_letters_are_cut_sooner() -> None:
    """An ideograph takes a whole em, most letters little more than half."""
    assert text_width("好好") == 2.0
    assert truncate_label("好好好好", 3.0) == "好好…"
    assert truncate_label("short", 10) == "short"


@pytest.mark.parametrize(
    ("numbers", "labels"),
    [
        ((0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((-10.0, 20.0), ["−10", "0", "10", "20"]),
        ((0.0, 0.03), ["0.00", "0.01", "0.02", "0.03"]),
        ((1200.0, 4100.0), ["2\u202f000", "3\u202f000", "4\u202f000"]),
    ],
)
def test_axes_have_few_round_ticks(numbers: tuple[float, float], labels: list[str]) -> None:
    """Steps are 1, 2 or 5 times a power of ten."""
    assert [text for _, text in AxisScale(numbers, (0.0, 100.0)).ticks()] == labels
    assert round_tick_step(0.21) == pytest.approx(0.5)


def test_an_axis_holds_all_that_is_finite() -> None:
    """From 2 to 4, and 5 % of that on either side; without a number, from 0 to 1."""
    assert axis_range((math.inf, 4.0, None, 2.0), 0.05) == pytest.approx((1.9, 4.1))
    assert axis_range((None, -math.inf)) == (0.0, 1.0)


def test_the_upper_of_two_looks_wins_and_both_keep_their_classes() -> None:
    """A hollow marker has a line and is filled with background; the PDF has no classes."""
    page, pdf = (
        merge_styles(style.attributes("not-significant"), style.attributes("background"))
        for style in (SvgStyle(), SvgStyle(for_pdf=True))
    )

    assert page == {**pdf, "class": "svg-not-significant svg-background"}
    assert (pdf["stroke"], pdf["fill"]) == ("#586672", "#ffffff")


def test_a_step_keeps_its_height_until_the_next_point() -> None:
    """Across first, then up: the path says H before V."""
    chart = LineChart("x", "y", (Series("s", ((0.0, 0.0), (0.5, 1.0), (1.0, 1.0)), 0, step=True),))

    paths = parse_figure(chart).iter(f"{SVG}path")
    (path,) = (path for path in paths if "data-series" in path.attrib)

    # The plot is 400 wide from 38 and 220 high from 30.
    assert path.attrib["d"] == "M38 250H238V30H438"


def test_undefined_and_infinite_dots_are_stated_and_shown() -> None:
    """No dot is made up for a value that is none."""
    root = parse_figure(dots())

    assert texts(root).count("undefined") == 1
    # Six folds are discs, one classifier is a triangle, and an arrow points to the infinite one.
    assert len(list(root.iter(f"{SVG}circle"))) == 6
    assert len(list(root.iter(f"{SVG}polygon"))) == 2


def test_rows_beyond_a_page_are_counted() -> None:
    """60 rows fit; of 75 the rest is named by number."""
    many = DotPlot("x", tuple(Dot(f"d{at}", float(at)) for at in range(75)))

    message = texts(parse_figure(many))

    assert "d59" in message
    assert "d60" not in message
    assert "and 15 more, in results.json" in message


@pytest.mark.parametrize(
    "chart",
    [
        DotPlot("x", ()),
        DotPlot("x", (Dot("only", 0.5),)),
        DotPlot("x", (Dot("zero", 0.0),)),
        DotPlot("x", (Dot("none", None),)),
        LineChart("x", "y", ()),
        LineChart("x", "y", (Series("empty", (), 0),)),
        CriticalDifferenceDiagram((("a", 1.0), ("b", 1.0)), (("a", "b"),)),
    ],
)
def test_hardly_anything_can_be_drawn_too(
    chart: LineChart | CriticalDifferenceDiagram | DotPlot,
) -> None:
    """Equal values, one value and none leave axes that can be read."""
    assert parse_figure(chart).attrib["viewBox"].startswith("0 0 640 ")


def test_a_bar_over_a_rank_of_another_group_has_dots_at_its_members() -> None:
    """Ranks 1, 2 and 3: the first and third do not differ, but the second differs from both."""
    ranked = (("a", 1.0), ("b", 2.0), ("c", 3.0))
    bars = {
        cliques: [
            path.attrib.get("stroke-width")
            for path in parse_figure(CriticalDifferenceDiagram(ranked, cliques)).iter(f"{SVG}line")
            if path.attrib.get("class") == "svg-clique"
        ]
        for cliques in ((("a", "b"),), (("a", "c"),))
    }
    split = parse_figure(CriticalDifferenceDiagram(ranked, (("a", "c"),)))

    assert list(bars.values()) == [["4"], ["1.2"]]
    (dots,) = (path for path in split.iter(f"{SVG}path") if "clique-dot" in str(path.attrib))
    assert dots.attrib["d"].count("M") == 2


@pytest.mark.slow
def test_page_and_pdf_show_figures_with_their_text() -> None:
    """Text in a drawing can be searched in the PDF, in the shipped font."""
    samples = figures()
    report = report_of(*samples)

    page = render_html(report)
    # Dots and ranks have a second drawing for phones.
    assert page.count("<svg") == len(samples) + 2
    assert len(samples) >= 4
    assert SCRIPT not in page
    sheets = PdfReader(io.BytesIO(render_pdf(report, attachment=b"{}").content)).pages
    text = "\n".join(sheet.extract_text() for sheet in sheets)
    assert "true positive rate" in text
    assert "Mean rank" in text
    fonts = {
        str(font.get_object()["/BaseFont"])
        for sheet in sheets
        for font in sheet["/Resources"]["/Font"].values()  # type: ignore[index]  # pypdf's objects
    }
    assert all("Inter" in font for font in fonts)


def test_text_formats_say_what_a_figure_shows() -> None:
    """Markdown and LaTeX have the title, the reading and the note."""
    report = report_of(figures()[2])

    text, latex = render_markdown(report), render_latex(report)
    assert "**Figure of ranks &amp; more**" in text
    assert r"[figure: **\<script\>alert(1)\</script\>** says what ranks shows.]" in text
    assert "A note." in text
    assert r"\textbf{Figure of ranks \& more.}" in latex
    assert "says what ranks shows. A note." in latex
