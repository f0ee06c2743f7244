"""How to repeat a report: the spec, the settings that decide numbers, and the versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Column, Listing, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level, inline_percentage
from reportgen.report.inline import Count, InlineCode, InlineText, PlainNumber
from reportgen.report.selection import FULL_DETAIL, is_full_detail
from reportgen.report.versions import software_versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell
    from reportgen.spec import Spec
    from reportgen.spec.inference import IntervalSettings

_UNHASHED_NOTE = (
    " Inputs that are not hashed may have changed since, which nobody could tell. Every number is"
    " in results.json."
)
_MAX_SPEC_LINES, _MIN_OMITTED_LINES = 60, 10
_LIBRARY_NAMES = {
    "python": "Python",
    "jinja2": "Jinja2",
    "numpy": "NumPy",
    "pydantic": "pydantic",
    "scipy": "SciPy",
    "weasyprint": "WeasyPrint",
}
_CORRECTION_NAMES = {
    "step-down": "for all together, step by step down (step-down)",
    "holm": "for all together (Holm)",
    "none": "not at all",
}


def build_reproducibility_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say how to build the report again, and show the spec it was built from."""
    short = evaluation.spec.output.detail == "summary"
    return (
        Paragraph(tuple(_build_command(evaluation))),
        Paragraph(tuple(_versions_sentence())),
        *(() if short else (*_settings_table(evaluation), *_spec_listing(evaluation))),
    )


def _build_command(evaluation: Evaluation) -> Iterator[Inline]:
    path = evaluation.spec_file.path
    if path is None:
        yield "The data were given in Python; the same call with the same data gives this report."
    else:
        yield "The same spec and the same files give the same numbers: "
        yield InlineCode(" ".join(("reportgen build", path.name, *evaluation.spec_file.options)))
        yield "."
    if any(file.sha256 is None for file in evaluation.aggregates.inputs):
        yield _UNHASHED_NOTE
    else:
        yield " The hashes of all inputs are in manifest.json, and every number is in results.json."


def _versions_sentence() -> Iterator[Inline]:
    yield "Made with "
    found = software_versions()
    for number, (name, version) in enumerate(found.items()):
        yield ("and " if number == len(found) - 1 else "") if number else ""
        yield f"{_LIBRARY_NAMES.get(name, name)} {version}"
        yield "." if number == len(found) - 1 else ", "


def _settings_table(evaluation: Evaluation) -> Iterator[Table]:
    """List what was asked for or stands by default, and decides numbers."""
    asked, intervals = evaluation.spec.comparison, evaluation.spec.intervals
    tested = sum(row.is_tested for row in evaluation.comparisons)
    rows: list[tuple[TableCell, ...]] = [
        ("Level of intervals", confidence_level(evaluation)),
        ("Method of intervals", intervals.method),
        ("Random draws, and the seed they begin with", _bootstrap_cell(intervals)),
    ]
    if tested:
        rows += [
            ("Chance of a false claim that is allowed", inline_percentage(asked.alpha)),
            ("Differences tested, as one family", Count(tested)),
            ("p-values are adjusted", _CORRECTION_NAMES[asked.correction]),
            ("The outcome found counts", "whole (exact)" if asked.p_values == "exact" else "half"),
        ]
    rows += _optional_settings(evaluation.spec)
    columns = (Column("Setting"), Column("Value"))
    yield Table("settings", "What decides the numbers", columns, (RowGroup(tuple(rows)),))


def _bootstrap_cell(intervals: IntervalSettings) -> InlineText:
    return InlineText((Count(intervals.draws), f", {intervals.seed}"))


def _optional_settings(spec: Spec) -> Iterator[tuple[TableCell, ...]]:
    """Yield what has no default and stands here only if the spec names it."""
    asked, folds, cost = spec.comparison, spec.folds, spec.thresholds and spec.thresholds.cost
    if asked.primary is not None:
        yield "Measure declared to decide", asked.primary
    if asked.baseline is not None:
        yield "Baseline all are compared with", asked.baseline
    if asked.margin:
        yield "Differences too small to matter", _values_by_measure(asked.margin)
    if spec.prevalence is not None:
        yield "Prevalence where they will be used", _join_numbers(spec.prevalence.targets)
    if cost:
        both = (cost.false_positive, cost.false_negative)
        yield "Cost of a false alarm, and of a missed case", _join_numbers(both)
    if spec.thresholds and spec.thresholds.at_least:
        yield "Least that a threshold must reach", _values_by_measure(spec.thresholds.at_least)
    if folds.ratio is not None:
        yield "Test cases by training cases", PlainNumber(folds.ratio)
    if folds.repeats is not None:
        yield "Repeats of the cross-validation", Count(folds.repeats)
    if folds.tails == "one":
        yield "Tests over folds ask", "whether the first of two is better (one tail)"


def _values_by_measure(numbers: Mapping[str, float]) -> InlineText:
    """Write numbers by the measures they are of, as the spec names them."""
    parts = [
        part for name, number in numbers.items() for part in (", ", f"{name} ", PlainNumber(number))
    ]
    return InlineText(tuple(parts[1:]))


def _join_numbers(numbers: Sequence[float]) -> InlineText:
    parts = [part for number in numbers for part in (", ", PlainNumber(number))]
    return InlineText(tuple(parts[1:]))


def _spec_listing(evaluation: Evaluation) -> Iterator[Block]:
    """Show the text of the spec, or how it begins."""
    lines = evaluation.spec_file.redacted_text.rstrip().splitlines()
    if evaluation.spec_file.path is None or not lines:
        return
    # So few lines more take no more room than the sentence that would stand for them.
    whole = is_full_detail(evaluation) or len(lines) <= _MAX_SPEC_LINES + _MIN_OMITTED_LINES
    shown = lines if whole else lines[:_MAX_SPEC_LINES]
    yield Paragraph(("The spec, ", InlineCode(evaluation.spec_file.name), ":"))
    yield Listing("\n".join(shown), "toml")
    if len(shown) < len(lines):
        more = Count(len(lines) - len(shown))
        rest = " more lines of the spec are in manifest.json, and here with "
        yield Paragraph((more, rest, InlineCode(FULL_DETAIL), "."))
