"""A user's own words in the report."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.pipeline import build_and_write
from reportgen.report.document import Bullets, Heading, Listing, Note, Paragraph, Table
from reportgen.report.inline import Emphasis, Hyperlink, InlineCode, Strong
from reportgen.report.markdown_section import parse_markdown_section
from reportgen.spec import parse_spec
from tests.external_programs import needs_poppler
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from reportgen.report.document import Block

SPEC = (
    counted_spec([[1108, 323], [272, 858]])
    + """\
[[sections]]
kind = "text"
title = "Background"
"""
)


def _blocks(folder: Path, words: str) -> tuple[Block, ...]:
    (folder / "words.md").write_text(words, encoding="utf-8")
    content = SPEC + 'file = "words.md"\n'
    return parse_markdown_section(parse_spec(folder / "spec.toml", content.encode()), 0)


def test_markdown_becomes_blocks_that_every_format_knows(tmp_path: Path) -> None:
    """What people write most: headings, emphasis, links, lists, quotes, code and tables."""
    blocks = _blocks(
        tmp_path,
        "# Why\n\nWe *had* **no** `idea` [here](https://example.org).\n\n- one\n- two\n  - half\n\n"
        "1. first\n\n> Mind this.\n\n```sql\nselect 1\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | x |\n\n---\n",
    )

    heading, sentence, bullets, numbered, quote, listing, table = blocks
    assert heading == Heading("Why", 3)
    assert sentence == Paragraph(
        (
            "We ",
            Emphasis("had"),
            " ",
            Strong("no"),
            " ",
            InlineCode("idea"),
            " ",
            Hyperlink("here", "https://example.org"),
            ".",
        )
    )
    assert bullets == Bullets((Paragraph(("one",)), Paragraph(("two",)), Paragraph(("– ", "half"))))
    assert numbered == Bullets((Paragraph(("first",)),), numbered=True)
    assert quote == Note(("Mind this.",))
    assert listing == Listing("select 1", "sql")
    assert isinstance(table, Table)
    assert table.groups[0].rows == (("1", "x"),)


def test_what_an_item_cannot_hold_follows_it_in_order(tmp_path: Path) -> None:
    """No word is lost, and the numbers go on after what stands between."""
    blocks = _blocks(
        tmp_path,
        "3. three\n\n   ```sh\n   run\n   ```\n\n   then\n4. four\n   - inner\n     1. deep\n"
        "5. five\n\n   > said\n\n6. | q | r |\n   |---|---|\n   | 1 | 2 |\n",
    )

    *others, table = blocks
    assert others == [
        Bullets((Paragraph(("three",)),), numbered=True, start=3),
        Listing("run", "sh"),
        Paragraph(("then",)),
        Bullets((Paragraph(("four",)),), numbered=True, start=4),
        Bullets((Paragraph(("– ", "inner")), Paragraph(("– – 1. ", "deep")))),
        Bullets((Paragraph(("five",)),), numbered=True, start=5),
        Note(("said",)),
        Bullets((Paragraph(()),), numbered=True, start=6),
    ]
    assert isinstance(table, Table)
    assert [column.head for column in table.columns] == ["q", "r"]
    assert table.groups[0].rows == (("1", "2"),)


def test_what_a_quote_cannot_hold_follows_it_in_order(tmp_path: Path) -> None:
    """Lists, code, tables and quotes within a quote stay what they are."""
    blocks = _blocks(
        tmp_path,
        "> before\n>\n> - a\n> - b\n>\n> ```\n> code\n> ```\n>\n> > inner\n>\n> after\n>\n> again\n"
        ">\n> | q |\n> |---|\n> | 1 |\n\n| q |\n|---|\n| 2 |\n",
    )

    *others, first, second = blocks
    assert others == [
        Note(("before",)),
        Bullets((Paragraph(("a",)), Paragraph(("b",)))),
        Listing("code"),
        Note(("inner",)),
        Note(("after", " ", "again")),
    ]
    assert isinstance(first, Table)
    assert isinstance(second, Table)
    assert first.name != second.name


def test_no_link_loses_its_address(tmp_path: Path) -> None:
    """In stressed words a link stays one; where words alone can stand, its address is written."""
    there = "https://example.org"
    heading, sentence, table = _blocks(
        tmp_path,
        f"# [Why]({there})\n\n**see *[here]({there})* now** and *[x](y.html)*\n\n"
        f"| [q]({there}) | b |\n|---|---|\n| or [r]({there}) | **[c]({there})** |\n",
    )

    assert heading == Heading(f"Why ({there})", 3)
    assert sentence == Paragraph(
        (
            *(Strong("see"), " ", Hyperlink("here", there), " ", Strong("now")),
            *(" and ", Emphasis("x (y.html)")),
        )
    )
    assert isinstance(table, Table)
    assert [column.head for column in table.columns] == [f"q ({there})", "b"]
    assert table.groups[0].rows == ((f"or r ({there})", Hyperlink("c", there)),)


@pytest.mark.slow
def test_every_format_has_the_numbers_and_addresses_that_were_written(tmp_path: Path) -> None:
    """A list that begins with 3 does so in page, Markdown and LaTeX, and links keep theirs."""
    spec = tmp_path / "spec.toml"
    words = "3. three\n4. four\n\n\n| q | r |\n|---|---|\n| a | [c](https://example.org) |\n"
    spec.write_text(f'{SPEC}text = """\n{words}"""\n', encoding="utf-8")
    folder = build_and_write(spec, tmp_path / "out", ("html", "markdown", "latex")).folder

    page = (folder / "report.html").read_text("utf-8")
    assert '<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>' in page
    assert '<a href="https://example.org" rel="noopener noreferrer">c</a></td>' in page
    text = (folder / "report.md").read_text("utf-8")
    assert "\n\n3. three\n4. four\n\n" in text
    assert "\n| a | [c](<https://example.org>) |\n" in text
    article = (folder / "report.tex").read_text("utf-8")
    assert "\\begin{enumerate}\n\\setcounter{enumi}{2}\n\\item three\n" in article
    assert "c (\\texttt{https://example.org})" in article.replace("\\allowbreak{}", "")


@needs_poppler
def test_numbers_of_lists_are_printed(tmp_path: Path) -> None:
    """A list that begins with 3 does so in the PDF."""
    spec = tmp_path / "spec.toml"
    spec.write_text(f'{SPEC}text = """\n3. three\n4. four\n"""\n', encoding="utf-8")
    folder = build_and_write(spec, tmp_path / "out", ("pdf",)).folder

    printed = subprocess.run(
        ["pdftotext", "-layout", str(folder / "report.pdf"), "-"],  # from the path
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert [" ".join(line.split()) for line in printed.splitlines() if "three" in line] == [
        "3. three"
    ]


@pytest.mark.parametrize(
    "words",
    ["![p](p.png)", "**![p](p.png)**", "[![p](p.png)](https://example.org)", "- ![p](p.png)"],
)
def test_a_picture_is_a_fault_wherever_it_stands(tmp_path: Path, words: str) -> None:
    """Words that stand for it alone would say something else."""
    with pytest.raises(SpecError) as error_info:
        _blocks(tmp_path, words)

    assert [fault.message for fault in error_info.value.diagnostics] == [
        "a picture in Markdown is not read"
    ]


def test_html_and_dangerous_addresses_stay_text(tmp_path: Path) -> None:
    """Nothing of the user's words runs in the reader's browser."""
    blocks = _blocks(tmp_path, "<script>alert(1)</script> [x](javascript:alert(1)) [y](../a.html)")

    (sentence,) = blocks
    assert isinstance(sentence, Paragraph)
    text = "".join(str(part) for part in sentence.parts)
    assert "<script>alert(1)</script>" in text
    assert "y (../a.html)" in text
    assert not any(isinstance(part, Hyperlink) for part in sentence.parts)


def test_the_words_stand_in_page_and_markdown_and_join_the_usual_sections(tmp_path: Path) -> None:
    """Listing only words of one's own leaves the usual sections in place."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC + 'text = "We <b>*know*</b> why."\nafter = "summary"\n', encoding="utf-8")
    folder = build_and_write(spec, tmp_path / "out", ("html", "markdown", "latex")).folder

    page = (folder / "report.html").read_text("utf-8")
    assert "We &lt;b&gt;<em>know</em>&lt;/b&gt; why." in page
    heads = ('id="summary"', "Background</a></h2>", "Definitions</a></h2>")
    places = [page.index(text) for text in heads]
    assert places == sorted(places)
    assert "## Background" in (folder / "report.md").read_text("utf-8")
    assert r"\emph{know}" in (folder / "report.tex").read_text("utf-8")


