"""Reproducibility: the command, analysis settings, software versions and the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Column, Details, Listing, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level, inline_percentage
from reportgen.report.inline import Count, InlineCode, InlineText, PlainNumber
from reportgen.report.selection import FULL_DETAIL
from reportgen.report.versions import software_versions
from reportgen.spec.decision import declared_decision, target_prevalences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell
    from reportgen.spec import Spec
    from reportgen.spec.inference import IntervalSettings

_UNHASHED_NOTE = (
    " Some inputs are not hashed, so later changes to them cannot be detected. Every number is"
    " in results.json."
)
_LIBRARY_NAMES = {
    "python": "Python",
    "jinja2": "Jinja2",
    "numpy": "NumPy",
    "pydantic": "pydantic",
    "scipy": "SciPy",
    "weasyprint": "WeasyPrint",
}
_CORRECTION_NAMES = {
    "step-down": "step-down, all comparisons",
    "holm": "Holm, all comparisons",
    "none": "none",
}


def build_reproducibility_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the command, the versions, the analysis settings and the spec."""
    summary = Paragraph(
        (
            *_build_command(evaluation),
            " ",
            *_versions_sentence(),
            *_attachments_sentence(evaluation),
        )
    )
    if evaluation.spec.output.detail == "summary":
        return (summary,)
    settings = Details(_settings_sentence(evaluation), tuple(_settings_table(evaluation)))
    return summary, settings, *_spec_listing(evaluation)


def _settings_sentence(evaluation: Evaluation) -> Paragraph:
    """Return the settings that affect most numbers."""
    comparison = evaluation.spec.comparison
    parts: tuple[Inline, ...] = (confidence_level(evaluation), " confidence intervals")
    if any(row.is_tested for row in evaluation.comparisons):
        parts = (*parts, ", family-wise error rate ", inline_percentage(comparison.alpha))
        parts = (*parts, f", adjustment: {_CORRECTION_NAMES[comparison.correction]}")
    return Paragraph(("Analysis settings: ", *parts, "."))


def _build_command(evaluation: Evaluation) -> Iterator[Inline]:
    spec_file = evaluation.spec_file
    if spec_file.path is None:
        yield "Data passed from Python; the same call with the same data reproduces this report."
    else:
        yield "The same spec and input files reproduce this report: "
        yield InlineCode(" ".join(("reportgen build", spec_file.name, *spec_file.options)))
        yield "."
    if any(file.sha256 is None for file in evaluation.aggregates.inputs):
        yield _UNHASHED_NOTE
    else:
        yield " Input hashes are in manifest.json, all numbers in results.json."


def _versions_sentence() -> Iterator[Inline]:
    yield "Software: "
    versions = software_versions()
    for number, (name, version) in enumerate(versions.items()):
        yield ("and " if number == len(versions) - 1 else "") if number else ""
        yield f"{_LIBRARY_NAMES.get(name, name)} {version}"
        yield "." if number == len(versions) - 1 else ", "


def _settings_table(evaluation: Evaluation) -> Iterator[Table]:
    """Return the table of settings that affect the numbers."""
    comparison, intervals = evaluation.spec.comparison, evaluation.spec.intervals
    tested = len(evaluation.tested_comparisons)
    rows: list[tuple[TableCell, ...]] = [
        ("Confidence level", confidence_level(evaluation)),
        ("CI method", intervals.method),
        ("Bootstrap resamples, random seed", _bootstrap_cell(intervals)),
    ]
    if tested:
        rows += [
            ("Family-wise error rate (α)", inline_percentage(comparison.alpha)),
            ("Comparisons in the family", Count(tested)),
            ("Multiplicity adjustment", _CORRECTION_NAMES[comparison.correction]),
            ("p-values", "exact (not mid-p)" if comparison.p_values == "exact" else "mid-p"),
        ]
    rows += _optional_settings(evaluation.spec)
    columns = (Column("Setting"), Column("Value"))
    yield Table("settings", "Analysis settings", columns, (RowGroup(tuple(rows)),))


def _bootstrap_cell(intervals: IntervalSettings) -> InlineText:
    return InlineText((Count(intervals.draws), f", {intervals.seed}"))


def _optional_settings(spec: Spec) -> Iterator[tuple[TableCell, ...]]:
    """Yield the settings that have no default."""
    comparison, folds, decision = spec.comparison, spec.folds, declared_decision(spec)
    cost, targets = decision.cost, target_prevalences(spec)
    if comparison.primary is not None:
        yield "Primary measure", comparison.primary
    if comparison.baseline is not None:
        yield "Baseline classifier", comparison.baseline
    if comparison.margin:
        yield "Equivalence margins", _values_by_measure(comparison.margin)
    if targets:
        yield "Target prevalence", _join_numbers(targets)
    if cost:
        costs = (cost.false_positive, cost.false_negative)
        yield "Cost of a false positive, of a false negative", _join_numbers(costs)
    if decision.requirements:
        yield "Requirements", _values_by_measure(decision.requirements)
    if folds.ratio is not None:
        yield "n_test / n_train", PlainNumber(folds.ratio)
    if folds.repeats is not None:
        yield "Cross-validation repeats", Count(folds.repeats)
    if folds.tails == "one":
        yield "Fold-level tests", "one-sided: is the first classifier better?"


def _values_by_measure(numbers: Mapping[str, float]) -> InlineText:
    """Return numbers with the names of their measures in the spec."""
    parts = [
        part for name, number in numbers.items() for part in (", ", f"{name} ", PlainNumber(number))
    ]
    return InlineText(tuple(parts[1:]))


def _join_numbers(numbers: Sequence[float]) -> InlineText:
    parts = [part for number in numbers for part in (", ", PlainNumber(number))]
    return InlineText(tuple(parts[1:]))


def _spec_listing(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the text of the spec, folded on the page; the PDF has it attached."""
    text = evaluation.spec_file.redacted_text.rstrip()
    if evaluation.spec_file.path is None or not text:
        return
    name = InlineCode(evaluation.spec_file.name)
    summary = Paragraph(("The spec ", name, ", ", Count(text.count("\n") + 1), " lines."))
    yield Details(summary, (Listing(text, "toml"),))


def _attachments_sentence(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield what is attached to the PDF and where the rest is, at standard detail."""
    file = evaluation.spec_file
    if file.path is None or not file.redacted_text.strip():
        return
    if evaluation.spec.output.detail == "standard":
        yield from (" ", InlineCode(file.name), " and results.json are attached to the PDF;")
        yield from (" report.html and ", InlineCode(FULL_DETAIL), " have all tables and figures.")
