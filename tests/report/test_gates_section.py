"""The section on gates: first in the report, each with what was found, marked without colours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reportgen.export.results import results_json
from reportgen.measures import get_measure
from reportgen.render.html import render_html
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.report.build import build_report
from reportgen.report.document import Table
from tests.evaluation.evaluated_gates import evaluated as with_gates
from tests.report.report_text import (
    confusion,
    evaluated,
    heads,
    note_of,
    rows,
    section,
    sentences,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reportgen.report.document import ReportDocument

TWO = {"A": confusion((56, 14), (10, 90)), "B": confusion((48, 22), (10, 90))}


def gate(measure: str, *keys: str, classifier: str = "A") -> str:
    """Return the table of a gate."""
    return "\n".join(
        ("[[gates]]", f'classifier = "{classifier}"', f'measure = "{measure}"', *keys, "")
    )


MET = gate("sensitivity", "at_least = 0.5")
MISSED = gate("accuracy", "at_least = 0.95")
FIRST = gate("f1", 'not_worse_than_last = "run"', "margin = 0.02")
# A sign is not separated from its number at the end of a line.
AT_LEAST = "≥\N{NO-BREAK SPACE}"
# 146 of 170 are right, with a Wilson interval; F1 of B is 96/(96 + 10 + 22).
MISSED_TEXT = f"A: accuracy 85.9% (79.9–90.3), required: {AT_LEAST}95%"
WARNED_TEXT = f"B: F1 score 0.750, required: {AT_LEAST}0.950"
WARNED = gate("f1", "at_least = 0.95", 'level = "warning"', classifier="B")


def report(folder: Path, gates: Sequence[str], more: str = "") -> ReportDocument:
    """Build a report with gates."""
    return build_report(evaluated(folder, TWO, more="".join(gates) + more))


@pytest.mark.parametrize(
    ("gates", "outcome"),
    [
        ([MET], "Gates: PASS: 1 of 1 criterion met."),
        ([MET, MET, MET], "Gates: PASS: 3 of 3 criteria met."),
        ([MET, MISSED, MET], f"Gates: FAIL: 2 of 3 criteria met. Failed: {MISSED_TEXT}."),
        (
            [MET, WARNED],
            f"Gates: PASS with 1 warning: 1 of 2 criteria met. Warning: {WARNED_TEXT}.",
        ),
        (
            [MISSED, WARNED],
            (
                f"Gates: FAIL with 1 warning: 0 of 2 criteria met. Failed: {MISSED_TEXT}."
                f" Warning: {WARNED_TEXT}."
            ),
        ),
    ],
)
def test_one_sentence_states_the_outcome(tmp_path: Path, gates: list[str], outcome: str) -> None:
    """PASS or FAIL, the number of criteria met, and those that are not."""
    assert sentences(report(tmp_path, gates), "gates") == [outcome]


@pytest.mark.parametrize(
    ("gates", "outcome"),
    [
        ([FIRST], "Gates: PASS: 0 of 1 criterion met."),
        ([MET, FIRST], "Gates: PASS: 1 of 2 criteria met."),
        ([MISSED, FIRST, FIRST], f"Gates: FAIL: 0 of 3 criteria met. Failed: {MISSED_TEXT}."),
    ],
)
def test_what_had_nothing_to_be_compared_with_does_not_look_passed(
    tmp_path: Path, gates: list[str], outcome: str
) -> None:
    """Neither in the sentence nor in the table."""
    report_document = build_report(with_gates(tmp_path, "".join(gates), TWO))
    untested = " Not tested (no earlier run to compare with): A in F1 score."

    assert sentences(report_document, "gates") == [outcome + untested]
    assert rows(table(report_document, "gates"))["A: F1 score"][0] == "! untested"


def test_of_many_failed_gates_the_first_are_named(tmp_path: Path) -> None:
    """Six measures: four by name, two by number."""
    names = ("accuracy", "f1", "youden", "kappa", "mcc", "specificity")
    (message,) = sentences(
        report(tmp_path, [gate(name, "at_least = 0.99") for name in names]), "gates"
    )

    assert message.startswith(
        "Gates: FAIL: 0 of 6 criteria met. Failed: A: accuracy 85.9% (79.9–90.3), required:"
        f" {AT_LEAST}99%; A: F1 score 0.824, required: {AT_LEAST}0.990; "
    )
    assert message.endswith("; and 2 more.")


def test_the_section_comes_before_everything_else(tmp_path: Path) -> None:
    """Also in a report of one page, and where the spec lists other sections only."""
    usual = report(tmp_path, [MISSED])
    short = report(tmp_path, [MISSED], '[output]\ndetail = "summary"\n')
    document = report(tmp_path, [MISSED], '[[sections]]\nkind = "confusion"\n')

    assert [item.sections[0].kind for item in (usual, short, document)] == ["gates"] * 3
    assert [item.kind for item in document.sections] == ["gates", "confusion"]


def test_the_place_that_a_spec_names_is_kept(tmp_path: Path) -> None:
    """Whoever lists the section decides where it stands and what it is called."""
    more = '[[sections]]\nkind = "confusion"\n[[sections]]\nkind = "gates"\ntitle = "Limits"\n'
    result = report(tmp_path, [MET], more)

    assert [(item.kind, item.title) for item in result.sections][1] == ("gates", "Limits")


def test_without_gates_there_is_no_such_section(tmp_path: Path) -> None:
    """Reports of other specs stay as they were."""
    assert all(item.kind != "gates" for item in report(tmp_path, []).sections)


def test_every_gate_is_shown_with_criterion_and_observed_value(tmp_path: Path) -> None:
    """56/70 − 48/70 is 0.114; the outcome has a mark that needs no colour."""
    worse = gate("sensitivity", 'not_worse_than = "B"', "margin = 0.02")
    low = gate("specificity", "at_least = 0.8", 'bound = "low"', classifier="B")
    result = table(report(tmp_path, [MISSED, worse, low, WARNED]), "gates")
    table_rows = rows(result)

    assert heads(result) == ["Gate", "Outcome", "Criterion", "Observed", "Reason"]
    assert table_rows["A: accuracy"][:3] == ["✗ failed", f"{AT_LEAST}95%", "85.9%"]
    assert table_rows["A: sensitivity"][:2] == ["✓ passed", "non-inferior to B (margin 2\u202fpp)"]
    assert table_rows["A: sensitivity"][2].startswith("difference +11.4\u202fpp (")
    assert table_rows["B: specificity"][1] == f"lower confidence limit {AT_LEAST}80%"
    assert table_rows["B: F1 score"][0] == "! warning"
    assert "CI within the margin" in note_of(result)


def test_the_observed_value_is_distinguished_from_the_criterion(tmp_path: Path) -> None:
    """146 of 170 are 0.85882: with three digits it would look like the 0.859 that it misses."""
    result = table(report(tmp_path, [gate("accuracy", "at_least = 0.859")]), "gates")

    assert rows(result)["A: accuracy"][:3] == ["✗ failed", f"{AT_LEAST}85.9%", "85.88%"]


def test_an_undefined_value_is_shown_as_such_with_its_reason(tmp_path: Path) -> None:
    """Nothing was called positive."""
    nobody = evaluated(
        tmp_path, {"A": confusion((0, 5), (0, 5))}, more=gate("precision", "at_least = 0")
    )
    row = rows(table(build_report(nobody), "gates"))["A: precision"]

    assert row[0] == "✗ failed"
    assert row[2] == "undefined"
    assert row[3].startswith("The value is undefined: ")


def test_the_measure_of_a_gate_is_defined_though_it_is_not_shown(tmp_path: Path) -> None:
    """Whoever reads that a gate failed wants to know what it measures."""
    more = gate("g_mean", "at_least = 0.5") + '[measures]\nshow = ["accuracy"]\n'
    markdown = render_markdown(build_report(evaluated(tmp_path, TWO, more=more)))

    assert get_measure("g_mean").title in markdown.split("## Definitions")[1]


def test_all_formats_have_the_marks(tmp_path: Path) -> None:
    """In HTML tone and mark, in Markdown and LaTeX the mark."""
    evaluation = evaluated(tmp_path, TWO, more=MISSED + MET + WARNED)
    document = build_report(evaluation)
    page = render_html(document)

    assert '<span class="check bad"><span class="mark">✗</span> failed</span>' in page
    assert '<span class="check good"><span class="mark">✓</span> passed</span>' in page
    assert '<span class="check mixed"><span class="mark">!</span> warning</span>' in page
    assert "✗ failed" in render_markdown(document)
    assert "failed" in render_latex(document)


def test_results_have_every_gate_with_its_numbers(tmp_path: Path) -> None:
    """`observed` is the number that had to clear `criterion`."""
    worse = gate("sensitivity", 'not_worse_than = "B"', "margin = 0.02", 'level = "warning"')
    gates = json.loads(results_json(with_gates(tmp_path, MISSED + worse, TWO)))["gates"]

    assert gates[0] == {
        "classifier": "A",
        "class": None,
        "average": None,
        "measure": "accuracy",
        "kind": "at_least",
        "bound": "value",
        "against": None,
        "level": "error",
        "passed": False,
        "tested": True,
        "observed": pytest.approx(146 / 170),
        "criterion": 0.95,
        "value": pytest.approx(146 / 170),
        "low": gates[0]["low"],
        "high": gates[0]["high"],
        "reason": gates[0]["reason"],
    }
    assert gates[1]["observed"] == gates[1]["low"] > gates[1]["criterion"] == -0.02
    assert (gates[1]["against"], gates[1]["bound"], gates[1]["level"]) == (
        "B",
        None,
        "warning",
    )


def test_results_report_what_was_not_tested(tmp_path: Path) -> None:
    """It passed, and whoever reads `passed` alone may look at `tested` as well."""
    (gate,) = json.loads(results_json(with_gates(tmp_path, FIRST, TWO)))["gates"]

    assert (gate["passed"], gate["tested"], gate["observed"]) == (True, False, None)


def test_the_table_is_the_only_one_of_its_name(tmp_path: Path) -> None:
    """Names of tables are names of exported files."""
    document = report(tmp_path, [MET, MISSED])
    names = [
        block.name
        for item in document.sections
        for block in item.blocks
        if isinstance(block, Table)
    ]

    assert names.count("gates") == 1
    assert section(document, "gates").title == "Acceptance criteria (gates)"
