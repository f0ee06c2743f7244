"""Data in memory give the numbers that files give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import reportgen as rg
from reportgen import pipeline
from reportgen.aggregates.aggregation import aggregate

if TYPE_CHECKING:
    from reportgen.aggregates.model import Aggregates
    from reportgen.predictions.load import LoadedPredictions
    from reportgen.spec import SpecFile

ROOT = Path(__file__).parents[2]
DATA = ROOT / "specs/data/breast_cancer"
FILES = {
    "SVM": "svm.parquet",
    "Naive Bayes": "naive_bayes.parquet",
    "Decision tree": "decision_tree.csv.gz",
}
SAME = ("confusion", "values", "folds", "comparisons", "capabilities", "curves", "thresholds")


@pytest.fixture(scope="module")
def from_files() -> rg.Report:
    """Return the flagship's report, read from its spec."""
    return rg.evaluate_spec(ROOT / "specs/breast_cancer.toml")


@pytest.fixture(scope="module")
def from_memory() -> rg.Report:
    """Return the same from frames that polars read, all in the order of the first."""
    read = {name: _frame(DATA / file) for name, file in FILES.items()}
    first = read["SVM"]
    frames = {
        name: first.select("case").join(frame, on="case", maintain_order="left")
        for name, frame in read.items()
    }
    return rg.evaluate(
        first["diagnosis"],
        {name: frame["predicted"] for name, frame in frames.items()},
        scores={name: frame["p_malignant"] for name, frame in frames.items()},
        positive="malignant",
        classes=["malignant", "benign"],
        folds=first["fold"],
        ids=first["case"],
        measures=["all", "f0.5", "f2"],
        cost={"false_positive": 1, "false_negative": 10},
        title="Malignant or benign: three classifiers on breast cancer",
    )


def _frame(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)


@pytest.mark.parametrize("block", SAME)
def test_memory_gives_the_numbers_of_files(
    block: str, from_files: rg.Report, from_memory: rg.Report
) -> None:
    """There is one way of computing, wherever the data come from."""
    assert from_memory.results[block] == from_files.results[block]
    assert from_memory.results[block]


def test_the_same_findings_are_reported(from_files: rg.Report, from_memory: rg.Report) -> None:
    """Only what is said of files is not said of data in memory."""
    # The spec calls its cases tumours.
    findings = {sentence.replace("tumours", "cases") for sentence in from_files.findings}
    of_files = {sentence for sentence in findings if "file" in sentence}

    assert set(from_memory.findings) == findings - of_files


def test_frames_have_the_rows_of_results_json(from_memory: rg.Report) -> None:
    """A frame is the table of results.json, with the same names and values."""
    results = from_memory.results
    counts = sum(len(row["counts"]) ** 2 for row in _rows(results["confusion"]))

    assert from_memory.values.to_dicts() == results["values"]
    assert from_memory.comparisons.to_dicts() == results["comparisons"]
    assert from_memory.confusion.height == counts
    assert from_memory.values.columns == [
        *("classifier", "class", "average", "fold", "measure", "value", "state", "reason"),
        *("low", "high", "method", "segment_column", "segment", "n", "n_effective"),
    ]


def _rows(block: object) -> list[dict[str, list[object]]]:
    assert isinstance(block, list)
    return block


def test_a_frame_without_rows_has_its_columns() -> None:
    """One classifier has nobody to be compared with."""
    report = rg.evaluate(["a", "b", "a"], {"only": ["a", "b", "b"]}, positive="a")

    assert report.comparisons.is_empty()
    assert {"first", "second", "p_adjusted"} <= set(report.comparisons.columns)


def test_a_regression_is_recognised_by_its_truth() -> None:
    """RMSE of errors 1, 1 and 2 is the root of (1 + 1 + 4) / 3."""
    report = rg.evaluate([1.5, 2.5, 3.5], {"mean": [2.5, 3.5, 5.5]})
    (rmse,) = report.values.filter(measure="rmse")["value"]

    assert rmse == pytest.approx((6 / 3) ** 0.5)


def test_more_than_two_classes_are_multiclass() -> None:
    """Three of four are right."""
    report = rg.evaluate(["a", "b", "c", "a"], {"A": ["a", "b", "c", "b"]})
    accuracy = report.values.filter(pl.col("class", "average").is_null(), measure="accuracy")[
        "value"
    ]

    assert report.results["task"] == {
        "kind": "multiclass",
        "classes": ["a", "b", "c"],
        "positive": None,
    }
    assert accuracy.to_list() == [0.75]


def test_a_threshold_makes_predictions_from_scores() -> None:
    """From 0.5 on it is yes; a classifier without scores keeps its predictions."""
    report = rg.evaluate(
        ["yes", "no", "yes", "no"],
        {"rule": ["yes", "yes", "no", "no"]},
        scores={"model": [0.5, 0.49, 0.9, 0.1]},
        threshold=0.5,
        positive="yes",
    )

    assert _accuracies(report) == {"rule": 0.5, "model": 1.0}


def test_each_classifier_may_have_its_own_threshold() -> None:
    """With 0.95 the second classifier misses both."""
    scores = [0.5, 0.4, 0.9, 0.1]
    report = rg.evaluate(
        ["yes", "no", "yes", "no"],
        scores={"low": scores, "high": scores},
        threshold={"low": 0.5, "high": 0.95},
        positive="yes",
    )

    assert _accuracies(report) == {"low": 1.0, "high": 0.5}


def test_settings_reach_the_report() -> None:
    """What has no argument of its own is given as in a spec."""
    report = rg.evaluate(
        ["yes", "no"] * 10,
        {"A": ["yes", "no"] * 10, "B": ["yes", "yes"] * 10},
        positive="yes",
        primary="accuracy",
        prevalence=0.1,
        level=0.9,
        seed=7,
        title="Ours",
        spec={"comparison": {"correction": "holm"}, "folds": {"tails": "one"}},
    )
    assert report.title == report.results["title"] == "Ours"
    assert [str(row["target"]) for row in _rows(report.results["prevalence"])] == ["0.1", "0.1"]
    assert report.values.filter(classifier="B", measure="accuracy")["low"][0] == pytest.approx(
        0.327, abs=0.001
    )  # Wilson, 10 of 20 at 90 %: z = 1.645, (10 + z²/2) / (20 + z²) ∓ …


def _accuracies(report: rg.Report) -> dict[str, float]:
    frame = report.values.filter(measure="accuracy").select("classifier", "value")
    return dict(frame.rows())


def blas_threads() -> list[int]:
    """Return the number of threads of every BLAS library; other libraries may use more."""
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


def test_matrix_products_use_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """With several threads sums of many cases depend in their last digits on their number."""
    threads = set[int]()

    def aggregate_and_count(spec_file: SpecFile, predictions: LoadedPredictions) -> Aggregates:
        threads.update(blas_threads())
        return aggregate(spec_file, predictions)

    monkeypatch.setattr(pipeline, "aggregate", aggregate_and_count)
    with threadpool_limits(2, user_api="blas"):
        rg.evaluate(["yes", "no"] * 5, {"A": ["yes"] * 10}, positive="yes")
        after = set(blas_threads())

    assert threads == {1}
    assert after == {2}
