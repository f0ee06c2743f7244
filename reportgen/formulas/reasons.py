"""When a formula has no finite value, and why: found from the formula itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from reportgen.formulas.as_number import as_number
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.formulas.as_number import Number

FEW_QUANTITIES = 4


@dataclass(frozen=True, slots=True)
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
    return bool(parts) and any(
        math.isnan(as_number(node, values))
        and not any(math.isnan(as_number(part, values)) for part in parts)
        for values in _small_tallies(node, requires)
    )


def _can_be_infinite(node: Formula, requires: tuple[Formula, ...]) -> bool:
    return isinstance(node, Quotient | Logarithm) and any(
        math.isinf(as_number(node, values))
        and all(math.isfinite(as_number(part, values)) for part in operands(node))
        for values in _small_tallies(node, requires)
    )


def _vanishes_with(over: Formula, under: Formula, requires: tuple[Formula, ...]) -> bool:
    """Tell whether the numerator is 0 whenever the denominator is."""
    return all(
        as_number(over, values) == 0
        for values in _small_tallies(Quotient(over, under), requires)
        if as_number(under, values) == 0
    )


def _small_tallies(
    formula: Formula, requires: tuple[Formula, ...]
) -> Iterator[Mapping[str, Number]]:
    """Run through small tallies: enough to show every way in which a sum or product can be 0."""
    read = dict.fromkeys(found for part in (formula, *requires) for found in quantities(part))
    made = {found.name: found.made_of for found in read if found.made_of is not None}
    counted = [found for found in read if found.made_of is None]
    counted += [found for part in made.values() for found in quantities(part)]
    names = dict.fromkeys(found.name for found in counted)
    sizes = (0.0, 1.0, 2.0) if len(names) <= FEW_QUANTITIES else (0.0, 1.0)
    for chosen in product(sizes, repeat=len(names)):
        values: dict[str, Number] = dict(zip(names, chosen, strict=True))
        values |= {name: as_number(part, values) for name, part in made.items()}
        if all(as_number(part, values) for part in requires):
            yield values
