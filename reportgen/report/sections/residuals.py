"""Error analysis of numeric predictions: residuals, bias and absolute-error quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.charts import ScatterBin, ScatterPanel, ScatterPlot
from reportgen.report.document import Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.inline import Estimate, PlainNumber, Strong
from reportgen.report.phrases import join_names
from reportgen.report.selection import (
    classifier_color,
    omitted_classifiers_paragraph,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.regression import ScatterSummary
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.residuals import ResidualGroup, ResidualSummary
    from reportgen.report.charts import AxisRange
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Groups of neighbouring cases and their median residuals.

_SIGNIFICANT_DIGITS, _RANGE_DIGITS = 3, 4


def residual_groups(evaluation: Evaluation, names: Sequence[str]) -> dict[str, list[ResidualGroup]]:
    """Return the groups of some models in order of their predictions."""
    return {
        name: [group for group in evaluation.residual_groups if group.classifier == name]
        for name in names
    }


def _biased_groups(
    groups: Mapping[str, Sequence[ResidualGroup]],
) -> dict[str, list[ResidualGroup]]:
    """Return, by model, the groups with a significant bias."""
    return {
        name: [group for group in model_groups if group.is_biased]
        for name, model_groups in groups.items()
    }


def group_range_phrase(group: ResidualGroup) -> Iterator[Inline]:
    """Yield the range of values of a group; nothing if it holds all cases."""
    if group.is_only:
        return
    low, high = (round_significant(end, _RANGE_DIGITS) for end in (group.minimum, group.maximum))
    if group.is_lowest:
        yield from (" up to ", high)
    elif group.is_highest:
        yield from (" of ", low, " or more")
    else:
        yield from (" from ", low, " to ", high)


def round_significant(number: float, digits: int = _SIGNIFICANT_DIGITS) -> PlainNumber:
    """Return a number rounded to significant digits."""
    return PlainNumber(float(f"{number:.{digits}g}"))


_MAX_MODELS, _MAX_MODELS_FULL, _MAX_DESCRIBED = 4, 12, 4
_MAX_BINS, _MIN_TREND_POINTS = 600, 3
_AXIS_MARGIN = 0.04
_REGRESSION_TO_THE_MEAN = (
    "Even the best possible predictions lie above low and below high observed values (regression to"
    " the mean). That is no bias: bias is tested against the predicted value."
)
_SIGN_TEST_NOTE = "Bias is reported only where a sign test is significant (Bonferroni)"


def build_residuals_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return predicted-vs-observed and residual plots, and the absolute-error quantiles."""
    scatter = evaluation.aggregates.scatter
    if scatter is None or scatter.cells.is_empty():
        return ()
    displayed = top_classifiers(evaluation, _MAX_MODELS, _MAX_MODELS_FULL)
    return (
        _predicted_vs_observed_figure(evaluation, scatter, displayed),
        _residual_figure(evaluation, scatter, displayed),
        *omitted_classifiers_paragraph(evaluation, displayed, "model"),
        _error_quantiles_table(evaluation),
    )


def _predicted_vs_observed_figure(
    evaluation: Evaluation, scatter: ScatterSummary, names: Sequence[str]
) -> Figure:
    panels = tuple(_scatter_panel(evaluation, scatter, name, "truth") for name in names)
    points = [dots.point for panel in panels for dots in panel.bins]
    axis_range = _axis_range([number for point in points for number in point])
    chart = ScatterPlot(
        x_label="Observed value",
        y_label="Predicted value",
        panels=panels,
        x_range=axis_range,
        y_range=axis_range,
        reference=((axis_range[0], axis_range[0]), (axis_range[1], axis_range[1])),
        reference_label="predicted = observed",
        square=True,
    )
    return Figure(
        "predicted-against-true",
        "Predicted vs observed",
        chart,
        Paragraph((*_absolute_error_sentence(_summary(evaluation, names[0])), ".")),
        Paragraph((_REGRESSION_TO_THE_MEAN,)),
    )


