"""The PDF of a report: tagged, with bookmarks and fonts; results.json and spec are attached."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import re
import threading
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from html import unescape
from typing import TYPE_CHECKING, cast
from urllib.request import BaseHandler, Request
from urllib.response import addinfourl

from reportgen.errors import Diagnostic, RenderingError, run
from reportgen.export.manifest import source_date
from reportgen.formats import PDF_FILE, RESULTS_FILE
from reportgen.render.glossary import defined_measures
from reportgen.render.html import PageMetadata, render_page
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.page_fill import fit_figures
from reportgen.render.pagination import paginate
from reportgen.render.plain_text import format_code_point
from reportgen.render.resources import FONT_SCHEME, font_face_rules, read_font, read_resources
from reportgen.render.theme import DEFAULT_THEME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from weasyprint import Document
    from weasyprint.urls import URLFetcher

    from reportgen.render.formats import RenderInput
    from reportgen.render.page_fill import LayoutBox
    from reportgen.render.theme import Theme
    from reportgen.report.document import ReportDocument


# Resources a PDF may load: data URIs and the shipped fonts.


class _FontHandler(BaseHandler):
    """Opens the shipped fonts only."""

    # urllib finds the handler of a URL scheme by the method name: "shipped:" is FONT_SCHEME.
    def shipped_open(self, request: Request) -> addinfourl:
        """Return the response with a font file."""
        name = request.full_url.removeprefix(f"{FONT_SCHEME}:")
        return addinfourl(io.BytesIO(read_font(name)), EmailMessage(), request.full_url, 200)


def build_url_fetcher() -> URLFetcher:
    """Return the URL fetcher of WeasyPrint; a resource that cannot be loaded is an error."""
    from weasyprint.urls import URLFetcher

    fetcher = URLFetcher(allowed_protocols=("data", FONT_SCHEME), fail_on_errors=True)
    fetcher.add_handler(_FontHandler())
    return fetcher


# WeasyPrint's warning for a character that no installed font has.
MISSING_GLYPH = re.compile(r'\.notdef glyph rendered .*?: "(.*?)"', re.DOTALL)
# The text of an equation on the page that the PDF is made of.
EQUATION = re.compile(r'<blockquote class="equation" data-alt="([^"]*)">')
ARTICLE = re.compile(r'<article(?: class="[^"]*")?(?: data-alternative_text="([^"]*)")?[^>]*>')
# PDF/A requires a date of attachments; a fixed one keeps the bytes reproducible.
DEFAULT_ATTACHMENT_DATE = datetime(1980, 1, 1, tzinfo=UTC)
# Logging, garbage collection and stdout belong to the process: one PDF is made at a time.
PDF_LOCK = threading.Lock()


def load_weasyprint() -> ModuleType:
    """Import WeasyPrint; raise a RenderingError if the libraries it needs are missing.

    Messages of WeasyPrint about missing libraries are kept from stdout.
    """
    try:
        with (
            PDF_LOCK,
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
        ):
            # A warning that no font is installed; the report has its own fonts.
            warnings.filterwarnings("ignore", "No fonts configured", UserWarning)
            import weasyprint
    except (OSError, ImportError) as error:
        diagnostic = Diagnostic(
            run.PANGO_MISSING,
            f"the PDF was not written: {str(error).splitlines()[0]}",
            help=run.PANGO_INSTALL,
        )
        raise RenderingError(diagnostic) from error
    module: ModuleType = weasyprint
    return module


PDF_UA_METADATA = b"""<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
 xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
