"""All formats of a report; a format that fails does not take the others with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.errors import Fault, RenderingError
from reportgen.frozen import frozen
from reportgen.rendering.number_style import number_style
from reportgen.rendering.page.look import read_look
from reportgen.rendering.results.building import results_json, results_of
from reportgen.rendering.results.manifest import MANIFEST, manifest_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from reportgen.rendering.page.look import Look
    from reportgen.report.document import Report
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Format

RESULTS, PAGE = "results.json", "report.html"
# What is made from the report, and what carries the results: nothing else pays for them.
DOCUMENTS = frozenset({"html", "pdf", "markdown", "latex"})
WITH_RESULTS = frozenset({"json", "pdf"})


@frozen
class Rendered:
    """The files of a report by name, and what could not be made."""

    files: dict[str, bytes]
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]


def render(
    evaluation: Evaluation,
    formats: Collection[Format],
    tell: Callable[[str], None] = lambda _step: None,
) -> Rendered:
    """Render the formats asked for, with the manifest of them all."""
    look = read_look(evaluation.spec_file)
    with number_style(look.numbers):
        return _rendered(evaluation, formats, look, tell)


def _rendered(
    evaluation: Evaluation,
    formats: Collection[Format],
    look: Look,
    tell: Callable[[str], None],
) -> Rendered:
    tell(f"rendering {', '.join(formats)}")
    rendered, missing_signs = _render(evaluation, formats, look, without_font=())
    if missing_signs:
        # Only the layout shows that a sign has no font, so the report is made again to say so.
        warning = (
            f"no font on this machine has {' '.join(missing_signs)}, so the PDF shows their code"
            " points; install a font that has them (on Debian fonts-noto-cjk or fonts-noto-core)"
        )
        warned = replace(evaluation, warnings=(*evaluation.warnings, warning))
        rendered, _ = _render(warned, formats, look, without_font=missing_signs)
    return rendered


def _render(
    evaluation: Evaluation,
    formats: Collection[Format],
    look: Look,
    *,
    without_font: tuple[str, ...],
) -> tuple[Rendered, tuple[str, ...]]:
    files: dict[str, bytes] = {}
    faults: list[Fault] = []
    missing_signs: tuple[str, ...] = ()
    report = _document(evaluation) if DOCUMENTS.intersection(formats) else None
    written = results_json(evaluation).encode() if WITH_RESULTS.intersection(formats) else b""
    if "json" in formats:
        files[RESULTS] = written
    if report is not None:
        files |= _texts(report, formats, look)
    if report is not None and "pdf" in formats:
        from reportgen.rendering.page.pdf import render_pdf

        try:
            pdf = render_pdf(report, attachment=written, without_font=without_font, look=look)
            files["report.pdf"], missing_signs = pdf.content, pdf.missing_signs
        except RenderingError as error:
            faults += error.faults
    files |= _tables(evaluation, formats)
    files[MANIFEST] = manifest_json(evaluation, files, formats, look).encode()
    return Rendered(files, tuple(faults), evaluation.warnings), missing_signs


def _document(evaluation: Evaluation) -> Report:
    from reportgen.report.building import build_report

    return build_report(evaluation)


def _texts(report: Report, formats: Collection[Format], look: Look) -> dict[str, bytes]:
    """Return the documents that are text."""
    files: dict[str, bytes] = {}
    if "html" in formats:
        from reportgen.rendering.page.html import render_html

        files[PAGE] = render_html(report, look).encode()
    if "markdown" in formats:
        from reportgen.rendering.plain.markdown import render_markdown

        files["report.md"] = render_markdown(report).encode()
    if "latex" in formats:
        from reportgen.rendering.plain.latex import render_latex

        files["report.tex"] = render_latex(report).encode()
    return files


def _tables(evaluation: Evaluation, formats: Collection[Format]) -> dict[str, bytes]:
    """Return the tables for other programs; CSV has not every threshold, so that it opens."""
    if not {"csv", "parquet"}.intersection(formats):
        return {}
    from reportgen.rendering.results.exports import csv_files, parquet_files, tables
    from reportgen.rendering.results.threshold_table import threshold_tables

    files: dict[str, bytes] = {}
    flat = tables(results_of(evaluation))
    if "csv" in formats:
        files |= csv_files(flat | threshold_tables(evaluation, thin=True))
    if "parquet" in formats:
        files |= parquet_files(flat | threshold_tables(evaluation, thin=False))
    return files
