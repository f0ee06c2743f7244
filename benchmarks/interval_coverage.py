"""Measure how often intervals contain the true value, and write the figures to docs/coverage.md.

Samples are drawn from classifiers whose true values are known; their intervals are found by the
functions that reports use. Run it from the repository: python -m benchmarks.interval_coverage
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.covered import coverage
from benchmarks.hard_settings import HEADS, average_rows, hard_rows
from benchmarks.score_coverage import score_rows
from benchmarks.tables import COVERAGE, write_part
from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema
from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.evaluation.confidence.gradient import (
    SparseConfusionMatrix,
    gradient_of_average,
    values_per_class,
)
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.values import (
    MeasureValues,
    compute_count_values,
    compute_regression_values,
)
from reportgen.measures import MEASURE_REGISTRY, Measure, find_measure
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.invariance import is_function_of_counts
from reportgen.measures.measure import (
    DeltaMethod,
    ProductOfProportions,
    Proportion,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.spec.inference import IntervalSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.covered import Coverage
    from benchmarks.hard_settings import HardRow
    from reportgen.measures import Average
    from reportgen.statistics import FloatArray

SIZES = (200, 1000)
SEED = 20060101
SETTINGS = IntervalSettings()
LOWEST, HIGHEST = 93.0, 97.0
TABLES = ("intervals", "averages")

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


def main() -> None:
    """Draw, count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=4000, help="samples for each row")
    parser.add_argument("--of-scores", type=int, default=2000, help="for measures of scores")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--output", type=Path, default=COVERAGE)
    options = parser.parse_args()
    if "averages" in options.tables:
        write_part(options.output, "averages", _averages(options.repetitions))
    if "intervals" in options.tables:
        _write_intervals(options.output, options.repetitions, options.of_scores)


def _write_intervals(output: Path, samples: int, of_scores: int) -> None:
    rows = [
        row
        for cases in SIZES
        for row in (*binary(cases, samples), *three(cases, samples), *numeric(cases, samples))
    ]
    rows += score_rows(SIZES, of_scores, SEED)
    rows.sort(key=lambda row: row.what)
    hard = list(hard_rows(samples, of_scores, SEED))
    write_part(output, "intervals", [_page(rows, hard, samples, of_scores)])
    outside = [row for row in rows if not LOWEST <= row.percent <= HIGHEST]
    print(f"wrote {output.name}: {len(rows)} rows, {len(outside)} outside 93 to 97 %")
    for row in outside:
        print(f"  {row.what}, {row.method}, {row.cases} cases: {row.percent:.1f} %")


def binary(cases: int, samples: int) -> Iterator[Coverage]:
    """Cover the measures of the positive class of a binary classifier."""
    kinds = (Proportion, SumOfProportions, ProductOfProportions, TransformedWilson, DeltaMethod)
    measures = [
        candidate
        for candidate in MEASURE_REGISTRY.values()
        if isinstance(candidate.interval, kinds) and is_function_of_counts(candidate)
    ]
    measures += [candidate for candidate in map(find_measure, ("f0.5", "f2")) if candidate]
    scores = _intervals(BINARY, (cases, samples), measures, "a", pl.col("class").is_null())
    per_class = SparseConfusionMatrix.from_dense(BINARY).class_counts
    for measure in measures:
        true = float(values_per_class(measure, per_class)[0])
        yield coverage(
            measure.title, _of(scores, measure, pl.col("average").is_null()), true, cases
        )


def three(cases: int, samples: int) -> Iterator[Coverage]:
    """Cover the whole matrix and the averages of a classifier with three classes."""
    measures = [candidate for candidate in map(find_measure, ("accuracy", *AVERAGED)) if candidate]
    scores = _intervals(THREE, (cases, samples), measures, None, pl.col("class").is_null())
    matrix = SparseConfusionMatrix.from_dense(THREE)
    for measure in measures:
        if measure.overall_formula is not None:
            true = float(evaluate_formula(measure.overall_formula, matrix.overall_counts))
            what = f"{measure.title}, three classes"
            yield coverage(what, _of(scores, measure, pl.col("average").is_null()), true, cases)
        if measure.name not in AVERAGED:
            continue
        for average in AVERAGES:
            true = gradient_of_average(measure, matrix, average).value
            what = f"{measure.title}, three classes, {average}"
            yield coverage(what, _of(scores, measure, pl.col("average") == average), true, cases)


