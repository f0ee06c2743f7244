"""The sampling design: clusters and weights of the cases, reduced to sums per independent unit.

Cases of one cluster depend on each other, so clusters and not cases are the independent units; with
weights a case stands for as many cases of the population as its weight says. Either way the
covariance of two values is the sum over the units of the products of their influences (Taylor
linearization; Binder 1983), and its ratio to the covariance of independent, unweighted cases is the
design effect (Kish 1965).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.statistics.distributions import critical_t, critical_z, satterthwaite_df

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.join import JoinedCases
    from reportgen.statistics import FloatArray, IndexArray

CLUSTER_ROBUST, WEIGHTED = "cluster-robust", "weighted"
# The degrees of freedom that the assumption of alike cases counts as (docs/coverage.md).
PRIOR_DF = 0.5


@dataclass(frozen=True)
class SampleDesign:
    """Clusters and weights of rows, each of which stands for `counts` identical cases.

    Weights have the mean 1 over the cases. `clusters` is None where cases are independent,
    `weights` where they all weigh the same.
    """

    counts: FloatArray
    clusters: IndexArray | None
    weights: FloatArray | None

    @cached_property
    def cases(self) -> int:
        """The number of cases."""
        return round(float(self.counts.sum()))

    @cached_property
    def units(self) -> int:
        """The number of independent units: clusters, or cases."""
        return self.cases if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def unit_counts(self) -> FloatArray:
        """How many identical independent units each element of `unit_sums` stands for."""
        return self.counts if self.clusters is None else np.ones(self.units)

    @cached_property
    def case_weights(self) -> FloatArray:
        """The weight of a case of each row."""
        return np.ones(len(self.counts)) if self.weights is None else self.weights

    @property
    def method(self) -> str:
        """What the names of methods of this design end with."""
        parts = [WEIGHTED] * (self.weights is not None)
        return ", ".join([*parts, *[CLUSTER_ROBUST] * (self.clusters is not None)])

    def unit_sums(self, influences: FloatArray) -> FloatArray:
        """Sum weighted influences (rows × values) over the cases of each unit.

        Without clusters a row is a number of units with the same influence.
        """
        weighted = influences * self.case_weights[:, None]
        if self.clusters is None:
            return weighted
        weighted = weighted * self.counts[:, None]
        columns = [np.bincount(self.clusters, column, self.units) for column in weighted.T]
        cluster_sums = np.array(columns, np.float64).T
        return cluster_sums.reshape(self.units, influences.shape[1])

    def covariances(self, influences: FloatArray) -> FloatArray:
        """Return the covariance matrix of values from the influences of the cases on them."""
        if self.units < 2:  # noqa: PLR2004  # a variance needs two
            return np.full((influences.shape[1],) * 2, np.nan)
        sums = self.unit_sums(influences)
        products = (sums * self.unit_counts[:, None]).T @ sums
        return np.asarray(products * (self.units / (self.units - 1)))

    def independent_covariances(self, influences: FloatArray) -> FloatArray:
        """Return the covariance matrix as if cases were independent and their weights counts."""
        weighted = influences * (self.counts * self.case_weights)[:, None]
        products = weighted.T @ influences
        return np.asarray(products * (self.cases / max(self.cases - 1, 1)))

    def effective_share(
        self,
        influence: FloatArray,
        variances: tuple[float, float],
        level: float,
        *,
        strata: IndexArray | None = None,
        fallback: FloatArray | None = None,
    ) -> float:
        """Return the effective number of cases per case: 1 / design effect, and t for z.

        The variance over clusters is uncertain where few clusters have most of it. It is therefore
        averaged with the variance that cases would have if those of a cluster were alike, which
        counts as half a degree of freedom, and the degrees of freedom of t are those of the
        effective number of clusters (Carter, Schnepel and Steigerwald 2017), less one.

        Args:
            influence: the influence of a case of each row.
            variances: that over the units, and that of independent, unweighted cases; where either
                is not positive, all cases of a cluster are taken to be alike.
            level: the confidence level of the interval.
            strata: the true class of each row, where influences of classes differ in size.
            fallback: the size of the influences where they do not vary; all equal by default.
        """
        if self.clusters is None and self.weights is None:
            return 1.0
        robust, independent = variances
        varies = bool(np.isfinite(robust) and np.isfinite(independent))
        varies = varies and robust > 0 and independent > 0
        if varies:
            size = self._mean_size(influence, strata)
        else:
            size = np.ones(len(self.counts)) if fallback is None else fallback
            independent = float((self.counts * self.case_weights) @ size**2)
        counts, together = self.unit_counts, self.unit_sums(size[:, None])[:, 0] ** 2
        alone = self._unit_squares(size)
        if_alike, if_independent = float(counts @ together), float(counts @ alone)
        correlation = 1.0
        if varies:
            excess = robust - if_independent
            correlation = min(1.0, max(0.0, excess / max(if_alike - if_independent, 1e-300)))
            sums = self.unit_sums(influence[:, None])[:, 0]
            df = satterthwaite_df(float(counts @ sums**2), float(counts @ sums**4), self.units)
            if np.isfinite(df):
                prior = PRIOR_DF * max(if_alike, robust)
                robust = (df * robust + prior) / (df + PRIOR_DF)
        else:
            robust = if_alike
        expected = alone + correlation * (together - alone)
        units = float((counts @ expected) ** 2 / (counts @ expected**2))
        quantile = critical_t(max(units - 1, 1.0), level)
        return min(1.0, independent / robust) * (critical_z(level) / quantile) ** 2

    def _mean_size(self, influence: FloatArray, strata: IndexArray | None) -> FloatArray:
        """Return the root mean square of the influences of each stratum, by row."""
        weights = self.counts * self.case_weights
        groups = np.zeros(len(weights), np.int64) if strata is None else strata
        squares = np.bincount(groups, weights * influence**2)
        total = np.bincount(groups, weights)
        return np.sqrt(squares / np.maximum(total, 1e-300))[groups]

    def _unit_squares(self, size: FloatArray) -> FloatArray:
        """Return the sum over a unit's cases of their squared, weighted influences."""
        squares = (size * self.case_weights) ** 2
        if self.clusters is None:
            return squares
        return np.bincount(self.clusters, squares * self.counts, self.units).astype(np.float64)


