"""All formats of a report; a format that fails does not take the others with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, RenderingError
from reportgen.export.manifest import MANIFEST_FILE, manifest_json
from reportgen.export.results import build_results, results_json
from reportgen.render.number_format import number_locale
from reportgen.render.theme import load_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.render.theme import Theme
    from reportgen.report.document import ReportDocument
    from reportgen.spec import OutputFormat

RESULTS_FILE, HTML_FILE = "results.json", "report.html"
# What is made from the report, and what carries the results: nothing else pays for them.
DOCUMENT_FORMATS = frozenset({"html", "pdf", "markdown", "latex"})
FORMATS_WITH_RESULTS = frozenset({"json", "pdf"})


@dataclass(frozen=True, slots=True)
class RenderedFiles:
    """The files of a report by name, and what could not be made."""

    files: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]


def render(
    evaluation: Evaluation,
    formats: Collection[OutputFormat],
    on_progress: Callable[[str], None] = lambda _step: None,
) -> RenderedFiles:
    """Render the formats asked for, with the manifest of them all."""
    look = load_theme(evaluation.spec_file)
    with number_locale(look.number_locale):
        return _render_twice_if_glyphs_missing(evaluation, formats, look, on_progress)


def _render_twice_if_glyphs_missing(
    evaluation: Evaluation,
    formats: Collection[OutputFormat],
    theme: Theme,
    on_progress: Callable[[str], None],
) -> RenderedFiles:
    on_progress(f"rendering {', '.join(formats)}")
    rendered, missing_signs = _render_formats(evaluation, formats, theme, known_missing_glyphs=())
    if missing_signs:
        # Only the layout shows that a sign has no font, so the report is made again to say so.
        warning = (
            f"no font on this machine has {' '.join(missing_signs)}, so the PDF shows their code"
            " points; install a font that has them (on Debian fonts-noto-cjk or fonts-noto-core)"
        )
        warned = replace(evaluation, warnings=(*evaluation.warnings, warning))
        rendered, _ = _render_formats(warned, formats, theme, known_missing_glyphs=missing_signs)
    return rendered


def _render_formats(
    evaluation: Evaluation,
    formats: Collection[OutputFormat],
    theme: Theme,
    *,
    known_missing_glyphs: tuple[str, ...],
) -> tuple[RenderedFiles, tuple[str, ...]]:
    files: dict[str, bytes] = {}
    faults: list[Diagnostic] = []
    missing_signs: tuple[str, ...] = ()
    report = _build_document(evaluation) if DOCUMENT_FORMATS.intersection(formats) else None
    written = (
        results_json(evaluation).encode() if FORMATS_WITH_RESULTS.intersection(formats) else b""
    )
    if "json" in formats:
        files[RESULTS_FILE] = written
    if report is not None:
        files |= _render_text_documents(report, formats, theme)
    if report is not None and "pdf" in formats:
        from reportgen.render.pdf import render_pdf

        try:
            pdf = render_pdf(
                report, attachment=written, known_missing_glyphs=known_missing_glyphs, theme=theme
            )
            files["report.pdf"], missing_signs = pdf.content, pdf.missing_glyphs
        except RenderingError as error:
            faults += error.diagnostics
    files |= _render_tables(evaluation, formats)
    files[MANIFEST_FILE] = manifest_json(evaluation, files, formats, theme).encode()
    return RenderedFiles(files, tuple(faults), evaluation.warnings), missing_signs


def _build_document(evaluation: Evaluation) -> ReportDocument:
    from reportgen.report.build import build_report

    return build_report(evaluation)


def _render_text_documents(
    report: ReportDocument, formats: Collection[OutputFormat], theme: Theme
) -> dict[str, bytes]:
    """Return the documents that are text."""
    files: dict[str, bytes] = {}
    if "html" in formats:
        from reportgen.render.html import render_html

        files[HTML_FILE] = render_html(report, theme).encode()
    if "markdown" in formats:
        from reportgen.render.markdown import render_markdown

        files["report.md"] = render_markdown(report).encode()
    if "latex" in formats:
        from reportgen.render.latex import render_latex

        files["report.tex"] = render_latex(report).encode()
    return files


def _render_tables(evaluation: Evaluation, formats: Collection[OutputFormat]) -> dict[str, bytes]:
    """Return the tables for other programs; CSV has not every threshold, so that it opens."""
    if not {"csv", "parquet"}.intersection(formats):
        return {}
    from reportgen.export.tables import csv_files, parquet_files, result_tables, threshold_tables

    files: dict[str, bytes] = {}
    flat = result_tables(build_results(evaluation))
    if "csv" in formats:
        files |= csv_files(flat | threshold_tables(evaluation, thinned=True))
    if "parquet" in formats:
        files |= parquet_files(flat | threshold_tables(evaluation, thinned=False))
    return files
