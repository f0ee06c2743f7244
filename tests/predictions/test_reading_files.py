"""The files that a spec names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError
from reportgen.errors.data import DUPLICATE_FILE
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec
from tests.predictions.spec_folder import ROWS, faults, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "path", ['["p.csv", "p.csv"]', '["p.csv", "./p.csv"]', '["p.csv", "*.csv"]']
)
def test_a_file_named_twice_is_rejected(tmp_path: Path, path: str) -> None:
    """Its cases would count twice, and no number would show it."""
    (tmp_path / "p.csv").write_text("truth,prediction\nyes,yes\nno,yes\n", encoding="utf-8")
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n'
        f'[[classifiers]]\nname = "A"\npredictions = {path}\n',
        encoding="utf-8",
    )

    with pytest.raises(DataError) as error_info:
        load_predictions(load_spec(spec))

    (fault,) = error_info.value.diagnostics
    assert fault.error_code is DUPLICATE_FILE
    assert fault.location is not None
    assert fault.location.line == 6


def test_a_classifiers_own_predictions_are_not_replaced_by_the_shared_threshold(
    tmp_path: Path,
) -> None:
    """The column it names says yes and no; the score would say no twice."""
    (tmp_path / "p.csv").write_text("truth,said,score\nyes,yes,0.1\nno,no,0.2\n", encoding="utf-8")
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\nscore = "score"\nthreshold = 0.5\n'
        '[[classifiers]]\nname = "A"\npredictions = "p.csv"\nprediction = "said"\n',
        encoding="utf-8",
    )

    spec_file = load_spec(spec)
    tally = aggregate(spec_file, load_predictions(spec_file)).confusion

    assert tally is not None
    assert tally.matrix("A") == ((1, 0), (0, 1))


def test_files_of_different_cases_are_folds_or_data_sets(tmp_path: Path) -> None:
    """Not two classifiers: without ids the help has both ways to write it."""
    header, *rows = ROWS.splitlines()
    files = {"A": rows, "B": rows[:3]}
    contents = {
        name: "\n".join(line.partition(",")[2] for line in (header, *own)) + "\n"
        for name, own in files.items()
    }

    (fault,) = faults(tmp_path, write(tmp_path, **contents), data='score = "score"')

    assert fault.error_code.code == "E222"
    assert "[[datasets]]" in (fault.help or "")
    assert 'predictions = ["a.csv", "b.csv"]' in (fault.help or "")
