"""Rows of results.json on diagnostics: calibration, folds, residuals, confusions and others."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from reportgen.export.rows import ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.calibration import CalibrationCurve
    from reportgen.evaluation.evaluation import Evaluation


class OperatingPointResult(ResultModel):
    """Counts and rates of a classifier with scores at one threshold."""

    classifier: str
    """The classifier."""
    class_: str = Field(alias="class")
    """The class predicted for scores of at least the threshold."""
    kind: Literal["as_predicted", "youden"]
    """The predictions as read, or those at the threshold with the highest Youden's index."""
    threshold: float | None
    """The threshold; null: infinite, or no threshold of the score gives these predictions."""
    rounded: float | None
    """The threshold with the fewest digits that predicts the same cases; null as above."""
    tp: int | float
    """True positives."""
    fn: int | float
    """False negatives."""
    fp: int | float
    """False positives."""
    tn: int | float
    """True negatives."""
    sensitivity: float | None
    """Sensitivity; null: the class has no cases."""
    specificity: float | None
    """Specificity; null: no case belongs to another class."""
    precision: float | None
    """Precision; null: no case is predicted as the class."""
    cost_per_case: float | None
    """The cost per case; null: the spec has no costs."""


class CalibrationResult(ResultModel):
    """The root mean square calibration error of a classifier's probabilities."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """The positive class, or the label of a multilabel task; null: the predicted class."""
    rms_error: float
    """Root mean square gap between predicted and observed proportions over the bins."""
    debiased_rms_error: float
    """The same, corrected for the bias of binning (Kumar, Liang and Ma 2019)."""


class CalibrationBinResult(ResultModel):
    """A bin of a reliability diagram."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in calibration."""
    lower: float
    """The lowest probability of the bin."""
    upper: float
    """The highest probability of the bin."""
    cases: int | float
    """The number of predictions in the bin."""
    hits: int | float
    """The number of them that belong to the class."""
    mean_probability: float
    """The mean predicted probability."""
    observed: float
    """The observed proportion of the class."""
    low: float
    """The lower end of its Wilson interval."""
    high: float
    """The upper end of its Wilson interval."""


class CalibrationCurveResult(ResultModel):
    """A horizontal piece of a reliability curve by isotonic regression (CORP)."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """The class whose probability is meant; null: the top label of a multiclass task."""
    line: int
    """The number of the line: lines are not connected, as no case has a probability in between."""
    lower: float
    """The lowest probability of the piece."""
    upper: float
    """The highest probability of the piece."""
    calibrated: float
    """The recalibrated probability: the proportion of hits of the block."""
    cases: int | float
    """The number of predictions in the piece."""
    hits: int | float
    """The number of them in which the event occurred."""


class CalibrationBandResult(ResultModel):
    """The consistency band of a reliability curve at one probability."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in calibration_curves."""
    line: int
    """As in calibration_curves."""
    probability: float
    """The predicted probability."""
    low: float
    """The lower limit of the recalibrated probability if the classifier is calibrated."""
    high: float
    """The upper limit of the recalibrated probability if the classifier is calibrated."""
    calibrated: float
    """The recalibrated probability."""
    outside: bool
    """Whether it is outside the band."""


