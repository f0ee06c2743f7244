"""Recording of runs in the history; errors of the history never prevent a report."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.errors import Diagnostic, ExitCode, HistoryError, ReportgenError
from reportgen.errors.jobs import HISTORY_BUSY
from reportgen.evaluation.gates import fold_mean_value
from reportgen.evaluation.previous_runs import EMPTY_HISTORY, UNREADABLE_HISTORY, data_fingerprint
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.export.manifest import MANIFEST_FILE
from reportgen.formats import PDF_FILE, needs_document
from reportgen.jobs.history.record import (
    CLOCK_TOLERANCE,
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ValueRecord,
)
from reportgen.jobs.history.store import history_is_missing
from reportgen.jobs.job import history_key
from reportgen.measures import get_measure
from reportgen.output.atomic import read_regular_file
from reportgen.predictions.files import hash_inputs
from reportgen.predictions.long_format import expand_models
from reportgen.render.theme import load_theme
from reportgen.report.versions import software_versions
from reportgen.spec.load import parse_partial
from reportgen.spec.measures import with_spec_measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.job import Job, JobOutcome
    from reportgen.pipeline import BuiltReport
    from reportgen.spec import SpecFile


# A single transaction has a limit of its own, which is lower.
HISTORY_DEADLINE_SECONDS = 120.0


@dataclass(slots=True)
class HistorySession:
    """The history during one run: access to previous runs and recording of this one."""

    location: str | None
    name: str
    folder: Path
    exit_stack: ExitStack
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    history: HistoryStore | None = None
    seconds: float = 0.0
    """The time that this run has spent on the history."""

    @property
    def output(self) -> str:
        """The output folder as stored in the history."""
        return str(self.folder.absolute())

    def recover_interrupted(self) -> None:
        """Set the state of interrupted runs of the folder: completed or interrupted."""
        if self.location is None or history_is_missing(self.location):
            return
        with self._collect_errors():
            self._open(self.location).recover_interrupted(
                self.name, self.output, manifest_hash(self.folder)
            )

    def last_run_ok(self) -> bool:
        """Return whether the report in the folder is that of the last recorded run.

        Without a history, the state of the folder alone decides.
        """
        if self.location is None:
            return True
        if self.history is None or not self._is_usable():
            return False
        with self._collect_errors():
            last = self.history.latest_run(self.name, self.output)
            return (
                last is not None
                and last.state is RunState.COMPLETED
                and last.manifest_sha256 == manifest_hash(self.folder)
                and last.exit_code <= ExitCode.GATE_FAILED
            )
        return False

    def load_previous(self, limit: int, *, with_counts: bool = False) -> RunHistory:
        """Return the previous runs, and the counts of all of them if they are monitored."""
        if self.location is not None and history_is_missing(self.location):
            return EMPTY_HISTORY
        if self.history is not None and self._is_usable():
            with self._collect_errors():
                # One more, because the latest is excluded if it is on the current data.
                previous = self.history.load_previous_runs(self.name, limit + 1)
                self._warn_of_future_runs(previous)
                if not with_counts:
                    return previous
                return replace(previous, counts=self.history.load_run_counts(self.name))
        return UNREADABLE_HISTORY

    def begin(self, record: RunRecord) -> str | None:
        """Insert the run before the report is written; return its id, None if not recorded."""
        if self.location is None or not self._is_usable():
            return None
        with self._collect_errors():
            self._open(self.location).begin(record)
            return record.id
        return None

    def finish(self, run_id: str | None, state: RunState, exit_code: ExitCode) -> None:
        """Set the final state of the run."""
        if self.history is None or run_id is None:
            return
        with self._collect_errors():
            self.history.finish(run_id, state, exit_code=exit_code, ended=datetime.now(UTC))

    def _warn_of_future_runs(self, previous: RunHistory) -> None:
        """Warn of runs recorded while the clock was wrong; the order of runs is not affected."""
        now = datetime.now(UTC)
        dates = [run.ended for run in previous.runs if run.ended > now + CLOCK_TOLERANCE]
        if dates:
            runs = "a run is" if len(dates) == 1 else f"{len(dates)} runs are"
            self.warnings.append(
                f"{runs} dated in the future in the history, up to {max(dates):%Y-%m-%d}: the clock"
                " of a machine was or is wrong"
            )

    def _open(self, location: str) -> HistoryStore:
        from reportgen.jobs.history.store import open_history

        if self.history is None:
            self.history = self.exit_stack.enter_context(open_history(location))
        return self.history

    def _is_usable(self) -> bool:
        """Return whether more may be asked of the history: it had no error, and is in time."""
        if not self.diagnostics and self.seconds > HISTORY_DEADLINE_SECONDS:
            message = (
                f"the history took {self.seconds:.0f} s in this run, which waits"
                f" {HISTORY_DEADLINE_SECONDS:.0f} s at most"
            )
            help_text = "look for what slows the server or the disk, or prune the history"
            self.diagnostics.append(Diagnostic(HISTORY_BUSY, message, help=help_text))
        return not self.diagnostics

    @contextmanager
    def _collect_errors(self) -> Iterator[None]:
        """Collect the errors of the history instead of raising them."""
        began = time.monotonic()
        try:
            yield
        except HistoryError as error:
            self.diagnostics += error.diagnostics
        finally:
            self.seconds += time.monotonic() - began


@contextmanager
def open_history_session(job: Job, name: str) -> Iterator[HistorySession]:
    """Open the history if one is configured; a missing one is created at the first write."""
    with ExitStack() as exit_stack:
        session = HistorySession(job.history, name, job.folder, exit_stack)
        session.recover_interrupted()
        yield session


def manifest_hash(folder: Path) -> str:
    """Return the SHA-256 of the manifest in a folder; empty if there is none that can be read."""
    manifest = folder / MANIFEST_FILE
    try:
        return sha256(read_regular_file(manifest)).hexdigest()
    except OSError:
        return ""


MAX_FINDINGS = 5


def build_run_record(
    job: Job, built_report: BuiltReport, started: datetime, exit_code: ExitCode
) -> RunRecord:
    """Return the record of a run whose report is about to be written."""
    return _build_run_record(built_report.evaluation, job, built_report, started, exit_code)


@with_spec_measures
def _build_run_record(
    evaluation: Evaluation,
    job: Job,
    built_report: BuiltReport,
    started: datetime,
    exit_code: ExitCode,
) -> RunRecord:
    predictions = evaluation.aggregates
    return RunRecord(
        id=job.run_id,
        name=history_key(job.spec, evaluation.spec.history.name),
        spec=str(job.spec),
        output=str(built_report.folder.absolute()),
        title=evaluation.spec.title,
        version=__version__,
        started=started,
        ended=datetime.now(UTC),
        state=RunState.RUNNING,
        exit_code=exit_code,
        data_fingerprint=data_fingerprint(evaluation.spec_file, predictions.inputs),
        manifest_sha256=sha256(built_report.files[MANIFEST_FILE]).hexdigest(),
        classes=predictions.classes,
        positive=evaluation.spec.task.positive,
        level=evaluation.spec.intervals.level,
        findings=tuple(_summary_sentences(evaluation)),
        warnings=built_report.warnings,
        errors=_error_messages(built_report.diagnostics),
        inputs=tuple(
            InputRecord(file.classifier, file.path, file.sha256 or "", file.rows)
            for file in predictions.inputs
        ),
        values=tuple(_value_records(evaluation)),
        confusion=_confusion_matrices(evaluation),
        weights={name: predictions.case_weight(name) for name in evaluation.measured_classifiers},
        gates=build_gate_records(evaluation),
    )


def build_gate_records(evaluation: Evaluation) -> tuple[GateRecord, ...]:
    """Return the gates as records for the history and for notifications."""
    return tuple(
        GateRecord(**{field_.name: getattr(gate, field_.name) for field_ in fields(GateRecord)})
        for gate in evaluation.gates
    )


def _summary_sentences(evaluation: Evaluation) -> Iterator[str]:
    """Yield the first sentences of the summary, if a document was built."""
    if not needs_document(evaluation.spec.output.formats):
        return
    from reportgen.render.plain_text import sentence_text
    from reportgen.report.sections.summary import recommendation_sentences

    yield from map(sentence_text, recommendation_sentences(evaluation)[:MAX_FINDINGS])


def _value_records(evaluation: Evaluation) -> Iterator[ValueRecord]:
    for row in evaluation.values.frame.iter_rows(named=True):
        value = MeasureValue(
            row["value"],
            ValueState(row["state"]),
            row["reason"],
            row["low"],
            row["high"],
            row["method"],
        )
        yield ValueRecord(
            row["classifier"], row["class"], row["average"], row["fold"], row["measure"], value
        )
    for classifier in evaluation.spec.classifiers:
        # For a classifier with per-fold scores only, the baseline of later runs is their mean.
        for name in classifier.fold_scores or ():
            measure = get_measure(name).name
            mean = fold_mean_value(evaluation.fold_summaries, classifier.name, measure)
            if mean is not None:
                yield ValueRecord(classifier.name, None, None, None, measure, mean)


def _confusion_matrices(evaluation: Evaluation) -> dict[str, tuple[tuple[int, ...], ...]]:
    confusion = evaluation.aggregates.confusion
    if confusion is None:
        return {}
    return {name: confusion.matrix(name) for name in evaluation.measured_classifiers}


def build_failure_record(
    job: Job, outcome: JobOutcome, started: datetime, ended: datetime
) -> RunRecord:
    """Return the record of a run without a report."""
    return RunRecord(
        id=job.run_id,
        name=history_key(job.spec, _read_history_name(job.spec)),
        spec=str(job.spec),
        output=str(job.folder.absolute()),
        title=outcome.title or read_title(job.spec),
        version=__version__,
        started=started,
        ended=ended,
        state=RunState.FAILED,
        exit_code=outcome.exit_code,
        errors=_error_messages(outcome.diagnostics),
    )


# Errors of the data and internal ones, whose messages may contain ids and values of cases.
PRIVATE_ERROR_CODES = ("E2", "E7")


def _error_messages(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Return the messages of errors; of those that may contain data only title and number.

    The message itself is printed and logged where the run took place, but neither kept in a shared
    history nor published.
    """
    counts = Counter(
        f"{diagnostic.error_code.code}: {diagnostic.error_code.title}"
        if diagnostic.error_code.code.startswith(PRIVATE_ERROR_CODES)
        else f"{diagnostic.error_code.code}: {diagnostic.message}"
        for diagnostic in diagnostics
    )
    return tuple(
        f"{message} ({count} times)" if count > 1 else message for message, count in counts.items()
    )


