"""The report as a self-contained HTML page; also the HTML from which the PDF is made."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.formats import FORMATS, HTML_FILE
from reportgen.measures import describe_interval_method
from reportgen.render.footnotes import ORIENTATION_TEXTS, collect_footnotes
from reportgen.render.glossary import (
    auxiliary_definitions,
    cited_references,
    defined_measures,
    definition_formulas,
    describe_undefined_cases,
    has_wide_formula,
    used_quantities,
)
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.number_format import format_percent, format_range, heat_level
from reportgen.render.page_script import (
    cell_sort_key,
    is_sortable_table,
    load_page_script,
    what_if_json,
    what_if_position,
)
from reportgen.render.pagination import (
    choose_table_fit,
    fits_one_page,
    group_head_rows,
    has_numbered_classes,
    is_short_row_head,
    is_short_table,
    matrix_heads,
    needs_landscape,
    truncate_long_tables,
)
from reportgen.render.plain_text import block_anchor, cell_text
from reportgen.render.resources import page_font_rules, read_resources
from reportgen.render.svg import render_figure, render_narrow_figure
from reportgen.render.templates import default_environment, sandboxed_environment, template_error
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.document import Chapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.render.formats import RenderInput
    from reportgen.render.theme import Theme
    from reportgen.report.document import Block, ReportDocument


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


def block_template_name(block: Block) -> str:
    """Return the name of a block's template in blocks/."""
    return type(block).__name__.lower()


# Functions that templates can call, by their own names.
TEMPLATE_FUNCTIONS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        auxiliary_definitions,
        block_anchor,
        block_template_name,
        build_contents,
        cell_sort_key,
        cell_text,
        choose_table_fit,
        cited_references,
        collect_footnotes,
        definition_formulas,
        describe_interval_method,
        describe_undefined_cases,
        fits_one_page,
        format_percent,
        format_range,
        group_head_rows,
        has_numbered_classes,
        has_wide_formula,
        heat_level,
        is_short_row_head,
        is_short_table,
        is_sortable_table,
        matrix_heads,
        needs_landscape,
        render_figure,
        render_narrow_figure,
        used_quantities,
    )
}


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
    script = "" if inline_renderer.for_pdf else load_page_script()
    data = what_if_json(report.what_if) if script and report.what_if else ""
    environment = (
        sandboxed_environment(theme.template_folder, TEMPLATE_FUNCTIONS.values(), (InlineRenderer,))
        if theme.template_folder
        else default_environment()
    )
    template = environment.get_template("report.html.j2")
    try:
        return template.render(
            report=report,
            inline=inline_renderer,
            style=Markup(style),  # noqa: S704  # the stylesheets, shipped and the user's own
            script=Markup(script),  # noqa: S704  # the shipped scripts
            what_if_data=Markup(data),  # noqa: S704  # JSON without any "<"
            what_if_position=what_if_position(report),
            content_security_policy=content_security_policy(style, script),
            logo=theme.logo,
            created=metadata.created,
            file_links=metadata.file_links,
            max_run_in_sections=MAX_RUN_IN_SECTIONS,
            anchors=section_anchors(report),
            summary_length=count_summary_sections(report),
            orientation_texts=ORIENTATION_TEXTS,
            **TEMPLATE_FUNCTIONS,
        )
    except Exception as error:
        if theme.template_folder is None:
            raise
        # Errors of the user's templates are reported with file and line.
        raise template_error(error, theme.template_folder) from error


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
