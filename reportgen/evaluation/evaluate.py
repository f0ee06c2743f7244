"""Evaluate aggregates: values, confidence intervals, comparisons, capabilities, gates, drift."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.threshold_choice import ThresholdRule, decision_rule
from reportgen.evaluation.abstention import evaluate_abstention
from reportgen.evaluation.calibration import compute_calibration
from reportgen.evaluation.capabilities import (
    add_capability_significance,
    capability_rows,
    rate_all_classes,
)
from reportgen.evaluation.chance import compare_with_chance
from reportgen.evaluation.comparisons import (
    build_decision_blocks,
    comparability_warnings,
    compare_classifiers,
    dataset_primary_warnings,
    prespecified_measures,
    primary_measure_warnings,
)
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.confusions import compute_confusions, small_class_warnings
from reportgen.evaluation.cross_validation import (
    audit_folds,
    compute_fold_differences,
    compute_fold_test_details,
    find_correction_disagreements,
    fold_pairs,
    infer_test_train_ratios,
    run_fold_tests,
    summarize_folds,
)
from reportgen.evaluation.curves import compute_curves, compute_operating_points
from reportgen.evaluation.datasets import compare_over_datasets
from reportgen.evaluation.decision import DECISION_MEASURES, recommend
from reportgen.evaluation.decision_curves import analyze_decisions
from reportgen.evaluation.design_effects import few_cluster_warnings
from reportgen.evaluation.drift import CurrentRun, analyze_drift
from reportgen.evaluation.evaluation import Evaluation
from reportgen.evaluation.gate_outcome import gate_warnings
from reportgen.evaluation.gates import evaluate_gates, gate_comparisons
from reportgen.evaluation.likelihood_points import compute_likelihood_points
from reportgen.evaluation.likelihood_relations import (
    add_relation_significance,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.majority_baseline import compare_with_majority_class
from reportgen.evaluation.monitoring import monitor
from reportgen.evaluation.multilabel import (
    build_multilabel_blocks,
    compute_multilabel_values,
    iter_tasks,
)
from reportgen.evaluation.named_tests import compute_paired_ratios, run_omnibus_tests
from reportgen.evaluation.pairwise_tests import pairs_to_compare
from reportgen.evaluation.prevalence import (
    adjust_for_prevalence,
    compute_prevalence_curves,
    count_positive_class,
    find_prevalence_crossovers,
    observed_prevalences,
    prevalence_grid,
    prevalence_range,
    values_at_published_prevalences,
)
from reportgen.evaluation.previous_runs import (
    EMPTY_HISTORY,
    UNREADABLE_HISTORY,
    data_fingerprint,
)
from reportgen.evaluation.primary_measure import choose_primary_measure
from reportgen.evaluation.published import check_published
from reportgen.evaluation.rank_sets import compute_rank_sets
from reportgen.evaluation.residuals import (
    find_residual_bias,
    heavy_tail_warnings,
    summarize_residuals,
)
from reportgen.evaluation.sample_sizes import (
    add_required_clusters,
    add_sample_sizes,
    summarize_design,
)
from reportgen.evaluation.segments import (
    SegmentTests,
    build_segment_blocks,
    complete_gaps,
    evaluate_segments,
    find_worst_segments,
)
from reportgen.evaluation.significance import ComparisonIndex
from reportgen.evaluation.thresholds import optimize_thresholds
from reportgen.evaluation.values import (
    MeasureValues,
    build_reported_fold_values,
    compute_count_values,
    compute_operating_point_values,
    compute_probability_values,
    compute_ranking_values,
    compute_regression_values,
    compute_threshold_values,
    omitted_measure_warnings,
    select_measurable,
    split_by_threshold,
)
from reportgen.measures import CAPABILITIES, Measure, find_measure, get_measure
from reportgen.measures.invariance import is_function_of_counts
from reportgen.spec import spec_for_dataset
from reportgen.spec.decision import target_prevalences
from reportgen.spec.measures import shown_measures, with_spec_measures
from reportgen.statistics.parallel import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.evaluation.multiple_testing import TestedBlock
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.evaluation.primary_measure import PrimaryMeasure
    from reportgen.evaluation.segments import SegmentValues
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.spec import Gate, Spec, SpecFile


@with_spec_measures
def evaluate_aggregates(
    spec_file: SpecFile, aggregates: Aggregates, history: RunHistory = EMPTY_HISTORY
) -> Evaluation:
    """Compute every number and every decision that reports and results.json contain.

    Args:
        spec_file: The spec with its source.
        aggregates: The sufficient statistics of all classifiers.
        history: The results of previous runs, for gates and drift.
    """
    spec = spec_file.spec
    history = history.with_intervals_at(spec.intervals.level)
    # The bootstrap of the optimum takes longest and runs on one core.
    thresholds = run_in_thread(_optimize_thresholds, spec, aggregates)
    measures = select_measurable(
        shown_measures(spec),
        aggregates,
        _measures_with_reported_values(spec),
    )
    values = _evaluate_part(spec, aggregates, required_measures(spec, measures))
    by_key, at_decision = values.by_key(), _values_at_decision(spec, aggregates)
    classifiers = _classifiers_with_counts(spec, aggregates)
    classes: tuple[str | None, ...] = (
        (None,) if spec.task.kind == "binary" else aggregates.named_classes
    )
    majority = compare_with_majority_class(aggregates, by_key, classifiers)
    primary = choose_primary_measure(
        spec, measures, set(values.frame["measure"].unique()), majority
    )
    segments = evaluate_segments(
        spec,
        aggregates,
        lambda part: _evaluate_part(spec, part, measures),
        lambda part, values_, segment: add_sample_sizes(spec, part, values_, segment),
    )
    comparisons, segment_comparisons, decision_comparisons = _compare(
        spec, aggregates, values, measures, primary, segments, at_decision
    )
    index = ComparisonIndex.from_comparisons(comparisons, primary)
    relations = relate_by_likelihood_ratios(by_key, classifiers, classes) if classifiers else ()
    capabilities = add_capability_significance(
        capability_rows(by_key, classifiers, classes) if classifiers else (),
        by_key,
        relations,
        index,
    )
    folds = _summarize_folds(spec, aggregates, values)
    pairs_of_folds = fold_pairs(values, spec, aggregates) if folds else ()
    gates = _evaluate_gates(spec_file, aggregates, values, comparisons, folds, history)
    datasets = _compare_over_datasets(spec, aggregates, measures)
    positives = count_positive_class(spec, aggregates, classifiers)
    targets = target_prevalences(spec)
    at_targets = positives if targets else ()
    observed = observed_prevalences(spec, aggregates, classifiers)
    plotted_range = prevalence_range((*targets, *observed))
    fingerprint = data_fingerprint(spec_file, aggregates.inputs)
    tasks = tuple(iter_tasks(spec, aggregates))
    calibration, miscalibration_comparisons = compute_calibration(tasks, spec.comparison.alpha)
    optima = thresholds.result()
    evaluation = Evaluation(
        spec_file=spec_file,
        aggregates=aggregates,
        reported_measures=measures,
        values=values,
        by_key=by_key,
        fold_summaries=folds,
        capabilities=capabilities,
        average_capabilities=(
            ()
            if not classifiers or None in classes
            else rate_all_classes(
                by_key,
                classifiers,
                comparisons,
                "macro" if spec.task.kind == "multilabel" else None,
            )
        ),
        likelihood_relations=add_relation_significance(relations, index),
        published=check_published(
            spec.published,
            by_key,
            capabilities,
            folds,
            values_at_published_prevalences(spec.published, positives),
        ),
        prevalence_values=adjust_for_prevalence(at_targets, targets, spec.intervals),
        observed_prevalences=observed,
        prevalence_range=plotted_range,
        prevalence_curves=compute_prevalence_curves(at_targets, prevalence_grid(plotted_range[0])),
        prevalence_crossovers=find_prevalence_crossovers(at_targets, spec, aggregates.pairs),
        chance=compare_with_chance(positives, spec.comparison.alpha, spec.chance),
        comparison_index=index,
        comparisons=comparisons,
        value_table=pl.concat(
            [add_sample_sizes(spec, aggregates, values), *(segment.table for segment in segments)]
        ),
        design=summarize_design(aggregates),
        segments=segments,
        segment_comparisons=segment_comparisons,
        decision_values={
            (name, measure): value
            for (name, class_, average, measure), value in at_decision.items()
            if class_ is None and average is None
        },
        decision_comparisons=decision_comparisons,
        worst_segments=find_worst_segments(segment_comparisons),
        abstention=evaluate_abstention(
            aggregates, spec.intervals.level, lambda part: _evaluate_part(spec, part, measures)
        ),
        rank_sets=compute_rank_sets(
            by_key, comparisons, [classifier.name for classifier in spec.classifiers]
        ),
        omnibus_tests=run_omnibus_tests(aggregates, classifiers) if len(classifiers) > 1 else (),
        warnings=(
            *spec_file.warnings,
            *aggregates.warnings,
            *omitted_measure_warnings(spec.measures.show or (), measures),
            *comparability_warnings(aggregates.confusion, classifiers),
            *small_class_warnings(aggregates, classifiers),
            *few_cluster_warnings(aggregates),
            *primary_measure_warnings(spec.comparison, primary, comparisons),
            *heavy_tail_warnings(aggregates),
            *dataset_primary_warnings(spec, datasets),
            *gate_warnings(gates),
        ),
        datasets=datasets,
        thresholds=optima,
        curves=tuple(points for task, part in tasks for points in compute_curves(part, task)),
        operating_points=tuple(
            point for task, part in tasks for point in compute_operating_points(part, task, optima)
        ),
        decisions=analyze_decisions(
            spec, aggregates, _binary_counts(spec, aggregates, classifiers), optima
        ),
        calibration=calibration,
        miscalibration_comparisons=miscalibration_comparisons,
        fold_audits=audit_folds(aggregates, spec.folds.repeats),
        fold_pairs=pairs_of_folds,
        fold_differences=compute_fold_differences(
            values, pairs_of_folds, folds, comparisons, spec.comparison.baseline
        ),
        fold_test_details=compute_fold_test_details(comparisons, spec),
        correction_disagreements=find_correction_disagreements(comparisons, spec.comparison.alpha),
        residual_summaries=summarize_residuals(aggregates, spec),
        residual_groups=find_residual_bias(aggregates, spec),
        confusions=compute_confusions(aggregates, spec, classifiers),
        likelihood_points=compute_likelihood_points(aggregates, spec, classifiers, relations),
        ratios=compute_paired_ratios(
            aggregates.pairs,
            pairs_to_compare([item.name for item in spec.classifiers], spec.comparison.baseline),
            spec.task.positive,
            spec.intervals.level,
        ),
        majority_baseline=majority,
        primary_measure=primary,
        gates=gates,
        monitoring=monitor(spec, aggregates, history, fingerprint),
        drift=(
            analyze_drift(
                CurrentRun(spec, aggregates, by_key, folds, measures), history, fingerprint
            )
            if history.runs and spec.history.show
            else None
        ),
    )
    return replace(evaluation, recommendation=recommend(evaluation))


def _compare(  # noqa: PLR0913, PLR0917  # all that is known about the classifiers
    spec: Spec,
    aggregates: Aggregates,
    values: MeasureValues,
    measures: tuple[Measure, ...],
    primary: PrimaryMeasure | None,
    segments: tuple[SegmentValues, ...],
    at_decision: Mapping[ValueKey, MeasureValue],
) -> tuple[tuple[Comparison, ...], tuple[Comparison, ...], tuple[Comparison, ...]]:
    """Return the comparisons on all cases, in segments, and at the thresholds of the decision.

    All are adjusted together.
    """
    if len(spec.classifiers) == 1 and not segments:
        return (), (), ()
    tests = SegmentTests.select(spec, measures, primary)
    tested = compare_classifiers(
        spec,
        aggregates,
        values.by_key(),
        measures,
        run_fold_tests(values, spec, aggregates),
        primary,
        (
            *build_segment_blocks(spec, segments, tests, primary),
            *_decision_blocks(spec, aggregates, at_decision),
            *build_multilabel_blocks(
                spec,
                aggregates,
                values.by_key(),
                (*measures, *prespecified_measures(spec)),
                primary,
            ),
        ),
    )
    rows = [add_required_clusters(aggregates, row) for row in tested]
    in_segments = [row for row in rows if row.segment is not None]
    return (
        tuple(row for row in rows if row.segment is None and not row.at_decision),
        complete_gaps(spec, segments, tests, in_segments),
        tuple(row for row in rows if row.at_decision),
    )


def _values_at_decision(spec: Spec, aggregates: Aggregates) -> dict[ValueKey, MeasureValue]:
    """Return the values at the thresholds by the declared costs or requirement."""
    decision_aggregates = aggregates.at_decision
    if decision_aggregates is None:
        return {}
    measures = [*map(get_measure, DECISION_MEASURES), *prespecified_measures(spec)]
    as_counted = [measure for measure in measures if is_function_of_counts(measure)]
    return _evaluate_part(spec, decision_aggregates, tuple(dict.fromkeys(as_counted))).by_key()


def _decision_blocks(
    spec: Spec,
    aggregates: Aggregates,
    values: Mapping[ValueKey, MeasureValue],
) -> tuple[TestedBlock, ...]:
    decision_aggregates, rule = aggregates.at_decision, decision_rule(spec)
    if decision_aggregates is None or rule is None:
        return ()
    measure = get_measure("expected_cost" if rule is ThresholdRule.COST else "youden")
    return tuple(build_decision_blocks(spec, decision_aggregates, values, measure))


def _evaluate_part(
    spec: Spec, aggregates: Aggregates, measures: tuple[Measure, ...]
) -> MeasureValues:
    """Return the values with intervals, on all cases or on a part of them."""
    if aggregates.label_sets is not None:
        return compute_multilabel_values(spec, aggregates, measures, _evaluate_part)
    return _add_intervals(spec, aggregates, _compute_values(spec, aggregates, measures))


def required_measures(spec: Spec, measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures to compute.

    They are those reported, prespecified or published, and those that gates and capability
    tables use.
    """
    names = [published.measure for published in spec.published]
    names += [gate.measure for gate in spec.gates]
    names += [measure.name for measure in prespecified_measures(spec)]
    if spec.task.kind != "regression":
        names += [name for capability in CAPABILITIES.values() for name in capability.measures]
    others = (find_measure(name) for name in names)
    return tuple(dict.fromkeys([*measures, *(measure for measure in others if measure)]))


