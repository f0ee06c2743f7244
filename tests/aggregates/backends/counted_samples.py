"""Classifiers on the same cases, in files of different order, and how their counts compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from polars.testing import assert_frame_equal

from reportgen.aggregates.aggregation import aggregate, aggregate_distributed
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec
from reportgen.spec.measures import with_spec_measures

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.aggregates.model import Aggregates

BINARY = '[task]\nkind = "binary"\npositive = "yes"\n'
COLUMNS = '[data]\nid = "case"\nfold = "fold"\n'
TALLIES = (
    "confusion",
    "pairs",
    "ranking",
    "probability_losses",
    "calibration",
    "auc_covariances",
    "pr_covariances",
    "influence_covariances",
    "paired_losses",
)


def binary_frame(seed: int, cases: int = 600, digits: int = 3) -> pl.DataFrame:
    """Draw answers and scores; the truth of a case is the same for every seed."""
    truth = np.random.default_rng(0).random(cases) < 0.4
    random = np.random.default_rng(seed)
    score = np.clip(random.normal(np.where(truth, 0.6, 0.4), 0.2), 0, 1).round(digits)
    frame = pl.DataFrame(
        {
            "case": np.arange(cases),
            "fold": np.arange(cases) % 5,
            "truth": np.where(truth, "yes", "no"),
            "prediction": np.where(score >= 0.5, "yes", "no"),
            "score": score,
        }
    )
    return frame.sample(fraction=1, shuffle=True, seed=seed)


def several_classes(seed: int, cases: int = 400) -> pl.DataFrame:
    """Draw answers of three classes, written as whole numbers by one and as 1.0 by the other."""
    truth = np.random.default_rng(0).integers(0, 3, cases)
    random = np.random.default_rng(seed)
    answer = np.where(random.random(cases) < 0.7, truth, random.integers(0, 3, cases))
    frame = pl.DataFrame({"case": np.arange(cases), "truth": truth, "prediction": answer})
    if seed % 2:
        frame = frame.with_columns(pl.col("truth", "prediction").cast(pl.Float64))
    return frame.sample(fraction=1, shuffle=True, seed=seed)


def write(path: Path, frame: pl.DataFrame) -> str:
    """Write a frame as its name says, and return the name."""
    (frame.write_csv if path.suffix == ".csv" else frame.write_parquet)(path)
    return path.name


def spec_text(files: dict[str, str], task: str = BINARY, data: str = COLUMNS) -> str:
    """Return a spec of classifiers and their files."""
    tables = (
        f'[[classifiers]]\nname = "{name}"\npredictions = "{file}"\n'
        for name, file in files.items()
    )
    return task + data + "".join(tables)


def read_here(folder: Path, text: str) -> Aggregates:
    """Read a spec as it is read without an engine."""
    path = folder / "here.toml"
    path.write_text(text, encoding="utf-8")
    spec_file = load_spec(path)
    return aggregate(spec_file, load_predictions(spec_file))


def read_counted(
    folder: Path, text: str, engine: AggregationBackend | None, settings: str = ""
) -> Aggregates:
    """Read a spec as Spark does, with another engine if one is given."""
    path = folder / "there.toml"
    path.write_text(f'[engine]\nkind = "spark"\n{settings}\n{text}', encoding="utf-8")
    spec_file = load_spec(path)
    if engine is None:
        return aggregate(spec_file, load_predictions(spec_file))
    return with_spec_measures(aggregate_distributed)(spec_file, engine)


def assert_same(aggregates: Aggregates, expected: Aggregates) -> None:
    """Compare everything that was counted, row for row."""
    assert aggregates.classes == expected.classes
    assert aggregates.case_count == expected.case_count
    assert aggregates.fold_mismatches == expected.fold_mismatches
    assert [_bare(audit) for audit in aggregates.audits] == [
        _bare(audit) for audit in expected.audits
    ]
    assert aggregates.score_types == expected.score_types
    for name in TALLIES:
        own, other = getattr(aggregates, name), getattr(expected, name)
        assert (own is None) == (other is None), name
        if own is not None:
            assert_frame_equal(own.frame, other.frame, abs_tol=1e-9)
    assert (aggregates.curves is None) == (expected.curves is None)
    if aggregates.curves is not None and expected.curves is not None:
        assert_frame_equal(aggregates.curves.frame, expected.curves.frame)


def assert_same_labels(aggregates: Aggregates, expected: Aggregates) -> None:
    """Compare counts of labels, of each classifier and of every two."""
    for name in ("confusion", "pairs"):
        own, other = getattr(aggregates, name), getattr(expected, name)
        assert own is not None
        assert_frame_equal(own.frame, other.frame)


def _bare(audit: object) -> object:
    """Leave out examples, which counts do not have."""
    return replace(audit, missing_examples=(), extra_examples=())  # type: ignore[type-var]


def area(aggregates: Aggregates, classifier: str) -> float:
    """Return the area under the ROC curve, from pairs of cases."""
    assert aggregates.ranking is not None
    rows = aggregates.ranking.frame.filter(
        pl.col("classifier") == classifier, pl.col("fold").is_null()
    )
    concordant, tied, pairs = rows.select("concordant", "tied", "pairs").row(0)
    return float((concordant + tied / 2) / pairs)
