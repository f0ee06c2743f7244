"""Measure how often whole reports claim a difference between equally good classifiers.

Cases may depend within clusters, have sampling weights, or lie in segments that do not differ;
classifiers may have scores, and any measure may be primary. Every report is made from files as a
user's is. Writes its part of docs/error-rates.md. Run it from the repository:
python -m benchmarks.report_claims
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.tables import (
    ERROR_RATES,
    head,
    known_rows,
    percent,
    row,
    simulation_error,
    write_part,
)
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.statistics import FloatArray

SEED = 20061118
ACCURACY, CORRELATION = 0.8, 0.5
CASES = 400
SEPARATION = 1.5
SEGMENTS = '[[segments]]\ncolumn = "site"\n'


@dataclass(frozen=True, slots=True)
class Setting:
    """How cases and classifiers are drawn, and what the spec states about them.

    `shares` are the proportions of the classes, `correlation` is that of two classifiers' errors or
    scores on a case; `keys` are tables of the spec.
    """

    cases: int = CASES
    per_cluster: int = 1
    classifiers: int = 2
    shares: tuple[float, ...] = (0.5, 0.5)
    correlation: float = 0.0
    has_scores: bool = False
    data: str = ""
    keys: str = ""

    @property
    def names(self) -> str:
        """The classifiers, a letter each."""
        return ascii_uppercase[: self.classifiers]

    @property
    def classes(self) -> list[str]:
        """The classes; the first of two is the positive one."""
        return ["yes", "no"] if len(self.shares) == 2 else list("abc")  # noqa: PLR2004

    @property
    def spec(self) -> str:
        """The spec of the report."""
        is_binary = len(self.shares) == 2  # noqa: PLR2004
        task = 'kind = "binary"\npositive = "yes"' if is_binary else 'kind = "multiclass"'
        classifiers = "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
            + (f'score = "score {name}"\n' if self.has_scores else "")
            for name in self.names
        )
        return f"[task]\n{task}\n[data]\n{self.data}\n{self.keys}\n{classifiers}"


def draw_table(rng: np.random.Generator, setting: Setting) -> pl.DataFrame:
    """Draw cases and answers of equally good classifiers."""
    truth = rng.choice(len(setting.shares), setting.cases, p=setting.shares)
    columns = draw_scores(rng, setting, truth) if setting.has_scores else {}
    if not columns:
        correct = draw_correct(rng, setting)
        other = (truth + rng.integers(1, len(setting.shares), setting.cases)) % len(setting.shares)
        columns = {
            name: np.array(setting.classes)[np.where(correct[:, at], truth, other)]
            for at, name in enumerate(setting.names)
        }
    numbers = np.arange(setting.cases)
    return pl.DataFrame(
        {
            "truth": np.array(setting.classes)[truth],
            **columns,
            "grp": [f"c{number}" for number in numbers // setting.per_cluster],
            "w": rng.choice([1, 2, 5], setting.cases),
            "site": [f"s{number}" for number in numbers % 5],
        }
    )


def draw_correct(rng: np.random.Generator, setting: Setting) -> np.ndarray:
    """Draw which answers are correct (cases × classifiers), with equal accuracies.

    With probability √ρ a case has the answer of its cluster, otherwise its own, so that two cases
    of a cluster are correlated by ρ. Without clusters the answers of two classifiers are, in the
    same way, correlated by the correlation of the setting.
    """
    clusters = setting.cases // setting.per_cluster
    size = (clusters, setting.classifiers)
    own = rng.random((setting.cases, setting.classifiers)) < ACCURACY
    if setting.per_cluster > 1:
        common = np.repeat(rng.random(size) < ACCURACY, setting.per_cluster, axis=0)
        return np.where(rng.random(own.shape) < CORRELATION**0.5, common, own)
    common = rng.random((setting.cases, 1)) < ACCURACY
    return np.where(rng.random(own.shape) < setting.correlation**0.5, common, own)


def draw_scores(
    rng: np.random.Generator, setting: Setting, truth: np.ndarray
) -> dict[str, FloatArray | np.ndarray]:
    """Draw scores of two classes, binormal with calibrated probabilities, and their predictions."""
    is_positive = (truth == 0).astype(np.float64)
    common = rng.standard_normal(setting.cases)
    prior = np.log(setting.shares[0] / setting.shares[1])
    columns: dict[str, FloatArray | np.ndarray] = {}
    for name in setting.names:
        noise = np.sqrt(setting.correlation) * common
        noise += np.sqrt(1 - setting.correlation) * rng.standard_normal(setting.cases)
        odds = prior + SEPARATION * (is_positive * SEPARATION + noise) - SEPARATION**2 / 2
        columns[name] = np.where(odds > 0, "yes", "no")
        columns[f"score {name}"] = 1 / (1 + np.exp(-odds))
    return columns


def measure(setting: Setting, repetitions: int) -> float:
    """Return the share of reports with a false claim."""
    rng = np.random.default_rng(SEED)
    claims = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spec.toml").write_text(setting.spec, encoding="utf-8")
        for _ in range(repetitions):
            draw_table(rng, setting).write_csv(folder / "table.csv")
            evaluation = load_and_evaluate(folder / "spec.toml")
            rows = (*evaluation.comparisons, *evaluation.segment_comparisons)
            claims += any(comparison.verdict.is_decided for comparison in rows)
    return claims / repetitions


SCORES = Setting(CASES, shares=(0.3, 0.7), correlation=0.5, has_scores=True)
MIX = (0.6, 0.3, 0.1)


def _primary(name: str) -> str:
    return f'[comparison]\nprimary = "{name}"\n'


def _with_scores(keys: str) -> Setting:
    return Setting(CASES, shares=SCORES.shares, correlation=0.5, has_scores=True, keys=keys)


SETTINGS = {
    "4 cases per cluster, `cluster` not named": Setting(per_cluster=4),
    "4 cases per cluster": Setting(per_cluster=4, data='cluster = "grp"'),
    "10 cases per cluster, `cluster` not named": Setting(per_cluster=10),
    "10 cases per cluster": Setting(per_cluster=10, data='cluster = "grp"'),
    "10 cases per cluster, 200 cases": Setting(200, per_cluster=10, data='cluster = "grp"'),
    "weights of 1, 2 and 5": Setting(data='weight = "w"'),
    "weights, 4 cases per cluster": Setting(per_cluster=4, data='weight = "w"\ncluster = "grp"'),
    "5 segments": Setting(keys=SEGMENTS),
    "5 segments, 4 cases per cluster": Setting(
        per_cluster=4, data='cluster = "grp"', keys=SEGMENTS
    ),
    "five classifiers, errors correlated by 0.9": Setting(classifiers=5, correlation=0.9),
    "three classes, primary `macro_f1`": Setting(
        shares=MIX, correlation=0.5, keys=_primary("macro_f1")
    ),
    "primary `average_precision`": _with_scores(_primary("average_precision")),
    "primary `net_benefit@0.2`": _with_scores(_primary("net_benefit@0.2")),
    "primary `ece`": _with_scores(_primary("ece")),
    "primary `ks`": _with_scores(_primary("ks")),
}


def document(names: list[str], repetitions: int, known: dict[str, str]) -> Iterator[str]:
    """Yield the lines of the part, as soon as they are known; other rows are kept."""
    yield f"""## Clusters, weights, segments and further primary measures

Whole reports on equally good classifiers, made from files as a user's is; a report counts if it
claims any difference. Accuracy is {ACCURACY:g} and there are two classifiers and {CASES} cases
unless the row states otherwise; two cases of a cluster are correlated by {CORRELATION:g}. Scores
are binormal with calibrated probabilities, 30 % positives, correlated by 0.5 between classifiers.
Seed {SEED}:

```console
python -m benchmarks.report_claims --repetitions 400
```
"""
    yield from head(
        "setting",
        "reports with a false claim",
        "simulation error",
        "repetitions",
    )
    for name, setting in SETTINGS.items():
        if name in names:
            claims = measure(setting, repetitions)
            yield row(name, percent(claims), simulation_error(repetitions), repetitions)
        elif name in known:
            yield known[name]


def main() -> None:
    """Simulate, and write the part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument(
        "--settings", nargs="*", default=list(SETTINGS), help="rows to renew; others are kept"
    )
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    known = known_rows(arguments.output)
    lines = document(arguments.settings, arguments.repetitions, known)
    write_part(arguments.output, "whole reports", lines)


if __name__ == "__main__":
    main()
