"""The level of the intervals is written one way wherever it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.pipeline import load_and_evaluate
from reportgen.render.markdown import render_markdown
from reportgen.report import phrases
from reportgen.report.build import build_report
from reportgen.report.formatting import confidence_level, inline_percentage
from reportgen.report.inline import PlainNumber
from tests.report.report_text import confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """
title = "Levels"
[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
score = "score"
id = "case"
fold = "fold"
threshold = 0.5
[intervals]
level = 0.683
draws = 200
[prevalence]
targets = [0.2]
[output]
detail = "full"
[[classifiers]]
name = "A"
predictions = "a.csv"
[[classifiers]]
name = "B"
predictions = "b.csv"
"""


def test_a_level_has_the_digits_it_was_given() -> None:
    """100 times 0.683 is 68.30000000000001 and 100 times 0.07 is 7.000000000000001."""
    assert inline_percentage(0.683) == PlainNumber(68.3, unit="%")
    assert inline_percentage(0.07) == PlainNumber(7.0, unit="%")


def test_a_report_writes_its_level_alike_everywhere(tmp_path: Path) -> None:
    """In tables, under curves and in every note it is 68.3 per cent."""
    for number, name in enumerate("ab"):
        rows = [
            (case, "yes" if case % 2 else "no", (case * (7 + number) % 40) / 40, case % 5)
            for case in range(40)
        ]
        frame = pl.DataFrame(rows, schema=["case", "truth", "score", "fold"], orient="row")
        frame.write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "s.toml").write_text(SPEC, encoding="utf-8")
    evaluation = load_and_evaluate(tmp_path / "s.toml")

    text = render_markdown(build_report(evaluation))

    assert confidence_level(evaluation) == PlainNumber(68.3, unit="%")
    ways = re.findall(r"68[.]3\d*\s*%", text)
    assert len(ways) > 6
    assert set(ways) == {"68.3%"}


def test_the_chance_of_a_false_claim_is_written_as_the_spec_has_it(tmp_path: Path) -> None:
    """In short, in full, and where it is shared among margins 0.07 is 7 per cent, not 7.00."""
    more = "[comparison]\nalpha = 0.07\nmargin = { accuracy = 0.02, kappa = 0.05 }\n"
    classifiers = {"A": confusion((90, 10), (20, 80)), "B": confusion((70, 30), (25, 75))}
    evaluation = evaluated(tmp_path, classifiers, more=more)

    short = read(tuple(phrases.multiplicity_sentence(evaluation)))
    text = read(tuple(phrases.describe_tests(evaluation)))

    assert "family-wise error rate 7%." in short
    assert "family-wise error rate 7%." in text
    assert "(Bonferroni: 7% divided by 2 comparisons" in text
