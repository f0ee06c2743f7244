"""Decisions of the tests, adjusted for all comparisons of a report (family-wise error rate).

The comparisons form three families: the headline (the primary measure), the other overall measures,
and the details (single classes and segments). Each family has a share of α and passes it on when
all of its hypotheses are rejected. Within a family the joint distribution of the differences is
used, over measures and over pairs of classifiers, and what follows for the other measures of the
same counts from a difference in one of them, be it in the headline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.measures import Orientation, find_measure, get_measure
from reportgen.measures.ordering import is_close
from reportgen.measures.registry import question_of
from reportgen.statistics.distributions import critical_z
from reportgen.statistics.max_t import Block, step_down_max_t, two_sided_p
from reportgen.statistics.multiplicity import holm, holm_over_families

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reportgen.evaluation.comparison import HypothesisFamily
    from reportgen.evaluation.permutation_tests import HypothesisTest
    from reportgen.measures import Average, Measure
    from reportgen.spec import ComparisonSettings
    from reportgen.statistics import FloatArray
    from reportgen.statistics.max_t import JointNormal
    from reportgen.statistics.permutation import PValueKind


# The share of α of each family, before a family passes its share on.
FAMILY_SHARES: Mapping[HypothesisFamily, float] = {
    "headline": 1 / 2,
    "overall": 1 / 4,
    "details": 1 / 4,
}
# The normal quantile of 80% power.
POWER_QUANTILE = 0.8416212335729143
MAX_REQUIRED_CASES = 10**9
# Of more pairs of classifiers, those with this many discordant cases are not permuted: the normal
# approximation of the score statistic is then closer than a sample that could be afforded.
MAX_PERMUTED_PAIRS, MIN_ASYMPTOTIC_CASES = 200, 100


@dataclass(frozen=True, slots=True)
class RatesCompared:
    """The sensitivities and specificities of two classifiers that a comparison is a function of.

    `operating_point` tells predictions apart from those at a threshold. `is_straight`: pairs of
    sensitivity and specificity at which the measure has one value lie on a straight line.
    """

    first: str
    second: str
    class_: str
    operating_point: float | str | None
    is_straight: bool

    @property
    def points(self) -> tuple[str, str, str, float | str | None]:
        """What is compared, whatever the measure."""
        return self.first, self.second, self.class_, self.operating_point


@dataclass(frozen=True, slots=True)
class TestedBlock:
    """Comparisons of one family whose differences have a known joint distribution, or None.

    `cases` is the number of cases of each comparison, None where a test is of something else;
    `rates` are what each comparison is a function of, empty if they are not known.
    """

    comparisons: tuple[Comparison, ...]
    cases: tuple[int | None, ...]
    joint: JointNormal | None = None
    rates: tuple[RatesCompared | None, ...] = ()

    @property
    def family(self) -> HypothesisFamily:
        """The family of all comparisons of the block."""
        return self.comparisons[0].family or "overall"


def adjust_and_decide(
    blocks: Sequence[TestedBlock],
    secondary_tests: Sequence[Comparison],
    settings: ComparisonSettings,
    level: float,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Adjust and decide the primary tests of all families; secondary tests follow them.

    `level` is the confidence level of the differences' intervals.
    """
    blocks = [block for block in blocks if block.comparisons]
    rows = [row for block in blocks for row in block.comparisons]
    margins = EquivalenceMargins.from_settings(rows, settings, level)
    families = _adjust_families(blocks, settings, seed)
    comparisons_with_verdict = []
    for row, cases, adjusted, critical in families:
        verdict = _decide(row, adjusted, settings.alpha, margins)
        is_open = verdict is Decision.UNDECIDED
        low, high = _simultaneous_interval(row, adjusted, critical, settings, level)
        comparisons_with_verdict.append(
            replace(
                row,
                p_adjusted=None if row.p is None else adjusted,
                low_adjusted=low,
                high_adjusted=high,
                verdict=verdict,
                non_inferior=margins.is_non_inferior(row),
                reverse_non_inferior=margins.is_reverse_non_inferior(row),
                required_cases=_required_cases(row, cases, critical) if is_open else None,
            )
        )
    return (
        *comparisons_with_verdict,
        *_inherit_decisions(secondary_tests, comparisons_with_verdict),
    )


