"""Coverage of the interval of average precision for scores of many shapes, ties among them.

Writes its part of docs/coverage.md. Run it from the repository:
python -m benchmarks.average_precision_coverage
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tables import COVERAGE, head, percent, row, simulation_error, write_part
from reportgen.statistics.auc import (
    CurveArea,
    ScoreCounts,
    exchange_one_pair,
    influence_interval,
    pr_area_influence,
)
from reportgen.statistics.distributions import satterthwaite_df

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reportgen.statistics import FloatArray

    Draw = Callable[[np.random.Generator, FloatArray], FloatArray]

SEED = 20061118
LEVEL = 0.95
# The true value is that of so many cases.
MANY = 1_000_000

SHAPES: dict[str, Draw] = {
    "lognormal": lambda rng, y: np.exp(0.8 * rng.standard_normal(len(y)) + 1.2 * y),
    "beta (4, 2) and (2, 5)": lambda rng, y: rng.beta(2 + 2 * y, 5 - 3 * y),
    "exponential, means 4 and 1": lambda rng, y: rng.exponential(1 + 3 * y),
    "normal, standard deviations 2 and 1": lambda rng, y: rng.normal(1.5 * y, 1 + y),
    "eleven levels": lambda rng, y: np.asarray(
        np.round(10 * np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0, 1)) / 10, np.float64
    ),
    "beta (8, 1.2) and (1.2, 8)": lambda rng, y: rng.beta(1.2 + 6.8 * y, 8 - 6.8 * y),
}
SIZES = ((0.05, 400), (0.2, 150), (0.2, 1500), (0.5, 60))


def count_scores(truth: FloatArray, scores: FloatArray) -> ScoreCounts:
    """Count positives and negatives at each distinct score, from the highest down."""
    places = np.unique(-scores, return_inverse=True)[1]
    return ScoreCounts(
        np.bincount(places, truth).astype(np.int64), np.bincount(places, 1 - truth).astype(np.int64)
    )


def interval(counts: ScoreCounts) -> tuple[float, float]:
    """Return the limits that a report has."""
    influence = pr_area_influence(counts, CurveArea.AVERAGE_PRECISION)
    is_perfect = influence.value > 1 - 1e-12  # as in reports
    if is_perfect:
        counts = exchange_one_pair(int(counts.positives.sum()), int(counts.negatives.sum()))
        influence = pr_area_influence(counts, CurveArea.AVERAGE_PRECISION)
    cases = float((counts.positives + counts.negatives).sum())
    squared = influence.power_sum(counts, 2)
    df = satterthwaite_df(squared, influence.power_sum(counts, 4), cases)
    low, high = influence_interval(influence.value, squared * cases / (cases - 1), df, LEVEL)
    return low, 1.0 if is_perfect else high


def document(repetitions: int) -> Iterator[str]:
    """Yield the lines of the part, as soon as they are known."""
    yield f"""## Average precision of other scores

The other tables have normal scores of equal spread; these are the same intervals for other shapes,
for few positives and for tied scores: {repetitions} samples a row (simulation error of a coverage
of 95 % {simulation_error(repetitions)} percentage points, seed {SEED}). The true value is that of
{MANY:,} cases.

Where most samples rank perfectly (true values of 0.998 and above, up to 400 cases), the lower
limit of a perfect ranking lies below the true value in all of them or in none, so that an interval
which does not fail there covers more than 97.5 %.

```console
python -m benchmarks.average_precision_coverage --repetitions {repetitions}
```
""".replace(",000", " 000")
    yield from head(
        "scores", "prevalence", "cases", "true value", "coverage", "true above", "mean width"
    )
    for (name, draw), (prevalence, cases) in product(SHAPES.items(), SIZES):
        rng = np.random.default_rng(SEED)
        many = (rng.random(MANY) < prevalence).astype(np.float64)
        true = pr_area_influence(
            count_scores(many, draw(rng, many)), CurveArea.AVERAGE_PRECISION
        ).value
        limits = np.array([_sample(rng, draw, prevalence, cases) for _ in range(repetitions)])
        above, below = float((limits[:, 1] < true).mean()), float((limits[:, 0] > true).mean())
        width = float((limits[:, 1] - limits[:, 0]).mean())
        rates = percent(1 - above - below), percent(above)
        yield row(name, prevalence, cases, f"{true:.3f}", *rates, f"{width:.3g}")


def _sample(
    rng: np.random.Generator, draw: Draw, prevalence: float, cases: int
) -> tuple[float, float]:
    truth = (rng.random(cases) < prevalence).astype(np.float64)
    # A report has no interval of a single positive.
    if not 2 <= truth.sum() < cases:  # noqa: PLR2004
        return _sample(rng, draw, prevalence, cases)
    return interval(count_scores(truth, draw(rng, truth)))


def main() -> None:
    """Simulate, and write the part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=COVERAGE)
    arguments = parser.parse_args()
    write_part(arguments.output, "average precision", document(arguments.repetitions))


if __name__ == "__main__":
    main()
