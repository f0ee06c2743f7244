"""The choice of a decision threshold: rules, objectives and the search over all thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.measures import Orientation, get_measure
from reportgen.measures.formula import Constant
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.spec import declared_decision
from reportgen.statistics.parallel import BLOCK_LENGTH, map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.measures.formula import Formula
    from reportgen.spec import Spec

    _FloatArray: TypeAlias = npt.NDArray[np.float64]
    _IntArray: TypeAlias = npt.NDArray[np.int64]

# Two thresholds are equally good if they differ by no more than rounding.
OBJECTIVE_TOLERANCE = 1e-12


class ThresholdRule(StrEnum):
    """By what a threshold is chosen."""

    YOUDEN = "youden"
    F1 = "f1"
    COST = "cost"
    CONSTRAINT = "constraint"


@dataclass(frozen=True, slots=True)
class ThresholdGrid:
    """The thresholds to choose from: above all scores, where nothing is found, and each score."""

    cumulative_counts: CumulativeCounts

    def __len__(self) -> int:
        """How many thresholds there are."""
        return len(self.cumulative_counts.tp) + 1

    def at(self, index: int) -> tuple[float, float, float]:
        """Return a threshold, its true and its false positives; sums of weights are no integers."""
        if index == 0:
            return math.inf, 0, 0
        steps = self.cumulative_counts
        return (
            float(steps.threshold[index - 1]),
            steps.tp[index - 1].item(),
            steps.fp[index - 1].item(),
        )

    def take(self, indices: _IntArray) -> tuple[_FloatArray, _IntArray, _IntArray]:
        """Return some thresholds, their true and their false positives."""
        steps = self.cumulative_counts.take(indices[indices > 0] - 1)
        return (
            np.append(np.inf, steps.threshold),
            np.append(0, steps.tp),
            np.append(0, steps.fp),
        )

    def counts(self, block: slice) -> dict[str, _FloatArray]:
        """Return the four counts at the thresholds of a block."""
        steps, first = self.cumulative_counts, block.start == 0
        within = slice(max(block.start - 1, 0), block.stop - 1)
        true, false = (
            np.append(0.0, counts[within]) if first else counts[within].astype(np.float64)
            for counts in (steps.tp, steps.fp)
        )
        return {
            "tp": true,
            "fp": false,
            "fn": steps.positives - true,
            "tn": steps.negatives - false,
        }


@dataclass(frozen=True, slots=True)
class ThresholdObjective:
    """What is looked for: the highest value of a formula, or the lowest cost, under conditions.

    Costs are those of a false positive and of a false negative. With a prevalence, costs and
    conditions hold for cases of which this proportion is positive.
    """

    formula: Formula | None
    constraints: tuple[tuple[Formula, float], ...] = ()
    costs: tuple[float, float] = (0.0, 0.0)
    prevalence: float | None = None

    def optimize(self, counts: Mapping[str, _FloatArray]) -> tuple[_IntArray, _FloatArray]:
        """Return in each row the place of the best threshold (−1: none) and what it achieves.

        Of equals it is the highest; what is achieved is the value or the cost per case.
        """
        objective_values, utility = self._objective_and_utility(counts)
        highest = utility.max(axis=-1, keepdims=True)
        # Thresholds go down, so the first of equals is the highest.
        first = (utility >= _optimality_cutoff(highest)).argmax(axis=-1)
        places = np.where(np.isneginf(highest[..., 0]), -1, first)
        return places, np.take_along_axis(objective_values, first[..., None], axis=-1)[..., 0]

    def on_grid(self, counts: Mapping[str, _FloatArray]) -> tuple[int, _FloatArray]:
        """Return the place of the best of a row of thresholds, and the objective at each."""
        objective_values, utility = self._objective_and_utility(counts)
        return int((utility >= _optimality_cutoff(utility.max())).argmax()), objective_values

    def optimize_grid(self, grid: ThresholdGrid) -> tuple[int, float]:
        """Return the same for all thresholds of a ladder, which may be as many as cases."""
        tops = map_blocks(
            lambda block: self._objective_and_utility(grid.counts(block))[1].max(), len(grid)
        )
        highest = np.max(tops)
        least = _optimality_cutoff(highest)
        number = next(number for number, top in enumerate(tops) if top >= least)
        block = slice(number * BLOCK_LENGTH, min((number + 1) * BLOCK_LENGTH, len(grid)))
        objective_values, utility = self._objective_and_utility(grid.counts(block))
        first = int((utility >= least).argmax())
        place = -1 if np.isneginf(highest) else block.start + first
        return place, float(objective_values[first])

    def _objective_and_utility(
        self, counts: Mapping[str, _FloatArray]
    ) -> tuple[_FloatArray, _FloatArray]:
        objective_values = self.value(counts)
        utility = objective_values if self.formula is not None else -objective_values
        utility = np.where(np.isnan(utility), -np.inf, utility)
        weighted = self._at_prevalence(counts)
        for formula, least in self.constraints:
            utility = np.where(
                evaluate_formula(formula, weighted) >= least - OBJECTIVE_TOLERANCE, utility, -np.inf
            )
        return objective_values, utility

    def _at_prevalence(self, counts: Mapping[str, _FloatArray]) -> Mapping[str, _FloatArray]:
        return counts if self.prevalence is None else scale_to_prevalence(counts, self.prevalence)

    def value(self, counts: Mapping[str, _FloatArray]) -> _FloatArray:
        """Return the value of the formula, or the cost per case, for arrays of counts."""
        counts = self._at_prevalence(counts)
        if self.formula is not None:
            return evaluate_formula(self.formula, counts)
        cases = counts["tp"] + counts["fp"] + counts["fn"] + counts["tn"]
        cost: _FloatArray = (self.costs[0] * counts["fp"] + self.costs[1] * counts["fn"]) / cases
        return cost


def scale_to_prevalence(
    counts: Mapping[str, _FloatArray], prevalence: float
) -> dict[str, _FloatArray]:
    """Return the proportions of tp, fn, fp and tn where this proportion of cases is positive.

    Sensitivity and specificity stay as they are; NaN where there are no cases of a class.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        positive = prevalence / (counts["tp"] + counts["fn"])
        negative = (1 - prevalence) / (counts["fp"] + counts["tn"])
        return {
            "tp": counts["tp"] * positive,
            "fn": counts["fn"] * positive,
            "fp": counts["fp"] * negative,
            "tn": counts["tn"] * negative,
        }


