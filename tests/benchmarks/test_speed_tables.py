"""What the speed benchmarks make of measured times: medians, ratios, growth, targets, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.speed.cases import ALL_PAIRS
from benchmarks.speed.comparing import changes
from benchmarks.speed.growth import exponent, growths
from benchmarks.speed.measured import OWN, Outcome, Run, Target, faster, read_measured
from benchmarks.speed.plot import plot
from benchmarks.speed.tables import document, significant, write_page
from tests.benchmarks.speed_outcomes import contest_of_counts, on_one_machine

if TYPE_CHECKING:
    from pathlib import Path


def test_a_time_is_the_median_and_a_ratio_is_of_medians() -> None:
    """One slow round changes nothing: 2 of (2, 9, 1), and 6 / 2 = 3 times as long."""
    outcome = contest_of_counts(1000, reportgen=[2.0, 9.0, 1.0], bare_polars=[6.0, 5.0, 7.0])

    assert outcome.seconds("reportgen") == 2.0
    assert outcome.ratio("bare polars") == 3.0


def test_a_tool_left_out_has_no_time_even_after_some_rounds() -> None:
    """A tool that once took too long is not judged by the rounds in which it did not."""
    outcome = contest_of_counts(1000, reportgen=[2.0], PyCM=[6.0])
    outcome.left_out["PyCM"] = "took longer than 120 s"

    assert outcome.seconds("PyCM") is None
    assert outcome.ratio("PyCM") is None


@pytest.mark.parametrize(("own", "verdict"), [(1.9, "yes"), (2.1, "**no**")])
def test_a_target_is_met_up_to_its_multiple_of_another_tool(own: float, verdict: str) -> None:
    """Twice as long as a tool that takes 1 s is 2 s."""
    outcome = contest_of_counts(1000, Target(2, "bare polars"), reportgen=[own], bare_polars=[1.0])

    page = document(on_one_machine(outcome), "plot.svg")

    assert f"1,000 rows | ≤ 2 × bare polars | {own} × | {verdict} |" in page


@pytest.mark.parametrize(("own", "reached", "verdict"), [(1.0, "60", "yes"), (2.0, "30", "**no**")])
def test_a_target_may_be_to_be_faster(own: float, reached: str, verdict: str) -> None:
    """50 times faster than a tool that takes 60 s is 1.2 s."""
    outcome = contest_of_counts(1000, faster(50, "PyCM"), reportgen=[own], PyCM=[60.0])

    page = document(on_one_machine(outcome), "plot.svg")

    assert f"| ≥ 50 × faster than PyCM | {reached} × | {verdict} |" in page


@pytest.mark.parametrize(
    ("own", "reached", "verdict"), [(2.0, "60", "yes"), (4.0, "30", "not known")]
)
def test_what_was_given_up_would_have_taken_longer(own: float, reached: str, verdict: str) -> None:
    """More than 120 s against 2 s is more than 60 times, which is more than 50."""
    outcome = contest_of_counts(1000, faster(50, "PyCM"), reportgen=[own])
    outcome.left_out["PyCM"], outcome.given_up["PyCM"] = "took longer than 120 s", 120.0

    page = document(on_one_machine(outcome), "plot.svg")

    assert f"| ≥ 50 × faster than PyCM | > {reached} × | {verdict} |" in page


def test_a_target_is_also_stated_in_processor_time() -> None:
    """1 s by the clock of 2 s of both cores, against 60 s by one: 60 times and 30 times."""
    outcome = contest_of_counts(1000, faster(50, "PyCM"), reportgen=[1.0], PyCM=[60.0])
    outcome.runs["reportgen"] = [Run(1.0, 2.0, 1)]

    page = document(on_one_machine(outcome), "plot.svg")

    assert "| ≥ 50 × faster than PyCM | 60 × | yes | 30 × |" in page


def test_a_target_in_seconds_needs_no_other_tool() -> None:
    """3 s allowed, 4 s taken."""
    page = document(on_one_machine(contest_of_counts(1000, Target(3), reportgen=[4.0])), "plot.svg")

    assert "| ≤ 3 s | 4.0 s | **no** |" in page


@pytest.mark.parametrize(("seconds", "expected"), [(10.0, 1.0), (100.0, 2.0), (1.0, 0.0)])
def test_the_exponent_is_1_for_linear_and_2_for_quadratic_time(
    seconds: float, expected: float
) -> None:
    """Ten times the rows in ten times the time is linear, in a hundred times quadratic."""
    assert exponent((100, 1000), (1.0, seconds)) == pytest.approx(expected)


def test_memory_of_a_row_leaves_out_what_every_run_needs() -> None:
    """The hundred megabytes of each run fall out of (peak(N) - peak(n)) / (N - n)."""
    sizes = [contest_of_counts(rows, reportgen=[rows / 1000]) for rows in (1000, 10_000, 100_000)]

    (result,) = growths(sizes)

    assert result.bytes_per_row == 1
    assert result.exponents == {
        (1000, 10_000): pytest.approx(1),
        (10_000, 100_000): pytest.approx(1),
    }


def test_one_size_shows_no_growth() -> None:
    """With a single size there is nothing to grow from."""
    assert list(growths([contest_of_counts(1000, reportgen=[1.0])])) == []


def test_a_table_has_times_ratios_and_the_reason_of_a_gap() -> None:
    """0.5 s beside 0.25 s is half as long; the tool that is missing says why below."""
    outcome = contest_of_counts(1000, reportgen=[0.5], bare_polars=[0.25])
    outcome.left_out["PyCM"] = "pycm is not installed"

    page = document(on_one_machine(outcome), "plot.svg")

    assert "| seconds | rows | file | reportgen | bare polars | PyCM |" in page
    assert "| confusion matrix | 1,000 | parquet | 0.50 | 0.25 (0.50×) | – |" in page
    assert "| confusion matrix | 1,000 | parquet | 100 | 100 | – |" in page
    assert "- – PyCM pycm is not installed (confusion matrix, 1,000)" in page
    assert "| processor | abacus |" in page


@pytest.mark.parametrize(
    ("value", "text"), [(0.0456, "0.046"), (0.5, "0.50"), (2.0, "2.0"), (1234.5, "1,234")]
)
def test_numbers_have_two_digits_that_matter(value: float, text: str) -> None:
    """More would be noise, and fewer would hide a factor of two."""
    assert significant(value) == text


def test_only_the_marked_part_of_the_page_is_rewritten(tmp_path: Path) -> None:
    """What people wrote above and below stays."""
    page = tmp_path / "performance.md"
    page.write_text(
        "above\n<!-- speed -->\nearlier times\n<!-- /speed -->\nbelow\n", encoding="utf-8"
    )

    write_page(on_one_machine(contest_of_counts(1000, reportgen=[0.5])), page, "plot.svg")

    text = page.read_text(encoding="utf-8")
    assert text.startswith("above\n<!-- speed -->\n## ")
    assert text.endswith("\n<!-- /speed -->\nbelow\n")
    assert "earlier times" not in text


def test_measurements_are_read_as_they_were_written(tmp_path: Path) -> None:
    """The file keeps every run, the target and the reasons."""
    outcome = contest_of_counts(
        1000, Target(2, "bare polars"), reportgen=[2.0, 9.0], bare_polars=[1.0]
    )
    outcome.left_out["PyCM"] = "pycm is not installed"
    measured = on_one_machine(outcome)
    path = tmp_path / "results" / "speed.json"

    measured.write(path)

    result = read_measured(path)
    assert (result.machine, result.command, result.rounds) == (
        measured.machine,
        measured.command,
        measured.rounds,
    )
    assert result.outcomes == [outcome]


def test_changes_are_reported_for_what_was_measured_both_times() -> None:
    """From 2 s to 1 s is 0.50; a size that is new has nothing before it."""
    before = on_one_machine(contest_of_counts(1000, reportgen=[2.0]))
    now = on_one_machine(
        contest_of_counts(1000, reportgen=[1.0]), contest_of_counts(5000, reportgen=[1.0])
    )

    lines = changes(before, now).splitlines()[2:]

    assert lines == [
        "| (a) confusion matrix, 1,000 parquet | reportgen | 2.0 | 1.0 | 0.50 | 1.00 |"
    ]


def test_a_line_of_the_plot_rises_with_the_time() -> None:
    """Ten times the time is higher on the page, where y grows downwards."""
    sizes = [contest_of_counts(rows, reportgen=[rows / 1000]) for rows in (1000, 10_000)]

    text = plot(sizes)

    line = text.split('class="line" d="M')[2].split('"')[0]
    (left, low), (right, high) = (map(float, point.split()) for point in line.split("L"))
    assert left < right
    assert low > high
    assert "prefers-color-scheme:dark" in text


def test_growth_is_compared_with_its_aims() -> None:
    """100 classifiers take 12 times as long as 3; 30 to 100 is an exponent of 1.15."""
    seconds = {3: 1.0, 30: 3.0, 100: 12.0}
    outcomes = [
        Outcome("h", f"{number} {ALL_PAIRS}", 10_000, "parquet", (), {OWN: [Run(time, time, 1)]})
        for number, time in seconds.items()
    ]

    page = document(on_one_machine(*outcomes), "plot.svg")

    assert "| 100 classifiers, all pairs | ≤ 10 × 3 | 12 | **no** |" in page
    assert "| exponent of the last step, classifiers, all pairs | < 2 | 1.2 | yes |" in page
    # What was not measured has no row.
    assert "with a baseline" not in page
