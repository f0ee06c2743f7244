"""The PDF: tagged, complete, the same every time, and never silently broken."""

from __future__ import annotations

import builtins
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject

from reportgen.errors import RenderingError, run
from reportgen.export.manifest import source_date
from reportgen.pipeline import build_and_write
from reportgen.render.pdf import html_to_pdf, load_weasyprint, render_pdf
from reportgen.report.document import Column, ReportSection, RowGroup, Table
from reportgen.report.inline import Count, TableCell
from tests.render.sample_tables import CLASSES, SCRIPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.report.document import ReportDocument

HEAD = '<html lang="en"><head><title>x</title></head>'

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="module")
def reader(pdf: bytes) -> PdfReader:
    """Return the PDF as a reader sees it."""
    return PdfReader(io.BytesIO(pdf))


@pytest.mark.slow
def test_the_text_of_the_tables_is_in_the_pdf(reader: PdfReader) -> None:
    """Text can be searched and copied."""
    text = "\n".join(page.extract_text() for page in reader.pages)

    assert "77.4%" in text
    assert "superior on positive examples" in " ".join(text.split())
    assert "nothing was predicted as the class" in text
    assert all(name in text for name in CLASSES)
    assert SCRIPT in text.replace("\n", "")


def test_the_pdf_is_tagged_and_says_what_it_is(reader: PdfReader, report: ReportDocument) -> None:
    """A screen reader finds structure, language and title."""
    root = reader.root_object

    assert "'/Marked': True" in str(root["/MarkInfo"])
    assert "/StructTreeRoot" in root
    assert str(root["/Lang"]) == "en"
    assert reader.metadata is not None
    assert reader.metadata.title == report.title
    assert reader.metadata.creation_date is None


def test_headings_are_bookmarks(reader: PdfReader, report: ReportDocument) -> None:
    """One finds one's way by the outline; the title stands for page one, which has no heading."""
    titles = [str(getattr(entry, "title", "")) for entry in _flat(reader.outline)]
    expected = [
        section.title for section in report.sections if section.kind not in ("summary", "gates")
    ]

    assert titles[0] == report.title
    assert expected == [title for title in titles if title in expected]


def test_pages_bear_title_and_number(reader: PdfReader, report: ReportDocument) -> None:
    """A loose page can be put back in its place."""
    third = reader.pages[2].extract_text()

    assert report.title in third
    assert f"3 / {len(reader.pages)}" in third


def test_results_are_attached(reader: PdfReader) -> None:
    """The numbers travel with the report."""
    assert reader.attachments["results.json"] == [b'{"schema": "reportgen/results/1"}']


def test_only_the_shipped_fonts_are_used(reader: PdfReader) -> None:
    """The report looks the same on a machine with other fonts, or none."""
    fonts = {
        str(font.get_object()["/BaseFont"])
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()  # type: ignore[index]  # pypdf's objects
    }

    assert fonts
    assert all("Inter" in font for font in fonts)


@pytest.mark.slow
def test_the_same_report_gives_the_same_bytes(report: ReportDocument) -> None:
    """Also in another process, where hashes of strings differ."""
    text = replace(report, sections=report.sections[:2])
    script = (
        "import sys, hashlib; from dataclasses import replace\n"
        "from tests.render.sample_report import sample_report\n"
        "from reportgen.render.pdf import render_pdf\n"
        "report = sample_report(); few = replace(report, sections=report.sections[:2])\n"
        "sys.stdout.buffer.write(render_pdf(few, attachment=b'{}').content)\n"
    )
    root = Path(__file__).parents[2]
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, check=True
    )

    first = render_pdf(text, attachment=b"{}").content
    assert first == render_pdf(text, attachment=b"{}").content
    assert first == other.stdout


def test_a_date_is_borne_only_when_asked_for(
    report: ReportDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOURCE_DATE_EPOCH is the one clock that is honoured."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    text = replace(report, sections=report.sections[:1])

    metadata = PdfReader(io.BytesIO(render_pdf(text, attachment=b"{}").content)).metadata

    assert metadata is not None
    assert metadata.creation_date is not None
    assert metadata.creation_date.isoformat() == "2001-09-09T01:46:40+00:00"


@pytest.mark.parametrize(
    "body",
    [
        '<img alt="x" src="data:image/png;base64,AAAA">',
        '<img alt="x" src="data:image/svg+xml,%3Csvg">',
        '<img alt="x" src="file:///etc/hostname">',
        '<img alt="x" src="https://example.org/x.png">',
        '<p style="colour: red">x</p>',
    ],
)
def test_whatever_cannot_be_shown_is_an_error(body: str) -> None:
    """A picture that silently vanished would be a wrong report."""
    with pytest.raises(RenderingError) as error:
        html_to_pdf(f"{HEAD}<body>{body}</body></html>", attachment=b"{}")

    assert {fault.error_code for fault in error.value.diagnostics} == {run.RENDERING_FAILED}


@pytest.mark.parametrize("start", ["", "iVBORw0KGgo"], ids=["no picture", "damaged"])
def test_errors_do_not_repeat_embedded_pictures(start: str) -> None:
    """A logo of 200 kB would fill the screen, the history and the notifications."""
    body = f'<img alt="x" src="data:image/png;base64,{start}{"A" * 200_000}">'
    with pytest.raises(RenderingError) as error:
        html_to_pdf(f"{HEAD}<body>{body}</body></html>", attachment=b"{}")

    (fault,) = error.value.diagnostics
    assert "data:image/png;base64," in fault.message
    assert len(fault.message) < 400


def test_missing_pango_is_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """WeasyPrint's own notice must not end up in what other programs read."""
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    monkeypatch.setattr(builtins, "__import__", _without_pango(builtins.__import__))

    with pytest.raises(RenderingError) as error:
        load_weasyprint()

    monkeypatch.undo()
    assert error.value.diagnostics[0].error_code is run.PANGO_MISSING
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_wide_and_long_tables_stay_on_the_page(report: ReportDocument) -> None:
    """Columns go on in further parts; of 41 columns 3000 // 41 = 73 rows are laid out."""
    columns = tuple(Column(f"classifier {at}", numeric=True) for at in range(40))
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (f"case {at}", *(Count(number) for number in range(40))) for at in range(100)
    )
    table = Table("wide", "Wide", (Column("Case"), *columns), (RowGroup(rows),))

    content = render_pdf(
        replace(report, sections=(ReportSection("x", "X", (table,)),)), attachment=b"{}"
    ).content

    reader = PdfReader(io.BytesIO(content))
    text = "\n".join(page.extract_text() for page in reader.pages)
    assert "Wide (part 2 of" in text
    assert "The first 73 of 100 rows" in text
    assert reader.pages[1].mediabox.width > reader.pages[1].mediabox.height


