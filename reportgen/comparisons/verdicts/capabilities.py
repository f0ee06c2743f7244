"""The capability tables: who is able to do what, in the words of tables 4 and 6."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, assert_never

from reportgen.comparisons.verdicts.ranking import is_better, is_tie, place_in_words, places
from reportgen.comparisons.verdicts.relations import confirmation_values
from reportgen.frozen import frozen
from reportgen.measures import (
    CAPABILITIES,
    Capability,
    OneMeasure,
    Orientation,
    Scale,
    TwoSides,
    known_measure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.scores import Score

UNDEFINED = "undefined"
NOT_COMPARED = "not compared"
TIED = "tied"


@frozen
class Cell:
    """A verdict by the values found, and the measures it rests on.

    `backed`: whether the evidence supports it (None: there is nothing to claim, or no test).
    """

    verdict: str
    rank: int | None
    of: int
    rests_on: tuple[str, ...] = ()
    backed: bool | None = None
    p_adjusted: float | None = None


# The verdict on the only one that has a value.
ALONE = Cell(NOT_COMPARED, 1, 1)
JUDGED_BY = dict.fromkeys(name for each in CAPABILITIES.values() for name in each.measures)


@frozen
class CapabilityRow:
    """What one classifier is able to do, about one class or (None) the positive one."""

    classifier: str
    class_: str | None
    cells: Mapping[str, Cell]


def capability_rows(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    classifiers: Sequence[str],
    classes: Sequence[str | None],
) -> tuple[CapabilityRow, ...]:
    """Judge every classifier on every class by every capability."""
    rows = []
    for class_ in classes:
        values = {name: _numbers(scores, classifiers, class_, name) for name in JUDGED_BY}
        judged = {
            name: _judge(capability, values, classifiers)
            for name, capability in CAPABILITIES.items()
        }
        rows += [
            CapabilityRow(
                classifier, class_, {name: cells[classifier] for name, cells in judged.items()}
            )
            for classifier in classifiers
        ]
    return tuple(rows)


def _numbers(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    classifiers: Sequence[str],
    class_: str | None,
    measure: str,
) -> dict[str, float]:
    """Return the values by classifier, without the undefined ones."""
    return {
        classifier: number
        for classifier in classifiers
        if (number := scores[classifier, class_, None, measure].number) is not None
    }


def _judge(
    capability: Capability, values: Mapping[str, dict[str, float]], classifiers: Sequence[str]
) -> dict[str, Cell]:
    match capability.judgement:
        case OneMeasure(measure):
            judged = _one_measure(measure, values[measure])
        case TwoSides() as sides:
            judged = _two_sides(sides, values)
        case Scale(measure=measure) as scale:
            found = values[measure]
            ranks = places(found, known_measure(measure).orientation)
            judged = {
                name: Cell(grade(scale, value), ranks[name], len(found), (measure,))
                for name, value in found.items()
            }
        case _:
            assert_never(capability.judgement)
    if len(judged) < len(classifiers):
        undefined = Cell(UNDEFINED, None, len(judged))
        return {name: judged.get(name, undefined) for name in classifiers}
    return judged


def grade(scale: Scale, value: float) -> str:
    """Return the word of the scale for a value."""
    return next((word for limit, word in scale.steps if value < limit), scale.beyond)


def _one_measure(measure: str, values: Mapping[str, float]) -> dict[str, Cell]:
    if len(values) == 1:
        return dict.fromkeys(values, ALONE)
    ranks, of = places(values, known_measure(measure).orientation), len(values)
    words = {"best": "superior", "worst": "inferior"}
    return {
        name: Cell(
            words.get(standing, standing),
            ranks[name],
            of,
            () if standing == TIED else (measure,),
        )
        for name, standing in _standings(ranks).items()
    }


def _two_sides(sides: TwoSides, values: Mapping[str, dict[str, float]]) -> dict[str, Cell]:
    on_positive, on_negative = values[sides.positive], values[sides.negative]
    both = {
        name: (on_positive[name], on_negative[name]) for name in on_positive if name in on_negative
    }
    if len(both) == 1:
        return dict.fromkeys(both, ALONE)
    if sides.swapped_below_one:
        both = {name: confirmation_values(*pair).pair for name, pair in both.items()}
    orientations = (
        known_measure(sides.positive).orientation,
        known_measure(sides.negative).orientation,
    )
    first, second = (
        _standings(places({name: pair[side] for name, pair in both.items()}, orientations[side]))
        for side in (0, 1)
    )
    of = len(both)
    return {
        name: Cell(
            _two_sided_verdict(sides, first[name], second[name], of),
            1 + sum(_beats_on_both(other, pair, orientations) for other in both.values()),
            of,
            _sides_claimed(sides, first[name], second[name]),
        )
        for name, pair in both.items()
    }


def _sides_claimed(sides: TwoSides, first: str, second: str) -> tuple[str, ...]:
    """Return the measures of the sides that the verdict speaks of."""
    if first == second:
        return () if first == TIED else (sides.positive, sides.negative)
    if first == "best" or (first, second) == ("worst", TIED):
        return (sides.positive,)
    if second == "best" or (first, second) == (TIED, "worst"):
        return (sides.negative,)
    return (sides.positive, sides.negative)


def _beats_on_both(
    first: tuple[float, float],
    second: tuple[float, float],
    orientations: tuple[Orientation, Orientation],
) -> bool:
    """Tell whether the first is better on one side and no worse on the other."""
    sides = list(zip(first, second, orientations, strict=True))
    better = [is_better(left, right, orientation) for left, right, orientation in sides]
    no_worse = [is_better(left, right, how) or is_tie(left, right) for left, right, how in sides]
    return any(better) and all(no_worse)


def _two_sided_verdict(sides: TwoSides, first: str, second: str, of: int) -> str:
    """Put the standings on the positive and on the negative side into one verdict."""
    if first == second:
        return {
            "best": f"superior {sides.on_both}",
            "worst": f"inferior {sides.on_both}",
            TIED: TIED,
        }.get(first, f"{first} {sides.on_both}")
    if first == "best":
        return f"superior {sides.on_positive}"
    if second == "best":
        return f"superior {sides.on_negative}"
    if {first, second} == {"worst", TIED}:
        return f"inferior {sides.on_positive if first == 'worst' else sides.on_negative}"
    return f"{_said(first, of)} {sides.on_positive}, {_said(second, of)} {sides.on_negative}"


def _standings(ranks: Mapping[str, int]) -> dict[str, str]:
    """Return best, worst, tied or the place in words."""
    of, sharing = len(ranks), Counter(ranks.values())
    words = {1: "best", of: "worst"}
    return {
        name: TIED if sharing[rank] > 1 else words.get(rank, place_in_words(rank, of))
        for name, rank in ranks.items()
    }


def _said(standing: str, of: int) -> str:
    """Say a place on one of two sides, where `of three` would stand twice."""
    place = place_in_words(of, of) if standing == "worst" else standing
    return place.split(" of ")[0]
