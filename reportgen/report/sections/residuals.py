"""How far off numeric predictions are, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.report.charts import ScatterBin, ScatterPanel, ScatterPlot
from reportgen.report.document import Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import TO_PERCENT
from reportgen.report.inline import Estimate, PlainNumber, Strong
from reportgen.report.phrases import join_names
from reportgen.report.selection import (
    classifiers_best_first,
    omitted_classifiers_paragraph,
    top_classifiers,
)
from reportgen.statistics.paired_tests import mcnemar_exact_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.regression import ScatterSummary
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.charts import AxisRange
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Neighbouring cases of a regression: where they lie, and if their predictions are biased.

_SIGNIFICANT_DIGITS, _RANGE_DIGITS, _PERCENT_DIGITS = 3, 4, 2
_NO_EXTREMES_NOTE = (
    " The true values are too few or too much alike to tell high ones from low ones."
)


@dataclass(frozen=True, slots=True)
class ResidualGroup:
    """Neighbouring cases: where they lie, and what their predictions lack in the median."""

    index: int
    n_groups: int
    proportion: float
    minimum: float
    maximum: float
    median_residual: float
    n_underestimated: int
    n_overestimated: int

    @property
    def is_only(self) -> bool:
        """Tell whether all cases are in this group."""
        return self.n_groups == 1

    @property
    def is_lowest(self) -> bool:
        """Tell whether no cases lie before, though some lie beyond."""
        return self.index == 0 and not self.is_only

    @property
    def is_highest(self) -> bool:
        """Tell whether no cases lie beyond, though some lie before."""
        return self.index == self.n_groups - 1 and not self.is_only


def residual_groups(scatter: ScatterSummary, name: str, ordered_by: str) -> list[ResidualGroup]:
    """Return the groups of cases in order of their truth or of their prediction."""
    chosen = scatter.residual_groups.filter(
        pl.col("classifier") == name, pl.col("by") == ordered_by
    )
    share = pl.col("cases") / pl.col("cases").sum()
    columns = ("least", "most", "residual", "too_low", "too_high")
    rows = chosen.sort("group").select(share.alias("share"), *columns).rows()
    # Equal values may leave groups empty, so those there are are counted.
    return [ResidualGroup(at, len(rows), *row) for at, row in enumerate(rows)]


def extreme_residual_groups(scatter: ScatterSummary, name: str) -> list[ResidualGroup]:
    """Return the cases of the lowest and of the highest true values, or all as one group."""
    found = residual_groups(scatter, name, "truth")
    return found if len(found) == 1 else [found[0], found[-1]]


def find_biased_groups(
    evaluation: Evaluation, groups: Mapping[str, Sequence[ResidualGroup]]
) -> dict[str, list[ResidualGroup]]:
    """Return, by model, the groups with a bias, allowing for all that were looked at."""
    looked_at = sum(map(len, groups.values()))
    return {
        name: [
            group for group in found if _is_significantly_biased(evaluation, name, group, looked_at)
        ]
        for name, found in groups.items()
    }


def _is_significantly_biased(
    evaluation: Evaluation, name: str, group: ResidualGroup, n_tests: int
) -> bool:
    """Tell whether a fair coin would hardly have split the errors so, of so many looked at."""
    weight = evaluation.aggregates.case_weight(name)
    p = mcnemar_exact_p(int(group.n_underestimated * weight), int(group.n_overestimated * weight))
    return group.median_residual != 0 and p * n_tests <= evaluation.spec.comparison.alpha


def group_range_phrase(group: ResidualGroup) -> Iterator[Inline]:
    """Say which values a group has; nothing if it has all."""
    if group.is_only:
        return
    yield " up to " if group.is_lowest else " from "
    yield round_significant(group.maximum if group.is_lowest else group.minimum, _RANGE_DIGITS)
    if group.is_highest:
        yield " on"
    elif not group.is_lowest:
        yield " to "
        yield round_significant(group.maximum, _RANGE_DIGITS)


def describe_extremes(extremes: Sequence[ResidualGroup]) -> Iterator[Inline]:
    """Say how many of the cases the low and the high values are: equal values are not parted."""
    low = [group.proportion for group in extremes if group.is_lowest]
    high = [group.proportion for group in extremes if group.is_highest]
    if not low:
        yield _NO_EXTREMES_NOTE
        return
    yield " Low values are the lowest "
    yield from _percentage_range(low)
    yield " of the cases, high values the highest "
    yield from _percentage_range(high)
    yield "."


def _percentage_range(proportions: Sequence[float]) -> Iterator[Inline]:
    """Write a share, or the least and the largest where models have different cases."""
    least, most = (_round_percentage(end) for end in (min(proportions), max(proportions)))
    if least != most:
        yield from (PlainNumber(least), " to ")
    yield PlainNumber(most, unit="%")


def _round_percentage(proportion: float) -> float:
    """Return a share in per cent, with two digits of it or of what it lacks: it is not all."""
    smaller = round_significant(
        TO_PERCENT * min(proportion, 1 - proportion), _PERCENT_DIGITS
    ).number
    return smaller if proportion <= 1 / 2 else round(TO_PERCENT - smaller, 9)


def round_significant(number: float, digits: int = _SIGNIFICANT_DIGITS) -> PlainNumber:
    """Return a number with as many digits as a sentence needs."""
    return PlainNumber(float(f"{number:.{digits}g}"))


_MAX_MODELS, _MAX_MODELS_FULL, _MAX_DESCRIBED = 4, 12, 4
_MAX_BINS, _MIN_TREND_POINTS = 600, 3
_AXIS_MARGIN = 0.04
_SIGN_TEST_NOTE = "A bias is named only where a sign test shows it at the level of the report"


def build_residuals_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw predictions against the truth and what they lack, and say how near they are."""
    tally = evaluation.aggregates.scatter
    if tally is None or tally.cells.is_empty():
        return ()
    shown = top_classifiers(evaluation, _MAX_MODELS, _MAX_MODELS_FULL)
    return (
        _predicted_vs_observed_figure(evaluation, tally, shown),
        _residual_figure(evaluation, tally, shown),
        *omitted_classifiers_paragraph(evaluation, shown, "model"),
        _error_quantiles_table(evaluation, tally),
    )


