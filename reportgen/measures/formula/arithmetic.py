"""Walk a formula with the arithmetic of arrays, fractions, polars expressions or tokens."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, assert_never

from reportgen.measures.formula import tree
from reportgen.measures.formula.tree import as_quotient

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.measures.formula.tree import Formula

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[T]):
    """The operations that give the nodes of a formula their meaning."""

    quantity: Callable[[str], T]
    constant: Callable[[float], T]
    maximum: Callable[[T, T], T]
    square_root: Callable[[T], T]
    logarithm: Callable[[T], T]
    chi_square_survival: Callable[[T], T]
    add: Callable[[T, T], T] = operator.add
    subtract: Callable[[T, T], T] = operator.sub
    multiply: Callable[[T, T], T] = operator.mul
    divide: Callable[[T, T], T] = operator.truediv
    power: Callable[[T, int], T] = operator.pow
    absolute_value: Callable[[T], T] = operator.abs  # type: ignore[assignment]  # abs of any number

    def evaluate(self, formula: Formula) -> T:
        """Return the value of a formula."""
        match formula:
            case tree.Quantity(name=name):
                return self.quantity(name)
            case tree.Constant(value=value):
                return self.constant(value)
            case tree.NamedFormula(formula=inner):
                return self.evaluate(inner)
            case tree.Sum(left, right):
                return self.add(self.evaluate(left), self.evaluate(right))
            case tree.Difference(tree.Constant(value=1), right) if quotient := as_quotient(right):
                return self.complement(
                    self.evaluate(quotient.numerator), self.evaluate(quotient.denominator)
                )
            case tree.Difference(left, right):
                return self.subtract(self.evaluate(left), self.evaluate(right))
            case tree.Product(left, right):
                return self.multiply(self.evaluate(left), self.evaluate(right))
            case tree.Quotient(numerator, denominator):
                return self.divide(self.evaluate(numerator), self.evaluate(denominator))
            case tree.Maximum(left, right):
                return self.maximum(self.evaluate(left), self.evaluate(right))
            case tree.Power(base, exponent):
                return self.power(self.evaluate(base), exponent)
            case tree.SquareRoot(operand):
                return self.square_root(self.evaluate(operand))
            case tree.Logarithm(operand):
                return self.logarithm(self.evaluate(operand))
            case tree.AbsoluteValue(operand):
                return self.absolute_value(self.evaluate(operand))
            case tree.ChiSquareSurvival(operand):
                return self.chi_square_survival(self.evaluate(operand))
            case _:
                assert_never(formula)

    def complement(self, numerator: T, denominator: T) -> T:
        """Return 1 - a/b as (b - a)/b, so that no digits are lost when a/b is close to 1."""
        return self.divide(self.subtract(denominator, numerator), denominator)
