"""The classifiers over several data sets: values, ranks, tests and the rank diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons import Finding
from reportgen.report.charts import RankDiagram
from reportgen.report.dataset_findings import all_together, better_than, told_apart, too_few
from reportgen.report.document import (
    Bullets,
    Column,
    Count,
    DifferenceOf,
    Figure,
    Interval,
    MeasureName,
    Note,
    Paragraph,
    Plain,
    PValue,
    RowGroup,
    Table,
    Tone,
    Verdict,
)
from reportgen.report.tables import MOST_CLASSIFIERS_ACROSS, value_cells
from reportgen.report.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import DatasetComparison, DatasetPair
    from reportgen.report.document import Block, Cell, Part
    from reportgen.report.evaluation import Evaluation

TWO = 2
RANK_DECIMALS = 2
HOW_TO_READ = (
    "On each data set the best classifier has rank 1, the next rank 2; equal ones share the mean of"
    " their ranks. Each data set counts once, whatever its size. The tests take the data sets for"
    " independent of each other: parts of one collection say less than their number."
)
BY_MEASURE = (
    "Claims rest on the first measure alone: the p-values of the others are not adjusted for there"
    " being several measures."
)
WORDS = {
    Finding.SUPERIOR: ("better", Tone.GOOD),
    Finding.INFERIOR: ("worse", Tone.BAD),
    Finding.EQUIVALENT: ("equivalent", Tone.NEUTRAL),
}


def datasets(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say what all data sets say together, then show what it stands on."""
    if not evaluation.datasets:
        return ()
    compared = evaluation.datasets[0]
    sentences = [
        *all_together(compared),
        *told_apart(compared),
        *too_few(compared),
        *_disagreements(compared),
        *_left_out(compared),
    ]
    return (
        Bullets(tuple(map(Paragraph, sentences))),
        *_diagram(compared),
        *_values(compared),
        _pairs(compared),
        *_all_measures(evaluation.datasets),
        Note((HOW_TO_READ,)),
    )


def _disagreements(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    """Say where ranks and differences do not lead to the same claim."""
    surer = [pair for pair in compared.pairs if _is_claim(pair) and pair.rank_p > compared.alpha]
    ranked = [
        pair
        for pair in compared.pairs
        if pair.verdict is Finding.UNDECIDED and pair.rank_p <= compared.alpha
    ]
    for pairs, said in (
        (surer, " could not be told apart; by the size of the differences they are"),
        (ranked, " would be told apart; by the size of the differences they are not"),
    ):
        if pairs:
            yield (
                "By average ranks alone ",
                *_named_pairs(pairs),
                said,
                ". The size decides here, because a rank also depends on the other classifiers.",
            )


def _is_claim(pair: DatasetPair) -> bool:
    return pair.verdict in {Finding.SUPERIOR, Finding.INFERIOR}


def _named_pairs(pairs: Sequence[DatasetPair]) -> Iterator[Part]:
    for number, pair in enumerate(pairs):
        if number:
            yield "; "
        yield from names_in_a_row([pair.first, pair.second])


def _left_out(compared: DatasetComparison) -> Iterator[tuple[Part, ...]]:
    if compared.left_out:
        yield (
            "Left out, because some classifier has no finite value there: ",
            *names_in_a_row(compared.left_out),
            ".",
        )


def _diagram(compared: DatasetComparison) -> tuple[Block, ...]:
    if len(compared.classifiers) <= TWO or compared.friedman is None:
        return ()
    chart = RankDiagram(
        ranks=tuple(compared.average_ranks.items()),
        critical_difference=compared.critical_difference,
        groups=compared.groups,
    )
    grouped: list[Part] = []
    for group in compared.groups:
        grouped += ["; " if grouped else "", *names_in_a_row(group)]
    reading: tuple[Part, ...] = (
        "Average ranks, 1 is best. By ranks alone two classifiers differ from a distance of ",
        Plain(compared.critical_difference, RANK_DECIMALS),
        " on (Nemenyi). Not told apart: " if grouped else " on (Nemenyi): all differ",
        *grouped,
        ".",
    )
    return (
        Figure(
            f"datasets-ranks-{compared.measure.name}",
            f"{compared.measure.title}: average ranks",
            chart,
            Paragraph(reading),
        ),
    )


def _values(compared: DatasetComparison) -> Iterator[Table]:
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


def _pairs(compared: DatasetComparison) -> Table:
    percent = f"{compared.level * 100:g} % interval"
    of_ranks = "p of ranks (Nemenyi)" if compared.baseline is None else "p of ranks (Holm)"
    heads = (
        "Won",
        "Tied",
        "Lost",
        "Difference",
        percent,
        "p (Holm)" if compared.adjusted else "p",
        of_ranks,
    )
    rows = tuple(
        (
            f"{pair.first} − {pair.second}",
            Count(pair.wins),
            Count(pair.ties),
            Count(pair.losses),
            DifferenceOf(compared.measure, pair.difference),
            None
            if pair.low is None or pair.high is None
            else Interval(pair.low, pair.high, compared.measure),
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
                " median of the means of every two data sets (Hodges and Lehmann), each interval"
                " for itself; p is that of Wilcoxon's signed ranks, without data sets on which both"
                " are equal, "
            ),
            "adjusted for all rows by Holm." if compared.adjusted else "not adjusted.",
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


def _all_measures(every: Sequence[DatasetComparison]) -> Iterator[Block]:
    """Set the average ranks by all measures beside each other."""
    if len(every) <= 1:
        return
    names = list(dict.fromkeys(name for compared in every for name in compared.classifiers))
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
                Column("p (Iman, Davenport)", numeric=True),
                Column("Pairs told apart", numeric=True),
            ),
            (RowGroup(rows),),
            Paragraph((BY_MEASURE,)),
        )
