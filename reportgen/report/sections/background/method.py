"""How the claims were tested and the intervals found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.measures import Family, interval_in_words
from reportgen.measures.interval import NoInterval
from reportgen.report.detail import in_full, is_asked_for
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Plain
from reportgen.report.sections.background.definitions import used_measures
from reportgen.report.tables.capabilities import what_backs
from reportgen.report.words.how_tested import how_tested, not_compared
from reportgen.report.words.level import PERCENT, level_of, percentage
from reportgen.report.words.wording import inside_a_sentence
from reportgen.tallies.ranking import FEWEST_TO_VARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

NOT_ADJUSTED = (
    " They are of each value or difference by itself; only the p-values and the verdicts on them"
    " are adjusted for the number of tests."
)


def method(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say how differences were tested, what backs a verdict, and where intervals come from."""
    tested = (*how_tested(evaluation), *not_compared(evaluation))
    judged = len(evaluation.measured) > 1 and bool(evaluation.capabilities)
    return (
        *((Paragraph(tested),) if tested else ()),
        *((Paragraph(tuple(what_backs(evaluation))),) if judged else ()),
        *_intervals(evaluation),
        *_without_interval(evaluation),
        *_bands(evaluation),
    )


def _without_interval(evaluation: Evaluation) -> Iterator[Block]:
    """Say why areas of small classes have no interval, if there are any."""
    if any(evaluation.predictions.has_few(name) for name in evaluation.measured):
        yield Paragraph(
            (
                (
                    "Areas under the ROC curve (but 0 and 1) have no interval, and differences"
                    " of them no test, where a class or all the others together have fewer than "
                ),
                Count(FEWEST_TO_VARY),
                " cases: that is too few to tell how they vary.",
            )
        )


def _bands(evaluation: Evaluation) -> Iterator[Block]:
    """Say where the bands around ROC curves come from, if the report draws any."""
    if evaluation.predictions.curves is None or not is_asked_for(evaluation, "curves"):
        return
    level = evaluation.spec.intervals.level
    yield Paragraph(
        (
            (
                "Bands around ROC curves are Wilson's limits of both shares at the square root of"
                " the level ("
            ),
            Plain(PERCENT * math.sqrt(level), 1, "%"),
            "), so that at each threshold by itself both shares hold together at ",
            percentage(level),
            ".",
        )
    )


def _method_of(evaluation: Evaluation, measure: Measure) -> str:
    """Return the method of a measure's interval: areas of several classes are not resampled."""
    asked = evaluation.spec.intervals.method
    areas = measure.family is Family.RANKING and evaluation.kind == "multiclass"
    return "recommended" if areas and asked == "bootstrap" else asked


def _intervals(evaluation: Evaluation) -> Iterator[Block]:
    """Name the method of every measure's interval, those with the same method together."""
    if not evaluation.measured:
        return
    methods: dict[str, list[str]] = {}
    for measure in used_measures(evaluation):
        if isinstance(measure.interval, NoInterval):
            continue
        method = _method_of(evaluation, measure)
        words = interval_in_words(measure, method).removeprefix("Interval: ")
        methods.setdefault(words.removesuffix("."), []).append(inside_a_sentence(measure))
    share = level_of(evaluation)
    adjusted = "" if evaluation.spec.comparison.correction == "none" else NOT_ADJUSTED
    yield Paragraph(("Intervals are to contain the true value in ", share, f" of cases.{adjusted}"))
    if not in_full(evaluation):
        said = (f"{words} ({', '.join(names)})" for words, names in methods.items())
        yield Paragraph(("Their methods: ", "; ".join(said), "."))
        return
    rows = tuple(
        (words[0].upper() + words[1:], ", ".join(names)) for words, names in methods.items()
    )
    columns = (Column("Interval"), Column("Measures"))
    yield Table("interval-methods", "How intervals were found", columns, (RowGroup(rows),))
