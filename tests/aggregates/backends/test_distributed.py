"""What an engine counts is what is counted here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen.aggregates.backends.distributed import auc_error_bound
from tests.aggregates.backends.counted_samples import (
    COLUMNS,
    area,
    assert_same,
    assert_same_labels,
    binary_frame,
    read_counted,
    read_here,
    several_classes,
    spec_text,
    write,
)
from tests.aggregates.backends.engines import (
    SPECS,
    Results,
    differences,
    results_here,
    results_there,
)
from tests.aggregates.backends.local_backend import LocalBackend
from tests.cli.command import reportgen

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates

SCORED = COLUMNS + 'score = "score"\n'


@pytest.fixture
def engine() -> LocalBackend:
    """Return the expressions of Spark, run by polars."""
    return LocalBackend(narwhals)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_counts_are_those_of_reading(tmp_path: Path, engine: LocalBackend, suffix: str) -> None:
    """Two classifiers with folds and scores, their rows in different orders, joined by id."""
    text = spec_text(
        {
            name: write(tmp_path / f"{name}.{suffix}", binary_frame(seed))
            for seed, name in enumerate("AB", start=1)
        },
        data=SCORED,
    )
    assert_same(read_counted(tmp_path, text, engine), read_here(tmp_path, text))


def test_one_classifier_needs_no_ids(tmp_path: Path, engine: LocalBackend) -> None:
    """Nothing is matched, so every row is a case."""
    data = '[data]\nfold = "fold"\nscore = "score"\n'
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1))}, data=data)
    assert_same(read_counted(tmp_path, text, engine), read_here(tmp_path, text))


def test_labels_are_spelled_alike(tmp_path: Path, engine: LocalBackend) -> None:
    """One classifier writes 1 and the other 1.0: the same class, and the same truth."""
    files = {
        name: write(tmp_path / f"{name}.parquet", several_classes(seed))
        for seed, name in enumerate("AB")
    }
    text = spec_text(files, '[task]\nkind = "multiclass"\n', '[data]\nid = "case"\n')
    aggregates = read_counted(tmp_path, text, engine)
    assert aggregates.classes == ("0", "1", "2")
    assert_same(aggregates, read_here(tmp_path, text))


def test_cases_that_not_all_share_are_left_out(tmp_path: Path, engine: LocalBackend) -> None:
    """B lacks 100 of 600 cases and A 50 others: 450 are shared, also by the counts of scores."""
    text = spec_text(
        {
            "A": write(tmp_path / "a.parquet", binary_frame(1).filter(pl.col("case") >= 50)),
            "B": write(tmp_path / "b.parquet", binary_frame(2).filter(pl.col("case") < 500)),
        },
        data=SCORED,
    )
    aggregates = read_counted(tmp_path, text, engine)
    assert aggregates.case_count == 450
    assert "`A` lacks 50 cases" in aggregates.warnings
    assert "`B` lacks 100 cases" in aggregates.warnings
    assert_same(aggregates, read_here(tmp_path, text))


def test_truth_may_be_in_a_file_of_its_own(tmp_path: Path, engine: LocalBackend) -> None:
    """Labels lack 30 cases and have 20 that nobody predicts, as 1 classifier lacks 10 of them."""
    frame = binary_frame(1)
    labels = frame.select("case", "truth").filter(pl.col("case") >= 30)
    more = pl.DataFrame({"case": range(1000, 1020), "truth": ["yes"] * 20})
    write(tmp_path / "labels.parquet", pl.concat([labels, more]))
    one = frame.drop("truth").filter(pl.col("case") < 590)
    text = spec_text(
        {
            "A": write(tmp_path / "a.parquet", one),
            "B": write(tmp_path / "b.parquet", binary_frame(2).drop("truth")),
        },
        data=SCORED + 'labels = "labels.parquet"\n',
    )
    aggregates = read_counted(tmp_path, text, engine)
    assert aggregates.case_count == 560
    assert [(audit.missing, audit.extra) for audit in aggregates.audits] == [(30, 30), (20, 30)]
    assert_same(aggregates, read_here(tmp_path, text))


def test_a_threshold_decides_before_scores_are_put_into_bins(
    tmp_path: Path, engine: LocalBackend
) -> None:
    """Predictions at 0.5123 are those of each score, though a bin may lie on both sides of it."""
    data = SCORED + "threshold = 0.5123\n"
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1, digits=9))}, data=data)
    expected = read_here(tmp_path, text)
    aggregates = read_counted(tmp_path, text, engine, "most_rows = 100\nbins = 16\n")
    assert aggregates.confusion is not None
    assert expected.confusion is not None
    assert aggregates.confusion.matrix("A") == expected.confusion.matrix("A")
    warnings = [warning for warning in expected.warnings if "threshold" in warning]
    assert warnings == [warning for warning in aggregates.warnings if "threshold" in warning] != []


@pytest.mark.parametrize("bins", [16, 50, 1000])
def test_scores_in_bins_leave_the_area_as_exact_as_is_stated(
    tmp_path: Path, engine: LocalBackend, bins: int
) -> None:
    """The bound is at least the error, and 1000 bins leave less than a thousandth."""
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1, digits=9))}, data=SCORED)
    aggregates = read_counted(tmp_path, text, engine, f"most_rows = 20\nbins = {bins}\n")
    error = abs(area(aggregates, "A") - area(read_here(tmp_path, text), "A"))
    messages = next(warning for warning in aggregates.warnings if f"in {bins} bins" in warning)
    bound = float(messages.rpartition("±")[2])
    assert 0 < error <= bound
    assert bound < 1 / bins * 3


def test_few_different_scores_are_exact_even_in_bins(tmp_path: Path, engine: LocalBackend) -> None:
    """101 different scores are farther apart than 1/1000, so every bin has at most one."""
    text = spec_text({"A": write(tmp_path / "a.parquet", binary_frame(1, digits=2))}, data=SCORED)
    aggregates = read_counted(tmp_path, text, engine, "most_rows = 20\nbins = 1000\n")
    assert any("so the area is exact" in warning for warning in aggregates.warnings)
    assert_same(aggregates, read_here(tmp_path, text))


def test_the_bound_of_the_area_is_half_of_the_pairs_in_bins() -> None:
    """Bins of 2 and 3, and of 4 and 1: (6 + 4) / (2 · 6 · 4); a bin of one score is exact."""
    frame = pl.DataFrame(
        {
            "truth": ["yes", "no"] * 3,
            "score": [0.1, 0.1, 0.5, 0.5, 0.9, 0.9],
            "is_binned": [True, True, True, True, False, False],
            "count": [2, 3, 4, 1, 0, 0],
        }
    )
    assert auc_error_bound(frame, "yes") == pytest.approx((2 * 3 + 4 * 1) / (2 * 6 * 4))
    assert auc_error_bound(frame.with_columns(is_binned=pl.lit(value=False)), "yes") == 0


@pytest.mark.parametrize("cases", [600, 4000])
def test_binned_scores_are_compared_within_the_stated_bound(
    tmp_path: Path, engine: LocalBackend, cases: int
) -> None:
    """The standard error of a difference of areas is that of unbinned scores to the bound."""
    text = spec_text(
        {
            name: write(tmp_path / f"{name}.parquet", binary_frame(seed, cases, digits=9))
            for seed, name in enumerate("AB", start=1)
        },
        data=SCORED,
    )
    aggregates = read_counted(tmp_path, text, engine, "most_rows = 200\nbins = 5000\n")
    expected = read_here(tmp_path, text)
    warning = next(text for text in aggregates.warnings if "pairs of scores" in text)
    bound = float(warning.rpartition("±")[2])
    errors = [_standard_error(part) for part in (aggregates, expected)]
    assert 0 < bound < 0.1 * errors[1]
    assert abs(errors[0] - errors[1]) <= bound
    assert aggregates.paired_losses is not None
    assert expected.paired_losses is not None
    keys = ["first", "second", "loss", "cases"]
    frames = aggregates.paired_losses.frame, expected.paired_losses.frame
    assert_frame_equal(frames[0].select(keys), frames[1].select(keys))
    for column, tolerance in (("differences", 1e-3), ("differences_squared", 1e-2)):
        one, other = (frame[column] for frame in frames)
        assert one.to_list() == pytest.approx(other.to_list(), rel=tolerance, abs=1e-2, nan_ok=True)


def _standard_error(aggregates: Aggregates) -> float:
    """Return the standard error of the difference of two areas."""
    assert aggregates.auc_covariances is not None
    matrix = aggregates.auc_covariances.covariances(["A", "B"], None)
    assert matrix is not None
    return float(np.sqrt(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]))


def test_thresholds_of_binned_scores_are_exact(tmp_path: Path, engine: LocalBackend) -> None:
    """Counts at the probability that a measure names are those of unbinned scores."""
    files = {
        name: write(tmp_path / f"{name}.parquet", binary_frame(seed, digits=9))
        for seed, name in enumerate("AB", start=1)
    }
    text = spec_text(files, data=SCORED) + '[measures]\nshow = ["net_benefit@0.3"]\n'
    aggregates = read_counted(tmp_path, text, engine, "most_rows = 200\nbins = 16\n")
    expected = read_here(tmp_path, text)
    assert list(aggregates.at_thresholds) == [0.3]
    assert_same_labels(aggregates.at_thresholds[0.3], expected.at_thresholds[0.3])


def test_overconfident_scores_have_bins_of_their_own(tmp_path: Path, engine: LocalBackend) -> None:
    """Scores within 1e-9 of 0 and of 1 are binned by their distance from them."""
    random = np.random.default_rng(5)
    frame = binary_frame(1).with_columns(distance=pl.Series(10.0 ** random.uniform(-9, -5, 600)))
    near = pl.when(pl.col("score") < 0.5).then("distance").otherwise(1 - pl.col("distance"))
    text = spec_text(
        {"A": write(tmp_path / "a.parquet", frame.with_columns(score=near))}, data=SCORED
    )
    aggregates = read_counted(tmp_path, text, engine, "most_rows = 200\nbins = 100\n")
    assert area(aggregates, "A") == pytest.approx(area(read_here(tmp_path, text), "A"), abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_specs_have_the_same_results(name: str, engine: LocalBackend) -> None:
    """Row for row, for every kind of task, with folds, clusters, segments and data sets."""
    path = SPECS[name]
    text = path.read_text(encoding="utf-8")
    assert differences(results_here(path, text), results_there(path, text, engine)) == []


def test_differences_are_found() -> None:
    """The comparison of results is not blind."""
    one: Results = {"values": [{"value": 0.5, "n": 3}, {"value": None, "n": 3}], "inputs": [1]}
    other: Results = {"values": [{"value": 0.6, "n": 3}, {"value": 0.1, "n": 3}], "inputs": [2]}
    assert differences(one, one) == []
    assert differences(one, other) == [
        "values[0].value: 0.5 and 0.6",
        "values[1].value: None and 0.1",
    ]
    assert differences(one, {"values": one["values"][:1]}) == ["values: 2 and 1 rows"]


def test_files_are_parts_and_not_folds(tmp_path: Path, engine: LocalBackend) -> None:
    """Two files are one table of 1200 rows, and the report says so."""
    for number in (1, 2):
        write(tmp_path / f"part{number}.parquet", binary_frame(number))
    aggregates = read_counted(tmp_path, spec_text({"A": "part*.parquet"}, data=""), engine)
    assert aggregates.case_count == 1200
    assert any("are parts of one table, not folds" in warning for warning in aggregates.warnings)


@pytest.mark.slow
def test_check_looks_at_the_spec_and_does_not_start_spark(tmp_path: Path) -> None:
    """There is neither a file nor a cluster, and the spec is fine; a fault of it is found."""
    spec = tmp_path / "spec.toml"
    text = '[engine]\nkind = "spark"\nurl = "sc://nowhere.invalid:1"\n'
    spec.write_text(text + spec_text({"A": "a.parquet"}), encoding="utf-8")
    fine = reportgen("check", spec)
    assert fine.returncode == 0
    assert "valid (1 classifier; data on Spark not checked)" in fine.stdout + fine.stderr
    spec.write_text(text + "bins = 3\n" + spec_text({"A": "a.parquet"}), encoding="utf-8")
    assert reportgen("check", spec).returncode == 2
