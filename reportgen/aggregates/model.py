"""What reading the predictions gives: tallies, inputs and the audit of cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.curves import ScoreCurves
    from reportgen.aggregates.delong import DeLongCovariances
    from reportgen.aggregates.paired import PairedLossSums, PairedPredictionCounts
    from reportgen.aggregates.probabilities import CalibrationBins, ProbabilityLossSums
    from reportgen.aggregates.ranking import RankingStatistics
    from reportgen.aggregates.regression import RegressionSums, ScatterSummary
    from reportgen.predictions.audit import CaseAudit
    from reportgen.predictions.load import Input
    from reportgen.predictions.scores import ScoreType


@dataclass(frozen=True, slots=True)
class ScoreAggregates:
    """Everything counted from scores and probabilities; what the data lack is None."""

    score_types: tuple[ScoreType, ...] = ()
    curves: ScoreCurves | None = None
    ranking: RankingStatistics | None = None
    auc_covariances: DeLongCovariances | None = None
    probability_losses: ProbabilityLossSums | None = None
    calibration: CalibrationBins | None = None
    paired_losses: PairedLossSums | None = None


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Everything later steps need to know of the prediction files."""

    classes: tuple[str, ...]
    confusion: ConfusionCounts | None
    regression: RegressionSums | None
    inputs: tuple[Input, ...]
    audits: tuple[CaseAudit, ...]
    joined_by: Literal["id", "row order"] | None
    case_count: int | None
    warnings: tuple[str, ...]
    distinct_cases: int | None = None
    """How many different ids the cases have, if ids repeat over folds."""
    fold_mismatches: int = 0
    """How many cases are in different folds for different classifiers."""
    pairs: PairedPredictionCounts | None = None
    """The answers of every two classifiers whose predictions were joined case by case."""
    datasets: Mapping[str, Aggregates] = field(default_factory=dict)
    """What was read of each of several data sets; then there is nothing to count over all."""
    score_types: tuple[ScoreType, ...] = ()
    """How scores were read, of the classifiers that have any."""
    curves: ScoreCurves | None = None
    """What every threshold would count, if any classifier has scores."""
    ranking: RankingStatistics | None = None
    """How well scores rank the cases."""
    auc_covariances: DeLongCovariances | None = None
    """How areas under ROC curves vary together."""
    probability_losses: ProbabilityLossSums | None = None
    """How good probabilities are, if any classifier has some."""
    calibration: CalibrationBins | None = None
    """How often what classifiers were sure of came true."""
    paired_losses: PairedLossSums | None = None
    """The differences of what each case cost two classifiers."""
    scatter: ScatterSummary | None = None
    """Where numeric predictions lie, and how far off they are."""

    def case_weight(self, classifier: str) -> float:
        """Return how many different cases of a classifier there are per case counted.

        Below 1 where ids repeat; 1 where a matrix is all that is known of the classifier.
        """
        read = any(audit.classifier == classifier for audit in self.audits)
        if not read or self.distinct_cases is None or not self.case_count:
            return 1.0
        return self.distinct_cases / self.case_count

    def too_few_for_delong(self, classifier: str, class_: str | None = None) -> bool:
        """Tell whether a class, or any, has too few cases or others to tell how its area varies."""
        if self.ranking is None:
            return False
        from reportgen.aggregates.ranking import MIN_CASES_DELONG

        fewest = self.ranking.minority_size(classifier, class_)
        return 0 < fewest * self.case_weight(classifier) < MIN_CASES_DELONG
