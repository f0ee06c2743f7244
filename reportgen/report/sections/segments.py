"""Segments: values per subgroup, hardest first, with tests of the gaps and of classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import get_measure
from reportgen.report.charts import Dot, DotPanel, GroupedDotPlot
from reportgen.report.document import Bullets, Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import averaged_title, confidence_level, difference_cells
from reportgen.report.inline import (
    Count,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PValue,
    Strong,
)
from reportgen.report.phrases import NOT_SIGNIFICANT, measure_phrase
from reportgen.report.selection import classifier_color, is_full_detail, top_classifiers

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
_TESTED_NOTE = (
    "Each segment is tested against all other cases (family of details, adjusted with all other"
    " tests of the report). "
)
_NOT_TESTED_NOTE = "Segments with fewer cases than the minimum are listed, not tested. "
_RESULTS_NOTE = "Values of all other measures are in results.json. "


def build_segments_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the values per segment, hardest first, and the tests of gaps and of classifiers."""
    columns = dict.fromkeys(segment.column for segment in evaluation.segments)
    return tuple(block for column in columns for block in _column_blocks(evaluation, column))


def _column_blocks(evaluation: Evaluation, column: str) -> Iterator[Block]:
    worst = [row for row in evaluation.worst_segments if row.segment_column == column]
    if worst:
        yield Bullets(tuple(Paragraph(tuple(_worst_segment(row))) for row in worst))
    else:
        yield Paragraph((f"No segment of {column} is significantly worse than the other cases.",))
    displayed = _displayed_measures(evaluation)
    if displayed:
        yield from _segment_figure(evaluation, column, *displayed[0])
    for measure, average in displayed:
        yield from _value_table(evaluation, column, measure, average)
    yield from _gap_table(evaluation, column)
    yield from _comparison_table(evaluation, column)


def _worst_segment(row: Comparison) -> Iterator[Inline]:
    measure = get_measure(row.measure)
    yield from (Strong(row.first), " is significantly worse on ")
    yield Strong(f"{row.segment_column} = {row.segment}")
    yield f" than on all other cases in {measure_phrase(measure)}: difference "
    yield MeasureDifference(measure, row.difference)
    yield from (" (adjusted ", PValue(row.p_adjusted, with_symbol=True), ").")


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
            (DotPanel(title, rows),),
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
    names = evaluation.measured_classifiers
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


def _gap_table(evaluation: Evaluation, column: str) -> Iterator[Table]:
    gaps = [
        row
        for row in evaluation.segment_comparisons
        if row.segment_column == column and row.contrast == "other cases"
    ]
    if not gaps:
        return
    rows = tuple(
        (
            row.segment,
            row.first,
            _measure_name(row),
            *_difference_cells(row),
            _decision(row),
        )
        for row in gaps
    )
    yield Table(
        f"segment-gaps-{column}",
        f"Segments of {column} against all other cases",
        (
            Column(column),
            Column("Classifier"),
            Column("Measure"),
            Column("Difference", numeric=True),
            Column("CI"),
            Column("Adjusted p", numeric=True),
            Column("Segment is"),
        ),
        (RowGroup(rows),),
        Paragraph((_TESTED_NOTE.strip(),)),
    )


def _comparison_table(evaluation: Evaluation, column: str) -> Iterator[Table]:
    rows = tuple(
        (
            row.segment,
            f"{row.first} − {row.second}",
            _measure_name(row),
            *_difference_cells(row),
            _decision(row),
        )
        for row in evaluation.segment_comparisons
        if row.segment_column == column and row.contrast == "classifiers" and row.primary_test
    )
    if not rows:
        return
    yield Table(
        f"segment-comparisons-{column}",
        f"Classifiers compared within the segments of {column}",
        (
            Column(column),
            Column("Pair"),
            Column("Measure"),
            Column("Difference", numeric=True),
            Column("CI"),
            Column("Adjusted p", numeric=True),
            Column("First is"),
        ),
        (RowGroup(rows),),
    )


def _measure_name(row: Comparison) -> TableCell:
    measure = get_measure(row.measure)
    return MeasureName(measure) if row.average is None else f"{row.average} {measure.title}"


def _difference_cells(row: Comparison) -> tuple[TableCell, ...]:
    measure = get_measure(row.measure)
    adjusted: TableCell = "not tested" if row.p is None else PValue(row.p_adjusted)
    return (*difference_cells(measure, row.difference, row.low, row.high), adjusted)


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
