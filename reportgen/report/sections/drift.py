"""Trend of the main measures and change since the last run: label shift and performance shift."""

from __future__ import annotations

import math
from collections import Counter
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.evaluation.drift import InputState
from reportgen.evaluation.drift_attribution import (
    DriftVerdict,
)
from reportgen.measures import Orientation, get_measure
from reportgen.report.charts import (
    ConfidenceBand,
    LineChart,
    LinePanels,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Bullets, Column, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.formatting import (
    confidence_level,
    difference_cells,
    difference_decimals,
    extra_interval_decimals,
    inline_percentage,
    inline_values,
    value_unit,
)
from reportgen.report.inline import (
    Count,
    InlineCode,
    InlineText,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PValue,
    Strong,
)
from reportgen.report.phrases import (
    join_names,
    join_names_abbreviated,
    join_sentences,
    last_run_label,
    measure_change_phrase,
    measure_phrase,
    proportion_change_phrase,
    recall_change_phrase,
    run_labels,
)
from reportgen.report.sections.curves import MAX_BANDS
from reportgen.report.selection import (
    MAX_CURVES,
    classifier_color,
    is_full_detail,
    omitted_classifiers_phrase,
    plotted_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import DriftAnalysis, MeasureTrend, ValueChange
    from reportgen.evaluation.drift_attribution import (
        DriftAttribution,
        LabelShiftTest,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.charts import AxisRange
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Trend of the main measures, with confidence intervals.

_NOW = "now"
_LIMIT_LABEL, _FAILING_LABEL = "limit of a gate", "gate not met"
_MAX_MEASURES, _MAX_DESCRIBED = 4, 4
# With more values in a panel, bars and markers would overlap.
_MAX_BARS = 45
# Error bars of classifiers are dodged within this share of the distance of two runs.
_MAX_OFFSET, _MAX_TOTAL_OFFSET = 0.1, 0.5
_AXIS_PADDING = 0.06


class UncertaintyStyle(Enum):
    """How confidence intervals are drawn: as error bars, as bands, or not at all."""

    BARS = "Bars"
    BANDS = "Bands"
    LINES = "Lines"


def trend_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the first few measures with finite values in earlier runs, the primary one first.

    Measures with a gate come next.
    """
    changes = evaluation.drift
    available = {
        trend.measure
        for trend in (changes.trends if changes else ())
        if any(score is not None and score.value is not None for score in trend.values[:-1])
    }
    main = primary_measure(evaluation)
    gate_measure_names = {
        trend.measure for trend in (changes.trends if changes else ()) if trend.limits
    }
    gate_measures = [
        measure for measure in evaluation.overall_measures if measure.name in gate_measure_names
    ]
    ordered = dict.fromkeys(
        [*([main] if main else []), *gate_measures, *evaluation.overall_measures]
    )
    directed = [measure for measure in ordered if measure.orientation is not Orientation.NEITHER]
    return tuple(measure for measure in directed if measure.name in available)[:_MAX_MEASURES]


def trend_classifiers(evaluation: Evaluation, changes: DriftAnalysis) -> tuple[str, ...]:
    """Return the classifiers with values in earlier runs: all, or the best of many."""
    names = tuple(
        dict.fromkeys(trend.classifier for trend in changes.trends if any(trend.values[:-1]))
    )
    return names if len(names) <= MAX_CURVES else plotted_classifiers(evaluation, names)


def trend_figure(evaluation: Evaluation, changes: DriftAnalysis) -> Figure | None:
    """Return the trend of the main measures, one panel each."""
    measures, names = trend_measures(evaluation), trend_classifiers(evaluation, changes)
    if not measures or not names:
        return None
    panels = tuple(_trend_panel(evaluation, changes, measure, names) for measure in measures)
    has_several = len(measures) > 1
    return Figure(
        "history",
        "Trend of the main measures" if has_several else f"Trend of {measure_phrase(measures[0])}",
        LinePanels(panels, columns=2) if has_several else panels[0],
        Paragraph(tuple(_figure_description(changes, measures[0], names))),
        join_sentences(
            _interval_note(evaluation, _uncertainty_style(changes, names)),
            ("Runs equally spaced (not to time scale); dates in UTC.",),
            _omitted_trends_note(evaluation, changes, names),
        ),
    )


def _uncertainty_style(changes: DriftAnalysis, names: Sequence[str]) -> UncertaintyStyle:
    if (len(changes.runs) + 1) * len(names) <= _MAX_BARS:
        return UncertaintyStyle.BARS
    return UncertaintyStyle.BANDS if len(names) <= MAX_BANDS else UncertaintyStyle.LINES


def _interval_note(evaluation: Evaluation, style: UncertaintyStyle) -> tuple[Inline, ...]:
    if style is UncertaintyStyle.LINES:
        return ("CIs not drawn (too many classifiers).",)
    return f"{style.value}: ", confidence_level(evaluation), " CIs."


def _omitted_trends_note(
    evaluation: Evaluation, changes: DriftAnalysis, names: Sequence[str]
) -> tuple[Inline, ...]:
    classifiers = {trend.classifier for trend in changes.trends if any(trend.values[:-1])}
    phrase = omitted_classifiers_phrase(evaluation, len(names), len(classifiers))
    return (*phrase, ".") if phrase else ()


def _figure_description(
    changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> Iterator[Inline]:
    """Yield the first and the current values of the primary measure."""
    days = (*run_labels(changes), _NOW)
    yield f"{measure.title}: "
    trends = [trend for trend in _select_trends(changes, measure, names) if _finite_values(trend)][
        :_MAX_DESCRIBED
    ]
    for number, trend in enumerate(trends):
        indices, scores = zip(*_finite_values(trend), strict=True)
        yield "; " if number else ""
        yield Strong(trend.classifier)
        first, last = inline_values(measure, scores[0], scores[-1])
        yield from (
            " ",
            first,
            f" {_run_phrase(days[indices[0]])}, ",
            last,
            f" {_run_phrase(days[indices[-1]])}",
        )
    yield "."


def _run_phrase(day: str) -> str:
    return day if day == _NOW else f"on {day}"


def _select_trends(
    changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> list[MeasureTrend]:
    by_classifier = {
        trend.classifier: trend for trend in changes.trends if trend.measure == measure.name
    }
    return [by_classifier[name] for name in names if name in by_classifier]


def _finite_values(trend: MeasureTrend) -> list[tuple[int, MeasureValue]]:
    return [
        (index, score)
        for index, score in enumerate(trend.values)
        if score is not None and score.value is not None
    ]


def _trend_panel(
    evaluation: Evaluation, changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> LineChart:
    trends = _select_trends(changes, measure, names)
    days = (*run_labels(changes), _NOW)
    uncertainty = _uncertainty_style(changes, names)
    step = (
        min(_MAX_OFFSET, _MAX_TOTAL_OFFSET / len(names))
        if uncertainty is UncertaintyStyle.BARS
        else 0.0
    )
    return LineChart(
        "",
        measure.title,
        tuple(
            series
            for number, trend in enumerate(trends)
            for series in _trend_series(
                trend,
                classifier_color(evaluation, trend.classifier),
                step * (number - (len(trends) - 1) / 2),
                uncertainty,
            )
        ),
        x_range=(-0.5, len(days) - 0.5),
        y_range=_value_range(trends, measure),
        y_unit=value_unit(measure),
        references=tuple(
            ReferenceLine((-0.5, limit), (len(days) - 0.5, limit), _LIMIT_LABEL, style="limit")
            for limit in dict.fromkeys(limit for trend in trends for limit in trend.limits)
        ),
        marker_legend=(("failing", _FAILING_LABEL),)
        if any(trend.failing for trend in trends)
        else (),
        x_tick_labels=tuple(enumerate(map(str, days))),
    )


def _trend_series(
    trend: MeasureTrend, color_index: int, offset: float, style: UncertaintyStyle
) -> Iterator[Series]:
    """Yield a line for each run of consecutive values."""
    finite = _finite_values(trend)
    for _, group in groupby(enumerate(finite), key=lambda item: item[1][0] - item[0]):
        segment = [point for _, point in group]
        points = tuple((index + offset, score.value or 0.0) for index, score in segment)
        yield Series(
            trend.classifier,
            points,
            color_index,
            band=_trend_band(segment) if style is UncertaintyStyle.BANDS else None,
            # A single point would be invisible as a line.
            markers=(
                *(
                    (_trend_marker(index + offset, score) for index, score in segment)
                    if style is UncertaintyStyle.BARS or len(segment) == 1
                    else ()
                ),
                *(
                    Marker((index + offset, score.value or 0.0), kind="failing")
                    for index, score in segment
                    if index in trend.failing
                ),
            ),
        )


def _trend_marker(x: float, value: MeasureValue) -> Marker:
    has_interval = value.low is not None and value.high is not None
    limits = (value.low, value.high) if has_interval else (None, None)
    return Marker((x, value.value or 0.0), low=limits[0], high=limits[1])


def _trend_band(run_values: Sequence[tuple[int, MeasureValue]]) -> ConfidenceBand | None:
    limits = [(index, score.low, score.high) for index, score in run_values]
    if any(low is None or high is None for _, low, high in limits):
        return None
    return ConfidenceBand(
        tuple((float(index), low or 0.0) for index, low, _ in limits),
        tuple((float(index), high or 0.0) for index, _, high in limits),
    )


def _value_range(trends: Sequence[MeasureTrend], measure: Measure) -> AxisRange:
    """Return an axis range around all values and limits, within the range of the measure."""
    numbers = [
        number
        for trend in trends
        for _, score in _finite_values(trend)
        for number in (score.value, score.low, score.high)
        if number is not None and math.isfinite(number)
    ]
    numbers += [limit for trend in trends for limit in trend.limits]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    padding = (high - low) * _AXIS_PADDING or abs(high) * _AXIS_PADDING or 1.0
    minimum, maximum = measure.range.low, measure.range.high
    return (
        low - padding if minimum is None else max(minimum, low - padding),
        high + padding if maximum is None else min(maximum, high + padding),
    )


# Values of the last run and of this one, with the decomposition of accuracy.

_DECOMPOSITION_NOTE = (
    "Kitagawa (1955) decomposition of the change in accuracy: class mix at constant error rates,"
    " and error rates at constant class mix. Point estimates."
)


def change_table(evaluation: Evaluation, changes: DriftAnalysis) -> Table | None:
    """Return the table of previous and current values, one group for each classifier."""
    measures = (
        evaluation.overall_measures if is_full_detail(evaluation) else trend_measures(evaluation)
    )
    reasons = {reason.classifier: reason for reason in changes.attributions}
    groups = tuple(
        RowGroup(rows, InlineText(tuple(_group_heading(reasons[name]))))
        for name in trend_classifiers(evaluation, changes)
        if (rows := tuple(_change_rows(changes, reasons[name], measures)))
    )
    if not groups:
        return None
    heads = (
        "Measure",
        last_run_label(changes),
        "Now",
        "Difference",
        "CI of the difference",
        "Adjusted p",
    )
    split = any(reason.label_shift_effect is not None for reason in changes.attributions)
    is_split = split and any(measure.name == "accuracy" for measure in measures)
    return Table(
        "changes",
        "Change since the previous data release",
        tuple(Column(head, numeric=number > 0) for number, head in enumerate(heads)),
        groups,
        Paragraph((_DECOMPOSITION_NOTE,)) if is_split else None,
    )


def _group_heading(attribution: DriftAttribution) -> Iterator[Inline]:
    yield Strong(attribution.classifier)
    match attribution.verdict:
        case DriftVerdict.NO_SIGNIFICANT_CHANGE:
            yield ": no significant change"
        case DriftVerdict.SIGNIFICANT_CHANGE:
            yield ": significant change"
        case DriftVerdict.LABEL_SHIFT:
            yield ": class mix changed"
        case DriftVerdict.PERFORMANCE_SHIFT:
            yield from (": ", *recall_change_phrase(attribution, with_values=False))
        case DriftVerdict.BOTH:
            yield ": class mix changed; "
            yield from recall_change_phrase(attribution, with_values=False)
        case DriftVerdict.CLASSES_CHANGED:
            yield ": different classes"
        case DriftVerdict.NEW_CLASSIFIER:
            yield ": new"
        case DriftVerdict.UNTESTED:
            yield f": {_NOT_TESTED}"


def _change_rows(
    changes: DriftAnalysis, attribution: DriftAttribution, measures: tuple[Measure, ...]
) -> Iterator[tuple[TableCell, ...]]:
    changes_by_key = {
        change.measure: change
        for change in changes.value_changes
        if change.classifier == attribution.classifier
    }
    for measure in measures:
        change = changes_by_key.get(measure.name)
        if change is None or change.then is None or change.now is None:
            continue
        yield _change_row(change, measure)
        if measure.name == "accuracy" and attribution.label_shift_effect is not None:
            yield from _accuracy_decomposition(change, attribution)


def _change_row(change: ValueChange, measure: Measure) -> tuple[TableCell, ...]:
    scores = [score for score in (change.then, change.now) if score is not None]
    extra = extra_interval_decimals(scores, measure)
    previous, current = (MeasureEstimate(score, measure, extra_decimals=extra) for score in scores)
    difference, interval = difference_cells(measure, change.difference, change.low, change.high)
    p: TableCell = _NOT_TESTED if change.p_adjusted is None else PValue(change.p_adjusted)
    return MeasureName(measure), previous, current, difference, interval, p


def _accuracy_decomposition(
    change: ValueChange, attribution: DriftAttribution
) -> Iterator[tuple[TableCell, ...]]:
    accuracy = get_measure("accuracy")
    decimals = difference_decimals(change.difference, change.low, change.high, accuracy)
    for cause, part in (
        ("class mix", attribution.label_shift_effect),
        ("error rates", attribution.performance_effect),
    ):
        yield f"due to {cause}", None, None, MeasureDifference(accuracy, part, decimals), None, None


_NOT_TESTED = "not tested"
_BINARY, _MAX_CLASSES, _MAX_CLASSIFIERS = 2, 3, 8
_LABEL_SHIFT_TESTS = {
    "chi-square": "χ² test",
    "Fisher": "Fisher's exact test",
    "permutation": "permutation test (small classes)",
}
_TESTS_NOTE = (
    "Tests: class mix (χ²) and recall of every class (score test of two proportions); exact or"
    " permutation tests where expected counts are below five; other measures by the MOVER interval"
    " of the difference. p-values Holm-adjusted, with a third of the level each for class mix,"
    " recall and the other measures; family-wise error rate "
)
_MEASURE_TESTS_NOTE = (
    "Tests: every measure with an interval in both runs, by the MOVER interval of the difference."
    " p-values Holm-adjusted; family-wise error rate "
)
_LIMITS_NOTE = ". Runs are treated as independent samples (conservative where they share cases)."
_RECALL_LIMITS_NOTE = (
    " A drop in recall may be due to the classifier or to harder cases; counts cannot separate the"
    " two."
)


def build_drift_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the significant changes since the last run, the trend and the table of changes."""
    changes = evaluation.drift
    if changes is None:
        return ()
    sentences = tuple(map(Paragraph, _change_sentences(evaluation, changes)))
    figure, table = trend_figure(evaluation, changes), change_table(evaluation, changes)
    return (
        Paragraph((*_baseline_run_sentence(changes), *_input_changes_sentences(changes))),
        *((Bullets(sentences),) if sentences else ()),
        *((figure,) if figure else ()),
        *((table,) if table else ()),
        *_tests_note(evaluation, changes),
    )


def _baseline_run_sentence(changes: DriftAnalysis) -> Iterator[Inline]:
    n_runs = len(changes.runs)
    yield f"Compared with the run of {last_run_label(changes)}, the last one on different data"
    if n_runs > 1:
        yield from (" (", Count(n_runs), " runs shown)")
    yield "."
    if changes.last_run.version != __version__:
        yield (
            f" It used reportgen {changes.last_run.version}, this run {__version__}, which may also"
            " explain differences."
        )


def _input_changes_sentences(changes: DriftAnalysis) -> Iterator[Inline]:
    """Yield how many input files differ from those of the last run, and by how much at least."""
    counts = Counter(change.state for change in changes.input_changes)
    if not counts.keys() - {InputState.UNCHANGED}:
        return
    yield " Input files by their hashes: "
    for index, state in enumerate(state for state in InputState if counts[state]):
        yield ", " if index else ""
        yield from (Count(counts[state]), f" {state}")
    yield "."
    changed = [file for file in changes.input_changes if file.state is InputState.CHANGED]
    for file in changed[:_MAX_DESCRIBED]:
        yield from (" ", InlineCode(file.path), ": ")
        if file.rows_then is None or file.rows_now is None:
            yield "rows then unknown"
        elif file.rows_then == file.rows_now:
            yield from (Count(file.rows_now), " rows then and now")
        else:
            yield from (Count(file.rows_then), " rows then, ", Count(file.rows_now), " now")
        if file.min_changed_cases is not None:
            bound = Count(file.min_changed_cases)
            yield from (", at least ", bound, " cases with another true or predicted class")
        yield "."


def _change_sentences(
    evaluation: Evaluation, changes: DriftAnalysis
) -> Iterator[tuple[Inline, ...]]:
    yield from _label_shift_sentences(changes)
    yield from _recall_change_sentences(changes)
    yield from _measure_change_sentences(evaluation, changes)
    by_verdict: dict[DriftVerdict, list[DriftAttribution]] = {}
    for reason in changes.attributions:
        by_verdict.setdefault(reason.verdict, []).append(reason)
    for verdict, explanation in (
        (DriftVerdict.LABEL_SHIFT, _label_shift_only_sentence),
        (DriftVerdict.NO_SIGNIFICANT_CHANGE, _no_significant_change_sentence),
        (DriftVerdict.UNTESTED, _untested_change_sentence),
        (DriftVerdict.CLASSES_CHANGED, _changed_classes_sentence),
        (DriftVerdict.NEW_CLASSIFIER, _new_classifiers_sentence),
    ):
        if verdict in by_verdict:
            yield tuple(explanation(by_verdict[verdict]))
    if changes.removed_classifiers:
        yield ("No longer evaluated: ", *join_names_abbreviated(changes.removed_classifiers), ".")


def _label_shift_sentences(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    """Yield the significant changes in class mix, and the others together."""
    is_single = len(changes.label_shift_tests) == 1
    for label_shift in changes.label_shift_tests:
        if label_shift.is_significant:
            yield tuple(_label_shift_sentence(label_shift, only_test=is_single))
    nonsignificant = [
        label_shift for label_shift in changes.label_shift_tests if not label_shift.is_significant
    ]
    if nonsignificant:
        smallest = PValue(
            min(label_shift.p_adjusted for label_shift in nonsignificant), with_symbol=True
        )
        names = [name for label_shift in nonsignificant for name in label_shift.classifiers]
        classifiers_phrase: tuple[Inline, ...] = (
            () if is_single else (" for ", *join_names_abbreviated(names))
        )
        plural = len(nonsignificant) > 1
        name = "" if plural else f"{_LABEL_SHIFT_TESTS[nonsignificant[0].test.test]}, "
        figures = (f" ({name}adjusted ", smallest, " at least)." if plural else ").")
        yield ("No significant change in class mix", *classifiers_phrase, *figures)


def _label_shift_sentence(label_shift: LabelShiftTest, *, only_test: bool) -> Iterator[Inline]:
    yield from (
        ("Class mix",) if only_test else ("For ", *join_names_abbreviated(label_shift.classifiers))
    )
    yield "" if only_test else ": class mix"
    yield from (
        f" changed ({_LABEL_SHIFT_TESTS[label_shift.test.test]}, adjusted ",
        PValue(label_shift.p_adjusted, with_symbol=True),
        "): ",
    )
    defined = [share for share in label_shift.prevalence_changes if proportion_change_phrase(share)]
    defined.sort(key=lambda share: -abs(share.difference or 0.0))
    listed_changes = defined[:1] if len(defined) <= _BINARY else defined[:_MAX_CLASSES]
    for number, share in enumerate(listed_changes):
        yield "; " if number else ""
        yield from (Strong(share.class_), ", ", *proportion_change_phrase(share))
    yield "."


def _recall_change_sentences(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    significant = [reason for reason in changes.attributions if reason.significant_recall_changes]
    for reason in significant[:_MAX_CLASSIFIERS]:
        yield Strong(reason.classifier), ": ", *recall_change_phrase(reason, with_values=True), "."
    if len(significant) > _MAX_CLASSIFIERS:
        names = [reason.classifier for reason in significant[_MAX_CLASSIFIERS:]]
        yield ("Recall of some class also changed for ", *join_names_abbreviated(names), ".")


def _measure_change_sentences(
    evaluation: Evaluation, changes: DriftAnalysis
) -> Iterator[tuple[Inline, ...]]:
    """Yield the measures that changed significantly, a sentence for each classifier."""
    names = list(dict.fromkeys(change.classifier for change in changes.significant_value_changes))
    main = primary_measure(evaluation)
    mix_only = {
        change.classifier
        for change in changes.attributions
        if change.verdict is DriftVerdict.LABEL_SHIFT
    }
    for name in names[:_MAX_CLASSIFIERS]:
        phrase = measure_change_phrase(changes, name, main)
        cause = ", which the class mix may explain." if name in mix_only else "."
        yield Strong(name), ": ", *phrase, cause
    if len(names) > _MAX_CLASSIFIERS:
        others = join_names_abbreviated(names[_MAX_CLASSIFIERS:])
        yield ("Measures also changed significantly for ", *others, ".")


def _label_shift_only_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "No significant change in recall for "
    yield from join_names_abbreviated([reason.classifier for reason in attributions])
    yield "."


def _no_significant_change_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "No significant change in any tested quantity for "
    yield from join_names_abbreviated([reason.classifier for reason in attributions])
    yield "; that does not show that nothing changed."


def _untested_change_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "Changes not tested, only estimated (see CIs), for "
    yield from join_names_abbreviated([reason.classifier for reason in attributions])
    yield "."


def _changed_classes_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    first = attributions[0]
    yield "Not tested because the classes differ from that run ("
    parts = (("new: ", first.added_classes), ("removed: ", first.removed_classes))
    for number, (label, names) in enumerate(part for part in parts if part[1]):
        yield f"; {label}" if number else label
        yield from join_names_abbreviated(names)
    yield ")."


def _new_classifiers_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "New since that run: "
    yield from join_names([reason.classifier for reason in attributions])
    yield "."


def _tests_note(evaluation: Evaluation, changes: DriftAnalysis) -> Iterator[Note]:
    alpha = inline_percentage(evaluation.spec.comparison.alpha)
    if any(reason.recall_changes for reason in changes.attributions):
        yield Note((_TESTS_NOTE, alpha, _LIMITS_NOTE, _RECALL_LIMITS_NOTE))
    elif any(change.p is not None for change in changes.value_changes):
        yield Note((_MEASURE_TESTS_NOTE, alpha, _LIMITS_NOTE))