def read_title(spec: Path) -> str:
    """Return the title of a spec, even of an invalid one."""
    title = parse_partial(spec, "title")
    return title.strip() if isinstance(title, str) else ""


def _read_history_name(spec: Path) -> str | None:
    table = parse_partial(spec, "history")
    name = table.get("name") if isinstance(table, dict) else None
    return name if isinstance(name, str) and name.strip() else None


def gates_if_up_to_date(spec_file: SpecFile, folder: Path) -> tuple[GateRecord, ...] | None:
    """Return the gates of the report in a folder if it is up to date, else None.

    It is up to date if spec, inputs, style and versions are the same and its files are unmodified.
    Anything that cannot be determined counts as a change: the report is rebuilt.
    """
    try:
        manifest = json.loads(read_regular_file(folder / MANIFEST_FILE))
        names = {output["path"] for output in manifest["outputs"]}
        is_up_to_date = (
            _recorded_provenance(manifest) == _current_provenance(spec_file)
            # The PDF is missing if Pango was not installed.
            and (PDF_FILE in names or "pdf" not in manifest["options"]["formats"])
            and bool(names)
            and all(_output_is_unchanged(folder, output) for output in manifest["outputs"])
        )
        return tuple(map(_gate_from_manifest, manifest.get("gates", ()))) if is_up_to_date else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ReportgenError):
        return None


