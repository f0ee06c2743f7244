"""The registry of measures by name and alias, and the groups that a spec may name."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from reportgen.measures import agreement, counts, likelihood, probability, ranking, regression
from reportgen.measures.measure import Measure, MeasureFamily

if TYPE_CHECKING:
    from collections.abc import Iterable


MEASURE_REGISTRY: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        counts.ACCURACY,
        counts.ERROR_RATE,
        counts.SENSITIVITY,
        counts.SPECIFICITY,
        counts.PRECISION,
        counts.NPV,
        counts.f_measure(1),
        counts.BALANCED_ACCURACY,
        likelihood.YOUDEN,
        likelihood.LR_POSITIVE,
        likelihood.LR_NEGATIVE,
        likelihood.DISCRIMINANT_POWER,
        likelihood.DIAGNOSTIC_ODDS_RATIO,
        counts.TYPE_1_RATE,
        counts.TYPE_2_RATE,
        agreement.KAPPA,
        agreement.KAPPA_BEST,
        agreement.MCC,
        counts.JACCARD,
        counts.G_MEAN,
        counts.MARKEDNESS,
        counts.LIFT,
        agreement.CHI_SQUARE,
        agreement.CHI_SQUARE_P,
        counts.PREVALENCE,
        ranking.ROC_AUC,
        ranking.AVERAGE_PRECISION,
        ranking.PR_AUC,
        probability.BRIER,
        probability.LOG_LOSS,
        probability.ECE,
        probability.INFORMATION_SCORE,
        probability.RELATIVE_INFORMATION_SCORE,
        regression.RMSE,
        regression.MAE,
        regression.R2,
        regression.PEARSON,
    )
}
MEASURES_BY_ALIAS = {
    alias: measure for measure in MEASURE_REGISTRY.values() for alias in measure.aliases
}
F_MEASURE_PATTERN = re.compile(r"f(\d+(?:\.\d+)?)")

MEASURE_GROUPS: dict[str, tuple[str, ...]] = {
    "traditional": (
        "accuracy",
        "f1",
        "sensitivity",
        "specificity",
        "precision",
        "npv",
        "balanced_accuracy",
    ),
    "discriminant": ("youden", "lr_positive", "lr_negative", "discriminant_power"),
    "all": tuple(MEASURE_REGISTRY),
    **{
        family.value: tuple(
            measure.name for measure in MEASURE_REGISTRY.values() if measure.family is family
        )
        for family in MeasureFamily
    },
}
DEFAULT_MEASURE_GROUPS: dict[str, tuple[str, ...]] = {
    "binary": ("traditional", "discriminant", "agreement", "ranking", "probability"),
    "multiclass": ("traditional", "discriminant", "agreement", "ranking", "probability"),
    "regression": ("regression",),
}


def find_measure(name: str) -> Measure | None:
    """Return the measure of a name or alias, or None; F-measures (`f2`) are built on demand."""
    measure = MEASURE_REGISTRY.get(name) or MEASURES_BY_ALIAS.get(name)
    if measure:
        return measure
    written = F_MEASURE_PATTERN.fullmatch(name)
    beta = float(written[1]) if written else 0.0
    return counts.f_measure(beta) if beta > 0 and math.isfinite(beta) else None


def get_measure(name: str) -> Measure:
    """Return the measure of a name that is known to exist."""
    measure = find_measure(name)
    if measure is None:
        raise LookupError(name)
    return measure


def measure_names() -> tuple[str, ...]:
    """Return all names and aliases."""
    return (*MEASURE_REGISTRY, *MEASURES_BY_ALIAS)


def select_measures(names: Iterable[str] | None, task_kind: str) -> tuple[Measure, ...]:
    """Return the measures of names and groups that apply to the task, without duplicates."""
    requested = DEFAULT_MEASURE_GROUPS[task_kind] if names is None else names
    members = (member for name in requested for member in MEASURE_GROUPS.get(name, (name,)))
    measures = (find_measure(member) for member in members)
    return tuple(
        dict.fromkeys(measure for measure in measures if measure and measure.applies_to(task_kind))
    )


# Rank equivalence: on the same cases the first always ranks classifiers as the second does.
RANK_EQUIVALENT = {
    "error_rate": "accuracy",
    "kappa_best": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "diagnostic_odds_ratio": "discriminant_power",
    "jaccard": "f1",
    "lift": "precision",
    "relative_information_score": "information_score",
    "r2": "rmse",
}


def representative_of(measure: Measure) -> str:
    """Return the measure that represents all that always rank classifiers in the same order."""
    return RANK_EQUIVALENT.get(measure.name, measure.name)
