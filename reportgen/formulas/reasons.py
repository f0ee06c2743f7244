"""When a formula has no finite value, and why: found from the formula itself."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from reportgen.formulas.as_numpy import as_numpy
from reportgen.formulas.tree import (
    Constant,
    Difference,
    Formula,
    Logarithm,
    Power,
    Quotient,
    Root,
)
from reportgen.formulas.walk import bottom_up, operands, quantities
from reportgen.formulas.written import as_text
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas.as_numpy import Numbers

FEW_QUANTITIES = 4


@frozen
class Cause:
    """A node that has no finite value of its own, what vanishes then, and the condition in text."""

    node: Formula
    vanishing: Formula | None
    text: str


@cache
def undefined_causes(formula: Formula, requires: tuple[Formula, ...] = ()) -> tuple[Cause, ...]:
    """Return the nodes that can be 0/0 or ∞ − ∞, innermost first; what is required comes first."""
    # r/r is 0/0 exactly when r is 0.
    required = tuple(_vanishing_cause(Quotient(part, part), part) for part in requires)
    nodes = dict.fromkeys(bottom_up(formula))
    return required + tuple(
        _undefined_cause(node, requires) for node in nodes if _can_be_undefined(node, requires)
    )


@cache
def infinite_causes(formula: Formula, requires: tuple[Formula, ...] = ()) -> tuple[Cause, ...]:
    """Return the nodes that can be infinite although their operands are finite."""
    nodes = dict.fromkeys(bottom_up(formula))
    return tuple(
        _vanishing_cause(node, operands(node)[-1])
        for node in nodes
        if _can_be_infinite(node, requires)
    )


def _undefined_cause(node: Formula, requires: tuple[Formula, ...]) -> Cause:
    if not isinstance(node, Quotient):
        return Cause(node, None, f"{as_text(node)} is ∞ − ∞")
    over, under = node.numerator, node.denominator
    if _vanishes_with(over, under, requires):
        return _vanishing_cause(node, under)
    return Cause(node, None, f"{_is_zero(over)} and {_is_zero(under)}")


def _vanishing_cause(node: Formula, vanishing: Formula) -> Cause:
    match vanishing:
        case Root(operand) | Power(base=operand):
            return _vanishing_cause(node, operand)
        case _:
            return Cause(node, vanishing, _is_zero(vanishing))


def _is_zero(formula: Formula) -> str:
    """Say in text that a formula is 0, as simply as its form allows."""
    match formula:
        case Difference(Constant() as constant, right):
            return f"{as_text(right)} = {as_text(constant)}"
        case Difference(left, right):
            return f"{as_text(left)} = {as_text(right)}"
        case Quotient(numerator, _):
            return _is_zero(numerator)
        case Root(operand) | Power(base=operand):
            return _is_zero(operand)
        case _:
            return f"{as_text(formula)} = 0"


def _can_be_undefined(node: Formula, requires: tuple[Formula, ...]) -> bool:
    parts = operands(node)
    if not parts:
        return False
    tallies = _small_tallies(node, requires)
    undefined = np.isnan(as_numpy(node, tallies))
    for part in parts:
        undefined = undefined & ~np.isnan(as_numpy(part, tallies))
    return bool(undefined.any())


def _can_be_infinite(node: Formula, requires: tuple[Formula, ...]) -> bool:
    if not isinstance(node, Quotient | Logarithm):
        return False
    tallies = _small_tallies(node, requires)
    infinite = np.isinf(as_numpy(node, tallies))
    for part in operands(node):
        infinite = infinite & np.isfinite(as_numpy(part, tallies))
    return bool(infinite.any())


def _vanishes_with(over: Formula, under: Formula, requires: tuple[Formula, ...]) -> bool:
    """Tell whether the numerator is 0 whenever the denominator is."""
    tallies = _small_tallies(Quotient(over, under), requires)
    return bool(((as_numpy(under, tallies) != 0) | (as_numpy(over, tallies) == 0)).all())


def _small_tallies(formula: Formula, requires: tuple[Formula, ...]) -> Mapping[str, Numbers]:
    """Return small tallies: enough to show every way in which a sum or product can be 0."""
    read = dict.fromkeys(found for part in (formula, *requires) for found in quantities(part))
    made = {found.name: found.made_of for found in read if found.made_of is not None}
    counted = [found for found in read if found.made_of is None]
    counted += [found for part in made.values() for found in quantities(part)]
    names = dict.fromkeys(found.name for found in counted)
    sizes = (0.0, 1.0, 2.0) if len(names) <= FEW_QUANTITIES else (0.0, 1.0)
    chosen = np.array([*product(sizes, repeat=len(names))])
    tallies = dict(zip(names, chosen.T, strict=True))
    tallies |= {name: as_numpy(part, tallies) for name, part in made.items()}
    for part in requires:
        met = as_numpy(part, tallies) != 0
        tallies = {name: counts[met] for name, counts in tallies.items()}
    return tallies
