"""Simulate card payments of which 0.2 % are fraud, with three scores: writes fraud.parquet.

Payments have a latent risk. Gradient boosting sees it best, logistic regression less well, and a
set of hand-written rules coarsely. The first two give calibrated probabilities.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

CASES, PREVALENCE = 30_000, 0.002
# The distance of fraud from legitimate payments, in standard deviations of the score.
SEPARATION = {"boosting": 3.4, "logistic": 2.7, "rules": 2.3}
RULE_COUNT = 8


def main() -> None:
    """Write 30,000 payments, 60 of them fraud."""
    draw = np.random.default_rng(7)
    is_fraud = np.zeros(CASES, dtype=bool)
    is_fraud[draw.choice(CASES, round(CASES * PREVALENCE), replace=False)] = True
    shared = draw.normal(size=CASES)
    columns: dict[str, object] = {
        "payment": np.arange(1, CASES + 1, dtype=np.int32),
        "truth": np.where(is_fraud, "fraud", "legitimate"),
    }
    for name, distance in SEPARATION.items():
        noise = 0.7 * shared + np.sqrt(1 - 0.7**2) * draw.normal(size=CASES)
        evidence = distance * is_fraud + noise
        if name == "rules":
            # How many of the rules fire, as a share of all.
            columns[name] = np.clip(np.floor(evidence + 2), 0, RULE_COUNT) / RULE_COUNT
            continue
        log_odds = np.log(PREVALENCE / (1 - PREVALENCE)) + distance * evidence - distance**2 / 2
        columns[name] = np.round(1 / (1 + np.exp(-log_odds)), 4)
    frame = pl.DataFrame(columns).with_columns(
        pl.col("boosting", "logistic", "rules").cast(pl.Float32)
    )
    frame.write_parquet(
        Path(__file__).with_name("fraud.parquet"), compression="zstd", compression_level=19
    )


if __name__ == "__main__":
    main()
