"""What the history remembers of a run."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.comparisons.gates.values import mean_over_folds
from reportgen.comparisons.over_time.fingerprint import data_fingerprint
from reportgen.jobs.history.record import (
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ScoreRecord,
)
from reportgen.measures import known_measure
from reportgen.rendering.formats import DOCUMENTS
from reportgen.rendering.results.manifest import MANIFEST
from reportgen.scores import Score, State
from reportgen.spec.unchecked import unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reportgen.errors import ExitCode, Fault
    from reportgen.jobs.running.job import Job, Outcome
    from reportgen.pipeline import Made
    from reportgen.report.evaluation import Evaluation

MOST_FINDINGS = 5


def record_of(job: Job, made: Made, started: datetime, exit_code: ExitCode) -> RunRecord:
    """Return everything that is remembered of a report that is about to be written."""
    evaluation = made.evaluation
    predictions = evaluation.predictions
    return RunRecord(
        id=job.run,
        name=job.kept_as(evaluation.spec.history.name),
        spec=str(job.spec),
        output=str(made.folder.absolute()),
        title=evaluation.spec.title,
        version=__version__,
        started=started,
        ended=datetime.now(UTC),
        state=RunState.BEGUN,
        exit_code=exit_code,
        data=data_fingerprint(evaluation.spec_file, predictions.inputs),
        manifest=sha256(made.files[MANIFEST]).hexdigest(),
        classes=predictions.classes,
        positive=evaluation.spec.task.positive,
        level=evaluation.spec.intervals.level,
        findings=tuple(_findings(evaluation)),
        warnings=made.warnings,
        faults=_told(made.faults),
        inputs=tuple(
            InputRecord(file.classifier, file.path, file.sha256 or "", file.rows)
            for file in predictions.inputs
        ),
        scores=tuple(_scores(evaluation)),
        confusion=_matrices(evaluation),
        weights={name: predictions.weight_of(name) for name in evaluation.measured},
        gates=gate_records(evaluation),
    )


def gate_records(evaluation: Evaluation) -> tuple[GateRecord, ...]:
    """Return the gates as they are remembered and told."""
    return tuple(
        GateRecord(**{each.name: getattr(gate, each.name) for each in fields(GateRecord)})
        for gate in evaluation.gates
    )


def _findings(evaluation: Evaluation) -> Iterator[str]:
    """Yield the first sentences of the summary, where a document was made of them."""
    if DOCUMENTS.isdisjoint(evaluation.spec.output.formats):
        return
    from reportgen.rendering.texts import sentence_text
    from reportgen.report.document import Bullets
    from reportgen.report.sections.answer.summary import summary

    items = (
        item for block in summary(evaluation) if isinstance(block, Bullets) for item in block.items
    )
    for item, _ in zip(items, range(MOST_FINDINGS), strict=False):
        yield sentence_text(item.parts)


def _scores(evaluation: Evaluation) -> Iterator[ScoreRecord]:
    for row in evaluation.scores.frame.iter_rows(named=True):
        score = Score(
            row["value"],
            State(row["state"]),
            row["reason"],
            row["low"],
            row["high"],
            row["interval"],
        )
        yield ScoreRecord(
            row["classifier"], row["class"], row["average"], row["fold"], row["measure"], score
        )
    for each in evaluation.spec.classifiers:
        # Of whom only scores per fold are known, the mean of these is what later runs compare with.
        for name in each.fold_scores or ():
            measure = known_measure(name).name
            mean = mean_over_folds(evaluation.folds, each.name, measure)
            if mean is not None:
                yield ScoreRecord(each.name, None, None, None, measure, mean)


def _matrices(evaluation: Evaluation) -> dict[str, tuple[tuple[int, ...], ...]]:
    tally = evaluation.predictions.confusion
    if tally is None:
        return {}
    return {name: tally.matrix(name) for name in evaluation.measured}


def failure_of(job: Job, outcome: Outcome, started: datetime, ended: datetime) -> RunRecord:
    """Return what is remembered of a run that came to no report."""
    return RunRecord(
        id=job.run,
        name=job.kept_as(_name_in(job.spec)),
        spec=str(job.spec),
        output=str(job.folder.absolute()),
        title=outcome.title or title_in(job.spec),
        version=__version__,
        started=started,
        ended=ended,
        state=RunState.FAILED,
        exit_code=outcome.exit_code,
        faults=_told(outcome.faults),
    )


def _told(faults: Sequence[Fault]) -> tuple[str, ...]:
    return tuple(f"{fault.kind.code}: {fault.message}" for fault in faults)


def title_in(spec: Path) -> str:
    """Return the title that a spec has, also one that cannot be built."""
    title = unchecked(spec, "title")
    return title.strip() if isinstance(title, str) else ""


def _name_in(spec: Path) -> str | None:
    table = unchecked(spec, "history")
    name = table.get("name") if isinstance(table, dict) else None
    return name if isinstance(name, str) and name.strip() else None
