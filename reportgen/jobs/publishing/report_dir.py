"""Report folders written by `reportgen build`: reading and integrity checks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from reportgen.errors import Diagnostic, Location, OutputError
from reportgen.errors.jobs import REPORT_CORRUPT
from reportgen.export.manifest import MANIFEST_FILE
from reportgen.formats import RESULTS_FILE
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.publishing.index import GateCounts, MainMeasure, MainMeasureValue, is_safe_path
from reportgen.measures import Orientation, find_measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class PartialModel(BaseModel):
    """The fields of manifest.json or results.json that a site needs; others are ignored."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="ignore", allow_inf_nan=False
    )


class PartialOutput(PartialModel):
    """An output file of a report."""

    path: str
    sha256: str


class PartialInput(PartialModel):
    """An input file."""

    classifier: str | None


class PartialSpecText(PartialModel):
    """The text of the spec."""

    text: str


class PartialManifest(PartialModel):
    """The inputs and outputs of a report."""

    title: str
    spec: PartialSpecText
    inputs: tuple[PartialInput, ...]
    outputs: tuple[PartialOutput, ...]


class PartialValue(MainMeasureValue):
    """A value of a measure."""

    class_: str | None = Field(alias="class")
    average: str | None
    fold: str | None
    measure: str


class PartialGate(PartialModel):
    """A gate and its verdict."""

    classifier: str
    measure: str
    class_: str | None = Field(default=None, alias="class")
    average: str | None = None
    level: str = "error"
    passed: bool
    tested: bool = True
    reason: str


class PartialTask(PartialModel):
    """The prediction task."""

    kind: str


class PartialPrimaryMeasure(PartialModel):
    """The primary measure."""

    measure: str
    average: str | None = None


class PartialResults(PartialModel):
    """The results of a report."""

    task: PartialTask
    primary_measure: tuple[PartialPrimaryMeasure, ...] = ()
    values: tuple[PartialValue, ...]
    gates: tuple[PartialGate, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportDir:
    """A report in its output folder; `files` are the SHA-256 hashes of its files."""

    name: str
    folder: Path
    manifest_sha256: str
    title: str
    files: Mapping[str, str]
    classifiers: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    main_measure: MainMeasure | None = None
    gates: GateCounts = field(default_factory=GateCounts)
    gates_passed: bool = True


def find_report_dirs(runs_folder: Path) -> Iterator[Path]:
    """Yield the report folders in an output folder, sorted by name."""
    for folder in sorted(runs_folder.iterdir()):
        if not folder.name.startswith(".") and (folder / MANIFEST_FILE).is_file():
            yield folder


def read_report_dir(folder: Path) -> ReportDir:
    """Read a report; raise OutputError if it is corrupt."""
    try:
        return _read_manifest_and_results(folder)
    except OSError as error:
        raise corrupt_report_error(
            folder, f"the report cannot be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise corrupt_report_error(folder, "manifest.json or results.json is invalid") from error


def read_verified(path: Path, digest: str) -> bytes:
    """Return the content of a file; raise OutputError if its hash is not that of the manifest."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise corrupt_report_error(path, f"the file cannot be read: {error.strerror}") from error
    if sha256(content).hexdigest() != digest:
        raise corrupt_report_error(path, "the file differs from its hash in the manifest")
    return content


def corrupt_report_error(path: Path, message: str) -> OutputError:
    """Return the error of a corrupt report."""
    help_line = "build the report again; its published version is unchanged"
    return OutputError(Diagnostic(REPORT_CORRUPT, message, Location(path), help_line))


def _read_manifest_and_results(folder: Path) -> ReportDir:
    manifest_bytes = (folder / MANIFEST_FILE).read_bytes()
    manifest = PartialManifest.model_validate_json(manifest_bytes)
    files = {output.path: output.sha256 for output in manifest.outputs}
    if not all(map(is_safe_path, files)):
        raise corrupt_report_error(folder, "its manifest lists files outside the folder")
    digest = sha256(manifest_bytes).hexdigest()
    report_dir = ReportDir(
        name=folder.name,
        folder=folder,
        manifest_sha256=digest,
        title=_printable(manifest.title) or _printable(folder.name),
        files={**files, MANIFEST_FILE: digest},
        classifiers=_unique(row.classifier for row in manifest.inputs if row.classifier),
    )
    if RESULTS_FILE not in files:
        return report_dir
    content = read_verified(folder / RESULTS_FILE, files[RESULTS_FILE])
    return _with_results(report_dir, PartialResults.model_validate_json(content))


def _with_results(report_dir: ReportDir, results: PartialResults) -> ReportDir:
    scores, gates = results.values, tuple(map(_gate_record, results.gates))
    return replace(
        report_dir,
        classifiers=_unique(row.classifier for row in scores) or report_dir.classifiers,
        measures=_unique(row.measure for row in scores),
        main_measure=_find_main_measure(scores, results.primary_measure),
        gates=GateCounts.from_gates(gates),
        gates_passed=not any(gate.has_failed for gate in gates),
    )


def _gate_record(gate: PartialGate) -> GateRecord:
    return GateRecord(**gate.model_dump(), observed=None, criterion=None)


def _printable(text: str) -> str:
    """Return text in one line, without characters that pages and feeds cannot contain."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _find_main_measure(
    rows: tuple[PartialValue, ...], primary: tuple[PartialPrimaryMeasure, ...]
) -> MainMeasure | None:
    """Return the primary measure of the report, else the first measure with a better direction."""
    pooled = [row for row in rows if row.class_ is None and row.fold is None]
    directed = [row for row in pooled if row.average is None and _has_orientation(row.measure)]
    reported = {(row.measure, row.average) for row in pooled}
    candidates = [(measure.measure, measure.average) for measure in primary]
    candidates += [(row.measure, None) for row in directed]
    key = next((key for key in candidates if key in reported), None)
    if key is None:
        return None
    fields = set(MainMeasureValue.model_fields)
    values = (row.model_dump(include=fields) for row in pooled if (row.measure, row.average) == key)
    return MainMeasure(measure=key[0], values=tuple(map(MainMeasureValue.model_validate, values)))


def _has_orientation(name: str) -> bool:
    measure = find_measure(name)
    return measure is not None and measure.orientation is not Orientation.NEITHER
