"""The likelihood relations of two classifiers: which confirms which class better (figure 1)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import is_better, is_tie
from reportgen.frozen import frozen
from reportgen.measures import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.scores import Score

UNDEFINED = "undefined"
RELATIONS = {
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


@frozen
class ConfirmationValues:
    """The likelihood ratios as the relations need them."""

    positive: float
    negative: float
    swapped: bool

    @property
    def pair(self) -> tuple[float, float]:
        """Return ρ+ and ρ−."""
        return self.positive, self.negative


@frozen
class LikelihoodRelation:
    """What the first classifier is to the second.

    `backed` is about the words on the first, `reverse_backed` about those on the second.
    `sides` says whether the first is better (1), equal (0) or worse (-1) in confirming positives
    and in confirming negatives; None when a likelihood ratio is undefined.
    """

    first: str
    second: str
    class_: str | None
    sides: tuple[int, int] | None
    swapped_ones: tuple[str, ...] = ()
    p_positive: float | None = None
    p_negative: float | None = None
    backed: bool | None = None
    reverse_backed: bool | None = None

    @property
    def swapped(self) -> bool:
        """Whether the likelihood ratios of one of them, being below 1, were swapped."""
        return bool(self.swapped_ones)

    @property
    def relation(self) -> str:
        """The relation of the first to the second in words."""
        return RELATIONS[self.sides] if self.sides is not None else UNDEFINED

    @property
    def reverse(self) -> str:
        """The relation of the second to the first in words."""
        if self.sides is None:
            return UNDEFINED
        positive, negative = self.sides
        return RELATIONS[-positive, -negative]


def confirmation_values(lr_positive: float, lr_negative: float) -> ConfirmationValues:
    """Swap the two ratios of a classifier whose positive answers speak against the class."""
    if lr_positive < 1:
        return ConfirmationValues(lr_negative, lr_positive, swapped=True)
    return ConfirmationValues(lr_positive, lr_negative, swapped=False)


def likelihood_relations(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    classifiers: Sequence[str],
    classes: Sequence[str | None],
) -> tuple[LikelihoodRelation, ...]:
    """Relate every pair of classifiers on every class."""
    return tuple(
        _relation(scores, first, second, class_)
        for class_ in classes
        for first, second in combinations(classifiers, 2)
    )


def _relation(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    first: str,
    second: str,
    class_: str | None,
) -> LikelihoodRelation:
    values = {}
    for name in (first, second):
        positive = scores[name, class_, None, "lr_positive"].number
        negative = scores[name, class_, None, "lr_negative"].number
        if positive is None or negative is None:
            return LikelihoodRelation(first, second, class_, None)
        values[name] = confirmation_values(positive, negative)
    swapped = tuple(name for name, found in values.items() if found.swapped)
    one, other = values[first], values[second]
    sides = (
        _side(one.positive, other.positive, Orientation.HIGHER),
        _side(one.negative, other.negative, Orientation.LOWER),
    )
    return LikelihoodRelation(first, second, class_, sides, swapped)


def _side(left: float, right: float, orientation: Orientation) -> int:
    if is_tie(left, right):
        return 0
    return 1 if is_better(left, right, orientation) else -1
