"""What earlier runs of a spec found, as far as a later one needs it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from reportgen.scores import Score

ScoreKey = tuple[str, str | None, str | None, str]


@frozen
class PastRun:
    """A run whose report was written: when it ended, on what data, and what was found.

    `scores` are those over all folds, by classifier, class, average and measure; `confusion` are
    the matrices of the classifiers, in the order of `classes`.
    """

    id: str
    ended: datetime
    version: str
    data: str
    published: bool
    classes: tuple[str, ...]
    scores: Mapping[ScoreKey, Score]
    confusion: Mapping[str, tuple[tuple[int, ...], ...]]
    level: float | None = None
    """The level of the intervals."""
    positive: str | None = None
    """The positive class of a binary task, if it is known."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """How many different cases each count of a matrix stands for; missing: it is not known."""
    failed: frozenset[ScoreKey] = frozenset()
    """The values in which a gate found it worse than an earlier run: it is no standard for them."""


@frozen
class Past:
    """The runs before this one, the latest last; not readable: nothing is known of them."""

    runs: tuple[PastRun, ...] = ()
    is_readable: bool = True

    def at_level(self, level: float) -> Past:
        """Return the same without intervals of another level: they say something else."""
        return replace(
            self,
            runs=tuple(run if run.level == level else _without_intervals(run) for run in self.runs),
        )

    def on_other_data(self, data: str) -> tuple[PastRun, ...]:
        """Return one run for each change of the data, without those that saw the data of now.

        The same data twice in a row tell nothing new: the latest run on them stands for both.
        """
        kept: list[PastRun] = []
        for run in self.runs:
            if kept and run.data and kept[-1].data == run.data:
                kept.pop()
            kept.append(run)
        if kept and data and kept[-1].data == data:
            kept.pop()
        return tuple(kept)


def _without_intervals(run: PastRun) -> PastRun:
    scores = {
        key: replace(score, low=None, high=None, interval=None) for key, score in run.scores.items()
    }
    return replace(run, scores=scores)


NO_PAST = Past()
UNKNOWN_PAST = Past(is_readable=False)
