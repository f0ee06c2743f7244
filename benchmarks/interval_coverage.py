"""Measure how often intervals contain the true value, and write the figures to docs/coverage.md.

Samples are drawn from classifiers whose true values are known; their intervals are found by the
functions that reports use. Run it from the repository: python benchmarks/interval_coverage.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.formulas.as_numpy import as_numpy
from reportgen.intervals.attaching import with_intervals
from reportgen.intervals.matrix import Matrix
from reportgen.intervals.slopes import slopes_of_average, values_of_classes
from reportgen.measures import CATALOGUE, Measure, find_measure
from reportgen.measures.interval import Delta, Proportion, SumOfProportions, ThroughJaccard
from reportgen.scores import Scores, score_counts, score_regression
from reportgen.spec.evidence import Intervals
from reportgen.tallies.confusion import CONFUSION_SCHEMA, ConfusionTally
from reportgen.tallies.regression import RegressionTally, sum_regression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.slopes import Average

SAMPLES = 4000
SIZES = (200, 1000)
SEED = 20060101
ASKED = Intervals()
TARGET = Path(__file__).parents[1] / "docs" / "coverage.md"
LOWEST, HIGHEST = 93.0, 97.0

# Prevalence 0.4, sensitivity 0.8, specificity 0.85; rows true, the positive class first.
BINARY = np.array([[0.4 * 0.8, 0.4 * 0.2], [0.6 * 0.15, 0.6 * 0.85]])
THREE = np.array([[0.40, 0.06, 0.04], [0.05, 0.22, 0.03], [0.04, 0.03, 0.13]])
AVERAGED = ("f1", "precision", "sensitivity", "f2", "jaccard", "youden", "kappa", "mcc")
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")

# y is standard normal and predicted as 0.8 y plus noise of standard deviation 0.6.
SLOPE, NOISE = 0.8, 0.6
MEAN_SQUARE = (1 - SLOPE) ** 2 + NOISE**2
NUMERIC = {
    "rmse": math.sqrt(MEAN_SQUARE),
    "mae": math.sqrt(MEAN_SQUARE * 2 / math.pi),
    "r2": 1 - MEAN_SQUARE,
    "pearson": SLOPE / math.sqrt(SLOPE**2 + NOISE**2),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the intervals of a measure contained its true value."""

    what: str
    method: str
    cases: int
    percent: float
    width: float


def main() -> None:
    """Draw, count, and write the table."""
    rows = [row for cases in SIZES for row in (*binary(cases), *three(cases), *numeric(cases))]
    rows.sort(key=lambda row: row.what)
    TARGET.write_text(_page(rows), encoding="utf-8")
    outside = [row for row in rows if not LOWEST <= row.percent <= HIGHEST]
    print(f"wrote {TARGET.name}: {len(rows)} rows, {len(outside)} outside 93 to 97 %")
    for row in outside:
        print(f"  {row.what}, {row.method}, {row.cases} cases: {row.percent:.1f} %")


def binary(cases: int) -> Iterator[Coverage]:
    """Cover the measures of the positive class of a binary classifier."""
    kinds = (Proportion, SumOfProportions, ThroughJaccard, Delta)
    measures = [each for each in CATALOGUE.values() if isinstance(each.interval, kinds)]
    measures += [each for each in map(find_measure, ("f0.5", "f2")) if each]
    scores = _intervals(BINARY, cases, measures, "a", pl.col("class").is_null())
    per_class = Matrix.of(BINARY).class_counts()
    for measure in measures:
        true = float(values_of_classes(measure, per_class)[0])
        yield _coverage(
            measure.title, _of(scores, measure, pl.col("average").is_null()), true, cases
        )


def three(cases: int) -> Iterator[Coverage]:
    """Cover the whole matrix and the averages of a classifier with three classes."""
    measures = [each for each in map(find_measure, ("accuracy", *AVERAGED)) if each]
    scores = _intervals(THREE, cases, measures, None, pl.col("class").is_null())
    matrix = Matrix.of(THREE)
    for measure in measures:
        if measure.whole is not None:
            true = float(as_numpy(measure.whole, matrix.whole_counts()))
            what = f"{measure.title}, three classes"
            yield _coverage(what, _of(scores, measure, pl.col("average").is_null()), true, cases)
        if measure.name not in AVERAGED:
            continue
        for average in AVERAGES:
            true = slopes_of_average(measure, matrix, average).value
            what = f"{measure.title}, three classes, {average}"
            yield _coverage(what, _of(scores, measure, pl.col("average") == average), true, cases)


