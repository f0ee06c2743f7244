"""What Spark counts is what is counted here, row for row."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.errors import DataError, RenderingError
from reportgen.errors.data import DUPLICATE_IDS, FILE_UNREADABLE
from reportgen.errors.run import ENGINE_FAILED, ENGINE_UNAVAILABLE
from tests.aggregates.backends.counted_samples import (
    COLUMNS,
    area,
    assert_same,
    binary_frame,
    read_counted,
    read_here,
    several_classes,
    spec_text,
    write,
)
from tests.aggregates.backends.engines import (
    SPECS,
    differences,
    reads_files,
    results_here,
    results_there,
)
from tests.cli.command import reportgen
from tests.spark import CONNECT_PORT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCORED = COLUMNS + 'score = "score"\n'


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_spark_counts_what_polars_counts(tmp_path: Path, suffix: str) -> None:
    """Rows in different orders, A lacking 50 cases and B 100 others, exact scores and folds."""
    text = spec_text(
        {
            "A": write(tmp_path / f"a.{suffix}", binary_frame(1).filter(pl.col("case") >= 50)),
            "B": write(tmp_path / f"b.{suffix}", binary_frame(2).filter(pl.col("case") < 500)),
        },
        data=SCORED,
    )
    aggregates = read_counted(tmp_path, text, None)
    assert aggregates.case_count == 450
    assert_same(aggregates, read_here(tmp_path, text))


@pytest.mark.usefixtures("spark")
def test_spark_counts_several_classes_with_labels_of_their_own(tmp_path: Path) -> None:
    """Classes written as 1 and as 1.0, the truth in a third file, in a folder of parts."""
    write(tmp_path / "labels.parquet", several_classes(0).select("case", "truth"))
    (tmp_path / "A").mkdir()
    parts = several_classes(0).drop("truth")
    write(tmp_path / "A" / "1.parquet", parts.head(100))
    write(tmp_path / "A" / "2.parquet", parts.tail(-100))
    write(tmp_path / "whole.parquet", parts)
    files = {"A": "A", "B": write(tmp_path / "B.parquet", several_classes(1).drop("truth"))}
    task, data = '[task]\nkind = "multiclass"\n', '[data]\nid = "case"\nlabels = "labels.parquet"\n'
    aggregates = read_counted(tmp_path, spec_text(files, task, data), None)
    text = spec_text({**files, "A": "whole.parquet"}, task, data)
    assert_same(aggregates, read_here(tmp_path, text))
    assert aggregates.inputs[0].path == "A"
    assert aggregates.inputs[0].rows == 400
    assert aggregates.inputs[0].sha256 is None


@pytest.mark.usefixtures("spark")
def test_spark_counts_scores_in_bins(tmp_path: Path) -> None:
    """600 scores in 50 bins, with a threshold: predictions are exact, the area within the bound."""
    data = SCORED + "threshold = 0.5123\n"
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1, digits=9))}, data=data)
    aggregates = read_counted(tmp_path, text, None, "most_rows = 100\nbins = 50\n")
    expected = read_here(tmp_path, text)
    messages = next(warning for warning in aggregates.warnings if "in 50 bins" in warning)
    error = abs(area(aggregates, "A") - area(expected, "A"))
    assert 0 < error <= float(messages.rpartition("±")[2])
    assert aggregates.confusion is not None
    assert expected.confusion is not None
    assert aggregates.confusion.matrix("A") == expected.confusion.matrix("A")


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", [name for name, path in SPECS.items() if reads_files(path)])
def test_specs_have_the_same_results_on_spark(name: str) -> None:
    """Row for row, but for hashes; with probabilities, clusters, segments, sets and folds."""
    path = SPECS[name]
    text = path.read_text(encoding="utf-8")
    if name == "many_datasets":
        # Three of twelve, because every data set is joined by itself, which takes time.
        subset, _, rest = text.partition('[[datasets]]\nname = "digits"')
        text = f"{subset}[[classifiers]]{rest.partition('[[classifiers]]')[2]}"
    assert differences(results_here(path, text), results_there(path, text)) == []


def test_a_server_of_spark_connect_gives_the_same_results(
    tmp_path: Path, spark: SparkSession
) -> None:
    """In a process of its own: a session of Connect excludes another one in the same process."""
    frames = {name: binary_frame(seed, digits=9) for seed, name in enumerate("AB", start=1)}
    text = spec_text(
        {name: write(tmp_path / f"{name}.parquet", frame) for name, frame in frames.items()},
        data=SCORED,
    )
    path = tmp_path / "connect.toml"
    url = f"sc://127.0.0.1:{spark.conf.get(CONNECT_PORT)}"
    engine = f'[engine]\nkind = "spark"\nurl = "{url}"\n'
    path.write_text(f"{text}{engine}", encoding="utf-8")
    process = reportgen("build", path, "--output", tmp_path / "out", "--format", "json")
    assert process.returncode == 0, process.stderr
    there = json.loads((tmp_path / "out" / "connect" / "results.json").read_text("utf-8"))
    assert differences(results_here(path, text), there) == []
    assert {file["sha256"] for file in there["inputs"]} == {None}
    binned = f"{text}{engine}most_rows = 100\nbins = 1000\n"
    path.write_text(binned, encoding="utf-8")
    process = reportgen("build", path, "--output", tmp_path / "out", "--format", "json")
    assert process.returncode == 0, process.stderr
    assert "pairs of scores were counted in 1024 groups" in process.stderr


@pytest.mark.usefixtures("spark")
def test_faults_on_spark_name_file_column_and_rows(tmp_path: Path) -> None:
    """Of a text file: a score that is no number, one that is not finite, and an empty label."""
    frame = binary_frame(1).with_columns(
        truth=pl.when(pl.col("case") < 2).then(pl.lit("")).otherwise("truth"),
        score=pl.when(pl.col("case") == 5)
        .then(pl.lit("high"))
        .when(pl.col("case") == 6)
        .then(pl.lit("NaN"))
        .otherwise(pl.col("score").cast(pl.String)),
    )
    text = spec_text({"A": write(tmp_path / "a.csv", frame)}, data=SCORED)
    with pytest.raises(DataError) as error_info:
        read_counted(tmp_path, text, None)
    text = str(error_info.value)
    assert "column `score`: 'NaN' is not a finite number (1 of 600 rows)" in text
    assert "column `truth`: the value is missing (2 of 600 rows)" in text
    assert "column `score`: 'high' is not a number (1 of 600 rows)" in text


@pytest.mark.usefixtures("spark")
def test_ids_that_stand_twice_are_rejected_on_spark(tmp_path: Path) -> None:
    """Two rows of id 7 would make two cases of one."""
    frame = binary_frame(1)
    twice = pl.concat([frame, frame.filter(pl.col("case") == 7)])
    text = spec_text({"A": write(tmp_path / "a.parquet", twice)})
    with pytest.raises(DataError) as error_info:
        read_counted(tmp_path, text, None)
    assert [fault.error_code for fault in error_info.value.diagnostics] == [DUPLICATE_IDS]


@pytest.mark.usefixtures("spark")
def test_a_file_that_spark_does_not_find_is_a_fault_of_the_data(tmp_path: Path) -> None:
    """The way out says that the cluster must see the path, too."""
    with pytest.raises(DataError) as error_info:
        read_counted(tmp_path, spec_text({"A": "none.parquet"}), None)
    (fault,) = error_info.value.diagnostics
    assert fault.error_code is FILE_UNREADABLE
    assert "as the cluster sees it" in str(fault.help)


@pytest.mark.usefixtures("spark")
def test_rows_of_another_shape_stop_spark(tmp_path: Path) -> None:
    """A line with too few fields may have its values in the wrong columns."""
    (tmp_path / "a.csv").write_text("case,fold,truth,prediction\n1,1,yes,yes\n2,no\n", "utf-8")
    with pytest.raises(RenderingError) as error_info:
        read_counted(tmp_path, spec_text({"A": "a.csv"}), None)
    assert error_info.value.diagnostics[0].error_code is ENGINE_FAILED


def test_the_session_that_is_active_goes_on(tmp_path: Path, spark: SparkSession) -> None:
    """Whoever started Spark stops it."""
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1))})
    read_counted(tmp_path, text, None)
    assert spark.range(3).count() == 3


def test_without_spark_it_is_stated_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packages are not part of reportgen itself."""
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(RenderingError) as error_info:
        read_counted(tmp_path, spec_text({"A": "a.parquet"}), None)
    (fault,) = error_info.value.diagnostics
    assert fault.error_code is ENGINE_UNAVAILABLE
    assert "reportgen-eval[spark]" in str(fault.help)


