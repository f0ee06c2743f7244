"""Specs with folds, as short to write as tests need them, and what is read by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.aggregation import aggregate
from reportgen.evaluation.values import (
    MeasureValues,
    build_reported_fold_values,
    compute_count_values,
)
from reportgen.measures import MEASURE_REGISTRY
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.measures import Measure
    from reportgen.spec import Spec

# Passerini's example: the accuracy of two classifiers over the same ten folds.
A = (0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81)
B = (0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77)
MEASURES = [MEASURE_REGISTRY[name] for name in ("accuracy", "precision", "kappa")]
Read = tuple["MeasureValues", "Spec", "Aggregates"]


def read(folder: Path, classifiers: Mapping[str, str], more: str = "") -> Read:
    """Read a binary spec whose classifiers are given by the keys of their tables."""
    tables = (f'[[classifiers]]\nname = "{name}"\n{keys}\n' for name, keys in classifiers.items())
    path = folder / "spec.toml"
    head = '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
    data = '[data]\nid = "case"\nfold = "fold"\n'
    path.write_text(head + data + "".join(tables) + more, encoding="utf-8")
    spec_file = load_spec(path)
    predictions, spec = aggregate(spec_file, load_predictions(spec_file)), spec_file.spec
    parts = [
        build_reported_fold_values(item.name, _by_measure(item.fold_scores))
        for item in spec.classifiers
        if item.fold_scores is not None
    ]
    if predictions.confusion is not None:
        parts.append(compute_count_values(predictions.confusion, MEASURES, "yes"))
    return MeasureValues.concat(parts), spec, predictions


def _by_measure(scores: Mapping[str, tuple[float, ...]]) -> dict[Measure, tuple[float, ...]]:
    return {MEASURE_REGISTRY[name]: values for name, values in scores.items()}


def fold_scores_key(measure: str, *values: float) -> str:
    """Return the key of fold scores."""
    return f"fold_scores = {{ {measure} = {list(values)} }}"


def files(folder: Path, **frames: pl.DataFrame) -> dict[str, str]:
    """Write prediction files and return the keys of their classifiers."""
    for name, frame in frames.items():
        frame.write_csv(folder / f"{name}.csv")
    return {name: f'predictions = "{name}.csv"' for name in frames}


def cases(folds: np.ndarray, seed: int, ids: np.ndarray | None = None) -> pl.DataFrame:
    """Return cases in folds, half of them positive, predicted rightly in about 80 %."""
    numbers = np.arange(len(folds)) if ids is None else ids
    truth = numbers % 2 == 0
    right = np.random.default_rng(seed).random(len(folds)) < 0.8
    words = {True: "yes", False: "no"}
    return pl.DataFrame(
        {
            "case": numbers,
            "fold": folds,
            "truth": [words[bool(item)] for item in truth],
            "prediction": [words[bool(item)] for item in truth == right],
        }
    )


def rows_of(
    comparisons: tuple[Comparison, ...], measure: str = "accuracy"
) -> dict[str, Comparison]:
    """Return the tests of a measure by name."""
    return {row.test: row for row in comparisons if row.measure == measure}
