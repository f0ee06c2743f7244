"""What the tests decide, adjusted for all comparisons of the report together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.evaluation.comparison import Comparison, Decision, is_close
from reportgen.measures import Orientation, find_measure, get_measure
from reportgen.statistics.distributions import critical_z
from reportgen.statistics.multiplicity import gatekeeping_adjust, holm, holm_over_families
from reportgen.statistics.permutation import (
    NullDistribution,
    PValueKind,
    StepDownPValues,
    step_down_max_t,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.spec import ComparisonSettings
    from reportgen.statistics import FloatArray


# Exceeded with a chance of 80 %: what a difference as large as the one found should be shown with.
POWER_QUANTILE = 0.8416212335729143
MAX_REQUIRED_CASES = 10**9


@dataclass(frozen=True, slots=True)
class TestedFamily:
    """Decisive differences of one pair that were tested together.

    `within` are their p-values adjusted for each other; `critical` tells how large a statistic
    must be to be significant at a level, among all of them.
    """

    differences: tuple[Comparison, ...]
    within: tuple[float, ...]
    cases: int | None
    critical: Callable[[float], float]

    @property
    def pair(self) -> tuple[str, str]:
        """The two classifiers."""
        return self.differences[0].first, self.differences[0].second


def holm_family(differences: Sequence[Comparison], cases: int | None) -> TestedFamily:
    """Take differences of one pair that were tested one by one; Holm adjusts them to each other."""
    within = holm([_p_value_or_one(difference) for difference in differences])
    many = len(differences)
    return TestedFamily(
        tuple(differences),
        tuple(within),
        cases,
        lambda level: critical_z(1 - level / many),
    )


def adjust_and_decide(
    tested: Sequence[TestedFamily],
    beside: Sequence[Comparison],
    asked: ComparisonSettings,
    level: float,
) -> tuple[Comparison, ...]:
    """Adjust the decisive tests, give their verdicts, and let the tests beside them follow.

    `level` is that of the differences' intervals.
    """
    blocks = [block for block in tested if block.differences]
    margins = EquivalenceMargins.of(blocks, asked, level)
    settled = []
    for block, p_values in zip(blocks, _adjust_p_values(blocks, asked), strict=True):
        criticals = _critical_values(block, blocks, asked)
        for difference, p, critical in zip(block.differences, p_values, criticals, strict=True):
            verdict = _decide(difference, p, asked.alpha, margins)
            open_yet = verdict is Decision.UNDECIDED
            settled.append(
                replace(
                    difference,
                    p_adjusted=None if difference.p is None else p,
                    verdict=verdict,
                    non_inferior=margins.non_inferior(difference),
                    reverse_non_inferior=margins.reverse_non_inferior(difference),
                    cases_needed=_required_cases(difference, block, critical) if open_yet else None,
                )
            )
    return (*settled, *_inherit_decisions(beside, settled))


def _inherit_decisions(
    beside: Sequence[Comparison], settled: Sequence[Comparison]
) -> Iterator[Comparison]:
    """Give the tests beside the decisive one its verdict, whichever classifier they name first."""
    known = {difference.key: difference.verdict for difference in settled}
    for row in beside:
        turned = (row.second, row.first, *row.key[2:])
        verdict = known.get(row.key)
        if verdict is None and turned in known:
            verdict = known[turned].turned
        yield replace(row, verdict=verdict or Decision.UNDECIDED)


def _adjust_p_values(
    blocks: Sequence[TestedFamily], asked: ComparisonSettings
) -> list[list[float]]:
    raw = [[_p_value_or_one(difference) for difference in block.differences] for block in blocks]
    if asked.correction == "none":
        return raw
    by_holm = asked.correction == "holm"
    if asked.primary is not None:
        return gatekeeping_adjust(
            [holm(block) for block in raw] if by_holm else [list(block.within) for block in blocks],
            [
                {place: raw[number][place] for place in _primary_indices(block, asked)}
                for number, block in enumerate(blocks)
            ],
            [frozenset(block.pair) for block in blocks],
        )
    if by_holm:
        flat = iter(holm([p for block in raw for p in block]))
        return [[next(flat) for _ in block] for block in raw]
    return holm_over_families([list(block.within) for block in blocks])


def _primary_indices(block: TestedFamily, asked: ComparisonSettings) -> tuple[int, ...]:
    """Return where the declared measure was tested in a block: over all classes if it can be."""
    primary = find_measure(asked.primary) if asked.primary else None
    if primary is None:
        return ()
    rows = [(place, row) for place, row in enumerate(block.differences) if row.p is not None]
    found = [(place, row) for place, row in rows if row.measure == primary.name]
    whole = [(place, row) for place, row in found if row.class_ is None and row.average is None]
    return tuple(place for place, _ in whole or found)


def _critical_values(
    block: TestedFamily, blocks: Sequence[TestedFamily], asked: ComparisonSettings
) -> list[float]:
    """Return how large each statistic of a block must be to be significant after all.

    Never less than for many cases, though few cases may leave nothing larger to be seen.
    """
    alpha, many = asked.alpha, len(block.differences)
    if asked.correction == "none":
        return [critical_z(1 - alpha)] * many
    if asked.correction == "holm":
        rows = sum(len(each.differences) for each in blocks)
        criticals = [critical_z(1 - alpha / rows)] * many
    else:
        share = alpha / len(blocks)
        criticals = [max(block.critical(share), critical_z(1 - share))] * many
    places = _primary_indices(block, asked)
    pairs = len({frozenset(each.pair) for each in blocks})
    for place in places:
        criticals[place] = critical_z(1 - alpha / (pairs * len(places)))
    return criticals


def _p_value_or_one(difference: Comparison) -> float:
    return 1.0 if difference.p is None else difference.p


def _decide(
    difference: Comparison, p: float, alpha: float, margins: EquivalenceMargins
) -> Decision:
    measure = get_measure(difference.measure)
    found = difference.difference
    # Before all else, because the margin says that so small a difference does not matter.
    if margins.equivalent(difference):
        return Decision.EQUIVALENT
    if found is not None and is_close(found, 0.0):
        return Decision.TIED
    size = difference.statistic if found is None else found
    if difference.p is not None and p <= alpha and size:
        better = (size > 0) == (measure.orientation is Orientation.HIGHER)
        return Decision.SUPERIOR if better else Decision.INFERIOR
    return Decision.UNDECIDED


def _required_cases(difference: Comparison, block: TestedFamily, critical: float) -> int | None:
    """Return the cases that would settle it: a statistic grows with the root of their number."""
    if block.cases is None or not difference.statistic:
        return None
    if abs(difference.statistic) >= critical:
        # Not the cases are wanting: the declared measure did not come first.
        return None
    needed = block.cases * ((critical + POWER_QUANTILE) / abs(difference.statistic)) ** 2
    return math.ceil(min(needed, MAX_REQUIRED_CASES))


@dataclass(frozen=True, slots=True)
class EquivalenceMargins:
    """Differences too small to matter, and the level of the intervals that are tested with them.

    Two one-sided tests at a level hold both if the interval of twice that level lies within the
    margins; the level is shared by all comparisons that have a margin, if it is to be shared.
    """

    by_measure: Mapping[str, float]
    wanted_level: float
    given_level: float

    @classmethod
    def of(
        cls, blocks: Sequence[TestedFamily], asked: ComparisonSettings, level: float
    ) -> EquivalenceMargins:
        """Read the margins that were asked for."""
        found = {find_measure(name): margin for name, margin in (asked.margin or {}).items()}
        by_measure = {measure.name: margin for measure, margin in found.items() if measure}
        rows = sum(row.measure in by_measure for block in blocks for row in block.differences)
        sharing = 1 if asked.correction == "none" else max(1, rows)
        return cls(by_measure, 1 - 2 * min(0.5, asked.alpha / sharing), level)

    def equivalent(self, difference: Comparison) -> bool:
        """Tell whether a difference is shown to be smaller than the margin, either way."""
        margin = self.by_measure.get(difference.measure)
        limits = self.limits(difference) if margin else None
        return bool(limits and margin and -margin < limits[0] and limits[1] < margin)

    def non_inferior(self, difference: Comparison) -> bool | None:
        """Tell whether the first is shown to be worse by less than the margin at most."""
        margin = self.by_measure.get(difference.measure)
        if margin is None:
            return None
        limits = self.limits(difference)
        if limits is None:
            return False
        if get_measure(difference.measure).orientation is Orientation.HIGHER:
            return limits[0] > -margin
        return limits[1] < margin

    def reverse_non_inferior(self, difference: Comparison) -> bool | None:
        """Tell whether the second is shown to be worse by less than the margin at most."""
        has_margin = difference.measure in self.by_measure
        return self.non_inferior(difference.turned) if has_margin else None

    def limits(self, difference: Comparison) -> tuple[float, float] | None:
        """Return the interval at the level that the margins are tested with."""
        middle, low, high = difference.difference, difference.low, difference.high
        if middle is None or low is None or high is None:
            return None
        wanted, given = (
            _interval_quantile(level, difference.df)
            for level in (self.wanted_level, self.given_level)
        )
        scale = wanted / given
        return middle - scale * (middle - low), middle + scale * (high - middle)


def _interval_quantile(level: float, df: float | None) -> float:
    """Return how many standard errors an interval reaches either way."""
    if df is None:
        return critical_z(level)
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


# Hypotheses about one pair of classifiers that are tested together.

# How much finer than the level a block has drawn p-values are to be.
P_VALUE_RESOLUTION = 3


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """That two classifiers do not differ in a measure of a class (None: of all classes)."""

    measure: Measure
    label: str | None

    def place(self, classes: Sequence[str]) -> int:
        """Return where it stands by its class; what is of all classes comes first."""
        return -1 if self.label is None else classes.index(self.label)


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """The probabilities of what may happen; what they do not cover counts against a claim."""

    weights: FloatArray
    uncovered: float
    exact: bool

    @classmethod
    def drawn(cls, many: int) -> SupportWeights:
        """Weigh drawn outcomes alike; the outcome found counts as one more."""
        return cls(np.full(many, 1 / (many + 1)), 1 / (many + 1), exact=False)


@dataclass(frozen=True, slots=True)
class PermutationPlan:
    """Where random draws begin, and how many there must be at least."""

    seed: int
    least: int = 0

    @classmethod
    def fine_enough(cls, seed: int, blocks: int, alpha: float) -> PermutationPlan:
        """Return draws that let a claim be possible at all.

        A drawn p-value is never below 1 in their number, and is multiplied by that of the blocks.
        """
        return cls(seed, math.ceil(P_VALUE_RESOLUTION * blocks / alpha))

    def fitting(self, width: int, room: int, fewest: int, most: int) -> int:
        """Return how many draws of so many numbers each fit into the room, within bounds."""
        return max(self.least, int(np.clip(room // max(1, width), fewest, most)))

    def random(self) -> np.random.Generator:
        """Begin to draw."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, slots=True)
class HypothesisFamily:
    """Statistics that were found, and what they may be if the two classifiers do not differ.

    The rows of the `nulls`, one after the other, are those of the hypotheses. `normal`: one by one
    the statistics are normal, and the outcomes serve the adjustment only.
    """

    pair: tuple[str, str]
    data: Literal["paired", "unpaired"]
    test: str
    cases: int
    hypotheses: tuple[Hypothesis, ...]
    found: FloatArray
    nulls: tuple[NullDistribution, ...]
    outcomes: SupportWeights
    normal: bool = False

    def p_values(self, kind: PValueKind) -> StepDownPValues:
        """Return the p-values of all hypotheses, raw and adjusted within the block."""
        stepped = step_down_max_t(
            self.found, self.nulls, self.outcomes.weights, self.outcomes.uncovered, kind
        )
        if not self.normal:
            return stepped
        from scipy.special import ndtr

        raw = 2 * ndtr(-np.abs(self.found))
        return replace(stepped, raw=raw, adjusted=np.maximum(raw, stepped.adjusted))
