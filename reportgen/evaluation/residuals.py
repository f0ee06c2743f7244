"""Residuals of a regression: groups of neighbouring cases, and sign tests of their bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.statistics.paired_tests import mcnemar_exact_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.regression import ScatterSummary
    from reportgen.spec import Spec


# Above it intervals of root mean squared errors cover about 90 % or less.
HEAVY_TAIL_KURTOSIS = 10


@dataclass(frozen=True, slots=True)
class ResidualGroup:
    """Cases with neighbouring predicted values, and the sign test of their residuals.

    A residual is true minus predicted. `p` is that of the two-sided sign test (Conover 1999) that
    underestimates are as frequent as overestimates; `p_adjusted` is Bonferroni's over the groups
    of all models. Cases are never grouped by their true value: even the conditional mean itself
    lies above low and below high true values (regression to the mean), which is no bias.
    """

    classifier: str
    index: int
    n_groups: int
    proportion: float
    minimum: float
    median: float
    maximum: float
    median_residual: float
    n_underestimated: int
    n_overestimated: int
    p: float
    p_adjusted: float
    is_biased: bool

    @property
    def is_only(self) -> bool:
        """Return whether all cases are in this group."""
        return self.n_groups == 1

    @property
    def is_lowest(self) -> bool:
        """Return whether this is the lowest of several groups."""
        return self.index == 0 and not self.is_only

    @property
    def is_highest(self) -> bool:
        """Return whether this is the highest of several groups."""
        return self.index == self.n_groups - 1 and not self.is_only


@dataclass(frozen=True, slots=True)
class ResidualSummary:
    """How near the predictions of a model are to the truth, in the unit of the truth."""

    classifier: str
    half_within: float
    """The median absolute residual."""
    most_within: float
    """The 0.9 quantile of the absolute residuals."""
    median_residual: float


def summarize_residuals(aggregates: Aggregates, spec: Spec) -> tuple[ResidualSummary, ...]:
    """Return the quantiles of the residuals of every model, in the spec's order."""
    if aggregates.scatter is None:
        return ()
    frame = aggregates.scatter.residual_quantiles
    rows = frame.select(
        "classifier", "median_absolute_error", "absolute_error_90", "residual"
    ).rows()
    by_name = {row[0]: ResidualSummary(*row) for row in rows}
    return tuple(by_name[item.name] for item in spec.classifiers if item.name in by_name)


def heavy_tail_warnings(aggregates: Aggregates) -> tuple[str, ...]:
    """Return a warning for every model whose errors have heavy tails.

    The rare largest errors, which have most of the influence on squared errors, may be missing
    from the data; no interval can make up for that (docs/coverage.md).
    """
    if aggregates.regression is None:
        return ()
    rows = aggregates.regression.frame.filter(pl.col("fold").is_null()).select(
        "classifier",
        kurtosis=pl.col("cases") * pl.col("quartic_errors") / pl.col("squared_errors") ** 2,
    )
    return tuple(
        f"errors of `{name}` have heavy tails (kurtosis {kurtosis:.0f}, 3 for normal errors): the"
        " intervals of its RMSE, MAE and R² may be too narrow"
        for name, kurtosis in rows.rows()
        if kurtosis is not None and kurtosis > HEAVY_TAIL_KURTOSIS
    )


def find_residual_bias(aggregates: Aggregates, spec: Spec) -> tuple[ResidualGroup, ...]:
    """Test all groups of predicted values for bias.

    Repeated predictions of a case count as one in the test.
    """
    scatter = aggregates.scatter
    return () if scatter is None else tuple(_tested_groups(aggregates, scatter, spec))


def _tested_groups(
    aggregates: Aggregates, scatter: ScatterSummary, spec: Spec
) -> Iterator[ResidualGroup]:
    share = (pl.col("cases") / pl.col("cases").sum().over("classifier")).alias("share")
    columns = ("minimum", "median", "maximum", "residual", "underpredicted", "overpredicted")
    frame = scatter.residual_groups.sort("group")
    rows_by_classifier = frame.select("classifier", share, *columns).rows_by_key("classifier")
    groups: list[tuple[str, int, int, tuple[float, ...]]] = []
    for name in (item.name for item in spec.classifiers if item.name in rows_by_classifier):
        # Equal values may leave groups empty, so those that exist are numbered.
        groups += [
            (name, at, len(rows_by_classifier[name]), row)
            for at, row in enumerate(rows_by_classifier[name])
        ]
    for name, at, number, (proportion, least, middle, most, residual, low, high) in groups:
        weight = aggregates.case_weight(name)
        p = mcnemar_exact_p(int(low * weight), int(high * weight))
        yield ResidualGroup(
            classifier=name,
            index=at,
            n_groups=number,
            proportion=proportion,
            minimum=least,
            median=middle,
            maximum=most,
            median_residual=residual,
            n_underestimated=int(low),
            n_overestimated=int(high),
            p=p,
            p_adjusted=min(1.0, p * len(groups)),
            is_biased=residual != 0 and p * len(groups) <= spec.comparison.alpha,
        )
