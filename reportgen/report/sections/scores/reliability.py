"""How far probabilities hold: what was said against what came true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.intervals.scores import calibration_groups
from reportgen.report.charts.lines import Bars, LineChart, Marker, Reference, Series
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import drawn_of, not_drawn
from reportgen.report.parts import Count, Plain, Strong
from reportgen.report.sections.scores.curve_values import (
    MOST_AREAS,
    MOST_BANDS,
    names_of,
    values_beside,
)
from reportgen.report.words.level import level_of
from reportgen.report.words.wording import note_of
from reportgen.statistics.calibration import debiased_error, root_mean_squared_error
from reportgen.statistics.proportions import wilson_limits
from reportgen.tallies.probabilities import BINS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

DECIMALS = 3
# A share of fewer cases jumps about and hides the others.
FEWEST = 5
WITHOUT_BIAS = (
    " Chance widens the gaps from the diagonal. Their root mean square can be freed of that bias"
    " (Kumar, Liang and Ma 2019): "
)


def reliability_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw how far probabilities hold, if any classifier gives some."""
    tally = evaluation.predictions.calibration
    if tally is None or tally.frame.is_empty():
        return
    filled = tally.frame.filter(pl.col("cases") >= FEWEST)
    if filled.is_empty():
        return
    names = [name for name in names_of(evaluation) if name in set(filled["classifier"])]
    drawn = drawn_of(evaluation, names)
    few = len(drawn) <= MOST_BANDS
    chart = LineChart(
        "probability that was said",
        "share that came true",
        tuple(
            _series(evaluation, name, filled.filter(pl.col("classifier") == name), few=few)
            for name in drawn
        ),
        references=(Reference((0.0, 0.0), (1.0, 1.0), "as said"),),
        square=True,
        bars=tuple(_bars(evaluation, name, tally.frame) for name in drawn) if few else (),
        bars_label="cases in each bin",
    )
    reading: tuple[Part, ...] = (
        (
            "Where a curve lies below the diagonal, the probabilities promise more than comes"
            " true; above it, less. Each mark is a bin of equal width with at least "
        ),
        Count(FEWEST),
        " cases.",
        *values_beside(evaluation, "ece", names, None),
        *_without_bias(evaluation, names),
    )
    note = note_of(_about_bars(evaluation) if few else (), not_drawn(evaluation, names))
    title = "How far the probabilities hold"
    yield Figure("reliability", title, chart, Paragraph(reading), note)


def _series(evaluation: Evaluation, name: str, rows: pl.DataFrame, *, few: bool) -> Series:
    """Return a line through the bins, with Wilson's intervals where the lines are few."""
    bins = rows.sort("bin")
    sure = (bins["confidence_sum"] / bins["cases"]).to_list()
    right = (bins["hits"] / bins["cases"]).to_list()
    places = tuple(zip(sure, right, strict=True))
    weight = evaluation.predictions.weight_of(name)
    low, high = wilson_limits(
        bins["hits"].to_numpy() * weight,
        bins["cases"].to_numpy() * weight,
        evaluation.spec.intervals.level,
    )
    markers = tuple(
        Marker(place, low=ends[0], high=ends[1]) if few else Marker(place)
        for place, ends in zip(places, zip(low.tolist(), high.tolist(), strict=True), strict=True)
    )
    return Series(name, places, evaluation.order(name), markers=markers)


def _bars(evaluation: Evaluation, name: str, frame: pl.DataFrame) -> Bars:
    """Return how many cases each bin has, also those with too few for a mark."""
    rows = frame.filter(pl.col("classifier") == name, pl.col("cases") > 0).sort("bin")
    found = zip(rows["bin"].to_list(), rows["cases"].to_list(), strict=True)
    bars = tuple((at / BINS, (at + 1) / BINS, float(cases)) for at, cases in found)
    return Bars(name, evaluation.order(name), bars)


def _about_bars(evaluation: Evaluation) -> tuple[Part, ...]:
    return (
        "The thin bars are ",
        level_of(evaluation),
        " intervals of each bin by itself.",
    )


def _without_bias(evaluation: Evaluation, names: Sequence[str]) -> Iterator[Part]:
    """Say how far probabilities are off as a root mean square, which can be freed of its bias."""
    tally = evaluation.predictions.calibration
    if tally is None or len(names) > MOST_AREAS:
        return
    known = ((name, calibration_groups(tally, name)) for name in names)
    found = [(name, groups) for name, groups in known if groups is not None]
    for at, (name, groups) in enumerate(found):
        yield WITHOUT_BIAS if at == 0 else "; "
        yield Strong(name)
        yield " "
        yield Plain(root_mean_squared_error(*groups), DECIMALS)
        yield " as found, about "
        yield Plain(debiased_error(*groups, evaluation.predictions.weight_of(name)), DECIMALS)
        yield " without it"
    if found:
        yield "."
