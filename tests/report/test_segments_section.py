"""The section on segments: findings first, tests of the gaps with simultaneous intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.report.build import build_report
from reportgen.report.document import Details, Table
from reportgen.report.inline import Interval
from tests.evaluation.test_segments import BY_SITE, SITES, evaluate
from tests.report.report_text import section, sentences

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation


@pytest.fixture(scope="module")
def by_site(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return the evaluation of four sites, one of them harder and one too small."""
    return evaluate(tmp_path_factory.mktemp("segments"), BY_SITE, SITES)


def folded_tables(evaluation: Evaluation) -> dict[str, Table]:
    """Return the tables that the page folds, by name."""
    (details,) = (
        block
        for block in section(build_report(evaluation), "segments").blocks
        if isinstance(block, Details)
    )
    return {table.name: table for table in details.blocks if isinstance(table, Table)}


def test_the_significantly_worse_segment_is_named_first(by_site: Evaluation) -> None:
    """South has 55% where the others have 90%."""
    stated = sentences(build_report(by_site), "segments")

    assert stated[0].startswith("A is significantly worse on site = south than on all other cases")
    assert stated[1].startswith("B is significantly worse on site = south than on all other cases")


def test_intervals_of_gaps_agree_with_their_adjusted_p_values(by_site: Evaluation) -> None:
    """Where the adjusted p-value is not significant, the interval has 0."""
    (row,) = (
        row
        for row in by_site.segment_comparisons
        if (row.segment, row.first, row.contrast) == ("north", "A", "other cases")
    )
    (cells,) = (
        cells
        for group in folded_tables(by_site)["segment-gaps-site"].groups
        for cells in group.rows
        if cells[:2] == ("north", "A")
    )
    (interval,) = (cell for cell in cells if isinstance(cell, Interval))

    assert (interval.low, interval.high) == (row.low_adjusted, row.high_adjusted)
    assert (interval.low, interval.high) != (row.low, row.high)


def test_a_single_measure_is_named_in_the_caption(by_site: Evaluation) -> None:
    """No column repeats it in every row."""
    table = folded_tables(by_site)["segment-gaps-site"]

    assert table.caption == "Segments of site against all other cases: Accuracy"
    assert "Measure" not in [column.head for column in table.columns]


def test_tests_are_in_the_order_of_the_values(by_site: Evaluation) -> None:
    """Hardest segment first, as in the figure."""
    table = folded_tables(by_site)["segment-gaps-site"]
    primary = by_site.primary_measure
    assert primary is not None
    hardest_first = by_site.segments_hardest_first("site", primary.measure, primary.average)

    order = dict.fromkeys(cells[0] for group in table.groups for cells in group.rows)
    assert list(order) == [segment.segment for segment in hardest_first]
