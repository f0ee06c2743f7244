"""Every column that a spec can name has the same results on a back end as on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals
import numpy as np
import polars as pl
import pytest

from tests.aggregates.backends.engines import differences, results_here, results_there
from tests.aggregates.backends.local_backend import LocalBackend

if TYPE_CHECKING:
    from pathlib import Path

TASK = '[task]\nkind = "binary"\npositive = "yes"\n'
QUICK = "[intervals]\ndraws = 200\n"


def _frame(seed: int) -> pl.DataFrame:
    """Draw 120 cases in repeated cross-validation; the truth is the same for every seed."""
    cases = 120
    truth = np.random.default_rng(0).random(cases) < 0.4
    random = np.random.default_rng(seed)
    score = np.clip(random.normal(np.where(truth, 0.6, 0.4), 0.2), 0, 1).round(2)
    case = np.arange(cases)
    return pl.DataFrame(
        {
            "case": case,
            "fold": case % 4,
            "model": f"m{seed}",
            "truth": np.where(truth, "yes", "no"),
            "spelled": np.where(truth, "1", "0"),
            "prediction": np.where(score >= 0.5, "yes", "no"),
            "answer": np.where(case % 9 == seed, "unclear", np.where(score >= 0.5, "yes", "no")),
            "gaps": [
                None if at % 11 == seed else ("yes" if own >= 0.5 else "no")
                for at, own in zip(case.tolist(), score.tolist(), strict=True)
            ],
            "score": score,
            "comma": [f"{own:.2f}".replace(".", ",") for own in score.tolist()],
            "p_yes": score,
            "p_no": 1 - score,
            "n": case % 3,
            # Exact in binary, with the mean 1, so that their sums do not depend on their order.
            "w": case % 2 + 0.5,
            "patient": case // 4,
            "site": np.where(case % 2 == 0, "north", "south"),
            "number": random.normal(truth * 2.0, 1).round(3),
            "target": truth * 2.0 + np.random.default_rng(1).normal(0, 0.5, cases).round(3),
            "y_true": np.where(truth, "yes", "no"),
            "y_pred": np.where(score >= 0.5, "yes", "no"),
            "y_score": score,
        }
    )


SPECS = {
    "probabilities": (TASK, 'id = "case"\nprobabilities = "p_{class}"', ""),
    "count": (TASK, 'id = "case"\nscore = "score"\ncount = "n"', ""),
    "weight": (TASK, 'id = "case"\nscore = "score"\nweight = "w"', ""),
    "cluster": (TASK, 'id = "case"\nscore = "score"\ncluster = "patient"', ""),
    "segments": (TASK, 'id = "case"\nscore = "score"', '[[segments]]\ncolumn = "site"\n'),
    "map": (TASK, 'id = "case"\ntruth = "spelled"\nmap = {"1" = "yes", "0" = "no"}', ""),
    "missing wrong": (TASK, 'id = "case"\nprediction = "gaps"\nmissing = "wrong"', ""),
    "missing drop": (
        TASK,
        'id = "case"\nprediction = "gaps"\nmissing = "drop"\nscore = "score"',
        "",
    ),
    "missing class": (TASK, 'id = "case"\nprediction = "gaps"\nmissing = "no"', ""),
    "abstain": (TASK + 'abstain = ["unclear"]\n', 'id = "case"\nprediction = "answer"', ""),
    "where": (TASK, 'id = "case"\nscore = "score"\nwhere = {site = "north"}', ""),
    "where number": (TASK, 'id = "case"\nwhere = {fold = 2}', ""),
    "decimal": (TASK, 'id = "case"\nscore = "comma"\ndecimal = ","', ""),
    "format": (TASK, 'id = "case"\nformat = "sklearn"', ""),
    "regression": (
        '[task]\nkind = "regression"\n',
        'id = "case"\ntruth = "target"\nprediction = "number"\nfold = "fold"\nweight = "w"',
        "",
    ),
    "threshold": (
        TASK,
        'id = "case"\nscore = "score"\nthreshold = 0.4\nfold = "fold"',
        "[decision]\ncost = {false_positive = 1, false_negative = 5}\n",
    ),
}


def write_feature(tmp_path: Path, name: str) -> str:
    """Write two classifiers to files of different order, and return their spec.

    The first is in the order of ids, which random resamples of the cases depend on.
    """
    task, data, rest = SPECS[name]
    suffix = "csv" if name == "decimal" else "parquet"
    classifiers = ""
    for seed, classifier in enumerate("AB", start=1):
        frame = _frame(seed)
        if classifier == "B":
            frame = frame.sample(fraction=1, shuffle=True, seed=seed)
        path = tmp_path / f"{classifier}.{suffix}"
        (frame.write_csv if suffix == "csv" else frame.write_parquet)(path)
        classifiers += f'[[classifiers]]\nname = "{classifier}"\npredictions = "{path.name}"\n'
    return f"{task}[data]\n{data}\n{QUICK}{rest}{classifiers}"


@pytest.mark.parametrize("name", SPECS)
def test_a_feature_has_the_same_results(tmp_path: Path, name: str) -> None:
    """With the expressions of Spark, run by polars."""
    path, text = tmp_path / "spec.toml", write_feature(tmp_path, name)
    here, there = results_here(path, text), results_there(path, text, LocalBackend(narwhals))
    assert differences(here, there) == []


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", ["count", "decimal", "format", "missing drop", "where number"])
def test_a_feature_has_the_same_results_on_spark(tmp_path: Path, name: str) -> None:
    """Those that no spec of the repository has, and that read or filter rows on Spark itself."""
    path, text = tmp_path / "spec.toml", write_feature(tmp_path, name)
    assert differences(results_here(path, text), results_there(path, text)) == []


def test_long_format_and_repetitions_have_the_same_results(tmp_path: Path) -> None:
    """One file of two models, every case predicted in two repetitions."""
    rows = [
        _frame(seed + 2 * repeat).with_columns(
            model=pl.lit(f"m{seed}"), repeat=pl.lit(repeat), fold=(pl.col("case") + repeat) % 4
        )
        for repeat in (0, 1)
        for seed in (1, 2)
    ]
    pl.concat(rows).write_parquet(tmp_path / "long.parquet")
    text = (
        f'{TASK}[data]\npredictions = "long.parquet"\nmodel = "model"\nid = "case"\n'
        f'fold = "fold"\nrepeat = "repeat"\nscore = "score"\n{QUICK}'
    )
    path = tmp_path / "spec.toml"
    here, there = results_here(path, text), results_there(path, text, LocalBackend(narwhals))
    assert differences(here, there) == []