def _predicted_vs_observed_figure(
    evaluation: Evaluation, scatter: ScatterSummary, names: Sequence[str]
) -> Figure:
    panels = tuple(_scatter_panel(evaluation, scatter, name, "truth") for name in names)
    ends = {name: extreme_residual_groups(scatter, name) for name in names}
    points = [dots.point for panel in panels for dots in panel.bins]
    both = _axis_range([number for point in points for number in point])
    chart = ScatterPlot(
        x_label="true value",
        y_label="predicted value",
        panels=panels,
        x_range=both,
        y_range=both,
        reference=((both[0], both[0]), (both[1], both[1])),
        reference_label="predicted = true",
        square=True,
    )
    return Figure(
        "predicted-against-true",
        "Predicted against true",
        chart,
        Paragraph(tuple(_describe_bias_at_extremes(evaluation, scatter, ends))),
        Paragraph(
            (
                f"{_SIGN_TEST_NOTE}.",
                *describe_extremes([group for each in ends.values() for group in each]),
            )
        ),
    )


def _describe_bias_at_extremes(
    evaluation: Evaluation, scatter: ScatterSummary, extremes: Mapping[str, Sequence[ResidualGroup]]
) -> Iterator[Inline]:
    """Say how near the best is and what it does at the ends, and how many others do so too."""
    best = next(name for name in classifiers_best_first(evaluation) if name in extremes)
    biased = find_biased_groups(evaluation, extremes)
    yield from _absolute_error_sentence(scatter, best)
    for at, group in enumerate(biased[best]):
        yield " and " if at else "; it "
        yield from _bias_clause(group)
    yield "."
    yield from _count_biased_models(list(biased.values()))


def _count_biased_models(biased_groups: Sequence[Sequence[ResidualGroup]]) -> Iterator[str]:
    """Count the models with a bias at the ends, or in all cases, if there are several models."""
    found = [group for each in biased_groups for group in each]
    counts = {
        "high values too low": sum(
            group.is_highest and group.median_residual > 0 for group in found
        ),
        "low values too high": sum(
            group.is_lowest and group.median_residual < 0 for group in found
        ),
        "values too low": sum(group.is_only and group.median_residual > 0 for group in found),
        "values too high": sum(group.is_only and group.median_residual < 0 for group in found),
    }
    said = [
        f"{number} clearly put{'s' if number == 1 else ''} {values}"
        for values, number in counts.items()
        if number
    ]
    if said and len(biased_groups) > 1:
        yield f" Of the {len(biased_groups)} models, {' and '.join(said)}."


