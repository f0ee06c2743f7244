"""Segments: values per subgroup, hardest first, with tests of the gaps and of classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import get_measure
from reportgen.report.charts import Dot, DotPanel, GroupedDotPlot
from reportgen.report.document import Bullets, Column, Details, Figure, Paragraph, RowGroup, Table
from reportgen.report.findings.recommendation import SegmentGapLimit
from reportgen.report.formatting import (
    averaged_title,
    confidence_level,
    difference_cells,
    value_unit,
)
from reportgen.report.inline import (
    Count,
    MeasureEstimate,
    PValue,
    Strong,
)
from reportgen.report.phrases import NOT_SIGNIFICANT, measure_phrase
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.phrases.recommendation import measured_difference
from reportgen.report.selection import (
    classifier_color,
    classifiers_best_first,
    is_full_detail,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.segments import SegmentValues
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_MAX_PLOTTED_SEGMENTS, _MAX_PLOTTED_CLASSIFIERS = 30, 6
_MAX_FINDINGS = 8
# Tests of gaps that are printed below full detail instead of folded.
_MAX_OPEN_GAPS = 12
_TESTED_NOTE = (
    "CIs are simultaneous: they hold for all comparisons of the report at once and agree with"
    " adjusted p."
)
_NOT_TESTED_NOTE = "Segments with fewer cases than the minimum are listed, not tested. "
_RESULTS_NOTE = "Values of all other measures are in results.json. "


def build_segments_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the values per segment, hardest first, and the tests of gaps and of classifiers."""
    columns = dict.fromkeys(segment.column for segment in evaluation.segments)
    return tuple(block for column in columns for block in _column_blocks(evaluation, column))


def _column_blocks(evaluation: Evaluation, column: str) -> Iterator[Block]:
    yield from _finding_blocks(evaluation, column)
    displayed = _displayed_measures(evaluation)
    if displayed:
        yield from _segment_figure(evaluation, column, *displayed[0])
    for measure, average in displayed:
        yield from _value_table(evaluation, column, measure, average)
    yield from _test_blocks(evaluation, column)


def _finding_blocks(evaluation: Evaluation, column: str) -> Iterator[Block]:
    """Yield the significant gaps between segments, and between classifiers within segments."""
    worst = [row for row in evaluation.worst_segments if row.segment_column == column]
    better = [
        row if row.verdict is Decision.SUPERIOR else row.reversed
        for row in _classifier_comparisons(evaluation, column)
        if row.verdict in {Decision.SUPERIOR, Decision.INFERIOR}
    ]
    if not worst:
        yield Paragraph((f"No segment of {column} is significantly worse than the other cases.",))
    items = [
        *(describe_finding(SegmentGapLimit(row)) for row in worst),
        *(tuple(_better_classifier(row)) for row in better),
    ]
    if items:
        yield Bullets(tuple(map(Paragraph, items[:_MAX_FINDINGS])))
    if len(items) > _MAX_FINDINGS:
        n_more = len(items) - _MAX_FINDINGS
        yield Paragraph((Count(n_more), " more significant differences: results.json."))


def _better_classifier(row: Comparison) -> Iterator[Inline]:
    yield from ("On ", Strong(f"{row.segment_column} = {row.segment}"), ", ")
    yield from (Strong(row.first), " is significantly better than ", Strong(row.second), " in ")
    yield from measured_difference(row)


def _displayed_measures(evaluation: Evaluation) -> Sequence[tuple[Measure, str | None]]:
    primary = evaluation.primary_measure
    first = [] if primary is None else [(primary.measure, primary.average)]
    if not is_full_detail(evaluation) and first:
        return first
    others = [(measure, None) for measure in evaluation.overall_measures]
    return list(dict.fromkeys([*first, *others]))


def _segment_figure(
    evaluation: Evaluation, column: str, measure: Measure, average: str | None
) -> Iterator[Figure]:
    """Yield the values of each segment with confidence intervals, hardest segment first."""
    names = top_classifiers(evaluation, _MAX_PLOTTED_CLASSIFIERS, _MAX_PLOTTED_CLASSIFIERS)
    order = evaluation.segments_hardest_first(column, measure, average)[:_MAX_PLOTTED_SEGMENTS]
    rows = tuple(
        tuple(
            _segment_dot(evaluation, segment.by_key.get((name, None, average, measure.name)), name)
            for name in names
        )
        for segment in order
    )
    if not any(dot.value is not None for row in rows for dot in row):
        return
    title = averaged_title(measure, average)
    yield Figure(
        f"segments-drawn-{column}",
        f"{title} by {column}",
        GroupedDotPlot(
            tuple(segment.segment for segment in order),
            tuple((name, classifier_color(evaluation, name)) for name in names),
            (DotPanel(title, rows, value_unit(measure)),),
        ),
        Paragraph(
            (
                f"Hardest segment first: {order[0].segment}. Dots: values; bars: ",
                confidence_level(evaluation),
                " CIs of each segment alone, not adjusted.",
            )
        ),
    )


def _segment_dot(evaluation: Evaluation, value: MeasureValue | None, name: str) -> Dot:
    color = classifier_color(evaluation, name)
    if value is None:
        return Dot(name, None, color_index=color)
    return Dot(name, value.number, value.low, value.high, color)


