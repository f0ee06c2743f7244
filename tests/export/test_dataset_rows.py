"""results.json has the comparison over several data sets as flat rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from reportgen.export.results import build_results, results_json
from reportgen.export.schema import Results, results_schema
from reportgen.export.tables import result_tables
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    """Evaluate Demšar's example: 4 classifiers, 14 data sets, 6 pairs."""
    return load_and_evaluate(ROOT / "specs" / "demsar.toml")


@pytest.fixture(scope="module")
def results(evaluation: Evaluation) -> Results:
    """Return its results."""
    return build_results(evaluation)


def test_the_rows_fit_the_schema(evaluation: Evaluation) -> None:
    """Other programs rely on it."""
    jsonschema.validate(json.loads(results_json(evaluation)), results_schema())


def test_every_value_average_rank_and_test_has_a_row(results: Results) -> None:
    """4 · 14 values, 4 ranks; Friedman, Iman and Davenport, and two tests of each of 6 pairs."""
    assert len(results.dataset_values) == 56
    assert len(results.dataset_ranks) == 4
    assert [row.test for row in results.dataset_tests] == [
        "friedman",
        "iman-davenport",
        *["wilcoxon", "nemenyi"] * 6,
    ]


def test_the_ranks_of_a_data_set_sum_to_those_of_its_places(results: Results) -> None:
    """1 + 2 + 3 + 4 = 10, also where ranks are shared."""
    for name in {row.dataset for row in results.dataset_values}:
        ranks = [row.rank for row in results.dataset_values if row.dataset == name]

        assert sum(rank for rank in ranks if rank is not None) == pytest.approx(10)


def test_only_wilcoxon_has_a_verdict(results: Results) -> None:
    """One test decides; the others stand beside it."""
    verdicts = {row.test: row.verdict for row in results.dataset_tests}

    assert verdicts["wilcoxon"] == "undecided"
    assert verdicts["nemenyi"] is None
    assert verdicts["friedman"] is None


def test_the_rows_are_exported(results: Results) -> None:
    """As CSV and Parquet, one file a table."""
    expected = ["decision", "recommendation", "dataset_values", "dataset_ranks", "dataset_tests"]

    assert list(result_tables(results)) == expected