def _classifiers_with_counts(spec: Spec, aggregates: Aggregates) -> list[str]:
    if aggregates.confusion is None and aggregates.label_sets is None:
        return []
    return [classifier.name for classifier in spec.classifiers if classifier.fold_scores is None]


def _binary_counts(
    spec: Spec, aggregates: Aggregates, counted: list[str]
) -> dict[str, tuple[float, float, float, float]]:
    """Return tp, fn, fp and tn as predicted; empty unless the task is binary."""
    confusion, positive = aggregates.confusion, spec.task.positive
    if spec.task.kind != "binary" or confusion is None or not positive or spec.dataset_names:
        return {}
    counts = confusion.overall_counts()
    return {name: counts[name, positive] for name in counted if (name, positive) in counts}


def _add_intervals(spec: Spec, aggregates: Aggregates, values: MeasureValues) -> MeasureValues:
    """Add a confidence interval to every value."""
    parts = []
    for threshold, part in split_by_threshold(values):
        threshold_aggregates = (
            aggregates if threshold is None else aggregates.at_thresholds[threshold]
        )
        parts.append(
            add_confidence_intervals(
                part,
                threshold_aggregates.confusion,
                threshold_aggregates.regression,
                spec.intervals,
                positive=spec.task.positive,
                weights={
                    item.name: threshold_aggregates.case_weight(item.name)
                    for item in spec.classifiers
                },
                aggregates=threshold_aggregates,
            )
        )
    with_intervals = MeasureValues.concat(parts)
    if aggregates.ranking is None and aggregates.probability_losses is None:
        return with_intervals
    return add_score_confidence_intervals(with_intervals, aggregates, spec.intervals)


