"""Reading in one plan, in few bytes: the same numbers as reading row by row."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen.errors import DataError, RenderingError
from reportgen.predictions import join, memory
from reportgen.predictions.columns import read_fast
from reportgen.predictions.files import InputHashes
from reportgen.predictions.join import fast_join
from reportgen.predictions.parquet_structure import read_row_count
from reportgen.predictions.table import open_table
from reportgen.spec import load_spec
from tests.predictions.spec_folder import BINARY, faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates

MANY = 60_000
CASES = {
    "counts of one classifier": (1, "prediction", ""),
    "counts with folds": (1, "prediction", 'fold = "fold"'),
    "different scores": (1, "score", 'score = "score"'),
    "few scores": (1, "rounded", 'score = "rounded"'),
    "few scores with folds": (1, "rounded", 'score = "rounded"\nfold = "fold"'),
    "rows in order": (3, "prediction", 'fold = "fold"'),
    "rows in order with scores": (2, "score", 'score = "score"'),
    "ids in another order": (3, "prediction", 'id = "id"\nfold = "fold"'),
    "ids with scores": (2, "score", 'id = "id"\nscore = "score"'),
}


def draw_cases(seed: int, *, size: int = MANY, is_reversed: bool) -> pl.DataFrame:
    """Return cases of which the order, and not the truth, depends on the seed."""
    same, own = np.random.default_rng(0), np.random.default_rng(seed)
    truth, fold = same.random(size) < 0.3, same.integers(1, 5, size)
    score = 1 / (1 + np.exp(-own.normal(size=size) - 2.0 * truth))
    frame = pl.DataFrame(
        {
            "id": [f"case {number}" for number in range(size)],
            "fold": fold,
            "truth": np.where(truth, "yes", "no"),
            "prediction": np.where(score > 0.7, "yes", "no"),
            "score": score,
            "rounded": score.round(2),
        }
    )
    return frame[own.permutation(size)] if is_reversed else frame


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("name", CASES)
def test_both_ways_of_reading_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, suffix: str
) -> None:
    """Counts to the last one; sums of many numbers but for their rounding."""
    count, _, data = CASES[name]
    for number in range(count):
        frame = draw_cases(number, is_reversed="id =" in data and number > 0)
        path = tmp_path / f"{number}.{suffix}"
        frame.write_parquet(path) if suffix == "parquet" else frame.write_csv(path)
    files = {f"C{number}": f'predictions = "{number}.{suffix}"' for number in range(count)}

    at_once = read(tmp_path, files, data=data)
    monkeypatch.setattr("reportgen.predictions.columns.read_fast", lambda *_, **__: None)
    monkeypatch.setattr(join, "_join_unique_ids", lambda *_, **__: None)
    monkeypatch.setattr(join, "aggregate_duplicates", lambda *_: None)
    row_by_row = read(tmp_path, files, data=data)

    assert_same(at_once, row_by_row)


def assert_same(one: Aggregates, other: Aggregates) -> None:
    """Compare all tallies."""
    assert one.classes == other.classes
    assert one.audits == other.audits
    assert one.warnings == other.warnings
    assert [item.rows for item in one.inputs] == [item.rows for item in other.inputs]
    for name in (
        "confusion",
        "pairs",
        "ranking",
        "probability_losses",
        "calibration",
        "auc_covariances",
    ):
        result, expected = getattr(one, name), getattr(other, name)
        assert (result is None) == (expected is None)
        if result is not None:
            assert_frame_equal(result.frame, expected.frame, rel_tol=1e-11)
    assert (one.curves is None) == (other.curves is None)
    if one.curves is not None and other.curves is not None:
        assert one.curves.frame.equals(other.curves.frame)


def test_equal_rows_are_counted_and_not_held(tmp_path: Path) -> None:
    """Of 60 000 rows with two labels each there are four kinds, each with its first row."""
    frame = draw_cases(1, is_reversed=False)
    frame.write_parquet(tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet")
    result = read_fast(
        table,
        {"truth": "truth", "prediction": "prediction"},
        {"truth": "label", "prediction": "label"},
        group_duplicates=True,
    )

    assert result is not None
    assert result.height == 4
    assert result["count"].sum() == MANY
    assert result["row"][0] == 0
    assert result["row"].is_sorted()


@pytest.mark.parametrize(
    ("content", "odd"),
    [
        ("truth,prediction\nyes,no\nno,no\n", False),
        ("truth,prediction\r\nyes,no\r\nno,no\r\n", False),
        ('truth,prediction\n"yes",no\nno,no\n', False),
        ("truth,prediction\nyes,no\n\nno,no\n", True),
        ("truth,prediction\nyes\nno,no\n", True),
        ("truth,prediction\nyes,no,maybe\nno,no\n", True),
        ("truth,prediction\nyes,no,maybe\nno\n", True),
        ("truth,prediction\nyes,NA\nno,no\n", True),
        ('truth,prediction\ny"es,no\nno,no\n', True),
    ],
)
def test_a_file_that_is_not_plain_is_looked_at_closely(
    tmp_path: Path, content: str, *, odd: bool
) -> None:
    """Short, long and blank rows, stray quotes and signs of missing values."""
    (tmp_path / "a.csv").write_bytes(content.encode())
    names = {"truth": "truth", "prediction": "prediction"}
    frame = read_fast(
        open_table(tmp_path / "a.csv"), names, {"truth": "label", "prediction": "label"}
    )

    assert (frame is None) == odd


def test_faults_have_their_rows_though_equal_rows_are_counted_together(tmp_path: Path) -> None:
    """Three rows without a prediction: each is told with its line."""
    content = "truth,prediction\nyes,no\nno,\nyes,yes\nno,\nno,\n"
    diagnostics = faults(tmp_path, write(tmp_path, A=content), BINARY, "")

    assert [fault.location.line for fault in diagnostics if fault.location] == [3, 5, 6]


def test_rows_are_put_side_by_side_by_id() -> None:
    """In the order of the first; what only some have is told."""
    first = pl.DataFrame({"id": ["a", "b", "c"], "at": [1, 2, 3]})
    second = pl.DataFrame({"id": ["d", "c", "a"], "at": [40, 30, 10]})
    aligned_frames = fast_join([first, second])

    assert aligned_frames is not None
    assert [frame["at"].to_list() for frame in aligned_frames.frames] == [[1, 3], [10, 30]]
    assert [ids.to_list() for ids in aligned_frames.missing] == [["d"], ["b"]]
    assert [ids.to_list() for ids in aligned_frames.extra] == [["b"], ["d"]]


def test_an_id_that_a_classifier_has_twice_is_looked_at_closely() -> None:
    """Whether it repeats, contradicts itself or is in two folds is another question."""
    once, twice = pl.DataFrame({"id": ["a", "b"]}), pl.DataFrame({"id": ["a", "a"]})

    assert fast_join([once, twice]) is None
    assert fast_join([twice]) is None


@pytest.mark.parametrize("cases", ["common", "identical"])
def test_cases_that_some_lack_are_reported_the_same_in_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: str
) -> None:
    """Of 300 cases the second lacks two and the third three, in another order."""
    for number in range(3):
        frame = draw_cases(number, size=300, is_reversed=number > 0)
        frame.head(300 - [0, 2, 3][number]).write_csv(tmp_path / f"{number}.csv")
    files = {f"C{number}": f'predictions = "{number}.csv"' for number in range(3)}
    data = f'id = "id"\nfold = "fold"\ncases = "{cases}"'

    def read_or_errors() -> Aggregates | tuple[str, ...]:
        try:
            return read(tmp_path, files, data=data)
        except DataError as error:
            return tuple(fault.message for fault in error.diagnostics)

    at_once = read_or_errors()
    monkeypatch.setattr(join, "_join_unique_ids", lambda *_, **__: None)
    row_by_row = read_or_errors()

    if isinstance(at_once, tuple) or isinstance(row_by_row, tuple):
        assert at_once == row_by_row
        assert cases == "identical"
    else:
        assert_same(at_once, row_by_row)


LABELLED = {
    "one has another id than the labels": ("1,2,3,6,8", "1,2,3,6,7", ""),
    "both have another one": ("1,2,3,6,8", "1,2,3,6,9", ""),
    "only one is labelled by the file": ("1,2,3,6,7", "1,2,3,6,8", 'labels = "l.csv"'),
    "a case of both has no label": ("1,2,3,6,8", "1,2,3,6,8", 'labels = "l.csv"'),
    "all have those of the labels": ("1,2,3,6,7", "7,6,3,2,1", ""),
}


@pytest.mark.parametrize("kind", ["binary", "regression"])
@pytest.mark.parametrize("cases", ["common", "identical"])
@pytest.mark.parametrize("name", LABELLED)
def test_labels_of_other_cases_are_reported_the_same_in_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cases: str, kind: str
) -> None:
    """As many labels as predictions need not be labels of the same cases."""
    first, second, own = LABELLED[name]
    message = ("1.5", "2.5") if kind == "regression" else ("yes", "no")
    for file, ids in (("a", first), ("b", second), ("l", "1,2,3,6,7")):
        rows = [
            f"{part},{message[int(part) % 2]},{message[int(part) % 3 == 0]}"
            for part in ids.split(",")
        ]
        (tmp_path / f"{file}.csv").write_text(
            "case,truth,prediction\n" + "\n".join(rows) + "\n", encoding="utf-8"
        )
    files = {"A": 'predictions = "a.csv"', "B": f'predictions = "b.csv"\n{own}'}
    task = 'kind = "regression"' if kind == "regression" else BINARY
    data = f'id = "case"\ncases = "{cases}"' + ("" if own else '\nlabels = "l.csv"')

    def read_or_errors() -> tuple[object, ...]:
        try:
            read_so = read(tmp_path, files, task, data)
        except DataError as error:
            return tuple(fault.message for fault in error.diagnostics)
        counted = read_so.confusion or read_so.regression
        assert counted is not None
        return read_so.audits, read_so.warnings, counted.frame.rows()

    at_once = read_or_errors()
    monkeypatch.setattr(join, "_join_unique_ids", lambda *_, **__: None)

    assert at_once == read_or_errors()


def test_a_nan_among_float_labels_is_missing_though_a_class_is_called_so(tmp_path: Path) -> None:
    """Data frames write a missing label as NaN."""
    frame = pl.DataFrame({"truth": [1.0, float("nan"), 0.0], "prediction": [1.0, 0.0, 0.0]})
    frame.write_parquet(tmp_path / "a.parquet")
    task = 'kind = "multiclass"\nclasses = ["NaN", "1.0", "0.0"]'
    (messages,) = faults(tmp_path, {"A": 'predictions = "a.parquet"'}, task, "")

    assert "the value is missing" in messages.message


def test_the_hash_is_done_before_a_file_is_called_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that comes after would otherwise be hashed instead of what was read."""
    path = tmp_path / "a.csv"
    path.write_text("truth\nyes\n", encoding="utf-8")
    result = []

    def slow_hash(path: Path) -> str:
        time.sleep(0.2)
        result.append(path)
        return ""

    monkeypatch.setattr("reportgen.predictions.files.hash_file", slow_hash)
    monkeypatch.setattr("reportgen.predictions.files._MTIME_RESOLUTION_NS", -1)
    input_hashes = InputHashes()
    input_hashes.submit(path)
    input_hashes.verify_unchanged()

    assert path in result


