"""Measure how often tests of the calibration error and of KS reject, one test at a time.

Unlike in benchmarks.report_claims, the two classifiers are equal in the measure without being
exchangeable: of calibrated classifiers, for instance, one is sharp and the other predicts the base
rate. Writes its part of docs/error-rates.md. Run it from the repository:
python -m benchmarks.score_test_rates
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.drawn_classifiers import BINARY, EMPTY
from benchmarks.tables import (
    ALPHA,
    ERROR_RATES,
    head,
    known_rows,
    percent,
    row,
    simulation_error,
    write_part,
)
from reportgen.aggregates.operating_points import (
    OperatingPointPlan,
    aggregate_operating_points,
)
from reportgen.aggregates.probabilities import (
    calibration_error_covariances,
    count_calibration_bins,
    sum_probability_losses,
)
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.evaluation.values import compute_probability_values
from reportgen.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.values import MeasureValue
    from reportgen.statistics import FloatArray

    Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, list[FloatArray]]]

SEED = 20061118
SIZES = (200, 2000)
SPREAD = 1.5
# The mean of a logistic variable beyond 0, of logits with the spread above.
MEAN_POSITIVE = 0.7341
PAIR = ("A", "B")
RESAMPLES = 500


def p_value(measure: str, truth: np.ndarray, scores: list[FloatArray]) -> float | None:
    """Return the p-value of the test of a measure that reports use; None if it is not tested."""
    fold = pl.Series("fold", [None] * len(truth), pl.String)
    classifiers = tuple(
        ClassifierScores(name, fold, (), score[:, None], np.column_stack([score, 1 - score]))
        for name, score in zip(PAIR, scores, strict=True)
    )
    cases = ScoredCases(BINARY, BINARY[:1], 1 - truth.astype(np.int64), classifiers)
    counted = replace(
        EMPTY,
        classes=BINARY,
        case_count=len(truth),
        ranking=compute_ranking_statistics(cases),
    )
    aggregates, values = _measured(measure, counted, cases)
    tests = run_score_tests(aggregates, values, [PAIR], 1 - ALPHA)
    return next((test.p for test in tests if test.measure == measure), None)


def _measured(
    measure: str, counted: Aggregates, cases: ScoredCases
) -> tuple[Aggregates, dict[tuple[str, str | None, str | None, str], MeasureValue]]:
    named = get_measure(measure)
    if measure == "ece":
        bins, losses = count_calibration_bins(cases), sum_probability_losses(cases)
        covariances = calibration_error_covariances(cases, bins)
        aggregates = replace(counted, calibration=bins, influence_covariances=covariances)
        return aggregates, dict(compute_probability_values(losses, (named,)).by_key())
    plan = OperatingPointPlan((named,), RESAMPLES, SEED)
    return replace(counted, operating_points=aggregate_operating_points(cases, plan)), {}


def _logistic(logit: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(-logit))


def _outcomes(rng: np.random.Generator, logit: FloatArray) -> np.ndarray:
    return (rng.uniform(size=len(logit)) < _logistic(logit)).astype(np.int64)


def _logits(rng: np.random.Generator, cases: int) -> tuple[FloatArray, np.ndarray]:
    logit = rng.normal(0, SPREAD, cases)
    return logit, _outcomes(rng, logit)


def draw_transformed(*transforms: Callable[[FloatArray], FloatArray]) -> Draw:
    """Return a drawing of classifiers that transform the true logit into a probability."""

    def draw(rng: np.random.Generator, cases: int) -> tuple[np.ndarray, list[FloatArray]]:
        logit, truth = _logits(rng, cases)
        return truth, [transform(logit) for transform in transforms]

    return draw


def draw_exchangeable(factor: float, separation: float, prevalence: float) -> Draw:
    """Return a drawing of exchangeable classifiers with log-odds multiplied by a factor."""

    def draw(rng: np.random.Generator, cases: int) -> tuple[np.ndarray, list[FloatArray]]:
        truth = (rng.random(cases) < prevalence).astype(np.int64)
        common = rng.standard_normal(cases)
        prior = np.log(prevalence / (1 - prevalence))
        scores = []
        for _ in PAIR:
            noise = np.sqrt(0.5) * (common + rng.standard_normal(cases))
            odds = prior + separation * (truth * separation + noise) - separation**2 / 2
            scores.append(_logistic(factor * odds))
        return truth, scores

    return draw


def draw_uninformative(*levels: int | None) -> Draw:
    """Return a drawing of scores without information: continuous (None), or with few levels."""

    def draw(rng: np.random.Generator, cases: int) -> tuple[np.ndarray, list[FloatArray]]:
        truth = (rng.random(cases) < 0.3).astype(np.int64)  # noqa: PLR2004
        return truth, [
            rng.random(cases) if count is None else rng.integers(1, count + 1, cases) / (count + 1)
            for count in levels
        ]

    return draw


def _two_levels(logit: FloatArray) -> FloatArray:
    return np.where(logit > 0, MEAN_POSITIVE, 1 - MEAN_POSITIVE)


@dataclass(frozen=True, slots=True)
class Row:
    """Two classifiers, and whether they differ in the measure."""

    measure: str
    name: str
    draw: Draw
    differ: bool = False


ROWS = (
    Row("ece", "exchangeable, calibrated", draw_exchangeable(1.0, 1.5, 0.3)),
    Row("ece", "exchangeable, over-confident", draw_exchangeable(2.0, 1.5, 0.3)),
    Row("ece", "exchangeable, 7 % positives", draw_exchangeable(2.0, 1.5, 0.07)),
    Row("ece", "calibrated: sharp, two levels", draw_transformed(_logistic, _two_levels)),
    Row(
        "ece",
        "calibrated: sharp, base rate",
        draw_transformed(_logistic, lambda logit: np.full_like(logit, 0.5)),
    ),
    Row(
        "ece",
        "log-odds shifted up and down by 0.15",
        draw_transformed(lambda x: _logistic(x + 0.15), lambda x: _logistic(x - 0.15)),
    ),
    Row(
        "ece",
        "log-odds shifted up and down by 0.6",
        draw_transformed(lambda x: _logistic(x + 0.6), lambda x: _logistic(x - 0.6)),
    ),
    Row(
        "ece",
        "equal error of 0.05: in all bins, in one",
        draw_transformed(lambda x: 0.9 * _logistic(x), lambda x: np.full_like(x, 0.55)),
    ),
    Row(
        "ece",
        "calibrated, doubled log-odds (power)",
        draw_transformed(_logistic, lambda x: _logistic(2 * x)),
        differ=True,
    ),
    Row("ks", "exchangeable, KS 0.55", draw_exchangeable(1.0, 1.5, 0.3)),
    Row("ks", "exchangeable, KS 0.08", draw_exchangeable(1.0, 0.2, 0.3)),
    Row("ks", "KS 0: continuous scores", draw_uninformative(None, None)),
    Row("ks", "KS 0: continuous, two levels", draw_uninformative(None, 2)),
    Row("ks", "KS 0: ten levels, two levels", draw_uninformative(10, 2)),
)


def rejection_rate(setting: Row, cases: int, repetitions: int) -> tuple[float, int]:
    """Return the proportion of significant tests, and how many could not be done."""
    rng = np.random.default_rng([SEED, cases])
    p_values = [p_value(setting.measure, *setting.draw(rng, cases)) for _ in range(repetitions)]
    rejected = sum(p is not None and p <= ALPHA for p in p_values)
    return rejected / repetitions, p_values.count(None)


def document(repetitions: int, names: list[str], known: dict[str, str]) -> Iterator[str]:
    """Yield the lines of the part, as soon as they are known; other rows are kept."""
    yield f"""## Paired tests of the calibration error and of KS

How often a test at 5 % is significant by itself. The two classifiers are equal in the measure but
for the row of power; *not tested* counts the samples with too few hits or misses. Seed {SEED}:

```console
python -m benchmarks.score_test_rates --repetitions 1000
```
"""
    titles = [title for size in SIZES for title in (f"{size} cases", "not tested")]
    yield from head("measure", "classifiers", *titles, "simulation error", "repetitions")
    for setting in ROWS:
        if setting.name not in names:
            key = f"{setting.measure} | {setting.name}"
            yield from [known[key]] if key in known else []
            continue
        cells: list[object] = []
        for cases in SIZES:
            rate, missing = rejection_rate(setting, cases, repetitions)
            cells += [percent(rate), missing]
        error = "" if setting.differ else simulation_error(repetitions)
        yield row(setting.measure, setting.name, *cells, error, repetitions)


def main() -> None:
    """Simulate, and write the part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument(
        "--rows", nargs="*", default=[one.name for one in ROWS], help="rows to renew"
    )
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    lines = document(arguments.repetitions, arguments.rows, known_rows(arguments.output, 2))
    write_part(arguments.output, "score tests", lines)


if __name__ == "__main__":
    main()
