"""Reports as `reportgen build` left them: read, and checked for being whole."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from reportgen.errors import Diagnostic, Location, OutputError
from reportgen.errors.jobs import REPORT_CORRUPT
from reportgen.export.manifest import MANIFEST_FILE
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.publishing.index import GateCounts, MainMeasure, MainMeasureValue, is_safe_path
from reportgen.measures import Orientation, find_measure
from reportgen.report.findings.comparisons import DEFAULT_PRIMARY_MEASURE
from reportgen.spec.output import RESULTS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


# As much of manifest.json and results.json as a site needs, from any version of reportgen.


class PartialModel(BaseModel):
    """A part of a file; whatever else is there is not needed."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")


class PartialOutput(PartialModel):
    """A file of a report."""

    path: str
    sha256: str


class PartialInput(PartialModel):
    """A file that was read."""

    classifier: str | None


class PartialSpecText(PartialModel):
    """The spec as it was."""

    text: str


class PartialManifest(PartialModel):
    """From what, and into what, a report was made."""

    title: str
    spec: PartialSpecText
    inputs: tuple[PartialInput, ...]
    outputs: tuple[PartialOutput, ...]


class PartialValue(MainMeasureValue):
    """One value of one measure."""

    class_: str | None = Field(alias="class")
    average: str | None
    fold: str | None
    measure: str


class PartialGate(PartialModel):
    """A condition and whether it was met."""

    classifier: str
    measure: str
    class_: str | None = Field(default=None, alias="class")
    average: str | None = None
    level: str = "error"
    passed: bool
    tested: bool = True
    reason: str


class PartialTask(PartialModel):
    """What was to be predicted."""

    kind: str


class PartialResults(PartialModel):
    """What was found."""

    task: PartialTask
    values: tuple[PartialValue, ...]
    gates: tuple[PartialGate, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportDir:
    """A report in its output folder; `files` are the hashes of what it consists of."""

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
    """Yield the folders that have a report, by name."""
    for folder in sorted(runs_folder.iterdir()):
        if not folder.name.startswith(".") and (folder / MANIFEST_FILE).is_file():
            yield folder


def read_report_dir(folder: Path) -> ReportDir:
    """Read a report, or raise that it is not as it was when it was built."""
    try:
        return _read_manifest_and_results(folder)
    except OSError as error:
        raise corrupt_report_error(
            folder, f"the report cannot be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise corrupt_report_error(
            folder, "its manifest or its results cannot be understood"
        ) from error


def read_verified(path: Path, digest: str) -> bytes:
    """Return what a file has, or raise that it is not what the manifest says."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise corrupt_report_error(path, f"the file cannot be read: {error.strerror}") from error
    if sha256(content).hexdigest() != digest:
        raise corrupt_report_error(path, "the file is not the one that was built")
    return content


def corrupt_report_error(path: Path, message: str) -> OutputError:
    """Return the error of a report that is not whole."""
    way_out = "build the report again; what is published of it stays as it is"
    return OutputError(Diagnostic(REPORT_CORRUPT, message, Location(path), way_out))


def _read_manifest_and_results(folder: Path) -> ReportDir:
    written = (folder / MANIFEST_FILE).read_bytes()
    manifest = PartialManifest.model_validate_json(written)
    files = {output.path: output.sha256 for output in manifest.outputs}
    if not all(map(is_safe_path, files)):
        raise corrupt_report_error(folder, "its manifest names files outside of it")
    digest = sha256(written).hexdigest()
    found = ReportDir(
        name=folder.name,
        folder=folder,
        manifest_sha256=digest,
        title=manifest.title.strip() or folder.name,
        files={**files, MANIFEST_FILE: digest},
        classifiers=_unique(row.classifier for row in manifest.inputs if row.classifier),
    )
    if RESULTS_FILE not in files:
        return found
    content = read_verified(folder / RESULTS_FILE, files[RESULTS_FILE])
    return _with_results(found, PartialResults.model_validate_json(content), manifest.spec.text)


def _with_results(report_dir: ReportDir, results: PartialResults, spec: str) -> ReportDir:
    scores, gates = results.values, tuple(map(_gate_record, results.gates))
    return replace(
        report_dir,
        classifiers=_unique(row.classifier for row in scores) or report_dir.classifiers,
        measures=_unique(row.measure for row in scores),
        main_measure=_find_main_measure(scores, results.task.kind, spec),
        gates=GateCounts.from_gates(gates),
        gates_passed=not any(gate.has_failed for gate in gates),
    )


def _gate_record(gate: PartialGate) -> GateRecord:
    return GateRecord(**gate.model_dump(), observed=None, criterion=None)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _find_main_measure(rows: tuple[PartialValue, ...], kind: str, spec: str) -> MainMeasure | None:
    """Find the main measure as the report does: the declared one, else accuracy or RMSE."""
    whole = [row for row in rows if row.class_ is None is row.average and row.fold is None]
    directed = [name for name in _unique(row.measure for row in whole) if _has_orientation(name)]
    comparison = tomllib.loads(spec).get("comparison")
    primary = comparison.get("primary") if isinstance(comparison, dict) else None
    declared = find_measure(str(primary or DEFAULT_PRIMARY_MEASURE[kind]))
    usual = declared.name if declared else ""
    name = usual if usual in directed else next(iter(directed), None)
    if name is None:
        return None
    kept = MainMeasureValue.model_fields.keys()
    values = (row.model_dump(include=set(kept)) for row in whole if row.measure == name)
    return MainMeasure(measure=name, values=tuple(map(MainMeasureValue.model_validate, values)))


def _has_orientation(name: str) -> bool:
    measure = find_measure(name)
    return measure is not None and measure.orientation is not Orientation.NEITHER
