"""How to repeat a report: the spec, the settings that decide numbers, and the versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.detail import FULL, in_full
from reportgen.report.document import Column, Listing, Paragraph, RowGroup, Table
from reportgen.report.parts import Code, Count, Plain, Words
from reportgen.report.versions import used_versions
from reportgen.report.words.level import level_of, percentage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part
    from reportgen.spec import Spec
    from reportgen.spec.evidence import Intervals

UNHASHED = (
    " Inputs that are not hashed may have changed since, which nobody could tell. Every number is"
    " in results.json."
)
MOST_LINES, WORTH_CUTTING = 60, 10
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
        yield Code(" ".join(("reportgen build", path.name, *evaluation.spec_file.options)))
        yield "."
    if any(file.sha256 is None for file in evaluation.predictions.inputs):
        yield UNHASHED
    else:
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
    tested = sum(row.is_tested for row in evaluation.differences)
    rows: list[tuple[Cell, ...]] = [
        ("Level of intervals", level_of(evaluation)),
        ("Method of intervals", intervals.method),
        ("Random draws, and the seed they begin with", _draws(intervals)),
    ]
    if tested:
        rows += [
            ("Chance of a false claim that is allowed", percentage(asked.alpha)),
            ("Differences tested, as one family", Count(tested)),
            ("p-values are adjusted", CORRECTIONS[asked.correction]),
            ("The outcome found counts", "whole (exact)" if asked.p_values == "exact" else "half"),
        ]
    rows += _asked(evaluation.spec)
    columns = (Column("Setting"), Column("Value"))
    yield Table("settings", "What decides the numbers", columns, (RowGroup(tuple(rows)),))


def _draws(intervals: Intervals) -> Words:
    return Words((Count(intervals.draws), f", {intervals.seed}"))


def _asked(spec: Spec) -> Iterator[tuple[Cell, ...]]:
    """Yield what has no default and stands here only if the spec names it."""
    asked, folds, cost = spec.comparison, spec.folds, spec.thresholds and spec.thresholds.cost
    if asked.primary is not None:
        yield "Measure declared to decide", asked.primary
    if asked.baseline is not None:
        yield "Baseline all are compared with", asked.baseline
    if asked.margin:
        yield "Differences too small to matter", _by_measure(asked.margin)
    if spec.prevalence is not None:
        yield "Prevalence where they will be used", _in_a_row(spec.prevalence.targets)
    if cost:
        both = (cost.false_positive, cost.false_negative)
        yield "Cost of a false alarm, and of a missed case", _in_a_row(both)
    if spec.thresholds and spec.thresholds.at_least:
        yield "Least that a threshold must reach", _by_measure(spec.thresholds.at_least)
    if folds.ratio is not None:
        yield "Test cases by training cases", Plain(folds.ratio)
    if folds.repeats is not None:
        yield "Repeats of the cross-validation", Count(folds.repeats)
    if folds.tails == "one":
        yield "Tests over folds ask", "whether the first of two is better (one tail)"


def _by_measure(numbers: Mapping[str, float]) -> Words:
    """Write numbers by the measures they are of, as the spec names them."""
    parts = [part for name, number in numbers.items() for part in (", ", f"{name} ", Plain(number))]
    return Words(tuple(parts[1:]))


def _in_a_row(numbers: Sequence[float]) -> Words:
    parts = [part for number in numbers for part in (", ", Plain(number))]
    return Words(tuple(parts[1:]))


def _listing(evaluation: Evaluation) -> Iterator[Block]:
    """Show the text of the spec, or how it begins."""
    lines = evaluation.spec_file.public_text.rstrip().splitlines()
    if evaluation.spec_file.path is None or not lines:
        return
    # So few lines more take no more room than the sentence that would stand for them.
    whole = in_full(evaluation) or len(lines) <= MOST_LINES + WORTH_CUTTING
    shown = lines if whole else lines[:MOST_LINES]
    yield Paragraph(("The spec, ", Code(evaluation.spec_file.name), ":"))
    yield Listing("\n".join(shown), "toml")
    if len(shown) < len(lines):
        more = Count(len(lines) - len(shown))
        rest = " more lines of the spec are in manifest.json, and here with "
        yield Paragraph((more, rest, Code(FULL), "."))
