"""Findings on shift: expected precision and crossovers at target prevalences, and drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.findings import Finding
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.ranks import tied_for_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.drift_attribution import (
        DriftAttribution,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.monitoring import MonitoredQuantity
    from reportgen.evaluation.prevalence import PrevalenceCrossover
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure


CROSSOVER_MEASURES = ("accuracy", "kappa")
_MAX_CROSSOVERS = 3
# A wider confidence interval does not locate the crossover.
_UNINFORMATIVE_WIDTH = 0.95


@dataclass(frozen=True, slots=True)
class PrecisionAtTargetFinding(Finding):
    """The highest precision expected at a target prevalence, and the observed one.

    `all_tied`: all classifiers share it; `same_interval`: the tied ones also share the CI.
    """

    target: float
    best: tuple[str, ...]
    expected: MeasureValue
    observed: MeasureValue | None
    level: float
    all_tied: bool
    same_interval: bool


@dataclass(frozen=True, slots=True)
class CrossoverFinding(Finding):
    """The prevalence at which two classifiers change order, and the observed one."""

    crossover: PrevalenceCrossover
    level: float
    observed_prevalence: float | None = None

    @property
    def is_identifiable(self) -> bool:
        """Return whether the confidence interval excludes a relevant part of the range."""
        return is_crossover_identifiable(self.crossover)


@dataclass(frozen=True, slots=True)
class DriftFinding(Finding):
    """Significant changes since the last run: class mix, recall and other measures.

    `mix_classifiers`: those whose class mix changed; empty: one common mix. `measure_changes`: the
    classifiers for which an overall measure changed.
    """

    changes: DriftAnalysis
    class_mix_changed: bool
    mix_classifiers: tuple[str, ...]
    recall_changes: tuple[DriftAttribution, ...]
    measure_changes: tuple[str, ...] = ()
    primary: Measure | None = None


@dataclass(frozen=True, slots=True)
class MonitoringFinding(Finding):
    """The monitored quantities with an alarm."""

    quantities: tuple[MonitoredQuantity, ...]


def monitoring_findings(evaluation: Evaluation) -> Iterator[MonitoringFinding]:
    """Yield the alarms of the monitoring over all runs, if there are any."""
    monitoring = evaluation.monitoring
    alarms = () if monitoring is None else monitoring.quantities
    alarm_quantities = tuple(quantity for quantity in alarms if quantity.alarm is not None)
    if alarm_quantities:
        yield MonitoringFinding(alarm_quantities)


def prevalence_findings(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Return the expected precision at a target, and the crossovers up to the targets."""
    observed = evaluation.observed_prevalences if evaluation.prevalence_values else ()
    if len(observed) != 1:
        return ()
    targets = evaluated_target_prevalences(evaluation)
    # Precision drops at low prevalence, so the lowest target is stated.
    lowest = min(targets)
    target = lowest if lowest < observed[0] else max(targets)
    level = evaluation.spec.intervals.level
    crossovers = [
        crossover
        for crossover in evaluation.prevalence_crossovers
        if crossover.measure == "accuracy"
        and crossover.prevalence is not None
        and is_crossover_identifiable(crossover)
        and any(
            (crossover.prevalence - observed[0]) * (crossover.prevalence - q) < 0 for q in targets
        )
    ]
    return (
        *_precision_at_target(evaluation, target),
        *(
            CrossoverFinding(crossover, level, observed[0])
            for crossover in crossovers[:_MAX_CROSSOVERS]
        ),
    )


def evaluated_target_prevalences(evaluation: Evaluation) -> tuple[float, ...]:
    """Return the target prevalences at which values were computed."""
    return tuple(dict.fromkeys(row.target for row in evaluation.prevalence_values))


def is_crossover_identifiable(crossover: PrevalenceCrossover) -> bool:
    """Return whether the confidence interval excludes a relevant part of the range."""
    return (
        crossover.low is None
        or crossover.high is None
        or crossover.high - crossover.low < _UNINFORMATIVE_WIDTH
    )


def _precision_at_target(
    evaluation: Evaluation, target: float
) -> Iterator[PrecisionAtTargetFinding]:
    measure = get_measure("precision")
    values = {
        row.classifier: row.values["precision"]
        for row in evaluation.prevalence_values
        if row.target == target and row.values["precision"].number is not None
    }
    if not values:
        return
    best = tuple(tied_for_first(values, measure))
    expected, observed = values[best[0]], evaluation.value(best[0], measure)
    limits = (expected.low, expected.high)
    yield PrecisionAtTargetFinding(
        target,
        best,
        expected,
        None if observed is None or observed.number is None else observed,
        evaluation.spec.intervals.level,
        all_tied=len(best) == len(values),
        same_interval=all((values[name].low, values[name].high) == limits for name in best),
    )


def drift_findings(evaluation: Evaluation) -> Iterator[DriftFinding]:
    """Yield the significant changes since the last run, if there are any."""
    changes = evaluation.drift
    if changes is None:
        return
    label_shifts = [test for test in changes.label_shift_tests if test.is_significant]
    recalls = tuple(
        attribution
        for attribution in changes.attributions
        if attribution.significant_recall_changes
    )
    changed_classifiers = tuple(
        dict.fromkeys(change.classifier for change in changes.significant_value_changes)
    )
    if label_shifts or recalls or changed_classifiers:
        names = tuple(name for test in label_shifts for name in test.classifiers)
        has_several_tests = len(changes.label_shift_tests) > 1
        yield DriftFinding(
            changes,
            bool(label_shifts),
            names if has_several_tests else (),
            recalls,
            changed_classifiers,
            primary_measure(evaluation),
        )
