"""Rendering a PDF leaves the state of the process as it was, and loads shipped fonts only."""

from __future__ import annotations

import gc
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

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
    with fetch(build_url_fetcher(), f"shipped:{name}") as result:
        assert result.read() == read_font(name)

    for address in ("shipped:../style.css", "shipped:/etc/hostname", "file:///etc/hostname"):
        with pytest.raises(FatalURLFetchingError), fetch(build_url_fetcher(), address):
            pass


@pytest.mark.parametrize(
    "body",
    [
        '<img alt="x" src="{address}/x.png">',
        '<link rel="stylesheet" href="{address}/x.css"><p>x</p>',
        '<style>@import url("{address}/x.css");</style><p>x</p>',
        "<style>@font-face {{ font-family: X; src: url({address}/x.woff) }}</style><p>x</p>",
        '<p style="background: url({address}/x.png)">x</p>',
        '<object data="{address}/x.svg"></object>',
        '<svg><image href="{address}/x.png" width="1" height="1"/></svg>',
    ],
)
def test_no_request_is_sent_for_a_page(body: str) -> None:
    """The PDF fails instead; the server that the page names is there and counts."""
    requests: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_error(404)

    with HTTPServer(("127.0.0.1", 0), Counting) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            page = body.format(address=f"http://127.0.0.1:{server.server_port}")
            with pytest.raises(RenderingError):
                html_to_pdf(page, attachment=b"{}")
        finally:
            server.shutdown()
            thread.join()

    assert requests == []
