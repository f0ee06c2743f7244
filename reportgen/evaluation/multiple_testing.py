"""Decisions of the tests, adjusted for all comparisons of a report (family-wise error rate)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.measures import Orientation, find_measure, get_measure
from reportgen.measures.ordering import is_close
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


# The normal quantile of 80% power.
POWER_QUANTILE = 0.8416212335729143
MAX_REQUIRED_CASES = 10**9


@dataclass(frozen=True, slots=True)
class TestedFamily:
    """Decisive differences of one pair that were tested together.

    `within` are their p-values adjusted for each other; `critical` tells how large a statistic
    must be to be significant at a level, among all of them.
    """

    comparisons: tuple[Comparison, ...]
    p_adjusted_within: tuple[float, ...]
    cases: int | None
    critical_value: Callable[[float], float]

    @property
    def pair(self) -> tuple[str, str]:
        """The two classifiers."""
        return self.comparisons[0].first, self.comparisons[0].second


def holm_family(comparisons: Sequence[Comparison], cases: int | None) -> TestedFamily:
    """Return a family of comparisons tested one by one, adjusted within by Holm's procedure."""
    within = holm([_p_value_or_one(difference) for difference in comparisons])
    n_tests = len(comparisons)
    return TestedFamily(
        tuple(comparisons),
        tuple(within),
        cases,
        lambda level: critical_z(1 - level / n_tests),
    )


def adjust_and_decide(
    families: Sequence[TestedFamily],
    secondary_tests: Sequence[Comparison],
    settings: ComparisonSettings,
    level: float,
) -> tuple[Comparison, ...]:
    """Adjust and decide the primary tests of all families; secondary tests follow them.

    `level` is the confidence level of the differences' intervals.
    """
    blocks = [block for block in families if block.comparisons]
    margins = EquivalenceMargins.from_settings(blocks, settings, level)
    settled = []
    for block, p_values in zip(blocks, _adjust_p_values(blocks, settings), strict=True):
        criticals = _critical_values(block, blocks, settings)
        for difference, p, critical in zip(block.comparisons, p_values, criticals, strict=True):
            verdict = _decide(difference, p, settings.alpha, margins)
            open_yet = verdict is Decision.UNDECIDED
            settled.append(
                replace(
                    difference,
                    p_adjusted=None if difference.p is None else p,
                    verdict=verdict,
                    non_inferior=margins.is_non_inferior(difference),
                    reverse_non_inferior=margins.is_reverse_non_inferior(difference),
                    required_cases=_required_cases(difference, block, critical)
                    if open_yet
                    else None,
                )
            )
    return (*settled, *_inherit_decisions(secondary_tests, settled))


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
        yield replace(row, verdict=verdict or Decision.UNDECIDED)


def _adjust_p_values(
    families: Sequence[TestedFamily], settings: ComparisonSettings
) -> list[list[float]]:
    raw = [[_p_value_or_one(difference) for difference in block.comparisons] for block in families]
    if settings.correction == "none":
        return raw
    by_holm = settings.correction == "holm"
    if settings.primary is not None:
        return gatekeeping_adjust(
            [holm(block) for block in raw]
            if by_holm
            else [list(block.p_adjusted_within) for block in families],
            [
                {place: raw[number][place] for place in _primary_indices(block, settings)}
                for number, block in enumerate(families)
            ],
            [frozenset(block.pair) for block in families],
        )
    if by_holm:
        flat = iter(holm([p for block in raw for p in block]))
        return [[next(flat) for _ in block] for block in raw]
    return holm_over_families([list(block.p_adjusted_within) for block in families])


def _primary_indices(family: TestedFamily, settings: ComparisonSettings) -> tuple[int, ...]:
    """Return where a family tests the primary measure: over all classes if possible."""
    primary = find_measure(settings.primary) if settings.primary else None
    if primary is None:
        return ()
    rows = [(place, row) for place, row in enumerate(family.comparisons) if row.p is not None]
    primary_rows = [(place, row) for place, row in rows if row.measure == primary.name]
    overall_rows = [
        (place, row) for place, row in primary_rows if row.class_ is None and row.average is None
    ]
    return tuple(place for place, _ in overall_rows or primary_rows)


def _critical_values(
    family: TestedFamily, families: Sequence[TestedFamily], settings: ComparisonSettings
) -> list[float]:
    """Return the critical value of each statistic of a family after adjustment.

    It is never below the asymptotic one, though few cases may allow no larger statistic.
    """
    alpha, n_hypotheses = settings.alpha, len(family.comparisons)
    if settings.correction == "none":
        return [critical_z(1 - alpha)] * n_hypotheses
    if settings.correction == "holm":
        rows = sum(len(each.comparisons) for each in families)
        criticals = [critical_z(1 - alpha / rows)] * n_hypotheses
    else:
        share = alpha / len(families)
        criticals = [max(family.critical_value(share), critical_z(1 - share))] * n_hypotheses
    places = _primary_indices(family, settings)
    pairs = len({frozenset(each.pair) for each in families})
    for place in places:
        criticals[place] = critical_z(1 - alpha / (pairs * len(places)))
    return criticals


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
    size = comparison.statistic if difference is None else difference
    if comparison.p is not None and p <= alpha and size:
        better = (size > 0) == (measure.orientation is Orientation.HIGHER)
        return Decision.SUPERIOR if better else Decision.INFERIOR
    return Decision.UNDECIDED


