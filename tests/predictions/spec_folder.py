"""A folder with a spec and files to read, as tests need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates
    from reportgen.errors import Diagnostic

BINARY = 'kind = "binary"\npositive = "yes"'
COLUMNS = 'id = "case"\nscore = "score"'
ROWS = """\
case,truth,prediction,score
1,yes,yes,0.9
2,no,no,0.2
3,no,yes,0.7
4,yes,no,0.4
5,yes,yes,0.8
"""
COUNTS = ((2, 1), (1, 1))


def read(
    folder: Path,
    classifiers: Mapping[str, str],
    task: str = BINARY,
    data: str = COLUMNS,
) -> Aggregates:
    """Read predictions by a spec; a classifier is given by its name and the keys of its table."""
    tables = (f'[[classifiers]]\nname = "{name}"\n{keys}\n' for name, keys in classifiers.items())
    spec = folder / "spec.toml"
    spec.write_text(f"[task]\n{task}\n[data]\n{data}\n" + "".join(tables), encoding="utf-8")
    spec_file = load_spec(spec)
    return aggregate(spec_file, load_predictions(spec_file))


def faults(
    folder: Path,
    classifiers: Mapping[str, str],
    task: str = BINARY,
    data: str = COLUMNS,
) -> tuple[Diagnostic, ...]:
    """Return the faults that reading raises."""
    with pytest.raises(DataError) as error_info:
        read(folder, classifiers, task, data)
    return error_info.value.diagnostics


def write(folder: Path, **contents: str) -> dict[str, str]:
    """Write CSV files by name, and return a classifier for each."""
    for name, content in contents.items():
        (folder / f"{name}.csv").write_text(content, encoding="utf-8")
    return {name: f'predictions = "{name}.csv"' for name in contents}


def matrix(predictions: Aggregates, classifier: str, fold: str | None = None) -> object:
    """Return the confusion matrix of a classifier."""
    assert predictions.confusion is not None
    return predictions.confusion.matrix(classifier, fold)