def _residual_figure(
    evaluation: Evaluation, scatter: ScatterSummary, names: Sequence[str]
) -> Figure:
    panels = tuple(_scatter_panel(evaluation, scatter, name, "residual") for name in names)
    points = [dots.point for panel in panels for dots in panel.bins]
    across = _axis_range([x for x, _ in points])
    chart = ScatterPlot(
        x_label="predicted value",
        y_label="true minus predicted",
        panels=panels,
        x_range=across,
        y_range=_axis_range([0.0, *(y for _, y in points)]),
        reference=((across[0], 0.0), (across[1], 0.0)),
        reference_label="no error",
        trend_label="median" if any(panel.trend for panel in panels) else "",
    )
    groups = {name: residual_groups(scatter, name, "prediction") for name in names}
    return Figure(
        "residuals",
        "Residuals against predictions",
        chart,
        Paragraph(tuple(_describe_biases(find_biased_groups(evaluation, groups)))),
        Paragraph((f"{_SIGN_TEST_NOTE}, counting all groups of each model.",)),
    )


def _scatter_panel(
    evaluation: Evaluation, scatter: ScatterSummary, name: str, plot: str
) -> ScatterPanel:
    found = scatter.binned_points(name, plot, _MAX_BINS)
    dots = tuple(
        ScatterBin((x, y), cases) for x, y, cases in found.select("x", "y", "cases").rows()
    )
    trend: tuple[tuple[float, float], ...] = ()
    if plot == "residual":
        groups = _rows_of_model(scatter.residual_groups, name).filter(pl.col("by") == "prediction")
        medians = tuple(groups.select("middle", "residual").rows())
        trend = medians if len(medians) >= _MIN_TREND_POINTS else ()
    return ScatterPanel(name, evaluation.classifier_index(name), dots, trend)


def _axis_range(numbers: Sequence[float]) -> AxisRange:
    """Return a span a little wider than the numbers, also where they are equal."""
    low, high = min(numbers), max(numbers)
    room = (high - low) * _AXIS_MARGIN or abs(high) * _AXIS_MARGIN or 1.0
    return low - room, high + room


def _absolute_error_sentence(scatter: ScatterSummary, name: str) -> Iterator[Inline]:
    ((half, most),) = (
        _rows_of_model(scatter.residual_quantiles, name).select("half_within", "most_within").rows()
    )
    yield "Half of the predictions of "
    yield Strong(name)
    yield " are within "
    yield round_significant(half)
    yield " of the truth, nine in ten within "
    yield round_significant(most)


def _bias_clause(group: ResidualGroup) -> Iterator[Inline]:
    yield "underestimates true values" if group.median_residual > 0 else "overestimates true values"
    yield from group_range_phrase(group)
    yield " by "
    yield round_significant(abs(group.median_residual))
    yield " in the median"


def _describe_biases(biased_groups: Mapping[str, Sequence[ResidualGroup]]) -> Iterator[Inline]:
    """Say of each model with a bias where it is worst, and who has none."""
    some = [name for name, groups in biased_groups.items() if groups]
    for name in some[:_MAX_DESCRIBED]:
        worst = max(biased_groups[name], key=lambda group: abs(group.median_residual))
        yield "The predictions of "
        yield Strong(name)
        yield from group_range_phrase(worst)
        yield " are too low by " if worst.median_residual > 0 else " are too high by "
        yield round_significant(abs(worst.median_residual))
        yield " in the median. "
    without = [name for name in biased_groups if name not in some]
    if without:
        yield "The predictions of "
        yield from join_names(without)
        yield " are nowhere clearly too high or too low."


def _error_quantiles_table(evaluation: Evaluation, scatter: ScatterSummary) -> Table:
    columns = (
        Column("Model"),
        Column("Half are within", numeric=True),
        Column("Nine in ten are within", numeric=True),
        Column("True minus predicted, median", numeric=True),
    )
    numbers = ("half_within", "most_within", "residual")
    rows: list[tuple[TableCell, ...]] = [
        (
            name,
            *map(Estimate, _rows_of_model(scatter.residual_quantiles, name).select(numbers).row(0)),
        )
        for name in evaluation.measured_classifiers
    ]
    return Table("distances", "How near the predictions are", columns, (RowGroup(tuple(rows)),))


def _rows_of_model(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.filter(pl.col("classifier") == name)
