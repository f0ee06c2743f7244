"""Measure how often reports on clusters, weights and segments claim a false difference.

Two classifiers of equal accuracy answer cases that may depend within clusters, have sampling
weights, or lie in segments that do not differ; every report is made by the functions that reports
use. Run it from the repository: python -m benchmarks.clusters
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from reportgen.statistics import FloatArray

SEED = 20061118
ACCURACY, CORRELATION = 0.8, 0.5
CASES = 400
LEVEL = 0.95
SPEC = """\
[task]
kind = "binary"
positive = "yes"
[data]
{data}
[[classifiers]]
name = "A"
predictions = "table.csv"
prediction = "A"
[[classifiers]]
name = "B"
predictions = "table.csv"
prediction = "B"
"""
SEGMENTS = '[[segments]]\ncolumn = "site"\n'


@dataclass(frozen=True, slots=True)
class Setting:
    """How many cases a cluster has, how many cases there are, and what the spec says of it."""

    per_cluster: int
    cases: int
    data: str = ""
    segments: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of reports with a false claim, and of intervals of accuracy that cover it."""

    claims: float
    coverage: float


def draw_correct(rng: np.random.Generator, setting: Setting) -> FloatArray:
    """Draw which answers are correct (cases × 2), with equal accuracies.

    With probability √ρ a case has the answer of its cluster, otherwise its own, so that two cases
    of a cluster are correlated by ρ.
    """
    clusters = setting.cases // setting.per_cluster
    shared = np.repeat(rng.random((clusters, 2)) < ACCURACY, setting.per_cluster, axis=0)
    own = rng.random(shared.shape) < ACCURACY
    return np.where(rng.random(shared.shape) < CORRELATION**0.5, shared, own)


def measure(setting: Setting, repetitions: int) -> Rates:
    """Return the rates of many reports."""
    rng = np.random.default_rng(SEED)
    claims, covered = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = SPEC.format(data=setting.data) + setting.segments
        (folder / "spec.toml").write_text(spec, encoding="utf-8")
        for _ in range(repetitions):
            correct = draw_correct(rng, setting)
            truth = rng.random(setting.cases) < 0.5  # noqa: PLR2004  # two classes alike
            answers = truth[:, None] == correct
            cluster = np.arange(setting.cases) // setting.per_cluster
            weights = rng.choice([1, 2, 5], setting.cases)
            rows = (
                ",".join(
                    ["yes" if said else "no" for said in (t, *a)] + [f"c{c}", f"{w}", f"s{i % 5}"]
                )
                for i, (t, a, c, w) in enumerate(zip(truth, answers, cluster, weights, strict=True))
            )
            text = "truth,A,B,grp,w,site\n" + "\n".join(rows) + "\n"
            (folder / "table.csv").write_text(text, encoding="utf-8")
            evaluation = load_and_evaluate(folder / "spec.toml")
            rows_of_report = (*evaluation.comparisons, *evaluation.segment_comparisons)
            claims += any(row.verdict.is_decided for row in rows_of_report)
            value = evaluation.by_key["A", None, None, "accuracy"]
            covered += (value.low or 0.0) <= ACCURACY <= (value.high or 1.0)
    return Rates(claims / repetitions, covered / repetitions)


SETTINGS = {
    "4 cases per cluster, not named": Setting(4, CASES, ""),
    "4 cases per cluster": Setting(4, CASES, 'cluster = "grp"'),
    "10 cases per cluster, not named": Setting(10, CASES, ""),
    "10 cases per cluster": Setting(10, CASES, 'cluster = "grp"'),
    "10 cases per cluster, 200 cases": Setting(10, 200, 'cluster = "grp"'),
    "weights of 1, 2 and 5": Setting(1, CASES, 'weight = "w"'),
    "weights, 4 cases per cluster": Setting(4, CASES, 'weight = "w"\ncluster = "grp"'),
    "5 segments": Setting(1, CASES, "", SEGMENTS),
    "5 segments, 4 cases per cluster": Setting(4, CASES, 'cluster = "grp"', SEGMENTS),
}


def main() -> None:
    """Print a table of all settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS))
    chosen = parser.parse_args()
    print("| setting | false claims | 95% CI of accuracy covers |")
    print("|---|--:|--:|")
    for name in chosen.settings:
        rates = measure(SETTINGS[name], chosen.repetitions)
        print(f"| {name} | {rates.claims:.1%} | {rates.coverage:.1%} |", flush=True)


if __name__ == "__main__":
    main()
