"""Two classifiers compared over several data sets, by Wilcoxon's signed ranks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.comparisons.verdicts.ranking import is_better, is_tie
from reportgen.frozen import frozen
from reportgen.measures import Orientation, find_measure
from reportgen.statistics import ranks
from reportgen.statistics.adjusting import holm
from reportgen.statistics.wilcoxon import signed_rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.spec import Spec
    from reportgen.statistics.ranks import Numbers


@frozen(kw_only=True)
class DatasetPair:
    """Two classifiers over the data sets: who wins how often, by how much, and whether surely."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    difference: float
    """The pseudomedian of first minus second (Hodges and Lehmann), with its interval."""
    low: float | None
    high: float | None
    statistic: float
    exact: bool
    p: float
    p_adjusted: float
    """Wilcoxon's p-value, raised by Holm for all pairs of this measure."""
    rank_difference: float
    rank_p: float
    """That of the ranks, adjusted too: Nemenyi for all pairs, Holm against a baseline."""
    verdict: Finding


def dataset_pairs(
    spec: Spec,
    measure: Measure,
    columns: Mapping[str, Numbers],
    average_ranks: Mapping[str, float],
    order: Sequence[str],
) -> tuple[DatasetPair, ...]:
    """Test every pair by Wilcoxon's signed ranks, and by its average ranks beside that."""
    control = spec.comparison.baseline in columns
    paired = _paired(order, spec.comparison.baseline if control else None)
    differences = [columns[first] - columns[second] for first, second in paired]
    tests = [signed_rank(each, spec.intervals.level) for each in differences]
    adjusted, alpha = [test.p for test in tests], spec.comparison.alpha
    # Equivalence has an α of its own beside that of differences, shared over the pairs too.
    share = alpha
    if spec.comparison.correction != "none":
        adjusted, share = holm(adjusted), alpha / len(paired)
    margin = _margin(spec, measure)
    gaps = [average_ranks[first] - average_ranks[second] for first, second in paired]
    rows = len(next(iter(columns.values())))
    found: list[DatasetPair] = []
    rank_p = _rank_p(gaps, len(columns), rows, control=control)
    for (first, second), by_set, test, p, gap, by_rank in zip(
        paired, differences, tests, adjusted, gaps, rank_p, strict=True
    ):
        wins, ties, losses = _won(columns[first], columns[second], measure)
        pair = DatasetPair(
            first=first,
            second=second,
            wins=wins,
            ties=ties,
            losses=losses,
            difference=test.estimate,
            low=test.low,
            high=test.high,
            statistic=test.statistic,
            exact=test.exact,
            p=test.p,
            p_adjusted=p,
            rank_difference=gap,
            rank_p=by_rank,
            verdict=Finding.UNDECIDED,
        )
        equivalent = margin is not None and _is_within(margin, by_set, share)
        verdict = Finding.EQUIVALENT if equivalent else _verdict(measure, pair, alpha)
        found.append(replace(pair, verdict=verdict if wins or losses else Finding.TIED))
    return tuple(found)


def without_claims(pairs: Sequence[DatasetPair]) -> tuple[DatasetPair, ...]:
    """Return the pairs undecided, but for those that are equal on every data set."""
    return tuple(
        pair if pair.verdict is Finding.TIED else replace(pair, verdict=Finding.UNDECIDED)
        for pair in pairs
    )


def _paired(order: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(order, 2))
    return [(name, baseline) for name in order if name != baseline]


def _rank_p(gaps: Sequence[float], columns: int, rows: int, *, control: bool) -> list[float]:
    if not control:
        return [ranks.nemenyi_p(gap, columns, rows) for gap in gaps]
    return holm([ranks.control_test(gap, columns, rows)[1] for gap in gaps])


def _won(first: Numbers, second: Numbers, measure: Measure) -> tuple[int, int, int]:
    both = [(float(left), float(right)) for left, right in zip(first, second, strict=True)]
    ties = sum(is_tie(left, right) for left, right in both)
    wins = sum(is_better(left, right, measure.orientation) for left, right in both)
    return wins, ties, len(both) - wins - ties


def _verdict(measure: Measure, pair: DatasetPair, alpha: float) -> Finding:
    if pair.p_adjusted > alpha:
        return Finding.UNDECIDED
    higher = measure.orientation is Orientation.HIGHER
    return Finding.SUPERIOR if (pair.difference > 0) == higher else Finding.INFERIOR


def _margin(spec: Spec, measure: Measure) -> float | None:
    margins = spec.comparison.margin or {}
    return {find_measure(name): margin for name, margin in margins.items()}.get(measure)


def _is_within(margin: float, differences: Numbers, alpha: float) -> bool:
    """Make two one-sided tests: is the pseudomedian above −margin, and is it below the margin?

    Both hold where the limits that leave out `alpha` on either side lie between the margins.
    """
    limits = signed_rank(differences, 1 - 2 * alpha)
    if limits.low is None or limits.high is None:
        return False
    return -margin < limits.low and limits.high < margin
