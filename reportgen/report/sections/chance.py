"""Whether the classifiers are better than guessing, and what a significant chi-square is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.majority_baseline import majority_baseline_sentence
from reportgen.report.inline import CheckMark, Count, InlineText, PlainNumber, PValue, Strong
from reportgen.report.selection import is_full_detail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.chance import ChanceComparison, ChanceTableCell, PublishedChanceCheck
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_CHANCE_MODELS = {"uniform": "each class with ½", "same_rate": "classes as often as the classifier"}
_PROBABILITY_DECIMALS = 4


def build_chance_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Apply the rule to every classifier, and show how often guessing passes it."""
    audit = evaluation.chance
    if audit is None:
        return ()
    repeated = evaluation.aggregates.distinct_cases is not None
    blocks: list[Block] = []
    if audit.comparisons:
        blocks = [_introduction(evaluation.spec.comparison.alpha), _chance_table(audit.comparisons)]
        blocks += _misleading_chi_square_note(audit.comparisons)
    if repeated and audit.comparisons:
        blocks.append(Note(("Cases that were predicted several times count once here.",)))
    blocks += _majority_baseline_paragraph(evaluation)
    whole = is_full_detail(evaluation)
    for alpha in dict.fromkeys(cell.alpha for cell in audit.table_cells):
        cells = [cell for cell in audit.table_cells if cell.alpha == alpha]
        blocks += _enumeration_blocks(alpha, cells, full_detail=whole)
    if audit.published_checks:
        blocks.append(_published_checks_table(audit.published_checks))
    return tuple(blocks)


def _introduction(alpha: float) -> Paragraph:
    return Paragraph(
        (
            "A classifier is often called valid if chi-square is significant (p below ",
            PlainNumber(alpha),
            (
                ") and more than half of its answers are right. Chi-square alone cannot tell: a"
                " classifier and its opposite have the same value. The last three columns are exact"
                " chances of guessing: to pass this rule by naming each class with ½; to be right"
                " at least as often as the classifier in the same way; and to be so by saying"
                " positive as often as the classifier does."
            ),
        )
    )


def _chance_table(rows: Sequence[ChanceComparison]) -> Table:
    heads = ("Chi-square", "p", "Accuracy")
    chances = ("Guessing passes", "Guessing with ½ is as right", "Guessing alike is as right")
    columns = (
        Column("Classifier"),
        *(Column(head, numeric=True) for head in heads),
        Column("Passes the rule"),
        *(Column(head, numeric=True) for head in chances),
    )
    cells = tuple(
        (
            row.classifier,
            "undefined" if row.chi_square is None else PlainNumber(row.chi_square, 2),
            None if row.p is None else PValue(row.p),
            PlainNumber(row.accuracy, 3),
            "yes" if row.passes else "no",
            PValue(row.prob_random_passes),
            PValue(row.p_value_vs_uniform),
            PValue(row.p_value_vs_same_rate),
        )
        for row in rows
    )
    caption = "Chi-square with Yates' correction against guessing"
    return Table("chance", caption, columns, (RowGroup(cells),))


def _misleading_chi_square_note(rows: Sequence[ChanceComparison]) -> Iterator[Block]:
    misleading = [row.classifier for row in rows if row.misleading]
    if misleading:
        parts: list[Inline] = []
        for index, name in enumerate(misleading):
            parts += [Strong(name), ", " if index + 1 < len(misleading) else ""]
        several = len(misleading) > 1
        yield Note(
            (
                *parts,
                " have" if several else " has",
                (
                    " a significant chi-square and a Youden's index that is not above 0: the"
                    " answers depend on the truth, but the wrong way round, or not usefully."
                ),
            ),
            warning=True,
        )


def _majority_baseline_paragraph(evaluation: Evaluation) -> Iterator[Block]:
    """Set the classifiers against the rule that needs no classifier, where it is often right."""
    if parts := majority_baseline_sentence(evaluation):
        yield Paragraph(parts)