def _gate_from_manifest(row: dict[str, object]) -> GateRecord:
    values = {"class_" if key == "class" else key: value for key, value in row.items()}
    return GateRecord(**values)  # type: ignore[arg-type]  # as written in the manifest


def _recorded_provenance(manifest: dict[str, object]) -> dict[str, object]:
    """Return the provenance in a manifest, limited to the parts that determine the report."""
    provenance = {key: manifest[key] for key in ("options", "theme", "versions")}
    spec, inputs = manifest["spec"], manifest["inputs"]
    if not (isinstance(spec, dict) and isinstance(inputs, list)):
        raise TypeError
    input_hashes = [(file["classifier"], file["path"], file["sha256"]) for file in inputs]
    return {**provenance, "spec": spec["sha256"], "inputs": input_hashes}


def _current_provenance(spec_file: SpecFile) -> dict[str, object]:
    output, on_spark = spec_file.spec.output, spec_file.spec.engine.kind == "spark"
    return {
        "options": {"detail": output.detail, "formats": list(output.formats)},
        "theme": [
            {"path": file.path, "sha256": file.sha256} for file in load_theme(spec_file).files
        ],
        "versions": software_versions(),
        "spec": spec_file.sha256,
        "inputs": None if on_spark else hash_inputs(expand_models(spec_file)),
    }


def _output_is_unchanged(folder: Path, output: dict[str, object]) -> bool:
    content = read_regular_file(folder / str(output["path"]))
    return sha256(content).hexdigest() == output["sha256"]
