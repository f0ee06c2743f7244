"""The answers of two classifiers in many tables at once, and how else they might be split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.statistics.paired_table import Answers, PairedTable

HALF = 0.5


@frozen
class Splits:
    """How often, of the cases where two classifiers differ, it was the first who said the class.

    `hits` are among the cases of the class, `alarms` among the others.
    """

    hits: Numbers
    alarms: Numbers


@frozen
class ManyAnswers:
    """How often both, only one, or neither of two classifiers said yes, table by table."""

    both: Numbers
    first_only: Numbers
    second_only: Numbers
    neither: Numbers

    @classmethod
    def of(cls, answers: Sequence[Answers]) -> ManyAnswers:
        """Put the answers of single tables side by side."""
        counts = [(one.both, one.first_only, one.second_only, one.neither) for one in answers]
        return cls(*np.array(counts, dtype=np.float64).T)

    @property
    def first(self) -> Numbers:
        """How often the first said yes."""
        return self.both + self.first_only

    @property
    def second(self) -> Numbers:
        """How often the second said yes."""
        return self.both + self.second_only

    @property
    def total(self) -> Numbers:
        """How many cases there are."""
        return self.both + self.first_only + self.second_only + self.neither

    def split(self, first_only: Numbers, times: Sequence[int]) -> ManyAnswers:
        """Repeat each table so many times, with other splits of the cases that differ."""
        differ = np.repeat(self.first_only + self.second_only, times)
        both, neither = np.repeat(self.both, times), np.repeat(self.neither, times)
        return ManyAnswers(both, first_only, differ - first_only, neither)


@dataclass(frozen=True)
class ManyTables:
    """The answers about cases of the class (positives) and all others, table by table."""

    positives: ManyAnswers
    negatives: ManyAnswers

    @classmethod
    def of(cls, tables: Sequence[PairedTable]) -> ManyTables:
        """Put single tables side by side."""
        return cls(
            ManyAnswers.of([table.positives for table in tables]),
            ManyAnswers.of([table.negatives for table in tables]),
        )

    @cached_property
    def cases(self) -> Numbers:
        """How many cases there are."""
        return self.positives.total + self.negatives.total

    @cached_property
    def first_counts(self) -> dict[str, Numbers]:
        """What measures of the first classifier are formulas of, with a half added."""
        return self._counts(self.positives.first, self.negatives.first)

    @cached_property
    def second_counts(self) -> dict[str, Numbers]:
        """What measures of the second classifier are formulas of, with a half added."""
        return self._counts(self.positives.second, self.negatives.second)

    def _counts(self, hits: Numbers, alarms: Numbers) -> dict[str, Numbers]:
        """Add a half to every count, so that ratios stay finite when a count is 0."""
        return {
            "tp": hits + HALF,
            "fn": self.positives.total - hits + HALF,
            "fp": alarms + HALF,
            "tn": self.negatives.total - alarms + HALF,
        }

    def split(self, splits: Splits, times: Sequence[int]) -> ManyTables:
        """Repeat each table so many times, with other splits of the cases that differ."""
        return ManyTables(
            self.positives.split(splits.hits, times), self.negatives.split(splits.alarms, times)
        )
