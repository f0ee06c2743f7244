"""The commands that show, follow, export and prune earlier runs."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import polars as pl
import pytest
from typer.testing import CliRunner

from reportgen.cli.history import history_app
from reportgen.errors import HistoryError
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import sample

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from reportgen.jobs.history.record import RunRecord

VALUES = (0.5, 0.6, 0.7)


@pytest.fixture
def history_url(tmp_path: Path) -> tuple[str, list[RunRecord]]:
    """Return a history of three runs that were written, and one of another name that failed."""
    where = str(tmp_path / "history.sqlite")
    runs = [
        sample(
            day,
            published=day == 1,
            accuracy=MeasureValue(
                value, ValueState.DEFINED, None, value - 0.1, value + 0.1, "Wilson"
            ),
        )
        for day, value in enumerate(VALUES)
    ]
    failed = replace(sample(5, name="=cmd()", state=RunState.FAILED), values=(), gates=())
    with open_history(where) as history:
        for run in (*runs, failed):
            history.begin(run)
    return where, [*runs, failed]


def call(where: str, *arguments: str) -> Result:
    """Call a command on a history."""
    return CliRunner().invoke(history_app, [*arguments, "--history", where])


def test_runs_are_listed_with_how_they_ended(history_url: tuple[str, list[RunRecord]]) -> None:
    """One line for each, the latest first, below the names of the columns."""
    where, runs = history_url
    result = call(where, "list")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["run", *(run.id for run in reversed(runs))]
    assert lines[1].split()[1:] == ["2026-03-06", "02:30:00", "=cmd()", "failed", "–", "4.2"]
    assert "completed, published  1 passed, 1 warning" in lines[3]


def test_runs_of_a_name_are_listed_for_programs(history_url: tuple[str, list[RunRecord]]) -> None:
    """The latest two of churn, with what a program asks first."""
    where, runs = history_url
    rows = json.loads(call(where, "list", "churn", "--last", "2", "--json").stdout)

    assert [row["run"] for row in rows] == [runs[2].id, runs[1].id]
    assert (rows[0]["state"], rows[0]["seconds"]) == ("completed", 4.25)
    assert [gate["passed"] for gate in rows[0]["gates"]] == [True, False]


def test_a_mistyped_name_gets_the_right_one(history_url: tuple[str, list[RunRecord]]) -> None:
    """Rather than an empty list."""
    result = call(history_url[0], "list", "chrun")

    assert result.exit_code == 2
    assert "did you mean `churn`?" in result.stderr


def test_a_run_is_shown_by_how_its_id_begins(history_url: tuple[str, list[RunRecord]]) -> None:
    """With findings, gates, inputs and scores; the day is enough where it had one run."""
    where, runs = history_url
    output = call(where, "show", "20260302").stdout

    assert runs[1].id in output
    assert "NB finds 9 of 10 who leave." in output
    assert "warning: SVM, sensitivity of leaves: it is undefined" in output
    assert "60.0%      50.0 to 70.0" in output
    assert "undefined  no case was predicted as leaves" in output
    rows = json.loads(call(where, "show", runs[1].id, "--json").stdout)
    assert rows["values"][0]["value"] == 0.6
    assert rows["confusion"]["NB"] == [[45, 5], [5, 45]]


@pytest.mark.parametrize(("run", "message"), [("2026", "4 runs begin with"), ("x", "unknown run")])
def test_a_run_must_be_the_only_one(
    history_url: tuple[str, list[RunRecord]], run: str, message: str
) -> None:
    """What could be several runs is refused, with some of them named."""
    result = call(history_url[0], "show", run)

    assert result.exit_code == 2
    assert message in result.stderr


def test_a_trend_draws_values_on_one_scale(history_url: tuple[str, list[RunRecord]]) -> None:
    """From 0.4 to 0.9: the value 0.5 is a fifth of the way, 0.2 × 39 = 7.8 signs from the left."""
    where, _ = history_url
    # SVM has 0.9 in every run, which is where the scale ends.
    lines = call(where, "trend", "churn", "accuracy").stdout.splitlines()

    assert lines[0] == "Accuracy in churn, better: higher; scale from 40.0% to 90.0%"
    first = next(line for line in lines if "40.0 to 60.0" in line)
    strip = first[first.index("├") :]
    assert strip.index("●") == 8
    # Its interval ends at 0.4 × 39 = 15.6.
    assert strip.index("┤") == 16
    assert first.endswith(history_url[1][0].id)


def test_a_trend_is_reported_to_programs(history_url: tuple[str, list[RunRecord]]) -> None:
    """In the order of time, also by another name of the measure."""
    where, runs = history_url
    rows = json.loads(
        call(where, "trend", "churn", "accuracy", "--classifier", "NB", "--json").stdout
    )

    assert [row["value"] for row in rows] == list(VALUES)
    assert [row["run"] for row in rows] == [run.id for run in runs[:3]]
    assert [row["published"] for row in rows] == [False, True, False]
    other = call(where, "trend", "churn", "ppv", "--class", "leaves", "--json").stdout
    assert {row["measure"] for row in json.loads(other)} == {"precision"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["churn", "acuracy"], "did you mean `accuracy`?"),
        (["churn", "accuracy", "--classifier", "NBB"], "did you mean `NB`?"),
        (["churn", "precision"], "available: --class leaves"),
        (["churn", "f1"], "available: --average macro"),
        (["chur", "f1"], "did you mean `churn`?"),
        (["=cmd()", "f1"], "has no completed run"),
    ],
)
def test_a_trend_that_is_not_there_is_rejected(
    history_url: tuple[str, list[RunRecord]], arguments: list[str], message: str
) -> None:
    """With what there is instead."""
    result = call(history_url[0], "trend", *arguments)

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_pruning_only_says_what_it_would_do(history_url: tuple[str, list[RunRecord]]) -> None:
    """Of three runs of churn one is neither the last, nor the last that was published."""
    where, runs = history_url
    result = call(where, "prune", "--keep", "1", "--name", "churn")

    assert runs[0].id in result.stdout
    assert "1 run would be deleted; --yes deletes them" in result.stderr
    with open_history(where) as history:
        assert len(history.runs()) == 4


def test_pruning_removes_with_yes(history_url: tuple[str, list[RunRecord]]) -> None:
    """What it says it removed is gone, and nothing else."""
    where, runs = history_url
    result = call(where, "prune", "--keep", "1", "--yes")

    assert "deleted 1 of 1 run" in result.stderr
    with open_history(where) as history:
        assert {run.id for run in history.runs()} == {run.id for run in runs[1:]}


def test_pruning_by_age_keeps_what_is_younger(history_url: tuple[str, list[RunRecord]]) -> None:
    """A run of yesterday stays, those of years ago would go, but for the last published one."""
    where, _ = history_url
    yesterday = datetime.now(UTC) - timedelta(days=1)
    young = replace(sample(name="young"), started=yesterday, ended=yesterday)
    with open_history(where) as history:
        history.begin(replace(young, id="b", started=yesterday - timedelta(days=3)))
        history.begin(replace(young, id="a"))

    output = json.loads(
        call(where, "prune", "--older-than", "60h", "--name", "young", "--json").stdout
    )
    assert [run["run"] for run in output["runs"]] == ["b"]
    assert output["removed"] == 0


@pytest.mark.parametrize(
    "arguments", [[], ["--older-than", "90"], ["--older-than", "9m"], ["--keep", "0"]]
)
def test_pruning_needs_a_rule(
    history_url: tuple[str, list[RunRecord]], arguments: list[str]
) -> None:
    """Nothing is removed by a mistyped one."""
    assert call(history_url[0], "prune", "--yes", *arguments).exit_code == 2


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_an_export_has_a_row_for_every_score(
    tmp_path: Path, history_url: tuple[str, list[RunRecord]], suffix: str
) -> None:
    """3 runs × 6 scores, and one row for the run that failed and has none."""
    where, runs = history_url
    path = tmp_path / f"out.{suffix}"
    result = call(where, "export", "-o", str(path))

    assert result.stdout.strip() == str(path)
    read = {
        "json": lambda: pl.DataFrame(json.loads(path.read_text("utf-8")), infer_schema_length=None),
        "csv": lambda: pl.read_csv(path),
        "parquet": lambda: pl.read_parquet(path),
    }
    frame = read[suffix]()
    assert frame.height == 3 * 6 + 1
    nb = frame.filter(measure="accuracy", classifier="NB").filter(pl.col("fold").is_null())
    assert nb["value"].to_list() == list(VALUES)
    assert nb["run"].to_list() == [run.id for run in runs[:3]]
    # A spreadsheet would run text that begins so.
    assert frame["name"].to_list()[-1] == ("'=cmd()" if suffix == "csv" else "=cmd()")
    assert frame["measure"].to_list()[-1] is None


def test_an_export_goes_to_stdout(history_url: tuple[str, list[RunRecord]]) -> None:
    """For other programs, as JSON or CSV; Parquet is not for a terminal."""
    where, _ = history_url
    assert len(json.loads(call(where, "export", "--name", "churn").stdout)) == 18
    frame = pl.read_csv(io.StringIO(call(where, "export", "--format", "csv").stdout))
    assert frame.height == 19
    assert call(where, "export", "--format", "parquet").exit_code == 2
    assert call(where, "export", "--format", "xml").exit_code == 2


def test_a_history_that_is_not_there_is_reported(tmp_path: Path) -> None:
    """Exit code 5 with E517, and no file is made."""
    result = call(str(tmp_path / "none.sqlite"), "list")

    assert isinstance(result.exception, HistoryError)
    assert result.exception.diagnostics[0].error_code.code == "E517"
    assert list(tmp_path.iterdir()) == []


def test_the_place_is_taken_from_the_environment(history_url: tuple[str, list[RunRecord]]) -> None:
    """As a scheduled job and a person beside it would set it."""
    result = CliRunner().invoke(history_app, ["list"], env={"REPORTGEN_HISTORY": history_url[0]})

    assert history_url[1][0].id in result.stdout


def test_hostile_names_do_not_steer_the_terminal(tmp_path: Path) -> None:
    """Escape sequences and marks of direction are shown as replaced."""
    where = str(tmp_path / "history.sqlite")
    with open_history(where) as history:
        history.begin(sample(name="\x1b[31mred\u202e"))

    output = call(where, "list").stdout
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "\\x1b[31mred\\u202e" in output
