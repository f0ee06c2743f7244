"""The classifiers over several data sets: values, ranks, tests and the rank diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures.measure import MeasureFamily
from reportgen.report.charts import CriticalDifferenceDiagram
from reportgen.report.document import Bullets, Column, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.datasets import (
    RANK_DECIMALS,
    TWO_CLASSIFIERS,
    dataset_findings,
    significant_wins,
)
from reportgen.report.formatting import difference_cells, inline_percentage
from reportgen.report.inline import (
    Count,
    InlineText,
    MeasureName,
    PlainNumber,
    PValue,
    Tone,
    VerdictBadge,
)
from reportgen.report.phrases import join_names
from reportgen.report.sections.measures import MAX_CLASSIFIER_COLUMNS, value_cells
from reportgen.report.selection import requested_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.datasets import DatasetComparison, DatasetPairComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Tables of a comparison over several data sets: values, pairs, and all measures.

_FIRST_MEASURE_NOTE = (
    "Claims rest on the first measure alone: the p-values of the others are not adjusted for there"
    " being several measures."
)
_UNADJUSTED_INTERVALS = ", each interval for itself"
_SAME_ORDER_LABEL, _IMAN_DAVENPORT_LABEL = "same order", "Iman, Davenport"
_SAME_ORDER_NOTE = (
    " Where all data sets have the same order, p is the chance of that if every order is equally"
    " likely."
)
_DECISION_BADGES = {
    Decision.SUPERIOR: ("better", Tone.GOOD),
    Decision.INFERIOR: ("worse", Tone.BAD),
    Decision.EQUIVALENT: ("equivalent", Tone.NEUTRAL),
}


def dataset_value_tables(comparison: DatasetComparison) -> Iterator[Table]:
    """Show the values by data set; many classifiers take several tables."""
    names = comparison.classifiers
    starts = range(0, len(names), MAX_CLASSIFIER_COLUMNS)
    scores = {(each.dataset, each.classifier): each.value for each in comparison.values}
    rows: dict[str, dict[str, TableCell]] = {
        dataset: value_cells(
            comparison.measure, {name: scores[dataset, name] for name in names}, names
        )
        for dataset in dict.fromkeys(dataset for dataset, _ in scores)
    }
    best = {
        name: sum(
            each.rank is not None and each.rank == _best_rank(comparison, each.dataset)
            for each in comparison.values
            if each.classifier == name
        )
        for name in names
    }
    for number, start in enumerate(starts, start=1):
        across = names[start : start + MAX_CLASSIFIER_COLUMNS]
        values = tuple(
            (dataset, *(cells[name] for name in across)) for dataset, cells in rows.items()
        )
        ranks: tuple[tuple[TableCell, ...], ...] = (
            ("Average rank", *(_rank_cell(comparison.mean_ranks[name]) for name in across)),
            ("Best, alone or with others", *(Count(best[name]) for name in across)),
        )
        suffix = "" if len(starts) == 1 else f" ({number} of {len(starts)})"
        yield Table(
            f"datasets-{comparison.measure.name}" + ("" if number == 1 else f"-{number}"),
            f"{comparison.measure.title} on each data set{suffix}",
            (Column("Data set"), *(Column(name, numeric=True) for name in across)),
            (RowGroup(values), RowGroup(ranks, "Over the data sets")),
            _macro_average_note(comparison),
        )


def _best_rank(comparison: DatasetComparison, dataset: str) -> float:
    return min(
        each.rank for each in comparison.values if each.dataset == dataset and each.rank is not None
    )


def _macro_average_note(comparison: DatasetComparison) -> Paragraph | None:
    if not comparison.macro_averaged_datasets:
        return None
    return Paragraph(
        (
            "The macro average over the classes is meant for ",
            *join_names(comparison.macro_averaged_datasets),
            ".",
        )
    )


def _rank_cell(number: float) -> PlainNumber:
    return PlainNumber(number, RANK_DECIMALS)


def dataset_pair_table(comparison: DatasetComparison) -> Table:
    """Show every pair with its tests."""
    level = inline_percentage(comparison.level)
    without = all(pair.low is None or pair.high is None for pair in comparison.pairs)
    too_few = without and any(pair.verdict is not Decision.TIED for pair in comparison.pairs)
    of_intervals: tuple[Inline, ...] = ("" if without else _UNADJUSTED_INTERVALS,)
    if too_few:
        of_intervals = (", which has no ", level, " interval with so few data sets")
    of_ranks = "Nemenyi" if comparison.baseline is None else "against the baseline, with Holm"
    heads = (
        "Won",
        "Tied",
        "Lost",
        "Difference",
        *(() if without else (InlineText((level, " interval")),)),
        "p (Holm)" if comparison.adjusted else "p",
        "p (ranks)",
    )
    rows = tuple(
        (
            f"{pair.first} − {pair.second}",
            Count(pair.wins),
            Count(pair.ties),
            Count(pair.losses),
            *difference_cells(comparison.measure, pair.difference, pair.low, pair.high)[
                : 1 if without else None
            ],
            PValue(pair.p_adjusted),
            PValue(pair.rank_p),
            _decision_cell(pair),
        )
        for pair in comparison.pairs
    )
    note = Paragraph(
        (
            (
                "On how many data sets the first won, tied and lost. The difference is the"
                " median of the means of every two data sets (Hodges and Lehmann)"
            ),
            *of_intervals,
            ("; p is that of Wilcoxon's signed ranks, without data sets on which both are equal, "),
            "adjusted for all rows by Holm" if comparison.adjusted else "not adjusted",
            f"; p (ranks) is that of the average ranks ({of_ranks}).",
        )
    )
    return Table(
        f"datasets-pairs-{comparison.measure.name}",
        f"{comparison.measure.title}: the classifiers two by two",
        (
            Column("First − second"),
            *(Column(head, numeric=True) for head in heads),
            Column("First is"),
        ),
        (RowGroup(rows),),
        note,
    )


def _decision_cell(pair: DatasetPairComparison) -> TableCell:
    if pair.verdict in _DECISION_BADGES:
        word, tone = _DECISION_BADGES[pair.verdict]
        return VerdictBadge(word, tone, significant=True)
    return "equal" if pair.verdict is Decision.TIED else "undecided"


def mean_ranks_table(comparisons: Sequence[DatasetComparison]) -> Iterator[Table]:
    """Set the average ranks by all measures beside each other."""
    if len(comparisons) <= 1:
        return
    names = list(dict.fromkeys(name for compared in comparisons for name in compared.classifiers))
    tests = [compared.friedman for compared in comparisons if compared.friedman is not None]
    exact = any(test.f_statistic is None for test in tests)
    by_f = any(test.f_statistic is not None for test in tests)
    kinds = " or ".join(
        (*((_SAME_ORDER_LABEL,) if exact else ()), *((_IMAN_DAVENPORT_LABEL,) if by_f else ()))
    )
    for start in range(0, len(names), MAX_CLASSIFIER_COLUMNS):
        across = names[start : start + MAX_CLASSIFIER_COLUMNS]
        rows = tuple(
            (
                MeasureName(compared.measure),
                *(
                    _rank_cell(compared.mean_ranks[name]) if name in compared.mean_ranks else None
                    for name in across
                ),
                Count(len(compared.datasets)),
                None if compared.friedman is None else PValue(compared.friedman.f_p),
                Count(sum(map(len, significant_wins(compared).values()))),
            )
            for compared in comparisons
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
            Paragraph((_FIRST_MEASURE_NOTE, *((_SAME_ORDER_NOTE,) if exact else ()))),
        )


_RANKS_NOTE = (
    "On each data set the best classifier has rank 1, the next rank 2; equal ones share the mean of"
    " their ranks. Each data set counts once, whatever its size. The tests take the data sets for"
    " independent of each other: parts of one collection say less than their number."
)
_UNITS_WARNING = (
    "This measure has the unit of what is predicted. Where data sets have different units or"
    " scales, differences of one weigh more than those of another: then trust the ranks rather than"
    " the size of the differences."
)


def build_datasets_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show what the findings over all data sets stand on."""
    if not evaluation.datasets:
        return ()
    compared = evaluation.datasets[0]
    asked = requested_sections(evaluation)
    # The summary has the findings already, unless it was left out.
    said = () if not asked or "summary" in asked else dataset_findings(evaluation)
    sentences = tuple(
        map(Paragraph, (*said, *_rank_disagreements(compared), *_excluded_datasets(compared)))
    )
    return (
        *((Bullets(sentences),) if sentences else ()),
        *(
            (drawn,)
            if (drawn := critical_difference_figure(evaluation, compared)) is not None
            else ()
        ),
        *dataset_value_tables(compared),
        dataset_pair_table(compared),
        *mean_ranks_table(evaluation.datasets),
        Note((_RANKS_NOTE,)),
        *_units_note(compared),
    )


