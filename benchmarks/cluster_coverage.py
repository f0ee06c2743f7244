"""Measure how often intervals of clustered and weighted cases contain the true value.

Intervals are found by the functions that reports use. Writes its part of docs/coverage.md. Run it
from the repository: python -m benchmarks.cluster_coverage
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import expit, ndtr

from benchmarks.hard_settings import Binormal
from benchmarks.score_coverage import design_aggregates, scored_with_intervals
from benchmarks.tables import COVERAGE, head, percent, row, simulation_error, write_part
from reportgen.aggregates.design import LabelDesign, SampleDesign
from reportgen.aggregates.effective_shares import regression_shares
from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.confidence.counts import intervals_per_class
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.design_effects import DesignEffects, Estimand
from reportgen.evaluation.values import compute_regression_values
from reportgen.measures import get_measure
from reportgen.measures.measure import (
    DeltaMethod,
    ProductOfProportions,
    Proportion,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.spec.inference import IntervalSettings
from reportgen.statistics.proportions import bonett_price_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.statistics import FloatArray, IndexArray

SEED = 20061118
CORRELATION = 0.5
MEAN_SIZE = 10
MODELS = {"AUC 0.85": Binormal(0.85, 0.4), "AUC 0.97": Binormal(0.97, 0.4)}
# The prevalence of a cluster has a beta distribution; two of its truths are correlated by ρ / 2.
TRUTH_CORRELATION = CORRELATION / 2
COUNTED = ("accuracy", "sensitivity", "specificity", "precision", "f1", "mcc", "lr_positive")
SCORED = ("roc_auc", "average_precision", "brier", "log_loss")
NUMERIC = ("rmse", "mae", "r2", "pearson")
COUNT_METHODS = (
    Proportion,
    SumOfProportions,
    ProductOfProportions,
    TransformedWilson,
    DeltaMethod,
)
CLASSES = ("no", "yes")
LEVEL = 0.95
SETTINGS = IntervalSettings()


@dataclass(frozen=True, slots=True)
class Design:
    """Sizes of the clusters, and whether cases are weighted by 1, 2 and 5."""

    sizes: tuple[int, ...]
    has_weights: bool = False

    @property
    def clusters(self) -> IndexArray:
        """The cluster of each case."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def unequal(clusters: int) -> tuple[int, ...]:
    """Return sizes of clusters, exponentially distributed: a few clusters have most cases."""
    sizes = np.random.default_rng(SEED).exponential(MEAN_SIZE, clusters)
    return tuple(np.ceil(sizes).astype(int).tolist())


DESIGNS = {
    "20 clusters of 10": Design((10,) * 20),
    "40 clusters of 10": Design((10,) * 40),
    "100 clusters of 4": Design((4,) * 100),
    "40 unequal clusters": Design(unequal(40)),
    "100 unequal clusters": Design(unequal(100)),
    "40 clusters of 10, weights": Design((10,) * 40, has_weights=True),
    "400 cases, weights": Design((1,) * 400, has_weights=True),
}


def draw_scores(rng: np.random.Generator, design: Design, model: Binormal) -> pl.DataFrame:
    """Draw truth, and scores of two equally good classifiers, which depend within clusters."""
    clusters, units = design.clusters, len(design.sizes)
    scale = (1 - TRUTH_CORRELATION) / TRUTH_CORRELATION
    share = rng.beta(model.prevalence * scale, (1 - model.prevalence) * scale, units)[clusters]
    truth = rng.random(len(clusters)) < share
    if not 0 < truth.sum() < len(truth):
        return draw_scores(rng, design, model)
    columns: dict[str, object] = {"truth": np.where(truth, "yes", "no")}
    for name in "AB":
        noise = math.sqrt(CORRELATION) * rng.standard_normal(units)[clusters]
        noise += math.sqrt(1 - CORRELATION) * rng.standard_normal(len(clusters))
        odds = model.log_odds(model.apart * truth + noise)
        columns |= {name: np.where(odds > 0, "yes", "no"), f"score {name}": expit(odds)}
    return _with_design(rng, columns, design)


