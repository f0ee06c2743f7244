"""The nodes of an equation; operators on operands build the tree."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TypeAlias

from reportgen.formulas.symbol import Symbol
from reportgen.frozen import frozen


class Operand(ABC):
    """Whatever may stand in an equation: a node, or a measure that has a formula."""

    @abstractmethod
    def as_formula(self) -> Formula:
        """Return the node that stands for this operand in a larger equation."""

    def __add__(self, other: Operand | float) -> Sum:
        """Add."""
        return Sum(self.as_formula(), formula_of(other))

    def __radd__(self, other: float) -> Sum:
        """Add to a number."""
        return Sum(formula_of(other), self.as_formula())

    def __sub__(self, other: Operand | float) -> Difference:
        """Subtract."""
        return Difference(self.as_formula(), formula_of(other))

    def __rsub__(self, other: float) -> Difference:
        """Subtract from a number."""
        return Difference(formula_of(other), self.as_formula())

    def __mul__(self, other: Operand | float) -> Product:
        """Multiply."""
        return Product(self.as_formula(), formula_of(other))

    def __rmul__(self, other: float) -> Product:
        """Multiply a number."""
        return Product(formula_of(other), self.as_formula())

    def __truediv__(self, other: Operand | float) -> Quotient:
        """Divide."""
        return Quotient(self.as_formula(), formula_of(other))

    def __pow__(self, exponent: int) -> Power:
        """Raise to a whole power."""
        return Power(self.as_formula(), exponent)


class Node(Operand):
    """An operand that is itself a node of the tree."""

    def as_formula(self) -> Formula:
        """Return the node itself."""
        return self  # type: ignore[return-value]  # Formula is the closed union of the nodes below


@frozen
class Quantity(Node):
    """A column of a tally; `made_of` says what it is for two classes, if it is no count itself."""

    name: str
    symbol: Symbol
    meaning: str
    made_of: Formula | None = None


@frozen
class Constant(Node):
    """A number, perhaps with a name of its own."""

    value: float
    symbol: Symbol | None = None


@frozen
class Named(Node):
    """A formula that goes by its symbol inside a larger one."""

    name: str
    symbol: Symbol
    formula: Formula


@frozen
class Sum(Node):
    """Left plus right."""

    left: Formula
    right: Formula


@frozen
class Difference(Node):
    """Left minus right."""

    left: Formula
    right: Formula


@frozen
class Product(Node):
    """Left times right."""

    left: Formula
    right: Formula


@frozen
class Quotient(Node):
    """Numerator over denominator, by IEEE rules: x/0 is infinite, 0/0 has no value."""

    numerator: Formula
    denominator: Formula


@frozen
class Power(Node):
    """A whole power."""

    base: Formula
    exponent: int


@frozen
class Root(Node):
    """The square root."""

    operand: Formula


@frozen
class Logarithm(Node):
    """The natural logarithm."""

    operand: Formula


@frozen
class Magnitude(Node):
    """The absolute value."""

    operand: Formula


@frozen
class Maximum(Node):
    """The larger of two."""

    left: Formula
    right: Formula


@frozen
class ChiSquareTail(Node):
    """The probability that chi-square with one degree of freedom is at least the operand."""

    operand: Formula


Formula: TypeAlias = (
    Quantity
    | Constant
    | Named
    | Sum
    | Difference
    | Product
    | Quotient
    | Power
    | Root
    | Logarithm
    | Magnitude
    | Maximum
    | ChiSquareTail
)

PI = Constant(math.pi, Symbol("π"))


def formula_of(operand: Operand | float) -> Formula:
    """Return the node for an operand or a plain number."""
    return operand.as_formula() if isinstance(operand, Operand) else Constant(operand)


def sqrt(operand: Operand | float) -> Root:
    """Write a square root."""
    return Root(formula_of(operand))


def ln(operand: Operand) -> Logarithm:
    """Write a natural logarithm."""
    return Logarithm(operand.as_formula())


def magnitude(operand: Operand) -> Magnitude:
    """Write an absolute value."""
    return Magnitude(operand.as_formula())


def maximum(left: Operand | float, right: Operand | float) -> Maximum:
    """Write the larger of two."""
    return Maximum(formula_of(left), formula_of(right))


def chi_square_tail(operand: Operand) -> ChiSquareTail:
    """Write the upper tail of chi-square with one degree of freedom."""
    return ChiSquareTail(operand.as_formula())