def test_listed_with_others_the_order_is_the_spec_s(tmp_path: Path) -> None:
    """Then only what is listed is shown."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC + 'text = "Words."\n[[sections]]\nkind = "summary"\n', encoding="utf-8")
    folder = build_and_write(spec, tmp_path / "out", {"html"}).folder
    page = (folder / "report.html").read_text("utf-8")

    assert page.index("Background</a></h2>") < page.index('id="summary"')
    assert "Definitions<" not in page


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", 'a section of kind "text" needs `text` or `file`'),
        ('text = "a"\nfile = "b.md"\n', "`file` cannot be combined with `text`"),
        (
            'text = "a"\n[[sections]]\nkind = "summary"\ntext = "b"\n',
            '`text` applies to sections of kind "text", not `summary`',
        ),
    ],
)
def test_words_are_given_once_and_only_where_they_belong(written: str, message: str) -> None:
    """A slip is found before anything is built."""
    with pytest.raises(SpecError) as error_info:
        parse_spec(Path("spec.toml"), (SPEC + written).encode())

    assert [fault.message for fault in error_info.value.diagnostics] == [message]


def test_a_missing_file_and_a_picture_are_faults_with_a_place(tmp_path: Path) -> None:
    """A report without the words asked for would be another one."""
    with pytest.raises(SpecError) as missing:
        parse_markdown_section(
            parse_spec(tmp_path / "s.toml", (SPEC + 'file = "no.md"\n').encode()), 0
        )
    with pytest.raises(SpecError) as picture:
        _blocks(tmp_path, "![a plot](plot.png)")

    assert missing.value.diagnostics[0].message == "the file `no.md` does not exist"
    assert missing.value.diagnostics[0].location is not None
    assert picture.value.diagnostics[0].message == "a picture in Markdown is not read"


def test_a_table_has_no_caption_and_its_numbers_stand_to_the_right(tmp_path: Path) -> None:
    """Its section's title stands over it already; words and what Markdown sets left stay left."""
    (table,) = _blocks(
        tmp_path,
        "| who | cases | share | noted | at left | at right |\n|---|---|---|---|:---|---:|\n"
        "| A | 1 200 | 12.5 % | 3 | 4 | x |\n| B | −7 | | three | 5 | y |\n",
    )

    assert isinstance(table, Table)
    assert table.caption == ""
    numeric = [column.numeric for column in table.columns]
    assert numeric == [False, True, True, False, False, True]


def test_a_table_without_a_caption_leaves_no_empty_one(tmp_path: Path) -> None:
    """In no format: neither an element without words, nor stars, nor a number."""
    words = '"""| q | r |\n|---|---|\n| one | 2 |"""'
    (tmp_path / "spec.toml").write_text(SPEC + f"text = {words}\n", encoding="utf-8")
    folder = build_and_write(tmp_path / "spec.toml", tmp_path, ("html", "markdown", "latex")).folder

    page = (folder / "report.html").read_text(encoding="utf-8")
    table_html = page[page.index('id="table-own-1-1"') :]
    assert 'aria-label="Table"' in table_html[: table_html.index("<table>")]
    assert "<caption>" not in table_html[: table_html.index("</table>")]
    assert "****" not in (folder / "report.md").read_text(encoding="utf-8")
    assert r"\caption{}" not in (folder / "report.tex").read_text(encoding="utf-8")
