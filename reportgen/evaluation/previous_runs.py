"""What earlier runs of a spec found, as far as a later one needs it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from reportgen.evaluation.values import MeasureValue
    from reportgen.predictions.load import Input
    from reportgen.spec import SpecFile


ValueKey = tuple[str, str | None, str | None, str]


@dataclass(frozen=True, slots=True)
class PreviousRun:
    """A run whose report was written: when it ended, on what data, and what was found.

    `scores` are those over all folds, by classifier, class, average and measure; `confusion` are
    the matrices of the classifiers, in the order of `classes`.
    """

    id: str
    ended: datetime
    version: str
    data_fingerprint: str
    published: bool
    classes: tuple[str, ...]
    values: Mapping[ValueKey, MeasureValue]
    confusion: Mapping[str, tuple[tuple[int, ...], ...]]
    level: float | None = None
    """The level of the intervals."""
    positive: str | None = None
    """The positive class of a binary task, if it is known."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """How many different cases each count of a matrix stands for; missing: it is not known."""
    failed_keys: frozenset[ValueKey] = frozenset()
    """The values in which a gate found it worse than an earlier run: it is no standard for them."""


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The runs before this one, the latest last; not readable: nothing is known of them."""

    runs: tuple[PreviousRun, ...] = ()
    is_readable: bool = True

    def with_intervals_at(self, level: float) -> RunHistory:
        """Return the same without intervals of another level: they say something else."""
        return replace(
            self,
            runs=tuple(run if run.level == level else _without_intervals(run) for run in self.runs),
        )

    def on_other_data(self, current_fingerprint: str) -> tuple[PreviousRun, ...]:
        """Return one run for each change of the data, without those that saw the data of now.

        The same data twice in a row tell nothing new: the latest run on them stands for both.
        """
        kept: list[PreviousRun] = []
        for run in self.runs:
            if kept and run.data_fingerprint and kept[-1].data_fingerprint == run.data_fingerprint:
                kept.pop()
            kept.append(run)
        if kept and current_fingerprint and kept[-1].data_fingerprint == current_fingerprint:
            kept.pop()
        return tuple(kept)


def _without_intervals(run: PreviousRun) -> PreviousRun:
    scores = {
        key: replace(score, low=None, high=None, method=None) for key, score in run.values.items()
    }
    return replace(run, values=scores)


EMPTY_HISTORY = RunHistory()
UNREADABLE_HISTORY = RunHistory(is_readable=False)


# By what the data of a run are recognised.

# What files are called.
PATH_FIELDS = {"predictions", "labels"}


def data_fingerprint(spec_file: SpecFile, inputs: Iterable[Input]) -> str:
    """Return a hash of what the classifiers were measured on, and of what was read of it.

    Empty where it cannot be known: a file elsewhere has no hash. Names of files do not count;
    columns, rows that are kept, and counts and scores that stand in the spec do.
    """
    read = [[file.classifier, file.sha256] for file in inputs]
    if any(hashed is None for _, hashed in read):
        return ""
    spec = spec_file.spec
    asked = [
        spec.task.model_dump_json(),
        spec.data.model_dump_json(exclude=PATH_FIELDS),
        *(each.model_dump_json(exclude=PATH_FIELDS) for each in spec.classifiers),
        *(each.model_dump_json(exclude=PATH_FIELDS) for each in spec.datasets),
    ]
    return sha256(json.dumps([read, asked]).encode()).hexdigest()
