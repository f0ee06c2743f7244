"""On what occasion somebody is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.history.record import GateRecord, RunRecord, RunState
from reportgen.jobs.notifications.dispatch import find_triggers

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def gate(value: float, *, passed: bool, measure: str = "f1", level: str = "error") -> GateRecord:
    """Return a gate of a run."""
    return GateRecord(
        classifier="A",
        measure=measure,
        class_=None,
        average=None,
        level=level,
        passed=passed,
        observed=value,
        criterion=0.8,
        reason=f"{value} was found",
    )


PASSED, FAILED, STILL = gate(0.9, passed=True), gate(0.7, passed=False), gate(0.6, passed=False)
WARNED = gate(0.1, passed=False, measure="mcc", level="warning")


def run(*gates: GateRecord, state: RunState = RunState.COMPLETED, exit_code: int = 0) -> RunRecord:
    """Return an earlier run."""
    return RunRecord(
        id="20261116T120000-00000000",
        name="spec",
        spec="spec.toml",
        output="/reports/spec",
        version="1",
        started=NOON,
        ended=NOON,
        state=state,
        exit_code=exit_code,
        gates=gates,
    )


FAILURE = run(state=RunState.FAILED, exit_code=3)
DONE, GATE, DATA = ExitCode.SUCCESS, ExitCode.GATE_FAILED, ExitCode.DATA


@pytest.mark.parametrize(
    ("code", "gates", "before", "expected"),
    [
        pytest.param(DONE, (), None, set(), id="the first run, and all is well"),
        pytest.param(DONE, (PASSED,), run(PASSED), set(), id="as well as before"),
        pytest.param(GATE, (FAILED,), None, {"gate_change"}, id="the first run fails a gate"),
        pytest.param(GATE, (FAILED,), run(PASSED), {"gate_change"}, id="a gate closes"),
        pytest.param(GATE, (STILL,), run(FAILED, exit_code=1), set(), id="it stays closed"),
        pytest.param(DONE, (WARNED,), run(), {"gate_change"}, id="a warning is a change, too"),
        pytest.param(
            DONE, (PASSED,), run(FAILED, exit_code=1), {"gate_change", "recovery"}, id="it opens"
        ),
        pytest.param(DATA, (), run(PASSED), {"failure"}, id="the data are gone"),
        pytest.param(DATA, (), FAILURE, {"failure"}, id="and stay gone"),
        pytest.param(DONE, (PASSED,), FAILURE, {"recovery"}, id="they are back"),
        pytest.param(
            GATE, (FAILED,), FAILURE, {"gate_change"}, id="they are back, but all is not well"
        ),
        pytest.param(
            DONE, (), run(state=RunState.INTERRUPTED), {"recovery"}, id="the last was broken off"
        ),
    ],
)
def test_triggers_depend_on_the_run_before(
    code: ExitCode, gates: tuple[GateRecord, ...], before: RunRecord | None, expected: set[str]
) -> None:
    """Whoever asks for every run is told of each."""
    assert find_triggers(code, gates, before) == {"every_run", *expected}


def test_a_gate_is_described_by_the_title_of_its_measure() -> None:
    """A name such as youden is for specs; a measure that this process does not know has no more."""
    youden = replace(gate(0.71, passed=True, measure="youden"), class_="leaves")

    assert youden.description == "A, Youden's J of leaves: 0.71 was found"
    averaged = replace(youden, measure="recall", class_=None, average="macro")
    assert averaged.description == "A, macro-averaged sensitivity: 0.71 was found"
    assert replace(youden, measure="own_measure").description.startswith("A, own_measure of")