def _compute_values(
    spec: Spec, aggregates: Aggregates, measures: tuple[Measure, ...]
) -> MeasureValues:
    parts = [
        build_reported_fold_values(classifier.name, _resolve_measure_names(classifier.fold_scores))
        for classifier in spec.classifiers
        if classifier.fold_scores is not None
    ]
    if aggregates.confusion is not None:
        as_predicted = [measure for measure in measures if measure.threshold is None]
        parts.append(compute_count_values(aggregates.confusion, as_predicted, spec.task.positive))
    parts += [
        compute_threshold_values(
            threshold_aggregates.confusion, measures, threshold, spec.task.positive
        )
        for threshold, threshold_aggregates in aggregates.at_thresholds.items()
        if threshold_aggregates.confusion is not None
    ]
    if aggregates.ranking is not None:
        parts.append(compute_ranking_values(aggregates.ranking, measures, spec.task.positive))
    if aggregates.operating_points is not None:
        parts.append(compute_operating_point_values(aggregates.operating_points, measures))
    if aggregates.probability_losses is not None:
        parts.append(compute_probability_values(aggregates.probability_losses, measures))
    if aggregates.regression is not None:
        parts.append(compute_regression_values(aggregates.regression, measures))
    return MeasureValues.concat(parts)


def _summarize_folds(
    spec: Spec, aggregates: Aggregates, values: MeasureValues
) -> tuple[FoldSummary, ...]:
    if values.frame["fold"].null_count() == values.frame.height:
        return ()
    ratios = infer_test_train_ratios(values, spec, aggregates)
    return summarize_folds(values, spec.intervals.level, ratios)


