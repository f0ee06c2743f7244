"""Reports as `reportgen build` left them: read, and checked for being whole."""

from __future__ import annotations

import tomllib
from dataclasses import field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import Fault, OutputError, Place
from reportgen.errors.job_faults import REPORT_NOT_WHOLE
from reportgen.frozen import frozen
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.publishing.addresses import is_plain_path
from reportgen.jobs.publishing.built_files import ManifestFile, ResultsFile
from reportgen.jobs.publishing.index import GateCount, Main, MainValue
from reportgen.measures import Orientation, find_measure
from reportgen.rendering.formats import RESULTS
from reportgen.rendering.results.manifest import MANIFEST
from reportgen.report.findings.main import MAIN_MEASURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from reportgen.jobs.publishing.built_files import GateRow, ScoreRow


@frozen
class Built:
    """A report in its output folder; `files` are the hashes of what it consists of."""

    name: str
    folder: Path
    manifest: str
    title: str
    files: Mapping[str, str]
    classifiers: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    main: Main | None = None
    gates: GateCount = field(default_factory=GateCount)
    passes: bool = True


def find_built(runs: Path) -> Iterator[Path]:
    """Yield the folders that have a report, by name."""
    for folder in sorted(runs.iterdir()):
        if not folder.name.startswith(".") and (folder / MANIFEST).is_file():
            yield folder


def read_built(folder: Path) -> Built:
    """Read a report, or raise that it is not as it was when it was built."""
    try:
        return _read(folder)
    except OSError as error:
        raise not_whole(folder, f"the report cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise not_whole(folder, "its manifest or its results cannot be understood") from error


def content_of(path: Path, digest: str) -> bytes:
    """Return what a file has, or raise that it is not what the manifest says."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise not_whole(path, f"the file cannot be read: {error.strerror}") from error
    if sha256(content).hexdigest() != digest:
        raise not_whole(path, "the file is not the one that was built")
    return content


def not_whole(path: Path, message: str) -> OutputError:
    """Return the error of a report that is not whole."""
    way_out = "build the report again; what is published of it stays as it is"
    return OutputError(Fault(REPORT_NOT_WHOLE, message, Place(path), way_out))


def _read(folder: Path) -> Built:
    written = (folder / MANIFEST).read_bytes()
    manifest = ManifestFile.model_validate_json(written)
    files = {output.path: output.sha256 for output in manifest.outputs}
    if not all(map(is_plain_path, files)):
        raise not_whole(folder, "its manifest names files outside of it")
    digest = sha256(written).hexdigest()
    found = Built(
        name=folder.name,
        folder=folder,
        manifest=digest,
        title=manifest.title.strip() or folder.name,
        files={**files, MANIFEST: digest},
        classifiers=_each_once(row.classifier for row in manifest.inputs if row.classifier),
    )
    if RESULTS not in files:
        return found
    content = content_of(folder / RESULTS, files[RESULTS])
    return _with_results(found, ResultsFile.model_validate_json(content), manifest.spec.text)


def _with_results(found: Built, results: ResultsFile, spec: str) -> Built:
    scores, gates = results.scores, tuple(map(_record, results.gates))
    return replace(
        found,
        classifiers=_each_once(row.classifier for row in scores) or found.classifiers,
        measures=_each_once(row.measure for row in scores),
        main=_main(scores, results.task.kind, spec),
        gates=GateCount.of(gates),
        passes=not any(gate.has_failed for gate in gates),
    )


def _record(gate: GateRow) -> GateRecord:
    return GateRecord(**gate.model_dump(), found=None, wanted=None)


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _main(scores: tuple[ScoreRow, ...], kind: str, spec: str) -> Main | None:
    """Find the main measure as the report does: the declared one, else accuracy or RMSE."""
    whole = [row for row in scores if row.class_ is None is row.average and row.fold is None]
    directed = [name for name in _each_once(row.measure for row in whole) if _is_directed(name)]
    comparison = tomllib.loads(spec).get("comparison")
    primary = comparison.get("primary") if isinstance(comparison, dict) else None
    declared = find_measure(str(primary or MAIN_MEASURE[kind]))
    usual = declared.name if declared else ""
    name = usual if usual in directed else next(iter(directed), None)
    if name is None:
        return None
    kept = MainValue.model_fields.keys()
    values = (row.model_dump(include=set(kept)) for row in whole if row.measure == name)
    return Main(measure=name, values=tuple(map(MainValue.model_validate, values)))


def _is_directed(name: str) -> bool:
    measure = find_measure(name)
    return measure is not None and measure.orientation is not Orientation.NEITHER
