"""What differs and how surely: every tested difference with its interval and verdict."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.measures import CAPABILITIES, known_measure
from reportgen.report.detail import in_full, is_asked_for, rest_elsewhere
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.findings.main import main_measure
from reportgen.report.parts import Count, Plain, PValue, Tone, Verdict, Words
from reportgen.report.sections.pairs.forest import forest
from reportgen.report.sections.pairs.named_tests import (
    has_named_tests,
    named_tests,
    omnibus_test,
    ranges_of_counts,
    untested,
)
from reportgen.report.words.differences import cases_in_words, difference_cells, margin_of
from reportgen.report.words.how_tested import how_tested, is_one_sided, not_compared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell

# Up to so many pairs all measures are shown; beyond, the main ones, with a row for each pair.
MOST_PAIRS_IN_DETAIL = 3
MOST_MEASURES = 12
MOST_ROWS, MOST_ROWS_IN_SHORT = 60, 15
MOST_CLASS_ROWS, MOST_CLASS_ROWS_IN_SHORT = 30, 12
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
ELSEWHERE = "The differences in all other measures are in results.json under “comparisons”."
INTERVALS_ALONE = "The intervals of the differences are not adjusted for the number of comparisons."


def comparisons(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the differences pair by pair or, if there are many pairs, measure by measure."""
    decisive = [row for row in evaluation.differences if row.decisive]
    if not decisive:
        return ()
    pairs = dict.fromkeys((row.first, row.second) for row in decisive)
    every = [row for row in decisive if row.class_ is None]
    of_all = _worth_showing(evaluation, every)
    few = len(pairs) <= MOST_PAIRS_IN_DETAIL
    return (
        *_how(evaluation),
        *omnibus_test(evaluation),
        *((drawn,) if (drawn := forest(evaluation)) is not None else ()),
        *(_pair_tables(evaluation, of_all) if few else _measure_tables(evaluation, of_all)),
        *_class_table(evaluation, [row for row in decisive if row.class_ is not None]),
        *(named_tests(evaluation) if few and in_full(evaluation) else ()),
        *(ranges_of_counts(evaluation) if few else ()),
        *_rest(evaluation, len(every) - len(of_all), few=few),
    )


def _how(evaluation: Evaluation) -> Iterator[Paragraph]:
    """Say how it was tested, unless a section of its own does."""
    if not is_asked_for(evaluation, "method"):
        yield Paragraph((*how_tested(evaluation), *not_compared(evaluation)))


def _worth_showing(evaluation: Evaluation, rows: Sequence[Difference]) -> list[Difference]:
    """Return the differences in what decides and in the capabilities, if there are many others."""
    main = main_measure(evaluation)
    judging = {name for capability in CAPABILITIES.values() for name in capability.measures}
    judging |= {"roc_auc", main.name if main else ""}
    many = len({row.measure for row in rows}) > MOST_MEASURES
    if in_full(evaluation) or not many:
        return list(rows)
    return [row for row in rows if row.measure in judging]


def _rest(evaluation: Evaluation, left_out: int, *, few: bool) -> Iterator[Paragraph]:
    """Say where the differences are that are not shown, and the tests known by name."""
    known = few and not in_full(evaluation) and has_named_tests(evaluation)
    tests = "the tests known by name (McNemar's and others)"
    if left_out and few:
        what = f"{left_out} more differences, in further measures{f', and {tests}' * known},"
        yield rest_elsewhere(what)
    elif known:
        yield rest_elsewhere(tests[0].upper() + tests[1:])


def _pair_tables(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Table]:
    by_pair = groupby(rows, key=lambda row: (row.first, row.second))
    groups: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
    for pair, members in by_pair:
        groups.setdefault(pair, []).extend(
            _row(evaluation, row, known_measure(row.measure).title) for row in members
        )
    yield _table(
        evaluation,
        ("differences", "Differences, pair by pair", "Measure"),
        rows,
        tuple(
            RowGroup(tuple(cells), f"{first} minus {second}")
            for (first, second), cells in groups.items()
        ),
    )


def _measure_tables(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Table]:
    main = main_measure(evaluation)
    whole = in_full(evaluation)
    most = MOST_ROWS if whole else MOST_ROWS_IN_SHORT
    names = dict.fromkeys([main.name if main else "", *(OTHER_MAIN_MEASURES if whole else ())])
    for name in names:
        chosen = sorted(
            (row for row in rows if row.measure == name),
            key=lambda row: (row.p_adjusted is None, row.p_adjusted, row.p),
        )
        if not chosen:
            continue
        more = len(chosen) - most
        left_out = f" {more} more pairs are in results.json." if more > 0 else ""
        measure = known_measure(name)
        shown = chosen[:most]
        yield _table(
            evaluation,
            (f"differences-{name}", f"Differences in {measure.title}, the surest first", "Pair"),
            shown,
            (
                RowGroup(
                    tuple(_row(evaluation, row, f"{row.first} − {row.second}") for row in shown)
                ),
            ),
            f"{ELSEWHERE}{left_out}",
        )


