"""Invariance of measures under changes of the confusion matrix (Sokolova and Lapalme 2009).

A measure that does not change under a change cannot detect it. The invariances are found from the
formula by exact evaluation at random matrices.
"""

from __future__ import annotations

import math
import random
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from reportgen.measures.formula import Formula, find_quantities
from reportgen.measures.formula.evaluate import evaluate_exact
from reportgen.measures.measure import CONFUSION_COUNTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures.measure import Measure

N_MATRICES, MAX_COUNT, SEED = 12, 60, 2009

Counts = dict[str, Fraction]


class MatrixChange(Enum):
    """A change of the confusion matrix, as numbered in the paper."""

    EXCHANGE = "I1"
    TRUE_NEGATIVES = "I2"
    TRUE_POSITIVES = "I3"
    FALSE_NEGATIVES = "I4"
    FALSE_POSITIVES = "I5"
    UNIFORM_SCALING = "I6"
    COLUMN_SCALING = "I7"
    ROW_SCALING = "I8"


CHANGE_DESCRIPTIONS = {
    MatrixChange.EXCHANGE: "exchange of positives and negatives",
    MatrixChange.TRUE_NEGATIVES: "change of TN",
    MatrixChange.TRUE_POSITIVES: "change of TP",
    MatrixChange.FALSE_NEGATIVES: "change of FN",
    MatrixChange.FALSE_POSITIVES: "change of FP",
    MatrixChange.UNIFORM_SCALING: "all counts times the same factor",
    MatrixChange.COLUMN_SCALING: "each predicted class times a factor of its own",
    MatrixChange.ROW_SCALING: "each true class times a factor of its own",
}


def is_function_of_counts(measure: Measure) -> bool:
    """Return whether the four counts determine a measure."""
    names = {quantity.name for quantity in find_quantities(measure.formula)}
    return names <= set(CONFUSION_COUNTS)


def is_function_of_matrix(measure: Measure) -> bool:
    """Return whether the confusion matrix of all classes determines a measure."""
    return is_function_of_counts(measure) or all(
        quantity.binary_formula is not None for quantity in find_quantities(measure.formula)
    )


def find_invariances(measure: Measure) -> frozenset[MatrixChange]:
    """Return the changes of the confusion matrix that leave a measure of counts as it is."""
    return frozenset(change for change in MatrixChange if _is_invariant(measure.formula, change))


@cache
def _is_invariant(formula: Formula, change: MatrixChange) -> bool:
    """Return whether a change leaves the value as it is at all matrices tried."""
    return all(
        _is_equal(formula, counts, _apply(change, counts, factors))
        for counts, factors in _random_matrices()
    )


@cache
def _random_matrices() -> tuple[tuple[Counts, tuple[Fraction, Fraction]], ...]:
    """Return the matrices to try, each with the factors of its change."""
    generator = random.Random(SEED)  # noqa: S311  # matrices to try, nothing secret
    matrices = [_draw_counts(generator) for _ in range(N_MATRICES)]
    return tuple(
        (counts, (Fraction(generator.randint(2, 9)), Fraction(generator.randint(2, 9), 11)))
        for counts in matrices
    )


def _draw_counts(generator: random.Random) -> Counts:
    return {name: Fraction(generator.randint(1, MAX_COUNT)) for name in CONFUSION_COUNTS}


def _apply(change: MatrixChange, counts: Counts, factors: tuple[Fraction, Fraction]) -> Counts:
    """Return the changed matrix."""
    first, second = factors
    count_name = {
        MatrixChange.TRUE_NEGATIVES: "tn",
        MatrixChange.TRUE_POSITIVES: "tp",
        MatrixChange.FALSE_NEGATIVES: "fn",
        MatrixChange.FALSE_POSITIVES: "fp",
    }.get(change)
    if count_name is not None:
        return counts | {count_name: counts[count_name] * first + 1}
    if change is MatrixChange.EXCHANGE:
        opposite = {"tp": "tn", "fn": "fp", "fp": "fn", "tn": "tp"}
        return {name: counts[opposite[name]] for name in counts}
    scales = {
        MatrixChange.UNIFORM_SCALING: (first, first, first, first),
        MatrixChange.COLUMN_SCALING: (first, second, first, second),
        MatrixChange.ROW_SCALING: (first, first, second, second),
    }[change]
    by_name = dict(zip(CONFUSION_COUNTS, scales, strict=True))
    return {name: count * by_name[name] for name, count in counts.items()}


def _is_equal(
    formula: Formula, before: Mapping[str, Fraction], after: Mapping[str, Fraction]
) -> bool:
    one, other = evaluate_exact(formula, before), evaluate_exact(formula, after)
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one == other
    # Roots and logarithms are rounded.
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def is_function_of_rates(measure: Measure) -> bool:
    """Return whether sensitivity, specificity and prevalence determine the measure.

    Test statistics and totals also depend on the number of cases.
    """
    return is_function_of_counts(measure) and _is_invariant(
        measure.formula, MatrixChange.UNIFORM_SCALING
    )


def depends_on_prevalence(measure: Measure) -> bool:
    """Return whether the value changes with the prevalence at fixed sensitivity and specificity."""
    return not _is_invariant(measure.formula, MatrixChange.ROW_SCALING)


@cache
def has_straight_contours(formula: Formula) -> bool:
    """Return whether sensitivities and specificities with the same value lie on a straight line.

    At any prevalence, where the measure is a ratio of linear functions of both. Along a line such a
    function keeps the cross-ratio of four points, and no other one does along all lines.
    """
    generator = random.Random(SEED)  # noqa: S311  # matrices to try, nothing secret
    return all(_keeps_cross_ratio(formula, generator) for _ in range(N_MATRICES))


def _keeps_cross_ratio(formula: Formula, generator: random.Random) -> bool:
    counts = _draw_counts(generator)
    hit, passed = (Fraction(generator.randint(1, 6), 7) for _ in range(2))
    steps = (0, 1, 3, 4)
    values = [
        evaluate_exact(
            formula,
            {
                # Four times as many, so that no count becomes negative.
                "tp": 4 * counts["tp"] + step * hit,
                "fn": 4 * counts["fn"] - step * hit,
                "fp": 4 * counts["fp"] - step * passed,
                "tn": 4 * counts["tn"] + step * passed,
            },
        )
        for step in steps
    ]
    a, b, c, d = values
    if a == d:
        return a == b == c
    # (a − c) / (b − c) : (a − d) / (b − d), which is 9/8 for the steps.
    return math.isclose(8 * (a - c) * (b - d), 9 * (a - d) * (b - c), rel_tol=1e-7)