def numeric(cases: int, samples: int) -> Iterator[Coverage]:
    """Cover the measures of numeric predictions."""
    random = np.random.default_rng(SEED)
    truth = random.standard_normal(samples * cases)
    prediction = SLOPE * truth + NOISE * random.standard_normal(samples * cases)
    frame = pl.LazyFrame(
        {
            "classifier": np.repeat([f"{number}" for number in range(samples)], cases),
            "fold": pl.Series([None], dtype=pl.String).extend_constant(None, len(truth) - 1),
            "truth": truth,
            "prediction": prediction,
        }
    )
    tally = RegressionSums(sum_regression(frame).collect())
    measures = {name: MEASURE_REGISTRY[name] for name in NUMERIC}
    scores = compute_regression_values(tally, list(measures.values()))
    intervals = add_confidence_intervals(scores, None, tally, SETTINGS, positive=None)
    for name, true in NUMERIC.items():
        measure = measures[name]
        yield coverage(measure.title, _of(intervals, measure, pl.lit(value=True)), true, cases)


def _intervals(
    shares: FloatArray,
    size: tuple[int, int],
    measures: list[Measure],
    positive: str | None,
    condition: pl.Expr,
) -> MeasureValues:
    """Draw confusion matrices, each as one classifier, and score them with intervals."""
    cases, samples = size
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(cases, shares.ravel(), size=samples)
    classes = tuple("abc"[: len(shares)])
    pairs = [(truth, prediction) for truth in classes for prediction in classes]
    frame = pl.DataFrame(
        {
            "classifier": np.repeat([f"{number}" for number in range(samples)], len(pairs)),
            "fold": pl.Series([None], dtype=pl.String).extend_constant(None, drawn.size - 1),
            "truth": [truth for truth, _ in pairs] * samples,
            "prediction": [prediction for _, prediction in pairs] * samples,
            "count": drawn.ravel(),
        },
        schema=confusion_schema(classes),
    )
    tally = ConfusionCounts(frame, classes)
    scores = MeasureValues(compute_count_values(tally, measures, positive).frame.filter(condition))
    if positive is not None:
        scores = MeasureValues(scores.frame.filter(pl.col("average").is_null()))
    return add_confidence_intervals(scores, tally, None, SETTINGS, positive=positive)


def _of(scores: MeasureValues, measure: Measure, which: pl.Expr) -> pl.DataFrame:
    return scores.frame.filter(which, pl.col("measure") == measure.name)


def _page(rows: list[Coverage], hard: list[HardRow], samples: int, of_scores: int) -> str:
    lines, hard_lines = ("\n".join(row.cells for row in part) for part in (rows, hard))
    return f"""# Coverage of confidence intervals

Written by `python -m benchmarks.interval_coverage`: {samples} samples for each row, {of_scores}
for measures of scores and probabilities, drawn from classifiers whose true values are known
(seed {SEED}). The Monte Carlo error of a coverage of 95 % is about ± {_error(samples)} and
± {_error(of_scores)} percentage points. The nominal coverage is 95 %; "none" counts the samples
without an interval, which are excluded.

- **Counts.** Binary: prevalence 0.4, sensitivity 0.8, specificity 0.85. Three classes:
  proportions 0.5, 0.3 and 0.2, accuracy 0.75.
- **Regression.** Bivariate normal, correlation 0.8.
- **Scores of two classes.** Binormal, prevalence 0.4, area under the ROC curve 0.85;
  the probabilities are the true ones. The calibration error of true probabilities is 0, so it is
  simulated twice: of these ("calibrated") and with their log-odds doubled ("over-confident").
- **Scores of three classes.** Bivariate normal, proportions as above, true probabilities.

| measure | method | cases | coverage | mean width | none |
| --- | --- | ---: | ---: | ---: | ---: |
{lines}

## Hard settings

Few positives, few cases per class, nearly perfect classifiers, heavy tails, and thresholds chosen
on the same cases. The interval of a report is compared with a common alternative on the same
samples: {samples} of counts, predictive values and numeric errors,
{of_scores} of losses, areas, the calibration error and thresholds. Class sizes are fixed where
the setting gives two numbers of cases. Samples without an interval of either kind are left out;
an alternative has an interval without width for a perfect ranking.

{HEADS}
{hard_lines}

Classes of one or two cases say little, and heavy tails hide their largest errors: a report warns of
both.
"""


def _averages(samples: int) -> Iterator[str]:
    """Yield the part about macro averages, as soon as its rows are known."""
    yield f"""## Macro averages of few cases per class

{samples} samples a row (Monte Carlo error of a coverage of 95 % ± {_error(samples)} points, seed
{SEED}). Classes are equally common, have 30 to 1 %, or 90, 8 and 2 % of the cases; recall is the
same in all, or goes from that of the most common to that of the rarest class; errors are spread
evenly. The alternative is the plain delta method, for sensitivity MOVER.

```console
python -m benchmarks.interval_coverage --tables averages --repetitions {samples}
```

{HEADS}"""
    yield from (row.cells for row in average_rows(np.random.default_rng(SEED), samples))


def _error(samples: int) -> str:
    return f"{196 * math.sqrt(0.95 * 0.05 / samples):.1f}"


if __name__ == "__main__":
    main()
