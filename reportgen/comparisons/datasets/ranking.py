"""Classifiers compared over several data sets, by ranks and by differences (Demšar 2006)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.comparisons.datasets.pairs import dataset_pairs, without_claims
from reportgen.frozen import frozen
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.scores import Score, State
from reportgen.statistics import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.comparisons.datasets.pairs import DatasetPair
    from reportgen.scores import Scores
    from reportgen.spec import Spec
    from reportgen.statistics.ranks import Friedman

# The measure that decides, unless the spec declares one.
USUAL = ("accuracy", "rmse")
# A measure of one class is averaged over the classes where there is no positive one.
AVERAGES: tuple[Literal["macro"] | None, ...] = (None, "macro")


@frozen
class DatasetScore:
    """The value of a measure for a classifier on one data set; `average` as in scores."""

    dataset: str
    classifier: str
    measure: str
    score: Score
    average: Literal["macro"] | None
    rank: float | None
    """None where the data set was left out, because some classifier has no finite value there."""


@frozen(kw_only=True)
class DatasetComparison:
    """What all data sets say of the classifiers in one measure."""

    measure: Measure
    decisive: bool
    """Whether claims rest on this measure; p-values are adjusted within a measure only."""
    classifiers: tuple[str, ...]
    """Those with a value on every data set, best average rank first."""
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    scores: tuple[DatasetScore, ...]
    average_ranks: Mapping[str, float]
    friedman: Friedman | None
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    """The largest groups that the critical difference does not tell apart."""
    pairs: tuple[DatasetPair, ...]
    baseline: str | None
    adjusted: bool
    """Whether p-values were adjusted for the number of pairs."""
    alpha: float
    level: float

    @property
    def averaged(self) -> tuple[str, ...]:
        """The data sets on which the measure is the macro average over the classes."""
        return tuple(
            dict.fromkeys(each.dataset for each in self.scores if each.average is not None)
        )

    @property
    def least_p(self) -> float:
        """The smallest adjusted p-value that so few data sets could give at all."""
        family = len(self.pairs) if self.adjusted else 1
        return min(1.0, family * 2.0 ** (1 - len(self.datasets)))


def compare_datasets(
    spec: Spec, shown: Sequence[Measure], measured: Mapping[str, Scores]
) -> tuple[DatasetComparison, ...]:
    """Compare the classifiers in every measure that at least two have on two data sets.

    `measured` has the scores of each data set whose predictions were read.
    """
    by_dataset = {name: scores.by_key() for name, scores in measured.items()}
    measures = _measures(spec, shown)
    found: list[DatasetComparison] = []
    for measure in measures:
        values = [
            value
            for dataset in spec.dataset_names
            for value in _values(spec, measure, dataset, by_dataset.get(dataset, {}))
        ]
        compared = _compare(spec, measure, values)
        if compared is not None:
            found.append(compared)
    declared = _declared(spec)
    if declared is None:
        return tuple(replace(each, decisive=number == 0) for number, each in enumerate(found))
    if not any(each.measure is declared for each in found):
        return tuple(replace(each, pairs=without_claims(each.pairs)) for each in found)
    return tuple(replace(each, decisive=each.measure is declared) for each in found)


def _declared(spec: Spec) -> Measure | None:
    return find_measure(spec.comparison.primary) if spec.comparison.primary else None


def _measures(spec: Spec, shown: Sequence[Measure]) -> list[Measure]:
    """Return the measures to compare, the one that decides first."""
    given = (find_measure(name) for each in spec.classifiers for name in each.dataset_scores or {})
    every = [
        measure
        for measure in dict.fromkeys([*shown, *given])
        if measure is not None and measure.orientation is not Orientation.NEITHER
    ]
    declared = _declared(spec)
    if declared is not None:
        return list(dict.fromkeys([declared, *every]))
    return sorted(every, key=lambda measure: measure.name not in USUAL)


def _values(
    spec: Spec,
    measure: Measure,
    dataset: str,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
) -> Iterable[DatasetScore]:
    for classifier in spec.classifiers:
        given = {
            find_measure(name): scores for name, scores in (classifier.dataset_scores or {}).items()
        }
        if measure in given:
            score = Score(given[measure][dataset], State.DEFINED)
            yield DatasetScore(dataset, classifier.name, measure.name, score, None, None)
            continue
        for average in AVERAGES:
            found = by_key.get((classifier.name, None, average, measure.name))
            if found is not None:
                yield DatasetScore(dataset, classifier.name, measure.name, found, average, None)
                break


def _compare(
    spec: Spec, measure: Measure, values: Sequence[DatasetScore]
) -> DatasetComparison | None:
    names = [each.name for each in spec.classifiers]
    has = {(value.dataset, value.classifier) for value in values}
    known = [name for name in names if all((set_, name) in has for set_ in spec.dataset_names)]
    finite = {
        (value.dataset, value.classifier): value.score.value
        for value in values
        if value.score.value is not None
    }
    used = [set_ for set_ in spec.dataset_names if all((set_, name) in finite for name in known)]
    if len(known) <= 1 or len(used) <= 1:
        return None
    matrix = np.array([[finite[set_, name] for name in known] for set_ in used], dtype=np.float64)
    ranked = ranks.ranks_in_rows(matrix, higher_is_better=measure.orientation is Orientation.HIGHER)
    average_ranks = dict(zip(known, ranked.mean(axis=0).tolist(), strict=True))
    order = sorted(known, key=average_ranks.__getitem__)
    rank_of = {
        (set_, name): float(ranked[row, column])
        for row, set_ in enumerate(used)
        for column, name in enumerate(known)
    }
    baseline = spec.comparison.baseline if spec.comparison.baseline in known else None
    critical = ranks.critical_difference(spec.comparison.alpha, len(known), len(used))
    groups = ranks.indistinct_groups([average_ranks[name] for name in order], critical)
    columns = {name: matrix[:, column] for column, name in enumerate(known)}
    return DatasetComparison(
        measure=measure,
        decisive=False,
        classifiers=tuple(order),
        datasets=tuple(used),
        left_out=tuple(set_ for set_ in spec.dataset_names if set_ not in used),
        scores=tuple(
            replace(value, rank=rank_of.get((value.dataset, value.classifier)))
            for value in values
            if value.classifier in known
        ),
        average_ranks={name: average_ranks[name] for name in order},
        friedman=ranks.friedman(ranked),
        critical_difference=critical,
        groups=tuple(tuple(order[index] for index in group) for group in groups),
        pairs=dataset_pairs(spec, measure, columns, average_ranks, order),
        baseline=baseline,
        adjusted=spec.comparison.correction != "none",
        alpha=spec.comparison.alpha,
        level=spec.intervals.level,
    )
