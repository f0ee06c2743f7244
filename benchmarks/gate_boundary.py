"""Measure how often a gate passes a classifier that is worse by exactly the margin.

The gate is `not_worse_than` on the area under the ROC curve; scores are binormal. Writes its part
of docs/error-rates.md. Run it from the repository: python -m benchmarks.gate_boundary
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import ndtri

from benchmarks.score_coverage import design_aggregates
from benchmarks.tables import (
    ALPHA,
    ERROR_RATES,
    head,
    percent,
    row,
    simulation_error,
    write_part,
)
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.multiple_testing import EquivalenceMargins
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.evaluation.values import compute_ranking_values
from reportgen.measures import get_measure
from reportgen.spec.inference import IntervalSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20061118
SHARED = 0.5
PAIR = ("A", "B")
AUC = get_measure("roc_auc")
SETTINGS = (
    *((0.94, 0.97, 90, 210), (0.94, 0.97, 150, 150), (0.94, 0.97, 30, 270)),
    *((0.85, 0.88, 90, 210), (0.75, 0.80, 90, 210)),
)


def margin_passed(
    rng: np.random.Generator, areas: tuple[float, float], sizes: tuple[int, int]
) -> tuple[bool, bool]:
    """Return whether one sample passes the gate, and whether it would by DeLong's interval."""
    truth = np.arange(sum(sizes)) < sizes[0]
    luck = rng.standard_normal(len(truth))
    fold = pl.Series("fold", [None] * len(truth), pl.String)
    classifiers = []
    for name, area in zip(PAIR, areas, strict=True):
        noise = math.sqrt(SHARED) * luck + math.sqrt(1 - SHARED) * rng.standard_normal(len(truth))
        scores = noise + math.sqrt(2) * float(ndtri(area)) * truth
        classifiers.append(ClassifierScores(name, fold, (), scores[:, None], None))
    cases = ScoredCases(("no", "yes"), ("yes",), truth.astype(np.int64), tuple(classifiers))
    ranking = compute_ranking_statistics(cases)
    aggregates = replace(
        design_aggregates(len(truth), None, None),
        classes=cases.classes,
        ranking=ranking,
        auc_covariances=delong_covariances(cases),
    )
    values = add_score_confidence_intervals(
        compute_ranking_values(ranking, [AUC], "yes"), aggregates, IntervalSettings()
    )
    margin = areas[1] - areas[0]
    margins = EquivalenceMargins({AUC.name: margin}, 1 - 2 * ALPHA, 1 - ALPHA)
    (compared,) = run_score_tests(aggregates, values.by_key(), [PAIR], 1 - ALPHA)
    limits = margins.interval(compared)
    error = (compared.difference or 0.0) / compared.statistic if compared.statistic else math.inf
    by_delong = (compared.difference or 0.0) - float(ndtri(1 - ALPHA)) * error > -margin
    return limits is not None and limits[0] > -margin, by_delong


def document(repetitions: int) -> Iterator[str]:
    """Yield the lines of the part, as soon as they are known."""
    yield f"""## Gates at the boundary

The first classifier is worse by exactly the margin of `not_worse_than` on the AUC: at most
{percent(ALPHA)} of samples may pass. Scores are binormal and share half of their variance.
*DeLong*: by DeLong's interval of the difference in all cases. Seed {SEED}:

```console
python -m benchmarks.gate_boundary --repetitions {repetitions}
```
"""
    yield from head(
        "AUCs", "positives + negatives", "report", "DeLong", "simulation error", "repetitions"
    )
    for worse, better, positives, negatives in SETTINGS:
        rng = np.random.default_rng(SEED)
        passed = [
            margin_passed(rng, (worse, better), (positives, negatives)) for _ in range(repetitions)
        ]
        rates = (percent(float(share)) for share in np.mean(passed, axis=0))
        sizes = f"{positives} + {negatives}"
        error = simulation_error(repetitions)
        yield row(f"{worse:g} and {better:g}", sizes, *rates, error, repetitions)


def main() -> None:
    """Simulate, and write the part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    write_part(arguments.output, "gate boundary", document(arguments.repetitions))


if __name__ == "__main__":
    main()
