"""Covariances of the classifiers' values from the influence of each case (infinitesimal jackknife).

The influence of a case is the derivative of a value with respect to the weight of the case, so that
the influences of all cases sum to 0 and the sum of their products over the cases estimates the
covariance of two values (Hampel 1974; Jaeckel 1972).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.statistics import FloatArray

INFLUENCE_SCHEMA = pl.Schema(
    {
        "measure": pl.String,
        "class": pl.String,
        "average": pl.String,
        "first": pl.String,
        "second": pl.String,
        "covariance": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class InfluenceCovariances:
    """Covariances of two classifiers' values by measure, class and average.

    Class null and average null is the positive class (binary) or the value over all cases.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != INFLUENCE_SCHEMA:
            message = f"influence covariances need {INFLUENCE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    @classmethod
    def from_matrix(
        cls, measure: str, classifiers: Sequence[str], covariances: FloatArray | None
    ) -> InfluenceCovariances:
        """Return the covariances of one measure of all classifiers; none are known for None."""
        rows = [
            (measure, None, None, first, second, float(covariances[one, other]))
            for (one, first), (other, second) in combinations_with_replacement(
                enumerate(classifiers), 2
            )
            if covariances is not None
        ]
        return cls(pl.DataFrame(rows, INFLUENCE_SCHEMA, orient="row"))

    def covariances(
        self,
        classifiers: Sequence[str],
        measure: str,
        class_: str | None = None,
        average: str | None = None,
    ) -> FloatArray | None:
        """Return the covariance matrix of the classifiers' values, or None if any is unknown."""
        rows = self.frame.filter(
            pl.col("measure") == measure,
            pl.col("class").eq_missing(pl.lit(class_, pl.String)),
            pl.col("average").eq_missing(pl.lit(average, pl.String)),
        )
        by_pair = {
            (first, second): covariance
            for first, second, covariance in rows.select("first", "second", "covariance").rows()
        }
        by_pair |= {(second, first): covariance for (first, second), covariance in by_pair.items()}
        matrix = [[by_pair.get((one, other)) for other in classifiers] for one in classifiers]
        if any(covariance is None for row in matrix for covariance in row):
            return None
        return np.array(matrix, dtype=np.float64)


def correlation_covariances(
    cases: Mapping[str, pl.DataFrame], counts: FloatArray | None = None
) -> InfluenceCovariances:
    """Return the covariances of the classifiers' correlations; none if one is undefined.

    Args:
        cases: truth and prediction by classifier, of the same cases in the same order.
        counts: how many identical cases each row stands for; None: one.
    """
    influences = {name: _correlation_influence(frame) for name, frame in cases.items()}
    defined_influences = {
        name: influence for name, influence in influences.items() if influence is not None
    }
    rows: list[tuple[str | float | None, ...]] = []
    if len(defined_influences) == len(influences):
        rows = list(_covariance_rows(defined_influences, counts))
    return InfluenceCovariances(pl.DataFrame(rows, INFLUENCE_SCHEMA, orient="row"))


def _covariance_rows(
    influences: Mapping[str, FloatArray], counts: FloatArray | None
) -> Iterator[tuple[str | float | None, ...]]:
    for first, second in combinations_with_replacement(influences, 2):
        products = influences[first] * influences[second]
        units = len(products) if counts is None else float(counts.sum())
        if units < 2:  # noqa: PLR2004  # a variance needs two
            return
        total = float((products if counts is None else products * counts).sum())
        yield ("pearson", None, None, first, second, total * units / (units - 1))


def _correlation_influence(frame: pl.DataFrame) -> FloatArray | None:
    """Return influences on Pearson's correlation (Devlin, Gnanadesikan and Kettenring 1975)."""
    truth, prediction = (
        frame[name].to_numpy().astype(np.float64) for name in ("truth", "prediction")
    )
    if not len(truth) or np.ptp(truth) == 0 or np.ptp(prediction) == 0:
        return None
    # Numbers whose squares overflow have no variance to standardise by.
    with np.errstate(over="ignore", invalid="ignore"):
        one, other = ((array - array.mean()) / array.std() for array in (truth, prediction))
    if not all(array.any() and np.all(np.isfinite(array)) for array in (one, other)):
        return None
    correlation = float((one * other).mean())
    influence: FloatArray = (one * other - correlation * (one**2 + other**2) / 2) / len(truth)
    return influence
