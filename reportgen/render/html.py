"""The report as a self-contained HTML page; also the HTML from which the PDF is made."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.formats import FORMATS, HTML_FILE
from reportgen.render.glossary import defined_measures
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.page_data import report_data
from reportgen.render.page_script import load_page_script, what_if_json, what_if_position
from reportgen.render.pagination import truncate_long_tables
from reportgen.render.resources import page_font_rules, read_resources
from reportgen.render.templates import default_environment, sandboxed_environment, template_error
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.document import Chapter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.render.formats import RenderInput
    from reportgen.render.page_data import PlainData
    from reportgen.render.theme import Theme
    from reportgen.report.document import ReportDocument


# The table of contents, in balanced columns.


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of the contents: a section with its anchor, or a chapter without one."""

    text: str
    anchor: str | None = None


def build_contents(
    report: ReportDocument, anchors: Sequence[str], columns: int
) -> list[list[ContentsEntry]]:
    """Return the entries in balanced columns; no column ends with a chapter."""
    # Not in CSS, because WeasyPrint balances columns by repeated layout.
    entries = list(_contents_entries(report, anchors))
    lines = -(-len(entries) // columns)
    while len(contents := _fill_columns(entries, lines)) > columns:
        lines += 1
    return contents


def _contents_entries(report: ReportDocument, anchors: Sequence[str]) -> Iterator[ContentsEntry]:
    chapter = None
    for section, anchor in zip(report.sections, anchors, strict=True):
        if section.chapter is not chapter:
            chapter = section.chapter
            yield ContentsEntry(chapter.value)
        yield ContentsEntry(section.title, anchor)


def _fill_columns(entries: Sequence[ContentsEntry], lines: int) -> list[list[ContentsEntry]]:
    columns: list[list[ContentsEntry]] = [[]]
    for entry in entries:
        # A column does not end with a chapter heading.
        if len(columns[-1]) + (entry.anchor is None) >= lines and columns[-1]:
            columns.append([])
        columns[-1].append(entry)
    return columns


# The contents of a PDF with at most so many sections are one run of text.
MAX_RUN_IN_SECTIONS = 20
ANCHOR_SEPARATOR = re.compile(r"[^a-z0-9]+")


def html_files(source: RenderInput) -> dict[str, bytes]:
    """Return report.html."""
    links = tuple(
        FileLink(format_.label, format_.files)
        for format_ in FORMATS.values()
        if format_.name in source.formats and format_.is_single_file and format_.name != "html"
    )
    return {HTML_FILE: render_html(source.document, source.theme, links).encode()}


@dataclass(frozen=True, slots=True)
class FileLink:
    """A link to another file of the report, next to the page."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """When the page was created, and links to the other files of the report."""

    created: str = ""
    file_links: tuple[FileLink, ...] = ()


NO_METADATA = PageMetadata()


def render_html(
    report: ReportDocument, theme: Theme = DEFAULT_THEME, file_links: tuple[FileLink, ...] = ()
) -> str:
    """Return the report as an HTML page, with links to its other files."""
    shipped = read_resources("style.css", "screen.css", "what_if.css")
    style = f"{page_font_rules()}\n{theme.font_faces}\n{shipped}\n{theme.screen_style}"
    fragments = InlineRenderer(linked_measures=defined_measures(report))
    metadata = PageMetadata(file_links=file_links)
    return render_page(truncate_long_tables(report), fragments, style, theme, metadata)


def render_page(
    report: ReportDocument,
    inline_renderer: InlineRenderer,
    style: str,
    theme: Theme = DEFAULT_THEME,
    metadata: PageMetadata = NO_METADATA,
) -> str:
    """Return the rendered page, for browsers or (without a script) for the PDF."""
    environment = (
        sandboxed_environment(theme.template_folder)
        if theme.template_folder
        else default_environment()
    )
    variables = page_variables(report, inline_renderer, style, theme, metadata)
    try:
        page = environment.get_template("report.html.j2").render(variables)
        if theme.template_folder:
            # A template can write half a surrogate pair, which no file can hold.
            page.encode()
            if not inline_renderer.for_pdf:
                _check_policy(page, str(variables["content_security_policy"]))
    except Exception as error:
        if theme.template_folder is None:
            raise
        # Errors of the user's templates are reported with file and line.
        raise template_error(error, theme.template_folder) from error
    return page


# What precedes the policy of a page; anything else could run or load before it applies.
_POLICY = re.compile(
    r'<!DOCTYPE html>\s*<html(?: lang="[\w-]*")?>\s*<head>\s*<meta charset="utf-8">\s*'
    r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">',
    re.IGNORECASE,
)
# No policy covers connections that a link announces, also one in a frame of its own.
_CONNECTING_ELEMENT = re.compile(
    r"<(link|iframe|frame|frameset|object|embed|portal|fencedframe)[\s/>]", re.IGNORECASE
)


def _check_policy(page: str, policy: str) -> None:
    """Raise if a page of the user's templates can run scripts, load files or leave for a URL."""
    match = _POLICY.match(page.lstrip())
    if match is None or unescape(match[1]) != policy:
        raise ValueError("the page must begin as the shipped report.html.j2, with its policy")
    if page.lower().count("http-equiv") > 1:
        raise ValueError("only the policy of the page may be an `http-equiv`")
    if match := _CONNECTING_ELEMENT.search(page):
        raise ValueError(f"the page may have no element `{match[1]}`, which may open connections")


def page_variables(
    report: ReportDocument,
    inline_renderer: InlineRenderer,
    style: str,
    theme: Theme = DEFAULT_THEME,
    metadata: PageMetadata = NO_METADATA,
) -> PlainData:
    """Return the variables of the templates, which are plain data."""
    for_pdf = inline_renderer.for_pdf
    script = "" if for_pdf else load_page_script()
    data = what_if_json(report.what_if) if script and report.what_if else ""
    anchors = section_anchors(report)
    summary_length = count_summary_sections(report)
    columns = build_contents(report, anchors, columns=3 if for_pdf else 1)
    return {
        "report": report_data(report, anchors, inline_renderer),
        "for_pdf": for_pdf,
        "style": Markup(style),  # noqa: S704  # the stylesheets, shipped and the user's own
        "script": Markup(script),  # noqa: S704  # the shipped scripts
        "what_if_data": Markup(data),  # noqa: S704  # JSON without any "<"
        "what_if_position": what_if_position(report),
        "content_security_policy": content_security_policy(style, script),
        "logo": theme.logo,
        "created": metadata.created,
        "file_links": [{"label": link.label, "path": link.path} for link in metadata.file_links],
        "contents": [
            [{"text": entry.text, "anchor": entry.anchor} for entry in column] for column in columns
        ],
        "run_in_contents": for_pdf and len(report.sections) <= MAX_RUN_IN_SECTIONS,
        "summary_length": summary_length,
    }


def content_security_policy(style: str, script: str = "") -> str:
    """Return a Content-Security-Policy that allows only the page's own style and script."""
    scripts = f" script-src {_csp_hash(script)};" if script else ""
    return (
        f"default-src 'none'; style-src {_csp_hash(style)};{scripts} img-src data:;"
        " font-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _csp_hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def count_summary_sections(report: ReportDocument) -> int:
    """Return the number of summary sections at the beginning of the report."""
    chapters = [section.chapter for section in report.sections]
    return next(
        (index for index, chapter in enumerate(chapters) if chapter is not Chapter.SUMMARY),
        len(chapters),
    )


def section_anchors(report: ReportDocument) -> list[str]:
    """Return a unique anchor for each section."""
    kinds = [
        ANCHOR_SEPARATOR.sub("-", section.kind.lower()).strip("-") for section in report.sections
    ]
    return [
        kind if kinds.count(kind) == 1 else f"{kind}-{kinds[:index].count(kind) + 1}"
        for index, kind in enumerate(kinds)
    ]
