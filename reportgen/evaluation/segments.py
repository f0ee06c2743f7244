"""Segments: values per subgroup, gaps to the other cases, and comparisons within a segment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.comparisons import build_count_blocks, build_score_blocks
from reportgen.evaluation.multilabel import build_label_set_blocks
from reportgen.evaluation.multiple_testing import TestedBlock
from reportgen.evaluation.pairwise_tests import mover_difference_interval, pairs_to_compare
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.measures import Orientation
from reportgen.measures.measure import NoInterval
from reportgen.statistics.distributions import chi2_sf, critical_z

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.primary_measure import PrimaryMeasure
    from reportgen.evaluation.values import MeasureValue, MeasureValues
    from reportgen.measures import Measure
    from reportgen.spec import Spec
    from reportgen.statistics.proportions import ConfidenceInterval

SEGMENT_GAP_TEST = "segment against other cases (MOVER)"
TOO_FEW_CASES = "not tested: fewer cases than the minimum of the segments"
NO_GAP_INTERVAL = "not tested: a value has no confidence interval"

ValueKey = tuple[str, str | None, str | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentValues:
    """The values of all classifiers in one segment, and on the cases outside it.

    `is_tested` is false with fewer cases inside than the spec asks for, `has_others` with fewer
    cases outside.
    """

    column: str
    segment: str
    cases: int
    clusters: int | None
    is_tested: bool
    has_others: bool
    aggregates: Aggregates
    values: MeasureValues
    table: pl.DataFrame
    """The values with the numbers of cases, as results.json has them."""
    by_key: Mapping[ValueKey, MeasureValue]
    of_others: Mapping[ValueKey, MeasureValue]


def evaluate_segments(
    spec: Spec,
    aggregates: Aggregates,
    evaluate: Callable[[Aggregates], MeasureValues],
    add_sizes: Callable[[Aggregates, MeasureValues, tuple[str, str]], pl.DataFrame],
) -> tuple[SegmentValues, ...]:
    """Return the values with intervals of every segment.

    Args:
        spec: the spec with the columns of segments.
        aggregates: the aggregates of all cases, with those of the segments.
        evaluate: computes values with intervals, as for all cases together.
        add_sizes: adds numbers of cases to the values of a segment.
    """
    minimum = {segment.column: segment.minimum for segment in spec.segments}
    segments = []
    for part in aggregates.segments:
        own, others = part.aggregates, part.others
        outside = 0 if others is None else others.case_count or 0
        values = evaluate(own)
        overall = replace(values, frame=values.frame.filter(values.frame["class"].is_null()))
        segments.append(
            SegmentValues(
                column=part.column,
                segment=part.segment,
                cases=own.case_count or 0,
                clusters=None if own.design is None else own.design.units,
                is_tested=(own.case_count or 0) >= minimum[part.column],
                has_others=outside >= minimum[part.column],
                aggregates=own,
                values=values,
                table=add_sizes(own, overall, (part.column, part.segment)),
                by_key=values.by_key(),
                of_others={} if others is None else evaluate(others).by_key(),
            )
        )
    return tuple(segments)


def _gap_blocks(
    spec: Spec, segments: Sequence[SegmentValues], tests: SegmentTests
) -> Iterator[TestedBlock]:
    """Test each classifier's values in a segment against those on the other cases.

    Both are independent estimates: the difference is significant if its MOVER interval (Zou and
    Donner 2008) excludes 0. Clusters with cases inside and outside make the test conservative.
    Of two segments each is the other's other cases, so that one test is made for both.
    """
    for segment in segments:
        rows = tuple(row for row in _gaps(spec, segment, tests) if row.p is not None)
        if rows and not _is_second_of_two(segment, segments):
            yield TestedBlock(rows, (segment.cases,) * len(rows))


def _is_second_of_two(segment: SegmentValues, segments: Sequence[SegmentValues]) -> bool:
    column = [row.segment for row in segments if row.column == segment.column]
    return len(column) == 2 and column.index(segment.segment) == 1  # noqa: PLR2004  # two


def complete_gaps(
    spec: Spec,
    segments: Sequence[SegmentValues],
    tests: SegmentTests,
    tested: Sequence[Comparison],
) -> tuple[Comparison, ...]:
    """Return all comparisons in segments: tested ones, those of a second of two, untested ones."""
    by_column = {segment.column: segment for segment in segments}
    reversed_rows = [
        replace(row.reversed, segment=second.segment)
        for row in tested
        if row.contrast == "other cases" and row.segment_column is not None
        for second in (by_column[row.segment_column],)
        if _is_second_of_two(second, segments)
    ]
    untested = [
        replace(row, verdict=Decision.NOT_TESTED)
        for segment in segments
        for row in _gaps(spec, segment, tests)
        if row.p is None
    ]
    return (*tested, *reversed_rows, *untested)


def _gaps(spec: Spec, segment: SegmentValues, tests: SegmentTests) -> Iterator[Comparison]:
    for key, value in segment.by_key.items():
        if key[1] is None and (key[3], key[2]) in tests.keys and key in segment.of_others:
            yield _gap(segment, key, value, spec.intervals.level)


def _gap(segment: SegmentValues, key: ValueKey, value: MeasureValue, level: float) -> Comparison:
    classifier, _, average, measure = key
    others = segment.of_others[key]
    limits = mover_difference_interval(value, others, None)
    difference = None if value.value is None or others.value is None else value.value - others.value
    gap = Comparison(
        first=classifier,
        second=classifier,
        measure=measure,
        average=average,
        test=SEGMENT_GAP_TEST,
        data="unpaired",
        difference=difference,
        low=None if limits is None else limits.low,
        high=None if limits is None else limits.high,
        primary_test=True,
        family="details",
        segment_column=segment.column,
        segment=segment.segment,
        contrast="other cases",
    )
    if not (segment.is_tested and segment.has_others):
        return replace(gap, note=TOO_FEW_CASES)
    z = None if difference is None or limits is None else _z(difference, limits, level)
    if z is None:
        return replace(gap, note=NO_GAP_INTERVAL)
    return replace(gap, statistic=z, p=chi2_sf(z * z))


def _z(difference: float, limits: ConfidenceInterval, level: float) -> float | None:
    """Return the normal score at which the limit nearer to 0 reaches it."""
    distance = difference - limits.low if difference > 0 else limits.high - difference
    if distance <= 0:
        return 0.0 if difference == 0 else None
    return difference / distance * critical_z(level)


@dataclass(frozen=True, slots=True)
class SegmentTests:
    """Which values are tested in segments: measure and average.

    Those of the primary measure, and of the measures that the spec lists in `show`: testing every
    measure in every segment would leave no power for any of them.
    """

    measures: tuple[Measure, ...]
    keys: frozenset[tuple[str, str | None]]

    @classmethod
    def select(
        cls, spec: Spec, reported_measures: Sequence[Measure], primary: PrimaryMeasure | None
    ) -> SegmentTests:
        """Select the measures to test."""
        shown_measures = [
            measure for measure in reported_measures if spec.measures.show is not None
        ]
        keys: set[tuple[str, str | None]] = {(measure.name, None) for measure in shown_measures}
        measures = {measure.name: measure for measure in shown_measures}
        if primary is not None:
            keys.add((primary.measure.name, primary.average))
            measures[primary.measure.name] = primary.measure
        tested = [
            measure
            for measure in measures.values()
            if measure.orientation is not Orientation.NEITHER
            and not isinstance(measure.interval, NoInterval)
        ]
        names = {measure.name for measure in tested}
        return cls(tuple(tested), frozenset(key for key in keys if key[0] in names))

    def includes(self, row: Comparison) -> bool:
        """Return whether a comparison over all classes is tested in segments."""
        return row.class_ is None and (row.measure, row.average) in self.keys


def build_segment_blocks(
    spec: Spec,
    segments: Sequence[SegmentValues],
    tests: SegmentTests,
    primary: PrimaryMeasure | None,
) -> Iterator[TestedBlock]:
    """Test classifiers against each other within segments, and segments against all other cases.

    All of them are in the family of details.
    """
    yield from _gap_blocks(spec, segments, tests)
    names = [item.name for item in spec.classifiers if item.predictions is not None]
    pairs = pairs_to_compare(names, spec.comparison.baseline)
    within = spec.model_copy(
        update={
            "classifiers": tuple(
                classifier for classifier in spec.classifiers if classifier.name in names
            )
        }
    )
    for segment in segments:
        if not segment.is_tested or not pairs:
            continue
        scored = run_score_tests(segment.aggregates, segment.by_key, pairs, spec.intervals.level)
        blocks = (
            *build_count_blocks(
                within, segment.aggregates, segment.by_key, tests.measures, primary
            ),
            *build_score_blocks(segment.aggregates, scored, primary),
            *build_label_set_blocks(
                within, segment.aggregates, segment.by_key, tests.measures, primary
            ),
        )
        for block in blocks:
            selected = [at for at, row in enumerate(block.comparisons) if tests.includes(row)]
            rows = tuple(
                replace(
                    block.comparisons[at],
                    family="details",
                    segment_column=segment.column,
                    segment=segment.segment,
                )
                for at in selected
            )
            # The joint distribution is that of the whole block.
            joint = block.joint if len(selected) == len(block.comparisons) else None
            if rows:
                yield TestedBlock(rows, tuple(block.cases[at] for at in selected), joint)


def find_worst_segments(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the gap of the worst segment of each column, classifier and measure.

    A segment is named only if it is significantly worse than the other cases.
    """
    worst: dict[tuple[str | None, str, str | None, str], Comparison] = {}
    for row in comparisons:
        if row.contrast != "other cases" or row.verdict is not Decision.INFERIOR:
            continue
        key = row.segment_column, row.first, row.average, row.measure
        worst_row = worst.get(key)
        if worst_row is None or abs(row.difference or 0.0) > abs(worst_row.difference or 0.0):
            worst[key] = row
    return tuple(worst.values())


def order_hardest_first(
    segments: Sequence[SegmentValues], measure: Measure, average: str | None
) -> tuple[SegmentValues, ...]:
    """Return segments in order of the mean value over the classifiers, the worst first."""

    def difficulty(segment: SegmentValues) -> float:
        numbers = [
            value.number
            for (_, class_, own_average, name), value in segment.by_key.items()
            if class_ is None and own_average == average and name == measure.name
            if value.number is not None
        ]
        # Segments without a value come last.
        if not numbers:
            return math.inf
        mean = sum(numbers) / len(numbers)
        return mean if measure.orientation is Orientation.HIGHER else -mean

    return tuple(sorted(segments, key=difficulty))
