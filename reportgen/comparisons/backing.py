"""Which verdicts the tests support, adjusted for everything the report compares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.comparisons.capabilities import grade
from reportgen.comparisons.difference import Difference, Finding
from reportgen.measures import CAPABILITIES, Capability, Scale, TwoSides

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.comparisons.capabilities import CapabilityRow, Cell
    from reportgen.comparisons.relations import LikelihoodRelation
    from reportgen.scores import Score

DECIDED = {Finding.SUPERIOR, Finding.INFERIOR}
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


@dataclass(frozen=True, slots=True)
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
        """Return the difference of two classifiers, if it was tested."""
        return self.by_key.get((frozenset({one, other}), class_, measure))


def back_capabilities(
    rows: Sequence[CapabilityRow],
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    relations: Sequence[LikelihoodRelation],
    evidence: Evidence,
) -> tuple[CapabilityRow, ...]:
    """Say of every verdict whether the evidence supports it."""
    swapped = {(name, relation.class_) for relation in relations for name in relation.swapped_ones}
    named = {
        class_: [row.classifier for row in rows if row.class_ == class_]
        for class_ in dict.fromkeys(row.class_ for row in rows)
    }
    backed = []
    for row in rows:
        cells = {}
        for name, cell in row.cells.items():
            capability = CAPABILITIES[name]
            if isinstance(capability.judgement, Scale):
                score = scores[row.classifier, row.class_, None, capability.judgement.measure]
                cells[name] = replace(cell, backed=_graded_surely(capability.judgement, score))
                continue
            others = [
                other
                for other in named[row.class_]
                if other != row.classifier
                and all(_has_value(scores, other, row.class_, each) for each in cell.rests_on)
            ]
            is_swapped = _swaps(capability) and any(
                (each, row.class_) in swapped for each in (row.classifier, *others)
            )
            tests = [
                None if is_swapped else evidence.about(row.classifier, other, row.class_, measure)
                for measure in cell.rests_on
                for other in others
            ]
            cells[name] = _backed(cell, tests)
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
    claimed = CLAIMED_SIDES.get(relation.sides)
    tests = [
        test for test, wanted in zip((positive, negative), claimed or (), strict=False) if wanted
    ]
    return replace(
        relation,
        p_positive=positive.p_adjusted if positive else None,
        p_negative=negative.p_adjusted if negative else None,
        backed=_all_decided(tests),
    )


def _backed(cell: Cell, tests: Sequence[Difference | None]) -> Cell:
    known = [test.p_adjusted for test in tests if test is not None]
    p_values = [p for p in known if p is not None]
    complete = bool(tests) and len(p_values) == len(tests)
    return replace(
        cell,
        backed=_all_decided(tests),
        p_adjusted=max(p_values) if complete else None,
    )


def _all_decided(tests: Sequence[Difference | None]) -> bool | None:
    """Tell whether every difference is decided; one that is not is enough to say no."""
    if any(test is not None and test.verdict not in DECIDED for test in tests):
        return False
    return True if tests and None not in tests else None


def _graded_surely(scale: Scale, score: Score) -> bool | None:
    """Tell whether the whole interval has the same grade as the value."""
    if score.number is None or score.interval is None:
        return None
    low = float("-inf") if score.low is None else score.low
    high = float("inf") if score.high is None else score.high
    return grade(scale, low) == grade(scale, score.number) == grade(scale, high)


def _swaps(capability: Capability) -> bool:
    return isinstance(capability.judgement, TwoSides) and capability.judgement.swapped_below_one


def _has_value(
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    classifier: str,
    class_: str | None,
    measure: str,
) -> bool:
    return scores[classifier, class_, None, measure].number is not None
