"""Text formats: every table is there, and nothing from data is obeyed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from reportgen.render.latex import escape_latex, escape_latex_breakable, render_latex
from reportgen.render.markdown import render_markdown
from tests.render.sample_tables import LATEX_SPECIALS, SCRIPT

if TYPE_CHECKING:
    from reportgen.report.document import ReportDocument


def test_markdown_tables_have_as_many_cells_in_each_row(report: ReportDocument) -> None:
    """A bar in a name must not make a column."""
    lines = [line for line in render_markdown(report).splitlines() if line.startswith("|")]
    widths: list[set[int]] = [set()]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"\|( -+:? \|)+", following):
            widths.append(set())
        widths[-1].add(len(re.findall(r"(?<!\\)\|", line)))

    assert all(len(width) <= 1 for width in widths)


def test_markdown_shows_hostile_text_as_text(report: ReportDocument) -> None:
    """Neither HTML nor Markdown in a name has an effect."""
    markdown = render_markdown(report)

    assert SCRIPT not in re.sub(r"`[^`]*`", "", markdown)
    assert r"\<script\>alert(1)\</script\>" in markdown
    assert r"R&amp;D\_50%" in markdown
    assert "\u202e" not in markdown


def test_markdown_says_why_a_value_is_missing(report: ReportDocument) -> None:
    """Reasons are numbered notes under the table, as in the other formats."""
    markdown = render_markdown(report)

    assert "| undefined¹ |" in markdown
    assert "\n¹ undefined: nothing was predicted as the class (tp + fp = 0)" in markdown


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("R&D_50%", r"R\&D\_50\%"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("#1 $y$ ~^", r"\#1 \$y\$ \textasciitilde{}\textasciicircum{}"),
        ("∞ ρ −1", r"$\infty$ $\rho$ $-$1"),
        ("Étude", "Étude"),
        ("中", r"\othercharacter{中}{U+4E2D}"),
        ("a\u202eb", r"a{[}U+202E{]}b"),
        ("1\u202f108", r"1\,108"),
    ],
)
def test_latex_prints_what_was_written(text: str, latex: str) -> None:
    """No character of a name is a command."""
    assert escape_latex(text) == latex


def test_the_article_is_complete(report: ReportDocument) -> None:
    """Environments are closed, and rows have as many cells as the table has columns."""
    latex = render_latex(report)
    begun = re.findall(r"\\begin\{(\w+)\}", latex)
    ended = re.findall(r"\\end\{(\w+)\}", latex)

    assert latex.startswith(r"\documentclass")
    assert sorted(begun) == sorted(ended)
    assert latex.count(r"\begingroup") == latex.count(r"\endgroup")
    assert LATEX_SPECIALS not in latex
    assert r"\textless{}script\textgreater{}" in latex


def test_latex_needs_no_character_beyond_latin(report: ReportDocument) -> None:
    """Whatever TeX engine is at hand can set the article."""
    latex = re.sub(r"\\othercharacter\{.\}", "", render_latex(report))

    assert {character for character in latex if ord(character) > 0x17F} == set()


def test_values_behind_a_verdict_bear_the_mark_of_their_note(report: ReportDocument) -> None:
    """A note without a mark is about nothing; ρ₊ is infinite there and ρ₋ undefined."""
    assert re.search(
        r"superior on positive examples \(not tested\) \(.* = ∞¹, .* = undefined²\)",
        (render_markdown(report)),
    )
    assert re.search(
        r"\$ = \$\\infty\$\\textsuperscript\{1\}, .* = undefined\\textsuperscript\{2\}",
        render_latex(report),
    )


def test_latex_breaks_long_words_in_columns() -> None:
    """TeX breaks no word by itself that it cannot hyphenate."""
    assert escape_latex_breakable("x" * 14) == "x" * 14
    assert (
        escape_latex_breakable(f"a {'x' * 30}")
        == rf"a {'x' * 12}\allowbreak{{}}{'x' * 12}\allowbreak{{}}{'x' * 6}"
    )


def test_columns_of_an_article_share_the_line(report: ReportDocument) -> None:
    """No column is as wide as its content likes; the shares of a table add up to the line."""
    tables = re.findall(r"\\begin\{longtable\}\{(.*)\}\n", render_latex(report))

    assert tables
    for columns in tables:
        shares = [float(share) for share in re.findall(r"dimexpr([\d.]+)\\linewidth", columns)]
        assert len(shares) == columns.count("arraybackslash")
        assert sum(shares) == pytest.approx(1, abs=0.02)
