"""McNemar's test: is one of two classifiers right more often on the same cases?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen
class McNemar:
    """What the cases say that only one of two classifiers has right.

    Without such cases there is no chi-square (None), and exactly nothing speaks for a difference.
    """

    first_only: int
    second_only: int
    exact_p: float
    mid_p: float
    chi_square: float | None
    chi_square_p: float | None
    corrected_chi_square: float | None
    corrected_chi_square_p: float | None


@frozen
class PValueRange:
    """The smallest and the largest p-value that what is known allows."""

    low: float
    high: float


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether cases that only one has right are split evenly between two classifiers."""
    from scipy.special import chdtrc

    discordant = first_only + second_only
    chi_square = corrected = chi_square_p = corrected_p = None
    if discordant:
        gap = abs(first_only - second_only)
        chi_square, corrected = gap**2 / discordant, max(0, gap - 1) ** 2 / discordant
        chi_square_p, corrected_p = float(chdtrc(1, chi_square)), float(chdtrc(1, corrected))
    return McNemar(
        first_only,
        second_only,
        exact_p=exact_p(first_only, second_only),
        mid_p=mid_p(first_only, second_only),
        chi_square=chi_square,
        chi_square_p=chi_square_p,
        corrected_chi_square=corrected,
        corrected_chi_square_p=corrected_p,
    )


def exact_p(first_only: int, second_only: int) -> float:
    """Return the two-sided binomial p-value of a fair split."""
    fewer, discordant = min(first_only, second_only), first_only + second_only
    return min(1.0, 2 * _up_to(fewer, discordant))


def mid_p(first_only: int, second_only: int) -> float:
    """Return the exact p-value less half the chance of just this split, on both sides."""
    fewer, discordant = min(first_only, second_only), first_only + second_only
    return min(1.0, _up_to(fewer, discordant) + _up_to(fewer - 1, discordant))


def mcnemar_range_by_class(
    first_right: Sequence[int], second_right: Sequence[int], cases: Sequence[int]
) -> PValueRange:
    """Return the exact p-values possible when right answers are known for each true class."""
    classes = list(zip(first_right, second_right, cases, strict=True))
    if any(not 0 <= min(one, other) <= max(one, other) <= size for one, other, size in classes):
        raise ValueError("right answers must be between 0 and the number of cases")
    gap = sum(first_right) - sum(second_right)
    fewest = sum(max(0, other - one) for one, other, _ in classes)
    most = sum(min(other, size - one) for one, other, size in classes)
    # A further case for each side leaves the gap and never lowers the p-value, since
    # P(X ≤ k + 1 of d + 2) − P(X ≤ k of d) = (P(X = k + 1) − P(X = k)) / 4 ≥ 0 below the middle.
    return PValueRange(exact_p(fewest + gap, fewest), exact_p(most + gap, most))


def _up_to(successes: int, trials: int) -> float:
    """Return the chance of at most so many heads of a fair coin."""
    from scipy.special import bdtr

    return float(bdtr(successes, trials, 0.5)) if successes >= 0 else 0.0
