"""How the claims were tested and the intervals found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.aggregates.ranking import MIN_CASES_DELONG
from reportgen.measures import MeasureFamily, describe_interval_method
from reportgen.measures.measure import NoInterval
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.formatting import TO_PERCENT, confidence_level, inline_percentage
from reportgen.report.inline import Count, PlainNumber
from reportgen.report.phrases import describe_tests, measure_phrase, uncompared_measures_sentence
from reportgen.report.sections.capabilities import explain_significance
from reportgen.report.sections.definitions import used_measures
from reportgen.report.selection import is_full_detail, is_section_included

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.document import Block

_UNADJUSTED_INTERVALS_NOTE = (
    " They are of each value or difference by itself; only the p-values and the verdicts on them"
    " are adjusted for the number of tests."
)


def build_methods_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say how differences were tested, what backs a verdict, and where intervals come from."""
    tested = (*describe_tests(evaluation), *uncompared_measures_sentence(evaluation))
    judged = len(evaluation.measured_classifiers) > 1 and bool(evaluation.capabilities)
    return (
        *((Paragraph(tested),) if tested else ()),
        *((Paragraph(tuple(explain_significance(evaluation))),) if judged else ()),
        *_interval_methods(evaluation),
        *_missing_interval_note(evaluation),
        *_roc_band_note(evaluation),
    )


def _missing_interval_note(evaluation: Evaluation) -> Iterator[Block]:
    """Say why areas of small classes have no interval, if there are any."""
    if any(
        evaluation.aggregates.too_few_for_delong(name) for name in evaluation.measured_classifiers
    ):
        yield Paragraph(
            (
                (
                    "Areas under the ROC curve (but 0 and 1) have no interval, and differences"
                    " of them no test, where a class or all the others together have fewer than "
                ),
                Count(MIN_CASES_DELONG),
                " cases: that is too few to tell how they vary.",
            )
        )


def _roc_band_note(evaluation: Evaluation) -> Iterator[Block]:
    """Say where the bands around ROC curves come from, if the report draws any."""
    if evaluation.aggregates.curves is None or not is_section_included(evaluation, "curves"):
        return
    level = evaluation.spec.intervals.level
    yield Paragraph(
        (
            (
                "Bands around ROC curves are Wilson's limits of both shares at the square root of"
                " the level ("
            ),
            PlainNumber(TO_PERCENT * math.sqrt(level), 1, "%"),
            "), so that at each threshold by itself both shares hold together at ",
            inline_percentage(level),
            ".",
        )
    )


def _interval_method(evaluation: Evaluation, measure: Measure) -> str:
    """Return the method of a measure's interval: areas of several classes are not resampled."""
    asked = evaluation.spec.intervals.method
    areas = measure.family is MeasureFamily.RANKING and evaluation.task_kind == "multiclass"
    return "recommended" if areas and asked == "bootstrap" else asked


def _interval_methods(evaluation: Evaluation) -> Iterator[Block]:
    """Name the method of every measure's interval, those with the same method together."""
    if not evaluation.measured_classifiers:
        return
    methods: dict[str, list[str]] = {}
    for measure in used_measures(evaluation):
        if isinstance(measure.interval, NoInterval):
            continue
        method = _interval_method(evaluation, measure)
        words = describe_interval_method(measure, method).removeprefix("Interval: ")
        methods.setdefault(words.removesuffix("."), []).append(measure_phrase(measure))
    share = confidence_level(evaluation)
    adjusted = "" if evaluation.spec.comparison.correction == "none" else _UNADJUSTED_INTERVALS_NOTE
    yield Paragraph(("Intervals are to contain the true value in ", share, f" of cases.{adjusted}"))
    if not is_full_detail(evaluation):
        said = (f"{words} ({', '.join(names)})" for words, names in methods.items())
        yield Paragraph(("Their methods: ", "; ".join(said), "."))
        return
    rows = tuple(
        (words[0].upper() + words[1:], ", ".join(names)) for words, names in methods.items()
    )
    columns = (Column("Interval"), Column("Measures"))
    yield Table("interval-methods", "How intervals were found", columns, (RowGroup(rows),))
