"""Monitoring over all runs: the e-value after every run, and alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.charts import LineChart, LinePanels, Marker, ReferenceLine, Series
from reportgen.report.document import Bullets, Figure, Note, Paragraph
from reportgen.report.formatting import inline_percentage
from reportgen.report.inline import Count, PlainNumber
from reportgen.report.phrases import monitoring_alarm_phrase, monitoring_subject, run_date_label
from reportgen.report.selection import classifier_color, omitted_in_results_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.monitoring import MonitoredQuantity
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline

_MAX_PANELS, _MAX_QUANTITIES = 6, 12
_MAX_MARKERS = 30
_PADDING = 0.3
_READING = (
    "Decimal logarithm of the e-value: below 0 the data speak for no change, at the threshold an"
    " alarm is raised."
)
_NOTE = (
    " is the chance that any alarm is ever false, over all runs and quantities (e-processes,"
    " Ville's inequality). Assumed: every run is on new, independent cases. No alarm does not show"
    " that nothing changed."
)


def build_monitoring_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the alarms and the e-value of every monitored quantity over the runs."""
    monitoring = evaluation.monitoring
    if monitoring is None:
        return ()
    quantities = monitoring.quantities
    sentences = tuple(
        Paragraph(tuple(_quantity_sentence(quantity))) for quantity in quantities[:_MAX_QUANTITIES]
    )
    panels = tuple(
        _panel(quantity, classifier_color(evaluation, quantity.classifier))
        for quantity in quantities[:_MAX_PANELS]
    )
    return (
        Bullets(sentences),
        Figure(
            "monitoring",
            "Evidence of a change over the runs",
            panels[0] if len(panels) == 1 else LinePanels(panels, columns=2),
            Paragraph((_READING,)),
        ),
        Note((inline_percentage(monitoring.error_rate), _NOTE)),
        *((omitted_in_results_note(),) if len(quantities) > _MAX_PANELS else ()),
    )


def _quantity_sentence(quantity: MonitoredQuantity) -> Iterator[Inline]:
    if quantity.alarm is not None:
        yield from monitoring_alarm_phrase(quantity)
        yield "."
        return
    yield from monitoring_subject(quantity)
    yield from (": no alarm in ", Count(len(quantity.points)))
    yield f" run{'' if len(quantity.points) == 1 else 's'} (log₁₀ e-value "
    yield PlainNumber(quantity.points[-1].log10_e, 2)
    yield from (", alarm at ", PlainNumber(quantity.log10_threshold, 2), ").")


def _panel(quantity: MonitoredQuantity, color_index: int) -> LineChart:
    points = tuple((float(at), point.log10_e) for at, point in enumerate(quantity.points))
    values = [0.0, quantity.log10_threshold, *(value for _, value in points)]
    end = max(float(len(points)) - 0.5, 0.5)
    title = get_measure(quantity.measure).title
    against = "reference" if quantity.kind == "reference" else "limit"
    return LineChart(
        "",
        f"{quantity.classifier}, {title} vs {against}",
        (
            Series(
                quantity.classifier,
                points,
                color_index,
                markers=tuple(map(Marker, points)) if len(points) <= _MAX_MARKERS else (),
            ),
        ),
        x_range=(-0.5, end),
        y_range=(min(values) - _PADDING, max(values) + _PADDING),
        references=(
            ReferenceLine(
                (-0.5, quantity.log10_threshold), (end, quantity.log10_threshold), "Alarm"
            ),
        ),
        x_tick_labels=tuple(
            (float(at), run_date_label(point)) for at, point in enumerate(quantity.points)
        ),
    )
