"""The comparisons that only some specs ask for, each imported only then.

Most of the time of a small report is spent on imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.capabilities import CapabilityRow
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.evaluation.named_tests import OmnibusTest
    from reportgen.evaluation.prevalence import PositiveClassCounts, PrevalenceCrossover
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.evaluation.published import PublishedCheck
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.evaluation.values import MeasureValue, MeasureValues
    from reportgen.measures import Measure
    from reportgen.spec import Spec, SpecFile


def run_comparisons(
    spec: Spec,
    aggregates: Aggregates,
    values: MeasureValues,
    by_key: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    reported_measures: tuple[Measure, ...],
) -> tuple[Comparison, ...]:
    """Compare every two classifiers."""
    if len(spec.classifiers) == 1:
        return ()
    from reportgen.evaluation.comparisons import compare_classifiers
    from reportgen.evaluation.cross_validation import run_fold_tests

    return compare_classifiers(
        spec, aggregates, by_key, reported_measures, run_fold_tests(values, spec, aggregates)
    )


def run_fold_summaries(
    spec: Spec, aggregates: Aggregates, values: MeasureValues
) -> tuple[FoldSummary, ...]:
    """Say what the folds say together, if there are any."""
    if values.frame["fold"].null_count() == values.frame.height:
        return ()
    from reportgen.evaluation.cross_validation import infer_test_train_ratios, summarize_folds

    return summarize_folds(
        values, spec.intervals.level, infer_test_train_ratios(values, spec, aggregates)
    )


def run_published_checks(
    spec: Spec,
    by_key: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    rows: tuple[CapabilityRow, ...],
    fold_summaries: tuple[FoldSummary, ...],
    rates: tuple[PositiveClassCounts, ...],
) -> tuple[PublishedCheck, ...]:
    """Set what a paper printed against what was found."""
    if not spec.published:
        return ()
    from reportgen.evaluation.prevalence import values_at_published_prevalences
    from reportgen.evaluation.published import check_published

    elsewhere = values_at_published_prevalences(spec.published, rates)
    return check_published(spec.published, by_key, rows, fold_summaries, elsewhere)


def run_prevalence_crossovers(
    spec: Spec, aggregates: Aggregates, rates: tuple[PositiveClassCounts, ...]
) -> tuple[PrevalenceCrossover, ...]:
    """Find the prevalences where two classifiers change places."""
    if not rates:
        return ()
    from reportgen.evaluation.prevalence import find_prevalence_crossovers

    return find_prevalence_crossovers(rates, spec, aggregates.pairs)


def run_omnibus(aggregates: Aggregates, names: Sequence[str]) -> tuple[OmnibusTest, ...]:
    """Test all classifiers together."""
    if len(names) <= 1:
        return ()
    from reportgen.evaluation.named_tests import run_omnibus_tests

    return run_omnibus_tests(aggregates, names)


def run_threshold_optimization(spec: Spec, aggregates: Aggregates) -> tuple[OptimalThreshold, ...]:
    """Choose thresholds where two classes are predicted by scores."""
    if aggregates.curves is None or spec.task.kind != "binary":
        return ()
    from reportgen.evaluation.thresholds import optimize_thresholds

    weights = {each.name: aggregates.case_weight(each.name) for each in spec.classifiers}
    return optimize_thresholds(aggregates.curves, spec, weights)


def run_gates(  # noqa: PLR0913, PLR0917  # gates may ask for evidence of every kind
    spec_file: SpecFile,
    aggregates: Aggregates,
    values: MeasureValues,
    comparisons: tuple[Comparison, ...],
    fold_summaries: tuple[FoldSummary, ...],
    history: RunHistory,
) -> tuple[GateOutcome, ...]:
    """Judge the conditions that the results have to meet."""
    spec = spec_file.spec
    if not spec.gates:
        return ()
    from reportgen.evaluation.gates import evaluate_gates, gate_comparisons

    by_key = values.by_key()
    tested = gate_comparisons(spec, aggregates, values, by_key, comparisons)
    data = _known_fingerprint(spec_file, aggregates)
    return evaluate_gates(
        spec,
        by_key,
        tested,
        history,
        fold_summaries=fold_summaries,
        classes=aggregates.classes,
        data_fingerprint=data,
    )


def run_drift_analysis(  # noqa: PLR0913, PLR0917  # what was found, and what it was found from
    spec_file: SpecFile,
    aggregates: Aggregates,
    by_key: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    reported_measures: tuple[Measure, ...],
    fold_summaries: tuple[FoldSummary, ...],
    history: RunHistory,
) -> DriftAnalysis | None:
    """Set what was found against what earlier runs found, if there are any."""
    if not history.runs or not spec_file.spec.history.show:
        return None
    from reportgen.evaluation.drift import CurrentRun, analyze_drift

    found = CurrentRun(spec_file.spec, aggregates, by_key, fold_summaries, reported_measures)
    return analyze_drift(found, history, _known_fingerprint(spec_file, aggregates))


def _known_fingerprint(spec_file: SpecFile, aggregates: Aggregates) -> str:
    """Return the fingerprint of the data; empty: it cannot be known whether they are the same."""
    from reportgen.evaluation.previous_runs import data_fingerprint

    return data_fingerprint(spec_file, aggregates.inputs)
