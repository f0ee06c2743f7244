"""What is remembered of one run."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.evaluation.gate_outcome import GateVerdict, gate_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.previous_runs import ValueKey
    from reportgen.evaluation.values import MeasureValue

NOT_WORSE_THAN_LAST = "not_worse_than_last"
ConfusionCounts = tuple[tuple[int, ...], ...]


class RunState(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class InputRecord:
    """A file that was read: of which classifier, and what was in it."""

    classifier: str | None
    path: str
    sha256: str
    rows: int | None


@dataclass(frozen=True, slots=True)
class GateRecord:
    """A gate and whether it was passed; what could not be computed was not found."""

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
    """The condition, such as at_least; empty: it is not known any more."""
    bound: str | None = None
    """Which end of the interval had to clear it, or the value."""
    against: str | None = None
    """The other classifier, or the earlier run, that it must not be worse than."""
    tested: bool = True
    """Whether there was something to judge it by."""

    @property
    def value_key(self) -> ValueKey:
        """The value it is about."""
        return self.classifier, self.class_, self.average, self.measure

    @property
    def is_worse_than_last(self) -> bool:
        """Return whether its value is significantly worse than that of a previous run."""
        return self.kind == NOT_WORSE_THAN_LAST and self.tested and not self.passed

    @property
    def verdict(self) -> GateVerdict:
        """What became of it, in a word."""
        return gate_verdict(self)

    @property
    def has_failed(self) -> bool:
        """Return whether it ends its run with exit code 1."""
        return self.verdict is GateVerdict.FAILED

    @property
    def description(self) -> str:
        """Whose value of what it is about, and why it was met or not."""
        average = f"{self.average} " if self.average else ""
        of = f" of {self.class_}" if self.class_ is not None else ""
        return f"{self.classifier}, {average}{self.measure}{of}: {self.reason}"


def format_gate_counts(gates: Sequence[GateRecord]) -> str:
    """Return the numbers of gates by verdict as text; empty without gates."""
    return format_verdict_counts(Counter(gate.verdict for gate in gates))


def format_verdict_counts(counts: Mapping[GateVerdict, int]) -> str:
    """Return the same text from the number of gates per verdict."""
    many = sum(counts.values())
    failed, passed, warned, untested = (
        counts.get(verdict, 0)
        for verdict in (
            GateVerdict.FAILED,
            GateVerdict.PASSED,
            GateVerdict.WARNING,
            GateVerdict.UNTESTED,
        )
    )
    parts = (
        f"{failed} of {many} gates failed" if failed else "",
        f"{passed} of {many} gates passed" if many and not failed else "",
        f"{warned} with a warning" if warned else "",
        f"{untested} untested" if untested else "",
    )
    return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class ValueRecord:
    """One value of one measure: of a class, an average or the whole, in one fold or over all."""

    classifier: str
    class_: str | None
    average: str | None
    fold: str | None
    measure: str
    value: MeasureValue


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run of one spec: when, on what, and what was found.

    `name` is that under which the runs of a spec are kept, `data` a fingerprint of the data,
    `manifest` the SHA-256 of manifest.json, `level` that of the intervals; `findings` are sentences
    of the summary, `warnings` and `faults` have one line each.
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
    """How many different cases each count of a matrix stands for; missing: it is not known."""
    gates: tuple[GateRecord, ...] = ()
    is_final: bool | None = None
    """Whether it was not tried again, so that people were told; None: nobody has said."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One score of one of several runs, with the run as far as a list of runs tells it."""

    run: RunRecord
    record: ValueRecord


def new_run_id(moment: datetime | None = None) -> str:
    """Return an id that no other run has and that sorts by time; `moment` is in UTC, or now."""
    return f"{moment or datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(8)}"
