"""What the tests decide, adjusted for all comparisons of the report together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.comparisons.family import adjust_over_blocks, adjust_with_primary
from reportgen.comparisons.verdicts.ranking import is_tie
from reportgen.frozen import frozen
from reportgen.measures import Orientation, find_measure, known_measure
from reportgen.statistics.adjusting import holm
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.spec import Comparison

# Exceeded with a chance of 80 %: what a difference as large as the one found should be shown with.
POWER_QUANTILE = 0.8416212335729143
MOST_CASES = 10**9


@frozen
class Tested:
    """Decisive differences of one pair that were tested together.

    `within` are their p-values adjusted for each other; `critical` tells how large a statistic
    must be to be significant at a level, among all of them.
    """

    differences: tuple[Difference, ...]
    within: tuple[float, ...]
    cases: int | None
    critical: Callable[[float], float]

    @property
    def pair(self) -> tuple[str, str]:
        """The two classifiers."""
        return self.differences[0].first, self.differences[0].second


def tested_apart(differences: Sequence[Difference], cases: int | None) -> Tested:
    """Take differences of one pair that were tested one by one; Holm adjusts them to each other."""
    within = holm([_p(difference) for difference in differences])
    many = len(differences)
    return Tested(
        tuple(differences),
        tuple(within),
        cases,
        lambda level: normal_quantile(1 - level / many),
    )


def settle(
    tested: Sequence[Tested], beside: Sequence[Difference], asked: Comparison, level: float
) -> tuple[Difference, ...]:
    """Adjust the decisive tests, give their verdicts, and let the tests beside them follow.

    `level` is that of the differences' intervals.
    """
    blocks = [block for block in tested if block.differences]
    margins = Margins.of(blocks, asked, level)
    settled = []
    for block, p_values in zip(blocks, _adjusted(blocks, asked), strict=True):
        criticals = _criticals(block, blocks, asked)
        for difference, p, critical in zip(block.differences, p_values, criticals, strict=True):
            verdict = _verdict(difference, p, asked.alpha, margins)
            open_yet = verdict is Finding.UNDECIDED
            settled.append(
                replace(
                    difference,
                    p_adjusted=None if difference.p is None else p,
                    verdict=verdict,
                    non_inferior=margins.non_inferior(difference),
                    reverse_non_inferior=margins.reverse_non_inferior(difference),
                    cases_needed=_cases_needed(difference, block, critical) if open_yet else None,
                )
            )
    return (*settled, *_following(beside, settled))


def _following(beside: Sequence[Difference], settled: Sequence[Difference]) -> Iterator[Difference]:
    """Give the tests beside the decisive one its verdict, whichever classifier they name first."""
    known = {difference.key: difference.verdict for difference in settled}
    for row in beside:
        turned = (row.second, row.first, *row.key[2:])
        verdict = known.get(row.key)
        if verdict is None and turned in known:
            verdict = known[turned].turned
        yield replace(row, verdict=verdict or Finding.UNDECIDED)


def _adjusted(blocks: Sequence[Tested], asked: Comparison) -> list[list[float]]:
    raw = [[_p(difference) for difference in block.differences] for block in blocks]
    if asked.correction == "none":
        return raw
    by_holm = asked.correction == "holm"
    if asked.primary is not None:
        return adjust_with_primary(
            [holm(block) for block in raw] if by_holm else [list(block.within) for block in blocks],
            [
                {place: raw[number][place] for place in _primary_places(block, asked)}
                for number, block in enumerate(blocks)
            ],
            [frozenset(block.pair) for block in blocks],
        )
    if by_holm:
        flat = iter(holm([p for block in raw for p in block]))
        return [[next(flat) for _ in block] for block in raw]
    return adjust_over_blocks([list(block.within) for block in blocks])


def _primary_places(block: Tested, asked: Comparison) -> tuple[int, ...]:
    """Return where the declared measure was tested in a block: over all classes if it can be."""
    primary = find_measure(asked.primary) if asked.primary else None
    if primary is None:
        return ()
    rows = [(place, row) for place, row in enumerate(block.differences) if row.p is not None]
    found = [(place, row) for place, row in rows if row.measure == primary.name]
    whole = [(place, row) for place, row in found if row.class_ is None and row.average is None]
    return tuple(place for place, _ in whole or found)


def _criticals(block: Tested, blocks: Sequence[Tested], asked: Comparison) -> list[float]:
    """Return how large each statistic of a block must be to be significant after all.

    Never less than for many cases, though few cases may leave nothing larger to be seen.
    """
    alpha, many = asked.alpha, len(block.differences)
    if asked.correction == "none":
        return [normal_quantile(1 - alpha)] * many
    if asked.correction == "holm":
        rows = sum(len(each.differences) for each in blocks)
        criticals = [normal_quantile(1 - alpha / rows)] * many
    else:
        share = alpha / len(blocks)
        criticals = [max(block.critical(share), normal_quantile(1 - share))] * many
    places = _primary_places(block, asked)
    pairs = len({frozenset(each.pair) for each in blocks})
    for place in places:
        criticals[place] = normal_quantile(1 - alpha / (pairs * len(places)))
    return criticals


def _p(difference: Difference) -> float:
    return 1.0 if difference.p is None else difference.p


def _verdict(difference: Difference, p: float, alpha: float, margins: Margins) -> Finding:
    measure = known_measure(difference.measure)
    found = difference.difference
    # Before all else, because the margin says that so small a difference does not matter.
    if margins.equivalent(difference):
        return Finding.EQUIVALENT
    if found is not None and is_tie(found, 0.0):
        return Finding.TIED
    size = difference.statistic if found is None else found
    if difference.p is not None and p <= alpha and size:
        better = (size > 0) == (measure.orientation is Orientation.HIGHER)
        return Finding.SUPERIOR if better else Finding.INFERIOR
    return Finding.UNDECIDED


def _cases_needed(difference: Difference, block: Tested, critical: float) -> int | None:
    """Return the cases that would settle it: a statistic grows with the root of their number."""
    if block.cases is None or not difference.statistic:
        return None
    if abs(difference.statistic) >= critical:
        # Not the cases are wanting: the declared measure did not come first.
        return None
    needed = block.cases * ((critical + POWER_QUANTILE) / abs(difference.statistic)) ** 2
    return math.ceil(min(needed, MOST_CASES))


@frozen
class Margins:
    """Differences too small to matter, and the level of the intervals that are tested with them.

    Two one-sided tests at a level hold both if the interval of twice that level lies within the
    margins; the level is shared by all comparisons that have a margin, if it is to be shared.
    """

    by_measure: Mapping[str, float]
    wanted_level: float
    given_level: float

    @classmethod
    def of(cls, blocks: Sequence[Tested], asked: Comparison, level: float) -> Margins:
        """Read the margins that were asked for."""
        found = {find_measure(name): margin for name, margin in (asked.margin or {}).items()}
        by_measure = {measure.name: margin for measure, margin in found.items() if measure}
        rows = sum(row.measure in by_measure for block in blocks for row in block.differences)
        sharing = 1 if asked.correction == "none" else max(1, rows)
        return cls(by_measure, 1 - 2 * min(0.5, asked.alpha / sharing), level)

    def equivalent(self, difference: Difference) -> bool:
        """Tell whether a difference is shown to be smaller than the margin, either way."""
        margin = self.by_measure.get(difference.measure)
        limits = self.limits(difference) if margin else None
        return bool(limits and margin and -margin < limits[0] and limits[1] < margin)

    def non_inferior(self, difference: Difference) -> bool | None:
        """Tell whether the first is shown to be worse by less than the margin at most."""
        margin = self.by_measure.get(difference.measure)
        if margin is None:
            return None
        limits = self.limits(difference)
        if limits is None:
            return False
        if known_measure(difference.measure).orientation is Orientation.HIGHER:
            return limits[0] > -margin
        return limits[1] < margin

    def reverse_non_inferior(self, difference: Difference) -> bool | None:
        """Tell whether the second is shown to be worse by less than the margin at most."""
        has_margin = difference.measure in self.by_measure
        return self.non_inferior(difference.turned) if has_margin else None

    def limits(self, difference: Difference) -> tuple[float, float] | None:
        """Return the interval at the level that the margins are tested with."""
        middle, low, high = difference.difference, difference.low, difference.high
        if middle is None or low is None or high is None:
            return None
        wanted, given = (
            _quantile(level, difference.df) for level in (self.wanted_level, self.given_level)
        )
        scale = wanted / given
        return middle - scale * (middle - low), middle + scale * (high - middle)


def _quantile(level: float, df: float | None) -> float:
    """Return how many standard errors an interval reaches either way."""
    if df is None:
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))
