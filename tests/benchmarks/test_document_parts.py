"""Scripts write their own part of a document and leave the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import (
    average_precision_coverage,
    changes_and_calibration,
    cluster_coverage,
    error_rates,
    gate_boundary,
    interval_coverage,
    operating_point_coverage,
    power,
    report_claims,
    score_test_rates,
)
from benchmarks.tables import COVERAGE, ERROR_RATES, known_rows, replace_part, simulation_error

PARTS = {
    ERROR_RATES: (
        *("introduction", *error_rates.TABLES, "power", "whole reports", "score tests"),
        *(*changes_and_calibration.TABLES, "gate boundary"),
    ),
    COVERAGE: (
        *(*interval_coverage.TABLES, "operating points", "average precision"),
        "clusters and weights",
        *(f"clusters and weights: {title}" for title in cluster_coverage.TABLES),
    ),
}
SCRIPTS = (
    *(average_precision_coverage, changes_and_calibration, cluster_coverage, error_rates),
    *(gate_boundary, interval_coverage, operating_point_coverage, power, report_claims),
    score_test_rates,
)


def test_a_part_is_replaced_and_the_others_stay() -> None:
    """Also the text between the parts."""
    text = replace_part(replace_part("# Title\n", "one", "a"), "two", "b\n")
    renewed = replace_part(text, "one", "c")

    assert renewed == text.replace("\na\n", "\nc\n")
    assert replace_part(renewed, "two", "b") == renewed


def test_a_part_without_an_end_is_an_error() -> None:
    """Otherwise the rest of the document would be lost."""
    with pytest.raises(ValueError, match="part one does not end"):
        replace_part("<!-- part: one -->\ntext", "one", "other")


@pytest.mark.parametrize("document", PARTS, ids=lambda path: path.stem)
def test_a_document_has_every_part_once(document: Path) -> None:
    """In particular those of other scripts than the last one that was run."""
    text, parts = document.read_text(encoding="utf-8"), PARTS[document]

    assert [text.count(f"<!-- part: {name} -->") for name in parts] == [1] * len(parts)
    assert text.count("<!-- end of part -->") == len(parts)


def test_rows_are_known_by_their_first_cells(tmp_path: Path) -> None:
    """So that a script can renew one and keep the others."""
    page = tmp_path / "page.md"
    page.write_text("text\n\n| a | b | 1 |\n| --- | --- | --- |\n", encoding="utf-8")

    assert known_rows(page, 2)["a | b"] == "| a | b | 1 |"
    assert known_rows(tmp_path / "none.md") == {}


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_write_parts_only(script: object) -> None:
    """No script writes the document as a whole."""
    source = Path(str(getattr(script, "__file__", ""))).read_text(encoding="utf-8")

    assert "write_part(" in source
    assert "write_text" not in source.split("def main")[-1]


def test_the_simulation_error_is_the_half_width_of_an_interval_of_95_percent() -> None:
    """1.96 · √(0.05 · 0.95 / 400) = 2.1 percentage points."""
    assert simulation_error(400) == "± 2.1"
