"""Cases that were predicted several times: differences that are normal to first order.

A repetition is no new case, so exchanging single predictions would claim too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.studentised import HALF, NOTHING, scale_of
from reportgen.comparisons.pairwise.tables import matrix_of
from reportgen.intervals.scales import onto, slope_at
from reportgen.intervals.slopes import COUNTS, slopes_of_classes, slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Matrix, Places

REPEATED = "normal, repeated cases"
FEWEST_DRAWS, MOST_DRAWS = 1_000, 20_000
MOST_NUMBERS = 20_000_000


@dataclass(frozen=True, slots=True)
class Kinds:
    """Kinds of cases: true class, answer, and how many there are."""

    truth: Places
    answer: Places
    counts: Numbers


def repeated_block(  # noqa: PLR0913  # whose answers, about what, how often repeated
    pair: tuple[str, str],
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
    *,
    weight: float,
) -> Block:
    """Test two classifiers on cases each predicted several times; `weight` is 1 / repetitions."""
    number = {label: place for place, label in enumerate(classes)}
    truth, one, other = (
        frame[name].replace_strict(number, return_dtype=pl.Int64).to_numpy()
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = frame["count"].to_numpy().astype(np.float64)
    (first, first_moves), (second, second_moves) = (
        _moves(matrix_of(frame, classes, name), classes, hypotheses, Kinds(truth, answer, counts))
        for name, answer in (("first_prediction", one), ("second_prediction", other))
    )
    found = _normal(first - second, first_moves - second_moves, counts / weight, draws)
    return Block(
        pair=pair,
        data="paired",
        test=REPEATED,
        cases=round(float(counts.sum()) * weight),
        hypotheses=tuple(hypotheses),
        **found,
    )


def _moves(
    matrix: Matrix, classes: Sequence[str], hypotheses: Sequence[Hypothesis], kinds: Kinds
) -> tuple[Numbers, Numbers]:
    """Return the measures on the scale of the test, and how each kind of case moves them."""
    with_half = {name: count + HALF for name, count in matrix.class_counts().items()}
    values, columns = [], []
    for hypothesis in hypotheses:
        measure = hypothesis.measure
        if hypothesis.label is None:
            whole = slopes_of_whole(measure, matrix)
            value, moved = whole.value, whole.at(kinds.truth, kinds.answer)
        else:
            label = classes.index(hypothesis.label)
            found, by_count = slopes_of_classes(
                measure, {name: count[label : label + 1] for name, count in with_half.items()}
            )
            value, moved = float(found[0]), _of_class(by_count, label, kinds)
        curve = scale_of(measure)
        values.append(float(onto(curve, value)))
        columns.append(moved * float(slope_at(curve, value)))
    cells = np.array(columns).T
    return np.array(values), cells - kinds.counts @ cells / kinds.counts.sum()


def _of_class(by_count: dict[str, Numbers], label: int, kinds: Kinds) -> Numbers:
    tp, fn, fp, tn = (float(by_count[name][0]) for name in COUNTS)
    is_class, says_class = kinds.truth == label, kinds.answer == label
    return np.where(is_class, np.where(says_class, tp, fn), np.where(says_class, fp, tn))


class _Normal(TypedDict):
    found: Numbers
    null: Numbers
    outcomes: Outcomes
    normal: bool


def _normal(difference: Numbers, moves: Numbers, counts: Numbers, draws: Draws) -> _Normal:
    """Return the statistics and draws that go together as the differences do."""
    variance = counts @ moves**2
    with np.errstate(all="ignore"):
        scaled = np.where(variance > NOTHING, moves / np.sqrt(variance), 0.0)
        found = np.where(variance > NOTHING, difference / np.sqrt(variance), 0.0)
    many = draws.fitting(len(counts), MOST_NUMBERS, FEWEST_DRAWS, MOST_DRAWS)
    drawn = draws.random().standard_normal((many, len(counts)))
    null = (drawn * np.sqrt(counts)) @ scaled
    return _Normal(found=found, null=null.T, outcomes=Outcomes.drawn(many), normal=True)