class CalibrationDecompositionResult(ResultModel):
    """Decomposition of the Brier score and the log loss, and logistic recalibration.

    A score is miscalibration − discrimination + uncertainty. Null: infinite, or undefined for the
    reason in `undefined_reason`.
    """

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in calibration_curves."""
    cases: int | float
    """The number of cases."""
    observed: float
    """The proportion of hits."""
    mean_probability: float
    """The mean predicted probability."""
    bias: float
    """The mean predicted probability minus the proportion of hits."""
    bias_low: float
    """The lower limit of its confidence interval."""
    bias_high: float
    """The upper limit of its confidence interval."""
    brier: float
    """The Brier score of this probability, the others taken as its complement."""
    miscalibration: float
    """The miscalibration (MCB) of the Brier score."""
    discrimination: float
    """The discrimination (DSC) of the Brier score."""
    uncertainty: float
    """The uncertainty (UNC) of the Brier score."""
    expected_miscalibration: float | None
    """The mean miscalibration of calibrated probabilities; null: not resampled."""
    p: float | None
    """How probable such a miscalibration is if calibrated, unadjusted; null: not tested."""
    p_adjusted: float | None
    """The same, adjusted over the classifiers (Holm), apart from the families of the report."""
    kinds: str | None
    """The directions of a significant miscalibration, such as "over-confident, over-prediction"."""
    log_loss: float | None
    """The log loss of this probability in nats."""
    log_loss_miscalibration: float | None
    """The miscalibration of the log loss."""
    log_loss_discrimination: float | None
    """The discrimination of the log loss."""
    log_loss_uncertainty: float | None
    """The uncertainty of the log loss."""
    slope: float | None
    """The calibration slope: of the logit in a logistic regression of the hits (Cox 1958)."""
    slope_low: float | None
    """The lower limit of its confidence interval."""
    slope_high: float | None
    """The upper limit of its confidence interval."""
    intercept: float | None
    """The calibration intercept of the same regression."""
    intercept_low: float | None
    """The lower limit of its confidence interval."""
    intercept_high: float | None
    """The upper limit of its confidence interval."""
    shift: float | None
    """Calibration in the large: the intercept with the slope fixed at 1."""
    shift_low: float | None
    """The lower limit of its confidence interval."""
    shift_high: float | None
    """The upper limit of its confidence interval."""
    undefined_reason: str | None
    """Why there is no logistic recalibration; null: there is one."""
    excluded_cases: int
    """The cases that it leaves out, because their probability is exactly 0 or 1."""


class MiscalibrationComparisonResult(ResultModel):
    """The paired test of the miscalibrations of two classifiers, first minus second."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    class_: str | None = Field(alias="class")
    """As in calibration."""
    difference: float
    """The difference of the miscalibrations (MCB of the Brier score)."""
    excess: float
    """The difference beyond that expected of calibrated probabilities, which is tested."""
    low: float
    """The lower limit of its confidence interval."""
    high: float
    """The upper limit of its confidence interval."""
    statistic: float
    """The z-statistic."""
    p: float
    """The p-value."""
    p_adjusted: float
    """The p-value adjusted over the pairs (Holm), apart from the families of the report."""


class FoldAuditResult(ResultModel):
    """The sizes of a classifier's folds, and whether they are stratified."""

    classifier: str
    """The classifier."""
    folds: int
    """The number of folds."""
    smallest: int | float
    """The cases of the smallest fold."""
    largest: int | float
    """The cases of the largest fold."""
    verdict: Literal["stratified", "not stratified", "too small to stratify"]
    """Whether every class has its proportion in every fold, up to one case."""
    chi_square: float | None
    """Chi-square of fold by class; null: there is one fold or one class."""
    df: int
    """Its degrees of freedom."""
    p: float | None
    """Its p-value; null: cases are in several folds, or there is no statistic."""


class FoldClassResult(ResultModel):
    """The proportion of a class over the folds of a classifier."""

    classifier: str
    """The classifier."""
    class_: str = Field(alias="class")
    """The class."""
    proportion: float
    """Its proportion of all cases."""
    min_proportion: float
    """Its smallest proportion in a fold."""
    max_proportion: float
    """Its largest proportion in a fold."""
    folds_without_class: int
    """The number of folds without a case of it."""


class FoldDesignResult(ResultModel):
    """The cross-validation design that two classifiers share, or why they cannot be compared."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    folds: int
    """The number of folds of the first."""
    repeats: int | None
    """The number of repetitions of cross-validation; null: the folds differ."""
    folds_per_repeat: float | None
    """Folds divided by repeats; null: the folds differ."""
    test_train_ratio: float | None
    """Test cases per training case; null: unknown."""
    ratio_source: Literal["spec", "sizes", "number of folds"] | None
    """Where that ratio comes from."""
    mismatch_reason: str | None
    """Why they are not compared over folds; null: they are."""


class FoldDifferenceResult(ResultModel):
    """The difference of two classifiers in one fold, first minus second."""

    first: str
    """The best classifier by its mean over the folds, or one that is compared with a baseline."""
    second: str
    """The other classifier, or the baseline."""
    measure: str
    """The name of the measure."""
    fold: str
    """The fold."""
    difference: float | None
    """The value of the first minus that of the second; null: not both are finite."""


class FoldTestResult(ResultModel):
    """A t-test over folds: its standard error and critical value. Its p-value is in comparisons."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    measure: str
    """The name of the measure."""
    test: str
    """The test."""
    df: float
    """Degrees of freedom."""
    standard_error: float | None
    """The difference divided by t; null: t is 0 or there is none."""
    critical_value: float
    """The critical value of t at the significance level of the report."""


class ResidualResult(ResultModel):
    """Quantiles of the residuals of a model, in the unit of the truth."""

    classifier: str
    """The model."""
    half_within: float
    """The median absolute residual."""
    most_within: float
    """The 0.9 quantile of the absolute residuals."""
    median_residual: float
    """The median of true minus predicted."""


