"""Report folders written by `reportgen build`: reading and integrity checks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from reportgen.errors import Diagnostic, Location, OutputError
from reportgen.errors.jobs import REPORT_CORRUPT
from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.export.manifest import MANIFEST_FILE
from reportgen.formats import RESULTS_FILE
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.publishing.index import (
    GateCounts,
    GatedValue,
    MainMeasure,
    MainMeasureValue,
    SiteAbout,
    is_safe_path,
)
from reportgen.measures import Orientation, find_measure
from reportgen.output.atomic import read_regular_file
from reportgen.render.number_format import format_measure_value
from reportgen.spec.load import display_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reportgen.evaluation.values import ValueKey


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
    segment: str | None = None

    @property
    def value_key(self) -> ValueKey:
        """The key of the value in the history."""
        return self.classifier, self.class_, self.average, self.measure


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
    kind: str = ""
    bound: str | None = None
    against: str | None = None
    observed: float | None = None
    criterion: float | None = None


class PartialMonitoring(PartialModel):
    """The evidence of a monitored quantity after a run."""

    classifier: str
    measure: str
    kind: str
    target: float
    run: str | None
    alarm: bool
    since: datetime | None = None


class PartialAbout(PartialModel):
    """What the report is about; lists are separated by semicolons."""

    description: str | None = None
    authors: str | None = None
    date: str | None = None
    version: str | None = None
    data: str | None = None
    tags: str | None = None


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
    monitoring: tuple[PartialMonitoring, ...] = ()
    about: tuple[PartialAbout, ...] = ()


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
    gated: tuple[GatedValue, ...] = ()
    alarms: tuple[str, ...] = ()
    about: SiteAbout = field(default_factory=SiteAbout)


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
        content = read_regular_file(path)
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
    manifest_bytes = read_regular_file(folder / MANIFEST_FILE)
    manifest = PartialManifest.model_validate_json(manifest_bytes)
    files = {output.path: output.sha256 for output in manifest.outputs}
    if not all(map(is_safe_path, files)):
        raise corrupt_report_error(folder, "its manifest lists files outside the folder")
    digest = sha256(manifest_bytes).hexdigest()
    report_dir = ReportDir(
        name=display_text(folder.name),
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
    # The values of segments are those of the same classifiers on some of the cases.
    scores = tuple(row for row in results.values if row.segment is None)
    gates = tuple(map(_gate_record, results.gates))
    return replace(
        report_dir,
        classifiers=_unique(row.classifier for row in scores) or report_dir.classifiers,
        measures=_unique(row.measure for row in scores),
        main_measure=_find_main_measure(scores, results.primary_measure),
        gates=GateCounts.from_gates(gates),
        gated=gated_values(gates, {row.value_key: row for row in scores if row.fold is None}),
        alarms=tuple(_alarm_sentences(results.monitoring)),
        about=_site_about(results.about[0]) if results.about else SiteAbout(),
    )


def _gate_record(gate: PartialGate) -> GateRecord:
    return GateRecord(**gate.model_dump())


def gated_values(
    gates: Sequence[GateRecord], values: Mapping[ValueKey, MainMeasureValue]
) -> tuple[GatedValue, ...]:
    """Return the values that gates are about: unmet gates first, then those with a limit."""
    rows = [_gated_value(gate, values.get(gate.value_key)) for gate in gates]
    return tuple(sorted(rows, key=lambda row: (_SEVERITY.index(row.verdict), row.limit is None)))


_SEVERITY = (GateVerdict.FAILED, GateVerdict.WARNING, GateVerdict.PASSED, GateVerdict.UNTESTED)
_LIMIT_KINDS = frozenset({"at_least", "at_most"})
_GATE_FIELDS = ("measure", "class_", "average", "verdict", "kind", "bound", "against")


def _gated_value(gate: GateRecord, value: MainMeasureValue | None) -> GatedValue:
    has_limit = gate.kind in _LIMIT_KINDS
    if value is None:
        # Without results.json the history has what was compared with the limit.
        observed = gate.observed if has_limit and gate.bound == "value" else None
        value = MainMeasureValue(
            classifier=gate.classifier,
            value=observed,
            state="undefined" if observed is None else "defined",
        )
    fields = {name: getattr(gate, name) for name in _GATE_FIELDS}
    return GatedValue.model_validate(
        {
            **value.model_dump(include=set(MainMeasureValue.model_fields)),
            **fields,
            "limit": gate.criterion if has_limit else None,
        }
    )


def _alarm_sentences(rows: tuple[PartialMonitoring, ...]) -> Iterator[str]:
    """Yield a sentence for every monitored quantity with an alarm in or before this run."""
    for row in rows:
        if row.run is not None or not row.alarm:
            continue
        measure = find_measure(row.measure)
        title = measure.title if measure else row.measure
        target = MeasureValue(row.target, ValueState.DEFINED)
        number = format_measure_value(target, measure) if measure else f"{row.target:g}"
        change = {
            "reference": f"has changed from {number} in the reference runs",
            "at_least": f"is below the limit of {number}",
            "at_most": f"is above the limit of {number}",
        }.get(row.kind, f"has changed from {number}")
        since = f", most likely since {row.since:%Y-%m-%d}" if row.since else ""
        yield f"{row.classifier}: {title} {change}{since}."


def _site_about(about: PartialAbout) -> SiteAbout:
    lists = {"owners": about.authors, "tags": about.tags}
    return SiteAbout.model_validate(
        {
            **about.model_dump(),
            **{name: text.split("; ") if text else () for name, text in lists.items()},
        }
    )


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
    result_keys = {(row.measure, row.average) for row in pooled}
    candidates = [(measure.measure, measure.average) for measure in primary]
    candidates += [(row.measure, None) for row in directed]
    key = next((key for key in candidates if key in result_keys), None)
    if key is None:
        return None
    fields = set(MainMeasureValue.model_fields)
    values = (row.model_dump(include=fields) for row in pooled if (row.measure, row.average) == key)
    return MainMeasure(
        measure=key[0],
        average=key[1],
        values=tuple(map(MainMeasureValue.model_validate, values)),
    )


def _has_orientation(name: str) -> bool:
    measure = find_measure(name)
    return measure is not None and measure.orientation is not Orientation.NEITHER