def _enumeration_blocks(
    alpha: float, cells: Sequence[ChanceTableCell], *, full_detail: bool
) -> Iterator[Block]:
    shares = list(dict.fromkeys(cell.share for cell in cells))
    source = next((cell.source for cell in cells if cell.source), None)
    printed = any(cell.published is not None for cell in cells)
    columns = (
        Column("Cases"),
        *(
            Column(InlineText((PlainNumber(share), " of one class")), numeric=True)
            for share in shares
        ),
    )
    groups = [RowGroup(_enumeration_rows(cells, "plain"), "Exact, without Yates' correction")]
    if full_detail or not printed:
        groups.append(
            RowGroup(_enumeration_rows(cells, "corrected"), "Exact, with Yates' correction")
        )
    if printed:
        groups.insert(
            0, RowGroup(_enumeration_rows(cells, "published"), f"Printed{_source_phrase(source)}")
        )
        yield _agreement_paragraph(alpha, cells, source)
    yield Table(
        f"chance-{alpha:g}".replace(".", "-"),
        InlineText(("How often guessing passes the rule at a level of ", PlainNumber(alpha))),
        columns,
        tuple(groups),
    )


def _source_phrase(source: str | None) -> str:
    return f" in {source}" if source else ""


def _enumeration_rows(
    cells: Sequence[ChanceTableCell], variant: str
) -> tuple[tuple[TableCell, ...], ...]:
    rows: dict[int, list[TableCell]] = {}
    for cell in cells:
        shown: TableCell
        match variant:
            case "plain":
                shown = PlainNumber(cell.plain, _PROBABILITY_DECIMALS)
            case "corrected":
                shown = PlainNumber(cell.corrected, _PROBABILITY_DECIMALS)
            case _:
                shown = (
                    None if cell.published is None else PlainNumber(cell.published, cell.decimals)
                )
        rows.setdefault(cell.size, []).append(shown)
    return tuple((Count(size), *row) for size, row in rows.items())


def _agreement_paragraph(
    alpha: float, cells: Sequence[ChanceTableCell], source: str | None
) -> Paragraph:
    printed = [cell for cell in cells if cell.published is not None]
    plain = sum(cell.plain_agrees is True for cell in printed)
    corrected = sum(cell.corrected_agrees is True for cell in printed)
    if plain == len(printed) and corrected < plain:
        meaning = " So what was printed was worked out without the correction."
    elif corrected == len(printed) and plain < corrected:
        meaning = " So what was printed was worked out with the correction."
    else:
        meaning = ""
    return Paragraph(
        (
            f"Of the {len(printed)} values printed{_source_phrase(source)} for a level of ",
            PlainNumber(alpha),
            ", ",
            Count(plain),
            " agree with the exact chances without Yates' correction and ",
            Count(corrected),
            (
                " with those with it; a value that was simulated agrees unless its distance from"
                f" the exact one has a chance below 1 %.{meaning}"
            ),
        )
    )


def _published_checks_table(checks: Sequence[PublishedChanceCheck]) -> Table:
    columns = (
        Column("Source"),
        Column("Classifier"),
        Column("Guessing"),
        Column("Published", numeric=True),
        Column("Exact", numeric=True),
        Column("Agrees"),
        Column("Why"),
    )
    rows = tuple(
        (
            check.source or "",
            check.classifier,
            _CHANCE_MODELS[check.guess],
            PlainNumber(check.published, check.decimals),
            _exact_cell(check),
            CheckMark(check.agrees),
            check.note or "",
        )
        for check in checks
    )
    caption = "Printed chances that guessing is as accurate"
    return Table("chance-published", caption, columns, (RowGroup(rows),))


def _exact_cell(check: PublishedChanceCheck) -> PlainNumber:
    """Show one digit more than was printed, or what is smaller with digits of its own."""
    decimals = check.decimals + 1
    return PlainNumber(check.computed, decimals if check.computed >= 10.0**-decimals else None)
