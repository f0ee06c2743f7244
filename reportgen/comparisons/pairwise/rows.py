"""The differences that a pair of classifiers was tested for, as rows with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.difference import Difference
from reportgen.comparisons.pairwise.limits import SHARES, combined_limits, right_on, share_limits
from reportgen.comparisons.pairwise.many_tables import ManyTables
from reportgen.comparisons.pairwise.studentised import correlations
from reportgen.comparisons.pairwise.tables import matrix_of, paired_tables, places_of, right_answers
from reportgen.comparisons.verdicts.ranking import is_tie
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from reportgen.comparisons.pairwise.block import Block, Hypothesis
    from reportgen.comparisons.pairwise.step_down import StepDown
    from reportgen.comparisons.pairwise.testing import Compared
    from reportgen.intervals.matrix import Matrix
    from reportgen.measures import Measure
    from reportgen.scores import Score
    from reportgen.statistics.paired_table import PairedTable
    from reportgen.statistics.proportions import Limits

ANSWERS = ("first_prediction", "second_prediction")
INFINITE = "a value is infinite, so the difference is no number; the test adds ½ to every count"

TOO_FEW = (
    "a value stands on so few cases that the test, which adds ½ to every count, sees the other"
    " one ahead"
)


def rows_of(
    compared: Compared, block: Block, p_values: StepDown, level: float
) -> Iterator[Difference]:
    """Return a row for every hypothesis of a block, not yet adjusted over the family."""
    cases = _Cases(compared, _joined(compared, block.pair), level)
    for place, hypothesis in enumerate(block.hypotheses):
        first, second = (compared.score(name, hypothesis) for name in block.pair)
        if first is None or second is None:
            raise LookupError(hypothesis.measure.name)
        limits = cases.limits(hypothesis, first, second)
        difference = _less(first, second)
        statistic = float(block.found[place])
        seen_alike = _agree(first, second, statistic)
        yield Difference(
            first=block.pair[0],
            second=block.pair[1],
            measure=hypothesis.measure.name,
            test=block.test,
            data=block.data,
            class_=compared.reported(hypothesis.label),
            difference=difference,
            low=limits.low if limits else None,
            high=limits.high if limits else None,
            statistic=statistic,
            p=float(p_values.raw[place]) if seen_alike else None,
            decisive=True,
            note=TOO_FEW if not seen_alike else INFINITE if difference is None else None,
        )


def _joined(compared: Compared, pair: tuple[str, str]) -> pl.DataFrame | None:
    pairs = compared.pairs
    return pairs.of(*pair) if pairs is not None and pairs.has(*pair) else None


def _agree(first: Score, second: Score, statistic: float) -> bool:
    """Tell whether the test, which adds ½ to every count, sees the same one ahead as the values."""
    one, other = first.number or 0.0, second.number or 0.0
    return is_tie(one, other) or not statistic or (one > other) == (statistic > 0)


def _less(first: Score, second: Score) -> float | None:
    if first.value is None or second.value is None:
        return None
    return first.value - second.value


@dataclass(frozen=True)
class _Cases:
    """The joined cases of a pair."""

    compared: Compared
    frame: pl.DataFrame | None
    level: float

    @cached_property
    def tables(self) -> dict[str, PairedTable]:
        """The answers about every class."""
        return {} if self.frame is None else paired_tables(self.frame, self.compared.classes)

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """The confusion matrices, by the column of the answers."""
        if self.frame is None:
            return {}
        return {name: matrix_of(self.frame, self.compared.classes, name) for name in ANSWERS}

    @cached_property
    def correlations(self) -> dict[str, dict[str, float]]:
        """How far the two values of a measure vary together, by measure and class."""
        tables = ManyTables.of(list(self.tables.values()))
        return {
            measure.name: dict(
                zip(self.tables, correlations(measure, tables).tolist(), strict=True)
            )
            for measure in self.compared.measures
            if measure.name not in SHARES
        }

    def limits(self, hypothesis: Hypothesis, first: Score, second: Score) -> Limits | None:
        """Return the interval of a difference."""
        frame, measure, label = self.frame, hypothesis.measure, hypothesis.label
        if frame is None:
            return combined_limits(first, second, None)
        weight = self.compared.pairs.weight if self.compared.pairs else 1.0
        if label is None:
            if measure.name in SHARES:
                return share_limits(measure.name, right_answers(frame), self.level, weight)
            return combined_limits(first, second, self._together(measure, frame))
        table = self.tables[label]
        if measure.name in SHARES:
            return share_limits(measure.name, right_on(measure.name, table), self.level, weight)
        return combined_limits(first, second, self.correlations[measure.name][label])

    def _together(self, measure: Measure, frame: pl.DataFrame) -> float:
        """Return how far the values of a whole matrix vary together."""
        classes = self.compared.classes
        counts = frame["count"].to_numpy()
        truth = places_of(frame["truth"], classes)
        moved = []
        for name, matrix in self.matrices.items():
            at = slopes_of_whole(measure, matrix).at(truth, places_of(frame[name], classes))
            moved.append(at - counts @ at / counts.sum())
        spread = float(np.sqrt((counts @ moved[0] ** 2) * (counts @ moved[1] ** 2)))
        return float(counts @ (moved[0] * moved[1])) / spread if spread else 0.0
