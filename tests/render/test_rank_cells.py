"""Cells of capability tables: bars of ranks, marks, heads above heads, in every format."""

from __future__ import annotations

import re
from dataclasses import replace

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import CAPABILITIES, get_measure
from reportgen.render.footnotes import collect_footnotes
from reportgen.render.html import render_html
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.page_script import cell_sort_key, is_sortable_table
from reportgen.render.pagination import group_head_rows, paginate
from reportgen.report.document import (
    Column,
    Paragraph,
    ReportDocument,
    ReportSection,
    RowGroup,
    Table,
)
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    MeasureEstimate,
    RankRange,
    RatingMeasureName,
    Tone,
    VerdictBadge,
)

PRECISION, NPV = get_measure("precision"), get_measure("npv")
VALUE = MeasureEstimate(MeasureValue(0.982, ValueState.DEFINED), PRECISION)
MISSING = MeasureEstimate(
    MeasureValue(None, ValueState.UNDEFINED, "nothing was predicted as the class"), PRECISION
)
RANKS = RankRange(
    "rank 1–4",
    2,
    8,
    low=1,
    high=4,
    estimate=VALUE,
    observed="2",
    alternative_text="observed rank 2 of 8; the tests leave ranks 1 to 4 open",
)
MARKS = CellGroup(
    (
        VerdictBadge("▲", Tone.GOOD, significant=True, alternative_text="A: superior, confirmed"),
        VerdictBadge("▼+", Tone.BAD, significant=False, alternative_text="B: rank 2 of 2 on +"),
    ),
    in_row=True,
)
GROUPS = ("Traditional measures (Table 4)", CapabilityName(CAPABILITIES["predictive_power"]))


def table_of(*rows: tuple[object, ...]) -> Table:
    """Return a table of predictive power with rows for precision and NPV."""
    columns = (
        Column("Classifier"),
        Column(RatingMeasureName(PRECISION, "+"), group_heads=GROUPS),
        Column(RatingMeasureName(NPV, "−"), group_heads=GROUPS),
    )
    return Table("capability-ranks", "Capabilities", columns, (RowGroup(rows),))  # type: ignore[arg-type]  # rows of any cells


def report_of(table: Table) -> ReportDocument:
    """Return a report of one table."""
    section = ReportSection("verdicts", "Capabilities", (table,))
    return ReportDocument("A test", Paragraph(()), (section,), Paragraph(()))


def test_heads_of_adjacent_columns_are_one_head() -> None:
    """Two rows above the measures, which the first column has no part in."""
    assert group_head_rows(table_of(("A", RANKS, RANKS))) == [
        [(None, 1), (GROUPS[0], 2)],
        [(None, 1), (GROUPS[1], 2)],
    ]
    assert group_head_rows(replace(table_of(), columns=(Column("A"), Column("B")))) == []


def test_the_page_names_heads_and_asks_the_question() -> None:
    """Every head has a scope, and each measure its side and its orientation."""
    page = render_html(report_of(table_of(("A", RANKS, RANKS))))

    assert '<th scope="colgroup" colspan="2">Traditional measures (Table 4)</th>' in page
    assert '>Predictive power<small class="answers">Can I trust its answer?</small></th>' in page
    head = re.findall(r'<th scope="col">(.*?)</th>', page)[1]
    assert "Precision" in head
    assert "on\u00a0+" in head
    assert "higher is better" in head


def test_the_bar_spans_the_ranks_left_open_with_a_dot_at_the_observed_one() -> None:
    """Ranks 1 to 4 of 8 are the left half; the second of eight slots is at 18.75 %."""
    html = InlineRenderer(for_pdf=True).cell(RANKS)
    on_page = InlineRenderer().cell(RANKS)

    assert '<i style="left:0.0%;width:50.0%"></i><b style="left:18.8%"></b>' in html
    # The page forbids style attributes: the same in 60 units, with round ends inside.
    assert "style=" not in on_page
    assert 'd="M3.0 4H27.0"' in on_page
    assert 'cx="11.2"' in on_page
    assert 'aria-hidden="true"' in on_page
    assert '<span class="visually-hidden">observed rank 2 of 8; the tests leave' in on_page


