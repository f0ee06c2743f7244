"""p-values adjusted for tests that are correlated (step-down max-T)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm, studentized_range
from statsmodels.stats.multitest import multipletests

from reportgen.statistics import max_t
from reportgen.statistics.max_t import (
    Block,
    JointNormal,
    normal_scores,
    step_down_max_t,
    symmetric_root,
)

# Of 10,000 samples a probability of 0.05 has a standard error of 0.0022.
FOUR_ERRORS = 4 * 0.0022


def all_pairs(classifiers: int, covariance: np.ndarray | None = None) -> JointNormal:
    """Return the joint distribution of the differences of all pairs."""
    first, second = map(np.array, zip(*combinations(range(classifiers), 2), strict=True))
    return JointNormal(np.eye(classifiers) if covariance is None else covariance, first, second)


def independent(hypotheses: int) -> JointNormal:
    """Return differences of different estimates, half of them fixed."""
    covariance = np.diag([1.0] * hypotheses + [0.0] * hypotheses)
    return JointNormal(covariance, np.arange(hypotheses), np.arange(hypotheses) + hypotheses)


@pytest.mark.parametrize("classifiers", [3, 5, 10, 30])
@pytest.mark.parametrize("level", [0.05, 0.025])
def test_the_critical_value_of_all_pairs_is_tukeys(classifiers: int, level: float) -> None:
    """The studentized range of SciPy divided by √2, for equal variances."""
    size = classifiers * (classifiers - 1) // 2
    stepped = step_down_max_t(
        np.ones(size), [Block(np.arange(size), all_pairs(classifiers))], seed=1
    )

    assert stepped.critical_value(level) == pytest.approx(
        studentized_range.ppf(1 - level, classifiers, np.inf) / np.sqrt(2), abs=0.05
    )


def test_independent_tests_are_adjusted_as_by_holm_and_sidak() -> None:
    """Without correlation there is nothing to gain: statsmodels' step-down of Šidák."""
    raw = 2 * norm.sf([3.0, 2.6, 2.3, 1.0])
    stepped = step_down_max_t(raw, [Block(np.arange(4), independent(4))])

    assert stepped.adjusted == pytest.approx(
        multipletests(raw, method="holm-sidak")[1], abs=FOUR_ERRORS
    )


def test_tests_of_unknown_correlation_are_adjusted_by_holm() -> None:
    """Statsmodels' Holm, whatever the blocks."""
    raw = np.array([0.001, 0.02, 0.03, 0.5])
    expected = multipletests(raw, method="holm")[1]
    alone = [Block(np.array([place]), None) for place in range(4)]

    assert step_down_max_t(raw, [Block(np.arange(4), None)]).adjusted == pytest.approx(expected)
    assert step_down_max_t(raw, alone).adjusted == pytest.approx(expected)


def test_a_measure_that_tells_the_same_costs_nothing() -> None:
    """Error rate next to accuracy: the same difference with the other sign."""
    covariance = np.array([[1.0, -1.0, 0.3, -0.3], [-1.0, 1.0, -0.3, 0.3]])
    covariance = np.vstack([covariance, np.array([[0.3, -0.3, 1.0, -1.0], [-0.3, 0.3, -1.0, 1.0]])])
    joint = JointNormal(covariance, np.array([0, 1]), np.array([2, 3]))
    raw = np.array([1e-30, 1e-30])

    assert step_down_max_t(raw, [Block(np.arange(2), joint)]).adjusted == pytest.approx(raw)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_adjusted_p_values_lie_between_the_raw_ones_and_holms(seed: int, classifiers: int) -> None:
    """However the estimates are correlated."""
    random = np.random.default_rng(seed)
    factor = random.standard_normal((classifiers, classifiers))
    size = classifiers * (classifiers - 1) // 2
    raw = random.random(size) ** 4
    stepped = step_down_max_t(
        raw, [Block(np.arange(size), all_pairs(classifiers, factor @ factor.T))]
    )

    assert np.all(stepped.adjusted >= raw)
    assert np.all(stepped.adjusted <= np.array(multipletests(raw, method="holm")[1]) + 1e-9)


def test_of_three_equal_classifiers_two_tests_follow_the_first_at_the_full_level() -> None:
    """If A differs from B, then A = C and B = C cannot both be true (Shaffer 1986)."""
    raw = np.array([0.001, 0.03, 0.04])
    adjusted = step_down_max_t(raw, [Block(np.arange(3), all_pairs(3))]).adjusted

    assert adjusted[1:] == pytest.approx([0.03, 0.04], abs=FOUR_ERRORS)