def _without_pango(original: Callable[..., object]) -> Callable[..., object]:
    def imported(name: str, *rest: object, **named: object) -> object:
        if name == "weasyprint":
            print("WeasyPrint could not import some external libraries")  # noqa: T201
            raise OSError("cannot load library 'libpango-1.0-0'")
        return original(name, *rest, **named)

    return imported


def _flat(outline: Sequence[object]) -> list[object]:
    return [
        result
        for entry in outline
        for result in (_flat(entry) if isinstance(entry, list) else [entry])
    ]


@pytest.mark.slow
def test_a_machine_without_fonts_gives_a_report_that_says_what_it_lacks(tmp_path: Path) -> None:
    """The shipped font is used; a sign it lacks is a warning, and its code point is shown."""
    fonts = tmp_path / "fonts.conf"
    fonts.write_text('<?xml version="1.0"?><fontconfig></fontconfig>', encoding="utf-8")
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "好"\nclasses = ["好", "no"]\n'
        '[[classifiers]]\nname = "A"\nconfusion = [[5, 1], [2, 6]]\n',
        encoding="utf-8",
    )

    run = subprocess.run(
        [sys.executable, "-m", "reportgen", "build", spec, "-o", tmp_path, "--json"],
        env={**os.environ, "FONTCONFIG_FILE": str(fonts)},
        capture_output=True,
        text=True,
        check=True,
    )

    (row,) = json.loads(run.stdout)
    assert any("no font on this machine has 好" in warning for warning in row["warnings"])
    assert "No font on this machine" in (tmp_path / "s/report.html").read_text(encoding="utf-8")
    pages = PdfReader(tmp_path / "s/report.pdf").pages
    assert "[U+597D]" in pages[0].extract_text()
    assert "No fonts configured" not in run.stderr


def test_a_layout_that_breaks_costs_the_pdf_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever WeasyPrint stumbles over, page and results are written, and the fault is said."""

    def broken(*_arguments: object, **_options: object) -> bytes:
        raise RecursionError("too deep")

    monkeypatch.setattr(load_weasyprint().HTML, "render", broken)

    report = build_and_write(SPECS / "tenfold.toml", tmp_path)

    assert [fault.error_code for fault in report.diagnostics] == [run.RENDERING_FAILED]
    assert "too deep" in report.diagnostics[0].message
    assert set(report.files) == {"report.html", "results.json", "manifest.json"}


@pytest.mark.parametrize("epoch", ["99999999999999", "²", "soon"])
def test_a_date_that_is_none_is_a_fault(monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    """A wrong SOURCE_DATE_EPOCH is not ignored."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)

    with pytest.raises(RenderingError, match="no date"):
        source_date()


def structure_elements(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Yield the elements of the structure tree, in their order."""
    catalog = cast("DictionaryObject", reader.trailer["/Root"])
    pending = [cast("DictionaryObject", catalog["/StructTreeRoot"])["/K"]]
    while pending:
        element = pending.pop().get_object()
        if isinstance(element, ArrayObject):
            pending.extend(reversed(element))
        elif isinstance(element, DictionaryObject) and "/S" in element:
            yield element
            pending.append(element.get("/K", ArrayObject()))


@pytest.mark.slow
def test_heads_have_a_scope_and_formulas_and_figures_an_alternative_text(
    reader: PdfReader,
) -> None:
    """A screen reader says which head belongs to a cell, and reads a formula as a line."""
    elements = list(structure_elements(reader))
    scopes = {
        str(cast("DictionaryObject", element["/A"].get_object())["/Scope"])
        for element in elements
        if str(element["/S"]) == "/TH"
    }
    formulas = [str(element["/Alt"]) for element in elements if str(element["/S"]) == "/Formula"]

    assert scopes == {"/Column", "/Row"}
    assert "accuracy = (TP + TN) / (TP + FN + FP + TN)" in formulas
    assert all(element.get("/Alt") for element in elements if str(element["/S"]) == "/Figure")
    assert not any(str(element["/S"]) == "/BlockQuote" for element in elements)


@pytest.mark.slow
def test_chips_have_the_text_that_is_spoken_and_lists_only_items(reader: PdfReader) -> None:
    """The symbol of a chip is read as its meaning; a list in one line has no text between items."""
    elements = list(structure_elements(reader))
    actual_texts = [str(element["/ActualText"]) for element in elements if "/ActualText" in element]
    children = [
        str(child.get_object()["/S"])
        for element in elements
        if str(element["/S"]) == "/L"
        for child in cast("ArrayObject", element["/K"])
    ]

    assert any(text.endswith(", statistically confirmed") for text in actual_texts)
    assert set(children) <= {"/L", "/LI", "/Caption"}
