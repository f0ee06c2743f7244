"""A user's own words in the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.pipeline import build
from reportgen.report.document import (
    Bullets,
    Code,
    Emphasis,
    Heading,
    Link,
    Listing,
    Note,
    Paragraph,
    Strong,
    Table,
)
from reportgen.report.own_text import own_blocks
from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from reportgen.report.document import Block

SPEC = """
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[[classifiers]]
name = "A"
confusion = [[1108, 323], [272, 858]]
[[sections]]
kind = "text"
title = "Background"
"""


def _blocks(folder: Path, words: str) -> tuple[Block, ...]:
    (folder / "words.md").write_text(words, encoding="utf-8")
    content = SPEC + 'file = "words.md"\n'
    return own_blocks(parse_spec(folder / "spec.toml", content.encode()), 0)


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
            Code("idea"),
            " ",
            Link("here", "https://example.org"),
            ".",
        )
    )
    assert bullets == Bullets((Paragraph(("one",)), Paragraph(("two",)), Paragraph(("– ", "half"))))
    assert numbered == Bullets((Paragraph(("first",)),), numbered=True)
    assert quote == Note(("Mind this.",))
    assert listing == Listing("select 1", "sql")
    assert isinstance(table, Table)
    assert table.groups[0].rows == (("1", "x"),)


def test_html_and_dangerous_addresses_stay_text(tmp_path: Path) -> None:
    """Nothing of the user's words runs in the reader's browser."""
    blocks = _blocks(tmp_path, "<script>alert(1)</script> [x](javascript:alert(1)) [y](../a.html)")

    (sentence,) = blocks
    assert isinstance(sentence, Paragraph)
    written = "".join(str(part) for part in sentence.parts)
    assert "<script>alert(1)</script>" in written
    assert "y (../a.html)" in written
    assert not any(isinstance(part, Link) for part in sentence.parts)


def test_the_words_stand_in_page_and_markdown_and_join_the_usual_sections(tmp_path: Path) -> None:
    """Listing only words of one's own leaves the usual sections in place."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC + 'text = "We <b>*know*</b> why."\nafter = "summary"\n', encoding="utf-8")
    folder = build(spec, tmp_path / "out", ("html", "markdown", "latex")).folder

    page = (folder / "report.html").read_text("utf-8")
    assert "We &lt;b&gt;<em>know</em>&lt;/b&gt; why." in page
    places = [page.index(text) for text in ('id="summary"', "Background</h2>", "Definitions</h2>")]
    assert places == sorted(places)
    assert "## Background" in (folder / "report.md").read_text("utf-8")
    assert r"\emph{know}" in (folder / "report.tex").read_text("utf-8")


def test_listed_with_others_the_order_is_the_spec_s(tmp_path: Path) -> None:
    """Then only what is listed is shown."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC + 'text = "Words."\n[[sections]]\nkind = "summary"\n', encoding="utf-8")
    folder = build(spec, tmp_path / "out", {"html"}).folder
    page = (folder / "report.html").read_text("utf-8")

    assert page.index("Background</h2>") < page.index('id="summary"')
    assert "Definitions<" not in page


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", 'a section of kind "text" needs its words'),
        ('text = "a"\nfile = "b.md"\n', "the words are given twice: as `text` and as `file`"),
        (
            'text = "a"\n[[sections]]\nkind = "summary"\ntext = "b"\n',
            '`text` is for sections of kind "text", not `summary`',
        ),
    ],
)
def test_words_are_given_once_and_only_where_they_belong(written: str, said: str) -> None:
    """A slip is found before anything is built."""
    with pytest.raises(SpecError) as caught:
        parse_spec(Path("spec.toml"), (SPEC + written).encode())

    assert [fault.message for fault in caught.value.faults] == [said]


def test_a_missing_file_and_a_picture_are_faults_with_a_place(tmp_path: Path) -> None:
    """A report without the words asked for would be another one."""
    with pytest.raises(SpecError) as missing:
        own_blocks(parse_spec(tmp_path / "s.toml", (SPEC + 'file = "no.md"\n').encode()), 0)
    with pytest.raises(SpecError) as picture:
        _blocks(tmp_path, "![a plot](plot.png)")

    assert missing.value.faults[0].message == "the file `no.md` does not exist"
    assert missing.value.faults[0].place is not None
    assert picture.value.faults[0].message == "a picture in Markdown is not read"
