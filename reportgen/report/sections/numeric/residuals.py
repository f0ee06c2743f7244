"""How far off numeric predictions are, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.report.charts.cases import Dots, Scatter, ScatterPanel
from reportgen.report.document import Column, Figure, Paragraph, RowGroup, Table
from reportgen.report.findings.leading import best_first, leading, left_out
from reportgen.report.parts import Estimate, Strong
from reportgen.report.sections.numeric.residual_groups import (
    about_ends,
    biased_among,
    ends_of,
    groups_of,
    rounded,
    where,
)
from reportgen.report.words.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.report.charts.lines import Span
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part
    from reportgen.report.sections.numeric.residual_groups import ResidualGroup
    from reportgen.tallies.scatter import ScatterTally

MOST_MODELS, MOST_IN_FULL, MOST_SPOKEN_OF = 4, 12, 4
MOST_DOTS, FEWEST_OF_A_TREND = 600, 3
MARGIN = 0.04
TESTED = "A bias is named only where a sign test shows it at the level of the report"


def residuals(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw predictions against the truth and what they lack, and say how near they are."""
    tally = evaluation.predictions.scatter
    if tally is None or tally.cells.is_empty():
        return ()
    shown = leading(evaluation, MOST_MODELS, MOST_IN_FULL)
    return (
        _against_the_truth(evaluation, tally, shown),
        _against_the_prediction(evaluation, tally, shown),
        *left_out(evaluation, shown, "model"),
        _distances(evaluation, tally),
    )


def _against_the_truth(evaluation: Evaluation, tally: ScatterTally, shown: Sequence[str]) -> Figure:
    panels = tuple(_panel(evaluation, tally, name, "truth") for name in shown)
    ends = {name: ends_of(tally, name) for name in shown}
    points = [dots.point for panel in panels for dots in panel.dots]
    both = _span([number for point in points for number in point])
    chart = Scatter(
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
        Paragraph(tuple(_ends_in_words(evaluation, tally, ends))),
        Paragraph((f"{TESTED}.", *about_ends([group for each in ends.values() for group in each]))),
    )


def _ends_in_words(
    evaluation: Evaluation, tally: ScatterTally, ends: Mapping[str, Sequence[ResidualGroup]]
) -> Iterator[Part]:
    """Say how near the best is and what it does at the ends, and how many others do so too."""
    best = next(name for name in best_first(evaluation) if name in ends)
    biased = biased_among(evaluation, ends)
    yield from _nearness(tally, best)
    for at, group in enumerate(biased[best]):
        yield " and " if at else "; it "
        yield from _bias(group)
    yield "."
    yield from _how_many(list(biased.values()))


def _how_many(biased: Sequence[Sequence[ResidualGroup]]) -> Iterator[str]:
    """Count the models with a bias at the ends, or in all cases, if there are several models."""
    found = [group for each in biased for group in each]
    counts = {
        "high values too low": sum(group.is_last and group.residual > 0 for group in found),
        "low values too high": sum(group.is_first and group.residual < 0 for group in found),
        "values too low": sum(group.is_alone and group.residual > 0 for group in found),
        "values too high": sum(group.is_alone and group.residual < 0 for group in found),
    }
    said = [
        f"{number} clearly put{'s' if number == 1 else ''} {values}"
        for values, number in counts.items()
        if number
    ]
    if said and len(biased) > 1:
        yield f" Of the {len(biased)} models, {' and '.join(said)}."


def _against_the_prediction(
    evaluation: Evaluation, tally: ScatterTally, shown: Sequence[str]
) -> Figure:
    panels = tuple(_panel(evaluation, tally, name, "residual") for name in shown)
    points = [dots.point for panel in panels for dots in panel.dots]
    across = _span([x for x, _ in points])
    chart = Scatter(
        x_label="predicted value",
        y_label="true minus predicted",
        panels=panels,
        x_range=across,
        y_range=_span([0.0, *(y for _, y in points)]),
        reference=((across[0], 0.0), (across[1], 0.0)),
        reference_label="no error",
        trend_label="median" if any(panel.trend for panel in panels) else "",
    )
    groups = {name: groups_of(tally, name, "prediction") for name in shown}
    return Figure(
        "residuals",
        "Residuals against predictions",
        chart,
        Paragraph(tuple(_biases_in_words(biased_among(evaluation, groups)))),
        Paragraph((f"{TESTED}, counting all groups of each model.",)),
    )


def _panel(evaluation: Evaluation, tally: ScatterTally, name: str, plot: str) -> ScatterPanel:
    found = tally.dots(name, plot, MOST_DOTS)
    dots = tuple(Dots((x, y), cases) for x, y, cases in found.select("x", "y", "cases").rows())
    trend: tuple[tuple[float, float], ...] = ()
    if plot == "residual":
        groups = _of(tally.groups, name).filter(pl.col("by") == "prediction")
        medians = tuple(groups.select("middle", "residual").rows())
        trend = medians if len(medians) >= FEWEST_OF_A_TREND else ()
    return ScatterPanel(name, evaluation.order(name), dots, trend)


def _span(numbers: Sequence[float]) -> Span:
    """Return a span a little wider than the numbers, also where they are equal."""
    low, high = min(numbers), max(numbers)
    room = (high - low) * MARGIN or abs(high) * MARGIN or 1.0
    return low - room, high + room


def _nearness(tally: ScatterTally, name: str) -> Iterator[Part]:
    ((half, most),) = _of(tally.distances, name).select("half_within", "most_within").rows()
    yield "Half of the predictions of "
    yield Strong(name)
    yield " are within "
    yield rounded(half)
    yield " of the truth, nine in ten within "
    yield rounded(most)


def _bias(group: ResidualGroup) -> Iterator[Part]:
    yield "underestimates true values" if group.residual > 0 else "overestimates true values"
    yield from where(group)
    yield " by "
    yield rounded(abs(group.residual))
    yield " in the median"


def _biases_in_words(biased: Mapping[str, Sequence[ResidualGroup]]) -> Iterator[Part]:
    """Say of each model with a bias where it is worst, and who has none."""
    some = [name for name, groups in biased.items() if groups]
    for name in some[:MOST_SPOKEN_OF]:
        worst = max(biased[name], key=lambda group: abs(group.residual))
        yield "The predictions of "
        yield Strong(name)
        yield from where(worst)
        yield " are too low by " if worst.residual > 0 else " are too high by "
        yield rounded(abs(worst.residual))
        yield " in the median. "
    without = [name for name in biased if name not in some]
    if without:
        yield "The predictions of "
        yield from names_in_a_row(without)
        yield " are nowhere clearly too high or too low."


def _distances(evaluation: Evaluation, tally: ScatterTally) -> Table:
    columns = (
        Column("Model"),
        Column("Half are within", numeric=True),
        Column("Nine in ten are within", numeric=True),
        Column("True minus predicted, median", numeric=True),
    )
    numbers = ("half_within", "most_within", "residual")
    rows: list[tuple[Cell, ...]] = [
        (name, *map(Estimate, _of(tally.distances, name).select(numbers).row(0)))
        for name in evaluation.measured
    ]
    return Table("distances", "How near the predictions are", columns, (RowGroup(tuple(rows)),))


def _of(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.filter(pl.col("classifier") == name)
