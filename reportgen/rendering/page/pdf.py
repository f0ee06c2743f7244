"""A report as PDF: tagged, with bookmarks, its fonts and its results inside."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import re
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.errors import Fault, RenderingError, run_faults
from reportgen.frozen import frozen
from reportgen.rendering.dates import source_date
from reportgen.rendering.explained import defined_measures
from reportgen.rendering.fitting import fitted
from reportgen.rendering.page.fetching import fetcher
from reportgen.rendering.page.fragments import Fragments
from reportgen.rendering.page.html import page
from reportgen.rendering.page.letters import letters_once
from reportgen.rendering.page.loading import load_weasyprint
from reportgen.rendering.page.look import SHIPPED
from reportgen.rendering.shipped import font_faces, shipped_text
from reportgen.rendering.texts import code_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from reportgen.rendering.page.look import Look
    from reportgen.report.document import Report

# WeasyPrint's words for a sign that no font on this machine has.
MISSING_SIGN = re.compile(r'\.notdef glyph rendered .*?: "(.*?)"', re.DOTALL)
ATTACHMENT_NAME = "results.json"
# An attachment must have a date; without one given, it is always the same.
NO_DATE = datetime(1980, 1, 1, tzinfo=UTC)
# What is changed while a PDF is made belongs to the whole process: one is made at a time.
ONE_AT_A_TIME = threading.Lock()


@frozen
class Pdf:
    """A PDF, and the signs for which no font was found."""

    content: bytes
    missing_signs: tuple[str, ...]


def render_pdf(
    report: Report,
    *,
    attachment: bytes,
    without_font: Iterable[str] = (),
    look: Look = SHIPPED,
) -> Pdf:
    """Return the report as PDF with results.json attached; signs without a font as code points."""
    fragments = Fragments(for_pdf=True, defined=defined_measures(report))
    rules = shipped_text("style.css", "print.css")
    style = f"{font_faces()}\n{look.font_faces}\n{rules}\n{look.print_style}"
    date = source_date()
    created = date.strftime("%Y-%m-%dT%H:%M:%SZ") if date else ""
    code_points = {ord(sign): code_point(sign) for sign in without_font}
    html = page(fitted(report), fragments, style, look, created).translate(code_points)
    return pdf_of(html, attachment=attachment, variant=look.pdf)


def pdf_of(html: str, *, attachment: bytes, variant: str = SHIPPED.pdf) -> Pdf:
    """Lay out a page of HTML; whatever WeasyPrint complains about is an error."""
    weasyprint = load_weasyprint()
    from weasyprint.urls import FatalURLFetchingError

    with ONE_AT_A_TIME, _complaints() as complaints, _without_collection(), letters_once():
        try:
            written: bytes = weasyprint.HTML(string=html, url_fetcher=fetcher()).write_pdf(
                pdf_variant=f"pdf/{variant}",
                attachments=[_attached(weasyprint, attachment)],
            )
        except FatalURLFetchingError as error:
            raise _failure([f"{error}: {error.__cause__}"]) from error
        except Exception as error:
            # Whatever breaks a layout must not take the page and the results with it.
            raise _failure([f"{type(error).__name__}: {error}"]) from error
    missing = [sign[1] for complaint in complaints if (sign := MISSING_SIGN.match(complaint))]
    fatal = [complaint for complaint in complaints if not MISSING_SIGN.match(complaint)]
    if fatal:
        raise _failure(fatal)
    return Pdf(written, tuple(dict.fromkeys("".join(missing))))


def _attached(weasyprint: ModuleType, content: bytes) -> object:
    date = source_date() or NO_DATE
    return weasyprint.Attachment(
        file_obj=io.BytesIO(content),
        name=ATTACHMENT_NAME,
        description="The results of this report as data",
        created=date,
        modified=date,
        relationship="Data",
    )


def _failure(complaints: list[str]) -> RenderingError:
    return RenderingError(
        *(
            Fault(run_faults.RENDERING_FAILED, f"the PDF was not written: {complaint}")
            for complaint in dict.fromkeys(complaints)
        )
    )


class _Complaints(logging.Handler):
    """Keeps what is logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())


@contextlib.contextmanager
def _complaints() -> Iterator[list[str]]:
    logger, handler = logging.getLogger("weasyprint"), _Complaints()
    logger.addHandler(handler)
    propagated, logger.propagate = logger.propagate, False
    try:
        yield handler.messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Spare the layout, which makes millions of objects that all live on, a quarter of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
