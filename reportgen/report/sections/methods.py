"""Statistical methods: tests, multiplicity, confirmed capabilities and confidence intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.aggregates.ranking import MIN_CASES_DELONG
from reportgen.measures import MeasureFamily, describe_interval_method
from reportgen.measures.measure import NoInterval
from reportgen.report.document import Column, Details, Paragraph, RowGroup, Table
from reportgen.report.formatting import TO_PERCENT, confidence_level, inline_percentage
from reportgen.report.inline import Count, PlainNumber
from reportgen.report.phrases import (
    describe_tests,
    meaning_sentences,
    measure_phrase,
    scope_sentences,
    uncompared_measures_sentence,
)
from reportgen.report.sections.capabilities import explain_significance
from reportgen.report.sections.definitions import used_measures
from reportgen.report.selection import is_section_included

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.document import Block

_UNADJUSTED_INTERVALS_NOTE = (
    " of single values, not adjusted for multiplicity; those of differences are simultaneous"
)


def build_methods_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the description of tests, capability ratings and confidence intervals."""
    tested = (*describe_tests(evaluation), *uncompared_measures_sentence(evaluation))
    has_verdicts = len(evaluation.measured_classifiers) > 1 and bool(evaluation.capabilities)
    return (
        *((Paragraph(tested),) if tested else ()),
        *((Paragraph(tuple(explain_significance(evaluation))),) if has_verdicts else ()),
        *_interval_paragraph(evaluation),
        *_missing_interval_note(evaluation),
        Paragraph((" ".join((*scope_sentences(evaluation), *meaning_sentences(evaluation))),)),
        *_interval_methods(evaluation),
    )


def _missing_interval_note(evaluation: Evaluation) -> Iterator[Block]:
    """Yield why areas of small classes have no test, if there are any."""
    if any(
        evaluation.aggregates.too_few_for_delong(name) for name in evaluation.measured_classifiers
    ):
        yield Paragraph(
            (
                (
                    "No test of the area under the ROC curve, and no CI of its mean over classes,"
                    " where a class or its complement has fewer than "
                ),
                Count(MIN_CASES_DELONG),
                " cases: too few to estimate the variance.",
            )
        )


def _roc_band_note(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the method of the ROC confidence bands, if the report draws any."""
    if not evaluation.curves or not is_section_included(evaluation, "curves"):
        return
    level = evaluation.spec.intervals.level
    yield Paragraph(
        (
            "ROC bands: Wilson limits of TPR and FPR at the square root of the level (",
            PlainNumber(TO_PERCENT * math.sqrt(level), 1, "%"),
            "), i.e. a pointwise ",
            inline_percentage(level),
            " joint confidence region.",
        )
    )


def _interval_method(evaluation: Evaluation, measure: Measure) -> str:
    """Return the CI method of a measure: multiclass areas are never bootstrapped."""
    method = evaluation.spec.intervals.method
    areas = measure.family is MeasureFamily.RANKING and evaluation.is_multiclass
    return "recommended" if areas and method == "bootstrap" else method


def _interval_paragraph(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the confidence level, and whether it holds for each interval alone."""
    if not evaluation.measured_classifiers:
        return
    adjusted = "" if evaluation.spec.comparison.correction == "none" else _UNADJUSTED_INTERVALS_NOTE
    yield Paragraph((confidence_level(evaluation), f" confidence intervals{adjusted}."))


def _interval_methods(evaluation: Evaluation) -> Iterator[Block]:
    """Yield, folded, the CI methods with the measures that use them."""
    if not evaluation.measured_classifiers:
        return
    methods: dict[str, list[str]] = {}
    for measure in used_measures(evaluation):
        if isinstance(measure.interval, NoInterval):
            continue
        method = _interval_method(evaluation, measure)
        description = describe_interval_method(measure, method).removeprefix("Interval: ")
        methods.setdefault(description.removesuffix("."), []).append(measure_phrase(measure))
    if not methods:
        return
    rows = tuple(
        (description[0].upper() + description[1:], ", ".join(names))
        for description, names in methods.items()
    )
    columns = (Column("CI method"), Column("Measures"))
    table = Table("interval-methods", "Confidence-interval methods", columns, (RowGroup(rows),))
    most_common = max(methods, key=lambda description: len(methods[description]))
    summary = Paragraph(
        (
            "Confidence intervals: ",
            Count(len(methods)),
            f" method{'s' if len(methods) > 1 else ''}, for most measures {most_common}.",
        )
    )
    yield Details(summary, (table, *_roc_band_note(evaluation)))
