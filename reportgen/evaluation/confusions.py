"""How often classes are confused: counts and proportions of the true class, with limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import proportion_confint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.spec import IntervalSettings, Spec

    IndexArray = npt.NDArray[np.int64]

# Up to so many classes every cell of the matrix is listed.
MAX_CLASSES_LISTED = 8
# Of more classes so many confusions of each classifier are listed, and of very many more of them.
MAX_CONFUSIONS, MAX_CONFUSIONS_OF_MANY_CLASSES, MANY_CLASSES = 10, 30, 50


@dataclass(frozen=True, slots=True)
class ClassConfusion:
    """A cell of a confusion matrix: cases of a class that were predicted as a class.

    `proportion` is that of the cases of the true class, None where there are none, with limits.
    `rank` is the place among the most frequent confusions of the classifier, 1 being the most
    frequent; None: not one of the most frequent, or a correct prediction.
    """

    classifier: str
    truth: str
    prediction: str
    count: int
    cases: int
    proportion: float | None
    low: float | None
    high: float | None
    rank: int | None
    ties: int
    """How many other confusions of the classifier have the same count."""


def compute_confusions(
    aggregates: Aggregates, spec: Spec, classifiers: Sequence[str]
) -> tuple[ClassConfusion, ...]:
    """Return all cells of small matrices; of larger ones what any classifier confuses most."""
    confusion = aggregates.confusion
    if confusion is None:
        return ()
    size = len(confusion.classes)
    limit = max_confusions(size)
    cells = {name: confusion.cells(name) for name in classifiers}
    top_confusions = {
        name: most_frequent_confusions(*counts, limit=limit) for name, counts in cells.items()
    }
    if size <= MAX_CLASSES_LISTED:
        pairs = [(true, predicted) for true in range(size) for predicted in range(size)]
    else:
        pairs = sorted({pair for confusions in top_confusions.values() for pair in confusions})
    if not pairs:
        return ()
    return tuple(
        row
        for name in classifiers
        for row in _confusion_rows(
            confusion,
            name,
            pairs,
            top_confusions[name],
            spec.intervals,
            aggregates.case_weight(name),
        )
    )


def max_confusions(n_classes: int) -> int:
    """Return how many of the most frequent confusions of a classifier are ranked."""
    return MAX_CONFUSIONS_OF_MANY_CLASSES if n_classes > MANY_CLASSES else MAX_CONFUSIONS


def most_frequent_confusions(
    truth: IndexArray, prediction: IndexArray, counts: IndexArray, *, limit: int
) -> list[tuple[int, int]]:
    """Return the most frequent confusions as indices of true and predicted class.

    Of equal counts that of the smaller class comes first, then by the order of the classes.
    """
    class_cases = np.bincount(truth, counts)
    wrong = (truth != prediction) & (counts > 0)
    true, predicted, number = truth[wrong], prediction[wrong], counts[wrong]
    order = np.lexsort((predicted, true, class_cases[true], -number))[:limit]
    return list(zip(true[order].tolist(), predicted[order].tolist(), strict=True))


def _confusion_rows(  # noqa: PLR0913, PLR0917  # the cells, and what limits need
    confusion: ConfusionCounts,
    classifier: str,
    pairs: Sequence[tuple[int, int]],
    top_pairs: Sequence[tuple[int, int]],
    intervals: IntervalSettings,
    weight: float,
) -> Iterator[ClassConfusion]:
    """Yield some cells of a matrix; repeated predictions of a case count as one in the limits."""
    truth, prediction, counts = confusion.cells(classifier)
    size = len(confusion.classes)
    dense = np.zeros((size, size), np.int64)
    dense[truth, prediction] = counts
    frequencies = Counter(counts[truth != prediction].tolist())
    true, predicted = np.array(pairs).T
    number, cases = dense[true, predicted], dense.sum(axis=1)[true]
    limits = proportion_confint(number * weight, cases * weight, intervals)
    places = {pair: place for place, pair in enumerate(top_pairs, start=1)}
    for pair, count, total, low, high in zip(
        pairs,
        number.tolist(),
        cases.tolist(),
        limits.low.tolist(),
        limits.high.tolist(),
        strict=True,
    ):
        yield ClassConfusion(
            classifier,
            confusion.classes[pair[0]],
            confusion.classes[pair[1]],
            count,
            total,
            proportion=count / total if total else None,
            low=low if total else None,
            high=high if total else None,
            rank=places.get(pair),
            ties=frequencies[count] - 1 if pair[0] != pair[1] and count else 0,
        )


# With fewer cases of a class its intervals are wide, and those of averages may be too narrow.
MIN_CLASS_CASES = 10
_MAX_CLASSES_NAMED = 5


def small_class_warnings(aggregates: Aggregates, classifiers: Sequence[str]) -> tuple[str, ...]:
    """Return a warning that names the classes with few cases, if there are any."""
    confusion = aggregates.confusion
    if confusion is None or not classifiers:
        return ()
    small_classes: dict[str, int] = {}
    for name in classifiers:
        weight = aggregates.case_weight(name)
        for class_, row in zip(confusion.classes, confusion.matrix(name), strict=True):
            cases = round(sum(row) * weight)
            if 0 < cases < MIN_CLASS_CASES:
                small_classes[class_] = min(cases, small_classes.get(class_, cases))
    if not small_classes:
        return ()
    class_list = ", ".join(
        f"`{class_}` ({small_classes[class_]})"
        for class_ in list(small_classes)[:_MAX_CLASSES_NAMED]
    )
    more = len(small_classes) - _MAX_CLASSES_NAMED
    return (
        f"fewer than {MIN_CLASS_CASES} cases of {class_list}"
        + (f" and {more} more classes" if more > 0 else "")
        + ": values of such a class are imprecise, and intervals that involve it may be too"
        " narrow",
    )
