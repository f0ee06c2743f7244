"""Scripts write their own part of a document and leave the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import changes_and_calibration, error_rates, power, report_claims, score_test_rates
from benchmarks.tables import ERROR_RATES, replace_part, simulation_error

PARTS = (
    *("introduction", *error_rates.TABLES, "power", "whole reports", "score tests"),
    "changes and calibration",
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


def test_the_document_has_every_part_once() -> None:
    """In particular those of other scripts than the last one that was run."""
    text = ERROR_RATES.read_text(encoding="utf-8")

    assert [text.count(f"<!-- part: {name} -->") for name in PARTS] == [1] * len(PARTS)
    assert text.count("<!-- end of part -->") == len(PARTS)


@pytest.mark.parametrize(
    "script", [changes_and_calibration, error_rates, power, report_claims, score_test_rates]
)
def test_scripts_write_parts_only(script: object) -> None:
    """No script writes the document as a whole."""
    source = Path(str(getattr(script, "__file__", ""))).read_text(encoding="utf-8")

    assert "write_part(" in source
    assert "write_text" not in source.split("def main")[-1]


def test_the_simulation_error_is_the_half_width_of_an_interval_of_95_percent() -> None:
    """1.96 · √(0.05 · 0.95 / 400) = 2.1 percentage points."""
    assert simulation_error(400) == "± 2.1"
