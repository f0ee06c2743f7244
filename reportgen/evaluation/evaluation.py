"""The evaluation: every result that reports and results.json contain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from reportgen.evaluation.capabilities import order_classes_hardest_first
from reportgen.evaluation.segments import order_hardest_first
from reportgen.evaluation.threshold_counts import ThresholdCounts, count_at_thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.abstention import AbstentionResults
    from reportgen.evaluation.calibration import Calibration, MiscalibrationComparison
    from reportgen.evaluation.capabilities import CapabilityRow
    from reportgen.evaluation.chance import ChanceAudit
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.confusions import ClassConfusion
    from reportgen.evaluation.cross_validation import (
        CorrectionDisagreement,
        FoldAudit,
        FoldDifferences,
        FoldPair,
        FoldSummary,
        FoldTestDetail,
    )
    from reportgen.evaluation.curves import CurvePoints, OperatingPoint
    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.decision import Recommendation
    from reportgen.evaluation.decision_curves import DecisionAnalysis
    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.evaluation.likelihood_points import LikelihoodPoint
    from reportgen.evaluation.likelihood_relations import LikelihoodRelation
    from reportgen.evaluation.majority_baseline import MajorityBaseline
    from reportgen.evaluation.monitoring import Monitoring
    from reportgen.evaluation.named_tests import OmnibusTest, PairedRatio
    from reportgen.evaluation.prevalence import (
        PrevalenceCrossover,
        PrevalenceCurve,
        PrevalenceValues,
    )
    from reportgen.evaluation.primary_measure import PrimaryMeasure
    from reportgen.evaluation.published import PublishedCheck
    from reportgen.evaluation.rank_sets import RankSet
    from reportgen.evaluation.residuals import ResidualGroup, ResidualSummary
    from reportgen.evaluation.sample_sizes import DesignSummary
    from reportgen.evaluation.segments import SegmentValues
    from reportgen.evaluation.significance import ComparisonIndex
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.evaluation.values import MeasureValue, MeasureValues, ValueKey
    from reportgen.measures import Measure
    from reportgen.spec import Spec, SpecFile


_TWO_CLASSES = 2


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All results of a spec, from values to comparisons, ratings, gates and drift."""

    spec_file: SpecFile
    aggregates: Aggregates
    reported_measures: tuple[Measure, ...]
    values: MeasureValues
    by_key: Mapping[ValueKey, MeasureValue]
    fold_summaries: tuple[FoldSummary, ...]
    capabilities: tuple[CapabilityRow, ...]
    average_capabilities: tuple[CapabilityRow, ...]
    """The ratings over all classes of a multiclass task."""
    likelihood_relations: tuple[LikelihoodRelation, ...]
    published: tuple[PublishedCheck, ...]
    warnings: tuple[str, ...]
    comparison_index: ComparisonIndex
    comparisons: tuple[Comparison, ...] = ()
    rank_sets: tuple[RankSet, ...] = ()
    omnibus_tests: tuple[OmnibusTest, ...] = ()
    prevalence_values: tuple[PrevalenceValues, ...] = ()
    observed_prevalences: tuple[float, ...] = ()
    """The prevalence in the data in ascending order, several where the cases differ."""
    prevalence_range: tuple[float, float] = (0.0, 1.0)
    """The prevalences that the curves cover; on a logarithmic scale unless it begins at 0."""
    prevalence_curves: tuple[PrevalenceCurve, ...] = ()
    prevalence_crossovers: tuple[PrevalenceCrossover, ...] = ()
    chance: ChanceAudit | None = None
    datasets: tuple[DatasetComparison, ...] = ()
    thresholds: tuple[OptimalThreshold, ...] = ()
    curves: tuple[CurvePoints, ...] = ()
    operating_points: tuple[OperatingPoint, ...] = ()
    decisions: DecisionAnalysis | None = None
    """Net benefit, expected cost, gains and natural frequencies; None unless two classes."""
    calibration: tuple[Calibration, ...] = ()
    miscalibration_comparisons: tuple[MiscalibrationComparison, ...] = ()
    fold_audits: tuple[FoldAudit, ...] = ()
    fold_pairs: tuple[FoldPair, ...] = ()
    fold_differences: tuple[FoldDifferences, ...] = ()
    fold_test_details: tuple[FoldTestDetail, ...] = ()
    correction_disagreements: tuple[CorrectionDisagreement, ...] = ()
    residual_summaries: tuple[ResidualSummary, ...] = ()
    residual_groups: tuple[ResidualGroup, ...] = ()
    confusions: tuple[ClassConfusion, ...] = ()
    likelihood_points: tuple[LikelihoodPoint, ...] = ()
    ratios: tuple[PairedRatio, ...] = ()
    majority_baseline: MajorityBaseline | None = None
    primary_measure: PrimaryMeasure | None = None
    """The measure of the headline; None if no measure has a better direction."""
    gates: tuple[GateOutcome, ...] = ()
    drift: DriftAnalysis | None = None
    recommendation: Recommendation | None = None
    """The classifier to use; None where no classifier has a value to decide by."""
    monitoring: Monitoring | None = None
    """What changed since earlier runs; None: there is none on other data."""

    value_table: pl.DataFrame = field(default_factory=pl.DataFrame)
    """All values with the numbers of cases, those of the segments included."""
    design: tuple[DesignSummary, ...] = ()
    """Clusters, weights and design effects; empty if cases are independent and weigh the same."""
    segments: tuple[SegmentValues, ...] = ()
    """The values in each segment."""
    segment_comparisons: tuple[Comparison, ...] = ()
    """Comparisons within segments, and of segments with all other cases."""
    decision_values: Mapping[tuple[str, str], MeasureValue] = field(default_factory=dict)
    """Values at the thresholds by the declared costs or requirement, by classifier and measure."""
    decision_comparisons: tuple[Comparison, ...] = ()
    """Comparisons at the thresholds by the declared costs or requirement."""
    worst_segments: tuple[Comparison, ...] = ()
    """Segments that are significantly worse than all other cases, the worst of each column."""
    abstention: AbstentionResults | None = None
    """Coverage, and values by the other rule for unanswered cases."""

    @property
    def tested_comparisons(self) -> tuple[Comparison, ...]:
        """All tested comparisons of classifiers, as submitted and at chosen thresholds."""
        rows = (*self.comparisons, *self.decision_comparisons)
        return tuple(row for row in rows if row.is_tested)

    @property
    def spec(self) -> Spec:
        """The spec."""
        return self.spec_file.spec

    @property
    def task_kind(self) -> str:
        """The kind of task."""
        return self.spec.task.kind

    @property
    def is_multiclass(self) -> bool:
        """Whether measures have a value per class, and some a value over all classes."""
        return self.spec.task.is_multiclass

    @property
    def class_noun(self) -> str:
        """What the rows of tables by class are: classes, or the labels of a multilabel task."""
        return "label" if self.task_kind == "multilabel" else "class"

    @property
    def class_noun_plural(self) -> str:
        """The plural of `class_noun`."""
        return "labels" if self.task_kind == "multilabel" else "classes"

    @property
    def measured_classifiers(self) -> tuple[str, ...]:
        """The classifiers measured on cases or counts, in the order of the spec."""
        return tuple(
            classifier.name
            for classifier in self.spec.classifiers
            if classifier.fold_scores is None and not self.spec.dataset_names
        )

    def classifier_index(self, classifier: str) -> int:
        """Return the index of a classifier in the spec, which determines its colour."""
        return [classifier.name for classifier in self.spec.classifiers].index(classifier)

    @property
    def overall_measures(self) -> tuple[Measure, ...]:
        """The reported measures with an overall value per classifier."""
        if self.is_multiclass:
            return tuple(
                measure
                for measure in self.reported_measures
                if measure.has_overall_value(self.task_kind)
            )
        return self.reported_measures

    @property
    def class_sizes(self) -> dict[str, tuple[int, ...]]:
        """The number of cases of each true class, or with each label, by classifier.

        Cases that were predicted equally often count once; otherwise predictions are counted.
        """
        sets, confusion = self.aggregates.label_sets, self.aggregates.confusion
        if sets is not None:
            by_classifier = {name: sets.label_sizes(name) for name in self.measured_classifiers}
        elif confusion is not None:
            by_classifier = {
                name: tuple(map(sum, confusion.matrix(name))) for name in self.measured_classifiers
            }
        else:
            return {}
        times = self.predictions_per_case or 1
        if any(size % times for sizes in by_classifier.values() for size in sizes):
            return by_classifier
        return {
            name: tuple(size // times for size in sizes) for name, sizes in by_classifier.items()
        }

    @property
    def predictions_per_case(self) -> int | None:
        """How often each case was predicted; None: once, or not equally often on average."""
        cases, distinct = self.aggregates.case_count, self.aggregates.distinct_cases
        return cases // distinct if cases and distinct and cases % distinct == 0 else None

    @property
    def folds_are_repetitions(self) -> bool:
        """Whether every fold has all cases: repeated predictions, not parts of a test set."""
        distinct = self.aggregates.distinct_cases
        sizes = {size for audit in self.fold_audits for size in audit.sizes}
        return distinct is not None and sizes == {distinct}

    @property
    def fold_noun(self) -> str:
        """What the columns of tables by fold are: folds, or repetitions of all cases."""
        return "repetition" if self.folds_are_repetitions else "fold"

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The classes without that of unanswered cases, which is true of no case."""
        return self.aggregates.named_classes

    def compared_cases(self, classifier: str) -> int | None:
        """Return the number of distinct cases of a classifier; None where only folds are known."""
        aggregates = self.aggregates
        if aggregates.case_count is not None:
            return aggregates.distinct_cases or aggregates.case_count
        sizes = self.class_sizes.get(classifier)
        return None if sizes is None else sum(sizes)

    @property
    def classes_hardest_first(self) -> tuple[str, ...]:
        """The classes, those with the lowest mean sensitivity over the classifiers first."""
        return order_classes_hardest_first(
            self.by_key, self.measured_classifiers, self.named_classes
        )

    def segments_hardest_first(
        self, column: str, measure: Measure, average: str | None
    ) -> tuple[SegmentValues, ...]:
        """Return the segments of a column, those with the worst mean over the classifiers first."""
        return order_hardest_first(
            [segment for segment in self.segments if segment.column == column], measure, average
        )

    def counts(self, classifier: str, class_: str) -> tuple[float, float, float, float] | None:
        """Return TP, FN, FP and TN of a class; None where it was not counted."""
        confusion = self.aggregates.confusion
        if confusion is None or class_ not in confusion.classes:
            return None
        return confusion.counts(classifier, class_)

    @property
    def positive_class_counts(self) -> dict[str, tuple[float, float, float, float]]:
        """tp, fn, fp and tn as predicted by classifier; empty unless the task has two classes."""
        positive, confusion = self.spec.task.positive, self.aggregates.confusion
        two_classes = self.task_kind == "binary" and len(self.aggregates.classes) == _TWO_CLASSES
        if not two_classes or not positive or confusion is None:
            return {}
        counts = confusion.overall_counts()
        return {
            name: counts[name, positive]
            for name in self.measured_classifiers
            if (name, positive) in counts
        }

    @property
    def threshold_counts(self) -> ThresholdCounts:
        """Counts at the thresholds that a reader of the interactive page may choose.

        They are counted when asked for: only the page needs them.
        """
        return count_at_thresholds(self.aggregates, self.spec, self.positive_class_counts)

    def value(
        self,
        classifier: str,
        measure: Measure,
        class_: str | None = None,
        average: str | None = None,
    ) -> MeasureValue | None:
        """Return a value over all folds, if it was computed.

        A primary measure that is an average over the classes has no other value over all classes.
        """
        value = self.by_key.get((classifier, class_, average, measure.name))
        primary = self.primary_measure
        if value is not None or primary is None or (class_, average) != (None, None):
            return value
        is_averaged = primary.average is not None and primary.measure.name == measure.name
        key = classifier, None, primary.average, measure.name
        return self.by_key.get(key) if is_averaged else None
