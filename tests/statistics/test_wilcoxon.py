"""Wilcoxon's signed-rank test against SciPy, against counting by hand, and in its corners."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pytest
from scipy import stats

from reportgen.statistics.wilcoxon import Tails, wilcoxon_signed_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALTERNATIVES: dict[Tails, str] = {"two": "two-sided", "one": "greater"}


class Answer(Protocol):
    """What SciPy returns."""

    statistic: float
    pvalue: float


def draw_differences(size: int, decimals: int) -> NDArray[np.float64]:
    """Draw differences that tend to be above 0."""
    return np.round(np.random.default_rng(size).normal(0.3, 1, size), decimals)


def of_scipy(differences: NDArray[np.float64], tails: Tails, method: object) -> Answer:
    """Test the differences by SciPy, without a correction for continuity."""
    answer: Answer = stats.wilcoxon(
        differences,
        zero_method="wilcox",
        alternative=ALTERNATIVES[tails],
        method=method,
        correction=False,
    )
    return answer


@pytest.mark.parametrize("size", [1, 2, 6, 10, 25, 26, 80])
@pytest.mark.parametrize("tails", ALTERNATIVES)
@pytest.mark.parametrize("decimals", [12, 1])
def test_the_statistic_is_that_of_scipy(size: int, tails: Tails, decimals: int) -> None:
    """One decimal makes ties and zeros."""
    differences = draw_differences(size, decimals)

    signed_rank_test = wilcoxon_signed_rank(differences, 0.95, tails)

    expected = of_scipy(differences, tails, "approx")
    assert signed_rank_test.statistic == pytest.approx(expected.statistic, abs=1e-9)


@pytest.mark.parametrize("size", [1, 2, 6, 10, 25])
@pytest.mark.parametrize("tails", ALTERNATIVES)
def test_p_of_few_untied_differences_is_the_exact_one_of_scipy(size: int, tails: Tails) -> None:
    """SciPy's exact distribution knows neither ties nor zeros."""
    differences = draw_differences(size, 12)

    signed_rank_test = wilcoxon_signed_rank(differences, 0.95, tails=tails)

    assert signed_rank_test.exact
    assert signed_rank_test.p == pytest.approx(
        of_scipy(differences, tails, "exact").pvalue, abs=1e-12
    )


@pytest.mark.parametrize("size", [60, 80])
@pytest.mark.parametrize("tails", ALTERNATIVES)
@pytest.mark.parametrize("decimals", [12, 1])
def test_p_of_many_differences_is_the_approximate_one_of_scipy(
    size: int, tails: Tails, decimals: int
) -> None:
    """That of the normal distribution, corrected for ties, without a continuity correction."""
    differences = draw_differences(size, decimals)

    signed_rank_test = wilcoxon_signed_rank(differences, 0.95, tails)

    assert not signed_rank_test.exact
    expected = of_scipy(differences, tails, "approx")
    assert signed_rank_test.p == pytest.approx(expected.pvalue, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tails", ALTERNATIVES)
def test_p_with_ties_and_zeros_is_that_of_all_signs(seed: int, tails: Tails) -> None:
    """SciPy's permutations: nine differences of few sizes, so all 2⁹ signs are looked at."""
    differences = np.random.default_rng(seed).integers(-2, 5, 9) / 100
    assert len(np.unique(np.abs(differences))) < 9

    signed_rank_test = wilcoxon_signed_rank(differences, 0.95, tails)

    every_sign = stats.PermutationMethod(n_resamples=2**9)
    expected = of_scipy(differences, tails, every_sign)
    assert signed_rank_test.exact
    assert signed_rank_test.p == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_p_with_ties_counts_signs_written_out_by_hand(seed: int) -> None:
    """The share of the 2¹² signs whose smaller rank sum is at most the one that was found."""
    sizes = np.random.default_rng(seed).integers(1, 6, 12).astype(np.float64)
    differences = sizes * np.where(np.arange(12) % 4, 1.0, -1.0)
    ranks = stats.rankdata(np.abs(differences))
    signs = np.array(list(product((0, 1), repeat=12)))
    above = signs @ ranks
    smaller = np.minimum(above, ranks.sum() - above)
    result = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())

    assert wilcoxon_signed_rank(differences, 0.95).p == np.mean(smaller <= result)


@pytest.mark.parametrize("tied", [1, 2, 3, 4, 5])
def test_p_is_never_below_the_smallest_that_the_signs_allow(tied: int) -> None:
    """Five folds, all of one sign: 2 of the 2⁵ signs are as far out, 0.0625, ties or not."""
    differences = [0.01] * tied + [0.02, 0.03, 0.04, 0.05][: 5 - tied]

    signed_rank_test = wilcoxon_signed_rank(differences, 0.95)

    assert (signed_rank_test.p, signed_rank_test.exact) == (2 / 2**5, True)


def test_exact_p_of_few_differences_counts_the_signs() -> None:
    """Of the 2³ signs of ranks 1, 2, 3 only +++ and −−− are as far out as all positive: 2/8."""
    signed_rank_test = wilcoxon_signed_rank([0.1, 0.2, 0.4], 0.95)

    assert (signed_rank_test.statistic, signed_rank_test.p, signed_rank_test.exact) == (
        0,
        2 / 8,
        True,
    )
    assert wilcoxon_signed_rank([0.1, 0.2, 0.4], 0.95, tails="one").p == 1 / 8


