"""results.json from an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reportgen.export import decision_rows as decisions
from reportgen.export import diagnostic_rows as diagnostics
from reportgen.export import rows
from reportgen.export.columnar_json import (
    CapabilityTableRows,
    ColumnarRows,
    ComparisonRows,
    ConfusionMatrixRows,
    MeasureValueRows,
    encode_json,
)
from reportgen.export.control_characters import escape_in_json
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

    ResultRows: TypeAlias = ColumnarRows | tuple[str | rows.ResultModel, ...]
    ResultPart: TypeAlias = str | rows.ResultModel | ResultRows | Mapping[str, ResultRows]


def build_results(evaluation: Evaluation) -> Results:
    """Return the results of an evaluation as the model of results.json."""
    return Results.model_validate(
        {name: _to_models(part) for name, part in result_parts(evaluation).items()}
    )


def results_json(evaluation: Evaluation) -> str:
    """Return results.json with one row per line, so that two runs can be compared line by line."""
    return escape_in_json("".join((*_iter_json(result_parts(evaluation), "\n"), "\n")))


def result_parts(evaluation: Evaluation) -> dict[str, ResultPart]:
    """Return all results, by their name in results.json."""
    task, datasets = evaluation.spec.task, evaluation.datasets
    return {
        "schema": RESULTS_SCHEMA,
        "title": evaluation.spec.title,
        "task": TaskResult(
            kind=task.kind, classes=evaluation.aggregates.classes, positive=task.positive
        ),
        "about": tuple(decisions.about_rows(evaluation.spec)),
        "decision": tuple(decisions.decision_rows(evaluation)),
        "recommendation": tuple(decisions.recommendation_rows(evaluation)),
        "decision_options": tuple(decisions.decision_option_rows(evaluation.recommendation)),
        "decision_values": tuple(decisions.decision_value_rows(evaluation)),
        "error_counts": tuple(decisions.error_count_rows(evaluation.recommendation)),
        "decision_changes": tuple(decisions.decision_change_rows(evaluation.recommendation)),
        "decision_comparisons": tuple(
            map(rows.ComparisonResult.model_validate, evaluation.decision_comparisons)
        ),
        "inputs": tuple(map(rows.InputResult.model_validate, evaluation.aggregates.inputs)),
        "confusion": _confusion_rows(evaluation),
        "values": _value_rows(evaluation),
        "design": tuple(map(rows.DesignResult.model_validate, evaluation.design)),
        "coverage": _coverage_rows(evaluation),
        "alternative_values": _alternative_rows(evaluation),
        "folds": tuple(map(rows.FoldSummaryResult.model_validate, evaluation.fold_summaries)),
        "comparisons": ComparisonRows((*evaluation.comparisons, *evaluation.segment_comparisons)),
        "primary_measure": _primary_measure_rows(evaluation),
        "rank_sets": tuple(map(rows.RankSetResult.model_validate, evaluation.rank_sets)),
        "omnibus": tuple(map(rows.OmnibusTestResult.model_validate, evaluation.omnibus_tests)),
        "capabilities": {
            "traditional": _capability_rows(TraditionalCapabilityResult, evaluation),
            "discriminant": _capability_rows(DiscriminantCapabilityResult, evaluation),
        },
        "likelihood_relations": tuple(
            map(rows.LikelihoodRelationResult.model_validate, evaluation.likelihood_relations)
        ),
        "dataset_values": tuple(
            row for comparison in datasets for row in rows.dataset_value_rows(comparison)
        ),
        "dataset_ranks": tuple(
            row for comparison in datasets for row in rows.dataset_rank_rows(comparison)
        ),
        "dataset_tests": tuple(
            row for comparison in datasets for row in rows.dataset_test_rows(comparison)
        ),
        "prevalence": tuple(map(_prevalence_row, evaluation.prevalence_values)),
        "prevalence_crossings": tuple(
            map(rows.PrevalenceCrossingResult.model_validate, evaluation.prevalence_crossovers)
        ),
        "prevalence_curves": tuple(
            map(diagnostics.PrevalenceCurveResult.model_validate, evaluation.prevalence_curves)
        ),
        "chance": _chance_result(evaluation),
        "curves": tuple(rows.curve_rows(evaluation)),
        "thresholds": tuple(rows.threshold_rows(evaluation)),
        "operating_points": tuple(diagnostics.operating_point_rows(evaluation)),
        "decision_context": tuple(decisions.decision_context_rows(evaluation)),
        "decision_curves": tuple(decisions.decision_curve_rows(evaluation)),
        "cost_ranges": tuple(decisions.cost_range_rows(evaluation)),
        "top_fractions": tuple(decisions.top_fraction_rows(evaluation)),
        "constrained_rates": tuple(decisions.constrained_rate_rows(evaluation)),
        "natural_frequencies": tuple(decisions.natural_frequency_rows(evaluation)),
        "calibration": tuple(
            map(diagnostics.CalibrationResult.model_validate, evaluation.calibration)
        ),
        "calibration_bins": tuple(diagnostics.calibration_bin_rows(evaluation)),
        "calibration_curves": tuple(diagnostics.calibration_curve_rows(evaluation)),
        "calibration_bands": tuple(diagnostics.calibration_band_rows(evaluation)),
        "calibration_decomposition": tuple(diagnostics.calibration_decomposition_rows(evaluation)),
        "miscalibration_comparisons": tuple(
            map(
                diagnostics.MiscalibrationComparisonResult.model_validate,
                evaluation.miscalibration_comparisons,
            )
        ),
        "fold_audits": tuple(diagnostics.fold_audit_rows(evaluation)),
        "fold_classes": tuple(diagnostics.fold_class_rows(evaluation)),
        "fold_designs": tuple(diagnostics.fold_design_rows(evaluation)),
        "fold_differences": tuple(diagnostics.fold_difference_rows(evaluation)),
        "fold_tests": tuple(
            map(diagnostics.FoldTestResult.model_validate, evaluation.fold_test_details)
        ),
        "residuals": tuple(
            map(diagnostics.ResidualResult.model_validate, evaluation.residual_summaries)
        ),
        "residual_groups": tuple(
            map(diagnostics.ResidualGroupResult.model_validate, evaluation.residual_groups)
        ),
        "confusions": tuple(
            map(diagnostics.ClassConfusionResult.model_validate, evaluation.confusions)
        ),
        "mistakes": tuple(diagnostics.mistake_rows(evaluation)),
        "mistake_examples": tuple(diagnostics.mistake_example_rows(evaluation)),
        "likelihood_points": tuple(
            map(diagnostics.LikelihoodPointResult.model_validate, evaluation.likelihood_points)
        ),
        "majority_baseline": tuple(diagnostics.majority_baseline_rows(evaluation)),
        "ratios": tuple(diagnostics.ratio_rows(evaluation)),
        "gates": tuple(map(rows.GateResult.model_validate, evaluation.gates)),
        "changes": tuple(rows.change_rows(evaluation.drift)),
        "change_verdicts": tuple(rows.change_verdict_rows(evaluation.drift)),
        "input_changes": tuple(rows.input_change_rows(evaluation.drift)),
        "monitoring": tuple(rows.monitoring_rows(evaluation.monitoring)),
        "published": tuple(map(rows.PublishedValueResult.model_validate, evaluation.published)),
        "warnings": evaluation.warnings,
    }


def _primary_measure_rows(evaluation: Evaluation) -> ResultRows:
    primary = evaluation.primary_measure
    # Comparisons over several data sets mark their own.
    if primary is None or evaluation.datasets:
        return ()
    row = rows.PrimaryMeasureResult(
        measure=primary.measure.name, average=primary.average, reason=primary.reason
    )
    return (row,)


def _confusion_rows(evaluation: Evaluation) -> ResultRows:
    counts = evaluation.aggregates.confusion
    if evaluation.aggregates.labels:
        return tuple(_label_confusion_rows(evaluation))
    return () if counts is None else ConfusionMatrixRows(counts, evaluation.measured_classifiers)


def _label_confusion_rows(evaluation: Evaluation) -> Iterator[rows.ConfusionResult]:
    """Yield the confusion matrix of every label of a multilabel task."""
    for part in evaluation.aggregates.labels.values():
        if part.confusion is not None:
            for name in evaluation.measured_classifiers:
                for fold in (None, *part.confusion.folds(name)):
                    yield rows.ConfusionResult(
                        classifier=name,
                        fold=fold,
                        classes=part.classes,
                        counts=part.confusion.matrix(name, fold),
                    )


def _value_rows(evaluation: Evaluation) -> MeasureValueRows:
    # A value per class and fold would multiply the file; `folds` has their mean and variance.
    frame = evaluation.value_table
    return MeasureValueRows(frame.filter(frame["class"].is_null() | frame["fold"].is_null()))


def _coverage_rows(evaluation: Evaluation) -> tuple[rows.CoverageResult, ...]:
    abstention = evaluation.abstention
    if abstention is None:
        return ()
    return tuple(
        rows.CoverageResult(
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


def _alternative_rows(evaluation: Evaluation) -> tuple[rows.AlternativeValueResult, ...]:
    abstention = evaluation.abstention
    if abstention is None:
        return ()
    return tuple(
        rows.AlternativeValueResult.model_validate(
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
    capabilities = (*evaluation.capabilities, *evaluation.average_capabilities)
    return CapabilityTableRows(row_type, capabilities) if capabilities else ()


def _prevalence_row(row: PrevalenceValues) -> rows.PrevalenceResult:
    values: dict[str, float | None] = {}
    for name, score in row.values.items():
        values |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
    return rows.PrevalenceResult.model_validate(
        {
            "classifier": row.classifier,
            "target": row.target,
            "observed": row.observed,
            **values,
        }
    )


def _chance_result(evaluation: Evaluation) -> rows.ChanceResult:
    audit = evaluation.chance
    if audit is None:
        return rows.ChanceResult()
    return rows.ChanceResult(
        classifiers=tuple(map(rows.ChanceClassifierResult.model_validate, audit.comparisons)),
        tables=tuple(map(rows.ChanceTableResult.model_validate, audit.table_cells)),
        published=tuple(map(rows.ChancePublishedResult.model_validate, audit.published_checks)),
    )


def _to_models(part: ResultPart) -> object:
    """Return a part with every row as a model."""
    match part:
        case ColumnarRows():
            return tuple(part.models())
        case dict():
            return {name: _to_models(table) for name, table in part.items()}
        case _:
            return part


def _iter_json(part: object, line_break: str) -> Iterator[str]:
    """Yield the JSON of a part, one row per line; a part without rows is on one line."""
    match part:
        case rows.ResultModel():
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


def _iter_json_rows(lines: Sequence[str], line_break: str) -> Iterator[str]:
    separator = f",{line_break}  "
    yield from (f"[{line_break}  ", separator.join(lines), f"{line_break}]") if lines else ("[]",)


def _has_rows(value: object) -> bool:
    return isinstance(value, (tuple, list, ColumnarRows)) and bool(value)


def _to_plain(row: object) -> object:
    return row.model_dump(mode="json", by_alias=True) if isinstance(row, rows.ResultModel) else row
