"""Tables for other programs hold what results.json holds."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.evaluation.curves import MAX_CURVE_POINTS
from reportgen.export.results import build_results
from reportgen.export.tables import csv_files, parquet_files, result_tables, threshold_tables
from reportgen.pipeline import build_and_write, load_and_evaluate

if TYPE_CHECKING:
    from reportgen.export.schema import Results

ROOT = Path(__file__).parents[2]
# Not flat: the title, what was to be predicted, and sentences.
NO_TABLES = {"schema", "title", "task", "warnings"}


def results_of_spec(name: str) -> Results:
    """Return the results of a spec of the repository."""
    return build_results(load_and_evaluate(ROOT / "specs" / f"{name}.toml"))


@pytest.fixture(scope="module")
def scored_results() -> Results:
    """Return the results of three classifiers with scores."""
    return results_of_spec("breast_cancer")


def is_empty(block: object) -> bool:
    """Return whether a block and all its parts have no rows."""
    parts = block.values() if isinstance(block, dict) else [block]
    return not any(parts)


@pytest.mark.parametrize("name", ["breast_cancer", "demsar", "prevalence", "chance"])
def test_every_block_with_rows_is_a_table(name: str) -> None:
    """Under its name, or a name that begins with it."""
    results = results_of_spec(name)
    blocks = results.model_dump(by_alias=True)
    with_rows = {
        block for block, rows in blocks.items() if block not in NO_TABLES and not is_empty(rows)
    }
    tables = result_tables(results)

    for block in with_rows:
        assert any(table == block or table.startswith(f"{block}_") for table in tables), block
    assert all(any(table.startswith(block) for block in with_rows) for table in tables)


def test_blocks_of_several_tables_give_one_for_each() -> None:
    """The rule applied, the chances of passing it, and printed ones against exact ones."""
    results = results_of_spec("chance")
    tables = result_tables(results)

    for part in ("classifiers", "tables", "published"):
        rows = getattr(results.chance, part)
        name = f"chance_{part}"
        assert tables[name].height == len(rows) if rows else name not in tables
    assert "chance" not in tables


def test_prevalences_and_crossings_are_exported_with_their_limits() -> None:
    """A row for each classifier and prevalence, and for each pair and measure."""
    results = results_of_spec("prevalence")
    tables = result_tables(results)

    assert tables["prevalence"]["precision_low"].to_list() == [
        row.precision_low for row in results.prevalence
    ]
    assert tables["prevalence_crossings"].height == len(results.prevalence_crossings)


def test_curves_are_long(scored_results: Results) -> None:
    """A row for every point; the first of a ROC curve has no threshold."""
    curves = result_tables(scored_results)["curves"]

    key = ["classifier", "class", "kind", "x", "y", "threshold"]
    assert curves.columns == [*key, "x_low", "x_high", "y_low", "y_high"]
    assert curves.height == sum(len(curve.points) for curve in scored_results.curves)
    assert curves.select(key).row(0, named=True) == {
        "classifier": scored_results.curves[0].classifier,
        "class": "malignant",
        "kind": "roc",
        "x": 0.0,
        "y": 0.0,
        "threshold": None,
    }
    roc = curves.filter(kind="roc")
    assert roc.select((pl.col("y") >= pl.col("y_low")).all()).item()
    assert curves.filter(kind="pr")["y_low"].is_null().all()


def test_matrices_and_capabilities_are_long(scored_results: Results) -> None:
    """Four counts for each matrix of two classes; three capabilities for each row of a table.

    Three of the six capabilities have a row for each of two sides as well.
    """
    tables = result_tables(scored_results)

    assert tables["confusion"].height == 4 * len(scored_results.confusion)
    assert tables["confusion"]["count"].sum() == sum(
        sum(map(sum, matrix.counts)) for matrix in scored_results.confusion
    )
    rows = (*scored_results.capabilities.traditional, *scored_results.capabilities.discriminant)
    assert tables["capabilities"].filter(pl.col("side").is_null()).height == 3 * len(rows)
    assert tables["capabilities"].filter(pl.col("side").is_not_null()).height == 3 * len(rows)


def test_types_are_those_of_the_contract_also_where_all_is_null() -> None:
    """Nothing in this spec has folds, and still the fold is text."""
    tables = result_tables(results_of_spec("prevalence"))

    assert tables["values"]["fold"].is_null().all()
    assert tables["values"].schema["fold"] == pl.String
    assert tables["values"].schema["value"] == pl.Float64


def test_words_and_numbers_in_one_column_are_text() -> None:
    """A published value may be a number or a verdict."""
    published = result_tables(results_of_spec("enegotiation"))["published"]

    assert published.schema["published"] == pl.String
    assert "77.4" in published["published"].to_list()
    assert "superior" in published["published"].to_list()


def test_both_formats_hold_the_same_rows(scored_results: Results) -> None:
    """Parquet gives back the frames; CSV has as many rows."""
    frames = result_tables(scored_results)
    parquet, text = parquet_files(frames), csv_files(frames)

    assert set(parquet) == {f"tables/{name}.parquet" for name in frames}
    for name, frame in frames.items():
        assert pl.read_parquet(io.BytesIO(parquet[f"tables/{name}.parquet"])).equals(frame)
        read = pl.read_csv(io.BytesIO(text[f"tables/{name}.csv"]), infer_schema=False)
        assert read.shape == frame.shape


def test_every_threshold_is_exported_with_the_measures_shown() -> None:
    """All of them in Parquet, those of the curves in CSV; the counts give the measures."""
    evaluation = load_and_evaluate(ROOT / "specs" / "breast_cancer.toml")
    curves = evaluation.aggregates.curves
    assert curves is not None
    every = threshold_tables(evaluation, thinned=False)["threshold_measures"]
    small_sample = threshold_tables(evaluation, thinned=True)["threshold_measures"]

    assert every.height == curves.frame.height
    assert all(
        rows <= MAX_CURVE_POINTS for rows in small_sample.group_by("classifier").len()["len"]
    )
    assert small_sample.join(every, on=every.columns, nulls_equal=True, how="semi").equals(
        small_sample
    )
    for row in every.filter(pl.col("tp") > 0).head(20).iter_rows(named=True):
        assert row["precision"] == pytest.approx(row["tp"] / (row["tp"] + row["fp"]))
        assert row["sensitivity"] == pytest.approx(row["tp"] / (row["tp"] + row["fn"]))


def test_there_are_no_thresholds_without_scores() -> None:
    """Confusion matrices tell of one threshold only."""
    assert (
        threshold_tables(load_and_evaluate(ROOT / "specs" / "enegotiation.toml"), thinned=False)
        == {}
    )


def test_built_tables_hold_the_thresholds(tmp_path: Path) -> None:
    """In both formats, under their name."""
    report = build_and_write(ROOT / "specs" / "breast_cancer.toml", tmp_path, ["csv", "parquet"])

    assert {"tables/threshold_measures.csv", "tables/threshold_measures.parquet"} <= set(
        report.files
    )
