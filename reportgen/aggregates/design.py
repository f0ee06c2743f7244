"""The sampling design: clusters and weights of the cases, reduced to sums per independent unit.

Cases of one cluster depend on each other, so clusters and not cases are the independent units; with
weights a case stands for as many cases of the population as its weight says. Either way the
covariance of two values is the sum over the units of the products of their influences (Taylor
linearization; Binder 1983), and its ratio to the covariance of independent, unweighted cases is the
design effect (Kish 1965).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.join import JoinedCases
    from reportgen.statistics import FloatArray, IndexArray

CLUSTER_ROBUST, WEIGHTED = "cluster-robust", "weighted"


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

    @cached_property
    def max_dependence_size(self) -> float:
        """The effective number of cases if all cases of a cluster were alike (Kish 1965)."""
        totals = self.unit_sums(np.ones((len(self.counts), 1)))[:, 0]
        return float((self.unit_counts @ totals) ** 2 / (self.unit_counts @ (totals * totals)))

    def df_factor(self, level: float) -> float:
        """Return by how much few clusters reduce the effective number of cases: (z / t)².

        Intervals by the normal distribution then have the width of Student's t with as many
        degrees of freedom as there are clusters, less one (Korn and Graubard 1998).
        """
        if self.clusters is None or self.units < 2:  # noqa: PLR2004  # a variance needs two
            return 1.0
        from scipy.special import stdtrit

        return float((critical_z(level) / stdtrit(self.units - 1, (1 + level) / 2)) ** 2)

    def unit_sums(self, influences: FloatArray) -> FloatArray:
        """Sum weighted influences (rows × values) over the cases of each unit.

        Without clusters a row is a number of units with the same influence.
        """
        weighted = influences * self.case_weights[:, None]
        if self.clusters is None:
            return weighted
        weighted = weighted * self.counts[:, None]
        columns = [np.bincount(self.clusters, column, self.units) for column in weighted.T]
        summed = np.array(columns, np.float64).T
        return summed.reshape(self.units, influences.shape[1])

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
            weights = raw * (counts.sum() / float(raw @ counts))
    if clusters is None and weights is None:
        return None
    return SampleDesign(counts, clusters, weights)


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
    counted = pl.DataFrame(columns).group_by(keys).agg(pl.col("count").sum()).sort(keys)
    reduced = SampleDesign(
        counted["count"].to_numpy(),
        None if design.clusters is None else counted["cluster"].to_numpy(),
        None if design.weights is None else counted["weight"].to_numpy(),
    )
    return LabelDesign(
        reduced,
        tuple(classes),
        counted["truth"].to_numpy(),
        {name: counted[f"{at}"].to_numpy() for at, name in enumerate(names)},
    )
