"""Intervals, p-values, differences and verdicts, in every format."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace

import pytest
from pypdf import PdfReader

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.render.html import render_html
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.number_format import format_difference, format_p_value, format_value_interval
from reportgen.render.pagination import TableFit, choose_table_fit
from reportgen.render.pdf import render_pdf
from reportgen.render.plain_text import interval_text, number_text
from reportgen.render.resources import read_resources
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.inline import (
    Estimate,
    Interval,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PValue,
    TableCell,
    Tone,
    VerdictBadge,
)
from tests.render.sample_report import report_of
from tests.render.sample_tables import NAMES, capability_table

ACCURACY = get_measure("accuracy")
RATIO = get_measure("lr_positive")
SURE = MeasureValue(0.9118, ValueState.DEFINED, None, 0.8851, 0.9332, "wilson")


def table_of(
    *cells: MeasureEstimate | PValue | Interval | MeasureDifference | Estimate | VerdictBadge,
) -> Table:
    """Return a table of one row."""
    columns = (Column("Head"), *(Column(f"c{at}", numeric=True) for at in range(len(cells))))
    return Table("t", "T", columns, (RowGroup((("row", *cells),)),))


@pytest.mark.parametrize(
    ("number", "bare", "named"),
    [
        (0.0154, "0.015", "p = 0.015"),
        (0.0705, "0.071", "p = 0.071"),
        (0.65, "0.65", "p = 0.65"),
        (0.0499, "0.0499", "p = 0.0499"),
        (0.05, "0.050", "p = 0.050"),
        (0.0996, "0.10", "p = 0.10"),
        (0.0, "<0.001", "p < 0.001"),
        (1e-30, "<0.001", "p < 0.001"),
        (0.001, "0.001", "p = 0.001"),
        (0.99996, ">0.99", "p > 0.99"),
        (1.0, "1", "p = 1"),
        (None, "–", "p –"),
    ],
)
def test_a_p_value_is_never_nothing(number: float | None, bare: str, named: str) -> None:
    """Four decimals below 0.1, three above, and no p-value is 0."""
    assert format_p_value(number) == bare
    assert format_p_value(number, with_symbol=True) == named
    assert number_text(PValue(number, with_symbol=True)) == named


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.006, "+0.6\u202fpp"),
        (-0.019, "−1.9\u202fpp"),
        (0.0, "0.0\u202fpp"),
        (0.00004, "+0.004\u202fpp"),
        (-1e-9, "−1.00\u202f×\u202f10⁻⁹"),
        (math.inf, "+∞"),
        (-math.inf, "−∞"),
        (None, "undefined"),
    ],
)
def test_a_difference_bears_its_sign(number: float | None, text: str) -> None:
    """What is not 0 is never written as 0."""
    assert format_difference(number, ACCURACY) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(-0.0191, 0.0312, ACCURACY), "−1.9 to 3.1"),
        (Interval(1.234, 120.4, RATIO), "1–120"),
        (Interval(0.1, None, RATIO), "0.100–∞"),
        (Interval(None, 0.25), "−∞ to 0.250"),
        (Interval(1, 2, decimals=1), "1.0–2.0"),
    ],
)
def test_an_interval_names_both_ends(interval: Interval, text: str) -> None:
    """An end that is None is infinite; the end farther from 0 decides the decimals."""
    assert number_text(interval) == text


@pytest.mark.parametrize(
    ("score", "name", "ends"),
    [
        (SURE, "accuracy", ("88.5", "93.3")),
        (
            MeasureValue(1.0, ValueState.DEFINED, None, 0.9996, 1.0, "wilson"),
            "accuracy",
            (">99.9", "100.0"),
        ),
        (
            MeasureValue(5.33, ValueState.DEFINED, None, 3.78, 7.524, "d"),
            "lr_positive",
            ("3.78", "7.52"),
        ),
        (
            MeasureValue(150.4, ValueState.DEFINED, None, 0.41, 999.9, "d"),
            "lr_positive",
            ("0.410", "1\u202f000"),
        ),
        (
            MeasureValue(None, ValueState.INFINITE, "+∞: x", 3.2, None, "d"),
            "lr_positive",
            ("3.20", "∞"),
        ),
    ],
)
def test_limits_have_the_decimals_of_their_value(
    score: MeasureValue, name: str, ends: tuple[str, str]
) -> None:
    """Unless nothing but a 0 would be left of one."""
    assert format_value_interval(score, get_measure(name)) == ends


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.43217, "0.432"), (0.99999, "0.99999"), (1.0, "1.00"), (12.345, "12.35"), (0.0, "0.00")],
)
def test_a_threshold_close_to_1_is_not_written_as_1(number: float, text: str) -> None:
    """Whoever sets it would set another one."""
    assert InlineRenderer().sentence((Estimate(number),)) == text


def test_a_negative_limit_is_joined_by_a_word() -> None:
    """A dash before a minus would be misread."""
    score = MeasureValue(0.009, ValueState.DEFINED, None, -0.131, 0.133, "d")

    assert interval_text(MeasureEstimate(score, get_measure("kappa"))) == "−0.131 to 0.133"
    assert interval_text(MeasureEstimate(SURE, ACCURACY)) == "88.5–93.3"


def test_a_sentence_shows_an_interval_only_if_asked() -> None:
    """Running text would drown in numbers."""
    quiet, request = (
        MeasureEstimate(SURE, ACCURACY),
        MeasureEstimate(SURE, ACCURACY, with_interval=True),
    )

    assert InlineRenderer().sentence((quiet,)) == "91.2%"
    assert InlineRenderer().sentence((request,)) == "91.2% (88.5–93.3)"
    assert "91.2% (88.5–93.3)" in render_markdown(report_of(Paragraph((request,))))
    assert r"91.2\% (88.5--93.3)" in render_latex(report_of(Paragraph((request,))))


def test_every_format_shows_the_interval_of_a_cell() -> None:
    """Under the value on the page and in print, beside it in Markdown."""
    report = report_of(
        table_of(MeasureEstimate(SURE, ACCURACY, best=True), Estimate(0.5, 0.25, math.inf))
    )

    page, text = render_html(report), render_markdown(report)
    assert '<small class="interval">88.5–93.3</small>' in page
    assert '<small class="interval">0.250–∞</small>' in page
    assert "| **91.2%** (88.5–93.3) | 0.500 (0.250–∞) |" in text
    assert r"\textcolor{gray}{88.5--93.3}" in render_latex(report)
    sheets = PdfReader(io.BytesIO(render_pdf(report, attachment=b"{}").content)).pages
    assert "88.5–93.3" in sheets[0].extract_text()


def test_cells_of_evidence_are_written_alike_everywhere() -> None:
    """A p-value, a difference and an interval are one text in all formats."""
    cells = (PValue(0.0002), MeasureDifference(ACCURACY, -0.019), Interval(-0.04, 0.002, ACCURACY))
    report = report_of(table_of(*cells))

    for text in ("&lt;0.001", "−1.9\u202fpp", "−4.0 to 0.2"):
        assert f'<span class="nowrap">{text}</span>' in render_html(report)
    assert "| \\<0.001 | −1.9\u202fpp | −4.0 to 0.2 |" in render_markdown(report)
    assert r"\textless{}0.001 & $-$1.9\,pp & $-$4.0 to 0.2" in render_latex(report)


def test_verdicts_differ_by_more_than_colour() -> None:
    """A mark, a slant and the line around them tell in grey print what the test said."""
    words = {
        state: InlineRenderer().cell(VerdictBadge("superior", Tone.GOOD, state, p_adjusted=p))
        for state, p in ((True, 0.0002), (False, 0.65), (None, None))
    }

    assert "✓ superior" in words[True]
    assert "p &lt; 0.001" in words[True]
    assert "? superior" in words[False]
    assert "p = 0.65" in words[False]
    assert "✓" not in words[None]
    assert "p " not in re.sub(r"<[^>]*>", "", words[None])
    style = read_resources("style.css")
    assert "font-style: italic" in re.findall(r"\.verdict\.not-significant {([^}]*)}", style)[0]
    assert "dotted" in re.findall(r"\.verdict\.untested {([^}]*)}", style)[0]


def test_a_table_of_verdicts_explains_their_marks() -> None:
    """Exactly the kinds that occur, in a line under the table."""
    report = report_of(capability_table())
    report_document = report_of(table_of(VerdictBadge("tied", Tone.NEUTRAL, significant=None)))

    assert render_html(report).count('class="key"') == 3
    assert "not confirmed (could be chance)" in render_html(report)
    assert render_html(report_document).count('class="key"') == 1
    legend = "confirmed: significant after adjustment; not confirmed: could be chance"
    for render in (render_markdown, render_latex):
        assert legend in render(report)
        assert legend not in render(report_document)


def test_insignificant_verdicts_are_marked_in_text_formats() -> None:
    """Markdown and LaTeX say it in words and in italics."""
    because = ((ACCURACY.symbol, MeasureEstimate(SURE, ACCURACY)),)
    report = report_of(
        table_of(
            VerdictBadge(
                "superior", Tone.GOOD, significant=False, estimates=because, p_adjusted=0.0154
            )
        )
    )

    assert "*superior* (not confirmed) (accuracy = 91.2%, p = 0.015)" in render_markdown(report)
    assert r"\textit{superior} (not confirmed) (" in render_latex(report)


def test_untested_verdicts_are_not_set_like_significant_ones() -> None:
    """Plain words, and said to be untested; what a test backs is bold."""
    significant, untested = (
        report_of(table_of(VerdictBadge("superior", Tone.GOOD, significant=state)))
        for state in (True, None)
    )

    assert "| **superior** (confirmed) |" in render_markdown(significant)
    assert "| superior (not tested) |" in render_markdown(untested)
    assert r"\textbf{superior} (confirmed)" in render_latex(significant)
    assert "superior (not tested)" in render_latex(untested)
    assert r"\textbf{superior}" not in render_latex(untested)


@pytest.mark.slow
def test_fourteen_classifiers_with_intervals_are_parted_evenly() -> None:
    """Values of fourteen across are too wide for a page: seven and seven."""
    names = tuple(f"model {at}" for at in range(14))
    values = tuple(MeasureEstimate(SURE, ACCURACY, best=at == 3) for at in range(14))
    columns = (Column("Measure"), *(Column(name, numeric=True) for name in names))
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (MeasureName(get_measure(name)), *values) for name in NAMES[:7]
    )
    table = Table("wide", "Wide", columns, (RowGroup(rows),))

    assert choose_table_fit(table) is TableFit.LANDSCAPE
    content = render_pdf(report_of(table), attachment=b"{}").content
    text = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    assert "part 2 of 2" in text
    assert "model 6\nAccuracy" in text
    assert text.count("88.5–93.3") == 14 * 7


def test_a_score_without_an_interval_shows_none() -> None:
    """Nothing is made up."""
    bare = replace(SURE, method=None)

    assert "interval" not in InlineRenderer().cell(MeasureEstimate(bare, ACCURACY))
