"""Tables of a comparison over several data sets: values, pairs, and all measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.findings.datasets import RANK_DECIMALS, better_than
from reportgen.report.parts import (
    Count,
    MeasureName,
    Plain,
    PValue,
    Tone,
    Verdict,
    Words,
)
from reportgen.report.tables.measures import MOST_CLASSIFIERS_ACROSS, value_cells
from reportgen.report.words.differences import difference_cells
from reportgen.report.words.level import percentage
from reportgen.report.words.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.datasets.pairs import DatasetPair
    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.report.parts import Cell, Part

BY_MEASURE = (
    "Claims rest on the first measure alone: the p-values of the others are not adjusted for there"
    " being several measures."
)
EACH_INTERVAL = ", each interval for itself"
EXACT, BY_F = "same order", "Iman, Davenport"
SAME_ORDER = (
    " Where all data sets have the same order, p is the chance of that if every order is equally"
    " likely."
)
WORDS = {
    Finding.SUPERIOR: ("better", Tone.GOOD),
    Finding.INFERIOR: ("worse", Tone.BAD),
    Finding.EQUIVALENT: ("equivalent", Tone.NEUTRAL),
}


def value_tables(compared: DatasetComparison) -> Iterator[Table]:
    """Show the values by data set; many classifiers take several tables."""
    names = compared.classifiers
    starts = range(0, len(names), MOST_CLASSIFIERS_ACROSS)
    scores = {(each.dataset, each.classifier): each.score for each in compared.scores}
    rows: dict[str, dict[str, Cell]] = {
        dataset: value_cells(
            compared.measure, {name: scores[dataset, name] for name in names}, names
        )
        for dataset in dict.fromkeys(dataset for dataset, _ in scores)
    }
    best = {
        name: sum(
            each.rank is not None and each.rank == _best_rank(compared, each.dataset)
            for each in compared.scores
            if each.classifier == name
        )
        for name in names
    }
    for number, start in enumerate(starts, start=1):
        across = names[start : start + MOST_CLASSIFIERS_ACROSS]
        values = tuple(
            (dataset, *(cells[name] for name in across)) for dataset, cells in rows.items()
        )
        ranks: tuple[tuple[Cell, ...], ...] = (
            ("Average rank", *(_rank(compared.average_ranks[name]) for name in across)),
            ("Best, alone or with others", *(Count(best[name]) for name in across)),
        )
        suffix = "" if len(starts) == 1 else f" ({number} of {len(starts)})"
        yield Table(
            f"datasets-{compared.measure.name}" + ("" if number == 1 else f"-{number}"),
            f"{compared.measure.title} on each data set{suffix}",
            (Column("Data set"), *(Column(name, numeric=True) for name in across)),
            (RowGroup(values), RowGroup(ranks, "Over the data sets")),
            _averaged(compared),
        )


def _best_rank(compared: DatasetComparison, dataset: str) -> float:
    return min(
        each.rank for each in compared.scores if each.dataset == dataset and each.rank is not None
    )


def _averaged(compared: DatasetComparison) -> Paragraph | None:
    if not compared.averaged:
        return None
    return Paragraph(
        (
            "The macro average over the classes is meant for ",
            *names_in_a_row(compared.averaged),
            ".",
        )
    )


def _rank(number: float) -> Plain:
    return Plain(number, RANK_DECIMALS)


def pair_table(compared: DatasetComparison) -> Table:
    """Show every pair with its tests."""
    level = percentage(compared.level)
    without = all(pair.low is None or pair.high is None for pair in compared.pairs)
    too_few = without and any(pair.verdict is not Finding.TIED for pair in compared.pairs)
    of_intervals: tuple[Part, ...] = ("" if without else EACH_INTERVAL,)
    if too_few:
        of_intervals = (", which has no ", level, " interval with so few data sets")
    of_ranks = "Nemenyi" if compared.baseline is None else "against the baseline, with Holm"
    heads = (
        "Won",
        "Tied",
        "Lost",
        "Difference",
        *(() if without else (Words((level, " interval")),)),
        "p (Holm)" if compared.adjusted else "p",
        "p (ranks)",
    )
    rows = tuple(
        (
            f"{pair.first} − {pair.second}",
            Count(pair.wins),
            Count(pair.ties),
            Count(pair.losses),
            *difference_cells(compared.measure, pair.difference, pair.low, pair.high)[
                : 1 if without else None
            ],
            PValue(pair.p_adjusted),
            PValue(pair.rank_p),
            _verdict(pair),
        )
        for pair in compared.pairs
    )
    note = Paragraph(
        (
            (
                "On how many data sets the first won, tied and lost. The difference is the"
                " median of the means of every two data sets (Hodges and Lehmann)"
            ),
            *of_intervals,
            ("; p is that of Wilcoxon's signed ranks, without data sets on which both are equal, "),
            "adjusted for all rows by Holm" if compared.adjusted else "not adjusted",
            f"; p (ranks) is that of the average ranks ({of_ranks}).",
        )
    )
    return Table(
        f"datasets-pairs-{compared.measure.name}",
        f"{compared.measure.title}: the classifiers two by two",
        (
            Column("First − second"),
            *(Column(head, numeric=True) for head in heads),
            Column("First is"),
        ),
        (RowGroup(rows),),
        note,
    )


def _verdict(pair: DatasetPair) -> Cell:
    if pair.verdict in WORDS:
        word, tone = WORDS[pair.verdict]
        return Verdict(word, tone, backed=True)
    return "equal" if pair.verdict is Finding.TIED else "undecided"


def measure_table(every: Sequence[DatasetComparison]) -> Iterator[Table]:
    """Set the average ranks by all measures beside each other."""
    if len(every) <= 1:
        return
    names = list(dict.fromkeys(name for compared in every for name in compared.classifiers))
    tests = [compared.friedman for compared in every if compared.friedman is not None]
    exact = any(test.f is None for test in tests)
    by_f = any(test.f is not None for test in tests)
    kinds = " or ".join((*((EXACT,) if exact else ()), *((BY_F,) if by_f else ())))
    for start in range(0, len(names), MOST_CLASSIFIERS_ACROSS):
        across = names[start : start + MOST_CLASSIFIERS_ACROSS]
        rows = tuple(
            (
                MeasureName(compared.measure),
                *(
                    _rank(compared.average_ranks[name]) if name in compared.average_ranks else None
                    for name in across
                ),
                Count(len(compared.datasets)),
                None if compared.friedman is None else PValue(compared.friedman.f_p),
                Count(sum(map(len, better_than(compared).values()))),
            )
            for compared in every
        )
        yield Table(
            "datasets-measures" + (f"-{start}" if start else ""),
            "Average ranks by measure",
            (
                Column("Measure"),
                *(Column(name, numeric=True) for name in across),
                Column("Data sets", numeric=True),
                Column(f"p ({kinds})" if kinds else "p", numeric=True),
                Column("Pairs told apart", numeric=True),
            ),
            (RowGroup(rows),),
            Paragraph((BY_MEASURE, *((SAME_ORDER,) if exact else ()))),
        )
