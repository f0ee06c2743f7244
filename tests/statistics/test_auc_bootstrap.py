"""Areas of cases drawn anew: against all draws there are, against drawing cases, and DeLong."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom, mannwhitneyu
from sklearn.metrics import average_precision_score

from reportgen.aggregates.curves import cumulate_counts
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.statistics.auc import MAX_BOOTSTRAP_CELLS, CurveArea, ScoreCounts, bootstrap_areas
from tests.scored_cases import binary_cases

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.statistics import FloatArray

POSITIVES, NEGATIVES = (0.9, 0.8, 0.4), (0.7, 0.6, 0.4)
DRAWS = 60_000


def cells_of(positives: FloatArray, negatives: FloatArray) -> ScoreCounts:
    """Count the cases at each distinct score."""
    scores = np.concatenate([positives, negatives])
    steps = cumulate_counts(scores, np.arange(len(scores)) < len(positives))
    return ScoreCounts(*steps.increments(slice(0, len(steps.tp))))


def draw_areas(
    cells: ScoreCounts, area: CurveArea, *, draws: int, seed: int = 1, weight: float = 1.0
) -> FloatArray:
    """Draw areas of which there are some."""
    areas = bootstrap_areas(cells, area, n_resamples=draws, seed=seed, weight=weight)
    assert areas is not None
    assert areas.shape == (draws,)
    return areas


def normal_scores(seed: int, size: int, *, decimals: int) -> tuple[FloatArray, FloatArray]:
    """Draw scores of two normal distributions, 1 apart."""
    random = np.random.default_rng(seed)
    return (
        (random.standard_normal(size) + 1).round(decimals),
        random.standard_normal(2 * size).round(decimals),
    )


def measure_samples(
    area: CurveArea, truth: npt.NDArray[np.int64], samples: FloatArray
) -> list[float]:
    """Measure samples of the same truth, a row each: by SciPy, scikit-learn and the tally."""
    if area is CurveArea.ROC:
        sides = samples[:, truth == 1], samples[:, truth == 0]
        in_order = mannwhitneyu(*sides, axis=1, method="asymptotic").statistic
        return [float(count) / (sides[0][0].size * sides[1][0].size) for count in in_order]
    if area is CurveArea.AVERAGE_PRECISION:
        return [float(average_precision_score(truth, scores)) for scores in samples]
    named = {str(number): scores.tolist() for number, scores in enumerate(samples)}
    tally = compute_ranking_statistics(binary_cases(truth.tolist(), named, ranking_only=True))
    return (tally.frame["pr_area"] / tally.frame["positives"]).to_list()


@pytest.mark.parametrize("area", CurveArea)
def test_every_value_comes_as_often_as_among_all_draws_there_are(area: CurveArea) -> None:
    """3 · 3 · 3 draws of the positives with 3 · 3 · 3 of the negatives are equally likely.

    Each share is to lie within five standard errors.
    """
    all_draws = product(product(POSITIVES, repeat=3), product(NEGATIVES, repeat=3))
    samples = np.array([[*own, *others] for own, others in all_draws])
    values = measure_samples(area, np.repeat([1, 0], 3), samples)
    expected = Counter(round(value, 9) for value in values)

    areas = draw_areas(cells_of(np.array(POSITIVES), np.array(NEGATIVES)), area, draws=DRAWS)

    counts = Counter(areas.round(9).tolist())
    assert len(samples) == 729
    assert set(counts) == set(expected)
    for value, count in expected.items():
        share = count / 729
        reach = 5 * math.sqrt(share * (1 - share) / DRAWS)
        assert counts[value] / DRAWS == pytest.approx(share, abs=reach)


@pytest.mark.parametrize("area", CurveArea)
@pytest.mark.parametrize("decimals", [1, 9])
def test_drawing_cases_gives_the_same_limits(area: CurveArea, decimals: int) -> None:
    """60 and 120 cases, drawn 500 times by their places, with many ties and with none."""
    positives, negatives = normal_scores(3, 60, decimals=decimals)
    random = np.random.default_rng(4)
    samples = np.hstack([random.choice(positives, (500, 60)), random.choice(negatives, (500, 120))])
    cases = np.array(measure_samples(area, np.repeat([1, 0], [60, 120]), samples))

    counts = draw_areas(cells_of(positives, negatives), area, draws=20_000)

    spread = counts.std()
    # Standard errors of 500 draws: of the mean spread / 22.4, of a 2.5 % limit 2.7 times that.
    assert cases.mean() == pytest.approx(counts.mean(), abs=4 * spread / 22.4)
    for tail in (0.025, 0.975):
        expected = np.quantile(counts, tail)
        assert np.quantile(cases, tail) == pytest.approx(expected, abs=11 * spread / 22.4)
    assert cases.std() == pytest.approx(spread, rel=0.13)


def test_large_cells_have_binomial_counts() -> None:
    """Two scores: P(higher) is 30/50 and 20/50; A = ½ + (x/50 − y/50)/2 of binomial x and y."""
    cells = ScoreCounts(np.array([30, 20]), np.array([20, 30]))
    x, y = np.meshgrid(np.arange(51), np.arange(51), indexing="ij")
    chances = binom.pmf(x, 50, 0.6) * binom.pmf(y, 50, 0.4)
    values = 0.5 + (x - y) / 100

    areas = draw_areas(cells, CurveArea.ROC, draws=DRAWS)

    deviation = math.sqrt((chances * (values - 0.6) ** 2).sum())
    assert deviation == pytest.approx(math.sqrt(2 * 0.24 / 50) / 2)
    assert areas.mean() == pytest.approx(0.6, abs=4 * deviation / math.sqrt(DRAWS))
    assert areas.std() == pytest.approx(deviation, rel=0.02)
    for limit in (0.5, 0.55, 0.65):
        share = chances[values <= limit + 1e-9].sum()
        assert (areas <= limit + 1e-9).mean() == pytest.approx(share, abs=0.01)


def test_large_and_small_cells_are_drawn_together() -> None:
    """Positives at 40, 1, …, 1: means of counts are as found, so the mean area is the area."""
    positives, negatives = np.array([40, *[1, 0] * 20]), np.array([0, *[0, 1] * 20])
    cells = ScoreCounts(positives, negatives)
    placed = 1 - np.cumsum(negatives) / 20
    value = float((positives * placed).sum()) / 60

    areas = draw_areas(cells, CurveArea.ROC, draws=DRAWS)

    assert areas.mean() == pytest.approx(value, abs=4 * areas.std() / math.sqrt(DRAWS))
    assert draw_areas(cells, CurveArea.AVERAGE_PRECISION, draws=500).max() <= 1


@pytest.mark.parametrize("decimals", [1, 9])
def test_of_many_cases_the_variance_is_delong_s(decimals: int) -> None:
    """5 000 draws tell it to 2 %; the bootstrap divides by n, DeLong by n − 1."""
    positives, negatives = normal_scores(5, 2000, decimals=decimals)
    scores = [*positives.tolist(), *negatives.tolist()]
    cases = binary_cases([1] * 2000 + [0] * 4000, {"A": scores}, ranking_only=True)
    variance = delong_covariances(cases).covariances(["A"], None)
    assert variance is not None

    areas = draw_areas(cells_of(positives, negatives), CurveArea.ROC, draws=5000)

    assert areas.var() == pytest.approx(variance[0, 0], rel=0.08)


def test_fewer_different_cases_vary_more() -> None:
    """Each case four times: a quarter is drawn, and the standard deviation doubles."""
    positives, negatives = normal_scores(6, 400, decimals=2)
    cells = cells_of(positives, negatives)
    spread = {
        weight: draw_areas(cells, CurveArea.ROC, draws=5000, weight=weight) for weight in (1, 0.25)
    }

    assert spread[0.25].std() == pytest.approx(2 * spread[1].std(), rel=0.06)


@pytest.mark.parametrize(
    ("area", "value"),
    [(CurveArea.ROC, 0.5), (CurveArea.AVERAGE_PRECISION, 0.25), (CurveArea.INTERPOLATED_PR, 0.25)],
)
def test_scores_that_are_all_equal_give_the_same_area_in_every_draw(
    area: CurveArea, value: float
) -> None:
    """Half of the tied pairs; and the precision of calling all 4 cases positive."""
    assert set(draw_areas(ScoreCounts(np.array([1]), np.array([3])), area, draws=300)) == {value}


@pytest.mark.parametrize("area", CurveArea)
def test_separated_classes_give_1_in_every_draw(area: CurveArea) -> None:
    """Whoever is drawn, positives come first."""
    cells = cells_of(np.arange(50.0) + 100, np.arange(70.0))

    assert set(draw_areas(cells, area, draws=300)) == {1.0}


def test_only_neighbours_of_one_kind_are_joined() -> None:
    """Positives are not where precision is summed up score by score; mixed ones never are."""
    cells = ScoreCounts(np.array([1, 2, 0, 0, 1, 1, 3]), np.array([0, 0, 4, 1, 1, 1, 0]))

    for area in (CurveArea.ROC, CurveArea.INTERPOLATED_PR):
        joined = cells.merge_interchangeable(area)
        assert joined.positives.tolist() == [3, 0, 1, 1, 3]
        assert joined.negatives.tolist() == [0, 5, 1, 1, 0]
    joined = cells.merge_interchangeable(CurveArea.AVERAGE_PRECISION)
    assert joined.positives.tolist() == [1, 2, 0, 1, 1, 3]
    assert joined.negatives.tolist() == [0, 0, 5, 1, 1, 0]


@pytest.mark.parametrize("area", CurveArea)
def test_without_cases_on_both_sides_nothing_is_drawn(area: CurveArea) -> None:
    """There is no area."""
    some, none = np.array([2, 1]), np.array([0, 0])

    assert bootstrap_areas(ScoreCounts(some, none), area, n_resamples=200, seed=0) is None
    assert bootstrap_areas(ScoreCounts(none, some), area, n_resamples=200, seed=0) is None


def test_more_cells_than_can_be_drawn_in_time_are_not_drawn() -> None:
    """Cells are counted after they were joined: in one run each they are two."""
    size = MAX_BOOTSTRAP_CELLS // 2 + 1
    alternating = np.tile([1, 0], size)
    in_order = np.repeat([1, 0], size)

    many = bootstrap_areas(
        ScoreCounts(alternating, 1 - alternating), CurveArea.ROC, n_resamples=200, seed=0
    )
    two = bootstrap_areas(
        ScoreCounts(in_order, 1 - in_order), CurveArea.ROC, n_resamples=200, seed=0
    )

    assert many is None
    assert two is not None


def test_the_seed_decides() -> None:
    """The same draws again, and others."""
    positives, negatives = normal_scores(7, 50, decimals=9)
    cells = cells_of(positives, negatives)
    first, again, other = (
        draw_areas(cells, CurveArea.ROC, draws=300, seed=seed) for seed in (1, 1, 2)
    )

    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