def _required_cases(
    comparison: Comparison, family: TestedFamily, critical_value: float
) -> int | None:
    """Return the required sample size at 80% power; a statistic grows with the root of n."""
    if family.cases is None or not comparison.statistic:
        return None
    if abs(comparison.statistic) >= critical_value:
        # Not the cases are wanting: the declared measure did not come first.
        return None
    needed = family.cases * ((critical_value + POWER_QUANTILE) / abs(comparison.statistic)) ** 2
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
        cls, families: Sequence[TestedFamily], settings: ComparisonSettings, level: float
    ) -> EquivalenceMargins:
        """Return the margins of the comparison settings."""
        margins_by_measure = {
            find_measure(name): margin for name, margin in (settings.margin or {}).items()
        }
        by_measure = {
            measure.name: margin for measure, margin in margins_by_measure.items() if measure
        }
        rows = sum(row.measure in by_measure for block in families for row in block.comparisons)
        sharing = 1 if settings.correction == "none" else max(1, rows)
        return cls(by_measure, 1 - 2 * min(0.5, settings.alpha / sharing), level)

    def is_equivalent(self, comparison: Comparison) -> bool:
        """Return whether the difference is significantly within the margins."""
        margin = self.by_measure.get(comparison.measure)
        limits = self.interval(comparison) if margin else None
        return bool(limits and margin and -margin < limits[0] and limits[1] < margin)

    def is_non_inferior(self, comparison: Comparison) -> bool | None:
        """Return whether the first is significantly not worse than the second by the margin."""
        margin = self.by_measure.get(comparison.measure)
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
        has_margin = comparison.measure in self.by_measure
        return self.is_non_inferior(comparison.reversed) if has_margin else None

    def interval(self, comparison: Comparison) -> tuple[float, float] | None:
        """Return the interval of a difference at the level used with the margins."""
        middle, low, high = comparison.difference, comparison.low, comparison.high
        if middle is None or low is None or high is None:
            return None
        target_quantile, own_quantile = (
            _interval_quantile(level, comparison.df)
            for level in (self.test_level, self.interval_level)
        )
        scale = target_quantile / own_quantile
        return middle - scale * (middle - low), middle + scale * (high - middle)


def _interval_quantile(level: float, df: float | None) -> float:
    """Return the half-width of an interval in standard errors."""
    if df is None:
        return critical_z(level)
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


# Resolution of Monte Carlo p-values relative to the level of a family.
P_VALUE_RESOLUTION = 3


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The hypothesis of no difference on a measure of one class (None: over all classes)."""

    measure: Measure
    class_: str | None

    def class_index(self, classes: Sequence[str]) -> int:
        """Return the index of the class; −1 over all classes."""
        return -1 if self.class_ is None else classes.index(self.class_)


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """Probabilities of the outcomes; the mass of those left out is added to every p-value."""

    weights: FloatArray
    tail_mass: float
    exact: bool

    @classmethod
    def monte_carlo(cls, n_samples: int) -> SupportWeights:
        """Return equal weights of sampled outcomes; the observed outcome counts as one more."""
        return cls(np.full(n_samples, 1 / (n_samples + 1)), 1 / (n_samples + 1), exact=False)


@dataclass(frozen=True, slots=True)
class PermutationPlan:
    """The seed and the minimum number of Monte Carlo permutations."""

    seed: int
    n_min: int = 0

    @classmethod
    def with_resolution_for(cls, seed: int, n_families: int, alpha: float) -> PermutationPlan:
        """Return a plan with enough permutations for significance to be possible.

        A Monte Carlo p-value is at least 1/(permutations + 1), times the number of families.
        """
        return cls(seed, math.ceil(P_VALUE_RESOLUTION * n_families / alpha))

    def n_fitting_memory(
        self, values_per_permutation: int, max_values: int, lower: int, upper: int
    ) -> int:
        """Return the number of permutations that fit into memory, within bounds."""
        return max(
            self.n_min, int(np.clip(max_values // max(1, values_per_permutation), lower, upper))
        )

    def rng(self) -> np.random.Generator:
        """Return a new random generator."""
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
    observed: FloatArray
    null_distributions: tuple[NullDistribution, ...]
    support: SupportWeights
    is_normal: bool = False

    def p_values(self, p_value_kind: PValueKind) -> StepDownPValues:
        """Return the p-values of all hypotheses, raw and adjusted within the family."""
        stepped = step_down_max_t(
            self.observed,
            self.null_distributions,
            self.support.weights,
            self.support.tail_mass,
            p_value_kind,
        )
        if not self.is_normal:
            return stepped
        from scipy.special import ndtr

        raw = 2 * ndtr(-np.abs(self.observed))
        return replace(stepped, raw=raw, adjusted=np.maximum(raw, stepped.adjusted))