@pytest.mark.parametrize(
    ("url", "master_and_name"),
    [
        ("sc://spark.example.org:15002", ("remote", "sc://spark.example.org:15002")),
        ("spark://host:7077", ("master", "spark://host:7077")),
        ("local[2]", ("master", "local[2]")),
    ],
)
def test_the_url_is_handed_to_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, master_and_name: tuple[str, str]
) -> None:
    """Spark Connect is asked for by `remote`, everything else by `master`; then it is started."""
    request: list[tuple[str, str]] = []

    class Refused(Exception):  # noqa: N818  # it stands for Spark's own
        """What Spark raises here."""

    class Builder:
        """Notes what Spark is asked for, and does not start."""

        def config(self, _name: str, _value: str) -> Builder:
            return self

        def remote(self, at: str) -> Builder:
            request.append(("remote", at))
            return self

        def master(self, at: str) -> Builder:
            request.append(("master", at))
            return self

        def getOrCreate(self) -> None:  # noqa: N802  # its name in Spark
            message = "no server"
            raise Refused(message)

    session = SimpleNamespace(builder=Builder(), getActiveSession=lambda: None)
    modules: dict[str, dict[str, object]] = {
        "pyspark": {},
        "pyspark.errors": {"PySparkException": Refused},
        "pyspark.sql": {"SparkSession": session},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(RenderingError, match="Spark cannot be started: no server"):
        read_counted(tmp_path, spec_text({"A": "a.parquet"}), None, f'url = "{url}"\n')
    assert request == [master_and_name]
