"""What differs and how surely: every tested difference with its interval and verdict."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.comparisons import Difference, Finding
from reportgen.report.charts import Dot, DotPlot
from reportgen.report.document import (
    Column,
    Count,
    DifferenceOf,
    Figure,
    Interval,
    Paragraph,
    Plain,
    PValue,
    RowGroup,
    Table,
    Tone,
    Verdict,
)
from reportgen.report.findings import main_measure
from reportgen.report.how_tested import how_tested
from reportgen.report.sections.named_tests import (
    measure_of,
    named_tests,
    omnibus_test,
    ranges_of_counts,
)
from reportgen.report.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Block, Cell
    from reportgen.report.evaluation import Evaluation

# Up to so many pairs all measures are shown; beyond, the main ones, with a row for each pair.
MOST_PAIRS_IN_DETAIL = 3
MOST_ROWS = 60
MOST_CLASS_ROWS = 30
FEWEST_DRAWN, MOST_DRAWN = 2, 36
PERCENT = 100
OTHER_MAIN_MEASURES = ("youden", "roc_auc")
WORDS = {
    Finding.TIED: "tied",
    Finding.UNDECIDED: "not distinguishable",
    Finding.EQUIVALENT: "equivalent",
}
CASES_NEEDED = (
    "“Cases to settle”: how many cases would show the difference with a chance of 80 % if the one"
    " found is the true one."
)
INTERVALS_ALONE = "The intervals of the differences are not adjusted for the number of comparisons."


def comparisons(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the differences pair by pair or, if there are many pairs, measure by measure."""
    decisive = [row for row in evaluation.differences if row.decisive]
    if not decisive:
        return ()
    pairs = dict.fromkeys((row.first, row.second) for row in decisive)
    of_all = [row for row in decisive if row.class_ is None]
    return (
        Paragraph(tuple(how_tested(evaluation))),
        *omnibus_test(evaluation),
        *_forest(evaluation, of_all),
        *(
            _pair_tables(of_all)
            if len(pairs) <= MOST_PAIRS_IN_DETAIL
            else _measure_tables(evaluation, of_all)
        ),
        *_class_table(evaluation, [row for row in decisive if row.class_ is not None]),
        *(
            (*named_tests(evaluation), *ranges_of_counts(evaluation))
            if len(pairs) <= MOST_PAIRS_IN_DETAIL
            else ()
        ),
    )


def _forest(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Figure]:
    """Draw the differences in the main measure below each other."""
    main = main_measure(evaluation)
    chosen = [
        row for row in rows if main and row.measure == main.name and row.difference is not None
    ]
    if main is None or len(chosen) < FEWEST_DRAWN:
        return
    what = inside_a_sentence(main)
    yield Figure(
        "differences-drawn",
        f"Differences in {what}",
        DotPlot(
            f"difference in {what}",
            tuple(
                Dot(f"{row.first} − {row.second}", row.difference, row.low, row.high)
                for row in chosen[:MOST_DRAWN]
            ),
            reference=0.0,
            reference_label="no difference",
        ),
        Paragraph(
            (
                "Each line is the ",
                Plain(PERCENT * evaluation.spec.intervals.level, unit="%"),
                (
                    " interval of one difference, not adjusted for there being several; what is"
                    " shown after adjusting for all is in the table."
                ),
            )
        ),
    )


def _pair_tables(rows: Sequence[Difference]) -> Iterator[Table]:
    columns = (
        Column("Measure"),
        Column("Difference", numeric=True),
        Column("Interval", numeric=True),
        Column("Adjusted p", numeric=True),
        Column("Better"),
        Column("Cases to settle", numeric=True),
    )
    by_pair = groupby(rows, key=lambda row: (row.first, row.second))
    groups: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
    for pair, members in by_pair:
        groups.setdefault(pair, []).extend(_row(row, measure_of(row).title) for row in members)
    yield Table(
        "differences",
        "Differences, pair by pair",
        columns,
        tuple(
            RowGroup(tuple(cells), f"{first} minus {second}")
            for (first, second), cells in groups.items()
        ),
        Paragraph((f"{INTERVALS_ALONE} {CASES_NEEDED}",)),
    )