def test_sets_that_can_be_true_are_those_of_partitions() -> None:
    """Four classifiers have 15 partitions; that into single ones leaves nothing to be true."""
    first, second = map(np.array, zip(*combinations(range(4), 2), strict=True))

    assert len(max_t.possible_sets(first, second, 4)) == 14


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_a_false_difference_is_found_in_five_percent(correlation: float) -> None:
    """Five classifiers of which the first is far better: errors among the other four."""
    classifiers, repetitions = 5, 1_000
    random = np.random.default_rng(11)
    covariance = np.full((5, 5), correlation) + (1 - correlation) * np.eye(5)
    joint = all_pairs(classifiers, covariance)
    root, wrong = np.linalg.cholesky(covariance), 0
    for _ in range(repetitions // 10):
        estimates = root @ random.standard_normal(5) + np.array([9.0, 0, 0, 0, 0])
        z = (estimates[joint.first] - estimates[joint.second]) / joint.errors
        adjusted = step_down_max_t(2 * norm.sf(np.abs(z)), [Block(np.arange(10), joint)]).adjusted
        wrong += bool(np.any(adjusted[joint.first > 0] <= 0.05))

    # Binomial(100, 0.05) exceeds 12 once in 700 times.
    assert wrong <= 12


def test_the_tail_of_the_maximum_has_no_lower_bound() -> None:
    """All pairs of seven classifiers at p = 1e-40: at most 21 · 1e-40, not 1 / 10,001."""
    raw = np.full(21, 1e-40)
    stepped = step_down_max_t(raw, [Block(np.arange(21), all_pairs(7))])

    assert np.all(stepped.adjusted <= 21 * 1e-40 * (1 + 1e-9))
    assert np.all(stepped.adjusted >= 1e-40)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.95, 0.999])
def test_hunters_bound_of_two_tests_is_their_probability(
    correlation: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P(|Z1| ≥ 4 or |Z2| ≥ 4) by SciPy's bivariate normal distribution function."""
    monkeypatch.setattr(max_t, "MAX_SAMPLES", 0)
    covariance = np.zeros((4, 4))
    covariance[:2, :2] = [[1, correlation], [correlation, 1]]
    joint = JointNormal(covariance, np.array([0, 1]), np.array([2, 3]))
    raw = np.full(2, 2 * norm.sf(4.0))
    stepped = step_down_max_t(raw, [Block(np.arange(2), joint)])
    same, opposite = (
        multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([-4.0, -4.0])
        for r in (correlation, -correlation)
    )

    assert stepped.adjusted[0] == pytest.approx(2 * raw[0] - 2 * (same + opposite), rel=1e-3)


def test_equal_estimates_are_tested_as_if_independent() -> None:
    """A difference without variance has no correlation with others."""
    joint = JointNormal(np.zeros((3, 3)), np.array([0, 0]), np.array([1, 2]))
    raw = np.array([0.02, 0.9])
    stepped = step_down_max_t(raw, [Block(np.arange(2), joint)])

    assert stepped.adjusted[0] == pytest.approx(1 - 0.98**2, abs=FOUR_ERRORS)


@pytest.mark.parametrize("p", [1.0, 0.05, 1e-12, 1e-300, 0.0])
def test_the_normal_score_of_a_p_value_is_its_quantile(p: float) -> None:
    """1.96 for 0.05; finite for 0."""
    score = normal_scores(np.array([p]))[0]

    assert np.isfinite(score)
    assert 2 * norm.sf(score) == pytest.approx(max(p, 2.3e-308), rel=1e-9)


def measures_of_rates(pairs: int = 1) -> JointNormal:
    """Return differences of sensitivity, specificity, J and accuracy at a prevalence of 0.3.

    All are sums of two independent estimates; a further pair of classifiers is independent.
    """
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.3, 0.7]])
    covariance = np.kron(np.eye(2 * pairs), weights @ weights.T)
    size = len(weights)
    first = np.concatenate([np.arange(size) + 2 * pair * size for pair in range(pairs)])
    return JointNormal(covariance, first, first + size)


def block_of_rates(is_straight: tuple[bool, ...] = (True,) * 4) -> Block:
    """Return these four hypotheses of one pair of classifiers."""
    points = np.zeros(4, np.int64)
    return Block(np.arange(4), measures_of_rates(), points, np.array(is_straight))


def test_after_a_difference_in_one_measure_the_others_need_no_adjustment_for_each_other() -> None:
    """Only one of them can be equal at two different points."""
    raw = np.array([0.002, 0.03, 0.04, 0.5])
    plain = step_down_max_t(raw, [Block(np.arange(4), measures_of_rates())]).adjusted
    adjusted = step_down_max_t(raw, [block_of_rates()]).adjusted

    assert adjusted[0] == plain[0] > 0.004
    assert adjusted[1:].tolist() == pytest.approx(raw[1:].tolist())
    assert plain[2] > 0.05


