"""Gates against earlier runs: nothing known of them is no permission."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from statsmodels.stats.proportion import proportion_confint

from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.evaluation.previous_runs import RunHistory, data_fingerprint
from reportgen.evaluation.values import MeasureValue, ValueState
from tests.evaluation.evaluated_gates import TWO_SIDED, evaluate_gate, evaluated, measure_value, run

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.previous_runs import PreviousRun

KEY = ("A", None, None, "sensitivity")
THEN = measure_value(48 / 80, *proportion_confint(48, 80, method="wilson"))
BETTER = measure_value(0.95, 0.9, 0.98)
PUBLISHED = 'measure = "sensitivity"\nnot_worse_than_last = "published"\nmargin = 0.01'
LAST = 'measure = "sensitivity"\nnot_worse_than_last = "run"\nmargin = 0.01'


def test_runs_are_compared_as_independent_samples(tmp_path: Path) -> None:
    """56/70 now, 48/80 then: 0.0524 to 0.3339, example (a) of Newcombe 1998, method 10."""
    outcome = evaluate_gate(
        tmp_path, PUBLISHED, more=TWO_SIDED, history=RunHistory((run({KEY: THEN}),))
    )

    assert outcome.passed
    assert outcome.low == pytest.approx(0.0524, abs=5e-5)
    assert outcome.high == pytest.approx(0.3339, abs=5e-5)
    assert outcome.against == "run-1"
    assert outcome.reason.endswith("compared with the run of 2026-03-01 00:00 UTC")


@pytest.mark.parametrize(("margin", "passed"), [(0.34, True), (0.33, False)])
def test_a_fall_passes_if_it_is_shown_to_be_smaller_than_the_margin(
    tmp_path: Path, margin: float, passed: object
) -> None:
    """48/80 now, 56/70 then: worse by at most 0.3339."""
    then = measure_value(56 / 70, *proportion_confint(56, 70, method="wilson"))
    gate = f'measure = "sensitivity"\nnot_worse_than_last = "published"\nmargin = {margin}'
    past = RunHistory((run({("B", None, None, "sensitivity"): then}),))
    outcome = evaluate_gate(tmp_path, gate, more=TWO_SIDED, history=past, classifier="B")

    assert outcome.passed is passed
    assert outcome.observed == pytest.approx(-0.3339, abs=5e-5)


def test_an_unreadable_history_fails_the_gate(tmp_path: Path) -> None:
    """Otherwise a broken disk would let everything pass."""
    outcome = evaluate_gate(tmp_path, PUBLISHED, history=RunHistory(is_readable=False))

    assert not outcome.passed
    assert "no history was read, or it could not be" in outcome.reason


def test_without_an_earlier_run_it_passes_with_a_warning(tmp_path: Path) -> None:
    """Somebody has to be first; the report says that nothing was tested."""
    text = f'[[gates]]\nclassifier = "A"\n{PUBLISHED}\n'
    found_now = evaluated(tmp_path, text)
    unpublished = RunHistory((run({KEY: THEN}, published=False),))

    assert found_now.gates[0].passed
    assert any(
        "passed untested: there is no earlier run yet" in warning for warning in found_now.warnings
    )
    assert "no published run" in evaluate_gate(tmp_path, PUBLISHED, history=unpublished).reason
    # Of runs that were not published, `run` knows.
    assert evaluate_gate(tmp_path, LAST, history=unpublished).against == "run-1"


def test_a_value_that_no_earlier_run_has_fails_the_gate(tmp_path: Path) -> None:
    """Else a new name for a classifier would turn a gate green; from the next run on it counts."""
    outcome = evaluate_gate(tmp_path, PUBLISHED, history=RunHistory((run({}),)))

    assert not outcome.passed
    assert "it cannot be compared" in outcome.reason


def test_the_latest_run_with_a_value_counts(tmp_path: Path) -> None:
    """The second run has an undefined value and the third none at all."""
    undefined = MeasureValue(None, ValueState.UNDEFINED, "no positives")
    runs = (run({KEY: THEN}), run({KEY: undefined}, number=2), run({}, number=3))

    assert evaluate_gate(tmp_path, PUBLISHED, history=RunHistory(runs)).against == "run-1"


def data_of_now(folder: Path) -> tuple[str, MeasureValue]:
    """Return the fingerprint of the data of now, and what is found on them."""
    first = evaluated(folder, "")
    return data_fingerprint(first.spec_file, first.aggregates.inputs), first.by_key[KEY]


@pytest.mark.parametrize("gate", [LAST, PUBLISHED])
def test_running_again_turns_no_gate_green(tmp_path: Path, gate: str) -> None:
    """What failed on these data was published; it is compared with the run before, as at first."""
    data, score = data_of_now(tmp_path)
    before = run({KEY: BETTER}, number=1, data="other")
    first = evaluate_gate(tmp_path, gate, history=RunHistory((before,)))
    again = run({KEY: score}, number=2, data=data, failed=[KEY])
    second = evaluate_gate(tmp_path, gate, history=RunHistory((before, again)))

    assert not first.passed
    assert second == first


@pytest.mark.parametrize("gate", [LAST, PUBLISHED])
def test_running_again_turns_no_gate_red(tmp_path: Path, gate: str) -> None:
    """What passed on these data passes against the same run, with the same numbers."""
    data, score = data_of_now(tmp_path)
    before = run({KEY: THEN}, number=1, data="other")
    first = evaluate_gate(tmp_path, gate, history=RunHistory((before,)))
    again = run({KEY: score}, number=2, data=data)
    second = evaluate_gate(tmp_path, gate, history=RunHistory((before, again)))

    assert first.passed
    assert second == first


@pytest.mark.parametrize("gate", [LAST, PUBLISHED])
def test_what_was_found_on_the_same_data_tests_nothing(tmp_path: Path, gate: str) -> None:
    """It is what it is compared with: untested the first time, and untested again."""
    data, score = data_of_now(tmp_path)
    outcome = evaluate_gate(tmp_path, gate, history=RunHistory((run({KEY: score}, data=data),)))

    assert outcome.verdict is GateVerdict.UNTESTED
    assert "used the same data" in outcome.reason


@pytest.mark.parametrize("gate", [LAST, PUBLISHED])
def test_what_failed_is_no_standard_for_what_comes_after_it(tmp_path: Path, gate: str) -> None:
    """0.95 passed and 0.8 failed; 0.8 again, on other data, is still held against 0.95."""
    _, score = data_of_now(tmp_path)
    runs = (run({KEY: BETTER}), run({KEY: score}, number=2, data="bad", failed=[KEY]))
    outcome = evaluate_gate(tmp_path, gate, history=RunHistory(runs))

    assert not outcome.passed
    assert outcome.against == "run-1"


def test_another_value_that_failed_does_not_count(tmp_path: Path) -> None:
    """The run was refused for its precision; in sensitivity it is a standard as any other."""
    other = ("A", None, None, "precision")
    runs = (run({KEY: BETTER}), run({KEY: THEN}, number=2, failed=[other]))

    assert evaluate_gate(tmp_path, LAST, history=RunHistory(runs)).against == "run-2"


@pytest.mark.parametrize("is_same", [True, False])
def test_where_all_earlier_runs_failed_it_fails_and_says_the_way_out(
    tmp_path: Path, is_same: object
) -> None:
    """What they were held against was pruned; they do not become the standard by that."""
    data, score = data_of_now(tmp_path)
    failed = run({KEY: score}, data=data if is_same else "bad", failed=[KEY])
    outcome = evaluate_gate(tmp_path, LAST, history=RunHistory((failed,)))

    assert outcome.verdict is GateVerdict.FAILED
    # It is judged: this run is no standard either.
    assert outcome.tested
    assert "it failed in every earlier run" in outcome.reason
    assert "build once without this gate" in outcome.reason


@pytest.mark.parametrize(
    ("past", "passes", "first_passes"),
    [
        pytest.param((), False, True, id="nothing is there yet"),
        pytest.param((run({KEY: THEN}),), True, True, id="there is something"),
    ],
)
def test_a_gate_can_ask_for_a_past(
    tmp_path: Path, past: tuple[PreviousRun, ...], passes: object, first_passes: object
) -> None:
    """With `first = "fail"` a history that got lost does not turn it green."""
    strict = evaluate_gate(tmp_path, f'{LAST}\nfirst = "fail"', history=RunHistory(past))
    usual = evaluate_gate(tmp_path, f'{LAST}\nfirst = "pass"', history=RunHistory(past))

    assert (strict.passed, usual.passed) == (passes, first_passes)
    assert strict.tested is bool(past)
    assert strict.reason.endswith("it then fails") is not passes


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": ("yes", "no", "maybe")}, "had other classes"),
        ({"positive": "no"}, "had another positive class"),
        ({"positive": None}, "not known which class was the positive one"),
    ],
)
def test_a_run_of_another_task_is_not_compared_with(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    """Sensitivity is then something else: the one before it counts, and without one it fails."""
    other = replace(run({KEY: THEN}, number=2), **changed)  # type: ignore[arg-type]
    alone = evaluate_gate(tmp_path, LAST, history=RunHistory((other,)))

    assert (alone.passed, alone.tested) == (False, False)
    assert message in alone.reason
    assert (
        evaluate_gate(tmp_path, LAST, history=RunHistory((run({KEY: THEN}), other))).against
        == "run-1"
    )


def test_an_earlier_value_without_an_interval_fails(tmp_path: Path) -> None:
    """There is nothing to test the difference by."""
    outcome = evaluate_gate(
        tmp_path, PUBLISHED, history=RunHistory((run({KEY: measure_value(0.6)}),))
    )

    assert not outcome.passed
    assert "has no confidence interval" in outcome.reason


def test_an_undefined_value_of_now_fails_before_the_past_is_asked(tmp_path: Path) -> None:
    """Even without an earlier run: what could not be computed does not pass."""
    nobody = {"A": "confusion = [[0, 5], [0, 5]]"}
    gate = 'measure = "precision"\nnot_worse_than_last = "run"\nmargin = 0.1'
    outcome = evaluate_gate(tmp_path, gate, nobody)

    assert not outcome.passed
    assert outcome.reason.startswith("the value is undefined: ")


def test_an_infinite_value_has_no_difference(tmp_path: Path) -> None:
    """∞ − 5 is no number a margin could be held against."""
    sure = {"A": "confusion = [[8, 2], [0, 10]]"}
    gate = 'measure = "lr_positive"\nnot_worse_than_last = "run"\nmargin = 1'
    past = RunHistory((run({("A", None, None, "lr_positive"): measure_value(5.0, 2.0, 9.0)}),))
    outcome = evaluate_gate(tmp_path, gate, sure, history=past)

    assert not outcome.passed
    assert "is infinite" in outcome.reason


def test_intervals_of_another_level_are_not_compared(tmp_path: Path) -> None:
    """An interval of 90 % beside one of 95 % would say neither; without it the gate fails."""
    past = RunHistory((replace(run({KEY: THEN}), level=0.9),))

    outcome = evaluate_gate(tmp_path, PUBLISHED, history=past)

    assert not outcome.passed
    assert "the run of 2026-03-01 00:00 UTC has no confidence interval" in outcome.reason
