"""The aggregates of a spec: sufficient statistics, inputs and case audits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.calibration import CalibrationFits
    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.curves import ScoreCurves
    from reportgen.aggregates.delong import DeLongCovariances
    from reportgen.aggregates.design import LabelDesign, SampleDesign
    from reportgen.aggregates.effective_shares import EffectiveShares
    from reportgen.aggregates.influence import InfluenceCovariances
    from reportgen.aggregates.label_sets import LabelSetCounts
    from reportgen.aggregates.mistakes import Mistakes
    from reportgen.aggregates.operating_points import OperatingPointStatistics
    from reportgen.aggregates.paired import PairedLossSums, PairedPredictionCounts
    from reportgen.aggregates.precision_recall import PrCovariances
    from reportgen.aggregates.probabilities import CalibrationBins, ProbabilityLossSums
    from reportgen.aggregates.ranking import RankingStatistics
    from reportgen.aggregates.regression import RegressionSums, ScatterSummary
    from reportgen.predictions.audit import CaseAudit
    from reportgen.predictions.load import Input
    from reportgen.predictions.scores import ScoreType
    from reportgen.predictions.unanswered import UnansweredCases


@dataclass(frozen=True, slots=True)
class ScoreAggregates:
    """Statistics of scores and probabilities; None where the data have no such column."""

    score_types: tuple[ScoreType, ...] = ()
    curves: ScoreCurves | None = None
    ranking: RankingStatistics | None = None
    auc_covariances: DeLongCovariances | None = None
    pr_covariances: PrCovariances | None = None
    probability_losses: ProbabilityLossSums | None = None
    calibration: CalibrationBins | None = None
    calibration_fits: CalibrationFits | None = None
    influence_covariances: InfluenceCovariances | None = None
    paired_losses: PairedLossSums | None = None
    shares: EffectiveShares | None = None
    operating_points: OperatingPointStatistics | None = None


@dataclass(frozen=True, slots=True)
class SegmentAggregates:
    """The aggregates of the cases of a segment, and of all other cases.

    `segment` is a value of the column. The others are None if the segment has all cases.
    """

    column: str
    segment: str
    aggregates: Aggregates
    others: Aggregates | None


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Sufficient statistics of all cases: everything that the evaluation is computed from."""

    classes: tuple[str, ...]
    confusion: ConfusionCounts | None
    regression: RegressionSums | None
    inputs: tuple[Input, ...]
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int | None
    warnings: tuple[str, ...]
    distinct_cases: int | None = None
    """The number of distinct ids, if ids repeat over folds (repeated cross-validation)."""
    fold_mismatches: int = 0
    """The number of cases whose fold differs between classifiers."""
    pairs: PairedPredictionCounts | None = None
    """Joint counts of the predictions of every pair of classifiers on the same cases."""
    datasets: Mapping[str, Aggregates] = field(default_factory=dict)
    """The aggregates of each of several data sets; nothing is counted over all of them."""
    score_types: tuple[ScoreType, ...] = ()
    """The score type of each classifier that has scores."""
    score_case_count: int | None = None
    """The number of sampled cases that statistics of scores are of; None if they are of all."""
    curves: ScoreCurves | None = None
    """True and false positives at every threshold: the points of ROC and PR curves."""
    ranking: RankingStatistics | None = None
    """Concordant and tied pairs, and areas under precision-recall curves."""
    auc_covariances: DeLongCovariances | None = None
    """Covariances of AUCs (DeLong et al., 1988)."""
    pr_covariances: PrCovariances | None = None
    """Covariances of areas under precision-recall curves, by their influence functions."""
    probability_losses: ProbabilityLossSums | None = None
    """Sums of Brier scores, log losses and information scores, with their squares."""
    calibration: CalibrationBins | None = None
    """Confidence and accuracy in bins of equal width."""
    calibration_fits: CalibrationFits | None = None
    """Isotonic and logistic recalibration of probabilities."""
    influence_covariances: InfluenceCovariances | None = None
    """Covariances of further values from the influence of each case."""
    paired_losses: PairedLossSums | None = None
    """Sums of case-wise loss differences of every pair of classifiers."""
    operating_points: OperatingPointStatistics | None = None
    """Counts at the operating points of measures with a parameter, and their covariances."""
    at_thresholds: Mapping[float, Aggregates] = field(default_factory=dict)
    """The counts where a probability from a threshold on is a positive prediction.

    The thresholds are those that measures of the spec name.
    """
    at_decision: Aggregates | None = None
    """The counts at the threshold that each classifier has by the costs or the requirement.

    Classifiers without such a threshold count as predicted; None: no classifier has one.
    """
    scatter: ScatterSummary | None = None
    """Binned scatter plots and residual quantiles of numeric predictions."""

    segments: tuple[SegmentAggregates, ...] = ()
    """The aggregates of each segment, by column of [[segments]] and in natural order."""
    unanswered: UnansweredCases | None = None
    """What cases without an answer count as, and how many there are; None if all need one."""
    alternative: Aggregates | None = None
    """The aggregates by the other rule for unanswered cases: left out, or counted as wrong."""
    mistakes: Mistakes | None = None
    """Mistakes that classifiers share on the same cases; None where cases are not matched."""
    label_sets: LabelSetCounts | None = None
    """Counts of the label sets of a multilabel task."""
    labels: Mapping[str, Aggregates] = field(default_factory=dict)
    """The aggregates of each label of a multilabel task, as of a binary task."""
    label_design: LabelDesign | None = None
    """Counts per cluster, or by weight; None if cases are independent and weigh the same."""
    design: SampleDesign | None = None
    """Clusters and weights of the cases; None if cases are independent and weigh the same."""
    shares: tuple[EffectiveShares, ...] = ()
    """Effective numbers of cases of measures that are not functions of counts, and of accuracy."""

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The classes without that of unanswered cases, which is true of no case."""
        from reportgen.predictions.unanswered import ends_with_no_answer

        classes = self.classes
        if not classes or self.confusion is None or not ends_with_no_answer(classes):
            return classes
        margins = self.confusion.margins
        is_true = margins["true"].filter(margins["class"] == classes[-1]).sum() > 0
        return classes if is_true else classes[:-1]

    def case_weight(
        self,
        classifier: str,
        measure: str = "",
        class_: str | None = None,
        average: str | None = None,
        *,
        other: str | None = None,
    ) -> float:
        """Return the effective number of cases of a classifier per counted case.

        It is below 1 where ids repeat, where cases are clustered, and where weights differ; and 1
        for a classifier given by its confusion matrix. The design effect is that of the measure
        or, of no measure, that of accuracy or of the mean squared error; with another classifier
        it is that of the difference.
        """
        if not any(audit.classifier == classifier for audit in self.audits):
            return 1.0
        if self.design is not None:
            pair = classifier, other or classifier
            shares = (part.share(measure, pair, class_, average) for part in self.shares)
            share = next((share for share in shares if share is not None), None)
            if share is None and measure:
                return self.case_weight(classifier, other=other)
            return 1.0 if share is None else share
        if self.distinct_cases is None or not self.case_count:
            return 1.0
        return self.distinct_cases / self.case_count

    @property
    def method_suffix(self) -> str:
        """What the names of interval methods and tests end with: nothing for independent cases."""
        return "" if self.design is None else f", {self.design.method}"

    def too_few_for_delong(self, classifier: str, class_: str | None = None) -> bool:
        """Return whether a class, or any, is too small or too large for DeLong's variance."""
        if self.ranking is None:
            return False
        from reportgen.aggregates.ranking import MIN_CASES_DELONG

        fewest = self.ranking.minority_size(classifier, class_)
        return 0 < fewest * self.case_weight(classifier) < MIN_CASES_DELONG