def _optimize_thresholds(spec: Spec, aggregates: Aggregates) -> tuple[OptimalThreshold, ...]:
    return tuple(
        optimum
        for task, part in iter_tasks(spec, aggregates)
        if part.curves is not None and task.task.kind == "binary"
        for optimum in optimize_thresholds(
            part.curves,
            task,
            {item.name: part.case_weight(item.name) for item in task.classifiers},
        )
    )


def evaluate_single_gate(evaluation: Evaluation, gate: Gate) -> GateOutcome:
    """Evaluate a gate on an evaluation whose spec need not have it.

    A measure that was not computed is computed now. As every gate, it is a single prespecified
    test outside the family of the report's comparisons.
    """
    aggregates, values = evaluation.aggregates, evaluation.values
    spec = evaluation.spec.model_copy(update={"gates": (gate,)})
    measure, folds = get_measure(gate.measure), evaluation.fold_summaries
    if not any(name == measure.name for _, _, _, name in evaluation.by_key):
        values = _evaluate_part(spec, aggregates, (measure,))
        folds = (*folds, *_summarize_folds(spec, aggregates, values))
    (outcome,) = _evaluate_gates(
        replace(evaluation.spec_file, spec=spec),
        aggregates,
        values,
        evaluation.comparisons,
        folds,
        UNREADABLE_HISTORY,
    )
    return outcome