@dataclass(frozen=True)
class LabelDesign:
    """The design of joined cases with their true and predicted classes, as indices.

    Its rows are the distinct combinations of cluster, weight, truth and all predictions.
    """

    design: SampleDesign
    classes: tuple[str, ...]
    truth: IndexArray
    predictions: Mapping[str, IndexArray]

    def counts(self, classifier: str) -> FloatArray:
        """Return the weighted confusion matrix of a classifier, rows true."""
        size = len(self.classes)
        cells = self.truth * size + self.predictions[classifier]
        weights = self.design.counts * self.design.case_weights
        return np.bincount(cells, weights, size * size).reshape(size, size).astype(np.float64)


def read_design(joined: JoinedCases) -> SampleDesign | None:
    """Return the design of the rows of joined cases; None if cases are independent and alike.

    Clusters of one case each and weights that are all equal are no design.
    """
    attributes = joined.attributes
    rows = next(iter(joined.frames.values())).height
    counts = np.ones(rows) if joined.counts is None else joined.counts.cast(pl.Float64).to_numpy()
    clusters = weights = None
    if "cluster" in attributes.columns:
        codes = attributes["cluster"].rank("dense").cast(pl.Int64).to_numpy() - 1
        if int(codes.max()) + 1 < counts.sum():
            clusters = codes
    if "weight" in attributes.columns:
        raw = attributes["weight"].to_numpy()
        if raw.min() < raw.max():
            weights = normalize_weights(raw, counts)
    if clusters is None and weights is None:
        return None
    return SampleDesign(counts, clusters, weights)


def normalize_weights(raw: FloatArray, counts: FloatArray) -> FloatArray:
    """Return weights with the mean 1 over the cases, rounded so that all their sums are exact.

    Otherwise sums of the same weights in another order would differ in the last digit, and
    classifiers would seem to be measured on different cases. The relative change of a weight is of
    the order of the number of cases times 10⁻¹⁶.
    """
    cases = float(counts.sum())
    # A float has 53 bits: the sum of all weights, about the number of cases, has fewer units.
    unit = 2.0 ** (math.frexp(cases)[1] - 52)
    rounded = np.rint(raw * (cases / float(raw @ counts)) / unit)
    return np.asarray(np.where(raw > 0, np.maximum(rounded, 1.0), 0.0) * unit, np.float64)


def weighted_counts(joined: JoinedCases, design: SampleDesign | None) -> pl.Series | None:
    """Return the number of cases of each row or, with weights, the sum of their weights."""
    if design is None or design.weights is None:
        return joined.counts
    return pl.Series("count", design.counts * design.weights)


def reduce_labels(joined: JoinedCases, design: SampleDesign, classes: Sequence[str]) -> LabelDesign:
    """Count the distinct combinations of cluster, weight, truth and all predictions."""
    names = list(joined.frames)
    columns: dict[str, object] = {
        "truth": next(iter(joined.frames.values()))["truth"].to_physical().cast(pl.Int64),
        **{
            f"{at}": joined.frames[name]["prediction"].to_physical().cast(pl.Int64)
            for at, name in enumerate(names)
        },
        "count": design.counts,
    }
    keys = ["truth", *(f"{at}" for at in range(len(names)))]
    if design.clusters is not None:
        columns["cluster"] = design.clusters
        keys.insert(0, "cluster")
    if design.weights is not None:
        columns["weight"] = design.weights
        keys.append("weight")
    group_counts = pl.DataFrame(columns).group_by(keys).agg(pl.col("count").sum()).sort(keys)
    label_design = SampleDesign(
        group_counts["count"].to_numpy(),
        None if design.clusters is None else group_counts["cluster"].to_numpy(),
        None if design.weights is None else group_counts["weight"].to_numpy(),
    )
    return LabelDesign(
        label_design,
        tuple(classes),
        group_counts["truth"].to_numpy(),
        {name: group_counts[f"{at}"].to_numpy() for at, name in enumerate(names)},
    )