def _measure_tables(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Table]:
    main = main_measure(evaluation)
    names = dict.fromkeys([main.name if main else "", *OTHER_MAIN_MEASURES])
    columns = (
        Column("Pair"),
        Column("Difference", numeric=True),
        Column("Interval", numeric=True),
        Column("Adjusted p", numeric=True),
        Column("Better"),
        Column("Cases to settle", numeric=True),
    )
    for name in names:
        chosen = sorted(
            (row for row in rows if row.measure == name),
            key=lambda row: (row.p_adjusted is None, row.p_adjusted, row.p),
        )
        if not chosen:
            continue
        measure = measure_of(chosen[0])
        more = len(chosen) - MOST_ROWS
        left_out = f" {more} more pairs are in results.json." if more > 0 else ""
        yield Table(
            f"differences-{name}",
            f"Differences in {measure.title}, the surest first",
            columns,
            (
                RowGroup(
                    tuple(_row(row, f"{row.first} − {row.second}") for row in chosen[:MOST_ROWS])
                ),
            ),
            Paragraph(
                (
                    (
                        f"{INTERVALS_ALONE} {CASES_NEEDED} The differences in all other measures"
                        f" are in results.json under “comparisons”.{left_out}"
                    ),
                )
            ),
        )


def _row(row: Difference, head: Cell) -> tuple[Cell, ...]:
    measure = measure_of(row)
    return (
        head,
        DifferenceOf(measure, row.difference) if row.difference is not None else "∞",
        Interval(row.low, row.high, measure)
        if row.low is not None and row.high is not None
        else None,
        PValue(row.p_adjusted),
        _finding(row),
        Count(row.cases_needed) if row.cases_needed is not None else None,
    )


def _finding(row: Difference) -> Cell:
    """Name the better one, or say why none is named."""
    better = {Finding.SUPERIOR: row.first, Finding.INFERIOR: row.second}
    if row.verdict in better:
        return Verdict(better[row.verdict], Tone.GOOD, backed=True)
    return "not tested" if row.p is None else WORDS[row.verdict]


def _class_table(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Block]:
    """List what is shown class by class: the differences that are more than chance."""
    if not rows:
        return
    shown = [row for row in rows if row.verdict in {Finding.SUPERIOR, Finding.INFERIOR}]
    yield Paragraph(
        (
            "Class by class ",
            Count(len(rows)),
            " differences were tested; ",
            Count(len(shown)),
            " are more than chance.",
        )
    )
    if not shown:
        return
    ordered = sorted(shown, key=lambda row: (row.p_adjusted or 0.0, row.p or 0.0))[:MOST_CLASS_ROWS]
    by_class = {
        class_: [row for row in ordered if row.class_ == class_]
        for class_ in evaluation.predictions.classes
    }
    columns = (
        Column("Pair"),
        Column("Measure"),
        Column("Difference", numeric=True),
        Column("Interval", numeric=True),
        Column("Adjusted p", numeric=True),
        Column("Better"),
    )
    groups = tuple(
        RowGroup(tuple(_class_row(row) for row in members), f"Class {class_}")
        for class_, members in by_class.items()
        if members
    )
    more = len(shown) - len(ordered)
    note = f"The surest {MOST_CLASS_ROWS}; {more} more are in results.json." if more else None
    yield Table(
        "differences-by-class",
        "Differences shown, class by class",
        columns,
        groups,
        Paragraph((note,)) if note else None,
    )


def _class_row(row: Difference) -> tuple[Cell, ...]:
    pair, difference, interval, p, finding, _ = _row(row, f"{row.first} − {row.second}")
    return pair, measure_of(row).title, difference, interval, p, finding
