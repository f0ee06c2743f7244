"""Which verdicts the tests support, adjusted for everything the report compares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.comparisons.verdicts.capabilities import grade
from reportgen.comparisons.verdicts.ranking import is_better, is_tie
from reportgen.frozen import frozen
from reportgen.measures import CAPABILITIES, Capability, Scale, TwoSides, known_measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.comparisons.verdicts.capabilities import CapabilityRow, Cell
    from reportgen.comparisons.verdicts.relations import LikelihoodRelation
    from reportgen.scores import Score

# What the words about the first say: the sides on which a difference is claimed.
CLAIMED_SIDES = {
    (1, 1): (True, True),
    (-1, -1): (True, True),
    (1, -1): (True, False),
    (1, 0): (True, False),
    (-1, 0): (True, False),
    (-1, 1): (False, True),
    (0, 1): (False, True),
    (0, -1): (False, True),
}


@frozen
class Claim:
    """What the values say of the first of two classifiers, and the test of it, if there is one.

    The two may differ: an infinite ratio that rests on a single case is no evidence of a high one.
    """

    finding: Finding
    test: Difference | None


@frozen
class Evidence:
    """The decisive differences by pair, class and measure, whoever is named first."""

    by_key: Mapping[tuple[frozenset[str], str | None, str], Difference]

    @classmethod
    def of(cls, differences: Iterable[Difference]) -> Evidence:
        """Gather the differences that decide."""
        return cls(
            {
                (frozenset({row.first, row.second}), row.class_, row.measure): row
                for row in differences
                if row.decisive and row.average is None
            }
        )

    def about(self, one: str, other: str, class_: str | None, measure: str) -> Difference | None:
        """Return the one minus the other, if that was tested."""
        found = self.by_key.get((frozenset({one, other}), class_, measure))
        return found.turned if found is not None and found.first != one else found


def back_capabilities(
    rows: Sequence[CapabilityRow],
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    relations: Sequence[LikelihoodRelation],
    evidence: Evidence,
) -> tuple[CapabilityRow, ...]:
    """Say of every verdict whether the evidence supports it."""
    swapped = {(name, relation.class_) for relation in relations for name in relation.swapped_ones}
    named: dict[str | None, list[str]] = {}
    for row in rows:
        named.setdefault(row.class_, []).append(row.classifier)
    backed = []
    for row in rows:
        cells = {}
        for name, cell in row.cells.items():
            capability = CAPABILITIES[name]
            if isinstance(capability.judgement, Scale):
                score = scores[row.classifier, row.class_, None, capability.judgement.measure]
                cells[name] = replace(cell, backed=_graded_surely(capability.judgement, score))
                continue
            if not cell.rests_on:
                cells[name] = cell
                continue
            others = [
                other
                for other in named[row.class_]
                if other != row.classifier
                and all(
                    scores[other, row.class_, None, each].number is not None
                    for each in capability.measures
                )
            ]
            is_swapped = _swaps(capability) and any(
                (each, row.class_) in swapped for each in (row.classifier, *others)
            )
            claims = [
                Claim(
                    _claimed(scores, (row.classifier, other), row.class_, measure),
                    None
                    if is_swapped
                    else evidence.about(row.classifier, other, row.class_, measure),
                )
                for measure in cell.rests_on
                for other in others
            ]
            cells[name] = _backed(cell, claims)
        backed.append(replace(row, cells=cells))
    return tuple(backed)


def back_relations(
    relations: Sequence[LikelihoodRelation], evidence: Evidence
) -> tuple[LikelihoodRelation, ...]:
    """Give every likelihood relation its p-values, and say whether they support it."""
    return tuple(_back_relation(relation, evidence) for relation in relations)


def _back_relation(relation: LikelihoodRelation, evidence: Evidence) -> LikelihoodRelation:
    if relation.swapped or relation.sides is None:
        return relation
    positive, negative = (
        evidence.about(relation.first, relation.second, relation.class_, measure)
        for measure in ("lr_positive", "lr_negative")
    )
    claims = [
        Claim(Finding.SUPERIOR if side > 0 else Finding.INFERIOR, test)
        for side, test in zip(relation.sides, (positive, negative), strict=True)
    ]
    on_positive, on_negative = relation.sides
    return replace(
        relation,
        p_positive=positive.p_adjusted if positive else None,
        p_negative=negative.p_adjusted if negative else None,
        backed=_all_hold(_spoken_of((on_positive, on_negative), claims)),
        reverse_backed=_all_hold(_spoken_of((-on_positive, -on_negative), claims)),
    )


def _spoken_of(sides: tuple[int, int], claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims on the sides that the words of a relation speak of."""
    wanted = CLAIMED_SIDES.get(sides, (False, False))
    return [claim for claim, is_wanted in zip(claims, wanted, strict=True) if is_wanted]


def _backed(cell: Cell, claims: Sequence[Claim]) -> Cell:
    known = [claim.test.p_adjusted for claim in claims if claim.test is not None]
    p_values = [p for p in known if p is not None]
    complete = bool(claims) and len(p_values) == len(claims)
    return replace(
        cell,
        backed=_all_hold(claims),
        p_adjusted=max(p_values) if complete else None,
    )


def _all_hold(claims: Sequence[Claim]) -> bool | None:
    """Tell whether every claim holds; one that does not is enough to say no."""
    if any(claim.test is not None and claim.test.verdict is not claim.finding for claim in claims):
        return False
    return True if claims and all(claim.test is not None for claim in claims) else None


def _graded_surely(scale: Scale, score: Score) -> bool | None:
    """Tell whether the whole interval has the same grade as the value."""
    if score.number is None or score.interval is None:
        return None
    low = float("-inf") if score.low is None else score.low
    high = float("inf") if score.high is None else score.high
    return grade(scale, low) == grade(scale, score.number) == grade(scale, high)


def _swaps(capability: Capability) -> bool:
    return isinstance(capability.judgement, TwoSides) and capability.judgement.swapped_below_one


def _claimed(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    pair: tuple[str, str],
    class_: str | None,
    name: str,
) -> Finding:
    """Return what the values found make of the first."""
    one, other = (scores[each, class_, None, name].number for each in pair)
    if one is None or other is None:
        raise LookupError(name)
    if is_tie(one, other):
        return Finding.TIED
    better = is_better(one, other, known_measure(name).orientation)
    return Finding.SUPERIOR if better else Finding.INFERIOR
