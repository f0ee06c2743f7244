"""results.json from an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reportgen.export.columnar_json import (
    CapabilityTableRows,
    ColumnarRows,
    ConfusionMatrixRows,
    MeasureValueRows,
    encode_json,
)
from reportgen.export.decision_curve_rows import (
    constrained_rate_rows,
    cost_range_rows,
    decision_context_rows,
    decision_curve_rows,
    natural_frequency_rows,
    top_fraction_rows,
)
from reportgen.export.decision_rows import (
    about_rows,
    decision_change_rows,
    decision_option_rows,
    decision_rows,
    decision_value_rows,
    error_count_rows,
    recommendation_rows,
)
from reportgen.export.diagnostic_rows import (
    CalibrationResult,
    ClassConfusionResult,
    FoldTestResult,
    LikelihoodPointResult,
    MiscalibrationComparisonResult,
    PrevalenceCurveResult,
    ResidualGroupResult,
    ResidualResult,
    calibration_band_rows,
    calibration_bin_rows,
    calibration_curve_rows,
    calibration_decomposition_rows,
    fold_audit_rows,
    fold_class_rows,
    fold_design_rows,
    fold_difference_rows,
    majority_baseline_rows,
    mistake_example_rows,
    mistake_rows,
    operating_point_rows,
    ratio_rows,
)
from reportgen.export.rows import (
    AlternativeValueResult,
    ChanceClassifierResult,
    ChancePublishedResult,
    ChanceResult,
    ChanceTableResult,
    ComparisonResult,
    ConfusionResult,
    CoverageResult,
    DesignResult,
    FoldSummaryResult,
    GateResult,
    InputResult,
    LikelihoodRelationResult,
    OmnibusTestResult,
    PrevalenceCrossingResult,
    PrevalenceResult,
    PrimaryMeasureResult,
    PublishedValueResult,
    RankSetResult,
    ResultModel,
    change_rows,
    change_verdict_rows,
    curve_rows,
    dataset_rank_rows,
    dataset_test_rows,
    dataset_value_rows,
    monitoring_rows,
    threshold_rows,
)
from reportgen.export.schema import (
    RESULTS_SCHEMA,
    DiscriminantCapabilityResult,
    Results,
    TaskResult,
    TraditionalCapabilityResult,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.prevalence import PrevalenceValues

    ResultRows: TypeAlias = ColumnarRows | tuple[str | ResultModel, ...]
    ResultPart: TypeAlias = str | ResultModel | ResultRows | Mapping[str, ResultRows]


def build_results(evaluation: Evaluation) -> Results:
    """Return the results of an evaluation as the model of results.json."""
    return Results.model_validate(
        {name: _to_models(part) for name, part in result_parts(evaluation).items()}
    )


def results_json(evaluation: Evaluation) -> str:
    """Return results.json with one row per line, so that two runs can be compared line by line."""
    return "".join((*_iter_json(result_parts(evaluation), "\n"), "\n"))


def result_parts(evaluation: Evaluation) -> dict[str, ResultPart]:
    """Return all results, by their name in results.json."""
    task, datasets = evaluation.spec.task, evaluation.datasets
    return {
        "schema": RESULTS_SCHEMA,
        "title": evaluation.spec.title,
        "task": TaskResult(
            kind=task.kind, classes=evaluation.aggregates.classes, positive=task.positive
        ),
        "about": tuple(about_rows(evaluation.spec)),
        "decision": tuple(decision_rows(evaluation)),
        "recommendation": tuple(recommendation_rows(evaluation)),
        "decision_options": tuple(decision_option_rows(evaluation.recommendation)),
        "decision_values": tuple(decision_value_rows(evaluation)),
        "error_counts": tuple(error_count_rows(evaluation.recommendation)),
        "decision_changes": tuple(decision_change_rows(evaluation.recommendation)),
        "decision_comparisons": tuple(
            map(ComparisonResult.model_validate, evaluation.decision_comparisons)
        ),
        "inputs": tuple(map(InputResult.model_validate, evaluation.aggregates.inputs)),
        "confusion": _confusion_rows(evaluation),
        "values": _value_rows(evaluation),
        "design": tuple(map(DesignResult.model_validate, evaluation.design)),
        "coverage": _coverage_rows(evaluation),
        "alternative_values": _alternative_rows(evaluation),
        "folds": tuple(map(FoldSummaryResult.model_validate, evaluation.fold_summaries)),
        "comparisons": tuple(
            map(
                ComparisonResult.model_validate,
                (*evaluation.comparisons, *evaluation.segment_comparisons),
            )
        ),
        "primary_measure": _primary_measure_rows(evaluation),
        "rank_sets": tuple(map(RankSetResult.model_validate, evaluation.rank_sets)),
        "omnibus": tuple(map(OmnibusTestResult.model_validate, evaluation.omnibus_tests)),
        "capabilities": {
            "traditional": _capability_rows(TraditionalCapabilityResult, evaluation),
            "discriminant": _capability_rows(DiscriminantCapabilityResult, evaluation),
        },
        "likelihood_relations": tuple(
            map(LikelihoodRelationResult.model_validate, evaluation.likelihood_relations)
        ),
        "dataset_values": tuple(
            row for comparison in datasets for row in dataset_value_rows(comparison)
        ),
        "dataset_ranks": tuple(
            row for comparison in datasets for row in dataset_rank_rows(comparison)
        ),
        "dataset_tests": tuple(
            row for comparison in datasets for row in dataset_test_rows(comparison)
        ),
        "prevalence": tuple(map(_prevalence_row, evaluation.prevalence_values)),
        "prevalence_crossings": tuple(
            map(PrevalenceCrossingResult.model_validate, evaluation.prevalence_crossovers)
        ),
        "prevalence_curves": tuple(
            map(PrevalenceCurveResult.model_validate, evaluation.prevalence_curves)
        ),
        "chance": _chance_result(evaluation),
        "curves": tuple(curve_rows(evaluation)),
        "thresholds": tuple(threshold_rows(evaluation)),
        "operating_points": tuple(operating_point_rows(evaluation)),
        "decision_context": tuple(decision_context_rows(evaluation)),
        "decision_curves": tuple(decision_curve_rows(evaluation)),
        "cost_ranges": tuple(cost_range_rows(evaluation)),
        "top_fractions": tuple(top_fraction_rows(evaluation)),
        "constrained_rates": tuple(constrained_rate_rows(evaluation)),
        "natural_frequencies": tuple(natural_frequency_rows(evaluation)),
        "calibration": tuple(map(CalibrationResult.model_validate, evaluation.calibration)),
        "calibration_bins": tuple(calibration_bin_rows(evaluation)),
        "calibration_curves": tuple(calibration_curve_rows(evaluation)),
        "calibration_bands": tuple(calibration_band_rows(evaluation)),
        "calibration_decomposition": tuple(calibration_decomposition_rows(evaluation)),
        "miscalibration_comparisons": tuple(
            map(
                MiscalibrationComparisonResult.model_validate,
                evaluation.miscalibration_comparisons,
            )
        ),
        "fold_audits": tuple(fold_audit_rows(evaluation)),
        "fold_classes": tuple(fold_class_rows(evaluation)),
        "fold_designs": tuple(fold_design_rows(evaluation)),
        "fold_differences": tuple(fold_difference_rows(evaluation)),
        "fold_tests": tuple(map(FoldTestResult.model_validate, evaluation.fold_test_details)),
        "residuals": tuple(map(ResidualResult.model_validate, evaluation.residual_summaries)),
        "residual_groups": tuple(
            map(ResidualGroupResult.model_validate, evaluation.residual_groups)
        ),
        "confusions": tuple(map(ClassConfusionResult.model_validate, evaluation.confusions)),
        "mistakes": tuple(mistake_rows(evaluation)),
        "mistake_examples": tuple(mistake_example_rows(evaluation)),
        "likelihood_points": tuple(
            map(LikelihoodPointResult.model_validate, evaluation.likelihood_points)
        ),
        "majority_baseline": tuple(majority_baseline_rows(evaluation)),
        "ratios": tuple(ratio_rows(evaluation)),
        "gates": tuple(map(GateResult.model_validate, evaluation.gates)),
        "changes": tuple(change_rows(evaluation.drift)),
        "change_verdicts": tuple(change_verdict_rows(evaluation.drift)),
        "monitoring": tuple(monitoring_rows(evaluation.monitoring)),
        "published": tuple(map(PublishedValueResult.model_validate, evaluation.published)),
        "warnings": evaluation.warnings,
    }


def _primary_measure_rows(evaluation: Evaluation) -> ResultRows:
    primary = evaluation.primary_measure
    # Comparisons over several data sets mark their own.
    if primary is None or evaluation.datasets:
        return ()
    row = PrimaryMeasureResult(
        measure=primary.measure.name, average=primary.average, reason=primary.reason
    )
    return (row,)


def _confusion_rows(evaluation: Evaluation) -> ResultRows:
    counts = evaluation.aggregates.confusion
    if evaluation.aggregates.labels:
        return tuple(_label_confusion_rows(evaluation))
    return () if counts is None else ConfusionMatrixRows(counts, evaluation.measured_classifiers)


def _label_confusion_rows(evaluation: Evaluation) -> Iterator[ConfusionResult]:
    """Yield the confusion matrix of every label of a multilabel task."""
    for part in evaluation.aggregates.labels.values():
        if part.confusion is not None:
            for name in evaluation.measured_classifiers:
                for fold in (None, *part.confusion.folds(name)):
                    yield ConfusionResult(
                        classifier=name,
                        fold=fold,
                        classes=part.classes,
                        counts=part.confusion.matrix(name, fold),
                    )


def _value_rows(evaluation: Evaluation) -> MeasureValueRows:
    # A value per class and fold would multiply the file; `folds` has their mean and variance.
    frame = evaluation.value_table
    return MeasureValueRows(frame.filter(frame["class"].is_null() | frame["fold"].is_null()))


def _coverage_rows(evaluation: Evaluation) -> tuple[CoverageResult, ...]:
    abstention = evaluation.abstention
    if abstention is None:
        return ()
    return tuple(
        CoverageResult(
            classifier=row.classifier,
            policy=abstention.policy,
            cases=row.cases,
            answered=row.answered,
            share=row.share,
            low=row.low,
            high=row.high,
        )
        for row in abstention.coverage
    )


def _alternative_rows(evaluation: Evaluation) -> tuple[AlternativeValueResult, ...]:
    abstention = evaluation.abstention
    if abstention is None:
        return ()
    return tuple(
        AlternativeValueResult.model_validate(
            {
                "classifier": row.classifier,
                "average": row.average,
                "measure": row.measure,
                "unanswered": row.unanswered,
                "cases": row.cases,
                "value": row.value.value,
                "low": row.value.low,
                "high": row.value.high,
                "method": row.value.method,
            }
        )
        for row in abstention.alternative_values
    )


def _capability_rows(
    row_type: type[TraditionalCapabilityResult | DiscriminantCapabilityResult],
    evaluation: Evaluation,
) -> ResultRows:
    rows = (*evaluation.capabilities, *evaluation.average_capabilities)
    return CapabilityTableRows(row_type, rows) if rows else ()


def _prevalence_row(row: PrevalenceValues) -> PrevalenceResult:
    values: dict[str, float | None] = {}
    for name, score in row.values.items():
        values |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
    return PrevalenceResult.model_validate(
        {
            "classifier": row.classifier,
            "target": row.target,
            "observed": row.observed,
            **values,
        }
    )


def _chance_result(evaluation: Evaluation) -> ChanceResult:
    audit = evaluation.chance
    if audit is None:
        return ChanceResult()
    return ChanceResult(
        classifiers=tuple(map(ChanceClassifierResult.model_validate, audit.comparisons)),
        tables=tuple(map(ChanceTableResult.model_validate, audit.table_cells)),
        published=tuple(map(ChancePublishedResult.model_validate, audit.published_checks)),
    )


def _to_models(part: ResultPart) -> object:
    """Return a part with every row as a model."""
    match part:
        case ColumnarRows():
            return tuple(part.models())
        case dict():
            return {name: _to_models(rows) for name, rows in part.items()}
        case _:
            return part


def _iter_json(part: object, line_break: str) -> Iterator[str]:
    """Yield the JSON of a part, one row per line; a part without rows is on one line."""
    match part:
        case ResultModel():
            yield from _iter_json(_to_plain(part), line_break)
        case dict() if any(_has_rows(value) for value in part.values()):
            start = "{"
            for name, value in part.items():
                yield f"{start}{line_break}  {encode_json(name)}: "
                yield from _iter_json(value, f"{line_break}  ")
                start = ","
            yield f"{line_break}}}"
        case ColumnarRows():
            yield from _iter_json_rows(part.json_lines(), line_break)
        case tuple() | list():
            yield from _iter_json_rows([encode_json(_to_plain(row)) for row in part], line_break)
        case _:
            yield encode_json(part)


def _iter_json_rows(rows: Sequence[str], line_break: str) -> Iterator[str]:
    separator = f",{line_break}  "
    yield from (f"[{line_break}  ", separator.join(rows), f"{line_break}]") if rows else ("[]",)


def _has_rows(value: object) -> bool:
    return isinstance(value, (tuple, list, ColumnarRows)) and bool(value)


def _to_plain(row: object) -> object:
    return row.model_dump(mode="json", by_alias=True) if isinstance(row, ResultModel) else row
