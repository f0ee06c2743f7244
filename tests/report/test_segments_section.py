"""The section on segments: findings first, tests of the gaps with simultaneous intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.report.build import build_report
from reportgen.report.document import Details, Table
from reportgen.report.inline import Interval
from tests.evaluation.test_segments import BY_SITE, SITES, evaluate
from tests.report.report_text import section, sentences, table

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation


@pytest.fixture(scope="module")
def by_site(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return the evaluation of four sites, one of them harder and one too small."""
    return evaluate(tmp_path_factory.mktemp("segments"), BY_SITE, SITES)


def gap_table(evaluation: Evaluation) -> Table:
    """Return the table of the tests of gaps."""
    return table(build_report(evaluation), "segment-gaps-site")


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
        for group in gap_table(by_site).groups
        for cells in group.rows
        if cells[:2] == ("north", "A")
    )
    (interval,) = (cell for cell in cells if isinstance(cell, Interval))

    assert (interval.low, interval.high) == (row.low_adjusted, row.high_adjusted)
    assert (interval.low, interval.high) != (row.low, row.high)


def test_a_single_measure_is_named_in_the_caption(by_site: Evaluation) -> None:
    """No column repeats it in every row."""
    gaps = gap_table(by_site)

    assert gaps.caption == "Segments of site against all other cases: Accuracy"
    assert "Measure" not in [column.head for column in gaps.columns]


def test_tests_are_in_the_order_of_the_values(by_site: Evaluation) -> None:
    """Hardest segment first, as in the figure."""
    gaps = gap_table(by_site)
    primary = by_site.primary_measure
    assert primary is not None
    hardest_first = by_site.segments_hardest_first("site", primary.measure, primary.average)

    order = dict.fromkeys(cells[0] for group in gaps.groups for cells in group.rows)
    assert list(order) == [segment.segment for segment in hardest_first]


def test_few_tests_of_gaps_are_printed_and_pairs_are_folded(by_site: Evaluation) -> None:
    """The PDF leaves out what is folded."""
    blocks = section(build_report(by_site), "segments").blocks
    folded = [
        block.name
        for details in blocks
        if isinstance(details, Details)
        for block in details.blocks
        if isinstance(block, Table)
    ]

    assert "segment-gaps-site" in [block.name for block in blocks if isinstance(block, Table)]
    assert folded == ["segment-comparisons-site"]


def test_page_one_names_the_segment_on_which_the_recommended_are_worse(
    by_site: Evaluation, tmp_path: Path
) -> None:
    """A decision maker reads no further; without a significant gap there is nothing to say."""
    limits = " ".join(sentences(build_report(by_site), "limits"))
    equal = evaluate(tmp_path, BY_SITE, {"north": (0.9, 100), "south": (0.9, 100)})

    assert "A is significantly worse on site = south than on all other cases" in limits
    assert "B is significantly worse on site = south than on all other cases" in limits
    assert "site = " not in " ".join(sentences(build_report(equal), "limits"))
