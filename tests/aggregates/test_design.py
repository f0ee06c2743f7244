"""Variances of clustered and weighted cases, against statsmodels and formulas written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, t

from reportgen.aggregates.delong import structural_components
from reportgen.aggregates.design import SampleDesign
from reportgen.aggregates.effective_shares import obuchowski_covariances
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.statistics import FloatArray

SIZE, CLUSTERS = 120, 30


def clustered() -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return correct and wrong answers of clusters that depend, and their clusters."""
    rng = np.random.default_rng(2)
    clusters = np.sort(rng.integers(0, CLUSTERS, SIZE))
    level = rng.normal(0, 1, CLUSTERS)[clusters]
    clusters = np.unique(clusters, return_inverse=True)[1]
    return (rng.normal(level + 0.5) > 0).astype(np.float64), clusters


def test_cluster_robust_variance_of_a_proportion_is_that_of_statsmodels() -> None:
    """The intercept of a linear model with clustered standard errors is the proportion."""
    from statsmodels.regression.linear_model import OLS

    correct, clusters = clustered()
    fitted = OLS(correct, np.ones(SIZE)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    design = SampleDesign(np.ones(SIZE), clusters, None)

    influence = (correct - correct.mean())[:, None] / SIZE

    assert design.covariances(influence)[0, 0] == pytest.approx(fitted.cov_params()[0, 0])


def test_weighted_cluster_variance_is_that_of_statsmodels() -> None:
    """Sampling weights are those of weighted least squares, with clustered standard errors."""
    from statsmodels.regression.linear_model import WLS

    correct, clusters = clustered()
    raw = np.random.default_rng(5).uniform(0.5, 3, SIZE)
    fitted = WLS(correct, np.ones(SIZE), raw).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    weights = raw / raw.mean()
    design = SampleDesign(np.ones(SIZE), clusters, weights)

    mean = weights @ correct / SIZE
    influence = (correct - mean)[:, None] / SIZE

    assert mean == pytest.approx(fitted.params[0])
    assert design.covariances(influence)[0, 0] == pytest.approx(fitted.cov_params()[0, 0])


def test_linearized_variance_of_weights_by_hand() -> None:
    """Of a weighted mean it is n/(n − 1) · Σ w² (x − m)² / (Σ w)² (Särndal et al. 1992)."""
    x, raw = np.array([1.0, 0, 1, 1, 0]), np.array([1.0, 2, 3, 1, 3])
    mean = float(raw @ x / raw.sum())
    expected = 5 / 4 * float((raw**2 * (x - mean) ** 2).sum()) / raw.sum() ** 2
    design = SampleDesign(np.ones(5), None, raw / raw.mean())

    influence = (x - mean)[:, None] / 5

    assert design.covariances(influence)[0, 0] == pytest.approx(expected)


def test_counts_stand_for_cases_of_the_same_cluster() -> None:
    """A row of three cases equals three rows."""
    influences = np.array([[0.2], [-0.1], [0.4], [-0.3]])
    counts, clusters = np.array([3.0, 2, 1, 2]), np.array([0, 0, 1, 2])
    counted = SampleDesign(counts, clusters, None)
    expanded = SampleDesign(np.ones(8), np.repeat(clusters, [3, 2, 1, 2]), None)

    result = counted.covariances(influences)

    assert result == pytest.approx(
        expanded.covariances(np.repeat(influences, [3, 2, 1, 2], axis=0))
    )


def clustered_scores(size: int, seed: int) -> tuple[ScoredCases, npt.NDArray[np.int64]]:
    """Return scored cases of two classifiers, and their clusters."""
    rng = np.random.default_rng(seed)
    clusters = np.unique(rng.integers(0, size // 4, size), return_inverse=True)[1]
    shared = rng.normal(0, 1, size)[clusters]
    truth = (rng.normal(shared) > 0).astype(np.int64)
    fold = pl.Series("fold", [None] * size, pl.String)
    classifiers = tuple(
        ClassifierScores(name, fold, (), (rng.normal(truth) + shared)[:, None], None)
        for name in "AB"
    )
    return ScoredCases(("no", "yes"), ("yes",), truth, classifiers), clusters


def test_obuchowski_covariances_as_her_formula_is_written() -> None:
    """Obuchowski (1997), equations 3 to 6, in loops over clusters."""
    cases, clusters = clustered_scores(80, 3)
    design = SampleDesign(np.ones(80), clusters, None)
    positive = cases.truth == 1
    m, n = int(positive.sum()), int((~positive).sum())
    scores = [classifier.ranking_scores[:, 0] for classifier in cases.classifiers]

    def component(own: float, others: FloatArray) -> float:
        return float(np.mean((own > others) + (own == others) / 2))

    areas = [np.mean([component(x, s[~positive]) for x in s[positive]]) for s in scores]
    ten, one = np.zeros((2, design.units)), np.zeros((2, design.units))
    for which, s in enumerate(scores):
        for cluster in range(design.units):
            inside = clusters == cluster
            ten[which, cluster] = sum(
                component(x, s[~positive]) - areas[which] for x in s[inside & positive]
            )
            one[which, cluster] = sum(
                1 - component(y, s[positive]) - areas[which] for y in s[inside & ~positive]
            )
    with_positives = len(set(clusters[positive]))
    with_negatives = len(set(clusters[~positive]))
    units = design.units
    s10 = with_positives / (with_positives - 1) * ten @ ten.T / m**2
    s01 = with_negatives / (with_negatives - 1) * one @ one.T / n**2
    s11 = units / (units - 1) * ten @ one.T / (m * n)
    expected = s10 + s01 + s11 + s11.T

    influences = np.column_stack(next(iter(structural_components(cases)))[3])

    values = obuchowski_covariances(influences, np.asarray(positive), design)
    assert values == pytest.approx(expected)


def test_obuchowski_of_single_cases_is_delong() -> None:
    """With one case per cluster nothing depends."""
    cases, _ = clustered_scores(60, 5)
    design = SampleDesign(np.ones(60), np.arange(60), None)
    class_, _, weight, influences = next(iter(structural_components(cases)))
    stacked = np.column_stack(influences)

    values = obuchowski_covariances(stacked, cases.truth == 1, design)

    assert class_ == "yes"
    assert values == pytest.approx((stacked * np.asarray(weight)[:, None]).T @ stacked)


def test_effective_share_if_all_cases_of_a_cluster_are_alike() -> None:
    """Kish (1965): (Σ m)² / Σ m² of the cluster sizes, and t of as many effective clusters."""
    sizes = np.array([4, 6, 5, 5])
    design = SampleDesign(np.ones(20), np.repeat(np.arange(4), sizes), None)
    units = float((sizes**2).sum() ** 2 / (sizes**4).sum())

    share = design.effective_share(np.zeros(20), (0.0, 0.0), 0.95)

    quantiles = norm.ppf(0.975) / t.ppf(0.975, units - 1)
    assert share == pytest.approx(20 / float((sizes**2).sum()) * quantiles**2)


def test_effective_share_of_equal_clusters_by_hand() -> None:
    """The variance over clusters counts its degrees of freedom, that of alike cases half a one."""
    influence = np.array([0.3, 0.1, -0.2, 0.2, -0.4, -0.1, 0.0, 0.2, -0.3, 0.2])
    sums = influence.reshape(5, 2).sum(axis=1)
    design = SampleDesign(np.ones(10), np.repeat(np.arange(5), 2), None)
    robust, independent = 5 / 4 * float(sums @ sums), 10 / 9 * float(influence @ influence)
    df = 2 * float(sums @ sums) ** 2 / (float((sums**4).sum()) - float(sums @ sums) ** 2 / 5)
    alike = 5 * 4 * float(influence @ influence) / 10
    averaged = (df * robust + 0.5 * max(alike, robust)) / (df + 0.5)

    share = design.effective_share(influence, (robust, independent), 0.9)

    quantiles = norm.ppf(0.95) / t.ppf(0.95, 4)
    assert share == pytest.approx(min(1.0, independent / averaged) * quantiles**2)


def test_effective_share_of_unequal_clusters_has_fewer_degrees_of_freedom() -> None:
    """One cluster of most cases is worth less than as many cases in clusters of equal size."""
    rng = np.random.default_rng(4)
    influence = rng.normal(size=60)
    influence -= influence.mean()
    equal, unequal = (
        SampleDesign(np.ones(60), np.repeat(np.arange(6), sizes), None)
        for sizes in ([10] * 6, [45, 3, 3, 3, 3, 3])
    )
    variances = (2.0, 1.0)

    shares = [design.effective_share(influence, variances, 0.95) for design in (equal, unequal)]

    assert shares[1] < shares[0] / 2


def test_effective_share_counts_only_cases_that_matter() -> None:
    """Of a value of one class, cases of the other class make no cluster large."""
    strata = np.array([1, 0, 0, 0, 0] * 12)
    design = SampleDesign(np.ones(60), np.repeat(np.arange(12), 5), None)
    alone = SampleDesign(np.ones(12), np.arange(12), None)
    influence = np.where(strata == 1, np.resize([1.0, -1.0], 60), 0.0)
    positives = influence[strata == 1]

    share = design.effective_share(influence, (13.0, 12.0), 0.95, strata=strata)

    assert share == pytest.approx(alone.effective_share(positives, (13.0, 12.0), 0.95))
