"""How to repeat a report: the spec, the settings that decide numbers, and the versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.detail import FULL, in_full
from reportgen.report.document import (
    Code,
    Column,
    Count,
    Listing,
    Paragraph,
    Plain,
    RowGroup,
    Table,
)
from reportgen.report.versions import used_versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Block, Cell, Part
    from reportgen.report.evaluation import Evaluation

MOST_LINES = 60
NAMES = {
    "python": "Python",
    "jinja2": "Jinja2",
    "numpy": "NumPy",
    "pydantic": "pydantic",
    "scipy": "SciPy",
    "weasyprint": "WeasyPrint",
}
CORRECTIONS = {
    "step-down": "for all together, step by step down (step-down)",
    "holm": "for all together (Holm)",
    "none": "not at all",
}


def reproduction(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say how to build the report again, and show the spec it was built from."""
    short = evaluation.spec.output.detail == "summary"
    return (
        Paragraph(tuple(_command(evaluation))),
        Paragraph(tuple(_versions())),
        *(() if short else (*_settings(evaluation), *_listing(evaluation))),
    )


def _command(evaluation: Evaluation) -> Iterator[Part]:
    path = evaluation.spec_file.path
    if path is None:
        yield "The data were given in Python; the same call with the same data gives this report."
    else:
        yield "The same spec and the same files give the same numbers: "
        yield Code(f"reportgen build {path.name}")
        yield "."
    yield " The hashes of all inputs are in manifest.json, and every number is in results.json."


def _versions() -> Iterator[Part]:
    yield "Made with "
    found = used_versions()
    for number, (name, version) in enumerate(found.items()):
        yield ("and " if number == len(found) - 1 else "") if number else ""
        yield f"{NAMES.get(name, name)} {version}"
        yield "." if number == len(found) - 1 else ", "


def _settings(evaluation: Evaluation) -> Iterator[Table]:
    """List what was asked for or stands by default, and decides numbers."""
    asked, intervals = evaluation.spec.comparison, evaluation.spec.intervals
    tested = sum(row.decisive and row.p is not None for row in evaluation.differences)
    rows: list[tuple[Cell, ...]] = [
        ("Level of intervals", Plain(round(100 * intervals.level, 9), unit="%")),
        ("Method of intervals", intervals.method),
        ("Random draws, and the seed they begin with", f"{intervals.draws}, {intervals.seed}"),
    ]
    if tested:
        rows += [
            ("Chance of a false claim that is allowed", Plain(100 * asked.alpha, unit="%")),
            ("Differences tested, as one family", Count(tested)),
            ("p-values are adjusted", CORRECTIONS[asked.correction]),
            ("The outcome found counts", "whole (exact)" if asked.p_values == "exact" else "half"),
        ]
    rows += [
        (head, value)
        for head, value in (
            ("Measure declared to decide", asked.primary),
            ("Baseline all are compared with", asked.baseline),
        )
        if value is not None
    ]
    columns = (Column("Setting"), Column("Value"))
    yield Table("settings", "What decides the numbers", columns, (RowGroup(tuple(rows)),))


def _listing(evaluation: Evaluation) -> Iterator[Block]:
    """Show the text of the spec, or how it begins."""
    lines = evaluation.spec_file.text.rstrip().splitlines()
    if evaluation.spec_file.path is None or not lines:
        return
    shown = lines if in_full(evaluation) else lines[:MOST_LINES]
    yield Paragraph(("The spec, ", Code(evaluation.spec_file.name), ":"))
    yield Listing("\n".join(shown), "toml")
    if len(shown) < len(lines):
        more = f"{len(lines) - len(shown)} more lines of the spec"
        yield Paragraph((f"{more} are in manifest.json, and here with ", Code(FULL), "."))
