"""Neighbouring cases of a regression: where they lie, and if their predictions are biased."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.frozen import frozen
from reportgen.report.parts import Plain
from reportgen.report.words.level import PERCENT
from reportgen.statistics.mcnemar import exact_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.tallies.scatter import ScatterTally

DIGITS, PLACE_DIGITS, SHARE_DIGITS = 3, 4, 2
NO_ENDS = " The true values are too few or too much alike to tell high ones from low ones."


@frozen
class ResidualGroup:
    """Neighbouring cases: where they lie, and what their predictions lack in the median."""

    at: int
    groups: int
    share: float
    least: float
    most: float
    residual: float
    too_low: int
    too_high: int

    @property
    def is_alone(self) -> bool:
        """Tell whether all cases are in this group."""
        return self.groups == 1

    @property
    def is_first(self) -> bool:
        """Tell whether no cases lie before, though some lie beyond."""
        return self.at == 0 and not self.is_alone

    @property
    def is_last(self) -> bool:
        """Tell whether no cases lie beyond, though some lie before."""
        return self.at == self.groups - 1 and not self.is_alone


def groups_of(tally: ScatterTally, name: str, by: str) -> list[ResidualGroup]:
    """Return the groups of cases in order of their truth or of their prediction."""
    chosen = tally.groups.filter(pl.col("classifier") == name, pl.col("by") == by)
    share = pl.col("cases") / pl.col("cases").sum()
    columns = ("least", "most", "residual", "too_low", "too_high")
    rows = chosen.sort("group").select(share.alias("share"), *columns).rows()
    # Equal values may leave groups empty, so those there are are counted.
    return [ResidualGroup(at, len(rows), *row) for at, row in enumerate(rows)]


def ends_of(tally: ScatterTally, name: str) -> list[ResidualGroup]:
    """Return the cases of the lowest and of the highest true values, or all as one group."""
    found = groups_of(tally, name, "truth")
    return found if len(found) == 1 else [found[0], found[-1]]


def biased_among(
    evaluation: Evaluation, groups: Mapping[str, Sequence[ResidualGroup]]
) -> dict[str, list[ResidualGroup]]:
    """Return, by model, the groups with a bias, allowing for all that were looked at."""
    looked_at = sum(map(len, groups.values()))
    return {
        name: [group for group in found if _is_biased(evaluation, name, group, looked_at)]
        for name, found in groups.items()
    }


def _is_biased(evaluation: Evaluation, name: str, group: ResidualGroup, looked_at: int) -> bool:
    """Tell whether a fair coin would hardly have split the errors so, of so many looked at."""
    weight = evaluation.predictions.weight_of(name)
    p = exact_p(int(group.too_low * weight), int(group.too_high * weight))
    return group.residual != 0 and p * looked_at <= evaluation.spec.comparison.alpha


def where(group: ResidualGroup) -> Iterator[Part]:
    """Say which values a group has; nothing if it has all."""
    if group.is_alone:
        return
    yield " up to " if group.is_first else " from "
    yield rounded(group.most if group.is_first else group.least, PLACE_DIGITS)
    if group.is_last:
        yield " on"
    elif not group.is_first:
        yield " to "
        yield rounded(group.most, PLACE_DIGITS)


def about_ends(ends: Sequence[ResidualGroup]) -> Iterator[Part]:
    """Say how many of the cases the low and the high values are: equal values are not parted."""
    low = [group.share for group in ends if group.is_first]
    high = [group.share for group in ends if group.is_last]
    if not low:
        yield NO_ENDS
        return
    yield " Low values are the lowest "
    yield from _shares(low)
    yield " of the cases, high values the highest "
    yield from _shares(high)
    yield "."


def _shares(shares: Sequence[float]) -> Iterator[Part]:
    """Write a share, or the least and the largest where models have different cases."""
    least, most = (_percent(end) for end in (min(shares), max(shares)))
    if least != most:
        yield from (Plain(least), " to ")
    yield Plain(most, unit="%")


def _percent(share: float) -> float:
    """Return a share in per cent, with two digits of it or of what it lacks: it is not all."""
    smaller = rounded(PERCENT * min(share, 1 - share), SHARE_DIGITS).number
    return smaller if share <= 1 / 2 else round(PERCENT - smaller, 9)


def rounded(number: float, digits: int = DIGITS) -> Plain:
    """Return a number with as many digits as a sentence needs."""
    return Plain(float(f"{number:.{digits}g}"))