class ResidualGroupResult(ResultModel):
    """Cases with neighbouring predicted values, and the sign test of their residuals."""

    classifier: str
    """The model."""
    group: int = Field(validation_alias="index")
    """The index of the group; 0 has the lowest values."""
    n_groups: int
    """The number of groups."""
    proportion: float
    """The proportion of all cases."""
    minimum: float
    """The lowest value."""
    median: float
    """The median value."""
    maximum: float
    """The highest value."""
    median_residual: float
    """The median of true minus predicted."""
    n_underestimated: int
    """The number of predictions that are too low."""
    n_overestimated: int
    """The number of predictions that are too high."""
    p: float
    """The p-value of the two-sided sign test."""
    p_adjusted: float
    """The p-value by Bonferroni over the groups of all models."""
    biased: bool = Field(validation_alias="is_biased")
    """Whether it is at most the significance level of the report."""


class MistakesResult(ResultModel):
    """The mistakes of a classifier on the cases that all classifiers have in common."""

    classifier: str
    """The classifier."""
    cases: int
    """The number of cases, each counted once whatever its weight."""
    wrong: int
    """Cases that it predicts wrongly."""
    confident: int | None
    """Of them with a probability of at least 0.9 of the predicted class; null: no probabilities."""
    only_right: int | None
    """Cases that only this classifier predicts right; null: there is no other."""
    only_wrong: int | None
    """Cases that only this classifier predicts wrongly; null: there is no other."""
    all_right: int
    """Cases that all classifiers predict right."""
    all_wrong: int
    """Cases that all classifiers predict wrongly."""


class MistakeExampleResult(ResultModel):
    """A case of the error analysis by its id, listed on request only (`error_examples`)."""

    kind: Literal["confident", "only_right", "all_wrong"]
    """A confident mistake, a case that only this classifier gets right, or one all get wrong."""
    classifier: str | None
    """The classifier; null: all."""
    rank: int
    """The place in the list, the most confident mistake being first."""
    id: str
    """The id of the case."""
    truth: str
    """The true class."""
    predicted: str
    """The wrong class, or the wrong classes of several classifiers separated by semicolons."""
    confidence: float | None
    """The probability of the predicted class, a mean where several classifiers are wrong.

    Of a ranking score it is the proportion of cases with a lower score or, for a negative
    prediction, a higher one. Null: no score.
    """


class ClassConfusionResult(ResultModel):
    """A cell of a confusion matrix as a proportion of the true class.

    All cells of up to 8 classes; of more, the most frequent confusions of any classifier.
    """

    classifier: str
    """The classifier."""
    truth: str
    """The true class."""
    prediction: str
    """The predicted class."""
    count: int | float
    """The number of cases."""
    cases: int | float
    """The number of cases of the true class."""
    proportion: float | None
    """Count divided by cases; null: the class has none."""
    low: float | None
    """The lower limit of its confidence interval."""
    high: float | None
    """The upper limit of its confidence interval."""
    rank: int | None
    """The rank among the classifier's most frequent confusions; null: not among them."""
    ties: int
    """The number of other confusions of the classifier with the same count."""


class LikelihoodPointResult(ResultModel):
    """The position of a classifier in the likelihood-ratio graph."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    swapped: bool
    """Whether predictions were swapped, because the likelihood ratios are below 1."""
    fpr: float
    """The false positive rate."""
    fpr_low: float
    """The lower end of its Wilson interval."""
    fpr_high: float
    """The upper end of its Wilson interval."""
    tpr: float
    """The true positive rate."""
    tpr_low: float
    """The lower end of its Wilson interval."""
    tpr_high: float
    """The upper end of its Wilson interval."""


class MajorityBaselineResult(ResultModel):
    """The accuracy of a classifier against always predicting the largest class."""

    classifier: str
    """The classifier."""
    class_: str = Field(alias="class")
    """The largest class."""
    proportion: float
    """Its proportion of the cases, which is the accuracy of the baseline."""
    accuracy: float | None
    """The accuracy of the classifier."""
    low: float
    """The lower limit of its confidence interval."""
    high: float
    """The upper limit of its confidence interval."""
    position: Literal["above", "below", "containing"]
    """Whether the interval lies above or below the proportion, or contains it."""
    p: float
    """The p-value of the one-sided exact binomial test that accuracy exceeds the proportion, the
    no-information rate; not adjusted for other tests."""
    kappa: float | None
    """Cohen's kappa as this test uses it; null: it does not vary."""
    kappa_statistic: float | None
    """The statistic of the test that Cohen's kappa is 0; null: it does not vary."""
    kappa_p: float | None
    """The two-sided p-value of this test; not adjusted for other tests."""


