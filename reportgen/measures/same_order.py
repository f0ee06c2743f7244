"""Which measures must agree about who is better, because one follows from the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.measures.measure import Measure

# Measured on the same cases, the first always ranks two classifiers as the second does.
SAME_ORDER = {
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


def question_of(measure: Measure) -> str:
    """Return the name of the measure that asks who is better in place of all that must agree."""
    return SAME_ORDER.get(measure.name, measure.name)
