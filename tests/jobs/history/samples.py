"""Runs as they are kept, made up for tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.jobs.history.record import (
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ValueRecord,
    new_run_id,
)

FIRST = datetime(2026, 3, 1, 2, 30, tzinfo=UTC)
SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
ACCURACY = MeasureValue(0.9, ValueState.DEFINED, None, 0.85, 0.94, "Wilson")

WORSE = GateRecord(
    classifier="NB",
    measure="accuracy",
    class_=None,
    average=None,
    level="error",
    passed=False,
    observed=-0.2,
    criterion=-0.05,
    reason="not shown to be non-inferior: the observed value is worse by the margin or more",
    kind="not_worse_than_last",
    against="20260228T023000-00000000",
)


def sample(  # noqa: PLR0913  # each says what a test is about
    number: int = 0,
    *,
    name: str = "churn",
    state: RunState = RunState.COMPLETED,
    manifest: str = "",
    published: bool = False,
    accuracy: MeasureValue = ACCURACY,
    data: str = "data-1",
) -> RunRecord:
    """Return a run: each number is a day later than the one before."""
    started = FIRST + timedelta(days=number)
    return RunRecord(
        id=new_run_id(started),
        name=name,
        spec="specs/churn.toml",
        output="/srv/reports/churn",
        title="Who leaves — and who stays",
        version="1.2.0",
        started=started,
        ended=started + timedelta(seconds=4.25),
        state=state,
        exit_code=0,
        data_fingerprint=data,
        manifest_sha256=manifest,
        published=published,
        classes=("stays", "leaves"),
        positive="leaves",
        findings=("NB finds 9 of 10 who leave.",),
        warnings=("2 cases were left out",),
        errors=("E400 PDF needs the Pango library",),
        inputs=(InputRecord("NB", "nb.csv", SHA, 100), InputRecord(None, "truth.csv", SHA, None)),
        values=scores(accuracy),
        confusion={"NB": ((45, 5), (5, 45)), "SVM": ((50, 0), (10, 40))},
        weights={"SVM": 0.1},
        gates=gates(),
    )


def gates() -> tuple[GateRecord, ...]:
    """Return a gate that was passed and one that could not be computed."""
    passed = GateRecord(
        classifier="NB",
        measure="accuracy",
        class_=None,
        average="macro",
        level="error",
        passed=True,
        observed=0.85,
        criterion=0.8,
        reason="0.85 is at least 0.8",
        kind="at_least",
        bound="low",
    )
    failed = GateRecord(
        classifier="SVM",
        measure="recall",
        class_="leaves",
        average=None,
        level="warning",
        passed=False,
        observed=None,
        criterion=None,
        reason="it is undefined",
        kind="not_worse_than",
        against="NB",
    )
    return passed, failed


def scores(accuracy: MeasureValue) -> tuple[ValueRecord, ...]:
    """Return scores of every kind: defined, infinite, undefined; of a class and of a fold."""
    undefined = MeasureValue(None, ValueState.UNDEFINED, "no case was predicted as leaves")
    infinite = MeasureValue(None, ValueState.INFINITE, "fp is 0", 3.5, None, "log delta")
    return (
        ValueRecord("NB", None, None, None, "accuracy", accuracy),
        ValueRecord("NB", None, None, "1", "accuracy", MeasureValue(0.88, ValueState.DEFINED)),
        ValueRecord("NB", None, "macro", None, "f1", MeasureValue(0.1 + 0.2, ValueState.DEFINED)),
        ValueRecord("SVM", "leaves", None, None, "precision", undefined),
        ValueRecord("SVM", "leaves", None, None, "lr_positive", infinite),
        ValueRecord("SVM", None, None, None, "accuracy", MeasureValue(0.9, ValueState.DEFINED)),
    )


def head(run: RunRecord) -> RunRecord:
    """Return what a list of runs tells of one."""
    return replace(run, inputs=(), values=(), confusion={}, weights={})