def test_a_file_changed_while_read_is_rejected_even_if_it_looks_untouched(tmp_path: Path) -> None:
    """A file that was just written may be written to again within the same tick of its times."""
    path = tmp_path / "a.csv"
    path.write_text("truth\nyes\n", encoding="utf-8")
    input_hashes = InputHashes()
    input_hashes.submit(path)
    input_hashes.sha256(path)
    before = path.stat()
    with path.open("r+b") as stream:
        stream.write(b"TRUTH")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(Exception, match="changed while it was read"):
        input_hashes.verify_unchanged()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how many addresses are used")
def test_too_little_memory_is_reported_before_the_work(tmp_path: Path) -> None:
    """With addresses limited to 1 GB beyond those in use, 16 million rows are too many."""
    frame = draw_cases(1, size=2_000_000, is_reversed=False).drop("rounded")
    frame.write_parquet(tmp_path / "a.parquet")
    eight = "".join(
        f'[[classifiers]]\nname = "C{number}"\npredictions = "a.parquet"\n' for number in range(8)
    )
    (tmp_path / "spec.toml").write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\nid = "id"\nscore = "score"\n' + eight,
        encoding="utf-8",
    )
    limited = (
        "import resource, sys; from pathlib import Path\n"
        "import reportgen.pipeline, polars\n"
        "polars.DataFrame({'a': [1]}).lazy().collect(engine='streaming')\n"
        "used = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 1_000_000_000, -1))\n"
        "from reportgen.cli import main\n"
        f"sys.argv = ['reportgen', 'build', {str(tmp_path / 'spec.toml')!r}, '--format', 'json']\n"
        "main()\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", limited], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert process.returncode == 4
    assert "E404" in process.stderr
    assert "16 000 000 rows need about 1.7 GB of memory" in process.stderr
    assert "[engine]" in process.stderr