_Adjusted = tuple[Comparison, "int | None", float, float]
_Points: TypeAlias = "tuple[str, str, str, float | str | None]"


def _adjust_families(
    blocks: Sequence[TestedBlock], settings: ComparisonSettings, seed: int
) -> list[_Adjusted]:
    """Return each comparison with its cases, adjusted p-value and critical value."""
    if settings.correction == "none":
        critical = critical_z(1 - settings.alpha)
        return [
            (row, cases, _p_value_or_one(row), critical)
            for block in blocks
            for row, cases in zip(block.comparisons, block.cases, strict=True)
        ]
    by_family: dict[HypothesisFamily, list[TestedBlock]] = {}
    for block in blocks:
        by_family.setdefault(block.family, []).append(block)
    families = [family for family in FAMILY_SHARES if family in by_family]
    shares = [FAMILY_SHARES[family] for family in families]
    within, criticals = [], []
    differing: dict[_Points, float] = {}
    for family, share in zip(families, shares, strict=True):
        gates = {points: p * share for points, p in differing.items()}
        p_values, critical_value = _adjust_within(by_family[family], settings, seed, gates)
        if family == "headline":
            differing = _differing_points(by_family[family], p_values, share)
        within.append(p_values)
        criticals.append(critical_value(settings.alpha * share / sum(shares)))
    adjusted = holm_over_families(within, shares)
    return [
        (row, cases, p, critical)
        for family, p_values, critical in zip(families, adjusted, criticals, strict=True)
        for (row, cases), p in zip(_rows_with_cases(by_family[family]), p_values, strict=True)
    ]


def _differing_points(
    blocks: Sequence[TestedBlock], p_values: Sequence[float], share: float
) -> dict[_Points, float]:
    """Return the α of the report from which on sensitivities and specificities differ."""
    rates = [one for block in blocks for one in block.rates or (None,) * len(block.comparisons)]
    levels: dict[_Points, float] = {}
    for one, p in zip(rates, p_values, strict=True):
        if one is not None:
            levels[one.points] = min(p / share, levels.get(one.points, 1.0))
    return levels


def _rows_with_cases(blocks: Sequence[TestedBlock]) -> list[tuple[Comparison, int | None]]:
    return [pair for block in blocks for pair in zip(block.comparisons, block.cases, strict=True)]


def _adjust_within(
    blocks: Sequence[TestedBlock],
    settings: ComparisonSettings,
    seed: int,
    gates: Mapping[_Points, float],
) -> tuple[list[float], Callable[[float], float]]:
    """Return the p-values adjusted within a family, and its critical value at a level.

    `gates` are the levels of the family from which on two classifiers are known to differ.
    """
    raw = np.array([_p_value_or_one(row) for block in blocks for row in block.comparisons])
    if settings.correction == "holm":
        return holm(raw.tolist()), lambda level: critical_z(1 - level / len(raw))
    starts = np.cumsum([0, *(len(block.comparisons) for block in blocks)])
    numbers: dict[tuple[int, _Points], int] = {}
    tested = [
        _tested_block(block, int(start), number, numbers)
        for number, (start, block) in enumerate(zip(starts[:-1], blocks, strict=True))
    ]
    gate_levels = {
        number: gates[points] for (_, points), number in numbers.items() if points in gates
    }
    step_down = step_down_max_t(raw, tested, seed, gate_levels)
    return step_down.adjusted.tolist(), step_down.critical_value


def _tested_block(
    block: TestedBlock, start: int, at: int, numbers: dict[tuple[int, _Points], int]
) -> Block:
    """Return the block with its points numbered; `numbers` is completed."""
    indices = np.arange(start, start + len(block.comparisons))
    if not any(block.rates):
        return Block(indices, block.joint)
    points = [
        -1 if one is None else numbers.setdefault((at, one.points), len(numbers))
        for one in block.rates
    ]
    is_straight = [one is not None and one.is_straight for one in block.rates]
    return Block(indices, block.joint, np.array(points), np.array(is_straight))


