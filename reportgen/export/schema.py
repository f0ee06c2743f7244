"""results.json as models and JSON Schema: a contract with programs that read it."""

from typing import Literal

from pydantic import Field

from reportgen.export import decision_rows as decisions
from reportgen.export import diagnostic_rows as diagnostics
from reportgen.export import rows
from reportgen.spec.schema import DescribedSchemaGenerator

RESULTS_SCHEMA: Literal["reportgen/results/1"] = "reportgen/results/1"


class TaskResult(rows.ResultModel):
    """The prediction task."""

    kind: Literal["binary", "multiclass", "ordinal", "multilabel", "regression"]
    """The kind of task."""
    classes: tuple[str, ...]
    """The classes, in the order of every matrix."""
    positive: str | None
    """The positive class of a binary task."""


class CapabilitySideResult(rows.ResultModel):
    """The rating on the positive or the negative side of a capability of two measures."""

    measure: str
    """The measure of this side."""
    value: float | None
    """Its value, after likelihood ratios below 1 were swapped; null when infinite."""
    verdict: str
    """The rating by the values."""
    significant: bool | None
    """Whether the tests confirm it; null: not tested."""
    p_adjusted: float | None
    """The largest adjusted p-value it needs."""
    rank: int
    """The observed rank."""
    of: int
    """The number of classifiers compared."""
    rank_low: int | None
    """The best rank that the tests do not exclude; null: not tested."""
    rank_high: int | None
    """The worst rank that the tests do not exclude; null: not tested."""


class CapabilityCellResult(rows.ResultModel):
    """A verdict in a capability table."""

    verdict: str
    """The rating by the values."""
    significant: bool | None
    """Whether the tests confirm it; null: not tested."""
    p_adjusted: float | None
    """The largest adjusted p-value it needs."""
    rank: int | None
    """The rank; of two sides, 1 plus the number of classifiers better on both."""
    of: int
    """The number of classifiers compared."""
    rank_low: int | None
    """The best rank that the tests do not exclude; null: not tested, or two sides."""
    rank_high: int | None
    """The worst rank that the tests do not exclude; null: not tested, or two sides."""
    positive: CapabilitySideResult | None
    """The rating on the positive class; null: a capability of one measure."""
    negative: CapabilitySideResult | None
    """The rating on the negative class; null: a capability of one measure."""
    grade_low: str | None
    """The lowest grade that the confidence interval covers; null: not rated by grades."""
    grade_high: str | None
    """The highest grade that the confidence interval covers; null: not rated by grades."""


class TraditionalCapabilityResult(rows.ResultModel):
    """A row of the table by traditional measures."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: str | None
    """The average over the classes that rates all of them; overall effectiveness: accuracy."""
    overall_effectiveness: CapabilityCellResult
    """By accuracy."""
    predictive_power: CapabilityCellResult
    """By precision and negative predictive value."""
    class_effectiveness: CapabilityCellResult
    """By sensitivity and specificity."""


class DiscriminantCapabilityResult(rows.ResultModel):
    """A row of the table by discriminant measures."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: str | None
    """The average over the classes that rates all of them; overall effectiveness: accuracy."""
    avoidance_of_failure: CapabilityCellResult
    """By Youden's index."""
    confirmation_of_classes: CapabilityCellResult
    """By the likelihood ratios."""
    discrimination_of_classes: CapabilityCellResult
    """By discriminant power."""


class CapabilitiesResult(rows.ResultModel):
    """Both capability tables."""

    traditional: tuple[TraditionalCapabilityResult, ...]
    """By traditional measures."""
    discriminant: tuple[DiscriminantCapabilityResult, ...]
    """By discriminant measures."""


