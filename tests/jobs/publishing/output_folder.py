"""Output folders as `reportgen build` leaves them, made up so that tests need not build."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.jobs.history.record import GateRecord, RunRecord, RunState, ValueRecord
from reportgen.jobs.history.store import open_history

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FIRST = datetime(2026, 11, 1, 6, tzinfo=UTC)
DAY = timedelta(days=1)
FINDING = "SVM is better than Naive Bayes."


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleReport:
    """A report: its title, the accuracies of its classifiers, and whether its gates passed."""

    title: str = "Churn"
    accuracies: Mapping[str, float] | None = None
    gates: Sequence[tuple[bool, str]] = ()
    untested: Sequence[str] = ()
    has_results: bool = True
    page: str | None = "<!DOCTYPE html><title>The report</title>"
    pdf: bytes | None = b"%PDF-1.7 made up"
    finding: str = FINDING
    gated: Sequence[Mapping[str, object]] = ()
    """Gates as in results.json; their values are those of `values`."""
    values: Sequence[Mapping[str, object]] = ()
    about: Mapping[str, str] | None = None
    alarms: Sequence[Mapping[str, object]] = ()

    @property
    def reached(self) -> Mapping[str, float]:
        """The accuracies by classifier."""
        return self.accuracies or {"SVM": 0.9, "Naive Bayes": 0.85}


def write_report(runs: Path, name: str, run: SampleReport = SampleReport()) -> str:  # noqa: B008  # frozen
    """Write a report into its folder and return the SHA-256 of its manifest."""
    folder = runs / name
    folder.mkdir(parents=True, exist_ok=True)
    files = {"results.json": json.dumps(_results(run)).encode()} if run.has_results else {}
    if run.page is not None:
        files["report.html"] = run.page.encode()
    if run.pdf is not None:
        files["report.pdf"] = run.pdf
    for file, content in files.items():
        (folder / file).write_bytes(content)
    manifest = {
        "schema": "reportgen/manifest/1",
        "title": run.title,
        "spec": {"path": f"{name}.toml", "sha256": "0" * 64, "text": 'title = "made up"\n'},
        "inputs": [],
        "outputs": [
            {"path": file, "sha256": sha256(content).hexdigest(), "bytes": len(content)}
            for file, content in sorted(files.items())
        ],
        "warnings": [],
    }
    manifest_bytes = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(manifest_bytes)
    return sha256(manifest_bytes).hexdigest()


def write_run(
    runs: Path, name: str, run: SampleReport, *, day: int, history: Path | None = None
) -> str:
    """Write a report and remember the run that made it, on the n-th day; return its id."""
    manifest = write_report(runs, name, run)
    record = replace(
        _begun(runs, name, day),
        title=run.title,
        exit_code=0 if all(passed for passed, _ in run.gates) else 1,
        data_fingerprint=f"data of day {day}",
        manifest_sha256=manifest,
        findings=(run.finding,),
        values=tuple(
            ValueRecord(
                classifier, None, None, None, "accuracy", MeasureValue(value, ValueState.DEFINED)
            )
            for classifier, value in run.reached.items()
        ),
        gates=tuple(
            GateRecord("SVM", "accuracy", None, None, "error", passed, None, 0.9, why)
            for passed, why in run.gates
        )
        + tuple(
            GateRecord("SVM", "accuracy", None, None, "error", True, None, 0.9, why, tested=False)  # noqa: FBT003
            for why in run.untested
        ),
    )
    _remember(history or runs / "history.sqlite", record, RunState.COMPLETED)
    return record.id


def remember_failure(
    runs: Path, name: str, *, day: int, fault: str, history: Path | None = None
) -> None:
    """Remember a run that came to no report."""
    record = replace(_begun(runs, name, day), exit_code=3, errors=(fault,))
    Path(record.spec).touch()
    _remember(history or runs / "history.sqlite", record, RunState.FAILED)


def _remember(where: Path, record: RunRecord, state: RunState) -> None:
    with open_history(str(where)) as history:
        history.begin(record)
        history.finish(record.id, state, exit_code=record.exit_code, ended=record.ended)


def _begun(runs: Path, name: str, day: int) -> RunRecord:
    started = FIRST + day * DAY
    unlike = sha256(f"{runs.name} {name} {day}".encode()).hexdigest()[:8]
    return RunRecord(
        id=f"{started:%Y%m%dT%H%M%S}-{unlike}",
        name=name,
        spec=str((runs.parent / f"{name}.toml").absolute()),
        output=str((runs / name).absolute()),
        version="0.1.0",
        started=started,
        ended=started + timedelta(seconds=30),
        state=RunState.RUNNING,
        exit_code=0,
    )


def _results(run: SampleReport) -> dict[str, object]:
    return {
        "schema": "reportgen/results/1",
        "title": run.title,
        "task": {"kind": "binary", "classes": ["yes", "no"], "positive": "yes"},
        "values": [
            {
                "classifier": classifier,
                "class": None,
                "average": None,
                "fold": None,
                "measure": "accuracy",
                "value": value,
                "state": "defined",
                "reason": None,
                "low": max(0.0, value - 0.03),
                "high": min(1.0, value + 0.03),
                "method": "wilson",
            }
            for classifier, value in run.reached.items()
        ]
        + [dict(row) for row in run.values],
        "about": [run.about] if run.about else [],
        "monitoring": list(run.alarms),
        "gates": [dict(gate) for gate in run.gated]
        + [
            {
                "classifier": "SVM",
                "measure": "accuracy",
                "passed": passed,
                "tested": tested,
                "level": "error",
                "observed": 0.9,
                "criterion": 0.9,
                "reason": why,
            }
            for passed, tested, why in (
                *((passed, True, why) for passed, why in run.gates),
                *((True, False, why) for why in run.untested),
            )
        ],
    }