def _value_table(
    evaluation: Evaluation, column: str, measure: Measure, average: str | None
) -> Iterator[Table]:
    names = classifiers_best_first(evaluation)
    order = evaluation.segments_hardest_first(column, measure, average)
    rows = tuple(
        (segment.segment, Count(segment.cases), *_value_cells(segment, names, measure, average))
        for segment in order
    )
    has_values = any(cell is not None for row in rows for cell in row[2:])
    if not has_values:
        return
    title = measure_phrase(measure) if average is None else f"{average} {measure_phrase(measure)}"
    small = any(not segment.is_tested for segment in order)
    note = _NOT_TESTED_NOTE if small else ""
    note += "" if is_full_detail(evaluation) else _RESULTS_NOTE
    yield Table(
        f"segments-{column}-{measure.name}" + (f"-{average}" if average else ""),
        f"{title[0].upper() + title[1:]} by {column}, hardest segment first",
        (
            Column(column),
            Column("Cases", numeric=True),
            *(Column(name, numeric=True) for name in names),
        ),
        (RowGroup(rows),),
        Paragraph((note.strip(),)) if note else None,
    )


def _value_cells(
    segment: SegmentValues, names: Sequence[str], measure: Measure, average: str | None
) -> Iterator[TableCell]:
    for name in names:
        value = segment.by_key.get((name, None, average, measure.name))
        yield None if value is None else MeasureEstimate(value, measure)


def _test_blocks(evaluation: Evaluation, column: str) -> Iterator[Block]:
    """Yield the tables of all tests; below full detail only the gaps, if few, are not folded."""
    gaps = [
        row
        for row in evaluation.segment_comparisons
        if row.segment_column == column and row.contrast == "other cases"
    ]
    pairs = _classifier_comparisons(evaluation, column)
    gap_tables = tuple(_gap_table(evaluation, column, gaps))
    tables = (*gap_tables, *_pair_table(evaluation, column, pairs))
    if is_full_detail(evaluation):
        yield from tables
        return
    folded = [*gaps, *pairs]
    if len(gaps) <= _MAX_OPEN_GAPS:
        yield from gap_tables
        tables, folded = tables[len(gap_tables) :], pairs
    if not tables:
        return
    tested = [row for row in folded if row.is_tested]
    significant = sum(row.verdict.is_decided for row in tested)
    sentence = (Count(significant), " of ", Count(len(tested)), " tested differences significant")
    yield Details(Paragraph((*sentence, " (adjusted for all comparisons of the report).")), tables)


def _classifier_comparisons(evaluation: Evaluation, column: str) -> list[Comparison]:
    return [
        row
        for row in evaluation.segment_comparisons
        if row.segment_column == column and row.contrast == "classifiers" and row.primary_test
    ]


def _gap_table(evaluation: Evaluation, column: str, rows: Sequence[Comparison]) -> Iterator[Table]:
    if rows:
        yield _test_table(
            evaluation,
            column,
            (f"segment-gaps-{column}", f"Segments of {column} against all other cases"),
            ("Classifier", "Segment is"),
            [(row, row.first) for row in rows],
        )


def _pair_table(evaluation: Evaluation, column: str, rows: Sequence[Comparison]) -> Iterator[Table]:
    if rows:
        yield _test_table(
            evaluation,
            column,
            (
                f"segment-comparisons-{column}",
                f"Classifiers compared within the segments of {column}",
            ),
            ("Pair", "First is"),
            [(row, f"{row.first} − {row.second}") for row in rows],
        )


def _test_table(
    evaluation: Evaluation,
    column: str,
    name_and_caption: tuple[str, str],
    heads: tuple[str, str],
    tests: Sequence[tuple[Comparison, str]],
) -> Table:
    """Return a row per test, hardest segment first; a single measure is named in the caption."""
    name, caption = name_and_caption
    subject, decision = heads
    measures = dict.fromkeys((row.measure, row.average) for row, _subject in tests)
    has_measure_column = len(measures) > 1
    if not has_measure_column:
        caption += f": {_measure_title(tests[0][0])}"
    ranks = _segment_ranks(evaluation, column)
    tests = sorted(tests, key=lambda test: ranks.get(test[0].segment, len(ranks)))
    return Table(
        name,
        caption,
        (
            Column(column),
            Column(subject),
            *((Column("Measure"),) if has_measure_column else ()),
            Column("Difference", numeric=True),
            Column("CI"),
            Column("Adjusted p", numeric=True),
            Column(decision),
        ),
        (
            RowGroup(
                tuple(
                    (
                        row.segment,
                        subject,
                        *((_measure_title(row),) if has_measure_column else ()),
                        *_difference_cells(row),
                        _decision(row),
                    )
                    for row, subject in tests
                )
            ),
        ),
        Paragraph((_TESTED_NOTE,)),
    )


def _segment_ranks(evaluation: Evaluation, column: str) -> dict[str | None, int]:
    """Return the place of each segment, hardest first in the first measure displayed."""
    displayed = _displayed_measures(evaluation)
    if not displayed:
        return {}
    order = evaluation.segments_hardest_first(column, *displayed[0])
    return {segment.segment: rank for rank, segment in enumerate(order)}


def _measure_title(row: Comparison) -> str:
    title = get_measure(row.measure).title
    return title if row.average is None else f"{row.average} {title}"


def _difference_cells(row: Comparison) -> tuple[TableCell, ...]:
    measure = get_measure(row.measure)
    adjusted: TableCell = "not tested" if row.p is None else PValue(row.p_adjusted)
    return (*difference_cells(measure, row.difference, *row.reported_limits), adjusted)


def _decision(row: Comparison) -> TableCell:
    words = {
        Decision.SUPERIOR: "better",
        Decision.INFERIOR: "worse",
        Decision.TIED: "equal",
        Decision.EQUIVALENT: "equivalent",
        Decision.UNDECIDED: NOT_SIGNIFICANT,
        Decision.NOT_TESTED: "not tested",
    }
    return words[row.verdict]
