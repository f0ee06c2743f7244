"""Findings across data sets: mean ranks, the omnibus test and pairwise comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures.ordering import is_close
from reportgen.report.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.datasets import DatasetComparison, DatasetPairComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure

TWO_CLASSIFIERS = 2
RANK_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class NoDatasetComparisonFinding(Finding):
    """No measure has finite values for two classifiers on two data sets."""


@dataclass(frozen=True, slots=True)
class MeanRankFinding(Finding):
    """The classifiers with the best mean rank, and the mean ranks of all."""

    measure: Measure
    n_datasets: int
    best: tuple[str, ...]
    mean_ranks: dict[str, float]


@dataclass(frozen=True, slots=True)
class OmnibusRankFinding(Finding):
    """The omnibus test of mean ranks; F None: exact probability of identical rankings.

    `p` is not adjusted, so nothing is called significant by it; None: all classifiers are tied on
    every data set.
    """

    f_statistic: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class DatasetSuperiorityFinding(Finding):
    """A classifier is significantly better than others; `pair`: the only pair compared."""

    measure: Measure
    winner: str
    losers: tuple[str, ...]
    pair: DatasetPairComparison | None


@dataclass(frozen=True, slots=True)
class DatasetEquivalenceFinding(Finding):
    """Two classifiers are equivalent, or tied on every data set."""

    pair: DatasetPairComparison
    tied: bool


@dataclass(frozen=True, slots=True)
class DatasetNonsignificantFinding(Finding):
    """The number of pairs without a significant difference; `pair`: the only pair compared."""

    measure: Measure
    n_pairs: int
    n_nonsignificant: int
    pair: DatasetPairComparison | None


@dataclass(frozen=True, slots=True)
class TooFewDatasetsFinding(Finding):
    """Not even a win on every data set could have been significant."""

    n_datasets: int
    n_pairs: int


def dataset_findings(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the main findings across data sets, by the primary measure."""
    if evaluation.datasets:
        comparison = evaluation.datasets[0]
        yield from _rank_findings(comparison)
        yield from _pairwise_findings(comparison)
        if comparison.min_attainable_p > comparison.alpha:
            yield TooFewDatasetsFinding(len(comparison.datasets), len(comparison.pairs))
    elif evaluation.spec.dataset_names:
        yield NoDatasetComparisonFinding()


def _rank_findings(comparison: DatasetComparison) -> Iterator[Finding]:
    # Two classifiers are described by their only pair.
    if len(comparison.classifiers) == TWO_CLASSIFIERS:
        return
    yield MeanRankFinding(
        comparison.measure,
        len(comparison.datasets),
        tuple(best_ranked_classifiers(comparison)),
        {name: comparison.mean_ranks[name] for name in comparison.classifiers},
    )
    test = comparison.friedman
    if test is None:
        yield OmnibusRankFinding()
    else:
        yield OmnibusRankFinding(test.f_statistic, test.f_p)


def _pairwise_findings(comparison: DatasetComparison) -> Iterator[Finding]:
    single_pair = comparison.pairs[0] if len(comparison.pairs) == 1 else None
    for winner, losers in significant_wins(comparison).items():
        yield DatasetSuperiorityFinding(comparison.measure, winner, tuple(losers), single_pair)
    for decision in (Decision.TIED, Decision.EQUIVALENT):
        for pair in comparison.pairs:
            if pair.verdict is decision:
                yield DatasetEquivalenceFinding(pair, tied=decision is Decision.TIED)
    undecided = [pair for pair in comparison.pairs if pair.verdict is Decision.UNDECIDED]
    if undecided:
        yield DatasetNonsignificantFinding(
            comparison.measure,
            len(comparison.pairs),
            len(undecided),
            single_pair,
        )


def significant_wins(comparison: DatasetComparison) -> dict[str, list[str]]:
    """Return for each classifier, best rank first, those it is significantly better than."""
    wins: dict[str, list[str]] = {name: [] for name in comparison.classifiers}
    for pair in comparison.pairs:
        if pair.verdict is Decision.SUPERIOR:
            wins[pair.first].append(pair.second)
        elif pair.verdict is Decision.INFERIOR:
            wins[pair.second].append(pair.first)
    return {name: losers for name, losers in wins.items() if losers}


def best_ranked_classifiers(comparison: DatasetComparison) -> Sequence[str]:
    """Return the classifiers with the best mean rank; several if tied."""
    ranks = comparison.mean_ranks
    return [name for name in ranks if is_close(ranks[name], min(ranks.values()))]
