"""The flow of a report: load the spec and the predictions, aggregate, evaluate, render, write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.aggregates.aggregation import aggregate, list_models
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.evaluation.previous_runs import EMPTY_HISTORY, UNREADABLE_HISTORY
from reportgen.formats import needs_document
from reportgen.output.write import check_writable, write_report
from reportgen.predictions.load import load_predictions
from reportgen.predictions.table import NO_FRAMES
from reportgen.render.formats import render
from reportgen.render.theme import load_theme
from reportgen.spec import load_spec
from reportgen.statistics.parallel import single_blas_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from reportgen.errors import Diagnostic
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.formats import DetailLevel, OutputFormat
    from reportgen.predictions.table import InMemoryFrame
    from reportgen.render.theme import Theme
    from reportgen.spec import SpecFile


@dataclass(frozen=True, slots=True)
class BuiltReport:
    """A rendered report that is not written yet, with the errors of formats that failed."""

    evaluation: Evaluation
    theme: Theme
    folder: Path
    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]
    obsolete: tuple[str, ...] = ()

    def write(self) -> tuple[str, ...]:
        """Replace the earlier report in the folder; return the names of the files removed."""
        return write_report(self.folder, self.files, self.obsolete)


def load_and_evaluate(path: Path) -> Evaluation:
    """Evaluate the spec at a path."""
    return evaluate_spec_file(load_spec(path))


def evaluate_spec_file(
    spec_file: SpecFile,
    in_memory_frames: Mapping[str, InMemoryFrame] = NO_FRAMES,
    history: RunHistory = UNREADABLE_HISTORY,
    on_progress: Callable[[str], None] = lambda _step: None,
) -> Evaluation:
    """Evaluate a spec, with frames in the place of some prediction files."""
    on_progress("reading predictions")
    spec_file = list_models(spec_file)
    cases = load_predictions(spec_file, in_memory_frames)
    with single_blas_thread():
        aggregates = aggregate(spec_file, cases)
        on_progress("evaluating")
        return evaluate_aggregates(spec_file, aggregates, history)


def build_in_memory(
    spec_file: SpecFile,
    folder: Path,
    on_progress: Callable[[str], None],
    history: RunHistory = EMPTY_HISTORY,
) -> BuiltReport:
    """Evaluate a spec and render its report for a folder, without writing it."""
    theme = load_theme(spec_file)
    check_writable(folder)
    evaluation = evaluate_spec_file(spec_file, NO_FRAMES, history, on_progress)
    formats = spec_file.spec.output.formats
    document = None
    if needs_document(formats):
        # Results for programs need neither the sections nor their texts.
        from reportgen.report.build import build_report

        document = build_report(evaluation)
    output = render(evaluation, document, formats, theme, on_progress)
    return BuiltReport(
        evaluation,
        theme,
        folder,
        output.files,
        output.diagnostics,
        output.warnings,
        output.obsolete,
    )


def build_and_write(
    path: Path,
    output: Path,
    formats: Collection[OutputFormat] | None = None,
    *,
    detail: DetailLevel | None = None,
) -> BuiltReport:
    """Evaluate the spec at `path` and write its report into `output/<spec name>/`."""
    spec_file = load_spec(path).with_output(formats, detail)
    report = build_in_memory(spec_file, output / path.stem, lambda _step: None)
    report.write()
    return report