def _rank_disagreements(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    """Say where ranks and differences do not lead to the same claim."""
    surer = [
        pair
        for pair in comparison.pairs
        if pair.verdict.is_decided and pair.rank_p > comparison.alpha
    ]
    ranked = [
        pair
        for pair in comparison.pairs
        if pair.verdict is Decision.UNDECIDED and pair.rank_p <= comparison.alpha
    ]
    for pairs, said in (
        (surer, " could not be told apart; by the size of the differences they are"),
        (ranked, " would be told apart; by the size of the differences they are not"),
    ):
        if pairs:
            yield (
                "By average ranks alone ",
                *_join_pairs(pairs),
                said,
                ". The size decides here, because a rank also depends on the other classifiers.",
            )


def _units_note(comparison: DatasetComparison) -> Iterator[Note]:
    """Warn of errors in different units: their sizes cannot be set against each other."""
    in_units = (
        comparison.measure.family is MeasureFamily.REGRESSION
        and comparison.measure.range.high is None
    )
    if in_units:
        yield Note((_UNITS_WARNING,), warning=True)


def _join_pairs(pairs: Sequence[DatasetPairComparison]) -> Iterator[Inline]:
    for number, pair in enumerate(pairs):
        if number:
            yield "; "
        yield from join_names([pair.first, pair.second])


def _excluded_datasets(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    if comparison.excluded_datasets:
        yield (
            "Left out, because some classifier has no finite value there: ",
            *join_names(comparison.excluded_datasets),
            ".",
        )


def critical_difference_figure(
    evaluation: Evaluation, comparison: DatasetComparison
) -> Figure | None:
    """Draw the average ranks; of two classifiers, or where all are equal, there is nothing to."""
    if len(comparison.classifiers) <= TWO_CLASSIFIERS or comparison.friedman is None:
        return None
    chart = CriticalDifferenceDiagram(
        ranks=tuple(comparison.mean_ranks.items()),
        critical_difference=comparison.critical_difference,
        cliques=comparison.cliques,
        color_indices=tuple(map(evaluation.classifier_index, comparison.mean_ranks)),
    )
    grouped: list[Inline] = []
    for group in comparison.cliques:
        grouped += ["; " if grouped else "", *join_names(group)]
    reading: tuple[Inline, ...] = (
        "Average ranks, 1 is best. By ranks alone two classifiers differ from a distance of ",
        PlainNumber(comparison.critical_difference, RANK_DECIMALS),
        " on (Nemenyi). Not told apart: " if grouped else " on (Nemenyi): all differ",
        *grouped,
        ".",
    )
    return Figure(
        f"datasets-ranks-{comparison.measure.name}",
        f"{comparison.measure.title}: average ranks",
        chart,
        Paragraph(reading),
    )
