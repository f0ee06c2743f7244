"""What the tests decide, adjusted for all comparisons of the report together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.comparisons.pairwise.family import adjust_over_blocks, adjust_with_primary
from reportgen.comparisons.ranking import is_tie
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.statistics.adjusting import holm
from reportgen.statistics.proportions import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.spec import Comparison

# Exceeded with a chance of 80 %: what a difference as large as the one found should be shown with.
POWER_QUANTILE = 0.8416212335729143
MOST_CASES = 10**9
TURNED = {
    Finding.SUPERIOR: Finding.INFERIOR,
    Finding.INFERIOR: Finding.SUPERIOR,
}


@dataclass(frozen=True, slots=True)
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
    share = asked.alpha if asked.correction == "none" else asked.alpha / max(1, len(blocks))
    settled = []
    for block, p_values in zip(blocks, _adjusted(blocks, asked), strict=True):
        critical = block.critical(share)
        for difference, p in zip(block.differences, p_values, strict=True):
            verdict = _verdict(difference, p, asked.alpha, margins)
            open_yet = verdict is Finding.UNDECIDED
            settled.append(
                replace(
                    difference,
                    p_adjusted=None if difference.p is None else p,
                    verdict=verdict,
                    non_inferior=margins.non_inferior(difference),
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
            verdict = TURNED.get(known[turned], known[turned])
        yield replace(row, verdict=verdict or Finding.UNDECIDED)


def _adjusted(blocks: Sequence[Tested], asked: Comparison) -> list[list[float]]:
    raw = [[_p(difference) for difference in block.differences] for block in blocks]
    match asked.correction:
        case "none":
            return raw
        case "holm":
            flat = iter(holm([p for block in raw for p in block]))
            return [[next(flat) for _ in block] for block in raw]
        case "step-down":
            within = [list(block.within) for block in blocks]
            primary = find_measure(asked.primary) if asked.primary else None
            if primary is None:
                return adjust_over_blocks(within)
            return adjust_with_primary(
                within,
                [_primary_p(block, primary) for block in blocks],
                [block.pair for block in blocks],
            )


def _primary_p(block: Tested, primary: Measure) -> float | None:
    """Return the p-value of the declared measure, over all classes if it exists so."""
    found = [row for row in block.differences if row.measure == primary.name]
    whole = [row for row in found if row.class_ is None and row.average is None]
    return min((_p(row) for row in whole or found), default=None)


def _p(difference: Difference) -> float:
    return 1.0 if difference.p is None else difference.p


def _verdict(difference: Difference, p: float, alpha: float, margins: Margins) -> Finding:
    measure = find_measure(difference.measure)
    if measure is None:
        raise LookupError(difference.measure)
    found = difference.difference
    if found is not None and is_tie(found, 0.0):
        return Finding.EQUIVALENT if margins.equivalent(difference) else Finding.TIED
    size = difference.statistic if found is None else found
    if difference.p is not None and p <= alpha and size:
        better = (size > 0) == (measure.orientation is Orientation.HIGHER)
        return Finding.SUPERIOR if better else Finding.INFERIOR
    return Finding.EQUIVALENT if margins.equivalent(difference) else Finding.UNDECIDED


def _cases_needed(difference: Difference, block: Tested, critical: float) -> int | None:
    """Return the cases that would settle it: a statistic grows with the root of their number."""
    if block.cases is None or not difference.statistic:
        return None
    growth = (critical + POWER_QUANTILE) / abs(difference.statistic)
    needed = block.cases * max(1.0, growth) ** 2
    return math.ceil(needed) if needed <= MOST_CASES else None


@dataclass(frozen=True, slots=True)
class Margins:
    """Differences too small to matter, and how much an interval shrinks to test against them.

    Two one-sided tests at a level hold both if the interval of twice that level lies within the
    margins; the level is shared by all comparisons that have a margin.
    """

    by_measure: Mapping[str, float]
    shrink: float

    @classmethod
    def of(cls, blocks: Sequence[Tested], asked: Comparison, level: float) -> Margins:
        """Read the margins that were asked for."""
        found = {find_measure(name): margin for name, margin in (asked.margin or {}).items()}
        by_measure = {measure.name: margin for measure, margin in found.items() if measure}
        rows = sum(row.measure in by_measure for block in blocks for row in block.differences)
        one_sided = normal_quantile(1 - 2 * min(0.5, asked.alpha / max(1, rows)))
        return cls(by_measure, one_sided / normal_quantile(level))

    def equivalent(self, difference: Difference) -> bool:
        """Tell whether a difference is shown to be smaller than the margin, either way."""
        limits = self._limits(difference)
        margin = self.by_measure.get(difference.measure)
        return bool(limits and margin and -margin < limits[0] and limits[1] < margin)

    def non_inferior(self, difference: Difference) -> bool | None:
        """Tell whether the first is shown to be worse by less than the margin at most."""
        limits, measure = self._limits(difference), find_measure(difference.measure)
        margin = self.by_measure.get(difference.measure)
        if margin is None or measure is None:
            return None
        if limits is None:
            return False
        if measure.orientation is Orientation.HIGHER:
            return limits[0] > -margin
        return limits[1] < margin

    def _limits(self, difference: Difference) -> tuple[float, float] | None:
        middle, low, high = difference.difference, difference.low, difference.high
        if middle is None or low is None or high is None:
            return None
        return middle - self.shrink * (middle - low), middle + self.shrink * (high - middle)
