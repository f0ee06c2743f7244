"""Run records: the metadata, inputs, gates and values that the history stores for a run."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.evaluation.gate_outcome import GateVerdict, gate_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.values import MeasureValue, ValueKey

NOT_WORSE_THAN_LAST = "not_worse_than_last"
# The clocks of machines that share a history differ by less.
CLOCK_TOLERANCE = timedelta(hours=1)
ConfusionCounts = tuple[tuple[int, ...], ...]


class RunState(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class InputRecord:
    """An input file of a run: its classifier and its content hash."""

    classifier: str | None
    path: str
    sha256: str
    rows: int | None


@dataclass(frozen=True, slots=True)
class GateRecord:
    """A gate and its verdict; `observed` is None if the value could not be computed."""

    classifier: str
    measure: str
    class_: str | None
    average: str | None
    level: str
    passed: bool
    observed: float | None
    criterion: float | None
    reason: str
    kind: str = ""
    """The criterion, such as at_least; empty if unknown."""
    bound: str | None = None
    """The limit of the interval that is compared with the criterion; None: the value."""
    against: str | None = None
    """The baseline: another classifier or an earlier run."""
    tested: bool = True
    """Whether the gate could be evaluated."""

    @property
    def value_key(self) -> ValueKey:
        """The key of the value that the gate checks."""
        return self.classifier, self.class_, self.average, self.measure

    @property
    def is_worse_than_last(self) -> bool:
        """Whether the gate failed because its value is worse than that of an earlier run."""
        return self.kind == NOT_WORSE_THAN_LAST and self.tested and not self.passed

    @property
    def verdict(self) -> GateVerdict:
        """The verdict of the gate."""
        return gate_verdict(self)

    @property
    def has_failed(self) -> bool:
        """Whether the gate makes its run end with exit code 1."""
        return self.verdict is GateVerdict.FAILED

    @property
    def description(self) -> str:
        """The subject of the gate and the reason for its verdict."""
        # They load NumPy, which a command that lists or starts runs does not need.
        from reportgen.measures import find_measure
        from reportgen.report.phrases.words import measure_phrase

        measure = find_measure(self.measure)
        title = self.measure if measure is None else measure_phrase(measure)
        average = f"{self.average}-averaged " if self.average else ""
        class_text = f" of {self.class_}" if self.class_ is not None else ""
        return f"{self.classifier}, {average}{title}{class_text}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ValueRecord:
    """A value of a measure: per class, averaged or overall, for one fold or all folds."""

    classifier: str
    class_: str | None
    average: str | None
    fold: str | None
    measure: str
    value: MeasureValue


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run of a spec: its metadata, inputs, values and gates.

    `name` identifies the spec in the history, `data_fingerprint` the data; `manifest_sha256` is the
    hash of manifest.json, `level` the confidence level; `findings` are sentences of the summary,
    `warnings` and `errors` are single lines.
    """

    id: str
    name: str
    spec: str
    output: str
    title: str = ""
    version: str
    started: datetime
    ended: datetime
    state: RunState
    exit_code: int
    data_fingerprint: str = ""
    manifest_sha256: str = ""
    published: bool = False
    level: float | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None
    findings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    inputs: tuple[InputRecord, ...] = ()
    values: tuple[ValueRecord, ...] = ()
    confusion: Mapping[str, ConfusionCounts] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    """The number of distinct cases per count of a confusion matrix; missing if unknown."""
    gates: tuple[GateRecord, ...] = ()
    is_final: bool | None = None
    """Whether it was the last attempt, after which notifications are sent; None if unknown."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A measure value of one run in a series of runs, with the run's metadata."""

    run: RunRecord
    record: ValueRecord


def new_run_id(moment: datetime | None = None) -> str:
    """Return a unique run id that sorts by time; `moment` is in UTC, by default now."""
    # As `secrets.token_hex`, whose module imports OpenSSL: 5 ms of every command.
    return f"{moment or datetime.now(UTC):%Y%m%dT%H%M%S}-{os.urandom(8).hex()}"