def draw_numbers(rng: np.random.Generator, design: Design) -> pl.DataFrame:
    """Draw standard normal truths and predictions with normal errors, which depend in clusters."""
    clusters, units = design.clusters, len(design.sizes)

    def draw() -> FloatArray:
        own = math.sqrt(1 - CORRELATION) * rng.standard_normal(len(clusters))
        return np.asarray(own + math.sqrt(CORRELATION) * rng.standard_normal(units)[clusters])

    truth = draw()
    columns: dict[str, object] = {"truth": truth}
    columns |= {name: 0.8 * truth + 0.6 * draw() for name in "AB"}
    return _with_design(rng, columns, design)


def _with_design(
    rng: np.random.Generator, columns: dict[str, object], design: Design
) -> pl.DataFrame:
    return pl.DataFrame({**columns, "w": rng.choice([1.0, 2.0, 5.0], len(design.clusters))})


def true_values(model: Binormal) -> dict[str, float]:
    """Return the true values of a classifier that predicts the more probable class."""
    place, positive, negative = model.integrate()
    odds = model.log_odds(place)
    probability = expit(odds)
    limit = float(np.interp(0.0, odds, place))
    sensitivity, specificity = float(ndtr(model.apart - limit)), float(ndtr(limit))
    tp, tn = model.prevalence * sensitivity, (1 - model.prevalence) * specificity
    fn, fp = model.prevalence - tp, 1 - model.prevalence - tn
    return {
        "accuracy": tp + tn,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "lr_positive": sensitivity / (1 - specificity),
        "roc_auc": model.area,
        "average_precision": model.average_precision(),
        "brier": float((positive * (1 - probability) ** 2 + negative * probability**2).sum()),
        "log_loss": float(
            (positive * np.logaddexp(0, -odds) + negative * np.logaddexp(0, odds)).sum()
        ),
    }


