"""More cases or different rows than come back: samples, and groups that keep their counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import narwhals
import numpy as np
import polars as pl
import pytest

from reportgen.export.results import results_json
from reportgen.predictions import attributes, join
from reportgen.report.build import build_report
from tests.aggregates.backends.counted_samples import (
    assert_same,
    binary_frame,
    read_counted,
    read_here,
    spec_text,
    write,
)
from tests.aggregates.backends.engines import evaluate_there, results_there
from tests.aggregates.backends.local_backend import LocalBackend

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = LocalBackend(narwhals)


def _probabilities(seed: int, cases: int = 3000) -> pl.DataFrame:
    """Draw probabilities of three classes; the truth of a case is the same for every seed."""
    truth = np.random.default_rng(0).integers(0, 3, cases)
    random = np.random.default_rng(seed)
    weights = random.gamma(1.0, size=(cases, 3)) + 2 * np.eye(3)[truth] * random.random((cases, 1))
    shares = weights / weights.sum(axis=1, keepdims=True)
    columns = {f"p_{label}": shares[:, at] for at, label in enumerate("abc")}
    return pl.DataFrame(
        {"case": np.arange(cases), "truth": np.array(list("abc"))[truth], **columns}
    )


def test_probabilities_of_several_classes_are_sampled(tmp_path: Path) -> None:
    """Predicted classes are those of all cases; the loss is that of the sample, near the exact."""
    files = {
        name: write(tmp_path / f"{name}.parquet", _probabilities(seed))
        for seed, name in enumerate("AB", start=1)
    }
    text = spec_text(
        files, '[task]\nkind = "multiclass"\n', '[data]\nid = "case"\nprobabilities = "p_{class}"\n'
    )
    aggregates = read_counted(tmp_path, text, ENGINE, "most_rows = 1000\n")
    expected = read_here(tmp_path, text)
    assert aggregates.confusion is not None
    assert expected.confusion is not None
    for name in "AB":
        assert aggregates.confusion.matrix(name) == expected.confusion.matrix(name)
    warning = next(text for text in aggregates.warnings if "random sample" in text)
    size = int(warning.split(" of ")[1].split()[0])
    assert 800 < size <= 1000
    means = []
    for part in (aggregates, expected):
        assert part.probability_losses is not None
        pooled = part.probability_losses.frame.filter(pl.col("fold").is_null())
        means.append((pooled["probability_errors"] / pooled["cases"]).to_list())
    assert means[0] == pytest.approx(means[1], abs=0.05)
    assert aggregates.probability_losses is not None
    assert set(aggregates.probability_losses.frame["cases"]) == {float(size)}


def test_groups_of_more_cases_than_fit_keep_their_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounded scores of many cases are counted, not repeated in memory."""
    monkeypatch.setattr(attributes, "MAX_EXPANDED_CASES", 100)
    monkeypatch.setattr(join, "MAX_EXPANDED_CASES", 100)
    files = {
        name: write(tmp_path / f"{name}.parquet", binary_frame(seed, digits=1))
        for seed, name in enumerate("AB", start=1)
    }
    text = spec_text(files, data='[data]\nid = "case"\nfold = "fold"\nscore = "score"\n')
    assert_same(read_counted(tmp_path, text, ENGINE), read_here(tmp_path, text))


def _sampled_classes(tmp_path: Path) -> str:
    files = {
        name: write(tmp_path / f"{name}.parquet", _probabilities(seed))
        for seed, name in enumerate("AB", start=1)
    }
    return spec_text(
        files, '[task]\nkind = "multiclass"\n', '[data]\nid = "case"\nprobabilities = "p_{class}"\n'
    )


