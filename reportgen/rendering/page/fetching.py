"""What a PDF may fetch: what it carries itself, and the shipped fonts."""

from __future__ import annotations

import io
from email.message import EmailMessage
from typing import TYPE_CHECKING
from urllib.request import BaseHandler, Request
from urllib.response import addinfourl

from reportgen.rendering.shipped import FONT_SCHEME, shipped_font

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher


class _ShippedFonts(BaseHandler):
    """Opens the fonts that are shipped, and nothing else."""

    # By its name urllib knows what it opens: addresses that begin with "shipped:".
    def shipped_open(self, asked: Request) -> addinfourl:
        """Return a font by its name."""
        name = asked.full_url.removeprefix(f"{FONT_SCHEME}:")
        return addinfourl(io.BytesIO(shipped_font(name)), EmailMessage(), asked.full_url, 200)


def fetcher() -> URLFetcher:
    """Return what fetches for WeasyPrint; whatever cannot be fetched is an error."""
    from weasyprint.urls import URLFetcher

    allowed = URLFetcher(allowed_protocols=("data", FONT_SCHEME), fail_on_errors=True)
    allowed.add_handler(_ShippedFonts())
    return allowed
