"""Hypotheses about one pair of classifiers that are tested together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.comparisons.pairwise.step_down import Null, PValues, StepDown, step_down
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

# How much finer than the level a block has drawn p-values are to be.
FINENESS = 3


@frozen
class Hypothesis:
    """That two classifiers do not differ in a measure of a class (None: of all classes)."""

    measure: Measure
    label: str | None

    def place(self, classes: Sequence[str]) -> int:
        """Return where it stands by its class; what is of all classes comes first."""
        return -1 if self.label is None else classes.index(self.label)


@frozen
class Outcomes:
    """The probabilities of what may happen; what they do not cover counts against a claim."""

    weights: Numbers
    uncovered: float
    exact: bool

    @classmethod
    def drawn(cls, many: int) -> Outcomes:
        """Weigh drawn outcomes alike; the outcome found counts as one more."""
        return cls(np.full(many, 1 / (many + 1)), 1 / (many + 1), exact=False)


@frozen
class Draws:
    """Where random draws begin, and how many there must be at least."""

    seed: int
    least: int = 0

    @classmethod
    def fine_enough(cls, seed: int, blocks: int, alpha: float) -> Draws:
        """Return draws that let a claim be possible at all.

        A drawn p-value is never below 1 in their number, and is multiplied by that of the blocks.
        """
        return cls(seed, math.ceil(FINENESS * blocks / alpha))

    def fitting(self, width: int, room: int, fewest: int, most: int) -> int:
        """Return how many draws of so many numbers each fit into the room, within bounds."""
        return max(self.least, int(np.clip(room // max(1, width), fewest, most)))

    def random(self) -> np.random.Generator:
        """Begin to draw."""
        return np.random.default_rng(self.seed)


@frozen
class Block:
    """Statistics that were found, and what they may be if the two classifiers do not differ.

    The rows of the `nulls`, one after the other, are those of the hypotheses. `normal`: one by one
    the statistics are normal, and the outcomes serve the adjustment only.
    """

    pair: tuple[str, str]
    data: Literal["paired", "unpaired"]
    test: str
    cases: int
    hypotheses: tuple[Hypothesis, ...]
    found: Numbers
    nulls: tuple[Null, ...]
    outcomes: Outcomes
    normal: bool = False

    def p_values(self, kind: PValues) -> StepDown:
        """Return the p-values of all hypotheses, raw and adjusted within the block."""
        stepped = step_down(
            self.found, self.nulls, self.outcomes.weights, self.outcomes.uncovered, kind
        )
        if not self.normal:
            return stepped
        from scipy.special import ndtr

        raw = 2 * ndtr(-np.abs(self.found))
        return replace(stepped, raw=raw, adjusted=np.maximum(raw, stepped.adjusted))