class RatioResult(ResultModel):
    """The ratio of a measure of two classifiers on the same cases, first over second."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    measure: str
    """The name of the measure: of the positive class, or accuracy."""
    kind: Literal["ratio", "odds ratio"]
    """The ratio of the values, or the odds ratio of McNemar's discordant pairs: cases that only
    the first predicts correctly over those that only the second does."""
    ratio: float | None
    """The ratio; null: infinite."""
    low: float
    """The lower confidence limit."""
    high: float | None
    """The upper confidence limit; null: infinite."""
    method: str
    """How the limits are computed."""


class PrevalenceCurveResult(ResultModel):
    """A measure of a classifier as a function of prevalence."""

    classifier: str
    """The classifier."""
    measure: str
    """The name of the measure."""
    points: tuple[tuple[float, float], ...]
    """Prevalence and value, where it is defined."""


def operating_point_rows(evaluation: Evaluation) -> Iterator[OperatingPointResult]:
    """Yield the operating points of classifiers that have scores."""
    for point in evaluation.operating_points:
        row = OperatingPointResult.model_validate(point)
        infinite = row.threshold is not None and math.isinf(row.threshold)
        yield row.model_copy(update={"threshold": None, "rounded": None}) if infinite else row


def calibration_bin_rows(evaluation: Evaluation) -> Iterator[CalibrationBinResult]:
    """Yield the bins of every reliability diagram."""
    for calibration in evaluation.calibration:
        for bin_ in calibration.bins:
            yield CalibrationBinResult.model_validate(
                {
                    "classifier": calibration.classifier,
                    "class": calibration.class_,
                    **asdict(bin_),
                }
            )


def calibration_curve_rows(evaluation: Evaluation) -> Iterator[CalibrationCurveResult]:
    """Yield the pieces of all reliability curves."""
    for curve in _calibration_curves(evaluation):
        key = {"classifier": curve.classifier, "class": curve.class_}
        for piece in curve.pieces:
            yield CalibrationCurveResult.model_validate({**key, **asdict(piece)})


def calibration_band_rows(evaluation: Evaluation) -> Iterator[CalibrationBandResult]:
    """Yield the points of all consistency bands."""
    for curve in _calibration_curves(evaluation):
        key = {"classifier": curve.classifier, "class": curve.class_}
        for point in curve.band:
            yield CalibrationBandResult.model_validate({**key, **asdict(point)})


def calibration_decomposition_rows(
    evaluation: Evaluation,
) -> Iterator[CalibrationDecompositionResult]:
    """Yield the decomposition and the recalibration, overall and by class."""
    for curve in _calibration_curves(evaluation):
        log_loss = {
            "log_loss": curve.log_loss.score,
            "log_loss_miscalibration": curve.log_loss.miscalibration,
            "log_loss_discrimination": curve.log_loss.discrimination,
            "log_loss_uncertainty": curve.log_loss.uncertainty,
        }
        coefficients: dict[str, float | None] = {}
        for name, coefficient in (
            ("slope", curve.slope),
            ("intercept", curve.intercept),
            ("shift", curve.shift),
            ("bias", curve.bias),
        ):
            for suffix, field in (("", "value"), ("_low", "low"), ("_high", "high")):
                coefficients[name + suffix] = (
                    None if coefficient is None else getattr(coefficient, field)
                )
        yield CalibrationDecompositionResult.model_validate(
            {
                "classifier": curve.classifier,
                "class": curve.class_,
                "cases": curve.cases,
                "observed": curve.observed,
                "mean_probability": curve.mean_probability,
                "brier": curve.brier.score,
                "miscalibration": curve.brier.miscalibration,
                "discrimination": curve.brier.discrimination,
                "uncertainty": curve.brier.uncertainty,
                "expected_miscalibration": curve.expected_miscalibration,
                "p": curve.p,
                "p_adjusted": curve.p_adjusted,
                "kinds": ", ".join(curve.kinds) or None,
                **{name: part if math.isfinite(part) else None for name, part in log_loss.items()},
                **coefficients,
                "undefined_reason": curve.undefined_reason,
                "excluded_cases": curve.excluded_cases,
            }
        )


def _calibration_curves(evaluation: Evaluation) -> Iterator[CalibrationCurve]:
    for calibration in evaluation.calibration:
        yield calibration.overall
        yield from calibration.by_class


def fold_audit_rows(evaluation: Evaluation) -> Iterator[FoldAuditResult]:
    """Yield the sizes of folds, a row per classifier."""
    for audit in evaluation.fold_audits:
        for classifier in audit.classifiers:
            yield FoldAuditResult(
                classifier=classifier,
                folds=len(audit.folds),
                smallest=min(audit.sizes),
                largest=max(audit.sizes),
                verdict=audit.verdict.value,
                chi_square=audit.chi_square,
                df=audit.df,
                p=audit.p,
            )


def fold_class_rows(evaluation: Evaluation) -> Iterator[FoldClassResult]:
    """Yield the proportions of classes over folds, a row per classifier and class."""
    for audit in evaluation.fold_audits:
        for classifier in audit.classifiers:
            for fold_class in audit.classes:
                yield FoldClassResult.model_validate(
                    {
                        "classifier": classifier,
                        "class": fold_class.class_,
                        "proportion": fold_class.proportion,
                        "min_proportion": fold_class.min_proportion,
                        "max_proportion": fold_class.max_proportion,
                        "folds_without_class": len(fold_class.folds_without_class),
                    }
                )


def fold_design_rows(evaluation: Evaluation) -> Iterator[FoldDesignResult]:
    """Yield the cross-validation design of every pair of classifiers."""
    for pair in evaluation.fold_pairs:
        design = pair.design
        yield FoldDesignResult(
            first=pair.first,
            second=pair.second,
            folds=len(pair.folds),
            repeats=None if design is None else design.repeats,
            folds_per_repeat=None if design is None else design.folds / design.repeats,
            test_train_ratio=None if design is None else design.test_train_ratio,
            ratio_source=None if design is None else design.ratio_source,
            mismatch_reason=pair.mismatch_reason,
        )


def fold_difference_rows(evaluation: Evaluation) -> Iterator[FoldDifferenceResult]:
    """Yield the differences by fold."""
    for pair in evaluation.fold_differences:
        for fold, difference in pair.differences.items():
            yield FoldDifferenceResult(
                first=pair.first,
                second=pair.second,
                measure=pair.measure,
                fold=fold,
                difference=difference,
            )


def mistake_rows(evaluation: Evaluation) -> Iterator[MistakesResult]:
    """Yield the mistakes of each classifier with predictions."""
    mistakes = evaluation.aggregates.mistakes
    if mistakes is None:
        return
    for row in mistakes.classifiers:
        yield MistakesResult(
            **asdict(row),
            cases=mistakes.cases,
            all_right=mistakes.all_right,
            all_wrong=mistakes.all_wrong,
        )


def mistake_example_rows(evaluation: Evaluation) -> Iterator[MistakeExampleResult]:
    """Yield the cases listed by id, if the spec requests them."""
    mistakes = evaluation.aggregates.mistakes
    for example in () if mistakes is None else mistakes.examples:
        yield MistakeExampleResult.model_validate(example)


def majority_baseline_rows(evaluation: Evaluation) -> Iterator[MajorityBaselineResult]:
    """Yield the comparisons with the majority-class baseline."""
    baseline = evaluation.majority_baseline
    if baseline is None:
        return
    for comparison in baseline.comparisons:
        yield MajorityBaselineResult.model_validate(
            {
                "classifier": comparison.classifier,
                "class": baseline.class_,
                "proportion": baseline.proportion,
                "accuracy": comparison.value.value,
                "low": comparison.value.low,
                "high": comparison.value.high,
                "position": comparison.position,
                "p": comparison.p,
                "kappa": None if comparison.kappa is None else comparison.kappa.kappa,
                "kappa_statistic": None if comparison.kappa is None else comparison.kappa.statistic,
                "kappa_p": None if comparison.kappa is None else comparison.kappa.p,
            }
        )


def ratio_rows(evaluation: Evaluation) -> Iterator[RatioResult]:
    """Yield the ratios of measures of two classifiers on the same cases."""
    for row in evaluation.ratios:
        low, high = row.estimate.interval.low, row.estimate.interval.high
        yield RatioResult.model_validate(
            {
                "first": row.first,
                "second": row.second,
                "measure": row.measure,
                "kind": row.kind,
                "ratio": row.estimate.ratio if math.isfinite(row.estimate.ratio) else None,
                "low": low,
                "high": high if math.isfinite(high) else None,
                "method": row.method,
            }
        )
