"""Findings on the majority-class baseline: whose accuracy CI excludes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.findings.finding import Finding
from reportgen.report.ranks import values_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure

# A smaller majority class is not a relevant baseline.
_MIN_MAJORITY_PREVALENCE = 0.6


@dataclass(frozen=True, slots=True)
class MajorityBaselineFinding(Finding):
    """The accuracy of always predicting the majority class, and whose CI lies where."""

    class_: str
    prevalence: float
    accuracy: Measure
    interval_above: dict[str, MeasureValue]
    interval_below: dict[str, MeasureValue]
    interval_containing: dict[str, MeasureValue]


def majority_baseline_findings(evaluation: Evaluation) -> Iterator[MajorityBaselineFinding]:
    """Yield the baseline if accuracy is primary and some classifier does not exceed it."""
    baseline = majority_class_finding(evaluation)
    if (
        baseline is not None
        and primary_measure(evaluation) == baseline.accuracy
        and (baseline.interval_below or baseline.interval_containing)
    ):
        yield baseline


def majority_class_finding(evaluation: Evaluation) -> MajorityBaselineFinding | None:
    """Return the comparison of the CIs of accuracy with the majority class, if that is large."""
    baseline, accuracy = evaluation.majority_baseline, get_measure("accuracy")
    if baseline is None or baseline.proportion < _MIN_MAJORITY_PREVALENCE:
        return None
    positions = {comparison.classifier: comparison.position for comparison in baseline.comparisons}
    values = values_best_first(evaluation, accuracy)
    above, below, inside = (
        {name: value for name, value in values.items() if positions.get(name) == position}
        for position in ("above", "below", "containing")
    )
    return MajorityBaselineFinding(
        baseline.class_, baseline.proportion, accuracy, above, below, inside
    )
