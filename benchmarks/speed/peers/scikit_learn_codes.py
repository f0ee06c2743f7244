"""scikit-learn at its quickest: on integers that polars made from the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchmarks.speed.peers import scikit_learn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.speed.peers.scikit_learn import Labels


def counts(folder: Path) -> dict[str, float]:
    """Give what scikit-learn gives of strings."""
    return scikit_learn.counts(folder, as_codes)


def classes(folder: Path) -> dict[str, float]:
    """Give what scikit-learn gives of strings."""
    return scikit_learn.classes(folder, as_codes)


def folds(folder: Path) -> dict[str, float]:
    """Give what scikit-learn gives of strings."""
    return scikit_learn.folds(folder, as_codes)


def as_codes(cases: pl.DataFrame, columns: Sequence[str]) -> list[Labels]:
    """Return columns of labels as integers in the order of the labels."""
    labels = pl.Enum(pl.concat([cases[column].unique() for column in columns]).unique().sort())
    return [cases[column].cast(labels).to_physical().to_numpy() for column in columns]