TABLES: dict[str, Binormal | None] = {**MODELS, "numbers": None}
NUMERIC_VALUES = {
    "rmse": math.sqrt(0.4),
    "mae": math.sqrt(0.4 * 2 / math.pi),
    "r2": 0.6,
    "pearson": 0.8,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a value or difference in one sample."""

    name: str
    low: float
    high: float


def score_limits(table: pl.DataFrame, design: Design) -> Iterator[Limits]:
    """Yield the limits of measures of counts, scores and probabilities, as a report has them."""
    sample = _sample_design(table, design)
    truth = (table["truth"] == "yes").cast(pl.Int64).to_numpy()
    answers = {name: (table[name] == "yes").cast(pl.Int64).to_numpy() for name in "AB"}
    effects = DesignEffects(LabelDesign(sample, CLASSES, truth, answers), LEVEL)
    yield from _count_limits(effects)
    yield from _difference_limits(effects, table)
    cases = ScoredCases(
        CLASSES,
        ("yes",),
        truth,
        tuple(
            ClassifierScores(
                name,
                pl.Series("fold", [None] * len(truth), pl.String),
                (),
                table[f"score {name}"].to_numpy()[:, None],
                table[f"score {name}"].to_numpy()[:, None],
            )
            for name in "AB"
        ),
        counts=sample.counts * sample.case_weights if design.has_weights else None,
    )
    measures = [get_measure(name) for name in SCORED]
    yield from _frame_limits(scored_with_intervals(cases, SETTINGS, measures, sample).frame)


def number_limits(table: pl.DataFrame, design: Design) -> Iterator[Limits]:
    """Yield the limits of measures of numeric predictions."""
    sample = _sample_design(table, design)
    frame = table.select(
        "truth", classifier=pl.lit("A"), fold=pl.lit(None, pl.String), prediction="A"
    )
    sums = RegressionSums(sum_regression(frame.lazy()).collect())
    aggregates = design_aggregates(
        table.height, sample, regression_shares({"A": frame}, sample, LEVEL)
    )
    values = compute_regression_values(sums, [get_measure(name) for name in NUMERIC])
    yield from _frame_limits(
        add_confidence_intervals(
            values, None, sums, SETTINGS, positive=None, aggregates=aggregates
        ).frame
    )


def _sample_design(table: pl.DataFrame, design: Design) -> SampleDesign:
    weights = None
    if design.has_weights:
        weights = table["w"].to_numpy() * (table.height / float(table["w"].sum()))
    clusters = design.clusters if max(design.sizes) > 1 else None
    return SampleDesign(np.ones(table.height), clusters, weights)


def _count_limits(effects: DesignEffects) -> Iterator[Limits]:
    tn, fp, fn, tp = effects.labels.counts("A").ravel()
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    for name in COUNTED:
        measure = get_measure(name)
        if not isinstance(measure.interval, COUNT_METHODS):
            raise TypeError(name)
        limits = intervals_per_class(
            measure,
            measure.interval,
            {key: np.array([count]) for key, count in counts.items()},
            SETTINGS,
            np.array([effects.weight("A", Estimand(measure, "yes"))]),
        )
        if limits.method[0]:
            yield Limits(name, float(limits.low[0]), float(limits.high[0]))


def _difference_limits(effects: DesignEffects, table: pl.DataFrame) -> Iterator[Limits]:
    """Yield the limits of the difference in accuracy (Bonett and Price), as a report has them."""
    weights = effects.design.counts * effects.design.case_weights
    correct = [(table[name] == table["truth"]).to_numpy() for name in "AB"]
    discordant = [float(weights @ (one & ~other)) for one, other in (correct, correct[::-1])]
    share = effects.difference_weight(("A", "B"), Estimand(get_measure("accuracy"), "yes"))
    first, second = (count * share for count in discordant)
    limits = bonett_price_interval(first, second, float(weights.sum()) * share, LEVEL)
    yield Limits("difference in accuracy", limits.low, limits.high)


def _frame_limits(frame: pl.DataFrame) -> Iterator[Limits]:
    known = frame.filter(
        pl.col("classifier") == "A", pl.col("average").is_null(), pl.col("method").is_not_null()
    )
    for name, low, high in known.select("measure", "low", "high").rows():
        yield Limits(name, -math.inf if low is None else low, math.inf if high is None else high)


def measure_coverage(
    design: Design, model: Binormal | None, repetitions: int
) -> dict[str, tuple[int, int]]:
    """Return in how many samples an interval holds the true value, and how many have one."""
    rng = np.random.default_rng(SEED)
    true = NUMERIC_VALUES if model is None else true_values(model) | {"difference in accuracy": 0.0}
    covered = dict.fromkeys(true, (0, 0))
    for _ in range(repetitions):
        limits = (
            number_limits(draw_numbers(rng, design), design)
            if model is None
            else score_limits(draw_scores(rng, design, model), design)
        )
        for one in limits:
            inside, total = covered[one.name]
            covered[one.name] = inside + (one.low <= true[one.name] <= one.high), total + 1
    return {key: counts for key, counts in covered.items() if counts[1]}


def introduction(repetitions: int) -> Iterator[str]:
    """Yield what all tables have in common."""
    yield f"""## Clusters and weights

{repetitions} samples a column (simulation error of a coverage of 95 %
{simulation_error(repetitions)} percentage points, seed {SEED}). Two scores of a cluster are
correlated by {CORRELATION:g} within a class and two truths by {TRUTH_CORRELATION:g}; scores are
binormal, with the AUC named, 40 % positives and the true probabilities. Unequal clusters have
exponentially distributed sizes of {MEAN_SIZE} on average; weights are 1, 2 and 5. Numeric errors
are normal, correlated by {CORRELATION:g} within a cluster. The true difference in accuracy is 0.

```console
python -m benchmarks.cluster_coverage --repetitions {repetitions}
```
"""


def table_lines(title: str, model: Binormal | None, repetitions: int) -> Iterator[str]:
    """Yield the lines of a table: a column per design."""
    columns = {
        name: measure_coverage(design, model, repetitions)
        for name, design in DESIGNS.items()
        if model is not None or not design.has_weights
    }
    measures = list(dict.fromkeys(name for column in columns.values() for name in column))
    yield from head(title, *columns)
    for name in measures:
        counts = [column.get(name) for column in columns.values()]
        yield row(name, *("" if not both else percent(both[0] / both[1]) for both in counts))


def main() -> None:
    """Simulate, and write the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--output", type=Path, default=COVERAGE)
    arguments = parser.parse_args()
    times: int = arguments.repetitions
    write_part(arguments.output, "clusters and weights", introduction(times))
    for title in arguments.tables:
        lines = table_lines(title, TABLES[title], times)
        write_part(arguments.output, f"clusters and weights: {title}", lines)


if __name__ == "__main__":
    main()
