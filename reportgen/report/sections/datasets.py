"""Comparison across data sets: values, mean ranks, tests and the critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures.measure import MeasureFamily
from reportgen.report.charts import MUTED_COLOR_INDEX, CriticalDifferenceDiagram
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
from reportgen.report.phrases import (
    NO_DIFFERENCE,
    NOT_SIGNIFICANT,
    join_names,
    join_names_abbreviated,
)
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.sections.measures import MAX_CLASSIFIER_COLUMNS, value_cells
from reportgen.report.selection import MAX_COLORS, N_HIGHLIGHTED, requested_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.datasets import DatasetComparison, DatasetPairComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Tables of values, pairs and mean ranks.

_FIRST_MEASURE_NOTE = (
    "Conclusions are based on the first measure; p-values of the others are not adjusted for"
    " testing several measures."
)
_UNADJUSTED_INTERVALS = " with unadjusted CIs"
_SAME_ORDER_LABEL, _IMAN_DAVENPORT_LABEL = "identical rankings", "Iman–Davenport"
_SAME_ORDER_NOTE = (
    " Where all data sets give the same ranking, p is the exact probability of that under equally"
    " likely rankings."
)


def dataset_value_tables(comparison: DatasetComparison) -> Iterator[Table]:
    """Yield the tables of values by data set."""
    names = comparison.classifiers
    starts = range(0, len(names), MAX_CLASSIFIER_COLUMNS)
    scores = {(value.dataset, value.classifier): value.value for value in comparison.values}
    rows: dict[str, dict[str, TableCell]] = {
        dataset: value_cells(
            comparison.measure, {name: scores[dataset, name] for name in names}, names
        )
        for dataset in dict.fromkeys(dataset for dataset, _ in scores)
    }
    best = {
        name: sum(
            value.rank is not None and value.rank == _best_rank(comparison, value.dataset)
            for value in comparison.values
            if value.classifier == name
        )
        for name in names
    }
    for number, start in enumerate(starts, start=1):
        columns = names[start : start + MAX_CLASSIFIER_COLUMNS]
        values = tuple(
            (dataset, *(cells[name] for name in columns)) for dataset, cells in rows.items()
        )
        ranks: tuple[tuple[TableCell, ...], ...] = (
            ("Mean rank", *(_rank_cell(comparison.mean_ranks[name]) for name in columns)),
            ("Wins (incl. ties)", *(Count(best[name]) for name in columns)),
        )
        suffix = "" if len(starts) == 1 else f" ({number} of {len(starts)})"
        yield Table(
            f"datasets-{comparison.measure.name}" + ("" if number == 1 else f"-{number}"),
            f"{comparison.measure.title} on each data set{suffix}",
            (Column("Data set"), *(Column(name, numeric=True) for name in columns)),
            (RowGroup(values), RowGroup(ranks, "Across data sets")),
            _macro_average_note(comparison),
        )


def _best_rank(comparison: DatasetComparison, dataset: str) -> float:
    return min(
        value.rank
        for value in comparison.values
        if value.dataset == dataset and value.rank is not None
    )


def _macro_average_note(comparison: DatasetComparison) -> Paragraph | None:
    if not comparison.macro_averaged_datasets:
        return None
    return Paragraph(
        (
            "Macro average over the classes for ",
            *join_names(comparison.macro_averaged_datasets),
            ".",
        )
    )


def _rank_cell(number: float) -> PlainNumber:
    return PlainNumber(number, RANK_DECIMALS)


def dataset_pair_table(comparison: DatasetComparison) -> Table:
    """Return the table of all pairs with their tests."""
    level = inline_percentage(comparison.level)
    no_intervals = all(pair.low is None or pair.high is None for pair in comparison.pairs)
    too_few = no_intervals and any(pair.verdict is not Decision.TIED for pair in comparison.pairs)
    interval_note: tuple[Inline, ...] = ("" if no_intervals else _UNADJUSTED_INTERVALS,)
    if too_few:
        interval_note = (" (too few data sets for a ", level, " CI)")
    rank_note = (
        "Nemenyi" if comparison.baseline is None else "z test against the baseline, Holm-adjusted"
    )
    heads = (
        "Wins",
        "Ties",
        "Losses",
        "Difference",
        *(() if no_intervals else (InlineText((level, " CI")),)),
        "p (Holm)" if comparison.adjusted else "p",
        "p (Nemenyi)" if comparison.baseline is None else "p (mean ranks)",
    )
    rows = tuple(
        (
            f"{pair.first} − {pair.second}",
            Count(pair.wins),
            Count(pair.ties),
            Count(pair.losses),
            *difference_cells(comparison.measure, pair.difference, pair.low, pair.high)[
                : 1 if no_intervals else None
            ],
            PValue(pair.p_adjusted),
            PValue(pair.rank_p),
            _decision_cell(pair),
        )
        for pair in comparison.pairs
    )
    note = Paragraph(
        (
            "Wins, ties and losses of the first classifier. Difference: Hodges–Lehmann estimate",
            *interval_note,
            "; p: Wilcoxon signed-rank test without tied data sets, ",
            "Holm-adjusted" if comparison.adjusted else "not adjusted",
            f"; mean ranks: {rank_note}.",
        )
    )
    return Table(
        f"datasets-pairs-{comparison.measure.name}",
        f"{comparison.measure.title}: pairwise comparison across data sets",
        (
            Column("First − second"),
            *(Column(head, numeric=True) for head in heads),
            Column("Favours"),
        ),
        (RowGroup(rows),),
        note,
    )


def _decision_cell(pair: DatasetPairComparison) -> TableCell:
    """Return the classifier that a pair favours, or the outcome if it favours none."""
    better_by_verdict = {Decision.SUPERIOR: pair.first, Decision.INFERIOR: pair.second}
    if pair.verdict in better_by_verdict:
        return VerdictBadge(better_by_verdict[pair.verdict], Tone.GOOD, significant=True)
    if pair.verdict is Decision.EQUIVALENT:
        return VerdictBadge("equivalent", Tone.NEUTRAL, significant=True)
    return "tied" if pair.verdict is Decision.TIED else NOT_SIGNIFICANT


def mean_ranks_table(comparisons: Sequence[DatasetComparison]) -> Iterator[Table]:
    """Yield the tables of mean ranks by measure."""
    if len(comparisons) <= 1:
        return
    names = list(
        dict.fromkeys(name for comparison in comparisons for name in comparison.classifiers)
    )
    tests = [comparison.friedman for comparison in comparisons if comparison.friedman is not None]
    exact = any(test.f_statistic is None for test in tests)
    by_f = any(test.f_statistic is not None for test in tests)
    kinds = " or ".join(
        (*((_SAME_ORDER_LABEL,) if exact else ()), *((_IMAN_DAVENPORT_LABEL,) if by_f else ()))
    )
    test_note = f"p: {kinds}. " if kinds else ""
    for start in range(0, len(names), MAX_CLASSIFIER_COLUMNS):
        columns = names[start : start + MAX_CLASSIFIER_COLUMNS]
        rows = tuple(
            (
                MeasureName(comparison.measure),
                *(
                    _rank_cell(comparison.mean_ranks[name])
                    if name in comparison.mean_ranks
                    else None
                    for name in columns
                ),
                Count(len(comparison.datasets)),
                None if comparison.friedman is None else PValue(comparison.friedman.f_p),
                Count(sum(map(len, significant_wins(comparison).values()))),
            )
            for comparison in comparisons
        )
        yield Table(
            "datasets-measures" + (f"-{start}" if start else ""),
            "Mean ranks by measure",
            (
                Column("Measure"),
                *(Column(name, numeric=True) for name in columns),
                Column("Data sets", numeric=True),
                Column("Unadjusted p", numeric=True),
                Column("Significant pairs", numeric=True),
            ),
            (RowGroup(rows),),
            Paragraph((test_note, _FIRST_MEASURE_NOTE, *((_SAME_ORDER_NOTE,) if exact else ()))),
        )


_RANKS_NOTE = (
    "Rank 1 is best; ties share the mean rank. Data sets are weighted equally, whatever their size,"
    " and assumed to be independent; parts of one collection carry less evidence than their number"
    " suggests."
)
_UNITS_WARNING = (
    "This measure has the unit of the predicted quantity. Where data sets differ in units or scale,"
    " large-scale data sets dominate the differences; rely on the ranks instead."
)


def build_datasets_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the findings, diagram and tables of the comparison across data sets."""
    if not evaluation.datasets:
        return ()
    comparison = evaluation.datasets[0]
    requested = requested_sections(evaluation)
    # The key findings are in the summary, unless it was left out.
    findings = () if not requested or "summary" in requested else dataset_findings(evaluation)
    sentences = tuple(
        Paragraph(blocks)
        for blocks in (
            *map(describe_finding, findings),
            *_rank_disagreements(comparison),
            *_excluded_datasets(comparison),
        )
    )
    return (
        *((Bullets(sentences),) if sentences else ()),
        *(
            (figure,)
            if (figure := critical_difference_figure(evaluation, comparison)) is not None
            else ()
        ),
        *dataset_value_tables(comparison),
        dataset_pair_table(comparison),
        *mean_ranks_table(evaluation.datasets),
        Note((_RANKS_NOTE,)),
        *_units_note(comparison),
    )


