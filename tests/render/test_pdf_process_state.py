"""Rendering a PDF leaves the state of the process as it was, and loads shipped fonts only."""

from __future__ import annotations

import gc

import pytest
from weasyprint.urls import FatalURLFetchingError, fetch

from reportgen.errors import RenderingError
from reportgen.render import pdf
from reportgen.render.pdf import build_url_fetcher, html_to_pdf
from reportgen.render.resources import FONT_FACES, read_font


def test_the_process_is_left_as_it_was() -> None:
    """Also after a page that could not be laid out."""
    with pytest.raises(RenderingError):
        html_to_pdf('<img alt="x" src="data:image/png;base64,AAAA">', attachment=b"{}")

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
