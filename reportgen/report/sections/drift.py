"""How the main measures went from run to run, and what changed since the last one."""

from __future__ import annotations

import math
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.evaluation.drift import DriftVerdict
from reportgen.measures import Orientation, get_measure
from reportgen.report.charts import ConfidenceBand, LineChart, LinePanels, Marker, Series
from reportgen.report.document import Bullets, Column, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.formatting import (
    confidence_level,
    difference_cells,
    difference_decimals,
    extra_interval_decimals,
    inline_percentage,
    inline_values,
)
from reportgen.report.inline import (
    Count,
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
    proportion_change_phrase,
    recall_change_phrase,
    run_labels,
)
from reportgen.report.sections.curves import MAX_BANDS
from reportgen.report.selection import (
    MAX_CURVES,
    is_full_detail,
    omitted_classifiers_phrase,
    plotted_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import (
        DriftAnalysis,
        DriftAttribution,
        LabelShiftTest,
        MeasureTrend,
        ValueChange,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.charts import AxisRange
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# The main measures from run to run, with their intervals.

_NOW = "now"
_MAX_MEASURES, _MAX_DESCRIBED = 4, 4
# Of more values than this in a panel bars and marks would hide each other.
_MAX_BARS = 45
# Bars of classifiers stand side by side in at most this share of the room of a run.
_MAX_OFFSET, _MAX_TOTAL_OFFSET = 0.1, 0.5
_AXIS_PADDING = 0.06


class UncertaintyStyle(Enum):
    """How it is drawn how sure values are: by bars or bands, or not at all."""

    BARS = "Bars"
    BANDS = "Bands"
    LINES = "Lines"


def trend_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the first few measures that earlier runs have finite values of, the main one first."""
    changes = evaluation.drift
    known = {
        trend.measure
        for trend in (changes.trends if changes else ())
        if any(score is not None and score.value is not None for score in trend.values[:-1])
    }
    main = primary_measure(evaluation)
    ordered = dict.fromkeys([*([main] if main else []), *evaluation.overall_measures])
    directed = [each for each in ordered if each.orientation is not Orientation.NEITHER]
    return tuple(each for each in directed if each.name in known)[:_MAX_MEASURES]


def trend_classifiers(evaluation: Evaluation, changes: DriftAnalysis) -> tuple[str, ...]:
    """Return the classifiers that earlier runs have values of: all, or the best of many."""
    names = tuple(
        dict.fromkeys(trend.classifier for trend in changes.trends if any(trend.values[:-1]))
    )
    return names if len(names) <= MAX_CURVES else plotted_classifiers(evaluation, names)


def trend_figure(evaluation: Evaluation, changes: DriftAnalysis) -> Figure | None:
    """Draw the main measures over the runs, one panel each."""
    measures, names = trend_measures(evaluation), trend_classifiers(evaluation, changes)
    if not measures or not names:
        return None
    panels = tuple(_trend_panel(evaluation, changes, measure, names) for measure in measures)
    several = len(measures) > 1
    title = "run by run" if several else f"{measures[0].title}, run by run"
    return Figure(
        "history",
        f"The main measures, {title}" if several else title,
        LinePanels(panels, columns=2) if several else panels[0],
        Paragraph(tuple(_figure_description(changes, measures[0], names))),
        join_sentences(
            _interval_note(evaluation, _uncertainty_style(changes, names)),
            ("Runs stand at equal distances, whatever the time between them; days are in UTC.",),
            _omitted_trends_note(evaluation, changes, names),
        ),
    )


def _uncertainty_style(changes: DriftAnalysis, names: Sequence[str]) -> UncertaintyStyle:
    if (len(changes.runs) + 1) * len(names) <= _MAX_BARS:
        return UncertaintyStyle.BARS
    return UncertaintyStyle.BANDS if len(names) <= MAX_BANDS else UncertaintyStyle.LINES


def _interval_note(evaluation: Evaluation, style: UncertaintyStyle) -> tuple[Inline, ...]:
    if style is UncertaintyStyle.LINES:
        return ("Intervals are not drawn, as those of so many would hide each other.",)
    return f"{style.value} are ", confidence_level(evaluation), " intervals."


def _omitted_trends_note(
    evaluation: Evaluation, changes: DriftAnalysis, names: Sequence[str]
) -> tuple[Inline, ...]:
    known = {trend.classifier for trend in changes.trends if any(trend.values[:-1])}
    said = omitted_classifiers_phrase(evaluation, len(names), len(known))
    return (*said, ".") if said else ()


def _figure_description(
    changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> Iterator[Inline]:
    """Say of the first measure where it began and where it is now."""
    days = (*run_labels(changes), _NOW)
    yield f"{measure.title}: "
    told = [trend for trend in _select_trends(changes, measure, names) if _finite_values(trend)][
        :_MAX_DESCRIBED
    ]
    for number, trend in enumerate(told):
        at, scores = zip(*_finite_values(trend), strict=True)
        yield "; " if number else ""
        yield Strong(trend.classifier)
        first, last = inline_values(measure, scores[0], scores[-1])
        yield from (
            " ",
            first,
            f" {_run_phrase(days[at[0]])}, ",
            last,
            f" {_run_phrase(days[at[-1]])}",
        )
    yield "."


def _run_phrase(day: str) -> str:
    return day if day == _NOW else f"on {day}"


def _select_trends(
    changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> list[MeasureTrend]:
    found = {each.classifier: each for each in changes.trends if each.measure == measure.name}
    return [found[name] for name in names if name in found]


def _finite_values(trend: MeasureTrend) -> list[tuple[int, MeasureValue]]:
    return [
        (at, score)
        for at, score in enumerate(trend.values)
        if score is not None and score.value is not None
    ]


def _trend_panel(
    evaluation: Evaluation, changes: DriftAnalysis, measure: Measure, names: Sequence[str]
) -> LineChart:
    trends = _select_trends(changes, measure, names)
    days = (*run_labels(changes), _NOW)
    drawn = _uncertainty_style(changes, names)
    step = (
        min(_MAX_OFFSET, _MAX_TOTAL_OFFSET / len(names)) if drawn is UncertaintyStyle.BARS else 0.0
    )
    return LineChart(
        "",
        measure.title,
        tuple(
            series
            for number, trend in enumerate(trends)
            for series in _trend_series(
                trend,
                evaluation.classifier_index(trend.classifier),
                step * (number - (len(trends) - 1) / 2),
                drawn,
            )
        ),
        x_range=(-0.5, len(days) - 0.5),
        y_range=_value_range(trends, measure),
        x_tick_labels=tuple(enumerate(map(str, days))),
    )


def _trend_series(
    trend: MeasureTrend, color_index: int, offset: float, style: UncertaintyStyle
) -> Iterator[Series]:
    """Yield one line for each row of runs that all have a value."""
    finite = _finite_values(trend)
    for _, group in groupby(enumerate(finite), key=lambda item: item[1][0] - item[0]):
        piece = [found for _, found in group]
        points = tuple((at + offset, score.value or 0.0) for at, score in piece)
        yield Series(
            trend.classifier,
            points,
            color_index,
            band=_trend_band(piece) if style is UncertaintyStyle.BANDS else None,
            # A single point is no line.
            markers=tuple(_trend_marker(at + offset, score) for at, score in piece)
            if style is UncertaintyStyle.BARS or len(piece) == 1
            else (),
        )


def _trend_marker(x: float, value: MeasureValue) -> Marker:
    whole = value.low is not None and value.high is not None
    ends = (value.low, value.high) if whole else (None, None)
    return Marker((x, value.value or 0.0), low=ends[0], high=ends[1])


def _trend_band(run_values: Sequence[tuple[int, MeasureValue]]) -> ConfidenceBand | None:
    ends = [(at, score.low, score.high) for at, score in run_values]
    if any(low is None or high is None for _, low, high in ends):
        return None
    return ConfidenceBand(
        tuple((float(at), low or 0.0) for at, low, _ in ends),
        tuple((float(at), high or 0.0) for at, _, high in ends),
    )


def _value_range(trends: Sequence[MeasureTrend], measure: Measure) -> AxisRange:
    """Return a range that holds all values and ends, a little wider, within that of the measure."""
    numbers = [
        number
        for trend in trends
        for _, score in _finite_values(trend)
        for number in (score.value, score.low, score.high)
        if number is not None and math.isfinite(number)
    ]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    room = (high - low) * _AXIS_PADDING or abs(high) * _AXIS_PADDING or 1.0
    least, most = measure.range.low, measure.range.high
    return (
        low - room if least is None else max(least, low - room),
        high + room if most is None else min(most, high + room),
    )


# The values of the last run and of now, with what their differences are due to.

_DECOMPOSITION_NOTE = (
    "The difference in accuracy is the sum of two parts: what the other mix of classes does at the"
    " same rates, and what other rates do at the same mix (Kitagawa 1955). They are estimates; the"
    " tests say what is more than chance."
)


def change_table(evaluation: Evaluation, changes: DriftAnalysis) -> Table | None:
    """Show then, now and the difference of the main measures, one group for each classifier."""
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
    heads = ("Measure", last_run_label(changes), "Now", "Difference", "Interval of it")
    split = any(reason.label_shift_effect is not None for reason in changes.attributions)
    is_split = split and any(measure.name == "accuracy" for measure in measures)
    return Table(
        "changes",
        "What changed since the last run on other data",
        tuple(Column(head, numeric=number > 0) for number, head in enumerate(heads)),
        groups,
        Paragraph((_DECOMPOSITION_NOTE,)) if is_split else None,
    )


def _group_heading(attribution: DriftAttribution) -> Iterator[Inline]:
    yield Strong(attribution.classifier)
    match attribution.verdict:
        case DriftVerdict.NO_SIGNIFICANT_CHANGE:
            yield ": no more than chance would give"
        case DriftVerdict.LABEL_SHIFT:
            yield ": the mix of classes changed"
        case DriftVerdict.PERFORMANCE_SHIFT:
            yield from (": it ", *recall_change_phrase(attribution, with_values=False))
        case DriftVerdict.BOTH:
            yield ": the mix of classes changed, and it "
            yield from recall_change_phrase(attribution, with_values=False)
        case DriftVerdict.CLASSES_CHANGED:
            yield ": other classes than then"
        case DriftVerdict.NEW_CLASSIFIER:
            yield ": new since then"
        case DriftVerdict.UNTESTED:
            yield ": not tested"


def _change_rows(
    changes: DriftAnalysis, attribution: DriftAttribution, measures: tuple[Measure, ...]
) -> Iterator[tuple[TableCell, ...]]:
    found = {
        each.measure: each
        for each in changes.value_changes
        if each.classifier == attribution.classifier
    }
    for measure in measures:
        change = found.get(measure.name)
        if change is None or change.then is None or change.now is None:
            continue
        yield _change_row(change, measure)
        if measure.name == "accuracy" and attribution.label_shift_effect is not None:
            yield from _accuracy_decomposition(change, attribution)


def _change_row(change: ValueChange, measure: Measure) -> tuple[TableCell, ...]:
    scores = [score for score in (change.then, change.now) if score is not None]
    extra = extra_interval_decimals(scores, measure)
    then, now = (MeasureEstimate(score, measure, extra_decimals=extra) for score in scores)
    difference, interval = difference_cells(measure, change.difference, change.low, change.high)
    return MeasureName(measure), then, now, difference, interval


def _accuracy_decomposition(
    change: ValueChange, attribution: DriftAttribution
) -> Iterator[tuple[TableCell, ...]]:
    accuracy = get_measure("accuracy")
    decimals = difference_decimals(change.difference, change.low, change.high, accuracy)
    for said, part in (
        ("the mix of classes", attribution.label_shift_effect),
        ("the rates", attribution.performance_effect),
    ):
        yield f"of which by {said}", None, None, MeasureDifference(accuracy, part, decimals), None


_BINARY, _MAX_CLASSES, _MAX_CLASSIFIERS = 2, 3, 8
_LABEL_SHIFT_TESTS = {
    "chi-square": "chi-square test",
    "Fisher": "Fisher's exact test",
    "permutation": "permutation test, as some classes have few cases",
}
_TESTS_NOTE = (
    "Two questions are tested: whether the classes have the same shares of the cases as in that run"
    " (chi-square), and of every class whether the same share of it is recognised (the score test"
    " of two shares). Where fewer than five cases are expected, an exact or a permutation test"
    " takes their place. All p-values are adjusted (Holm, half the level for each question), so"
    " that the chance of any false claim is at most "
)
_LIMITS_NOTE = (
    ". Both runs are taken as independent samples, which is on the safe side where they share"
    " cases. That a class is recognised less often may be due to the classifier or to harder cases:"
    " counts cannot tell these apart."
)


def build_drift_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say what changed since the last run and by what, and show how the values went."""
    changes = evaluation.drift
    if changes is None:
        return ()
    sentences = tuple(map(Paragraph, _change_sentences(changes)))
    figure, table = trend_figure(evaluation, changes), change_table(evaluation, changes)
    return (
        Paragraph(tuple(_baseline_run_sentence(changes))),
        *((Bullets(sentences),) if sentences else ()),
        *((figure,) if figure else ()),
        *((table,) if table else ()),
        *_tests_note(evaluation, changes),
    )


def _baseline_run_sentence(changes: DriftAnalysis) -> Iterator[Inline]:
    many = len(changes.runs)
    yield f"This run is compared with that of {last_run_label(changes)}, the last one on other data"
    yield "." if many == 1 else ";"
    if many > 1:
        yield from (" ", Count(many), " such runs are shown.")
    if changes.last_run.version != __version__:
        yield (
            f" That one was made by reportgen {changes.last_run.version}, this one by {__version__}:"
            " what differs may be due to that as well."
        )


def _change_sentences(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    yield from _label_shift_sentences(changes)
    yield from _recall_change_sentences(changes)
    by_verdict: dict[DriftVerdict, list[DriftAttribution]] = {}
    for reason in changes.attributions:
        by_verdict.setdefault(reason.verdict, []).append(reason)
    for verdict, said in (
        (DriftVerdict.LABEL_SHIFT, _label_shift_only_sentence),
        (DriftVerdict.NO_SIGNIFICANT_CHANGE, _no_significant_change_sentence),
        (DriftVerdict.UNTESTED, _untested_change_sentence),
        (DriftVerdict.CLASSES_CHANGED, _changed_classes_sentence),
        (DriftVerdict.NEW_CLASSIFIER, _new_classifiers_sentence),
    ):
        if verdict in by_verdict:
            yield tuple(said(by_verdict[verdict]))
    if changes.removed_classifiers:
        were, are = ("was", "is") if len(changes.removed_classifiers) == 1 else ("were", "are")
        yield (
            *join_names_abbreviated(changes.removed_classifiers),
            f" {were} measured then and {are} not any more.",
        )


def _label_shift_sentences(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    """Tell of every mix that is shown to have changed, and of all others together."""
    alone = len(changes.label_shift_tests) == 1
    for mix in changes.label_shift_tests:
        if mix.is_significant:
            yield tuple(_label_shift_sentence(mix, only_test=alone))
    still = [mix for mix in changes.label_shift_tests if not mix.is_significant]
    if still:
        least = PValue(min(mix.p_adjusted for mix in still), with_symbol=True)
        names = [name for mix in still for name in mix.classifiers]
        whose: tuple[Inline, ...] = () if alone else (" for ", *join_names_abbreviated(names))
        many = len(still) > 1
        test = "" if many else f"{_LABEL_SHIFT_TESTS[still[0].test.test]}, "
        figures = (f" ({test}", least, " at the least)." if many else ").")
        yield ("It is not shown that the mix of classes changed", *whose, *figures)


def _label_shift_sentence(label_shift: LabelShiftTest, *, only_test: bool) -> Iterator[Inline]:
    yield from (
        ("The mix of classes",)
        if only_test
        else ("For ", *join_names_abbreviated(label_shift.classifiers))
    )
    yield "" if only_test else " the mix of classes"
    yield from (
        f" changed ({_LABEL_SHIFT_TESTS[label_shift.test.test]}, ",
        PValue(label_shift.p_adjusted, with_symbol=True),
        "): ",
    )
    known = [share for share in label_shift.prevalence_changes if proportion_change_phrase(share)]
    known.sort(key=lambda share: -abs(share.difference or 0.0))
    told = known[:1] if len(known) <= _BINARY else known[:_MAX_CLASSES]
    for number, share in enumerate(told):
        yield "; " if number else ""
        yield from (Strong(share.class_), ", ", *proportion_change_phrase(share))
    yield "."


def _recall_change_sentences(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    shown = [reason for reason in changes.attributions if reason.significant_recall_changes]
    for reason in shown[:_MAX_CLASSIFIERS]:
        yield Strong(reason.classifier), " ", *recall_change_phrase(reason, with_values=True), "."
    if len(shown) > _MAX_CLASSIFIERS:
        names = [reason.classifier for reason in shown[_MAX_CLASSIFIERS:]]
        verb = "recognises" if len(names) == 1 else "recognise"
        yield (*join_names_abbreviated(names), f" {verb} some class more or less often as well.")


def _label_shift_only_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    names = [reason.classifier for reason in attributions]
    verb = "is" if len(names) == 1 else "are"
    yield from join_names_abbreviated(names)
    yield f" {verb} not shown to recognise any class more or less often."


def _no_significant_change_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "What changed for "
    yield from join_names_abbreviated([reason.classifier for reason in attributions])
    yield " is no more than chance would give."


def _untested_change_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    yield "What changed for "
    yield from join_names_abbreviated([reason.classifier for reason in attributions])
    yield (
        " is not tested, only estimated: the interval of a difference says how far chance may"
        " reach."
    )


def _changed_classes_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    first = attributions[0]
    yield "The classes are not those of that run, so that nothing is tested ("
    parts = (("new: ", first.added_classes), ("gone: ", first.removed_classes))
    for number, (word, names) in enumerate(each for each in parts if each[1]):
        yield f"; {word}" if number else word
        yield from join_names_abbreviated(names)
    yield ")."


def _new_classifiers_sentence(attributions: list[DriftAttribution]) -> Iterator[Inline]:
    names = [reason.classifier for reason in attributions]
    yield from join_names(names)
    yield f" {'is' if len(names) == 1 else 'are'} new since that run."


def _tests_note(evaluation: Evaluation, changes: DriftAnalysis) -> Iterator[Note]:
    if any(reason.recall_changes for reason in changes.attributions):
        yield Note((_TESTS_NOTE, inline_percentage(evaluation.spec.comparison.alpha), _LIMITS_NOTE))
