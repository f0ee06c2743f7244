"""Tests over folds: the plain t-test, the corrected one and Wilcoxon's, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.folds.tests import (
    HODGES_LEHMANN,
    TRAINING_RATIO,
    WILCOXON,
    FoldPair,
    fold_pairs,
)
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.folds import fold_disagreements
from reportgen.report.parts import MeasureName, Plain, PValue
from reportgen.report.words.differences import difference_cells
from reportgen.report.words.level import level_of, percentage
from reportgen.report.words.wording import names_in_a_row
from reportgen.statistics.fold_tests import (
    CORRECTED_T,
    FIVE_BY_TWO_F,
    FIVE_BY_TWO_T,
    PAIRED_T,
    critical_t,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

PAIRS_IN_DETAIL = 6
TITLES = {
    PAIRED_T: "Plain t-test",
    CORRECTED_T: "Corrected t-test",
    WILCOXON: "Wilcoxon signed rank",
    FIVE_BY_TWO_T: "5×2cv t-test",
    FIVE_BY_TWO_F: "5×2cv F-test",
}
WHAT_THE_TESTS_DO = (
    "The plain t-test takes the folds to be independent. They are not, since they share training"
    " cases, so its p-values are too small. The corrected one (Nadeau and Bengio) has a larger"
    " standard error for that. Wilcoxon's signed-rank test looks at the ranks of the differences"
    " and takes the folds to be independent too; its difference is the median of the means of every"
    " two differences (Hodges and Lehmann). These p-values are not adjusted for the number of"
    " comparisons."
)
SAID_ABOVE = (TRAINING_RATIO, HODGES_LEHMANN)
ONE_TAIL = "one tail"
ONE_SIDED = " They ask one-sidedly, as the spec says, whether the first is better."
RATIO_FROM = {
    "spec": "as the spec says",
    "sizes": "which is read off the sizes of the folds",
    "number of folds": "which follows from the number of folds",
}


def fold_test_blocks(evaluation: Evaluation, measures: Sequence[Measure]) -> tuple[Block, ...]:
    """Show the tests of every pair for these measures, and say where they disagree."""
    pairs = fold_pairs(evaluation.scores, evaluation.spec, evaluation.predictions)
    untested = tuple(_untested(evaluation, pairs))
    tables = [table for measure in measures for table in _tables(evaluation, measure)]
    if not tables:
        return untested
    one_sided = (ONE_SIDED,) if evaluation.spec.folds.tails == "one" else ()
    return (
        Paragraph((WHAT_THE_TESTS_DO, *one_sided, *_design(pairs))),
        *tables,
        *(Paragraph(parts) for parts in fold_disagreements(evaluation, measures)),
        *untested,
    )


def _untested(evaluation: Evaluation, pairs: Sequence[FoldPair]) -> Iterator[Note]:
    """Say which classifiers have folds but are not compared over them, and why."""
    tested = {(row.first, row.second) for row in evaluation.differences if row.data == "folds"}
    reasons: dict[str, list[FoldPair]] = {}
    for pair in pairs:
        if pair.why_not is not None:
            reasons.setdefault(pair.why_not, []).append(pair)
        elif (pair.first, pair.second) not in tested:
            reasons.setdefault("they have no measure in common", []).append(pair)
    for reason, alike in reasons.items():
        parts: list[Part] = []
        for number, pair in enumerate(alike):
            parts += ["; " if number else "", *names_in_a_row((pair.first, pair.second))]
        yield Note((*parts, f" are not compared over folds: {reason}."), warning=True)


def _design(pairs: Sequence[FoldPair]) -> Iterator[Part]:
    """Say how the folds were taken to be made, once for all pairs that agree in it."""
    for design in dict.fromkeys(pair.design for pair in pairs if pair.design is not None):
        if design.repeats > 1:
            each = design.folds / design.repeats
            yield f" The {design.folds} folds are taken as {design.repeats} repeats of "
            yield from (Plain(each), ".")
        if design.ratio is not None and design.ratio_from is not None:
            yield " The corrected test counts "
            yield Plain(design.ratio, 3)
            yield f" test cases for a training case, {RATIO_FROM[design.ratio_from]}."


def _tables(evaluation: Evaluation, measure: Measure) -> Iterator[Table]:
    pairs: dict[tuple[str, str], dict[str, Difference]] = {}
    for row in evaluation.differences:
        if row.data == "folds" and row.key[2:] == (None, None, measure.name):
            pairs.setdefault((row.first, row.second), {})[row.test] = row
    if not pairs:
        return
    name, caption = f"fold-tests-{measure.name}", f"{measure.title}, tested over the folds"
    level = _level(evaluation, pairs)
    if len(pairs) > PAIRS_IN_DETAIL:
        short = ("Difference", "Corrected interval", "Plain p", "Corrected p", "Wilcoxon p")
        rows = tuple(_in_short(measure, tests) for tests in pairs.values())
        columns = (Column(MeasureName(measure)), *(Column(head, numeric=True) for head in short))
        yield Table(name, caption, columns, (RowGroup(rows),), _notes(pairs, {CORRECTED_T}, level))
        return
    heads = ("Difference", "Standard error", "Interval", "Statistic", "df", "p")
    groups = tuple(
        RowGroup(
            tuple(_in_detail(measure, tests[test]) for test in TITLES if test in tests),
            f"{first} minus {second}",
        )
        for (first, second), tests in pairs.items()
    )
    columns = (Column("Test"), *(Column(head, numeric=True) for head in heads))
    said = (*level, *_critical(evaluation, pairs))
    yield Table(name, caption, columns, groups, _notes(pairs, set(TITLES), said))


def _level(
    evaluation: Evaluation, pairs: Mapping[tuple[str, str], Mapping[str, Difference]]
) -> tuple[Part, ...]:
    """Say of which level the intervals are, if there are any."""
    known = any(row.low is not None for tests in pairs.values() for row in tests.values())
    return ("The level of the intervals is ", level_of(evaluation), ". ") if known else ()


def _in_detail(measure: Measure, row: Difference) -> tuple[Cell, ...]:
    difference, interval = difference_cells(measure, row.difference, row.low, row.high)
    return (
        TITLES[row.test],
        difference,
        _standard_error(row),
        interval,
        None if row.statistic is None else Plain(row.statistic, 2),
        "10, 5" if row.test == FIVE_BY_TWO_F else None if row.df is None else Plain(row.df),
        PValue(row.p),
    )


def _standard_error(row: Difference) -> Plain | None:
    """Return what the difference was divided by to give t; other tests divide by none."""
    if row.test not in {PAIRED_T, CORRECTED_T} or not row.statistic or row.difference is None:
        return None
    return Plain(row.difference / row.statistic)


def _in_short(measure: Measure, tests: Mapping[str, Difference]) -> tuple[Cell, ...]:
    row = tests[CORRECTED_T]
    return (
        f"{row.first} minus {row.second}",
        *difference_cells(measure, row.difference, row.low, row.high),
        *(PValue(tests[test].p) for test in (PAIRED_T, CORRECTED_T, WILCOXON)),
    )


def _critical(
    evaluation: Evaluation, pairs: Mapping[tuple[str, str], Mapping[str, Difference]]
) -> tuple[Part, ...]:
    """Say what t has to exceed, if that is the same for all pairs."""
    degrees = {row.df for rows in pairs.values() for row in rows.values() if row.test == PAIRED_T}
    (df, *others) = degrees
    if df is None or others:
        return ()
    alpha, one = evaluation.spec.comparison.alpha, evaluation.spec.folds.tails == "one"
    return (
        "With ",
        Plain(df),
        " degrees of freedom t is significant at the ",
        percentage(alpha),
        " level beyond ",
        Plain(critical_t(df, 1 - (2 if one else 1) * alpha), 3),
        " on the side where the first is better. " if one else " on either side. ",
    )


def _notes(
    pairs: Mapping[tuple[str, str], Mapping[str, Difference]],
    tests: set[str],
    before: tuple[Part, ...],
) -> Paragraph | None:
    """Return what is to be known of the tests, each remark once, with whom it concerns."""
    remarks: dict[str, list[str]] = {}
    for (first, second), rows in pairs.items():
        for row in rows.values():
            parts = (row.note or "").split("; ")
            kept = [
                part
                for part in parts
                if part and not part.endswith(SAID_ABOVE) and not part.startswith(ONE_TAIL)
            ]
            if kept and row.test in tests:
                remark = f"{TITLES[row.test]}: {'; '.join(kept)}"
                remarks.setdefault(remark, []).append(f"{first} minus {second}")
    said = [
        f"{remark}." if len(concerned) == len(pairs) else f"{remark} ({', '.join(concerned)})."
        for remark, concerned in remarks.items()
    ]
    note: tuple[Part, ...] = (*before, " ".join(said))
    return Paragraph(note) if any(note) else None