def numeric(cases: int) -> Iterator[Coverage]:
    """Cover the measures of numeric predictions."""
    random = np.random.default_rng(SEED)
    truth = random.standard_normal(SAMPLES * cases)
    prediction = SLOPE * truth + NOISE * random.standard_normal(SAMPLES * cases)
    frame = pl.LazyFrame(
        {
            "classifier": np.repeat([f"{number}" for number in range(SAMPLES)], cases),
            "fold": pl.Series([None], dtype=pl.String).extend_constant(None, len(truth) - 1),
            "truth": truth,
            "prediction": prediction,
        }
    )
    tally = RegressionTally(sum_regression(frame).collect())
    measures = {name: CATALOGUE[name] for name in NUMERIC}
    scores = score_regression(tally, list(measures.values()))
    found = with_intervals(scores, None, tally, ASKED, positive=None)
    for name, true in NUMERIC.items():
        measure = measures[name]
        yield _coverage(measure.title, _of(found, measure, pl.lit(value=True)), true, cases)


def _intervals(
    shares: Numbers, cases: int, measures: list[Measure], positive: str | None, kept: pl.Expr
) -> Scores:
    """Draw confusion matrices, each as one classifier, and score them with intervals."""
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(cases, shares.ravel(), size=SAMPLES)
    classes = tuple("abc"[: len(shares)])
    pairs = [(truth, prediction) for truth in classes for prediction in classes]
    frame = pl.DataFrame(
        {
            "classifier": np.repeat([f"{number}" for number in range(SAMPLES)], len(pairs)),
            "fold": pl.Series([None], dtype=pl.String).extend_constant(None, drawn.size - 1),
            "truth": [truth for truth, _ in pairs] * SAMPLES,
            "prediction": [prediction for _, prediction in pairs] * SAMPLES,
            "count": drawn.ravel(),
        },
        schema=CONFUSION_SCHEMA,
    )
    tally = ConfusionTally(frame, classes)
    scores = Scores(score_counts(tally, measures, positive).frame.filter(kept))
    if positive is not None:
        scores = Scores(scores.frame.filter(pl.col("average").is_null()))
    return with_intervals(scores, tally, None, ASKED, positive=positive)


def _of(scores: Scores, measure: Measure, which: pl.Expr) -> pl.DataFrame:
    return scores.frame.filter(which, pl.col("measure") == measure.name)


def _coverage(what: str, rows: pl.DataFrame, true: float, cases: int) -> Coverage:
    low = rows["low"].fill_null(-math.inf).to_numpy()
    high = rows["high"].fill_null(math.inf).to_numpy()
    has = rows["interval"].is_not_null().to_numpy()
    usual = rows["interval"].drop_nulls().mode().sort()[0]
    covered = has & (low <= true) & (true <= high)
    width = (high - low)[np.isfinite(high - low) & has]
    return Coverage(what, usual, cases, 100 * covered.sum() / has.sum(), float(width.mean()))


def _page(rows: list[Coverage]) -> str:
    lines = [f"| {_cells(row)} |" for row in rows]
    return f"""# How often intervals contain the true value

Written by `python benchmarks/interval_coverage.py`; {SAMPLES} samples for each row, drawn from
classifiers whose true values are known (seed {SEED}), so a share of 95 % is found to about
± 0.7 points. Intervals are to contain the true value in 95 % of samples. Binary: prevalence 0.4,
sensitivity 0.8, specificity 0.85. Three classes: shares 0.5, 0.3 and 0.2, three quarters of the
answers right. Numbers: normal, correlated by 0.8.

| measure | method | cases | coverage | mean width |
| --- | --- | ---: | ---: | ---: |
{chr(10).join(lines)}
"""


def _cells(row: Coverage) -> str:
    return f"{row.what} | {row.method} | {row.cases} | {row.percent:.1f} % | {row.width:.4f}"


if __name__ == "__main__":
    main()
