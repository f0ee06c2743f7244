"""Reproduction of published results: published against computed values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import CAPABILITIES, find_measure
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.formatting import inline_percentage
from reportgen.report.inline import CheckMark, Count, InlineText, PlainNumber
from reportgen.report.selection import is_full_detail, omitted_in_results_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.published import PublishedCheck
    from reportgen.report.document import Block
    from reportgen.report.inline import TableCell

_EXTRA_DECIMALS = 2
_MAX_AGREEING = 12


def build_published_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the discrepancies with their reasons, then all published values."""
    checks = evaluation.published
    if not checks:
        return ()
    different = [check for check in checks if not check.agrees]
    introduction = Paragraph(
        (
            Count(len(checks) - len(different)),
            " of ",
            Count(len(checks)),
            " published values reproduced: the computed value, rounded to the published number of",
            " digits, equals the published one.",
        )
    )
    blocks: list[Block] = [introduction]
    if different:
        blocks.append(_published_table("disagreements", "Discrepancies", different))
    if len(checks) - len(different) > _MAX_AGREEING and not is_full_detail(evaluation):
        return (*blocks, omitted_in_results_note())
    return (*blocks, _published_table("published", "Published vs computed", checks))


def _published_table(name: str, caption: str, checks: Sequence[PublishedCheck]) -> Table:
    explained = name == "disagreements"
    heads = [Column("Source"), Column("Classifier"), Column("Measure")]
    heads += [Column("Published", numeric=True), Column("Computed", numeric=True)]
    heads.append(Column("Reason") if explained else Column("Agrees"))
    rows = tuple(
        (
            check.source or "",
            check.classifier,
            _measure_cell(check),
            _value_cell(check.published, check, 0),
            _value_cell(check.computed, check, _EXTRA_DECIMALS),
            (check.note or "") if explained else CheckMark(check.agrees),
        )
        for check in checks
    )
    return Table(name, caption, tuple(heads), (RowGroup(rows),))


def _measure_cell(check: PublishedCheck) -> TableCell:
    capability, measure = CAPABILITIES.get(check.measure), find_measure(check.measure)
    title = capability.title if capability else measure.title if measure else check.measure
    class_ = "" if check.class_ is None else f", class {check.class_}"
    if check.prevalence is None:
        return f"{title}{class_}"
    return InlineText((f"{title}{class_} at prevalence ", inline_percentage(check.prevalence)))


def _value_cell(value: float | str | None, check: PublishedCheck, extra: int) -> TableCell:
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return value
    unit = f" {check.unit}" if check.unit else ""
    return PlainNumber(value, check.decimals + extra, unit)
