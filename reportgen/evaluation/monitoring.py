"""Monitoring over all runs of a schedule, with one error rate for its life."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.evaluation.confidence.counts import count_proportion
from reportgen.measures import get_measure
from reportgen.measures.measure import Proportion
from reportgen.statistics.e_process import limit_path, reference_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.previous_runs import RunCounts, RunHistory
    from reportgen.measures import Measure
    from reportgen.spec import Gate, Spec
    from reportgen.statistics.e_process import EvidencePath

REFERENCE_MEASURE = "accuracy"


@dataclass(frozen=True, slots=True)
class EvidencePoint:
    """The evidence after a run; a date of None is the current run."""

    run: str | None
    ended: datetime | None
    cases: int
    hits: int
    log10_e: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredQuantity:
    """A proportion that is tested against the reference runs or a limit after every run.

    An alarm is raised where the e-value reaches `threshold`; `alarm` is the first such run and
    `since` the run from which a change is likeliest, at the alarm. `target` is the proportion of
    the reference runs, or the limit of a gate.
    """

    classifier: str
    measure: str
    kind: Literal["reference", "at_least", "at_most"]
    target: float
    reference_cases: int | None
    threshold: float
    points: tuple[EvidencePoint, ...]
    alarm: EvidencePoint | None
    since: EvidencePoint | None

    @property
    def log10_threshold(self) -> float:
        """The threshold on the scale of the points."""
        return math.log10(self.threshold)


@dataclass(frozen=True, slots=True)
class Monitoring:
    """All monitored quantities, which share the error rate equally."""

    error_rate: float
    quantities: tuple[MonitoredQuantity, ...]


@dataclass(frozen=True, slots=True)
class _Sample:
    """The counts of one run, in the order of the current classes."""

    run: str | None
    ended: datetime | None
    matrices: dict[str, np.ndarray]
    weights: dict[str, float]


def monitor(
    spec: Spec, aggregates: Aggregates, history: RunHistory, data_fingerprint: str
) -> Monitoring | None:
    """Return the evidence of a change over all runs; None without a spec's error rate or runs.

    Runs count once for each data fingerprint; runs with other classes do not count. The current
    run counts unless its data are known from before.
    """
    settings, confusion = spec.history, aggregates.confusion
    if settings.error_rate is None or confusion is None or not data_fingerprint:
        return None
    samples = [
        _previous_sample(run, confusion.classes)
        for run in _distinct_runs(spec, aggregates, history.counts)
        if run.data_fingerprint != data_fingerprint
    ]
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    samples.append(
        _Sample(
            None,
            None,
            {name: np.array(confusion.matrix(name)) for name in names},
            {name: aggregates.case_weight(name) for name in names},
        )
    )
    gates = tuple(_gate_plans(spec, names))
    plans = [*_reference_plans(spec, names, samples), *gates]
    # Of all that is ever tested, so that the threshold is the same after the first runs.
    threshold = (len(names) + len(gates)) / settings.error_rate
    quantities = (
        _monitor_quantity(spec, plan, samples, threshold, confusion.classes) for plan in plans
    )
    monitored = tuple(quantity for quantity in quantities if quantity is not None)
    return Monitoring(settings.error_rate, monitored) if monitored else None


def _distinct_runs(
    spec: Spec, aggregates: Aggregates, runs: Sequence[RunCounts]
) -> Iterator[RunCounts]:
    since, fingerprints = spec.history.since, set()
    for run in runs:
        is_new = run.data_fingerprint and run.data_fingerprint not in fingerprints
        is_current = since is None or run.ended.astimezone(UTC).date() >= since
        is_comparable = (
            set(run.classes) == set(aggregates.classes) and run.positive == spec.task.positive
        )
        if is_new and is_current and is_comparable:
            fingerprints.add(run.data_fingerprint)
            yield run


def _previous_sample(run: RunCounts, classes: tuple[str, ...]) -> _Sample:
    order = [run.classes.index(class_) for class_ in classes]
    matrices = {
        name: np.array(matrix)[np.ix_(order, order)] for name, matrix in run.confusion.items()
    }
    return _Sample(run.id, run.ended, matrices, dict(run.weights))


@dataclass(frozen=True, slots=True)
class _Plan:
    classifier: str
    measure: Measure
    kind: Literal["reference", "at_least", "at_most"]
    limit: float = math.nan


def _reference_plans(
    spec: Spec, names: Sequence[str], samples: Sequence[_Sample]
) -> Iterator[_Plan]:
    """Yield the comparison of every classifier's accuracy with its reference runs."""
    for name in names:
        having = [sample for sample in samples if name in sample.matrices]
        if len(having) > spec.history.reference:
            yield _Plan(name, get_measure(REFERENCE_MEASURE), "reference")


