"""What McNemar's test could say if only confusion matrices are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference
from reportgen.frozen import frozen
from reportgen.statistics.mcnemar import PValueRange, mcnemar_range_by_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.tallies.confusion import ConfusionTally

RANGE = "mcnemar range"
SMALLEST_SAID = 0.0001


@frozen
class _RightAnswers:
    """How many cases of each true class two classifiers have right, of how many."""

    first: list[int]
    second: list[int]
    cases: list[int]

    def possible(self) -> PValueRange:
        """Return the range of p-values that the counts allow."""
        return mcnemar_range_by_class(self.first, self.second, self.cases)


def mcnemar_ranges(
    tally: ConfusionTally,
    pair_names: Sequence[tuple[str, str]],
    classes: Sequence[str | None],
    positive: str | None,
) -> tuple[Difference, ...]:
    """Say between which limits the p-value of a paired test would lie; class None: the positive.

    Pairs whose numbers of true cases differ have no rows: theirs cannot be the same cases.
    """
    rows: list[Difference] = []
    for first, second in pair_names:
        matrices = tally.matrix(first), tally.matrix(second)
        sizes = [sum(row) for row in matrices[0]]
        if sizes != [sum(row) for row in matrices[1]] or not sum(sizes):
            continue
        overall = _RightAnswers(_diagonal(matrices[0]), _diagonal(matrices[1]), sizes)
        rows.append(_row(first, second, None, "accuracy", overall))
        for class_ in classes:
            label = positive if class_ is None else class_
            if label is None:
                continue
            place = tally.classes.index(label)
            for measure, answers in _about_class(matrices, sizes, place).items():
                if sum(answers.cases):
                    rows.append(_row(first, second, class_, measure, answers))
    return tuple(rows)


def _diagonal(matrix: tuple[tuple[int, ...], ...]) -> list[int]:
    return [row[place] for place, row in enumerate(matrix)]


def _about_class(
    matrices: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]],
    sizes: list[int],
    place: int,
) -> dict[str, _RightAnswers]:
    """Count who says the class on its cases, and who does not on those of each other class."""
    others = [other for other in range(len(sizes)) if other != place]
    not_by_first, not_by_second = (
        [sizes[other] - matrix[other][place] for other in others] for matrix in matrices
    )
    return {
        "sensitivity": _RightAnswers(
            [matrices[0][place][place]], [matrices[1][place][place]], [sizes[place]]
        ),
        "specificity": _RightAnswers(
            not_by_first, not_by_second, [sizes[other] for other in others]
        ),
    }


def _row(
    first: str, second: str, class_: str | None, measure: str, answers: _RightAnswers
) -> Difference:
    return Difference(
        first=first,
        second=second,
        class_=class_,
        measure=measure,
        test=RANGE,
        data="unpaired",
        difference=(sum(answers.first) - sum(answers.second)) / sum(answers.cases),
        note=in_words(answers.possible()),
    )


def in_words(possible: PValueRange) -> str:
    """Say which p-values a paired test could have."""
    low, high = _said(possible.low), _said(possible.high)
    if low == high:
        return (
            f"paired, McNemar's exact p-value would be {low}, however often they are wrong together"
        )
    return (
        f"paired, McNemar's exact p-value would lie anywhere from {low} to {high}, depending on"
        " how often they are wrong together"
    )


def _said(p: float) -> str:
    return f"{p:.2g}" if p >= SMALLEST_SAID else f"below {SMALLEST_SAID}"
