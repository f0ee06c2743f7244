"""What several data sets say together, in plain sentences that claim no more than was tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures.ordering import is_close
from reportgen.report.formatting import inline_difference
from reportgen.report.inline import Count, PlainNumber, PValue, Strong
from reportgen.report.phrases import join_names, measure_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.datasets import DatasetComparison, DatasetPairComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.inline import Inline

TWO_CLASSIFIERS = 2
RANK_DECIMALS = 2


def dataset_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Yield the main findings over several data sets, by the measure that decides."""
    if evaluation.datasets:
        compared = evaluation.datasets[0]
        yield from friedman_findings(compared)
        yield from pairwise_dataset_findings(compared)
        yield from too_few_datasets_finding(compared)
    elif evaluation.spec.dataset_names:
        yield (
            (
                "No measure has a finite value for two classifiers or more on two data sets or"
                " more, so nothing can be compared over the data sets."
            ),
        )


def friedman_findings(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    """Say who ranks best, and whether the average ranks differ at all."""
    number, name = len(comparison.datasets), measure_phrase(comparison.measure)
    if len(comparison.classifiers) == TWO_CLASSIFIERS:
        # Of two classifiers the pair says it all.
        return
    best = comparison.classifiers[0]
    ranked: list[Inline] = []
    for other in comparison.classifiers[1:]:
        ranked += ["; " if ranked else "", Strong(other), " ", _mean_rank(comparison, other)]
    leaders = best_ranked_classifiers(comparison)
    yield (
        "Over ",
        Count(number),
        f" data sets, by {name}, ",
        *join_names(leaders),
        " has" if len(leaders) == 1 else " share",
        " the best average rank, ",
        _mean_rank(comparison, best),
        *((" (", *ranked, ")") if len(leaders) == 1 else ()),
        ".",
    )
    tested = comparison.friedman
    if tested is None:
        yield ("All classifiers are equal on every data set.",)
        return
    differ = tested.f_p <= comparison.alpha
    statistic: tuple[Inline, ...] = (
        ("the same order on every data set",)
        if tested.f_statistic is None
        else ("Iman and Davenport's F ", PlainNumber(tested.f_statistic, RANK_DECIMALS))
    )
    yield (
        "The average ranks differ by more than chance"
        if differ
        else "The average ranks differ by no more than chance allows",
        " (",
        *statistic,
        ", ",
        PValue(tested.f_p, with_symbol=True),
        ").",
    )


def pairwise_dataset_findings(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    """Say which classifiers are better than which, and how many pairs remain open."""
    wins = significant_wins(comparison)
    name = measure_phrase(comparison.measure)
    for winner, losers in wins.items():
        only = _single_pair(comparison)
        yield (
            Strong(winner),
            " is better than ",
            *join_names(losers),
            f" in {name} over the data sets",
            *(_pair_statistics(comparison, only, winner) if only else ()),
            ".",
        )
    yield from _equivalence_findings(comparison)
    undecided = [pair for pair in comparison.pairs if pair.verdict is Decision.UNDECIDED]
    if not undecided:
        return
    if len(comparison.pairs) == 1:
        yield (
            Strong(undecided[0].first),
            " and ",
            Strong(undecided[0].second),
            f" cannot be told apart in {name} on these data sets",
            *_pair_statistics(comparison, undecided[0], undecided[0].first),
            ".",
        )
    elif len(undecided) == len(comparison.pairs):
        tested = comparison.friedman
        together = tested is not None and tested.f_p <= comparison.alpha
        yield (
            "None of the ",
            Count(len(undecided)),
            " pairs can be told apart on these data sets",
            ", although the classifiers as a whole differ" if together else "",
            "; that does not make them equal.",
        )
    else:
        yield (
            Count(len(undecided)),
            " of ",
            Count(len(comparison.pairs)),
            " pairs cannot be told apart on these data sets; that does not make them equal.",
        )


def too_few_datasets_finding(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    """Say when no difference, however regular, could have been found."""
    if comparison.min_attainable_p > comparison.alpha:
        yield (
            "With ",
            Count(len(comparison.datasets)),
            " data sets and ",
            Count(len(comparison.pairs)),
            " pairs" if len(comparison.pairs) > 1 else " pair",
            (
                " no difference could have been proved, even if one classifier had won on every"
                " data set: more data sets are needed."
            ),
        )


def significant_wins(comparison: DatasetComparison) -> dict[str, list[str]]:
    """Return for each classifier, best rank first, those it is proved to be better than."""
    found: dict[str, list[str]] = {name: [] for name in comparison.classifiers}
    for pair in comparison.pairs:
        if pair.verdict is Decision.SUPERIOR:
            found[pair.first].append(pair.second)
        elif pair.verdict is Decision.INFERIOR:
            found[pair.second].append(pair.first)
    return {name: losers for name, losers in found.items() if losers}


def _equivalence_findings(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    for verdict, said in (
        (Decision.TIED, " are equal on every data set."),
        (Decision.EQUIVALENT, " differ by less than the margin: they count as equivalent."),
    ):
        for pair in comparison.pairs:
            if pair.verdict is verdict:
                yield (Strong(pair.first), " and ", Strong(pair.second), said)


def best_ranked_classifiers(comparison: DatasetComparison) -> Sequence[str]:
    """Return whoever has the best average rank; several if it is equal."""
    ranks = comparison.mean_ranks
    return [name for name in ranks if is_close(ranks[name], min(ranks.values()))]


def _mean_rank(comparison: DatasetComparison, name: str) -> PlainNumber:
    return PlainNumber(comparison.mean_ranks[name], RANK_DECIMALS)


def _single_pair(comparison: DatasetComparison) -> DatasetPairComparison | None:
    return comparison.pairs[0] if len(comparison.pairs) == 1 else None


def _pair_statistics(
    comparison: DatasetComparison, pair: DatasetPairComparison, classifier: str
) -> tuple[Inline, ...]:
    """Give the counts and the typical difference of a pair, from the side of the one named."""
    same_side = classifier == pair.first
    sign = 1 if same_side else -1
    ends = [None if end is None else sign * end for end in (pair.low, pair.high)]
    low, high = ends if same_side else ends[::-1]
    won, lost = (pair.wins, pair.losses) if same_side else (pair.losses, pair.wins)
    return (
        ": ",
        Strong(classifier),
        " ahead on ",
        Count(won),
        ", equal on ",
        Count(pair.ties),
        ", behind on ",
        Count(lost),
        "; typical difference ",
        *inline_difference(comparison.measure, sign * pair.difference, low, high),
        "; ",
        PValue(pair.p_adjusted, with_symbol=True),
    )
