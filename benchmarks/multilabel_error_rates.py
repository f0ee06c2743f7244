"""Simulate equally good multilabel classifiers, and count reports that claim a difference.

`python -m benchmarks.multilabel_error_rates [repetitions [seed]]` prints the share of reports with
any significant difference: over all measures and labels, in the headline, and over the labels.
Errors on the labels of a case depend on each other: half of the cases are hard for a classifier.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

import reportgen

LABELS = ("a", "b", "c", "d", "e")
PREVALENCE = (0.5, 0.35, 0.25, 0.15, 0.1)
CASES, CLASSIFIERS = 200, 3
EASY_ERRORS, HARD_ERRORS = 0.05, 0.3


def draw_flags(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return true labels, and predictions whose errors cluster within cases."""
    shared = rng.normal(size=(CASES, 1))
    noise = rng.normal(size=(CASES, len(LABELS)))
    thresholds = np.array([np.quantile(rng.normal(size=10_000), 1 - p) for p in PREVALENCE])
    truth = (shared + noise) / np.sqrt(2) > thresholds
    predictions = []
    for _ in range(CLASSIFIERS):
        hard = rng.random((CASES, 1)) < 0.5  # noqa: PLR2004  # half of the cases
        rate = np.where(hard, HARD_ERRORS, EASY_ERRORS)
        predictions.append(truth ^ (rng.random(truth.shape) < rate))
    return truth, predictions


def join_labels(flags: np.ndarray) -> list[str]:
    """Return the sets of labels as text."""
    return ["|".join(np.array(LABELS)[row]) for row in flags]


def claims_difference(rng: np.random.Generator) -> tuple[bool, bool, bool]:
    """Return whether a report claims any difference, one in the headline, one over the labels."""
    truth, predictions = draw_flags(rng)
    report = reportgen.evaluate(
        join_labels(truth),
        {f"C{at}": join_labels(flags) for at, flags in enumerate(predictions)},
        task="multilabel",
        classes=LABELS,
        measures=["multilabel", "accuracy", "sensitivity", "precision", "f1"],
    )
    claims = report.comparisons.filter(pl.col("significant"))
    return (
        not claims.is_empty(),
        not claims.filter(pl.col("family") == "headline").is_empty(),
        not claims.filter(pl.col("class").is_null()).is_empty(),
    )


def main() -> None:
    """Print the shares of false claims with their standard errors."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 2026)  # noqa: PLR2004
    claims = np.array([claims_difference(rng) for _ in range(repetitions)])
    for name, share in zip(("any", "headline", "over labels"), claims.mean(axis=0), strict=True):
        error = np.sqrt(share * (1 - share) / repetitions)
        print(f"{name}: {share:.3f} ± {error:.3f} of {repetitions}")  # its output


if __name__ == "__main__":
    main()
