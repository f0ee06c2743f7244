"""A report as an object: what was found, and how it shows itself."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.choices import FORMATS, UnknownNameError, known_formats
from reportgen.errors import Fault, OutputError, RenderingError
from reportgen.errors.argument_faults import ARGUMENT_UNUSABLE
from reportgen.python.faults import in_arguments
from reportgen.rendering.formats import RESULTS, render
from reportgen.rendering.results.building import results_json, results_of
from reportgen.rendering.results.exports import flat_frame, long_rows
from reportgen.rendering.results.long import ConfusionCell
from reportgen.rendering.results.rows import ComparisonResult, ScoreResult
from reportgen.rendering.texts import sentence_text, value_text
from reportgen.rendering.writing import write_file, write_report
from reportgen.report.building import build_report
from reportgen.report.document import Bullets
from reportgen.report.findings.main import main_measure
from reportgen.report.parts import Value
from reportgen.report.sections.answer.summary import summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from os import PathLike

    import polars as pl

    from reportgen.rendering.results.contract import Results
    from reportgen.report.document import Report as Document
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Format

FILES: dict[str, tuple[Format, str]] = {
    ".html": ("html", "report.html"),
    ".pdf": ("pdf", "report.pdf"),
    ".json": ("json", RESULTS),
    ".md": ("markdown", "report.md"),
    ".tex": ("latex", "report.tex"),
}
"""What a single file holds, told by how its name ends."""

FRAME_HEIGHT = 720
# Else a link within the page would load the notebook into the frame.
OWN_ADDRESS = '<base href="about:srcdoc">'


class Report:
    """What was found about some classifiers, for a notebook, for programs, and as files."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    @property
    def title(self) -> str:
        """The title of the report."""
        return self._evaluation.spec.title

    @cached_property
    def scores(self) -> pl.DataFrame:
        """Every value of every measure, with its interval; a row each."""
        return flat_frame(ScoreResult, self._results.scores)

    @cached_property
    def comparisons(self) -> pl.DataFrame:
        """Every tested difference of two classifiers; a row each."""
        return flat_frame(ComparisonResult, self._results.comparisons)

    @cached_property
    def confusion(self) -> pl.DataFrame:
        """Every count of every confusion matrix, over all cases and by fold; a row each."""
        cells = (cell for matrix in self._results.confusion for cell in long_rows(matrix))
        return flat_frame(ConfusionCell, cells)

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The sentences of the summary, as plain text."""
        return tuple(
            sentence_text(sentence.parts)
            for block in summary(self._evaluation)
            if isinstance(block, Bullets)
            for sentence in block.items
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to be careful with."""
        return self._evaluation.warnings

    @property
    def results(self) -> dict[str, object]:
        """Everything that results.json holds, as plain values; docs/results.md explains it."""
        found: dict[str, object] = json.loads(results_json(self._evaluation))
        return found

    @cached_property
    def html(self) -> str:
        """The report as one page that needs nothing else."""
        format_, name = FILES[".html"]
        return self._rendered((format_,))[name].decode()

    def write(self, path: str | PathLike[str], formats: Collection[str] | None = None) -> Path:
        """Write the report whole, or leave what was there as it was; return where it is.

        A path that ends in .html, .pdf, .json, .md or .tex is one file. Any other is a folder,
        which gets every format unless some are named.

        Raises:
            RenderingError: If a format cannot be made on this machine.
            OutputError: If the path cannot be written.
        """
        target = Path(path)
        with in_arguments():
            if target.suffix.lower() in FILES and not target.is_dir():
                format_, name = FILES[target.suffix.lower()]
                if formats is not None and wanted_formats(formats) != (format_,):
                    raise _unusable(f"{target.name} is one file of the format {format_}")
                write_file(target, self._rendered((format_,))[name])
            else:
                _refuse_ending(target)
                write_report(target, self._rendered(wanted_formats(formats or FORMATS)))
        return target

    def __repr__(self) -> str:
        lines = [f"Report: {self.title}", sentence_text(self._document.subtitle.parts)]
        return "\n".join((*lines, *self._main_values()))

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style is not the notebook's."""
        page = self.html.replace("<head>", f"<head>{OWN_ADDRESS}", 1)
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts allow-popups"'
            f' title="{escape(self.title)}" width="100%" height="{FRAME_HEIGHT}"'
            ' style="border: 0; resize: vertical; background: Canvas"></iframe>'
        )

    @cached_property
    def _results(self) -> Results:
        return results_of(self._evaluation)

    @cached_property
    def _document(self) -> Document:
        return build_report(self._evaluation)

    def _main_values(self) -> Iterator[str]:
        evaluation, measure = self._evaluation, main_measure(self._evaluation)
        if measure is None:
            return
        widest = max((len(name) for name in evaluation.measured), default=0)
        for name in evaluation.measured:
            score = evaluation.score(name, measure)
            if score is not None:
                value = value_text(Value(score, measure, with_interval=True))
                yield f"  {name:<{widest}}  {measure.title.lower()} {value}"

    def _rendered(self, formats: Collection[Format]) -> dict[str, bytes]:
        rendered = render(self._evaluation, formats, lambda _step: None)
        if rendered.faults:
            raise RenderingError(*rendered.faults)
        return rendered.files


def wanted_formats(named: Collection[str]) -> tuple[Format, ...]:
    """Return the formats that are named, one or several, or raise because of one that is none."""
    try:
        return known_formats((named,) if isinstance(named, str) else named)
    except UnknownNameError as error:
        raise _unusable(str(error), error.hint) from None


def _refuse_ending(target: Path) -> None:
    if target.suffix and not target.is_dir():
        known = ", ".join(FILES)
        raise _unusable(
            f"{target.name}: what to write is not told by {target.suffix!r}",
            f"let the name end in {known}; a folder's name has no dot",
        )


def _unusable(message: str, help_text: str | None = None) -> OutputError:
    return OutputError(Fault(ARGUMENT_UNUSABLE, message, help=help_text))