def _simultaneous_interval(
    comparison: Comparison,
    p_adjusted: float,
    critical_value: float,
    settings: ComparisonSettings,
    level: float,
) -> tuple[float | None, float | None]:
    """Return the limits of a difference that hold for all comparisons of the family at once.

    They agree with the decision: 0 is inside if and only if the difference is not significant. The
    step-down procedure may reject what the single-step limits do not; the limit is 0 then.
    """
    if settings.correction == "none" or comparison.p is None:
        return None, None
    adjusted_level = _level_of(critical_value)
    limits = rescale_interval(comparison, level, adjusted_level)
    if limits is None or comparison.difference is None:
        return None, None
    low, high = _clip_to_range(comparison, limits)
    if p_adjusted > settings.alpha or not comparison.difference:
        return min(low, 0.0), max(high, 0.0)
    if comparison.difference > 0:
        return max(low, 0.0), high
    return low, min(high, 0.0)


@lru_cache(maxsize=64)
def _level_of(critical_value: float) -> float:
    """Return the confidence level of an interval of so many standard errors on either side."""
    return 1 - float(two_sided_p(np.array([critical_value]))[0])


def _clip_to_range(comparison: Comparison, limits: tuple[float, float]) -> tuple[float, float]:
    """Clip the limits to the differences that are possible."""
    values = get_measure(comparison.measure).range
    if values.low is None or values.high is None:
        return limits
    width = values.high - values.low
    return max(limits[0], -width), min(limits[1], width)


def rescale_interval(
    comparison: Comparison, level: float, new_level: float
) -> tuple[float, float] | None:
    """Return the interval of a difference at another level: sides in proportion to quantiles."""
    middle, low, high = comparison.difference, comparison.low, comparison.high
    if middle is None or low is None or high is None:
        return None
    target, own = (
        _interval_quantile(confidence, comparison.df) for confidence in (new_level, level)
    )
    scale = target / own
    return middle - scale * (middle - low), middle + scale * (high - middle)


def _inherit_decisions(
    secondary_tests: Sequence[Comparison], primary_tests: Sequence[Comparison]
) -> Iterator[Comparison]:
    """Give secondary tests the decision of the primary test, whatever the order of the pair."""
    verdicts = {difference.key: difference.verdict for difference in primary_tests}
    for row in secondary_tests:
        reversed_key = (row.second, row.first, *row.key[2:])
        verdict = verdicts.get(row.key)
        if verdict is None and reversed_key in verdicts:
            verdict = verdicts[reversed_key].reversed
        yield replace(row, verdict=verdict or Decision.NOT_TESTED)


def _p_value_or_one(comparison: Comparison) -> float:
    return 1.0 if comparison.p is None else comparison.p


def _decide(
    comparison: Comparison, p: float, alpha: float, margins: EquivalenceMargins
) -> Decision:
    measure = get_measure(comparison.measure)
    difference = comparison.difference
    # Before all else, because the margin says that so small a difference does not matter.
    if margins.is_equivalent(comparison):
        return Decision.EQUIVALENT
    if difference is not None and is_close(difference, 0.0):
        return Decision.TIED
    if comparison.p is None:
        return Decision.NOT_TESTED
    size = comparison.statistic if difference is None else difference
    if p <= alpha and size:
        better = (size > 0) == (measure.orientation is Orientation.HIGHER)
        return Decision.SUPERIOR if better else Decision.INFERIOR
    return Decision.UNDECIDED


def _required_cases(comparison: Comparison, cases: int | None, critical_value: float) -> int | None:
    """Return the required sample size at 80% power; a statistic grows with the root of n.

    None where the statistic is beyond the critical value: not the cases are too few.
    """
    if cases is None or not comparison.statistic or abs(comparison.statistic) >= critical_value:
        return None
    needed = cases * ((critical_value + POWER_QUANTILE) / abs(comparison.statistic)) ** 2
    return math.ceil(min(needed, MAX_REQUIRED_CASES))


