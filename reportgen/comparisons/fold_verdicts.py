"""Verdicts over folds, for classifiers of which nothing but fold scores can be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.measures import Orientation, find_measure
from reportgen.statistics.adjusting import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.spec import Comparison


def with_fold_verdicts(
    rows: Sequence[Difference], comparison: Comparison
) -> tuple[Difference, ...]:
    """Adjust the decisive tests over folds for their number, and give all tests their verdicts.

    Folds tell nothing of how measures go together, so the adjustment is Holm's where the spec
    asks for step-down; a primary measure is tested first, and the others only if all its
    differences are significant.
    """
    decisive = [row for row in rows if row.decisive and row.p is not None]
    adjusted = _adjusted(decisive, comparison)
    verdicts = {
        row.key: _verdict(row, p, comparison.alpha)
        for row, p in zip(decisive, adjusted, strict=True)
    }
    p_adjusted = {row.key: p for row, p in zip(decisive, adjusted, strict=True)}
    return tuple(
        replace(
            row,
            verdict=verdicts.get(row.key, row.verdict),
            p_adjusted=p_adjusted[row.key] if row.decisive and row.key in p_adjusted else None,
        )
        for row in rows
    )


def _adjusted(decisive: Sequence[Difference], comparison: Comparison) -> list[float]:
    p_values = [row.p if row.p is not None else 1.0 for row in decisive]
    if comparison.correction == "none":
        return p_values
    declared = find_measure(comparison.primary) if comparison.primary else None
    first = [declared is not None and row.measure == declared.name for row in decisive]
    adjusted = {
        stage: iter(
            holm([p for p, is_first in zip(p_values, first, strict=True) if is_first is stage])
        )
        for stage in (True, False)
    }
    found = [next(adjusted[stage]) for stage in first]
    gate = max((p for p, is_first in zip(found, first, strict=True) if is_first), default=0.0)
    return [p if is_first else max(p, gate) for p, is_first in zip(found, first, strict=True)]


def _verdict(row: Difference, p_adjusted: float, alpha: float) -> Finding:
    measure = find_measure(row.measure)
    difference = row.difference or 0.0
    # Without any spread p is 1 only where no fold has a difference.
    if not difference and row.statistic is None:
        return Finding.TIED
    if p_adjusted > alpha or measure is None:
        return Finding.UNDECIDED
    better = (difference > 0) == (measure.orientation is Orientation.HIGHER)
    return Finding.SUPERIOR if better else Finding.INFERIOR