def test_counts_of_one_classifier_need_no_memory_by_row(tmp_path: Path) -> None:
    """Whatever is free: they are counted, not held."""
    draw_cases(1, is_reversed=False).write_parquet(tmp_path / "a.parquet")

    result = read(tmp_path, {"A": 'predictions = "a.parquet"'}, data="")
    counts = matrix(result, "A")
    assert isinstance(counts, tuple)
    assert sum(map(sum, counts)) == MANY


MEMORY_SPEC = """\
[task]
kind = "binary"
positive = "yes"
[data]
score = "score"
[[classifiers]]
name = "A"
predictions = "p.{suffix}"
"""


@pytest.mark.parametrize(
    "error", [pl.exceptions.ComputeError("no memory"), MemoryError(), OSError("no memory")]
)
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_a_failed_estimate_of_rows_does_not_pass_the_memory_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, error: Exception
) -> None:
    """Under little memory the estimate may fail itself: the file then has as many as it can hold.

    The rows of a Parquet file stand in its footer. 100 000 rows of 60 bytes are 6 MB.
    """
    frame = pl.DataFrame({"truth": ["yes", "no"] * 50_000, "prediction": ["yes", "no"] * 50_000})
    frame = frame.with_columns(score=pl.int_range(100_000) / 100_000)
    path = tmp_path / f"p.{suffix}"
    method = {"parquet": "write_parquet", "arrow": "write_ipc", "csv": "write_csv"}[suffix]
    getattr(frame, method)(path)
    (tmp_path / "spec.toml").write_text(MEMORY_SPEC.format(suffix=suffix), encoding="utf-8")
    spec_file = load_spec(tmp_path / "spec.toml")

    def fail(*_: object, **__: object) -> None:
        raise error

    for module, name in ((pl, "scan_parquet"), (pl, "scan_ipc"), (memory, "_estimate_lines")):
        monkeypatch.setattr(module, name, fail)
    monkeypatch.setattr(memory, "available_memory", lambda: 5_000_000)
    with pytest.raises(RenderingError, match="rows need about"):
        memory.check_memory(spec_file)

    monkeypatch.setattr(memory, "available_memory", lambda: 1_000_000_000)
    memory.check_memory(spec_file)


def test_the_rows_of_a_parquet_file_stand_in_its_footer(tmp_path: Path) -> None:
    """Also of several row groups; other files have none."""
    frame = pl.DataFrame({"truth": ["yes", "no"] * 5_000})
    frame.write_parquet(tmp_path / "p.parquet", row_group_size=999)
    frame.write_csv(tmp_path / "p.csv")

    assert read_row_count(tmp_path / "p.parquet") == 10_000
    assert read_row_count(tmp_path / "p.csv") is None