def _optimality_cutoff(maximum: _FloatArray) -> _FloatArray:
    """Return from what on a threshold is as good as the best."""
    return np.asarray(maximum - OBJECTIVE_TOLERANCE * np.maximum(1, np.abs(maximum)))


def requested_rules(spec: Spec) -> Iterator[ThresholdRule]:
    """Yield the rules by which thresholds are chosen."""
    yield from (ThresholdRule.YOUDEN, ThresholdRule.F1)
    decision = declared_decision(spec)
    if decision.cost is not None:
        yield ThresholdRule.COST
    if decision.requirements:
        yield ThresholdRule.CONSTRAINT


def build_threshold_objective(rule: ThresholdRule, spec: Spec) -> ThresholdObjective:
    """Return what is looked for: the highest value of a formula, under conditions."""
    if rule is ThresholdRule.F1:
        return ThresholdObjective(get_measure("f1").formula)
    decision, youden = declared_decision(spec), get_measure("youden").formula
    if rule is ThresholdRule.COST and decision.cost is not None:
        costs = decision.cost.false_positive, decision.cost.false_negative
        return ThresholdObjective(None, costs=costs, prevalence=decision.prevalence)
    if rule is ThresholdRule.CONSTRAINT:
        constraints = tuple(_constraint(*item) for item in decision.requirements.items())
        return ThresholdObjective(youden, constraints, prevalence=decision.prevalence)
    return ThresholdObjective(youden)


def _constraint(name: str, limit: float) -> tuple[Formula, float]:
    """Return a requirement as a formula and its least value: of lower is better, the negative."""
    measure = get_measure(name)
    if measure.orientation is Orientation.LOWER:
        return Constant(-1) * measure.formula, -limit
    return measure.formula, limit


def decision_rule(spec: Spec) -> ThresholdRule | None:
    """Return the rule of the declared costs or requirement; None if neither is declared."""
    decision = declared_decision(spec)
    if decision.cost is not None:
        return ThresholdRule.COST
    return ThresholdRule.CONSTRAINT if decision.requirements else None


def choose_decision_thresholds(spec: Spec, curves: ScoreCurves) -> dict[str, float]:
    """Return the threshold of each classifier by the declared costs or requirement.

    Classifiers without scores, without cases of both classes, or of which no threshold meets the
    requirement are left out.
    """
    rule, thresholds = decision_rule(spec), dict[str, float]()
    if rule is None:
        return thresholds
    objective = build_threshold_objective(rule, spec)
    for classifier in spec.classifiers:
        steps = curves.cumulative_counts(classifier.name, spec.task.positive or "")
        if steps is None or not steps.positives or not steps.negatives:
            continue
        grid = ThresholdGrid(steps)
        place, _ = objective.optimize_grid(grid)
        if place >= 0:
            thresholds[classifier.name] = grid.at(place)[0]
    return thresholds
