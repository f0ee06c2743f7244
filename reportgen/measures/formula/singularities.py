"""The conditions under which a formula is undefined or infinite, derived from the formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.formula.notation import formula_as_text
from reportgen.measures.formula.tree import (
    Constant,
    Difference,
    Formula,
    Logarithm,
    Power,
    Quotient,
    SquareRoot,
    find_quantities,
    iter_postorder,
    operands,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.statistics import FloatArray

MAX_QUANTITIES_OF_THREE_LEVELS = 4


@dataclass(frozen=True, slots=True)
class Singularity:
    """A node without a finite value, the expression that vanishes, and the condition as text."""

    node: Formula
    vanishing: Formula | None
    condition: str


@cache
def find_undefined(formula: Formula, requires: tuple[Formula, ...] = ()) -> tuple[Singularity, ...]:
    """Return the nodes that can be 0/0 or ∞ − ∞, innermost first; required parts come first."""
    # r/r is 0/0 exactly when r is 0.
    required = tuple(_vanishing_singularity(Quotient(part, part), part) for part in requires)
    nodes = dict.fromkeys(iter_postorder(formula))
    return required + tuple(
        _undefined_singularity(node, requires)
        for node in nodes
        if _can_be_undefined(node, requires)
    )


@cache
def find_infinite(formula: Formula, requires: tuple[Formula, ...] = ()) -> tuple[Singularity, ...]:
    """Return the nodes that can be infinite with finite operands."""
    nodes = dict.fromkeys(iter_postorder(formula))
    return tuple(
        _vanishing_singularity(node, operands(node)[-1])
        for node in nodes
        if _can_be_infinite(node, requires)
    )


def _undefined_singularity(node: Formula, requires: tuple[Formula, ...]) -> Singularity:
    if not isinstance(node, Quotient):
        return Singularity(node, None, f"{formula_as_text(node)} is ∞ − ∞")
    over, under = node.numerator, node.denominator
    if _vanishes_with(over, under, requires):
        return _vanishing_singularity(node, under)
    return Singularity(
        node, None, f"{_format_zero_condition(over)} and {_format_zero_condition(under)}"
    )


def _vanishing_singularity(node: Formula, vanishing: Formula) -> Singularity:
    match vanishing:
        case SquareRoot(operand) | Power(base=operand):
            return _vanishing_singularity(node, operand)
        case _:
            return Singularity(node, vanishing, _format_zero_condition(vanishing))


def _format_zero_condition(formula: Formula) -> str:
    """Return the condition that a formula is 0, as simply as its form allows."""
    match formula:
        case Difference(Constant() as constant, right):
            return f"{formula_as_text(right)} = {formula_as_text(constant)}"
        case Difference(left, right):
            return f"{formula_as_text(left)} = {formula_as_text(right)}"
        case Quotient(numerator, _):
            return _format_zero_condition(numerator)
        case SquareRoot(operand) | Power(base=operand):
            return _format_zero_condition(operand)
        case _:
            return f"{formula_as_text(formula)} = 0"


def _can_be_undefined(node: Formula, requires: tuple[Formula, ...]) -> bool:
    parts = operands(node)
    if not parts:
        return False
    counts = _enumerate_small_counts(node, requires)
    undefined = np.isnan(evaluate_formula(node, counts))
    for part in parts:
        undefined = undefined & ~np.isnan(evaluate_formula(part, counts))
    return bool(undefined.any())


def _can_be_infinite(node: Formula, requires: tuple[Formula, ...]) -> bool:
    if not isinstance(node, Quotient | Logarithm):
        return False
    counts = _enumerate_small_counts(node, requires)
    infinite = np.isinf(evaluate_formula(node, counts))
    for part in operands(node):
        infinite = infinite & np.isfinite(evaluate_formula(part, counts))
    return bool(infinite.any())


def _vanishes_with(numerator: Formula, denominator: Formula, requires: tuple[Formula, ...]) -> bool:
    """Return whether the numerator is 0 whenever the denominator is."""
    counts = _enumerate_small_counts(Quotient(numerator, denominator), requires)
    return bool(
        (
            (evaluate_formula(denominator, counts) != 0)
            | (evaluate_formula(numerator, counts) == 0)
        ).all()
    )


def _enumerate_small_counts(
    formula: Formula, requires: tuple[Formula, ...]
) -> Mapping[str, FloatArray]:
    """Return all small counts, enough to show every way in which a sum or product can be 0."""
    quantities = dict.fromkeys(
        quantity for part in (formula, *requires) for quantity in find_quantities(part)
    )
    derived = {
        quantity.name: quantity.binary_formula
        for quantity in quantities
        if quantity.binary_formula is not None
    }
    counted_quantities = [quantity for quantity in quantities if quantity.binary_formula is None]
    counted_quantities += [
        quantity for part in derived.values() for quantity in find_quantities(part)
    ]
    names = dict.fromkeys(quantity.name for quantity in counted_quantities)
    sizes = (0.0, 1.0, 2.0) if len(names) <= MAX_QUANTITIES_OF_THREE_LEVELS else (0.0, 1.0)
    count_combinations = np.array([*product(sizes, repeat=len(names))])
    counts_by_name = dict(zip(names, count_combinations.T, strict=True))
    counts_by_name |= {
        name: evaluate_formula(part, counts_by_name) for name, part in derived.items()
    }
    for part in requires:
        is_nonzero = evaluate_formula(part, counts_by_name) != 0
        counts_by_name = {name: counts[is_nonzero] for name, counts in counts_by_name.items()}
    return counts_by_name
