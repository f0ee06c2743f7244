"""Findings over cross-validation folds: best means, and tests that ignore overlapping folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures import Measure, find_measure
from reportgen.report.findings import Finding
from reportgen.report.findings.comparisons import best_value_findings, primary_measure
from reportgen.report.ranks import fold_mean_values, sort_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation

_MAX_MEASURES, _MAX_DISAGREEMENTS = 3, 4


@dataclass(frozen=True, slots=True)
class CorrectionDisagreementFinding(Finding):
    """Only the t-test without correction for overlapping training sets is significant."""

    uncorrected: Comparison
    corrected: Comparison


@dataclass(frozen=True, slots=True)
class FurtherDisagreementsFinding(Finding):
    """The number of further disagreements that are not stated one by one."""

    count: int


def cross_validation_findings(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the best mean across folds of each measure with given fold scores."""
    for measure in _fold_score_measures(evaluation)[:_MAX_MEASURES]:
        values = sort_best_first(fold_mean_values(evaluation, measure), measure)
        if values:
            yield from best_value_findings(evaluation, measure, values, over_folds=True)


def correction_disagreement_findings(
    evaluation: Evaluation, measures: Sequence[Measure], *, primary_only: bool = False
) -> tuple[Finding, ...]:
    """Return where only the uncorrected t-test is significant; one finding each, up to a few.

    `primary_only`: only where the fold-level test is the primary one.
    """
    requested = {measure.name for measure in measures}
    findings = [
        CorrectionDisagreementFinding(disagreement.uncorrected, disagreement.corrected)
        for disagreement in evaluation.correction_disagreements
        if disagreement.uncorrected.measure in requested
        and (disagreement.corrected.primary_test or not primary_only)
    ]
    n_more = len(findings) - _MAX_DISAGREEMENTS
    if n_more <= 0:
        return tuple(findings)
    return (*findings[:_MAX_DISAGREEMENTS], FurtherDisagreementsFinding(n_more))


def _fold_score_measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures with given fold scores, the primary one first."""
    names = (
        find_measure(name)
        for classifier in evaluation.spec.classifiers
        for name in classifier.fold_scores or {}
    )
    measures = [measure for measure in dict.fromkeys(names) if measure is not None]
    return sorted(measures, key=lambda measure: measure is not primary_measure(evaluation))