def _table(
    evaluation: Evaluation,
    name_caption_head: tuple[str, str, str],
    rows: Sequence[Difference],
    groups: tuple[RowGroup, ...],
    more: str = "",
) -> Table:
    """Make a table of rows; how many cases would settle them is left out if that is not known."""
    name, caption, head = name_caption_head
    open_yet = any(row.cases_needed is not None for row in rows)
    columns = (
        Column(head),
        Column("Difference", numeric=True),
        Column("Interval", numeric=True),
        Column(_head_of_p(evaluation), numeric=True),
        Column("Better"),
        Column("Cases to settle", numeric=True),
    )
    said = (INTERVALS_ALONE, CASES_NEEDED if open_yet else "", *untested(rows), more)
    kept = None if open_yet else -1
    return Table(
        name,
        caption,
        columns[:kept],
        tuple(
            RowGroup(tuple(cells[:kept] for cells in group.rows), group.head) for group in groups
        ),
        Paragraph((" ".join(filter(None, said)),)),
    )


def _head_of_p(evaluation: Evaluation) -> str:
    return "p" if evaluation.spec.comparison.correction == "none" else "Adjusted p"


def _row(evaluation: Evaluation, row: Difference, head: Cell) -> tuple[Cell, ...]:
    measure = known_measure(row.measure)
    difference, interval = difference_cells(measure, row.difference, row.low, row.high)
    return (
        head,
        "∞" if difference is None else difference,
        interval,
        PValue(row.p_adjusted),
        _finding(evaluation, row),
        None if row.cases_needed is None else cases_in_words(row.cases_needed),
    )


def _finding(evaluation: Evaluation, row: Difference) -> Cell:
    """Name the better one, or say why none is named, and who is at least not worse."""
    better = {Finding.SUPERIOR: row.first, Finding.INFERIOR: row.second}
    if row.verdict in better:
        return Verdict(better[row.verdict], Tone.GOOD, backed=True)
    if row.p is None:
        return "not tested"
    if row.verdict is not Finding.UNDECIDED:
        return WORDS[row.verdict]
    if is_one_sided(evaluation, row):
        return f"{row.first} not shown to be better"
    safe = row.first if row.non_inferior else row.second if row.reverse_non_inferior else None
    margin = margin_of(evaluation, row.measure)
    if safe is None or margin is None:
        return WORDS[row.verdict]
    return Words((f"{WORDS[row.verdict]}; {safe} not worse by ", Plain(margin), " or more"))


def _class_table(evaluation: Evaluation, rows: Sequence[Difference]) -> Iterator[Block]:
    """List what is shown class by class: the differences that are more than chance."""
    if not rows:
        return
    shown = [row for row in rows if row.verdict.is_decided]
    tested = sum(row.is_tested for row in rows)
    not_tested = (" Not tested: ", Count(len(rows) - tested), " more; results.json says why.")
    yield Paragraph(
        (
            "Class by class ",
            Count(tested),
            " differences were tested; ",
            Count(len(shown)),
            " are more than chance.",
            *(not_tested if tested < len(rows) else ()),
        )
    )
    if not shown:
        return
    most = MOST_CLASS_ROWS if in_full(evaluation) else MOST_CLASS_ROWS_IN_SHORT
    ordered = sorted(shown, key=lambda row: (row.p_adjusted or 0.0, row.p or 0.0))[:most]
    by_class = {
        class_: [row for row in ordered if row.class_ == class_]
        for class_ in evaluation.predictions.classes
    }
    columns = (
        Column("Pair"),
        Column("Measure"),
        Column("Difference", numeric=True),
        Column("Interval", numeric=True),
        Column(_head_of_p(evaluation), numeric=True),
        Column("Better"),
    )
    groups = tuple(
        RowGroup(tuple(_class_row(evaluation, row) for row in members), f"Class {class_}")
        for class_, members in by_class.items()
        if members
    )
    more = len(shown) - len(ordered)
    note = f"The surest {most}; {more} more are in results.json." if more else None
    yield Table(
        "differences-by-class",
        "Differences shown, class by class",
        columns,
        groups,
        Paragraph((note,)) if note else None,
    )


def _class_row(evaluation: Evaluation, row: Difference) -> tuple[Cell, ...]:
    pair, difference, interval, p, finding, _ = _row(evaluation, row, f"{row.first} − {row.second}")
    return pair, known_measure(row.measure).title, difference, interval, p, finding