@dataclass(frozen=True, slots=True)
class EquivalenceMargins:
    """Equivalence and non-inferiority margins, and the level of the intervals tested with them.

    Two one-sided tests (TOST; Schuirmann 1987) at level α both reject if the 1 − 2α interval lies
    within the margins; α is shared by all comparisons with a margin if they are adjusted.
    """

    by_measure: Mapping[str, float]
    test_level: float
    interval_level: float

    @classmethod
    def from_settings(
        cls, comparisons: Sequence[Comparison], settings: ComparisonSettings, level: float
    ) -> EquivalenceMargins:
        """Return the margins of the comparison settings."""
        margins_by_measure = {
            find_measure(name): margin for name, margin in (settings.margin or {}).items()
        }
        by_measure = {
            measure.name: margin for measure, margin in margins_by_measure.items() if measure
        }
        rows = sum(row.measure in by_measure for row in comparisons if row.average is None)
        sharing = 1 if settings.correction == "none" else max(1, rows)
        return cls(by_measure, 1 - 2 * min(0.5, settings.alpha / sharing), level)

    def is_equivalent(self, comparison: Comparison) -> bool:
        """Return whether the difference is significantly within the margins."""
        margin = self._margin(comparison)
        limits = self.interval(comparison) if margin else None
        return bool(limits and margin and -margin < limits[0] and limits[1] < margin)

    def is_non_inferior(self, comparison: Comparison) -> bool | None:
        """Return whether the first is significantly not worse than the second by the margin."""
        margin = self._margin(comparison)
        if margin is None:
            return None
        limits = self.interval(comparison)
        if limits is None:
            return False
        if get_measure(comparison.measure).orientation is Orientation.HIGHER:
            return limits[0] > -margin
        return limits[1] < margin

    def is_reverse_non_inferior(self, comparison: Comparison) -> bool | None:
        """Return whether the second is significantly not worse than the first by the margin."""
        has_margin = self._margin(comparison) is not None
        return self.is_non_inferior(comparison.reversed) if has_margin else None

    def _margin(self, comparison: Comparison) -> float | None:
        """Return the margin; it is of values of a class or over all, not of averages."""
        return None if comparison.average else self.by_measure.get(comparison.measure)

    def interval(self, comparison: Comparison) -> tuple[float, float] | None:
        """Return the interval of a difference at the level used with the margins."""
        return rescale_interval(comparison, self.interval_level, self.test_level)


@lru_cache(maxsize=256)
def _interval_quantile(level: float, df: float | None) -> float:
    """Return the half-width of an interval in standard errors."""
    if df is None:
        return critical_z(level)
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The hypothesis of no difference on a measure of one class, of an average, or over all."""

    measure: Measure
    class_: str | None
    average: Average | None = None


@dataclass(frozen=True, slots=True)
class PermutationPlan:
    """The seed of Monte Carlo permutations, the kind of p-values, and the number of pairs tested.

    Of very many pairs, those with many discordant cases are tested by the normal approximation.
    """

    seed: int
    p_value_kind: PValueKind = "exact"
    pairs: int = 1

    def is_asymptotic(self, *discordant: float) -> bool:
        """Return whether numbers of discordant cases, all of them large, need no permutation."""
        return self.pairs > MAX_PERMUTED_PAIRS and min(discordant) >= MIN_ASYMPTOTIC_CASES

    def rng(self) -> np.random.Generator:
        """Return a new random generator."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, slots=True)
class PairTests:
    """The tests of all hypotheses about one pair of classifiers, not adjusted."""

    pair: tuple[str, str]
    data: Literal["paired", "unpaired"]
    cases: int
    hypotheses: tuple[Hypothesis, ...]
    tests: tuple[str, ...]
    statistics: FloatArray
    p_values: FloatArray
    """NaN where a hypothesis could not be tested."""

    @classmethod
    def from_tests(
        cls,
        pair: tuple[str, str],
        data: Literal["paired", "unpaired"],
        cases: int,
        tests: Iterable[tuple[Hypothesis, HypothesisTest]],
    ) -> PairTests:
        """Collect the tests of the hypotheses.

        Measures that always rank classifiers alike test one hypothesis, and have one p-value.
        """
        tested_hypotheses = list(tests)
        p_by_question: dict[tuple[str, str | None, str | None], float] = {
            (one.measure.name, one.class_, one.average): test.p for one, test in tested_hypotheses
        }
        p_values = [
            p_by_question.get((question[0], one.class_, question[1]), test.p)
            for one, test in tested_hypotheses
            for question in [question_of(one.measure.name, one.average)]
        ]
        return cls(
            pair,
            data,
            cases,
            tuple(hypothesis for hypothesis, _ in tested_hypotheses),
            tuple(test.name for _, test in tested_hypotheses),
            np.array([test.statistic for _, test in tested_hypotheses]),
            np.array(p_values),
        )
