"""Sections that show measures by classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import GROUPS
from reportgen.report.detail import in_full, rest_elsewhere
from reportgen.report.document import Paragraph
from reportgen.report.tables.measures import measure_tables

if TYPE_CHECKING:
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

MACRO = "macro"
AVERAGES = {
    MACRO: "Macro average: every class counts the same",
    "micro": "Micro average: every decision counts the same",
    "weighted": "Weighted average: a class counts by its number of cases",
}


def traditional(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures most papers report."""
    return _group(evaluation, "traditional", "Traditional measures")


def discriminant(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show Youden's index, the likelihood ratios and discriminant power."""
    return _group(evaluation, "discriminant", "Discriminant measures")


def other_measures(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show whatever was asked for beyond the two groups."""
    if evaluation.kind == "regression":
        return ()
    grouped = {*GROUPS["traditional"], *GROUPS["discriminant"]}
    others = [measure for measure in evaluation.main_measures if measure.name not in grouped]
    return measure_tables(evaluation, "measures", "Further measures", others)


def regression(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the errors of numeric predictions."""
    if evaluation.kind != "regression":
        return ()
    return measure_tables(
        evaluation, "regression", "Errors of the predictions", evaluation.main_measures
    )


def averages(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show averages over the classes; for two classes the measures themselves say more."""
    tables = tuple(
        table
        for average, caption in AVERAGES.items()
        if in_full(evaluation) or average == MACRO
        for table in measure_tables(
            evaluation,
            f"average-{average}",
            caption,
            [measure for measure in evaluation.shown if measure.averaged],
            average=average,
        )
    )
    if not tables:
        return ()
    introduction = (
        "Each measure is worked out for every class against the rest and then averaged. Where it"
        " is undefined for some class, the average is over the others, and says so."
    )
    rest = () if in_full(evaluation) else (rest_elsewhere("Micro and weighted averages"),)
    return (Paragraph((introduction,)), *tables, *rest)


def _group(evaluation: Evaluation, group: str, caption: str) -> tuple[Block, ...]:
    if evaluation.kind == "regression":
        return ()
    members = [measure for measure in evaluation.main_measures if measure.name in GROUPS[group]]
    return measure_tables(evaluation, group, f"{caption}{_of_what(evaluation)}", members)


def _of_what(evaluation: Evaluation) -> str:
    if evaluation.kind == "multiclass":
        return " over all classes"
    return f", positive class {evaluation.spec.task.positive}"