def _rank_disagreements(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    """Yield the pairs on which the Nemenyi and Wilcoxon tests disagree."""
    significant = [
        pair
        for pair in comparison.pairs
        if pair.verdict.is_decided and pair.rank_p > comparison.alpha
    ]
    rank_only_pairs = [
        pair
        for pair in comparison.pairs
        if pair.verdict is Decision.UNDECIDED and pair.rank_p <= comparison.alpha
    ]
    ranks_test = "Nemenyi" if comparison.baseline is None else "mean ranks"
    for pairs, outcome in (
        (significant, f": {ranks_test} {NOT_SIGNIFICANT}, Wilcoxon–Holm significant"),
        (rank_only_pairs, f": {ranks_test} significant, Wilcoxon–Holm {NOT_SIGNIFICANT}"),
    ):
        if pairs:
            yield (
                *_join_pairs(pairs),
                outcome,
                ". Conclusions use Wilcoxon, which does not depend on the other classifiers.",
            )


def _units_note(comparison: DatasetComparison) -> Iterator[Note]:
    """Yield a caution if the measure depends on the unit of the data set."""
    measures = (
        comparison.measure.family is MeasureFamily.REGRESSION
        and comparison.measure.range.high is None
    )
    if measures:
        yield Note((_UNITS_WARNING,), warning=True)


def _join_pairs(pairs: Sequence[DatasetPairComparison]) -> Iterator[Inline]:
    for number, pair in enumerate(pairs):
        if number:
            yield "; "
        yield from join_names([pair.first, pair.second])


def _excluded_datasets(comparison: DatasetComparison) -> Iterator[tuple[Inline, ...]]:
    if comparison.excluded_datasets:
        yield (
            "Excluded (no finite value for some classifier): ",
            *join_names(comparison.excluded_datasets),
            ".",
        )


def _rank_colors(evaluation: Evaluation, comparison: DatasetComparison) -> Iterator[int]:
    """Yield the colours of the classifiers in order of mean rank; of many, only of the best."""
    many = len(evaluation.spec.classifiers) > MAX_COLORS
    for position, name in enumerate(comparison.mean_ranks):
        if not many:
            yield evaluation.classifier_index(name)
        else:
            yield position if position < N_HIGHLIGHTED else MUTED_COLOR_INDEX


def critical_difference_figure(
    evaluation: Evaluation, comparison: DatasetComparison
) -> Figure | None:
    """Return the critical-difference diagram; None for two classifiers or if all are tied."""
    if len(comparison.classifiers) <= TWO_CLASSIFIERS or comparison.friedman is None:
        return None
    chart = CriticalDifferenceDiagram(
        ranks=tuple(comparison.mean_ranks.items()),
        cliques=comparison.nonsignificant_groups,
        color_indices=tuple(_rank_colors(evaluation, comparison)),
    )
    group_names: list[Inline] = []
    for group in comparison.nonsignificant_groups:
        group_names += ["; " if group_names else "", *join_names_abbreviated(group)]
    test = "Wilcoxon–Holm" if comparison.adjusted else "Wilcoxon, not adjusted"
    description: tuple[Inline, ...] = (
        f"Mean ranks (1 = best). {NO_DIFFERENCE.capitalize()} ({test}) within: "
        if group_names
        else f"Mean ranks (1 = best). All tested pairs differ significantly ({test})",
        *group_names,
        ". Nemenyi critical difference of mean ranks: ",
        PlainNumber(comparison.critical_difference, RANK_DECIMALS),
        ".",
    )
    return Figure(
        f"datasets-ranks-{comparison.measure.name}",
        f"{comparison.measure.title}: mean ranks",
        chart,
        Paragraph(description),
    )
