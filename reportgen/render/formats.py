"""Rendering a report in its output formats, and the manifest of the files.

The formats are listed in `reportgen.formats.FORMATS`. An error in one format leaves the others
as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

from reportgen.errors import Diagnostic, RenderingError
from reportgen.export.manifest import MANIFEST_FILE, manifest_json
from reportgen.export.results import build_results, results_json
from reportgen.formats import FORMATS, RESULTS_FILE

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import FormatInfo, OutputFormat
    from reportgen.render.theme import Theme
    from reportgen.report.document import ReportDocument


@dataclass(frozen=True)
class RenderInput:
    """The input of a renderer; parts that only some formats need are computed on demand.

    Args:
        evaluation: All results.
        theme: Styles, fonts, logo and templates.
        report: The report's sections; None where no format shows them.
        known_missing_glyphs: Characters that no installed font has, to be written as code points.
        formats: All formats of the report, to which a format may link.
        missing_glyphs: Renderers add the characters for which they found no font.
    """

    evaluation: Evaluation
    theme: Theme
    report: ReportDocument | None = None
    known_missing_glyphs: tuple[str, ...] = ()
    formats: Collection[OutputFormat] = ()
    missing_glyphs: list[str] = field(default_factory=list)

    @property
    def document(self) -> ReportDocument:
        """The report's sections."""
        if self.report is None:
            raise ValueError("a format that is a document needs the report")
        return self.report

    @cached_property
    def results(self) -> bytes:
        """The content of results.json."""
        return results_json(self.evaluation).encode()

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of results.json."""
        from reportgen.export.tables import result_tables

        return result_tables(build_results(self.evaluation))


Renderer: TypeAlias = Callable[[RenderInput], dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class RenderedFiles:
    """The files of a report by path, and the errors of formats that could not be rendered."""

    files: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]
    obsolete: tuple[str, ...] = ()
    """Files that an earlier report may have and this one replaces: tables that are empty now."""


def load_renderer(format_: FormatInfo) -> Renderer:
    """Import and return the function that renders a format."""
    module, _, function = format_.renderer.partition(":")
    return cast("Renderer", getattr(import_module(module), function))


def render(
    evaluation: Evaluation,
    document: ReportDocument | None,
    formats: Collection[OutputFormat],
    theme: Theme,
    on_progress: Callable[[str], None] = lambda _step: None,
) -> RenderedFiles:
    """Render a report in some formats, with the manifest of all files.

    Args:
        evaluation: All results.
        document: The report's sections; None is enough if `needs_document(formats)` is false.
        formats: Names of output formats.
        theme: Styles, fonts, logo, templates and number format.
        on_progress: Called with a short description before the work.
    """
    on_progress(f"rendering {', '.join(formats)}")
    source = RenderInput(evaluation, theme, document, formats=formats)
    if document is None:
        return _render_formats(source, formats)
    # Results for programs need neither the formats of numbers nor the nodes of sentences.
    from reportgen.render.number_format import number_locale

    with number_locale(theme.number_locale):
        rendered_files = _render_formats(source, formats)
        if not source.missing_glyphs:
            return rendered_files
        from reportgen.report.build import build_report

        # Only the layout reveals missing glyphs: the report is rendered again, with a warning.
        missing = tuple(dict.fromkeys(source.missing_glyphs))
        warning = (
            f"no font on this machine has {' '.join(missing)}, so the PDF shows their code"
            " points; install a font that has them (on Debian fonts-noto-cjk or fonts-noto-core)"
        )
        evaluation_with_warning = replace(evaluation, warnings=(*evaluation.warnings, warning))
        return _render_formats(
            RenderInput(
                evaluation_with_warning,
                theme,
                build_report(evaluation_with_warning),
                missing,
                formats,
            ),
            formats,
        )


def _render_formats(source: RenderInput, formats: Collection[OutputFormat]) -> RenderedFiles:
    files: dict[str, bytes] = {}
    diagnostics: list[Diagnostic] = []
    obsolete: list[str] = []
    for format_ in FORMATS.values():
        if format_.name not in formats:
            continue
        try:
            format_files = load_renderer(format_)(source)
        except RenderingError as error:
            diagnostics += error.diagnostics
            continue
        files |= format_files
        obsolete += [name for name in _possible_files(format_) if name not in format_files]
    manifest = manifest_json(source.evaluation, files, formats, source.theme.files)
    files[MANIFEST_FILE] = manifest.encode()
    return RenderedFiles(files, tuple(diagnostics), source.evaluation.warnings, tuple(obsolete))


def _possible_files(format_: FormatInfo) -> tuple[str, ...]:
    """Return all files that a format of several files may have: one for each table."""
    if not format_.files.startswith("tables/"):
        return ()
    from reportgen.export.tables import table_names

    return tuple(format_.files.replace("*", name) for name in table_names())


# Output formats for programs: results.json, and its tables as CSV and Parquet files.


def json_files(source: RenderInput) -> dict[str, bytes]:
    """Return results.json."""
    return {RESULTS_FILE: source.results}


def csv_table_files(source: RenderInput) -> dict[str, bytes]:
    """Return the tables as CSV, with so few thresholds that spreadsheets can open them."""
    from reportgen.export.tables import csv_files, threshold_tables

    return csv_files(source.tables | threshold_tables(source.evaluation, thinned=True))


def parquet_table_files(source: RenderInput) -> dict[str, bytes]:
    """Return the tables as Parquet, with every threshold."""
    from reportgen.export.tables import parquet_files, threshold_tables

    return parquet_files(source.tables | threshold_tables(source.evaluation, thinned=False))
