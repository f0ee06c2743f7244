"""`reportgen init`: the first minute with the tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from tests.cli.command import reportgen

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_init_writes_an_example_that_builds_and_never_overwrites(tmp_path: Path) -> None:
    """The first minute with the tool ends with a report."""
    assert reportgen("init", cwd=tmp_path).returncode == 0
    assert (tmp_path / "reportgen.toml").read_text(encoding="utf-8").startswith("#:schema ./")
    assert (tmp_path / "reportgen.schema.json").is_file()

    assert reportgen("build", "reportgen.toml", "--format", "html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "reports/reportgen/report.html").is_file()
    again = reportgen("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "--force" in again.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (
            "truth,svm,nb",
            ["yes,yes,no", "no,no,no", "yes,no,yes", "no,yes,no"],
            {"kind": "binary", "classifiers": ["svm", "nb"]},
        ),
        (
            "id,y_true,y_pred,score,fold",
            ["1,1,1,0.9,a", "2,0,0,0.2,a", "3,1,0,0.4,b", "4,0,1,0.7,b"],
            {"kind": "binary", "classifiers": ["p"]},
        ),
        (
            "actual,predicted",
            ["cat,dog", "dog,dog", "bird,cat", "cat,cat"],
            {"kind": "multiclass", "classifiers": ["p"]},
        ),
        (
            "observed,forest,linear",
            ["1.5,1.4,2", "2.5,2.4,3", "0.1,0.4,1"],
            {"kind": "regression", "classifiers": ["forest", "linear"]},
        ),
        (
            "truth,probability",
            ["1,0.9", "0,0.2", "1,0.4", "0,0.7"],
            {"kind": "binary", "classifiers": ["p"]},
        ),
    ],
)
def test_init_reads_the_columns_and_writes_a_spec_that_works(
    tmp_path: Path, columns: str, rows: list[str], expected: dict[str, object]
) -> None:
    """Several classifiers in one file, numbers, folds and ids are recognised."""
    (tmp_path / "p.csv").write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    assert reportgen("init", "p.csv", cwd=tmp_path).returncode == 0

    run = reportgen("build", "reportgen.toml", "--format", "json", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    results = json.loads((tmp_path / "reports/reportgen/results.json").read_text(encoding="utf-8"))
    assert results["task"]["kind"] == expected["kind"]
    assert (
        list(dict.fromkeys(row["classifier"] for row in results["values"]))
        == (expected["classifiers"])
    )


def test_init_writes_a_draft_when_columns_cannot_be_distinguished(tmp_path: Path) -> None:
    """No guess is better than a wrong one: the draft names the file and all its columns."""
    rows = "\n".join(f"{number},{number % 3},{number % 2}" for number in range(40))
    (tmp_path / "p.csv").write_text(f"a,b,c\n{rows}\n", encoding="utf-8")

    run = reportgen("init", "p.csv", cwd=tmp_path)

    assert run.returncode == 3
    assert "which column is the truth? b, c" in run.stderr
    assert "--force --truth NAME" in run.stderr
    draft = (tmp_path / "reportgen.toml").read_text(encoding="utf-8")
    assert 'predictions = "p.csv"' in draft
    assert "#   a: numbers from 0 to 39" in draft
    assert "#   c: 0, 1" in draft


def test_options_answer_what_init_cannot_infer(tmp_path: Path) -> None:
    """A column that does not exist is named with the one that was probably meant."""
    rows = "\n".join(f"{number},{number % 3 % 2},{number % 2}" for number in range(20))
    (tmp_path / "p.csv").write_text(f"number,first,second\n{rows}\n", encoding="utf-8")

    wrong = reportgen("init", "p.csv", "--truth", "firsts", cwd=tmp_path)
    columns = ("--truth", "first", "--prediction", "second", "--positive", "1", "--id", "number")
    right = reportgen("init", "p.csv", *columns, cwd=tmp_path)

    assert wrong.returncode == 3
    assert "did you mean `first`?" in wrong.stderr
    assert right.returncode == 0, right.stderr
    assert "binary task, classes 0, 1; 1 classifier: `p`" in right.stderr
    assert "would add ROC curves" in right.stderr
    text = (tmp_path / "reportgen.toml").read_text(encoding="utf-8")
    for line in ('truth = "first"', 'prediction = "second"', 'positive = "1"\n', 'id = "number"'):
        assert line in text


@pytest.mark.parametrize("place", ["taken/x.toml", "/proc/x.toml"])
def test_init_says_where_it_cannot_write(tmp_path: Path, place: str) -> None:
    """Exit 5, with the place and the way out."""
    (tmp_path / "taken").write_text("", encoding="utf-8")

    run = reportgen("init", "-o", place, cwd=tmp_path)

    assert run.returncode == 5
    assert "error[E500]" in run.stderr


@pytest.mark.slow
def test_init_of_a_folder_of_folds_gives_one_classifier(tmp_path: Path) -> None:
    """With the pattern of the files, from which the folds are read."""
    (tmp_path / "nb").mkdir()
    for fold in range(3):
        rows = f"case,outcome,predicted\n{fold}a,ill,ill\n{fold}b,well,ill\n"
        (tmp_path / f"nb/fold_{fold}.csv").write_text(rows, encoding="utf-8")

    run = reportgen("init", "nb/fold_*.csv", "-o", "new/spec.toml", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    text = (tmp_path / "new/spec.toml").read_text(encoding="utf-8")
    assert 'predictions = "../nb/fold_*.csv"' in text
    assert "6 cases" in reportgen("check", "new/spec.toml", cwd=tmp_path).stdout


def test_init_ignores_what_it_wrote_itself(tmp_path: Path) -> None:
    """So that `reportgen init --force *` can be repeated."""
    (tmp_path / "p.csv").write_text("truth,prediction\nyes,yes\nno,yes\n", encoding="utf-8")
    first = reportgen("init", "p.csv", cwd=tmp_path)

    second = reportgen(
        *("init", "--force", "p.csv", "reportgen.toml", "reportgen.schema.json"), cwd=tmp_path
    )
    without = reportgen("init", "--force", "reportgen.toml", cwd=tmp_path)

    assert (first.returncode, second.returncode, without.returncode) == (0, 0, 2)
    assert second.stderr == first.stderr


def test_init_names_the_file_that_does_not_exist(tmp_path: Path) -> None:
    """And the one that was probably meant."""
    (tmp_path / "predictions.csv").write_text("truth,prediction\n1,1\n", encoding="utf-8")

    run = reportgen("init", "prediction.csv", cwd=tmp_path)

    assert run.returncode == 3
    assert "did you mean `predictions.csv`?" in run.stderr


def test_on_a_terminal_init_asks_for_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number or by name; a wrong answer is asked again."""
    rows = "\n".join(
        f"{'ja' if number % 3 else 'nein'},{'ja' if number % 2 else 'nein'}" for number in range(30)
    )
    (tmp_path / "p.csv").write_text(f"Wahrheit,Vorhersage\n{rows}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("reportgen.cli.init._is_interactive", lambda: True)

    run = CliRunner().invoke(app, ["init", "p.csv"], input="9\nWahrheit\n1\n")

    assert run.exit_code == 0, run.output
    text = (tmp_path / "reportgen.toml").read_text(encoding="utf-8")
    assert 'truth = "Wahrheit"\nprediction = "Vorhersage"' in text
    assert 'positive = "ja"\n' in text
