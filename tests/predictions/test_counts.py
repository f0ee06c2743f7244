"""A row with a count stands for so many identical cases, to the last digit."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate
from tests.predictions.spec_folder import BINARY, faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

TASKS = {
    "labels": ('kind = "binary"\npositive = "yes"', ""),
    "scores": ('kind = "binary"\npositive = "yes"', 'score = "score_{}"'),
    "classes": ('kind = "multiclass"', ""),
    "numbers": ('kind = "regression"', ""),
}


def results(
    folder: Path, task: str, rows: list[str], *, count: bool, design: str = ""
) -> dict[str, object]:
    """Return the results of two classifiers in one table, except the names of its files."""
    kind, score = TASKS[task]
    header = "truth,A,B,score_A,score_B,grp,w,n" if design else "truth,A,B,score_A,score_B,n"
    (folder / "table.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        f"{score.format(name)}\n"
        for name in "AB"
    )
    counted = 'count = "n"' if count else ""
    spec = folder / "spec.toml"
    spec.write_text(f"[task]\n{kind}\n[data]\n{counted}\n{design}{classifiers}", encoding="utf-8")
    result: dict[str, object] = json.loads(results_json(load_and_evaluate(spec)))
    del result["inputs"]
    return result


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=4, deadline=None)
def test_counts_equal_the_expanded_file(
    task: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every number of results.json is the same, to the last digit."""
    draw = random.Random(seed)  # noqa: S311  # not for secrets
    labels = {"classes": ["a", "b", "c"], "numbers": [str(n / 7) for n in range(9)]}.get(
        task, ["yes", "no"]
    )
    rows = [
        ",".join([*draw.choices(labels, k=3), f"{draw.random():.3f}", f"{draw.random():.3f}"])
        for _ in range(12)
    ]
    rows += [f"{label},{label},{label},0.5,0.25" for label in labels]
    counts = [draw.randrange(1, 9) for _ in rows]
    counted = [f"{row},{count}" for row, count in zip(rows, counts, strict=True)]
    expanded = [f"{row},1" for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    folder = tmp_path_factory.mktemp("counts")

    assert results(folder, task, counted, count=True) == results(
        folder, task, expanded, count=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", ["scores", "classes", "numbers"])
def test_counts_of_clustered_and_weighted_cases_equal_the_expanded_file(
    task: str, tmp_path: Path
) -> None:
    """A count stands for cases of one cluster and one weight."""
    draw = random.Random(task)  # noqa: S311  # not for secrets
    labels = {"classes": ["a", "b", "c"], "numbers": [str(n / 7) for n in range(9)]}.get(
        task, ["yes", "no"]
    )
    rows = [
        ",".join(
            [
                *draw.choices(labels, k=3),
                *(f"{draw.random():.3f}" for _ in "AB"),
                f"c{draw.randrange(8)}",
                draw.choice("125"),
            ]
        )
        for _ in range(40)
    ]
    counts = [draw.randrange(1, 5) for _ in rows]
    counted = [f"{row},{count}" for row, count in zip(rows, counts, strict=True)]
    expanded = [f"{row},1" for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    design = 'cluster = "grp"\nweight = "w"\n'

    assert results(tmp_path, task, counted, count=True, design=design) == results(
        tmp_path, task, expanded, count=False, design=design
    )


def test_counts_of_a_billion_are_added_up(tmp_path: Path) -> None:
    """Labels are never expanded."""
    table = "truth,prediction,n\nyes,yes,3000000000\nyes,no,1\nno,no,4000000000\nno,yes,2\n"

    counted = read(tmp_path, write(tmp_path, A=table), data='count = "n"')

    assert matrix(counted, "A") == ((3_000_000_000, 1), (2, 4_000_000_000))
    assert counted.case_count == 7_000_000_003


def test_rows_with_a_count_of_zero_are_ignored(tmp_path: Path) -> None:
    """A warning says so; even a label that occurs nowhere else is ignored."""
    table = "truth,prediction,n\nyes,yes,3\nno,no,4\nno,maybe,0\n"

    counted = read(tmp_path, write(tmp_path, A=table), data='count = "n"')

    assert matrix(counted, "A") == ((3, 0), (0, 4))
    assert "`A`: 1 row with a count of 0 ignored" in counted.warnings


@pytest.mark.parametrize(
    ("count", "code", "finding"),
    [
        ("-2", "E231", "-2 is not a count"),
        ("1.5", "E231", "1.5 is not a count"),
        ("", "E208", "missing"),
        ("many", "E209", "not a number"),
        ("1e17", "E231", "1e+17 is not a count"),
    ],
)
def test_invalid_counts_are_errors_with_their_place(
    tmp_path: Path, count: str, code: str, finding: str
) -> None:
    """The message has the line and a way out."""
    table = f"truth,prediction,n\nyes,yes,3\nno,no,{count}\n"

    (fault,) = faults(tmp_path, write(tmp_path, A=table), data='count = "n"')

    assert fault.error_code.code == code
    assert finding in fault.message
    assert fault.location is not None
    assert fault.location.line == 3
    assert fault.help or code == "E209"


def test_counts_that_differ_between_classifiers_are_an_error(tmp_path: Path) -> None:
    """A count describes the case, so all files have the same."""
    first = "truth,prediction,n\nyes,yes,3\nno,no,4\n"
    second = "truth,prediction,n\nyes,yes,3\nno,no,5\n"

    (fault,) = faults(tmp_path, write(tmp_path, A=first, B=second), BINARY, 'count = "n"')

    assert fault.error_code.code == "E233"
    assert "row 2 has 4 for `A` and 5 for `B`" in fault.message


def test_a_column_that_looks_like_a_cluster_is_named(tmp_path: Path) -> None:
    """Its values repeat and nothing is said about it."""
    table = "truth,prediction,patient_id\nyes,yes,1\nno,no,1\nno,no,2\n"

    warned = read(tmp_path, write(tmp_path, A=table), data="")
    silent = read(tmp_path, write(tmp_path, A=table), data='cluster = "patient_id"')

    assert any("`patient_id` looks like a cluster" in warning for warning in warned.warnings)
    assert not any("looks like" in warning for warning in silent.warnings)
