"""Two classifiers on the same cases: sums of the differences of what each case cost them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.tallies.probabilities import every_loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.tallies.scored import ScoredCases

PAIRED_LOSS_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "loss": pl.String,
        "cases": pl.Int64,
        "differences": pl.Float64,
        "differences_squared": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class PairedLossTally:
    """Sums of first minus second, and of its square, by two classifiers and kind of loss.

    `loss` is a column of the probability or the regression tally, of which it is the difference.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != PAIRED_LOSS_SCHEMA:
            message = f"a paired loss tally needs {PAIRED_LOSS_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def pair_probability_losses(cases: ScoredCases) -> PairedLossTally:
    """Sum up the differences of squared errors, log-losses and information."""
    return _paired({name: losses for name, _, losses in every_loss(cases)})


def pair_regression_losses(cases: pl.DataFrame, classifiers: Sequence[str]) -> PairedLossTally:
    """Sum up the differences of squared and absolute errors of joined numeric predictions."""
    errors: dict[str, dict[str, Numbers]] = {}
    for name in classifiers:
        own = cases.filter(pl.col("classifier") == name).sort("case")
        error = (own["truth"] - own["prediction"]).to_numpy()
        errors[name] = {"squared_errors": error * error, "absolute_errors": np.abs(error)}
    return _paired(errors)


def _paired(losses: Mapping[str, Mapping[str, Numbers]]) -> PairedLossTally:
    rows: list[tuple[str | float, ...]] = []
    for first, second in combinations(losses, 2):
        for loss, values in losses[first].items():
            with np.errstate(invalid="ignore"):
                difference = values - losses[second][loss]
                sums = float(difference.sum()), float((difference * difference).sum())
            rows.append((first, second, loss, len(difference), *sums))
    return PairedLossTally(pl.DataFrame(rows, PAIRED_LOSS_SCHEMA, orient="row"))
