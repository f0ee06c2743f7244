"""What makes a PDF quicker leaves it, and the process, as they were."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

import pytest
from weasyprint.text import line_break
from weasyprint.urls import FatalURLFetchingError, fetch

from reportgen.errors import RenderingError
from reportgen.render import pdf
from reportgen.render.pdf import build_url_fetcher, html_to_pdf, render_pdf
from reportgen.render.resources import FONT_FACES, read_font
from reportgen.report.document import Paragraph, ReportDocument, ReportSection
from tests.render.sample_figures import figures

if TYPE_CHECKING:
    from collections.abc import Iterator


def drawn() -> ReportDocument:
    """Return a report with some figures."""
    words = Paragraph(("Words.",))
    return ReportDocument("A title", words, (ReportSection("x", "X", tuple(figures()[:3])),), words)


@contextlib.contextmanager
def letters_again() -> Iterator[None]:
    """Leave every letter to WeasyPrint."""
    yield


@pytest.mark.slow
def test_letters_laid_out_once_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer are laid out, and nothing of the PDF is another."""
    counted = 0
    laid_out = line_break.create_layout

    def counting(*given: object) -> object:
        nonlocal counted
        counted += 1
        return laid_out(*given)

    monkeypatch.setattr(line_break, "create_layout", counting)
    once, counted_once = render_pdf(drawn(), attachment=b"{}").content, counted
    monkeypatch.setattr(pdf, "glyph_cache", letters_again)
    counted = 0
    again = render_pdf(drawn(), attachment=b"{}").content

    assert once == again
    assert counted_once < counted


def test_the_process_is_left_as_it_was() -> None:
    """Also after a page that could not be laid out."""
    before = line_break.split_first_line
    with pytest.raises(RenderingError):
        html_to_pdf('<img alt="x" src="data:image/png;base64,AAAA">', attachment=b"{}")

    assert line_break.split_first_line is before
    assert gc.isenabled()
    assert not pdf.PDF_LOCK.locked()


def test_shipped_fonts_are_fetched_and_nothing_else_beside_the_page_s_own_data() -> None:
    """A name that is no shipped font, such as a path, leads nowhere."""
    name = FONT_FACES[0][0]
    with fetch(build_url_fetcher(), f"shipped:{name}") as found:
        assert found.read() == read_font(name)

    for address in ("shipped:../style.css", "shipped:/etc/hostname", "file:///etc/hostname"):
        with pytest.raises(FatalURLFetchingError), fetch(build_url_fetcher(), address):
            pass
