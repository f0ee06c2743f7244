"""The `Report` object: results as frames, the HTML page, and writing files."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.api.settings import argument_errors
from reportgen.errors import Diagnostic, OutputError, RenderingError, SpecError
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.evaluation.evaluate import evaluate_single_gate
from reportgen.export.results import build_results, results_json
from reportgen.export.rows import ComparisonResult, ValueResult
from reportgen.export.tables import ConfusionCellRow, rows_to_frame, to_long_rows
from reportgen.formats import (
    FORMATS,
    OUTPUT_FORMATS,
    UnknownChoiceError,
    needs_document,
    parse_output_formats,
)
from reportgen.output.write import write_file_atomic, write_report
from reportgen.render.formats import render
from reportgen.render.plain_text import estimate_text, sentence_text
from reportgen.report.build import build_report
from reportgen.report.document import Bullets
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.inline import MeasureEstimate
from reportgen.report.sections.summary import build_findings_section, recommendation_sentences
from reportgen.spec import gate_from_values
from reportgen.statistics.parallel import single_blas_thread

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from os import PathLike

    import polars as pl

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.export.schema import Results
    from reportgen.formats import OutputFormat
    from reportgen.render.theme import Theme
    from reportgen.report.document import ReportDocument as Document

FORMAT_BY_SUFFIX = {
    format_.suffix: (format_.name, format_.files)
    for format_ in FORMATS.values()
    if format_.is_single_file
}
"""The format and the name within the report of a single file, by its suffix."""

IFRAME_HEIGHT = 720
# Otherwise a link within the page would load the notebook into the frame.
SRCDOC_BASE = '<base href="about:srcdoc">'


class Report:
    """The evaluation of classifiers, for notebooks, programs and as files."""

    def __init__(self, evaluation: Evaluation, theme: Theme) -> None:
        self._evaluation = evaluation
        self._theme = theme

    @property
    def title(self) -> str:
        """The title of the report."""
        return self._evaluation.spec.title

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row per value of a measure, with its confidence interval."""
        return rows_to_frame(ValueResult, self._results.values)

    @cached_property
    def comparisons(self) -> pl.DataFrame:
        """One row per comparison of two classifiers."""
        return rows_to_frame(ComparisonResult, self._results.comparisons)

    @cached_property
    def confusion(self) -> pl.DataFrame:
        """One row per cell of a confusion matrix, over all cases and by fold."""
        cells = (cell for matrix in self._results.confusion for cell in to_long_rows(matrix))
        return rows_to_frame(ConfusionCellRow, cells)

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The recommendation and the key findings, as plain text."""
        findings = (
            sentence.parts
            for block in build_findings_section(self._evaluation)
            if isinstance(block, Bullets)
            for sentence in block.items
        )
        return tuple(map(sentence_text, (*recommendation_sentences(self._evaluation), *findings)))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the evaluation."""
        return self._evaluation.warnings

    @property
    def results(self) -> dict[str, object]:
        """The content of results.json as plain values (docs/results.md)."""
        results: dict[str, object] = json.loads(results_json(self._evaluation))
        return results

    @cached_property
    def html(self) -> str:
        """The report as a self-contained HTML page."""
        format_, name = FORMAT_BY_SUFFIX[".html"]
        return self._render((format_,))[name].decode()

    def write(self, path: str | PathLike[str], formats: Collection[str] | None = None) -> Path:
        """Write the report and return its path; on errors existing files are unchanged.

        A path with the suffix .html, .pdf, .json, .md or .tex is one file. Any other is a folder,
        with all formats unless `formats` selects some.

        Raises:
            RenderingError: If a format cannot be rendered on this machine.
            OutputError: If the path cannot be written.
        """
        target = Path(path)
        with argument_errors():
            if target.suffix.lower() in FORMAT_BY_SUFFIX and not target.is_dir():
                format_, name = FORMAT_BY_SUFFIX[target.suffix.lower()]
                if formats is not None and validate_formats(formats) != (format_,):
                    raise _output_error(f"{target.name} is one file of the format {format_}")
                write_file_atomic(target, self._render((format_,))[name])
            else:
                _check_suffix(target)
                write_report(target, self._render(validate_formats(formats or OUTPUT_FORMATS)))
        return target

    def check(  # noqa: PLR0913  # all but the measure are the keys of a gate
        self,
        measure: str,
        classifier: str | None = None,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        not_worse_than: str | None = None,
        margin: float | None = None,
        class_: str | None = None,
        average: str | None = None,
        bound: str | None = None,
    ) -> GateOutcome:
        """Evaluate a gate: a criterion for one classifier in one measure (docs/how-to/gates.md).

        Args:
            measure: The name of the measure.
            classifier: The name of the classifier; may be omitted if there is only one.
            at_least: The minimum.
            at_most: The maximum.
            not_worse_than: Another classifier, to which this one is to be non-inferior.
            margin: The non-inferiority margin; by default that of the spec.
            class_: The class of the value; by default the overall value.
            average: The average over classes: "macro", "micro" or "weighted".
            bound: "low" or "high" to compare this confidence limit instead of the value.

        Returns:
            The outcome with the attributes `passed`, `observed`, `criterion` and `reason`.

        Raises:
            SpecError: If the criterion is invalid or does not apply.
        """
        values = {
            "classifier": self._only_classifier() if classifier is None else classifier,
            "measure": measure,
            "at_least": at_least,
            "at_most": at_most,
            "not_worse_than": not_worse_than,
            "margin": margin,
            "class": class_,
            "average": average,
            "bound": bound,
        }
        gate: dict[str, object] = {key: value for key, value in values.items() if value is not None}
        criterion = gate_from_values(self._evaluation.spec, gate)
        with single_blas_thread():
            return evaluate_single_gate(self._evaluation, criterion)

    def _only_classifier(self) -> str:
        names = [classifier.name for classifier in self._evaluation.spec.classifiers]
        if len(names) != 1:
            message = f"`classifier` is missing; there are {', '.join(names)}"
            raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help="name one of them"))
        return names[0]

    def __repr__(self) -> str:
        lines = [f"Report: {self.title}", sentence_text(self._document.subtitle.parts)]
        return "\n".join((*lines, *self._headline_values()))

    def _repr_html_(self) -> str:
        """Return the page in an iframe, which isolates its style from the notebook."""
        page = self.html.replace("<head>", f"<head>{SRCDOC_BASE}", 1)
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts allow-popups"'
            f' title="{escape(self.title)}" width="100%" height="{IFRAME_HEIGHT}"'
            ' style="border: 0; resize: vertical; background: Canvas"></iframe>'
        )

    @cached_property
    def _results(self) -> Results:
        return build_results(self._evaluation)

    @cached_property
    def _document(self) -> Document:
        return build_report(self._evaluation)

    def _headline_values(self) -> Iterator[str]:
        evaluation, measure = self._evaluation, primary_measure(self._evaluation)
        if measure is None:
            return
        widest = max((len(name) for name in evaluation.measured_classifiers), default=0)
        for name in evaluation.measured_classifiers:
            score = evaluation.value(name, measure)
            if score is not None:
                value = estimate_text(MeasureEstimate(score, measure, with_interval=True))
                yield f"  {name:<{widest}}  {measure.title.lower()} {value}"

    def _render(self, formats: Collection[OutputFormat]) -> dict[str, bytes]:
        document = self._document if needs_document(formats) else None
        rendered_files = render(self._evaluation, document, formats, self._theme)
        if rendered_files.diagnostics:
            raise RenderingError(*rendered_files.diagnostics)
        return rendered_files.files


def validate_formats(formats: Collection[str]) -> tuple[OutputFormat, ...]:
    """Return one or several formats in canonical order; raise `OutputError` for unknown ones."""
    try:
        return parse_output_formats((formats,) if isinstance(formats, str) else formats)
    except UnknownChoiceError as error:
        raise _output_error(str(error), error.hint) from None


def _check_suffix(target: Path) -> None:
    if target.suffix and not target.is_dir():
        suffixes = ", ".join(FORMAT_BY_SUFFIX)
        raise _output_error(
            f"{target.name}: unknown suffix {target.suffix!r}",
            f"use one of {suffixes}, or the name of a folder without a dot",
        )


def _output_error(message: str, help_text: str | None = None) -> OutputError:
    return OutputError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
