"""Non-inferiority to another classifier or to a previous run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Comparison
from reportgen.evaluation.multiple_testing import EquivalenceMargins
from reportgen.evaluation.pairwise_tests import mover_difference_interval
from reportgen.evaluation.values import ValueState
from reportgen.measures import Orientation, find_measure, get_measure

if TYPE_CHECKING:
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.evaluation.previous_runs import PreviousRun, RunHistory
    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.spec import Gate, Spec


DIFFERENCE_NOT_TESTABLE = "no difference could be tested on these data"


def non_inferiority_margin(gate: Gate, spec: Spec) -> float:
    """Return the margin of the gate, or that of [comparison]."""
    if gate.margin is not None:
        return gate.margin
    margins = {find_measure(name): size for name, size in (spec.comparison.margin or {}).items()}
    return margins[get_measure(gate.measure)]


def assess_non_inferiority(
    outcome: GateOutcome, comparison: Comparison, margin: float, spec: Spec
) -> GateOutcome:
    """Pass if the 1 − 2α confidence interval lies above −margin: one prespecified test."""
    margins = EquivalenceMargins(
        {comparison.measure: margin}, 1 - 2 * min(0.5, spec.comparison.alpha), spec.intervals.level
    )
    tested = replace(comparison, low=0.0, high=0.0) if _is_identical(comparison) else comparison
    limits = margins.interval(tested)
    if limits is None:
        reason = f"{DIFFERENCE_NOT_TESTABLE}: {comparison.note or 'there is no interval of it'}"
        return replace(outcome, reason=reason, value=comparison.difference)
    higher = get_measure(comparison.measure).orientation is Orientation.HIGHER
    # By how much it is worse, at its best, as found, and at its worst.
    worse = (-limits[1], -(comparison.difference or 0.0), -limits[0])
    if not higher:
        worse = (limits[0], comparison.difference or 0.0, limits[1])
    return replace(
        outcome,
        passed=worse[2] < margin,
        tested=True,
        reason=_describe_non_inferiority(worse, margin),
        observed=limits[0] if higher else limits[1],
        value=comparison.difference,
        low=limits[0],
        high=limits[1],
    )


def _is_identical(comparison: Comparison) -> bool:
    """Return whether both predicted every case alike, which needs no interval."""
    same = comparison.difference == 0 and comparison.p == 1
    return same and comparison.low is None and comparison.data == "paired"


def _describe_non_inferiority(loss_interval: tuple[float, float, float], margin: float) -> str:
    at_best, observed, at_worst = loss_interval
    if at_worst < 0:
        return "superior: all of the confidence interval is better"
    if at_worst < margin:
        return "non-inferior: the confidence interval is within the margin"
    if at_best >= margin:
        return "inferior: all of the confidence interval is worse by the margin or more"
    if observed >= margin:
        return "not shown to be non-inferior: the observed value is worse by the margin or more"
    return "not shown to be non-inferior: the confidence interval extends beyond the margin"


BASELINE_RUN_TEST = "mover"
NO_PREVIOUS_RUN = "there is no earlier run yet to compare with"
NO_PUBLISHED_RUN = "there is no published run yet to compare with"
ONLY_SAME_DATA = "all earlier runs used the same data, so there is nothing to compare with"
ONLY_SAME_DATA_OR_FAILED = (
    "all earlier runs used the same data or failed this gate, so there is nothing to compare with"
)
ALL_RUNS_FAILED = (
    "it failed in every earlier run that it could be compared with, and a failed run is no"
    " baseline; to accept the current value, build once without this gate"
)
NO_FINITE_INTERVAL = (
    "has no confidence interval with two finite limits, by which to test the difference"
)
NO_BASELINE_VALUE = "no earlier run has this value, so it cannot be compared"


@dataclass(frozen=True, slots=True)
class BaselineValue:
    """The value of a previous run."""

    run: PreviousRun
    value: MeasureValue

    @property
    def run_time(self) -> str:
        """When the run ended."""
        return f"{self.run.ended.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True, slots=True)
class NoBaseline:
    """The reason why there is no previous run to compare with."""

    reason: str
    is_first_run: bool = False
    """Whether that is because nothing was found yet: somebody has to be first."""
    all_runs_failed: bool = False
    """Whether that is because the gate failed in all of them."""


@dataclass(frozen=True, slots=True)
class GateQuery:
    """The value to compare, the kind of baseline run, and the data it was measured on."""

    baseline_kind: str
    key: ValueKey
    data_fingerprint: str
    classes: tuple[str, ...]
    positive: str | None


def find_baseline(history: RunHistory, query: GateQuery) -> BaselineValue | NoBaseline:
    """Return the latest comparable value of a previous run; or the reason why there is none.

    Runs on the current data do not count, so that repeating a run changes no gate, and neither do
    runs that failed the gate. An undefined value is skipped.
    """
    runs = history.runs
    if query.baseline_kind == "published":
        runs = tuple(run for run in history.runs if run.published)
    if not runs:
        return NoBaseline(NO_PUBLISHED_RUN if history.runs else NO_PREVIOUS_RUN, is_first_run=True)
    others = [
        run
        for run in runs
        if not query.data_fingerprint or run.data_fingerprint != query.data_fingerprint
    ]
    sound = [run for run in others if query.key not in run.failed_keys]
    if not sound:
        gate_failures = [query.key in run.failed_keys for run in runs]
        # One that did not fail was on the data of now.
        untested_reason = ONLY_SAME_DATA_OR_FAILED if any(gate_failures) else ONLY_SAME_DATA
        has_failed = all(gate_failures)
        return NoBaseline(
            ALL_RUNS_FAILED if has_failed else untested_reason,
            is_first_run=not has_failed,
            all_runs_failed=has_failed,
        )
    reasons: list[str] = []
    for run in reversed(sound):
        score = run.values.get(query.key)
        if score is None or score.state is ValueState.UNDEFINED:
            continue
        earlier = BaselineValue(run, score)
        reason = _incompatibility_reason(earlier, query)
        if reason is None:
            return earlier
        reasons.append(reason)
    return NoBaseline(reasons[0] if reasons else NO_BASELINE_VALUE)


def _incompatibility_reason(baseline: BaselineValue, query: GateQuery) -> str | None:
    """Return why a previous value cannot be compared with."""
    run = baseline.run
    if set(run.classes) != set(query.classes):
        return (
            f"the run of {baseline.run_time} had other classes;"
            " `classes` in [task] keeps them the same"
        )
    if run.positive is None and query.positive is not None:
        return f"of the run of {baseline.run_time} it is not known which class was the positive one"
    if run.positive != query.positive:
        return f"the run of {baseline.run_time} had another positive class"
    if baseline.value.value is not None and _lacks_interval(baseline.value):
        return f"the value of the run of {baseline.run_time} {NO_FINITE_INTERVAL}"
    return None


def compare_with_baseline(
    key: ValueKey, current: MeasureValue, baseline: BaselineValue
) -> Comparison | str:
    """Return the current value minus the previous one, or why there is no difference.

    The runs are treated as independent, which is conservative where they share cases (MOVER;
    Newcombe 1998; Zou and Donner 2008).
    """
    then = baseline.value
    if current.value is None or then.value is None:
        whose = (
            "the value" if current.value is None else f"the value of the run of {baseline.run_time}"
        )
        return f"{whose} is infinite, so that the difference is no number"
    difference = current.value - then.value
    row = Comparison(
        first=key[0],
        second=baseline.run.id,
        class_=key[1],
        average=key[2],
        measure=key[3],
        test=BASELINE_RUN_TEST,
        data="unpaired",
        difference=difference,
        primary_test=True,
    )
    limits = mover_difference_interval(current, then, None)
    if limits is None or not all(map(math.isfinite, (limits.low, limits.high))):
        whose = (
            "the value"
            if _lacks_interval(current)
            else f"the value of the run of {baseline.run_time}"
        )
        return f"{whose} {NO_FINITE_INTERVAL}"
    return replace(row, low=limits.low, high=limits.high)


def _lacks_interval(value: MeasureValue) -> bool:
    return value.low is None or value.high is None
