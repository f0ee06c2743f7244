"""Two classifiers on the same cases: sums of the differences of what each case cost them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.frozen import frozen
from reportgen.tallies.blocks import in_blocks
from reportgen.tallies.losses import losses_in, shares_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


@frozen
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
    shares = shares_of(cases)
    classifiers = {
        each.classifier: each for each in cases.classifiers if each.probabilities is not None
    }
    if len(classifiers) < 2:  # noqa: PLR2004  # a pair is two
        return PairedLossTally(pl.DataFrame(schema=PAIRED_LOSS_SCHEMA))
    return _paired(
        lambda block: {
            name: losses_in(cases, each, shares, block) for name, each in classifiers.items()
        },
        len(cases.truth),
    )


def pair_regression_losses(cases: Mapping[str, pl.DataFrame]) -> PairedLossTally:
    """Sum up the differences of squared and absolute errors of numeric predictions, joined."""
    errors = {name: (own["truth"] - own["prediction"]).to_numpy() for name, own in cases.items()}

    def losses(block: slice) -> dict[str, dict[str, Numbers]]:
        return {
            name: {"squared_errors": error[block] ** 2, "absolute_errors": np.abs(error[block])}
            for name, error in errors.items()
        }

    return _paired(losses, len(next(iter(errors.values()))))


def _paired(
    losses_in_block: Callable[[slice], Mapping[str, Mapping[str, Numbers]]], length: int
) -> PairedLossTally:
    def of_block(block: slice) -> list[tuple[str, str, str, int, float, float]]:
        losses = losses_in_block(block)
        found = []
        for first, second in combinations(losses, 2):
            for loss, values in losses[first].items():
                with np.errstate(invalid="ignore"):
                    difference = values - losses[second][loss]
                    sums = float(difference.sum()), float((difference * difference).sum())
                found.append((first, second, loss, len(difference), *sums))
        return found

    rows = [
        (*alike[0][:3], *(sum(row[at] for row in alike) for at in (3, 4, 5)))
        for alike in zip(*in_blocks(of_block, length), strict=True)
    ]
    return PairedLossTally(pl.DataFrame(rows, PAIRED_LOSS_SCHEMA, orient="row"))