def _gate_plans(spec: Spec, names: Sequence[str]) -> Iterator[_Plan]:
    """Yield the gates with a fixed limit of a proportion over all cases."""
    for gate in spec.gates:
        measure = get_measure(gate.measure)
        if gate.class_ is not None or gate.average is not None:
            continue
        if not isinstance(measure.interval, Proportion):
            continue
        if gate.classifier in names:
            yield from _limit_plan(gate, measure)


def _limit_plan(gate: Gate, measure: Measure) -> Iterator[_Plan]:
    if gate.at_least is not None and 0 < gate.at_least < 1:
        yield _Plan(gate.classifier, measure, "at_least", gate.at_least)
    if gate.at_most is not None and 0 < gate.at_most < 1:
        yield _Plan(gate.classifier, measure, "at_most", gate.at_most)


def _monitor_quantity(
    spec: Spec,
    plan: _Plan,
    samples: Sequence[_Sample],
    threshold: float,
    classes: tuple[str, ...],
) -> MonitoredQuantity | None:
    run_counts = [
        (sample, counts)
        for sample in samples
        if (counts := _count(plan, sample, spec.task.positive, classes)) is not None
    ]
    n_reference = spec.history.reference if plan.kind == "reference" else 0
    reference, tested = run_counts[:n_reference], run_counts[n_reference:]
    if not tested:
        return None
    hits = np.array([counts[0] for _, counts in tested], np.int64)
    cases = np.array([counts[1] for _, counts in tested], np.int64)
    target, reference_cases = plan.limit, None
    path: EvidencePath
    if plan.kind == "reference":
        reference_hits, reference_cases = (
            sum(counts[index] for _, counts in reference) for index in (0, 1)
        )
        target = reference_hits / reference_cases
        counts = reference_hits, reference_cases
        path = reference_path(hits, cases, counts, spec.intervals.seed, threshold)
    else:
        side: Literal["below", "above"] = "below" if plan.kind == "at_least" else "above"
        path = limit_path(hits, cases, plan.limit, side, threshold)
    points = tuple(
        EvidencePoint(sample.run, sample.ended, count, hit, log_e / math.log(10))
        for (sample, _), count, hit, log_e in zip(
            tested, cases.tolist(), hits.tolist(), path.log_e.tolist(), strict=True
        )
    )
    return MonitoredQuantity(
        classifier=plan.classifier,
        measure=plan.measure.name,
        kind=plan.kind,
        target=target,
        reference_cases=reference_cases,
        threshold=threshold,
        points=points,
        alarm=None if path.alarm is None else points[path.alarm],
        since=None if path.start is None else points[path.start],
    )


def _count(
    plan: _Plan, sample: _Sample, positive: str | None, classes: tuple[str, ...]
) -> tuple[int, int] | None:
    """Return hits and cases of a run in whole effective cases; None if it has none."""
    matrix, weight = sample.matrices.get(plan.classifier), sample.weights.get(plan.classifier)
    if matrix is None or weight is None:
        return None
    counts = count_proportion(plan.measure, matrix, weight, positive, classes)
    return counts if counts is not None and counts[1] else None