def test_measures_with_curved_contours_are_added() -> None:
    """They may be equal together with another measure; never more than without any relation."""
    raw = np.array([0.002, 0.03, 0.04, 0.05])
    plain = step_down_max_t(raw, [Block(np.arange(4), measures_of_rates())]).adjusted
    adjusted = step_down_max_t(raw, [block_of_rates((True, False, True, True))]).adjusted

    # Of the others one may be equal, and specificity too; then specificity has been tested.
    assert adjusted[1] == pytest.approx(min(0.06, plain[1]))
    assert adjusted[2:].tolist() == pytest.approx([adjusted[1]] * 2)


def test_a_difference_shown_by_another_family_counts_from_its_level_on() -> None:
    """At lower levels than the gate the adjustment is that of two points that may be equal."""
    raw = np.array([0.02, 0.03, 0.5, 0.6])
    gated = step_down_max_t(raw, [block_of_rates()], gates={0: 0.025}).adjusted
    late = step_down_max_t(raw, [block_of_rates()], gates={0: 0.9}).adjusted

    assert gated[:2].tolist() == pytest.approx([0.025, 0.03])
    assert late[0] == step_down_max_t(raw, [block_of_rates()]).adjusted[0] > 0.03


def test_two_pairs_of_classifiers_are_two_pairs_of_points() -> None:
    """A difference of one pair tells nothing of the other."""
    raw = np.array([1e-6, 0.01, 0.3, 0.3, 0.02, 0.5, 0.5, 0.5])
    points = np.repeat([0, 1], 4)
    block = Block(np.arange(8), measures_of_rates(2), points, np.full(8, fill_value=True))
    alone = step_down_max_t(raw[4:], [block_of_rates()]).adjusted
    adjusted = step_down_max_t(raw, [block]).adjusted

    # One of the first pair and all of the second may be equal.
    others = step_down_max_t(np.array([0.01, 1, 1, 1]), [block_of_rates()]).adjusted[0]
    assert adjusted[1] == pytest.approx(0.01 + others, abs=FOUR_ERRORS)
    assert adjusted[4] == pytest.approx(alone[0] + 0.02, abs=FOUR_ERRORS)


@pytest.mark.parametrize("equal", [(0, 1, 2, 3), (1,), (2,), ()])
def test_measures_of_two_points_that_are_equal_are_found_to_differ_in_five_percent(
    equal: tuple[int, ...],
) -> None:
    """All are equal, specificity only, J only, or none; the others differ by any amount."""
    joint, random = measures_of_rates(), np.random.default_rng(12)
    block, wrong, repetitions = block_of_rates(), 0, 400
    shift = {(0, 1, 2, 3): (0, 0), (1,): (1, 0), (2,): (1, -1), (): (1, 0.4)}[equal]
    for repetition in range(repetitions):
        # From nothing to overwhelming differences.
        size = 6 * repetition / repetitions
        rates = random.standard_normal(2) + size * np.array(shift)
        values = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.3, 0.7]]) @ rates
        # Half of the variance is that of the other point.
        z = values * np.sqrt(2) / joint.errors
        adjusted = step_down_max_t(2 * norm.sf(np.abs(z)), [block], repetition).adjusted
        wrong += bool(np.any(adjusted[list(equal)] <= 0.05))

    # Binomial(400, 0.05) exceeds 34 once in 500 times.
    assert wrong <= (34 if equal else 0)


def test_rounding_errors_of_a_singular_covariance_hardly_change_its_root() -> None:
    """Six estimates of rank two: four eigenvalues are rounding errors, whose roots are 1e-8."""
    rng = np.random.default_rng(1)
    loadings = rng.normal(size=(6, 2))
    covariance = loadings @ loadings.T
    noise = rng.normal(scale=1e-16, size=(6, 6))

    difference = symmetric_root(covariance + noise + noise.T) - symmetric_root(covariance)

    assert np.abs(difference).max() < 1e-12


def test_the_root_keeps_the_covariance_of_estimates_of_very_different_scale() -> None:
    """An accuracy with a variance of 1e-5 beside a likelihood ratio with one of 1e8."""
    scale = np.array([3e-3, 3e-3, 1e4, 1e4, 0.0])
    correlation = np.array(
        [
            [1.0, 0.9, 0.5, 0.0, 0.0],
            [0.9, 1.0, 0.5, 0.0, 0.0],
            [0.5, 0.5, 1.0, 0.3, 0.0],
            [0.0, 0.0, 0.3, 1.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )
    covariance = correlation * np.outer(scale, scale)

    root = symmetric_root(covariance)

    varying = slice(0, 4)
    scaled = (root.T @ root)[varying, varying] / np.outer(scale, scale)[varying, varying]
    assert scaled == pytest.approx(correlation[varying, varying], abs=1e-12)
    assert not root[:, 4].any()


def test_a_variance_below_zero_by_rounding_counts_as_zero() -> None:
    """The root of the other estimate is its standard error."""
    covariance = np.diag([1.0, -1e-20])

    assert symmetric_root(covariance).tolist() == [[1.0, 0.0], [0.0, 0.0]]
