"""How large the folds are and whether the classes are spread evenly over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.folds.stratification import FoldAudit, Stratification, audit_folds
from reportgen.report.detail import in_full
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Plain, PValue, Strong
from reportgen.report.words.level import PERCENT
from reportgen.report.words.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

VERDICTS = {
    Stratification.STRATIFIED: (
        " They are stratified: in every fold every class has its share of the cases, give or take"
        " one case."
    ),
    Stratification.NOT_STRATIFIED: (
        " They are not stratified: in some fold a class misses its share of the cases by more than"
        " one case."
    ),
    Stratification.TOO_SMALL: (
        " They have too few cases for every class to have its share in every fold."
    ),
}
FOLDS_NAMED = 5


def fold_audit_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """Audit the folds of all classifiers whose cases are known."""
    audits = audit_folds(evaluation.predictions, evaluation.spec.folds.repeats)
    return tuple(
        block
        for number, audit in enumerate(audits, start=1)
        if len(audit.folds) > 1
        for block in _blocks(audit, number, alone=len(audits) == 1, whole=in_full(evaluation))
    )


def _blocks(audit: FoldAudit, number: int, *, alone: bool, whole: bool) -> Iterator[Block]:
    yield Paragraph(tuple(_sizes(audit, alone=alone)))
    if whole:
        yield _spread(audit, number)
    yield from _lacking(audit)


def _spread(audit: FoldAudit, number: int) -> Table:
    columns = (
        Column("Class"),
        Column("Share of all cases", numeric=True),
        Column("Smallest in a fold", numeric=True),
        Column("Largest in a fold", numeric=True),
        Column("Folds without it", numeric=True),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            spread.class_,
            Plain(PERCENT * spread.share, 1, "%"),
            Plain(PERCENT * spread.smallest, 1, "%"),
            Plain(PERCENT * spread.largest, 1, "%"),
            Count(len(spread.lacking)),
        )
        for spread in audit.classes
    )
    return Table(f"fold-classes-{number}", "Classes by fold", columns, (RowGroup(rows),))


def _sizes(audit: FoldAudit, *, alone: bool) -> Iterator[Part]:
    smallest, largest = min(audit.sizes), max(audit.sizes)
    yield "The "
    yield Count(len(audit.folds))
    yield " folds"
    if not alone:
        yield " of "
        yield from names_in_a_row(audit.classifiers)
    yield " have "
    if smallest != largest:
        yield Count(smallest)
        yield " to "
    yield Count(largest)
    yield " cases each."
    if not audit.equal_sizes:
        yield " They differ in size, but the mean over folds gives each the same weight."
    yield VERDICTS[audit.verdict]
    if audit.chi_square is None:
        return
    yield " Chi-square of fold by class is "
    yield Plain(audit.chi_square, 2)
    yield " with "
    yield Count(audit.df)
    yield " degrees of freedom" if audit.df > 1 else " degree of freedom"
    if audit.p is None:
        yield "; it has no p-value, because cases are in several folds."
        return
    yield " ("
    yield PValue(audit.p, named=True)
    yield "); a small p would mean that folds differ in their classes by more than chance."


def _lacking(audit: FoldAudit) -> Iterator[Note]:
    """Warn of classes that a fold has no case of: some measures are undefined there."""
    for spread in audit.classes:
        if spread.lacking:
            named = ", ".join(spread.lacking[:FOLDS_NAMED])
            more = ", …" if len(spread.lacking) > FOLDS_NAMED else ""
            word = "Fold" if len(spread.lacking) == 1 else "Folds"
            verb = "has" if len(spread.lacking) == 1 else "have"
            yield Note(
                (
                    f"{word} {named}{more} {verb} no case of class ",
                    Strong(spread.class_),
                    ", so that measures which need one are undefined there.",
                ),
                warning=True,
            )