"""


@dataclass(frozen=True, slots=True)
class RenderedPdf:
    """A PDF, and the characters for which no font was found."""

    content: bytes
    missing_glyphs: tuple[str, ...]


def pdf_files(source: RenderInput) -> dict[str, bytes]:
    """Return report.pdf with results.json and the spec attached."""
    pdf = render_pdf(
        source.document,
        attachment=source.results,
        spec_text=_spec_attachment(source),
        known_missing_glyphs=source.known_missing_glyphs,
        theme=source.theme,
    )
    source.missing_glyphs.extend(pdf.missing_glyphs)
    return {PDF_FILE: pdf.content}


def _spec_attachment(source: RenderInput) -> tuple[str, bytes] | None:
    """Return name and text of the spec, if it is a file."""
    spec_file = source.evaluation.spec_file
    if spec_file.path is None or not spec_file.redacted_text:
        return None
    return spec_file.name, spec_file.redacted_text.encode()


def render_pdf(
    report: ReportDocument,
    *,
    attachment: bytes,
    spec_text: tuple[str, bytes] | None = None,
    known_missing_glyphs: Iterable[str] = (),
    theme: Theme = DEFAULT_THEME,
) -> RenderedPdf:
    """Return the report as PDF.

    Args:
        report: The report's sections.
        attachment: The content of results.json.
        spec_text: The name and the text of the spec, to be attached too.
        known_missing_glyphs: Characters without a font, which are printed as code points.
        theme: Styles, fonts, logo, templates and the PDF standard.
    """
    paginated = paginate(report)
    fragments = InlineRenderer(for_pdf=True, linked_measures=defined_measures(paginated))
    rules = read_resources("style.css", "print.css")
    style = f"{font_face_rules()}\n{theme.font_faces}\n{rules}\n{theme.print_style}"
    date = source_date()
    created = date.strftime("%Y-%m-%dT%H:%M:%SZ") if date else report.metadata.date
    code_points = {ord(sign): format_code_point(sign) for sign in known_missing_glyphs}
    metadata = PageMetadata(created)

    def render(content: ReportDocument) -> str:
        return render_page(content, fragments, style, theme, metadata).translate(code_points)

    def fit_to_pages(pages: Sequence[LayoutBox]) -> str | None:
        fitted = fit_figures(paginated, pages)
        return render(fitted) if fitted else None

    return html_to_pdf(
        render(paginated),
        attachment=attachment,
        spec_text=spec_text,
        variant=theme.pdf_variant,
        revise=fit_to_pages,
    )


def html_to_pdf(
    html: str,
    *,
    attachment: bytes,
    spec_text: tuple[str, bytes] | None = None,
    variant: str = DEFAULT_THEME.pdf_variant,
    revise: Callable[[Sequence[LayoutBox]], str | None] = lambda _pages: None,
) -> RenderedPdf:
    """Return an HTML page as PDF; any warning of WeasyPrint but missing glyphs is an error.

    Args:
        html: The page.
        attachment: The content of results.json.
        spec_text: The name and the text of the spec, to be attached too.
        variant: The PDF standard.
        revise: Returns another page to print instead, if the layout of this one shows a need.
    """
    weasyprint = load_weasyprint()
    from weasyprint.urls import FatalURLFetchingError

    alternatives = [unescape(text) for text in EQUATION.findall(html)]
    article_texts = [unescape(text) for text in ARTICLE.findall(html)]
    with PDF_LOCK, _collect_warnings() as messages, _gc_disabled():
        try:
            settings: dict[str, object] = {
                "pdf_variant": f"pdf/{variant}",
                "attachments": list(_build_attachments(weasyprint, attachment, spec_text)),
            }
            document = _lay_out(weasyprint, html, settings)
            # WeasyPrint's pages have no public attribute for the places of blocks.
            revised = revise([page._page_box for page in document.pages])  # noqa: SLF001
            if revised is not None:
                document = _lay_out(weasyprint, revised, settings)
            content: bytes = document.write_pdf(
                finisher=lambda _document, pdf: finish_pdf(
                    pdf.objects, alternatives, article_texts
                ),
                **settings,
            )
        except FatalURLFetchingError as error:
            raise _rendering_error([f"{error}: {error.__cause__}"]) from error
        except Exception as error:
            # An error in the layout must not prevent the other formats.
            raise _rendering_error([f"{type(error).__name__}: {error}"]) from error
    missing = [match[1] for message in messages if (match := MISSING_GLYPH.match(message))]
    fatal = [message for message in messages if not MISSING_GLYPH.match(message)]
    if fatal:
        raise _rendering_error(fatal)
    return RenderedPdf(content, tuple(dict.fromkeys("".join(missing))))


def _lay_out(weasyprint: ModuleType, html: str, settings: dict[str, object]) -> Document:
    document: Document = weasyprint.HTML(string=html, url_fetcher=build_url_fetcher()).render(
        **settings
    )
    return document


def html_to_page_pdfs(html: str) -> tuple[bytes, ...]:
    """Return each page of an HTML document as a PDF of its own."""
    weasyprint = load_weasyprint()
    with PDF_LOCK, _collect_warnings() as messages, _gc_disabled():
        try:
            document = weasyprint.HTML(string=html, url_fetcher=build_url_fetcher()).render()
            pages: tuple[bytes, ...] = tuple(
                document.copy([page]).write_pdf() for page in document.pages
            )
        except Exception as error:
            raise _rendering_error([f"{type(error).__name__}: {error}"]) from error
    fatal = [message for message in messages if not MISSING_GLYPH.match(message)]
    if fatal:
        raise _rendering_error(fatal)
    return pages


def finish_pdf(
    objects: Sequence[object], alternatives: Sequence[str], article_texts: Sequence[str]
) -> None:
    """Add what WeasyPrint leaves out of tags and metadata."""
    complete_structure(objects, alternatives, article_texts)
    identify_as_accessible(objects)


def identify_as_accessible(objects: Sequence[object]) -> None:
    """Add PDF/UA-1 to the metadata of an archival PDF, which is tagged like the accessible one.

    WeasyPrint writes the identification of one standard only. PDF/A needs a description of the
    other's metadata schema.
    """
    from pydyf import Stream  # type: ignore[import-untyped]  # it has no types

    for item in objects:
        if isinstance(item, Stream) and item.extra.get("Type") == "/Metadata":
            (content,) = item.stream
            if b"pdfuaid:part" not in content:
                item.stream = [content.replace(b"</rdf:RDF>", PDF_UA_METADATA + b"</rdf:RDF>")]


def complete_structure(
    objects: Sequence[object], alternatives: Sequence[str], article_texts: Sequence[str]
) -> None:
    """Add to the tags of a PDF what WeasyPrint leaves out.

    Heads of tables get their scope. Equations, which are the only quotations of the page, become
    formulas with their text as alternative; with a template that has quotations they are left.
    Articles with an alternative text, which are chips, become spans with that text; in
    `article_texts` it is empty for other articles. Divisions of a list become lists.
    """
    from pydyf import Dictionary, String

    elements: dict[object, dict[str, object]] = {
        element.reference: element
        for element in objects
        if isinstance(element, Dictionary) and element.get("Type") == "/StructElem"
    }

    def parent(element: dict[str, object]) -> dict[str, object]:
        return elements.get(element.get("P"), {})

    for element in elements.values():
        if element["S"] == "/TH":
            in_head = parent(parent(element)).get("S") == "/THead"
            cast("dict[str, object]", element["A"])["Scope"] = "/Column" if in_head else "/Row"
    equations = [
        element
        for element in elements.values()
        if element["S"] == "/BlockQuote" and parent(element).get("S") != "/BlockQuote"
    ]
    if len(equations) == len(alternatives):
        for element, text in zip(equations, alternatives, strict=True):
            element["S"] = "/Formula"
            element["Alt"] = String(text)
    # Anonymous boxes within an article are tagged like it.
    articles = [
        element
        for element in elements.values()
        if element["S"] == "/Art" and parent(element).get("S") != "/Art"
    ]
    if len(articles) == len(article_texts):
        for element, text in zip(articles, article_texts, strict=True):
            if text:
                element["S"] = "/Span"
                element["ActualText"] = String(text)
    for element in elements.values():
        if parent(element).get("S") == "/L" and element["S"] == "/Div":
            element["S"] = "/L"


def _build_attachments(
    weasyprint: ModuleType, results: bytes, spec_text: tuple[str, bytes] | None
) -> Iterator[object]:
    """Yield results.json and the spec as attachments, with a fixed date."""
    date = source_date() or DEFAULT_ATTACHMENT_DATE
    files = [(RESULTS_FILE, results, "The results of this report as data", "Data")]
    if spec_text is not None:
        files.append((*spec_text, "The spec of this report", "Source"))
    for name, content, description, relationship in files:
        yield weasyprint.Attachment(
            file_obj=io.BytesIO(content),
            name=name,
            description=description,
            created=date,
            modified=date,
            relationship=relationship,
        )


# The content of an embedded picture or font, of which messages show the start.
_DATA_URL_REST = re.compile(r"""(data:[^\s"']{1,40})[^\s"']*""")


def _rendering_error(messages: list[str]) -> RenderingError:
    texts = (_DATA_URL_REST.sub(r"\1…", message) for message in dict.fromkeys(messages))
    return RenderingError(
        *(Diagnostic(run.RENDERING_FAILED, f"the PDF was not written: {text}") for text in texts)
    )


class _WarningCollector(logging.Handler):
    """Collects messages logged as warnings or errors."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Add a message."""
        self.messages.append(record.getMessage())


@contextlib.contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    logger, handler = logging.getLogger("weasyprint"), _WarningCollector()
    logger.addHandler(handler)
    propagated, logger.propagate = logger.propagate, False
    try:
        yield handler.messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


@contextlib.contextmanager
def _gc_disabled() -> Iterator[None]:
    """Disable garbage collection during layout.

    Layout makes millions of objects that all stay alive; searching them for garbage takes a
    quarter of its time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