def _evaluate_gates(  # noqa: PLR0913, PLR0917  # gates use results of every kind
    spec_file: SpecFile,
    aggregates: Aggregates,
    values: MeasureValues,
    comparisons: tuple[Comparison, ...],
    folds: tuple[FoldSummary, ...],
    history: RunHistory,
) -> tuple[GateOutcome, ...]:
    spec = spec_file.spec
    if not spec.gates:
        return ()
    by_key = values.by_key()
    return evaluate_gates(
        spec,
        by_key,
        gate_comparisons(spec, aggregates, values, by_key, comparisons),
        history,
        fold_summaries=folds,
        classes=aggregates.classes,
        data_fingerprint=data_fingerprint(spec_file, aggregates.inputs),
    )


def _compare_over_datasets(
    spec: Spec, aggregates: Aggregates, reported_measures: tuple[Measure, ...]
) -> tuple[DatasetComparison, ...]:
    """Compute the values on each data set, and compare the classifiers over all of them."""
    if not spec.dataset_names:
        return ()
    names = [name for item in spec.classifiers for name in item.dataset_scores or {}]
    others = (find_measure(name) for name in names)
    declared = prespecified_measures(spec)
    measures = tuple(
        dict.fromkeys([*reported_measures, *(measure for measure in others if measure), *declared])
    )
    values = {}
    for dataset in spec.datasets:
        own, part = spec_for_dataset(spec, dataset), aggregates.datasets[dataset.name]
        values[dataset.name] = (
            _compute_values(own, part, measures)
            if part.label_sets is None
            else compute_multilabel_values(own, part, measures, _compute_values)
        )
    return compare_over_datasets(spec, reported_measures, values)


def _measures_with_reported_values(spec: Spec) -> set[str]:
    """Return the measures whose values stand in the spec, per fold or per data set."""
    names = [
        name
        for item in spec.classifiers
        for table in (item.fold_scores, item.dataset_scores)
        for name in table or {}
    ]
    return {measure.name for name in names if (measure := find_measure(name)) is not None}


def _resolve_measure_names(
    values_by_name: Mapping[str, tuple[float, ...]],
) -> dict[Measure, tuple[float, ...]]:
    """Resolve aliases: recall and sensitivity are one measure."""
    by_measure = {find_measure(name): values for name, values in values_by_name.items()}
    return {measure: values for measure, values in by_measure.items() if measure is not None}
