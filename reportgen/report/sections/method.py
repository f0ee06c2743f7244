"""How the claims were tested and the intervals found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import interval_in_words
from reportgen.measures.interval import NoInterval
from reportgen.report.capability_tables import what_backs
from reportgen.report.detail import in_full
from reportgen.report.document import Column, Paragraph, Plain, RowGroup, Table
from reportgen.report.how_tested import how_tested, not_compared
from reportgen.report.sections.definitions import used_measures
from reportgen.report.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

NOT_ADJUSTED = (
    " They are of each value or difference by itself; only the p-values and the verdicts are"
    " adjusted for the number of tests."
)


def method(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say how differences were tested, what backs a verdict, and where intervals come from."""
    tested = (*how_tested(evaluation), *not_compared(evaluation))
    judged = len(evaluation.measured) > 1 and bool(evaluation.capabilities)
    return (
        *((Paragraph(tested),) if tested else ()),
        *((Paragraph(tuple(what_backs(evaluation))),) if judged else ()),
        *_intervals(evaluation),
    )


def _intervals(evaluation: Evaluation) -> Iterator[Block]:
    """Name the method of every measure's interval, those with the same method together."""
    if not evaluation.measured:
        return
    asked = evaluation.spec.intervals
    methods: dict[str, list[str]] = {}
    for measure in used_measures(evaluation):
        if isinstance(measure.interval, NoInterval):
            continue
        words = interval_in_words(measure, asked.method).removeprefix("Interval: ")
        methods.setdefault(words.removesuffix("."), []).append(inside_a_sentence(measure))
    # Rounded, because 0.999 times 100 is not quite 99.9.
    share = Plain(round(100 * asked.level, 9), unit="%")
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
