"""Accuracy against the majority-class baseline, which always predicts the largest class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.statistics.chance import KappaTest, exceeds_rate_p_value, kappa_null_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.values import MeasureValue, ValueKey


@dataclass(frozen=True, slots=True)
class MajorityComparison:
    """Where the confidence interval of a classifier's accuracy lies to the baseline's accuracy.

    `p` is that of the one-sided exact binomial test that accuracy exceeds the baseline's, the
    no-information rate; `kappa` tests whether agreement exceeds chance.
    """

    classifier: str
    value: MeasureValue
    position: Literal["above", "below", "containing"]
    p: float
    kappa: KappaTest | None


@dataclass(frozen=True, slots=True)
class MajorityBaseline:
    """The largest class, its proportion of the cases, and how accuracies compare with it.

    The proportion is no estimate: it is the accuracy of the baseline on these very cases.
    """

    class_: str
    proportion: float
    comparisons: tuple[MajorityComparison, ...]


def compare_with_majority_class(
    aggregates: Aggregates,
    by_key: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
) -> MajorityBaseline | None:
    """Compare the confidence intervals of accuracy with the proportion of the largest class.

    None where classifiers were measured on different cases, where all cases are of one class, or
    where no accuracy has an interval.
    """
    if aggregates.confusion is None:
        return None
    margins = aggregates.confusion.margins.filter(pl.col("fold").is_null())
    class_totals = margins.group_by("classifier", maintain_order=True).agg("true")
    sizes = {tuple(sizes) for name, sizes in class_totals.rows() if name in classifiers}
    if len(sizes) != 1:
        return None
    (counts,) = sizes
    if not sum(counts) or max(counts) == sum(counts):
        return None
    proportion = max(counts) / sum(counts)
    comparisons: list[MajorityComparison] = []
    for name in classifiers:
        value = by_key.get((name, None, None, "accuracy"))
        if value is None or value.low is None or value.high is None:
            continue
        position: Literal["above", "below", "containing"] = "containing"
        if value.low > proportion:
            position = "above"
        elif value.high < proportion:
            position = "below"
        matrix = aggregates.confusion.matrix(name)
        weight = aggregates.case_weight(name)
        correct = sum(row[place] for place, row in enumerate(matrix)) * weight
        p = exceeds_rate_p_value(correct, sum(counts) * weight, proportion)
        comparisons.append(
            MajorityComparison(name, value, position, p, kappa_null_test(matrix, weight))
        )
    if not comparisons:
        return None
    class_ = aggregates.confusion.classes[counts.index(max(counts))]
    return MajorityBaseline(class_, proportion, tuple(comparisons))
