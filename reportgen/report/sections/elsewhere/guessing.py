"""Whether the classifiers are better than guessing, and what a significant chi-square is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.detail import in_full
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.majority import majority_in_full
from reportgen.report.parts import Check, Count, Plain, PValue, Strong, Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.elsewhere.guessing import GuessingCell, GuessingCheck, GuessingRow
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

GUESSED = {"even": "each class with ½", "same": "classes as often as the classifier"}
NEVER_SHOWN_EQUAL = 4


def guessing(evaluation: Evaluation) -> tuple[Block, ...]:
    """Apply the rule to every classifier, and show how often guessing passes it."""
    audit = evaluation.guessing
    if audit is None:
        return ()
    repeated = evaluation.predictions.distinct_cases is not None
    blocks: list[Block] = []
    if audit.rows:
        blocks = [_introduction(evaluation.spec.comparison.alpha), _table(audit.rows)]
        blocks += _warning(audit.rows)
    if repeated and audit.rows:
        blocks.append(Note(("Cases that were predicted several times count once here.",)))
    blocks += _always_the_largest(evaluation)
    whole = in_full(evaluation)
    for alpha in dict.fromkeys(cell.alpha for cell in audit.cells):
        cells = [cell for cell in audit.cells if cell.alpha == alpha]
        blocks += _enumerated(alpha, cells, whole=whole)
    if audit.checks:
        blocks.append(_checks(audit.checks))
    return tuple(blocks)


def _introduction(alpha: float) -> Paragraph:
    return Paragraph(
        (
            "A classifier is often called valid if chi-square is significant (p below ",
            Plain(alpha),
            (
                ") and more than half of its answers are right. Chi-square alone cannot tell: a"
                " classifier and its opposite have the same value. The last three columns are exact"
                " chances of guessing: to pass this rule by naming each class with ½; to be right"
                " at least as often as the classifier in the same way; and to be so by saying"
                " positive as often as the classifier does."
            ),
        )
    )


def _table(rows: Sequence[GuessingRow]) -> Table:
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
            "undefined" if row.chi_square is None else Plain(row.chi_square, 2),
            None if row.p is None else PValue(row.p),
            Plain(row.accuracy, 3),
            "yes" if row.passes else "no",
            PValue(row.chance_of_passing),
            PValue(row.chance_even),
            PValue(row.chance_same),
        )
        for row in rows
    )
    caption = "Chi-square with Yates' correction against guessing"
    return Table("guessing", caption, columns, (RowGroup(cells),))


def _warning(rows: Sequence[GuessingRow]) -> Iterator[Block]:
    misleading = [row.classifier for row in rows if row.misleading]
    if misleading:
        parts: list[Part] = []
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


def _always_the_largest(evaluation: Evaluation) -> Iterator[Block]:
    """Set the classifiers against the rule that needs no classifier, where it is often right."""
    if parts := majority_in_full(evaluation):
        yield Paragraph(parts)


def _enumerated(alpha: float, cells: Sequence[GuessingCell], *, whole: bool) -> Iterator[Block]:
    shares = list(dict.fromkeys(cell.share for cell in cells))
    source = next((cell.source for cell in cells if cell.source), None)
    printed = any(cell.published is not None for cell in cells)
    columns = (
        Column("Cases"),
        *(Column(Words((Plain(share), " of one class")), numeric=True) for share in shares),
    )
    groups = [RowGroup(_rows(cells, "plain"), "Exact, without Yates' correction")]
    if whole or not printed:
        groups.append(RowGroup(_rows(cells, "corrected"), "Exact, with Yates' correction"))
    if printed:
        groups.insert(0, RowGroup(_rows(cells, "published"), f"Printed{_in(source)}"))
        yield _verdict(alpha, cells, source)
    yield Table(
        f"guessing-{alpha:g}".replace(".", "-"),
        Words(("How often guessing passes the rule at a level of ", Plain(alpha))),
        columns,
        tuple(groups),
    )


def _in(source: str | None) -> str:
    return f" in {source}" if source else ""


def _rows(cells: Sequence[GuessingCell], which: str) -> tuple[tuple[Cell, ...], ...]:
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        shown: Cell
        match which:
            case "plain":
                shown = Plain(cell.plain, NEVER_SHOWN_EQUAL)
            case "corrected":
                shown = Plain(cell.corrected, NEVER_SHOWN_EQUAL)
            case _:
                shown = None if cell.published is None else Plain(cell.published, cell.decimals)
        rows.setdefault(cell.size, []).append(shown)
    return tuple((Count(size), *row) for size, row in rows.items())


def _verdict(alpha: float, cells: Sequence[GuessingCell], source: str | None) -> Paragraph:
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
            f"Of the {len(printed)} values printed{_in(source)} for a level of ",
            Plain(alpha),
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


def _checks(checks: Sequence[GuessingCheck]) -> Table:
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
            GUESSED[check.guess],
            Plain(check.published, check.decimals),
            _exact(check),
            Check(check.agrees),
            check.note or "",
        )
        for check in checks
    )
    caption = "Printed chances that guessing is as accurate"
    return Table("guessing-published", caption, columns, (RowGroup(rows),))


def _exact(check: GuessingCheck) -> Plain:
    """Show one digit more than was printed, or what is smaller with digits of its own."""
    decimals = check.decimals + 1
    return Plain(check.computed, decimals if check.computed >= 10.0**-decimals else None)
