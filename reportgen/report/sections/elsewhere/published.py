"""What a paper printed against what its data give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import CAPABILITIES, find_measure
from reportgen.report.detail import in_full, rest_elsewhere
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Check, Count, Plain, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.published import PublishedCheck
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell

EXTRA_DECIMALS = 2
MOST_AGREEING = 12


def published(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the disagreements with their reasons first, then everything."""
    checks = evaluation.published
    if not checks:
        return ()
    different = [check for check in checks if not check.agrees]
    introduction = Paragraph(
        (
            "Of ",
            Count(len(checks)),
            " published values, ",
            Count(len(checks) - len(different)),
            " come out as printed and ",
            Count(len(different)),
            (
                f" {'does' if len(different) == 1 else 'do'} not."
                " A number agrees when the computed one, rounded to as many digits as were"
                " printed, is the printed one."
            ),
        )
    )
    blocks: list[Block] = [introduction]
    if different:
        blocks.append(_table("disagreements", "What does not follow from the data", different))
    if len(checks) - len(different) > MOST_AGREEING and not in_full(evaluation):
        return (*blocks, rest_elsewhere(f"The {len(checks) - len(different)} others"))
    return (*blocks, _table("published", "Published against computed", checks))


def _table(name: str, caption: str, checks: Sequence[PublishedCheck]) -> Table:
    explained = name == "disagreements"
    heads = [Column("Source"), Column("Classifier"), Column("Measure")]
    heads += [Column("Published", numeric=True), Column("Computed", numeric=True)]
    heads.append(Column("Why") if explained else Column("Agrees"))
    rows = tuple(
        (
            check.source or "",
            check.classifier,
            _name(check),
            _shown(check.published, check, 0),
            _shown(check.computed, check, EXTRA_DECIMALS),
            (check.note or "") if explained else Check(check.agrees),
        )
        for check in checks
    )
    return Table(name, caption, tuple(heads), (RowGroup(rows),))


def _name(check: PublishedCheck) -> Cell:
    capability, measure = CAPABILITIES.get(check.measure), find_measure(check.measure)
    title = capability.title if capability else measure.title if measure else check.measure
    class_ = "" if check.class_ is None else f", class {check.class_}"
    if check.prevalence is None:
        return f"{title}{class_}"
    return Words((f"{title}{class_} at prevalence ", Plain(check.prevalence)))


def _shown(value: float | str | None, check: PublishedCheck, extra: int) -> Cell:
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return value
    unit = f" {check.unit}" if check.unit else ""
    return Plain(value, check.decimals + extra, unit)
