"""The Markdown that GitHub shows beside a workflow: whole, small, and deaf to what data say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from reportgen.jobs.ci_reports import render_summary_markdown
from tests.jobs.outcomes import broken_run, gate, run_of

if TYPE_CHECKING:
    from reportgen.jobs.job import JobOutcome

# GitHub stops at 1024 KiB.
MOST = 1024 * 1024
MISSED = gate(passed=False, observed=0.87, reason="the value is below the minimum")


def page(*outcomes: JobOutcome) -> str:
    """Return the summary as GitHub shows it, with HTML let through as there."""
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    return str(reader.render(render_summary_markdown(outcomes)))


def cells(text: str) -> list[list[str]]:
    """Return the rows of all tables."""
    return [
        re.findall(r"<t[dh]>(.*?)</t[dh]>", row, re.DOTALL)
        for row in re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)
    ]


def test_the_head_counts_and_the_bad_ones_come_first() -> None:
    """Four runs: one not built, one with a failed gate, one with a warning, one well."""
    warned = run_of(gate(passed=False, level="warning"), title="Warned")
    text = page(
        run_of(gate(), title="Well"), warned, run_of(MISSED, title="Failed"), broken_run("no file")
    )
    titles = re.findall(r"<h3>(.*?)</h3>", text)

    assert "<h2>4 reports: 1 not built, 1 with failed gates, 1 with warnings</h2>" in text
    assert titles == ["specs/broken.toml", "Failed", "Warned", "Well"]


def test_what_passed_untested_does_not_look_passed() -> None:
    """Neither in its row nor in the sentence, and all is not well."""
    untested = gate(tested=False, observed=None, reason="there is no earlier run yet")
    alone, both = page(run_of(untested)), page(run_of(gate(), untested))

    assert "– 0 of 1 gates passed, 1 untested, none failed." in alone
    assert "– 1 of 2 gates passed, 1 untested, none failed." in both
    assert "1 report: 1 with warnings" in alone
    assert [row[1] for row in cells(both)[1:]] == ["– untested", "✓ passed"]


def test_every_gate_has_a_row_and_failed_ones_come_first() -> None:
    """With marks that need no colour."""
    head, *rows = cells(page(run_of(gate(), MISSED, gate(passed=False, level="warning"))))

    assert head == ["Gate", "Verdict", "Criterion", "Observed", "Reason"]
    assert [row[1] for row in rows] == ["✗ failed", "! warning", "✓ passed"]
    assert rows[0] == [
        "NB: accuracy",
        "✗ failed",
        "≥ 90%",
        "87.0%",
        "the value is below the minimum",
    ]


@pytest.mark.parametrize(
    ("outcome", "phrase"),
    [
        (run_of(gate()), "✓ The gate passed."),
        (run_of(gate(), gate()), "✓ All 2 gates passed."),
        (run_of(gate(), MISSED), "✗ 1 of 2 gates failed."),
        (run_of(), "✓ The report was built; it has no gates."),
        (broken_run("no file"), "✗ The report was not built."),
        (
            run_of(gate(), gate(passed=False, level="warning")),
            "✓ 1 of 2 gates passed, none failed.",
        ),
    ],
)
def test_a_line_says_how_a_run_ended(outcome: JobOutcome, phrase: str) -> None:
    """Before the table."""
    assert f"<p>{phrase}</p>" in page(outcome)


@pytest.mark.parametrize(
    "name",
    [
        "a|b",
        "<img src=x onerror=alert(1)>",
        "two\nlines",
        "`code` | more",
        "\\| escaped",
        "[link](https://example.org)",
        "![picture](https://example.org/x.png)",
        "&lt;b&gt;",
        "**bold** ~~gone~~",
        "a\r\n\r\n# Heading",
    ],
)
def test_names_from_data_cannot_break_the_table(name: str) -> None:
    """Five cells a row, no element that is not ours, and the name is still to be read."""
    text = page(run_of(gate(classifier=name, reason=name), title=name))

    assert [len(row) for row in cells(text)] == [5, 5]
    assert set(re.findall(r"<(\w+)", text)) == {
        *("h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert text.count("<h2>") == text.count("<h3>") == 1


def test_faults_are_listed_with_their_codes() -> None:
    """All of them, each on a line of its own."""
    text = page(broken_run("no <b>file</b>", "no column"))

    assert text.count("<li>E") == 2
    assert "<b>" not in text


def test_a_thousand_reports_fit() -> None:
    """What is left out is counted, and it is not what went wrong."""
    long = [gate(classifier="ä" * 400, reason="|" * 400) for _ in range(5)]
    many = [run_of(*long, title=f"Report {number}") for number in range(1000)]
    summary = render_summary_markdown([*many, run_of(MISSED, title="The bad one")])

    assert len(summary.encode()) < MOST
    assert summary.index("The bad one") < summary.index("Report 0")
    assert re.search(r"Omitted because of the size limit: \d+ of 1001\.", summary)


@pytest.mark.slow
def test_one_report_too_long_still_says_how_it_ended() -> None:
    """Ten thousand gates: the sentence is there, the table is not."""
    summary = render_summary_markdown([run_of(*[MISSED] * 10_000)])

    assert len(summary.encode()) < MOST
    assert "✗ 10000 of 10000 gates failed." in summary