class Results(rows.ResultModel):
    """The results of an evaluation, as flat rows."""

    schema_: Literal["reportgen/results/1"] = Field(default=RESULTS_SCHEMA, alias="schema")
    """The version of the schema."""
    title: str
    """The title of the report."""
    task: TaskResult
    """The prediction task."""
    about: tuple[decisions.AboutResult, ...] = ()
    """What the report is about."""
    decision: tuple[decisions.DecisionResult, ...] = ()
    """What a classifier is recommended by, and how sure that is."""
    recommendation: tuple[decisions.RecommendationResult, ...] = ()
    """The classifiers and whether they are recommended, the leader first."""
    decision_options: tuple[decisions.DecisionOptionResult, ...] = ()
    """Counts and costs of the classifiers as submitted and at the thresholds of the decision."""
    decision_values: tuple[decisions.DecisionValueResult, ...] = ()
    """Values at the thresholds of the decision."""
    error_counts: tuple[decisions.ErrorCountResult, ...] = ()
    """The numbers of wrong predictions as submitted."""
    decision_changes: tuple[decisions.DecisionChangeResult, ...] = ()
    """The cost ratios and prevalences at which another classifier has the lowest cost."""
    decision_comparisons: tuple[rows.ComparisonResult, ...] = ()
    """Comparisons at the thresholds of the decision, adjusted with the other comparisons."""
    inputs: tuple[rows.InputResult, ...]
    """The input files."""
    confusion: tuple[rows.ConfusionResult, ...]
    """The confusion matrices."""
    values: tuple[rows.ValueResult, ...]
    """Every value of every measure."""
    design: tuple[rows.DesignResult, ...] = ()
    """Clusters, weights and design effects; none if cases are independent and weigh the same."""
    coverage: tuple[rows.CoverageResult, ...] = ()
    """Shares of answered cases; none if every case needs an answer."""
    alternative_values: tuple[rows.AlternativeValueResult, ...] = ()
    """Values by the other rule for unanswered cases."""
    folds: tuple[rows.FoldSummaryResult, ...]
    """Means and variances over folds."""
    comparisons: tuple[rows.ComparisonResult, ...] = ()
    """Differences of classifiers and their tests."""
    primary_measure: tuple[rows.PrimaryMeasureResult, ...] = ()
    """The primary measure, in one row; none if nothing can be ranked."""
    rank_sets: tuple[rows.RankSetResult, ...] = ()
    """Ranks of the classifiers that the tests do not exclude."""
    omnibus: tuple[rows.OmnibusTestResult, ...] = ()
    """Omnibus tests of all classifiers."""
    capabilities: CapabilitiesResult
    """The capability tables."""
    likelihood_relations: tuple[rows.LikelihoodRelationResult, ...]
    """Relations of classifiers by likelihood ratios."""
    dataset_values: tuple[rows.DatasetValueResult, ...] = ()
    """Values on each of several data sets."""
    dataset_ranks: tuple[rows.DatasetRankResult, ...] = ()
    """Average ranks over several data sets."""
    dataset_tests: tuple[rows.DatasetTestResult, ...] = ()
    """Tests over several data sets."""
    prevalence: tuple[rows.PrevalenceResult, ...] = ()
    """Measures at other prevalences."""
    prevalence_crossings: tuple[rows.PrevalenceCrossingResult, ...] = ()
    """Crossover prevalences of two classifiers."""
    prevalence_curves: tuple[diagnostics.PrevalenceCurveResult, ...] = ()
    """Measures as a function of prevalence."""
    chance: rows.ChanceResult = rows.ChanceResult()
    """Comparison of classifiers with random guessing."""
    curves: tuple[rows.CurveResult, ...] = ()
    """Curves over thresholds."""
    thresholds: tuple[rows.ThresholdResult, ...] = ()
    """Thresholds chosen on these cases."""
    operating_points: tuple[diagnostics.OperatingPointResult, ...] = ()
    """Counts and rates as predicted, and at the threshold with the highest Youden's index."""
    decision_context: tuple[decisions.DecisionContextResult, ...] = ()
    """The prevalence and the costs of the decision curves."""
    decision_curves: tuple[decisions.DecisionCurvePointResult, ...] = ()
    """Net benefit, expected cost and cumulative gains."""
    cost_ranges: tuple[decisions.CostRangeResult, ...] = ()
    """Which classifier has the lowest expected cost at which cost ratio."""
    top_fractions: tuple[decisions.TopFractionResult, ...] = ()
    """Cumulative gain and lift."""
    constrained_rates: tuple[decisions.ConstrainedRateResult, ...] = ()
    """Sensitivity at given specificities, and the reverse."""
    natural_frequencies: tuple[decisions.NaturalFrequencyResult, ...] = ()
    """Expected counts among a round number of cases at the prevalence of use."""
    calibration: tuple[diagnostics.CalibrationResult, ...] = ()
    """Calibration errors of probabilities."""
    calibration_bins: tuple[diagnostics.CalibrationBinResult, ...] = ()
    """The bins of the reliability diagrams."""
    calibration_curves: tuple[diagnostics.CalibrationCurveResult, ...] = ()
    """Reliability curves by isotonic regression."""
    calibration_bands: tuple[diagnostics.CalibrationBandResult, ...] = ()
    """Consistency bands of the reliability curves."""
    calibration_decomposition: tuple[diagnostics.CalibrationDecompositionResult, ...] = ()
    """Decomposition of the Brier score and the log loss, and logistic recalibration."""
    miscalibration_comparisons: tuple[diagnostics.MiscalibrationComparisonResult, ...] = ()
    """Paired tests of miscalibration."""
    fold_audits: tuple[diagnostics.FoldAuditResult, ...] = ()
    """Sizes and stratification of folds."""
    fold_classes: tuple[diagnostics.FoldClassResult, ...] = ()
    """Proportions of classes over folds."""
    fold_designs: tuple[diagnostics.FoldDesignResult, ...] = ()
    """Cross-validation designs of pairs of classifiers."""
    fold_differences: tuple[diagnostics.FoldDifferenceResult, ...] = ()
    """Differences by fold of the best classifier, or the baseline, from the others."""
    fold_tests: tuple[diagnostics.FoldTestResult, ...] = ()
    """Standard errors and critical values of t-tests over folds."""
    residuals: tuple[diagnostics.ResidualResult, ...] = ()
    """Quantiles of residuals of a regression."""
    residual_groups: tuple[diagnostics.ResidualGroupResult, ...] = ()
    """Sign tests of residuals of neighbouring cases."""
    confusions: tuple[diagnostics.ClassConfusionResult, ...] = ()
    """Confusions as proportions of the true class."""
    mistakes: tuple[diagnostics.MistakesResult, ...] = ()
    """Mistakes on shared cases: alone, in common, and confident ones."""
    mistake_examples: tuple[diagnostics.MistakeExampleResult, ...] = ()
    """Cases of the error analysis by id; empty unless the spec requests them."""
    likelihood_points: tuple[diagnostics.LikelihoodPointResult, ...] = ()
    """Positions of classifiers in the likelihood-ratio graphs."""
    majority_baseline: tuple[diagnostics.MajorityBaselineResult, ...] = ()
    """Accuracies against always predicting the largest class."""
    ratios: tuple[diagnostics.RatioResult, ...] = ()
    """Ratios of measures of two classifiers on the same cases."""
    gates: tuple[rows.GateResult, ...] = ()
    """Gates and their outcomes."""
    changes: tuple[rows.ChangeResult, ...] = ()
    """Differences to the last run on other data, with their tests."""
    change_verdicts: tuple[rows.ChangeVerdictResult, ...] = ()
    """The verdict on the change of every classifier."""
    input_changes: tuple[rows.InputChangeResult, ...] = ()
    """The input files now and in the last run on other data."""
    monitoring: tuple[rows.MonitoringResult, ...] = ()
    """Evidence of a change over all runs, under one error rate for all of them."""
    published: tuple[rows.PublishedValueResult, ...]
    """Published and computed values."""
    warnings: tuple[str, ...]
    """Warnings."""


def results_schema() -> dict[str, object]:
    """Return the JSON Schema of results.json."""
    schema = Results.model_json_schema(
        by_alias=True, mode="serialization", schema_generator=DescribedSchemaGenerator
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