def _residual_figure(
    evaluation: Evaluation, scatter: ScatterSummary, names: Sequence[str]
) -> Figure:
    panels = tuple(_scatter_panel(evaluation, scatter, name, "residual") for name in names)
    points = [dots.point for panel in panels for dots in panel.bins]
    x_range = _axis_range([x for x, _ in points])
    chart = ScatterPlot(
        x_label="Predicted value",
        y_label="Residual (observed − predicted)",
        panels=panels,
        x_range=x_range,
        y_range=_axis_range([0.0, *(y for _, y in points)]),
        reference=((x_range[0], 0.0), (x_range[1], 0.0)),
        reference_label="zero error",
        trend_label="median" if any(panel.trend for panel in panels) else "",
    )
    groups = residual_groups(evaluation, names)
    return Figure(
        "residuals",
        "Residuals vs predicted",
        chart,
        Paragraph(tuple(_describe_biases(_biased_groups(groups)))),
        Paragraph((f"{_SIGN_TEST_NOTE}, counting all groups of each model.",)),
    )


def _scatter_panel(
    evaluation: Evaluation, scatter: ScatterSummary, name: str, plot: str
) -> ScatterPanel:
    bins = scatter.binned_points(name, plot, _MAX_BINS)
    dots = tuple(ScatterBin((x, y), cases) for x, y, cases in bins.select("x", "y", "cases").rows())
    trend: tuple[tuple[float, float], ...] = ()
    if plot == "residual":
        groups = residual_groups(evaluation, [name])[name]
        medians = tuple((group.median, group.median_residual) for group in groups)
        trend = medians if len(medians) >= _MIN_TREND_POINTS else ()
    return ScatterPanel(name, classifier_color(evaluation, name), dots, trend)


def _axis_range(numbers: Sequence[float]) -> AxisRange:
    """Return an axis range slightly wider than the numbers."""
    low, high = min(numbers), max(numbers)
    padding = (high - low) * _AXIS_MARGIN or abs(high) * _AXIS_MARGIN or 1.0
    return low - padding, high + padding


def _summary(evaluation: Evaluation, name: str) -> ResidualSummary:
    return next(summary for summary in evaluation.residual_summaries if summary.classifier == name)


def _absolute_error_sentence(summary: ResidualSummary) -> Iterator[Inline]:
    yield "Absolute error of "
    yield Strong(summary.classifier)
    yield ": median "
    yield round_significant(summary.half_within)
    yield ", 90th percentile "
    yield round_significant(summary.most_within)


def _describe_biases(biased_groups: Mapping[str, Sequence[ResidualGroup]]) -> Iterator[Inline]:
    """Yield the largest bias of each model, and the models without a significant bias."""
    biased = [name for name, groups in biased_groups.items() if groups]
    for name in biased[:_MAX_DESCRIBED]:
        worst = max(biased_groups[name], key=lambda group: abs(group.median_residual))
        yield "Predictions of "
        yield Strong(name)
        yield from group_range_phrase(worst)
        yield " are too low (median " if worst.median_residual > 0 else " are too high (median "
        yield round_significant(abs(worst.median_residual))
        yield "). "
    unbiased = [name for name in biased_groups if name not in biased]
    if unbiased:
        yield "No significant bias: "
        yield from join_names(unbiased)
        yield "."


def _error_quantiles_table(evaluation: Evaluation) -> Table:
    columns = (
        Column("Model"),
        Column("Median absolute error", numeric=True),
        Column("90th percentile of absolute error", numeric=True),
        Column("Median residual", numeric=True),
    )
    rows: list[tuple[TableCell, ...]] = [
        (
            summary.classifier,
            *map(Estimate, (summary.half_within, summary.most_within, summary.median_residual)),
        )
        for summary in evaluation.residual_summaries
    ]
    return Table("distances", "Absolute error quantiles", columns, (RowGroup(tuple(rows)),))
