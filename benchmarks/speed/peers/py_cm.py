"""PyCM, which works out all its measures at once from two lists of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycm import ConfusionMatrix

from benchmarks.speed.peers.reading import scanned

if TYPE_CHECKING:
    from pathlib import Path


def counts(folder: Path) -> dict[str, float]:
    """Give measures of the positive class."""
    matrix = _matrix(folder)
    return {
        "A accuracy": matrix.Overall_ACC,
        "A precision": matrix.PPV["pos"],
        "A sensitivity": matrix.TPR["pos"],
        "A specificity": matrix.TNR["pos"],
        "A f1": matrix.F1["pos"],
        "A mcc": matrix.MCC["pos"],
        "A kappa": matrix.Kappa,
    }


def classes(folder: Path) -> dict[str, float]:
    """Give measures of all classes."""
    matrix = _matrix(folder)
    return {"A accuracy": matrix.Overall_ACC, "A macro sensitivity": matrix.TPR_Macro}


def _matrix(folder: Path) -> ConfusionMatrix:
    cases = scanned(folder).collect()
    return ConfusionMatrix(cases["truth"].to_list(), cases["prediction"].to_list())
