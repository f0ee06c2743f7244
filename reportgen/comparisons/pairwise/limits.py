"""Intervals of differences: from the intervals of the two values, and how far these go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.statistics.proportions import (
    Limits,
    bonett_price,
    independent_difference,
    paired_difference_limits,
)

if TYPE_CHECKING:
    from reportgen.scores import Score
    from reportgen.statistics.paired_table import Answers, PairedTable

# Shares of the same cases for both classifiers, and whether they count what is wrong.
SHARES = {
    "accuracy": False,
    "error_rate": True,
    "sensitivity": False,
    "type_2_rate": True,
    "specificity": False,
    "type_1_rate": True,
}


def share_limits(measure: str, right: Answers, level: float, weight: float) -> Limits:
    """Return the limits of a difference of two shares of the same cases (Bonett and Price)."""
    found = bonett_price(
        right.first_only * weight, right.second_only * weight, right.total * weight, level
    )
    return Limits(-found.high, -found.low) if SHARES[measure] else found


def right_on(measure: str, table: PairedTable) -> Answers:
    """Return who is right on the cases that a share of one class is about."""
    positives, negatives = table.positives, table.negatives.turned
    if measure in {"sensitivity", "type_2_rate"}:
        return positives
    if measure in {"specificity", "type_1_rate"}:
        return negatives
    return positives + negatives


def combined_limits(first: Score, second: Score, correlation: float | None) -> Limits | None:
    """Return the limits of a difference from those of its parts; correlation None: independent.

    None where a value or an end of its interval is missing or infinite.
    """
    ends = (first.value, first.low, first.high, second.value, second.low, second.high)
    if any(end is None for end in ends):
        return None
    one, low, high, other, other_low, other_high = (float(end or 0.0) for end in ends)
    limits, other_limits = Limits(low, high), Limits(other_low, other_high)
    if correlation is None:
        return independent_difference(one, limits, other, other_limits)
    return paired_difference_limits(one, limits, other, other_limits, correlation)