def test_results_and_report_say_that_probabilities_are_a_sample(tmp_path: Path) -> None:
    """The number of cases of each value is that of the sample, or of all; page one says so."""
    text = _sampled_classes(tmp_path)
    evaluation = evaluate_there(tmp_path / "spec.toml", text, ENGINE, "most_rows = 1000\n")
    results = json.loads(results_json(evaluation))
    (warning,) = (text for text in results["warnings"] if "random sample" in text)
    size = int(warning.split(" of ")[1].split()[0])
    numbers = {
        row["measure"]: (row["n"], row["n_effective"])
        for row in results["values"]
        if row["class"] is None
    }
    assert size < 1000
    assert numbers["accuracy"] == (3000, 3000)
    assert numbers["brier"] == numbers["log_loss"] == numbers["roc_auc"] == (size, size)
    (test,) = (row for row in results["comparisons"] if row["measure"] == "brier")
    assert test["required_cases"] is None or test["required_cases"] > size
    assert [file["rows"] for file in results["inputs"]] == [3000, 3000]
    document = build_report(evaluation)
    assert f"evaluated on a random sample of {size} of 3000 cases" in repr(document)


def _numbers(seed: int, cases: int = 3000) -> pl.DataFrame:
    """Draw numeric predictions; the truth of a case is the same for every seed."""
    truth = np.random.default_rng(0).normal(size=cases)
    error = np.random.default_rng(seed).normal(size=cases)
    return pl.DataFrame({"case": np.arange(cases), "truth": truth, "prediction": truth + error})


REGRESSION = '[task]\nkind = "regression"\n'


def test_numbers_without_ids_are_sampled_by_row(tmp_path: Path) -> None:
    """One classifier needs no ids; its rows are told apart by their values."""
    files = {"A": write(tmp_path / "a.parquet", _numbers(1).drop("case"))}
    aggregates = read_counted(
        tmp_path, spec_text(files, REGRESSION, ""), ENGINE, "most_rows = 1000\n"
    )
    assert aggregates.case_count is not None
    assert 800 < aggregates.case_count <= 1000
    assert [file.rows for file in aggregates.inputs] == [3000]
    assert any("random sample" in warning for warning in aggregates.warnings)


def test_repetitions_of_a_case_are_sampled_together(tmp_path: Path) -> None:
    """1,500 cases in two repetitions: every sampled case is there twice."""
    rows = [
        _numbers(seed, 1500).with_columns(fold=pl.col("case") % 3, repeat=pl.lit(seed))
        for seed in (1, 2)
    ]
    files = {"A": write(tmp_path / "a.parquet", pl.concat(rows))}
    data = '[data]\nid = "case"\nfold = "fold"\nrepeat = "repeat"\n'
    aggregates = read_counted(
        tmp_path, spec_text(files, REGRESSION, data), ENGINE, "most_rows = 1000\n"
    )
    assert aggregates.case_count is not None
    assert aggregates.distinct_cases == aggregates.case_count / 2
    assert aggregates.case_count <= 1000


@pytest.mark.parametrize("kind", ["bins", "weights", "sample", "numbers"])
def test_results_do_not_depend_on_the_order_in_which_groups_come_back(
    tmp_path: Path, kind: str
) -> None:
    """A cluster returns them in any order; floats are summed in that of the ids, or of scores."""
    data = '[data]\nid = "case"\nfold = "fold"\nscore = "score"\n'
    settings = "most_rows = 200\nbins = 300\n"
    if kind == "sample":
        text, settings = _sampled_classes(tmp_path), "most_rows = 1000\n"
    elif kind == "numbers":
        files = {
            name: write(tmp_path / f"{name}.parquet", _numbers(seed))
            for seed, name in enumerate("AB", start=1)
        }
        text, settings = spec_text(files, REGRESSION, '[data]\nid = "case"\n'), "most_rows = 900\n"
    else:
        weight = pl.col("case") % 3 * 0.1 + 0.3
        files = {
            name: write(
                tmp_path / f"{name}.parquet",
                binary_frame(seed, digits=9).with_columns(weight=weight),
            )
            for seed, name in enumerate("AB", start=1)
        }
        data += 'weight = "weight"\n' if kind == "weights" else ""
        text = spec_text(files, data=data)
    path = tmp_path / "spec.toml"
    first, second = (
        results_there(path, text, LocalBackend(narwhals, seed), settings) for seed in (1, 2)
    )
    assert first == second