def test_exactness_ends_at_25_differences_other_than_0() -> None:
    """As the report says of each p-value; the differences of 0 have no sign to be counted."""
    assert wilcoxon_signed_rank(np.arange(1.0, 26.0), 0.95).exact
    assert not wilcoxon_signed_rank(np.arange(1.0, 27.0), 0.95).exact
    assert wilcoxon_signed_rank([1.0, -1.0, 2.0], 0.95).exact
    assert wilcoxon_signed_rank([*np.arange(26.0), 0.0], 0.95).exact


def test_differences_equal_but_for_rounding_are_ties() -> None:
    """0.81 − 0.80 and 0.83 − 0.82 are 0.01 on paper, but not as floating-point numbers."""
    noisy = [0.81 - 0.80, 0.83 - 0.82, 0.79 - 0.77, 0.3 - 0.2 - 0.1]
    assert noisy[0] != noisy[1] or noisy[3] != 0

    signed_rank_test = wilcoxon_signed_rank(noisy, 0.95)

    clean = wilcoxon_signed_rank([0.01, 0.01, 0.02, 0.0], 0.95)
    assert (
        signed_rank_test.statistic,
        signed_rank_test.p,
        signed_rank_test.n_used,
        signed_rank_test.n_zeros,
    ) == (
        clean.statistic,
        clean.p,
        clean.n_used,
        clean.n_zeros,
    )
    assert signed_rank_test.n_zeros == 1


def test_the_scale_of_the_differences_does_not_matter() -> None:
    """Ranks stay what they are whatever the unit."""
    differences = np.array([0.03, -0.01, 0.05, 0.02, 0.07])
    plain = wilcoxon_signed_rank(differences, 0.95)

    for factor in (1e-280, 1e-9, 1e6, 1e300):
        scaled = wilcoxon_signed_rank(differences * factor, 0.95)
        assert scaled.p == plain.p
        assert scaled.estimate == pytest.approx(plain.estimate * factor, rel=1e-11)


def test_no_difference_at_all_speaks_for_none() -> None:
    """All zeros: p is 1, not an error."""
    signed_rank_test = wilcoxon_signed_rank([0.0] * 4, 0.95)

    assert (signed_rank_test.p, signed_rank_test.estimate) == (1, 0)
    assert signed_rank_test.n_zeros == 4


def test_nothing_and_infinity_are_rejected() -> None:
    """Whoever calls has to leave out what has no finite value, and to say so."""
    for wrong in ([], [1.0, np.inf], [np.nan]):
        with pytest.raises(ValueError, match="finite"):
            wilcoxon_signed_rank(wrong, 0.95)


@pytest.mark.parametrize("size", [1, 2, 7, 30, 101])
def test_estimate_is_the_median_of_the_means_of_every_two(size: int) -> None:
    """Hodges and Lehmann's, here from all means written out."""
    differences = np.round(np.random.default_rng(3).normal(0, 1, size), 6)
    means = np.sort(
        [(differences[i] + differences[j]) / 2 for i in range(size) for j in range(i, size)]
    )

    assert wilcoxon_signed_rank(differences, 0.95).estimate == pytest.approx(
        float(np.median(means))
    )


def test_limits_are_what_a_test_of_the_shifted_differences_does_not_reject() -> None:
    """Just inside the limits p is above 0.05, just outside it is not."""
    differences = np.array([0.05, 0.13, -0.021, 0.078, 0.094, 0.033, 0.112, -0.004, 0.061, 0.147])
    signed_rank_test = wilcoxon_signed_rank(differences, 0.95)
    assert signed_rank_test.low is not None
    assert signed_rank_test.high is not None

    for limit, inwards in ((signed_rank_test.low, 1e-6), (signed_rank_test.high, -1e-6)):
        assert wilcoxon_signed_rank(differences - limit - inwards, 0.95).p > 0.05
        assert wilcoxon_signed_rank(differences - limit + inwards, 0.95).p <= 0.05


@pytest.mark.parametrize(
    "sizes",
    [(1.0, 2.1, 3.3, 4.6, 6.0, 7.5), (1, 1, 2, 2, 3, 3), (0, 0, 1, 1, 1, 2), (1, 1, 1, 1, 1, 1)],
)
def test_limits_hold_their_level(sizes: tuple[float, ...]) -> None:
    """Over all signs of six sizes, tied or not, 95 % of intervals contain the true shift 0."""
    contained = []
    for signs in product((-1.0, 1.0), repeat=6):
        signed_rank_test = wilcoxon_signed_rank(np.multiply(sizes, signs), 0.95)
        assert signed_rank_test.low is not None
        assert signed_rank_test.high is not None
        contained.append(signed_rank_test.low <= 0 <= signed_rank_test.high)

    assert np.mean(contained) >= 0.95


def test_five_differences_allow_no_interval_of_95_percent() -> None:
    """The widest one, from the smallest to the largest, has 1 − 2/2⁵ = 93.75 %."""
    five = [0.1, 0.2, 0.3, 0.4, 0.6]

    assert (wilcoxon_signed_rank(five, 0.95).low, wilcoxon_signed_rank(five, 0.95).high) == (
        None,
        None,
    )
    assert (wilcoxon_signed_rank(five, 0.93).low, wilcoxon_signed_rank(five, 0.93).high) == (
        0.1,
        0.6,
    )