def test_without_a_test_there_is_a_dot_but_no_bar() -> None:
    """Not tested is not the same as every rank left open."""
    untested = replace(RANKS, text="rank 2, not tested", low=None, high=None)

    for cell in (InlineRenderer().cell(untested), InlineRenderer(for_pdf=True).cell(untested)):
        assert "not tested" in cell
        assert 'class="open"' not in cell
        assert "<i " not in cell
        assert "circle" in cell or "<b " in cell


def test_an_undefined_value_has_no_bar_and_a_footnote() -> None:
    """The reason is a footnote in every format, and a tooltip on the page."""
    table = table_of(("A", RankRange("", None, 0, estimate=MISSING), RANKS))
    report = report_of(table)

    assert collect_footnotes(table).texts == ("undefined: nothing was predicted as the class",)
    page = render_html(report)
    assert ">undef.<sup" in page
    assert 'title="undefined: nothing was predicted as the class"' in page
    assert "| undef.¹ |" in render_markdown(report)
    assert r"undef.\textsuperscript{1}" in render_latex(report)


def test_text_formats_have_the_ranks_and_the_observed_one() -> None:
    """A bar cannot be drawn there; the legend says what the numbers are."""
    report = report_of(table_of(("A", RANKS, replace(RANKS, side="−", estimate=None))))
    markdown, latex = render_markdown(report), render_latex(report)

    assert "| A | 98.2%, rank 1–4 (observed: 2) | − rank 1–4 (observed: 2) |" in markdown
    assert "|  | Traditional measures (Table 4) |  |" in markdown
    assert "|  | **Predictive power: Can I trust its answer?** |  |" in markdown
    assert r"\textbf{Predictive power} Can I trust its answer?" in latex
    assert "| **Classifier** | **Precision (on +) ↑** |" in markdown
    assert r"\multicolumn{2}" in latex
    assert r"\cmidrule(lr){2-3}" in latex
    assert "98.2\\%, rank 1--4 (observed: 2)" in latex
    for text in (markdown, latex):
        assert "ranks the tests leave open" in text


def test_marks_are_spoken_by_their_meaning() -> None:
    """The symbol is an image with a name; filled and dashed differ by more than colour."""
    table = table_of(("A", MARKS, RANKS))
    page = render_html(report_of(table))

    assert (
        '<span class="verdict mark good significant" role="img" title="A: superior, confirmed">▲'
    ) in page
    assert "confirmed by the tests" in page
    assert "observed only" in page
    assert collect_footnotes(table).mark_states == (True, False)
    assert collect_footnotes(table).significance_states == ()
    assert "**▲** ▼+" in render_markdown(report_of(table))
    assert r"\textbf{$\blacktriangle$}~$\blacktriangledown$+" in render_latex(report_of(table))


def test_ranks_are_sorted_by_their_values_and_marks_are_not_sorted() -> None:
    """A long table of ranks can be sorted; cells of several marks have no order."""
    rows = [(f"M{at}", RANKS, RANKS) for at in range(20)]

    assert cell_sort_key(RANKS) == "0.982"
    assert is_sortable_table(table_of(*rows))
    assert not is_sortable_table(table_of(*[(name, MARKS, RANKS) for name, *_ in rows]))


def test_heads_are_split_with_the_columns_of_a_wide_table() -> None:
    """Each part has the heads above its own columns."""
    wide = Table(
        "capability-ranks",
        "Capabilities",
        (Column("Classifier"), *[Column("x" * 14, group_heads=GROUPS)] * 40),
        (RowGroup((("A", *["y" * 14] * 40),)),),
    )

    parts = paginate(report_of(wide)).sections[0].blocks

    assert len(parts) > 1
    for part in parts:
        assert isinstance(part, Table)
        assert group_head_rows(part)[0] == [(None, 1), (GROUPS[0], len(part.columns) - 1)]
