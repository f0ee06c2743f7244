"""What several data sets say together, in plain sentences that claim no more than was tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.comparisons.verdicts.ranking import is_tie
from reportgen.report.parts import Count, Plain, PValue, Strong
from reportgen.report.words.spoken import spoken_difference
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.datasets.pairs import DatasetPair
    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

TWO = 2
RANK_DECIMALS = 2


def dataset_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Yield the main findings over several data sets, by the measure that decides."""
    if evaluation.datasets:
        compared = evaluation.datasets[0]
        yield from all_together(compared)
        yield from told_apart(compared)
        yield from too_few(compared)
    elif evaluation.spec.dataset_names:
        yield (
            (
                "No measure has a finite value for two classifiers or more on two data sets or"
                " more, so nothing can be compared over the data sets."
            ),
        )


def all_together(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    """Say who ranks best, and whether the average ranks differ at all."""
    number, name = len(compared.datasets), inside_a_sentence(compared.measure)
    if len(compared.classifiers) == TWO:
        # Of two classifiers the pair says it all.
        return
    best = compared.classifiers[0]
    ranked: list[Part] = []
    for other in compared.classifiers[1:]:
        ranked += ["; " if ranked else "", Strong(other), " ", _rank(compared, other)]
    leaders = rank_leaders(compared)
    yield (
        "Over ",
        Count(number),
        f" data sets, by {name}, ",
        *names_in_a_row(leaders),
        " has" if len(leaders) == 1 else " share",
        " the best average rank, ",
        _rank(compared, best),
        *((" (", *ranked, ")") if len(leaders) == 1 else ()),
        ".",
    )
    tested = compared.friedman
    if tested is None:
        yield ("All classifiers are equal on every data set.",)
        return
    differ = tested.f_p <= compared.alpha
    statistic: tuple[Part, ...] = (
        ("the same order on every data set",)
        if tested.f is None
        else ("Iman and Davenport's F ", Plain(tested.f, RANK_DECIMALS))
    )
    yield (
        "The average ranks differ by more than chance"
        if differ
        else "The average ranks differ by no more than chance allows",
        " (",
        *statistic,
        ", ",
        PValue(tested.f_p, named=True),
        ").",
    )


def told_apart(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    """Say which classifiers are better than which, and how many pairs remain open."""
    wins = better_than(compared)
    name = inside_a_sentence(compared.measure)
    for winner, losers in wins.items():
        only = _only_pair(compared)
        yield (
            Strong(winner),
            " is better than ",
            *names_in_a_row(losers),
            f" in {name} over the data sets",
            *(_evidence(compared, only, winner) if only else ()),
            ".",
        )
    yield from _equal(compared)
    undecided = [pair for pair in compared.pairs if pair.verdict is Finding.UNDECIDED]
    if not undecided:
        return
    if len(compared.pairs) == 1:
        yield (
            Strong(undecided[0].first),
            " and ",
            Strong(undecided[0].second),
            f" cannot be told apart in {name} on these data sets",
            *_evidence(compared, undecided[0], undecided[0].first),
            ".",
        )
    elif len(undecided) == len(compared.pairs):
        tested = compared.friedman
        together = tested is not None and tested.f_p <= compared.alpha
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
            Count(len(compared.pairs)),
            " pairs cannot be told apart on these data sets; that does not make them equal.",
        )


def too_few(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    """Say when no difference, however regular, could have been found."""
    if compared.least_p > compared.alpha:
        yield (
            "With ",
            Count(len(compared.datasets)),
            " data sets and ",
            Count(len(compared.pairs)),
            " pairs" if len(compared.pairs) > 1 else " pair",
            (
                " no difference could have been proved, even if one classifier had won on every"
                " data set: more data sets are needed."
            ),
        )


def better_than(compared: DatasetComparison) -> dict[str, list[str]]:
    """Return for each classifier, best rank first, those it is proved to be better than."""
    found: dict[str, list[str]] = {name: [] for name in compared.classifiers}
    for pair in compared.pairs:
        if pair.verdict is Finding.SUPERIOR:
            found[pair.first].append(pair.second)
        elif pair.verdict is Finding.INFERIOR:
            found[pair.second].append(pair.first)
    return {name: losers for name, losers in found.items() if losers}


def _equal(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    for verdict, said in (
        (Finding.TIED, " are equal on every data set."),
        (Finding.EQUIVALENT, " differ by less than the margin: they count as equivalent."),
    ):
        for pair in compared.pairs:
            if pair.verdict is verdict:
                yield (Strong(pair.first), " and ", Strong(pair.second), said)


def rank_leaders(compared: DatasetComparison) -> Sequence[str]:
    """Return whoever has the best average rank; several if it is equal."""
    ranks = compared.average_ranks
    return [name for name in ranks if is_tie(ranks[name], min(ranks.values()))]


def _rank(compared: DatasetComparison, name: str) -> Plain:
    return Plain(compared.average_ranks[name], RANK_DECIMALS)


def _only_pair(compared: DatasetComparison) -> DatasetPair | None:
    return compared.pairs[0] if len(compared.pairs) == 1 else None


def _evidence(compared: DatasetComparison, pair: DatasetPair, ahead: str) -> tuple[Part, ...]:
    """Give the counts and the typical difference of a pair, from the side of the one named."""
    same_side = ahead == pair.first
    sign = 1 if same_side else -1
    ends = [None if end is None else sign * end for end in (pair.low, pair.high)]
    low, high = ends if same_side else ends[::-1]
    won, lost = (pair.wins, pair.losses) if same_side else (pair.losses, pair.wins)
    return (
        ": ",
        Strong(ahead),
        " ahead on ",
        Count(won),
        ", equal on ",
        Count(pair.ties),
        ", behind on ",
        Count(lost),
        "; typical difference ",
        *spoken_difference(compared.measure, sign * pair.difference, low, high),
        "; ",
        PValue(pair.p_adjusted, named=True),
    )
