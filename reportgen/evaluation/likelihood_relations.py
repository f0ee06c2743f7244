"""Relations of two classifiers by their likelihood ratios (Sokolova et al. 2006, table 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.significance import Contrast, is_significant
from reportgen.measures import Orientation
from reportgen.measures.ordering import is_better, is_close

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.significance import ComparisonIndex
    from reportgen.evaluation.values import MeasureValue, ValueKey

UNDEFINED_RELATION = "undefined"
LIKELIHOOD_RELATIONS = {
    (1, 1): "superior overall",
    (-1, 1): "superior for confirmation of negatives",
    (0, 1): "superior for confirmation of negatives",
    (1, -1): "superior for confirmation of positives",
    (1, 0): "superior for confirmation of positives",
    (-1, -1): "inferior overall",
    (-1, 0): "inferior for confirmation of positives",
    (0, -1): "inferior for confirmation of negatives",
    (0, 0): "tied",
}


# The sides on which each relation claims a difference.
RELATION_CONTRASTS = {
    (1, 1): (True, True),
    (-1, -1): (True, True),
    (1, -1): (True, False),
    (1, 0): (True, False),
    (-1, 0): (True, False),
    (-1, 1): (False, True),
    (0, 1): (False, True),
    (0, -1): (False, True),
}


@dataclass(frozen=True, slots=True)
class OrientedLikelihoodRatios:
    """Likelihood ratios oriented as the relations need them: LR+ ≥ 1."""

    positive: float
    negative: float
    swapped: bool

    @property
    def pair(self) -> tuple[float, float]:
        """Return LR+ and LR−."""
        return self.positive, self.negative


@dataclass(frozen=True, slots=True)
class LikelihoodRelation:
    """The likelihood-ratio relation of the first classifier to the second.

    `significant` refers to the relation of the first to the second, `reverse_significant` to the
    reverse. `sides` says whether the first is better (1), equal (0) or worse (−1) on LR+ and on
    LR−; None where a likelihood ratio is undefined.
    """

    first: str
    second: str
    class_: str | None
    sides: tuple[int, int] | None
    swapped_classifiers: tuple[str, ...] = ()
    p_positive: float | None = None
    p_negative: float | None = None
    significant: bool | None = None
    reverse_significant: bool | None = None

    @property
    def swapped(self) -> bool:
        """Whether the likelihood ratios of either classifier, with LR+ below 1, were swapped."""
        return bool(self.swapped_classifiers)

    @property
    def relation(self) -> str:
        """The relation of the first to the second in the words of the paper."""
        return LIKELIHOOD_RELATIONS[self.sides] if self.sides is not None else UNDEFINED_RELATION

    @property
    def reverse_relation(self) -> str:
        """The relation of the second to the first in the words of the paper."""
        if self.sides is None:
            return UNDEFINED_RELATION
        positive, negative = self.sides
        return LIKELIHOOD_RELATIONS[-positive, -negative]


def orient_likelihood_ratios(lr_positive: float, lr_negative: float) -> OrientedLikelihoodRatios:
    """Swap the ratios of a classifier whose positive predictions lower the odds (LR+ < 1)."""
    if lr_positive < 1:
        return OrientedLikelihoodRatios(lr_negative, lr_positive, swapped=True)
    return OrientedLikelihoodRatios(lr_positive, lr_negative, swapped=False)


def relate_by_likelihood_ratios(
    values: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
    classes: Sequence[str | None],
) -> tuple[LikelihoodRelation, ...]:
    """Relate every pair of classifiers for every class."""
    return tuple(
        _relate_pair(values, first, second, class_)
        for class_ in classes
        for first, second in combinations(classifiers, 2)
    )


def _relate_pair(
    measure_values: Mapping[ValueKey, MeasureValue],
    first: str,
    second: str,
    class_: str | None,
) -> LikelihoodRelation:
    values = {}
    for name in (first, second):
        positive = measure_values[name, class_, None, "lr_positive"].number
        negative = measure_values[name, class_, None, "lr_negative"].number
        if positive is None or negative is None:
            return LikelihoodRelation(first, second, class_, None)
        values[name] = orient_likelihood_ratios(positive, negative)
    swapped = tuple(name for name, ratios in values.items() if ratios.swapped)
    one, other = values[first], values[second]
    sides = (
        _compare_ratio(one.positive, other.positive, Orientation.HIGHER),
        _compare_ratio(one.negative, other.negative, Orientation.LOWER),
    )
    return LikelihoodRelation(first, second, class_, sides, swapped)


def _compare_ratio(left: float, right: float, orientation: Orientation) -> int:
    if is_close(left, right):
        return 0
    return 1 if is_better(left, right, orientation) else -1


def add_relation_significance(
    relations: Sequence[LikelihoodRelation], comparison_index: ComparisonIndex
) -> tuple[LikelihoodRelation, ...]:
    """Add to every likelihood-ratio relation its p-values and whether they confirm it."""
    return tuple(_add_significance(relation, comparison_index) for relation in relations)


def _add_significance(
    relation: LikelihoodRelation, comparison_index: ComparisonIndex
) -> LikelihoodRelation:
    if relation.swapped or relation.sides is None:
        return relation
    positive, negative = (
        comparison_index.find_test(relation.first, relation.second, relation.class_, measure)
        for measure in ("lr_positive", "lr_negative")
    )
    contrasts = [
        Contrast(Decision.SUPERIOR if side > 0 else Decision.INFERIOR, test)
        for side, test in zip(relation.sides, (positive, negative), strict=True)
    ]
    on_positive, on_negative = relation.sides
    return replace(
        relation,
        p_positive=positive.p_adjusted if positive else None,
        p_negative=negative.p_adjusted if negative else None,
        significant=is_significant(_relation_contrasts((on_positive, on_negative), contrasts)),
        reverse_significant=is_significant(
            _relation_contrasts((-on_positive, -on_negative), contrasts)
        ),
    )


def _relation_contrasts(sides: tuple[int, int], contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Return the contrasts on the sides that a relation refers to."""
    sides_in_relation = RELATION_CONTRASTS.get(sides, (False, False))
    return [
        contrast
        for contrast, is_selected in zip(contrasts, sides_in_relation, strict=True)
        if is_selected
    ]
