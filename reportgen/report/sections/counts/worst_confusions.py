"""Which classes were taken for which most often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.intervals.shares import share_limits
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Estimate, Plain, Strong
from reportgen.report.words.level import PERCENT, level_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

    Counts = npt.NDArray[np.int64]

MOST_DECIMALS = 9


@frozen
class Confusion:
    """A class taken for another."""

    true: int
    predicted: int


def worst_confusions(counts: Counts, most: int) -> tuple[Confusion, ...]:
    """Return the most frequent confusions of a matrix; equal counts by their share, then place."""
    true, predicted = np.nonzero(_wrong(counts))
    found = counts[true, predicted]
    # Of confusions as frequent, the one of the smaller class weighs more.
    order = np.lexsort((predicted, true, counts.sum(axis=1)[true], -found))[:most]
    pairs = zip(true[order].tolist(), predicted[order].tolist(), strict=True)
    return tuple(Confusion(one, other) for one, other in pairs)


def confusion_table(
    evaluation: Evaluation, matrices: Mapping[str, Counts], most: int
) -> tuple[Table, ...]:
    """Set the most frequent confusions of each classifier side by side, the commonest first."""
    union = _union(matrices, most)
    if not union:
        return ()
    classes = evaluation.predictions.classes
    cells = [list(_cells(evaluation, name, counts, union)) for name, counts in matrices.items()]
    rows = tuple(
        (_pair(classes, pair), *(cell for column in cells for cell in column[at]))
        for at, pair in enumerate(union)
    )
    columns = (
        Column("True class → taken for"),
        *(
            Column(head, numeric=True)
            for name in matrices
            for head in (f"{name}: cases", f"{name}: %")
        ),
    )
    each = "the classifier's" if len(matrices) == 1 else "each classifier's"
    note = (
        f"The rows are {each} most frequent confusions",
        ", the commonest over all of them first" if len(matrices) > 1 else "",
        ". The percentage is of all cases of the true class, with its ",
        level_of(evaluation),
        " interval. All counts are in results.json.",
    )
    caption = "The most frequent confusions"
    return (Table("worst-confusions", caption, columns, (RowGroup(rows),), Paragraph(note)),)


def worst_in_words(
    classes: Sequence[str], matrices: Mapping[str, Counts], most: int
) -> Iterator[Part]:
    """Say of each classifier, or of the first few, which confusion it makes most often."""
    for at, (name, counts) in enumerate(list(matrices.items())[:most]):
        yield " " if at else ""
        yield Strong(name)
        worst = worst_confusions(counts, 1)
        if not worst:
            yield " takes no case for one of another class."
            continue
        (pair,) = worst
        count, size = int(counts[pair.true, pair.predicted]), int(counts[pair.true].sum())
        yield " takes "
        yield Strong(classes[pair.true])
        yield " for "
        yield Strong(classes[pair.predicted])
        alike = int((_wrong(counts) == count).sum()) - 1
        yield " most often: " if not alike else ": "
        yield Count(count)
        yield " of "
        yield Count(size)
        yield " ("
        percent = PERCENT * count / size
        yield Plain(percent, _decimals(percent), "%")
        yield ")"
        yield _as_often(alike)


def _as_often(alike: int) -> str:
    if not alike:
        return "."
    others = "another confusion is" if alike == 1 else f"{alike} others are"
    return f", its largest count; {others} as frequent."


def _wrong(counts: Counts) -> Counts:
    """Return the counts without the diagonal."""
    wrong: Counts = counts - np.diag(np.diagonal(counts))
    return wrong


def _union(matrices: Mapping[str, Counts], most: int) -> list[Confusion]:
    """Return what is among the worst of any classifier, at most twice as many as asked for."""
    found = {pair for counts in matrices.values() for pair in worst_confusions(counts, most)}
    totals = {
        pair: sum(int(counts[pair.true, pair.predicted]) for counts in matrices.values())
        for pair in found
    }
    ordered = sorted(found, key=lambda pair: (-totals[pair], pair.true, pair.predicted))
    return ordered[: 2 * most]


def _cells(
    evaluation: Evaluation, name: str, counts: Counts, pairs: Sequence[Confusion]
) -> Iterator[tuple[Cell, Cell]]:
    true = np.array([pair.true for pair in pairs])
    found = counts[true, np.array([pair.predicted for pair in pairs])]
    sizes = counts.sum(axis=1)[true]
    weight = evaluation.predictions.weight_of(name)
    limits = share_limits(found * weight, sizes * weight, evaluation.spec.intervals)
    for count, size, low, high in zip(found, sizes, limits.low, limits.high, strict=True):
        if not size:
            yield Count(int(count)), Estimate(None)
            continue
        ends = (PERCENT * float(low), PERCENT * float(high))
        percent = PERCENT * float(count / size)
        yield Count(int(count)), Estimate(percent, *ends, decimals=_decimals(percent))


def _decimals(percent: float) -> int:
    """Return one decimal, or so many that what is not 0 or 100 is not written as 0 or 100."""
    if percent in {0, PERCENT}:
        return 1
    enough = (at for at in range(1, MOST_DECIMALS) if 0 < round(percent, at) < PERCENT)
    return next(enough, MOST_DECIMALS)


def _pair(classes: Sequence[str], pair: Confusion) -> str:
    return f"{classes[pair.true]} → {classes[pair.predicted]}"
