"""Cases that were predicted several times: differences that are normal to first order.

A repetition is no new case, so exchanging single predictions would claim too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.many_tables import HALF
from reportgen.comparisons.pairwise.step_down import Null
from reportgen.comparisons.pairwise.studentised import NOTHING, scale_of
from reportgen.comparisons.pairwise.tables import matrix_of, places_of
from reportgen.frozen import frozen
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


@frozen
class Kinds:
    """Kinds of cases: true class, answer, and how many there are."""

    truth: Places
    answer: Places
    counts: Numbers


@frozen
class Moves:
    """Measures on the scale of the test, and what moves them.

    A row of `by_kind` is a kind of case, a row of `by_half` one of the halves that were added.
    """

    values: Numbers
    by_kind: Numbers
    by_half: Numbers


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
    # In cases, not in predictions: half a case is added where a count may be 0.
    counted = frame.with_columns(pl.col("count") * weight)
    truth, one, other = (
        places_of(counted[name], classes)
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = counted["count"].to_numpy()
    first, second = (
        _moves(matrix_of(counted, classes, name), classes, hypotheses, Kinds(truth, answer, counts))
        for name, answer in (("first_prediction", one), ("second_prediction", other))
    )
    halves = np.full(2 * len(first.by_half), HALF)
    found = _normal(
        first.values - second.values,
        np.vstack([first.by_kind - second.by_kind, first.by_half, -second.by_half]),
        np.concatenate([counts, halves]),
        draws,
    )
    return Block(
        pair=pair,
        data="paired",
        test=REPEATED,
        cases=round(float(counts.sum())),
        hypotheses=tuple(hypotheses),
        **found,
    )


def _moves(
    matrix: Matrix, classes: Sequence[str], hypotheses: Sequence[Hypothesis], kinds: Kinds
) -> Moves:
    """Return how each kind of case moves the measures, and each half that was added.

    The halves vary too: else a count of 0 would be sure.
    """
    with_half = {name: count + HALF for name, count in matrix.class_counts.items()}
    values, by_kind, by_half = [], [], []
    for hypothesis in hypotheses:
        measure, halves = hypothesis.measure, np.zeros((len(classes), len(COUNTS)))
        if hypothesis.label is None:
            whole = slopes_of_whole(measure, matrix)
            value, moved = whole.value, whole.at(kinds.truth, kinds.answer)
        else:
            label = classes.index(hypothesis.label)
            found, by_count = slopes_of_classes(
                measure, {name: count[label : label + 1] for name, count in with_half.items()}
            )
            value, moved = float(found[0]), _of_class(by_count, label, kinds)
            halves[label] = [float(by_count[name][0]) for name in COUNTS]
        curve = scale_of(measure)
        slope = float(slope_at(curve, value))
        values.append(float(onto(curve, value)))
        by_kind.append(moved * slope)
        by_half.append(halves.ravel() * slope)
    cells = np.array(by_kind).T
    centred = cells - kinds.counts @ cells / kinds.counts.sum()
    return Moves(np.array(values), centred, np.array(by_half).T)


def _of_class(by_count: dict[str, Numbers], label: int, kinds: Kinds) -> Numbers:
    tp, fn, fp, tn = (float(by_count[name][0]) for name in COUNTS)
    is_class, says_class = kinds.truth == label, kinds.answer == label
    return np.where(is_class, np.where(says_class, tp, fn), np.where(says_class, fp, tn))


class _Normal(TypedDict):
    found: Numbers
    nulls: tuple[Null, ...]
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
    return _Normal(
        found=found, nulls=(Null.of(null.T),), outcomes=Outcomes.drawn(many), normal=True
    )
