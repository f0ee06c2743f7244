"""Covariances of macro-averaged areas of a multilabel task.

The influence of a case on the mean of areas is the mean of its influences on the area of each
label. Cases stay the independent units, so correlated labels need no covariances of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.aggregates.delong import structural_components, sum_delong_covariances
from reportgen.aggregates.effective_shares import build_shares, covariance_share_rows
from reportgen.aggregates.model import ScoreAggregates
from reportgen.aggregates.precision_recall import (
    AREA_KINDS,
    build_pr_covariances,
    iter_pr_influences,
    pr_covariance_rows,
)
from reportgen.measures.ranking import ROC_AUC

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from reportgen.aggregates.design import SampleDesign
    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray, IndexArray

# The structural components with Bessel's correction of each side of each label.
_CORRECTED = "corrected"


def macro_area_covariances(
    labels: Iterable[ScoredCases],
    measures: Collection[str] = tuple(AREA_KINDS),
    design: SampleDesign | None = None,
    level: float = 0.95,
    strata: IndexArray | None = None,
) -> ScoreAggregates | None:
    """Return the covariances of areas averaged over the labels that have one.

    A label that all cases have, or none, has no area. None: no label has one.

    Args:
        labels: the same cases and classifiers in the same order, scored for each label.
        measures: the areas under precision-recall curves that are needed.
        design: clusters and weights of the cases.
        level: the confidence level of intervals.
        strata: the true label set of each case.
    """
    areas = {measure: area for measure, area in AREA_KINDS.items() if measure in measures}
    sums: dict[str, FloatArray] = {}
    names: list[str] = []
    counts: FloatArray | None = None
    size = defined = with_components = 0
    for cases in labels:
        positives = int(np.count_nonzero(cases.is_class(cases.ranked_classes[0])))
        if not 0 < positives < len(cases.truth):
            continue
        defined += 1
        names = [scores.classifier for scores in cases.classifiers]
        counts, size = cases.counts, cases.size
        parts = _components(cases)
        with_components += bool(parts)
        parts |= {
            measure: np.column_stack(influences)
            for measure, area in areas.items()
            for class_, _, influences in iter_pr_influences(cases, area)
            if class_ is None
        }
        for key, influences in parts.items():
            sums[key] = sums[key] + influences if key in sums else influences
    if not defined:
        return None
    means = {key: summed / defined for key, summed in sums.items()}
    corrected = means.pop(_CORRECTED, None)
    # A variance within a side needs two cases there, for every label.
    if with_components < defined:
        means.pop(ROC_AUC.name, None)
        corrected = None
    often = np.ones(size) if counts is None else counts
    pr_rows = [
        row
        for measure in areas
        if measure in means
        for row in pr_covariance_rows(
            (measure, None, "macro"), names, list(means[measure].T), counts
        )
    ]
    return ScoreAggregates(
        auc_covariances=sum_delong_covariances(
            names, [] if corrected is None else [(None, "macro", often, list(corrected.T))]
        ),
        pr_covariances=build_pr_covariances(pr_rows),
        shares=None
        if design is None
        else build_shares(
            covariance_share_rows(
                (measure, None, "macro"),
                names,
                influences,
                (
                    design.covariances(influences),
                    design.independent_covariances(influences)
                    if measure != ROC_AUC.name or corrected is None
                    else (corrected * often[:, None]).T @ corrected,
                ),
                design,
                level,
                strata,
            )
            for measure, influences in means.items()
        ),
    )


def _components(cases: ScoredCases) -> dict[str, FloatArray]:
    """Return the structural components of a label's ROC areas (cases × classifiers)."""
    often = 1.0 if cases.counts is None else cases.counts
    for class_, _, weight, influences in structural_components(cases):
        if class_ is None:
            stacked = np.column_stack(influences)
            correction = np.sqrt(np.asarray(weight) / often)
            return {ROC_AUC.name: stacked, _CORRECTED: stacked * correction[:, None]}
    return {}
