"""Results of previous runs of a spec, as far as gates and drift need them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.predictions.load import Input
    from reportgen.spec import SpecFile


@dataclass(frozen=True, slots=True)
class PreviousInput:
    """An input file of a previous run; without a hash it was remote."""

    path: str
    sha256: str
    rows: int | None


@dataclass(frozen=True, slots=True)
class PreviousRun:
    """A previous run with a written report: end, data fingerprint, and results.

    `values` are those over all folds, by classifier, class, average and measure; `confusion` has
    the confusion matrices, in the order of `classes`.
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
    inputs: tuple[PreviousInput, ...] = ()
    """The input files; none for older runs, of which only the values are loaded."""
    failed_keys: frozenset[ValueKey] = frozenset()
    """The values in which a gate found it worse than an earlier run: it is no standard for them."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The confusion matrices of a previous run, in the order of its classes, for monitoring."""

    id: str
    ended: datetime
    data_fingerprint: str
    classes: tuple[str, ...]
    positive: str | None
    confusion: Mapping[str, tuple[tuple[int, ...], ...]]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The previous runs, the latest last; unreadable: nothing is known of them.

    `counts` are those of all runs, if the spec has an error rate for monitoring.
    """

    runs: tuple[PreviousRun, ...] = ()
    is_readable: bool = True
    counts: tuple[RunCounts, ...] = ()

    def with_intervals_at(self, level: float) -> RunHistory:
        """Return the history without intervals at other confidence levels."""
        return replace(
            self,
            runs=tuple(run if run.level == level else _without_intervals(run) for run in self.runs),
        )

    def on_other_data(self, current_fingerprint: str) -> tuple[PreviousRun, ...]:
        """Return one run per change of the data, without runs on the current data.

        Of several runs in a row on the same data the latest is returned.
        """
        runs: list[PreviousRun] = []
        for run in self.runs:
            if runs and run.data_fingerprint and runs[-1].data_fingerprint == run.data_fingerprint:
                runs.pop()
            runs.append(run)
        if runs and current_fingerprint and runs[-1].data_fingerprint == current_fingerprint:
            runs.pop()
        return tuple(runs)


def _without_intervals(run: PreviousRun) -> PreviousRun:
    scores = {
        key: replace(score, low=None, high=None, method=None) for key, score in run.values.items()
    }
    return replace(run, values=scores)


EMPTY_HISTORY = RunHistory()
UNREADABLE_HISTORY = RunHistory(is_readable=False)


# Keys that only name files.
PATH_FIELDS = {"predictions", "labels"}


def data_fingerprint(spec_file: SpecFile, inputs: Iterable[Input]) -> str:
    """Return a hash of the input data and of the settings that select from them.

    Empty where it is unknown: a remote file has no hash. File names do not count; columns, row
    filters, and counts and values in the spec do.
    """
    input_hashes = [[file.classifier, file.sha256] for file in inputs]
    if any(file_hash is None for _, file_hash in input_hashes):
        return ""
    spec = spec_file.spec
    settings = [
        spec.task.model_dump_json(),
        spec.data.model_dump_json(exclude=PATH_FIELDS),
        *(classifier.model_dump_json(exclude=PATH_FIELDS) for classifier in spec.classifiers),
        *(dataset.model_dump_json(exclude=PATH_FIELDS) for dataset in spec.datasets),
    ]
    return sha256(json.dumps([input_hashes, settings]).encode()).hexdigest()
