"""Prediction files in an object store are read as those on this machine are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.errors import Location, RemoteUri
from reportgen.preview import watched_data_files
from reportgen.spec import load_spec
from tests.object_store import KEY_ID, SECRET
from tests.predictions.bucket import REMOTE, TABLE, arrow, at, parquet, serve_objects
from tests.predictions.spec_folder import COUNTS, ROWS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

MANY = 200_000


@pytest.mark.parametrize("name", ["run/a.parquet", "run/a.pq", "run/a b.arrow", "ü.feather"])
def test_a_remote_file_counts_as_a_local_one(tmp_path: Path, name: str) -> None:
    """The same five cases give the same matrix; rows are counted, and there is no hash."""
    content = parquet(TABLE) if name.endswith(("parquet", "pq")) else arrow(TABLE)
    with serve_objects({name: content}) as store:
        result = read(tmp_path, at(store, name), data=REMOTE)

    assert matrix(result, "A") == COUNTS
    (file,) = result.inputs
    assert (file.path, file.sha256, file.rows) == (f"{store.bucket}/{name}", None, 5)


def test_only_the_columns_that_are_needed_are_fetched(tmp_path: Path) -> None:
    """Two columns of 200 000 random bits are 25 KB each; the noise of 1.5 MB stays where it is.

    Polars takes the last 256 KiB of a file for its footer, which is fetched once.
    """
    random = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "truth": random.integers(0, 2, MANY),
            "prediction": random.integers(0, 2, MANY),
            "noise": random.random(MANY),
        }
    )
    content = parquet(frame)
    with serve_objects({"a.parquet": content}) as store:
        result = read(tmp_path, at(store, "a.parquet"), _task("1"), "remote = true")

    assert result.case_count == MANY
    needed = 2**18 + 2 * (MANY // 8)
    assert len(content) > 4 * needed
    assert store.served < 1.05 * needed


def _task(positive: str) -> str:
    return f'kind = "binary"\npositive = "{positive}"'


def test_files_of_a_pattern_are_folds_by_their_names(tmp_path: Path) -> None:
    """Five cases in three files, whose columns differ where nobody looks; 2 comes before 10."""
    parts = {
        "run/fold2.parquet": TABLE[:2],
        "run/fold10.parquet": TABLE[2:4].with_columns(more=1),
        "run/fold1.parquet": TABLE[4:].with_columns(more=pl.lit("x")),
        "run/deep/fold3.parquet": TABLE,
        "other/fold4.parquet": TABLE,
    }
    with serve_objects({key: parquet(frame) for key, frame in parts.items()}) as store:
        result = read(tmp_path, at(store, "run/*.parquet"), data=REMOTE)

    names = [f"{store.bucket}/run/fold{number}.parquet" for number in (1, 2, 10)]
    assert [(file.path, file.rows) for file in result.inputs] == [
        (names[0], 1),
        (names[1], 2),
        (names[2], 2),
    ]
    assert matrix(result, "A", "10") == ((0, 1), (1, 0))


def test_a_pattern_of_arrow_files_is_listed_too(tmp_path: Path) -> None:
    """Two Arrow files are two folds."""
    parts = {"f1.arrow": arrow(TABLE[:3]), "f2.arrow": arrow(TABLE[3:])}
    with serve_objects(parts) as store:
        result = read(tmp_path, at(store, "*.arrow"), data=REMOTE)

    assert [file.rows for file in result.inputs] == [3, 2]


def test_a_file_without_rows_is_an_error_by_name_and_unseen_by_a_pattern(tmp_path: Path) -> None:
    """A pattern is listed by the rows of its files; docs/remote.md tells this limit."""
    with serve_objects(
        {"f1.parquet": parquet(TABLE), "f2.parquet": parquet(TABLE.clear())}
    ) as store:
        (fault,) = faults(tmp_path, at(store, "f2.parquet"), data=REMOTE)
        result = read(tmp_path, at(store, "*.parquet"), data=REMOTE)

    assert fault.error_code.code == "E204"
    assert [file.rows for file in result.inputs] == [5]


def test_folds_may_be_a_column(tmp_path: Path) -> None:
    """A column tells the folds of a remote file as of any other."""
    folded = TABLE.with_columns(fold=pl.Series(["a", "a", "b", "b", "b"]))
    with serve_objects({"a.parquet": parquet(folded)}) as store:
        result = read(tmp_path, at(store, "a.parquet"), data=REMOTE + '\nfold = "fold"')

    assert matrix(result, "A", "a") == ((1, 0), (0, 1))


def test_remote_and_local_files_are_joined(tmp_path: Path) -> None:
    """One classifier is remote by its own word, its labels are here, and another is here."""
    (tmp_path / "b.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "labels.csv").write_text(ROWS, encoding="utf-8")
    with serve_objects({"a.parquet": parquet(TABLE.drop("truth"))}) as store:
        (own,) = at(store, "a.parquet").values()
        classifiers = {
            "A": f'{own}\nremote = true\nlabels = "labels.csv"',
            "B": 'predictions = "b.csv"',
        }
        result = read(tmp_path, classifiers, data='id = "case"')

    assert matrix(result, "A") == matrix(result, "B") == COUNTS
    assert [file.sha256 is None for file in result.inputs] == [True, False, False]


def test_labels_may_be_remote(tmp_path: Path) -> None:
    """The truth of a local file of predictions may lie in a bucket."""
    (tmp_path / "b.csv").write_text("case,prediction\n1,yes\n2,no\n3,yes\n4,no\n5,yes\n")
    with serve_objects({"labels.parquet": parquet(TABLE)}) as store:
        data = f'{REMOTE}\nlabels = "{store.bucket}/labels.parquet"'
        result = read(tmp_path, {"B": 'predictions = "b.csv"'}, data=data)

    assert matrix(result, "B") == COUNTS


def test_a_tools_columns_are_found_in_a_remote_file(tmp_path: Path) -> None:
    """`format` presets the columns of a Parquet file wherever it is."""
    columns = {"truth": "y_true", "prediction": "y_pred", "case": "id"}
    with serve_objects({"a.parquet": parquet(TABLE.drop("score").rename(columns))}) as store:
        result = read(tmp_path, at(store, "a.parquet"), data='remote = true\nformat = "sklearn"')

    assert matrix(result, "A") == COUNTS


def test_rows_of_a_remote_file_are_checked(tmp_path: Path) -> None:
    """A missing label is a fault with the address and the row."""
    with_gap = TABLE.with_columns(
        prediction=pl.when(pl.col("case") != 3).then("prediction")  # nothing otherwise
    )
    with serve_objects({"a.parquet": parquet(with_gap)}) as store:
        (fault,) = faults(tmp_path, at(store, "a.parquet"), data=REMOTE)

    assert (fault.error_code.code, "row 3" in fault.message) == ("E208", True)
    assert fault.location == Location(RemoteUri(f"{store.bucket}/a.parquet"))


def test_a_report_says_that_a_remote_file_has_no_hash(tmp_path: Path) -> None:
    """The page, results.json and the manifest say so; only the named object was asked for."""
    spec = tmp_path / "spec.toml"
    with serve_objects({"a.parquet": parquet(TABLE), "b.parquet": b"secret"}) as store:
        spec.write_text(
            f"[task]\n{_task('yes')}\n[data]\n{REMOTE}\n"
            f'[[classifiers]]\nname = "A"\npredictions = "{store.bucket}/a.parquet"\n'
        )
        command = ["build", str(spec), "--output", str(tmp_path / "out"), "--format", "html,json"]
        run = CliRunner().invoke(app, command)

    assert run.exit_code == 0, run.output
    folder = tmp_path / "out" / "spec"
    page = (folder / "report.html").read_text()
    assert "not hashed (remote)" in page
    assert "Some inputs are not hashed" in page
    assert "hashes" not in page
    for name in ("results.json", "manifest.json"):
        text = (folder / name).read_text()
        assert '"sha256": null' in text or '"sha256":null' in text
        assert SECRET not in text
        assert KEY_ID not in text
    assert {path for _, path in store.requests} == {f"/bucket-{store.port}/a.parquet"}
    assert watched_data_files(load_spec(spec)) == [spec]
