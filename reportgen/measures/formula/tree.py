"""The nodes of a formula; Python operators on operands build the tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterator


LATEX_COMMANDS = {
    "β": r"\beta",
    "γ": r"\gamma",
    "κ": r"\kappa",
    "π": r"\pi",
    "ρ": r"\rho",
    "φ": r"\varphi",
    "χ": r"\chi",
    "Σ": r"\textstyle\sum ",
    "ŷ": r"\hat{y}",
    "ȳ": r"\bar{y}",
    "ₖ": "_k",
    "ᵢ": "_i",
    "ⱼ": "_j",
    "±": r"\pm ",
    "△": r"\triangle ",
    "²": "^2",
    "−": "-",
    "≥": r"\ge ",
    "≤": r"\le ",
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """The symbol of a quantity: a letter or word with a subscript or superscript."""

    base: str
    subscript: str = ""
    superscript: str = ""

    @property
    def text(self) -> str:
        """The symbol as plain text; a subscript of several words is set in brackets."""
        subscript = f"[{self.subscript}]" if " " in self.subscript else self.subscript
        if subscript.islower() and not self._is_letter:
            subscript = f"_{subscript}"
        return f"{self.base}{subscript}{self.superscript.replace('2', '²')}"

    @property
    def html(self) -> str:
        """The symbol as HTML; letters are italic, words upright."""
        base = escape(self.base)
        letter = f"<i>{base}</i>" if self._is_letter else base
        below = f"<sub>{escape(self.subscript)}</sub>" if self.subscript else ""
        above = f"<sup>{escape(self.superscript)}</sup>" if self.superscript else ""
        return f"{letter}{below}{above}"

    @property
    def mathml(self) -> str:
        """The symbol as MathML."""
        base = f"<mi>{escape(self.base)}</mi>" if self._is_letter else _mathml_text(self.base)
        below, above = _mathml_text(self.subscript), _mathml_text(self.superscript)
        if self.subscript and self.superscript:
            return f"<msubsup>{base}{below}{above}</msubsup>"
        if self.subscript:
            return f"<msub>{base}{below}</msub>"
        return f"<msup>{base}{above}</msup>" if self.superscript else base

    @property
    def latex(self) -> str:
        """The symbol for LaTeX's math mode."""
        base = self.base if self._is_letter else rf"\mathit{{{self.base}}}"
        if " " in self.base:
            base = rf"\text{{{self.base}}}"
        subscript = self.subscript.replace("%", r"\%")
        if " " in subscript:
            escaped_subscript = subscript.replace(" ", r"\ ")
            subscript = rf"\mathrm{{{escaped_subscript}}}"
        below = f"_{{{subscript}}}" if subscript else ""
        above = f"^{{{self.superscript}}}" if self.superscript else ""
        symbol = f"{base}{below}{above}"
        for letter, command in LATEX_COMMANDS.items():
            symbol = symbol.replace(letter, command)
        return symbol

    @property
    def _is_letter(self) -> bool:
        return len(self.base) == 1


def _mathml_text(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>"


class Operand:
    """A node, or a measure that has a formula.

    No abstract base class: matching the types of nodes would take several times as long.
    """

    def as_formula(self) -> Formula:
        """Return the node that stands for this operand in a larger equation."""
        raise NotImplementedError

    def __add__(self, other: Operand | float) -> Sum:
        """Add."""
        return Sum(self.as_formula(), to_formula(other))

    def __radd__(self, other: float) -> Sum:
        """Add to a number."""
        return Sum(to_formula(other), self.as_formula())

    def __sub__(self, other: Operand | float) -> Difference:
        """Subtract."""
        return Difference(self.as_formula(), to_formula(other))

    def __rsub__(self, other: float) -> Difference:
        """Subtract from a number."""
        return Difference(to_formula(other), self.as_formula())

    def __mul__(self, other: Operand | float) -> Product:
        """Multiply."""
        return Product(self.as_formula(), to_formula(other))

    def __rmul__(self, other: float) -> Product:
        """Multiply a number."""
        return Product(to_formula(other), self.as_formula())

    def __truediv__(self, other: Operand | float) -> Quotient:
        """Divide."""
        return Quotient(self.as_formula(), to_formula(other))

    def __pow__(self, exponent: int) -> Power:
        """Raise to a whole power."""
        return Power(self.as_formula(), exponent)


class Node(Operand):
    """An operand that is itself a node of the tree."""

    def as_formula(self) -> Formula:
        """Return the node itself."""
        return self  # type: ignore[return-value]  # Formula is the closed union of the nodes below


@dataclass(frozen=True, slots=True)
class Quantity(Node):
    """A column of the aggregates; `binary_formula` defines it by the counts of two classes."""

    name: str
    symbol: Symbol
    meaning: str
    binary_formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number, optionally with a symbol."""

    value: float
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class NamedFormula(Node):
    """A formula shown by its symbol inside a larger one."""

    name: str
    symbol: Symbol
    formula: Formula


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """Left plus right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Difference(Node):
    """Left minus right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Product(Node):
    """Left times right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Quotient(Node):
    """Numerator over denominator, by IEEE rules: x/0 is infinite, 0/0 is NaN."""

    numerator: Formula
    denominator: Formula


@dataclass(frozen=True, slots=True)
class Power(Node):
    """An integer power."""

    base: Formula
    exponent: int


@dataclass(frozen=True, slots=True)
class SquareRoot(Node):
    """The square root."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class Logarithm(Node):
    """The natural logarithm."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class AbsoluteValue(Node):
    """The absolute value."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class Maximum(Node):
    """The maximum of two operands."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class ChiSquareSurvival(Node):
    """The survival function of chi-square with one degree of freedom."""

    operand: Formula


Formula: TypeAlias = (
    Quantity
    | Constant
    | NamedFormula
    | Sum
    | Difference
    | Product
    | Quotient
    | Power
    | SquareRoot
    | Logarithm
    | AbsoluteValue
    | Maximum
    | ChiSquareSurvival
)

PI = Constant(math.pi, Symbol("π"))


def to_formula(operand: Operand | float) -> Formula:
    """Return the node for an operand or a plain number."""
    return operand.as_formula() if isinstance(operand, Operand) else Constant(operand)


def sqrt(operand: Operand | float) -> SquareRoot:
    """Return a square root node."""
    return SquareRoot(to_formula(operand))


def ln(operand: Operand) -> Logarithm:
    """Return a natural logarithm node."""
    return Logarithm(operand.as_formula())


def absolute_value(operand: Operand) -> AbsoluteValue:
    """Return an absolute value node."""
    return AbsoluteValue(operand.as_formula())


def maximum(left: Operand | float, right: Operand | float) -> Maximum:
    """Return a maximum node."""
    return Maximum(to_formula(left), to_formula(right))


def chi_square_survival(operand: Operand) -> ChiSquareSurvival:
    """Return a chi-square survival node (one degree of freedom)."""
    return ChiSquareSurvival(operand.as_formula())


def operands(formula: Formula) -> tuple[Formula, ...]:
    """Return the direct operands of a node."""
    match formula:
        case Quantity() | Constant():
            return ()
        case NamedFormula(formula=inner):
            return (inner,)
        case Sum(left, right) | Difference(left, right) | Product(left, right):
            return (left, right)
        case Maximum(left, right):
            return (left, right)
        case Quotient(numerator, denominator):
            return (numerator, denominator)
        case Power(base=inner):
            return (inner,)
        case SquareRoot(inner) | Logarithm(inner) | AbsoluteValue(inner) | ChiSquareSurvival(inner):
            return (inner,)
        case _:
            assert_never(formula)


def as_quotient(formula: Formula) -> Quotient | None:
    """Return the quotient that a formula is, directly or as a named formula; else None."""
    inner = formula.formula if isinstance(formula, NamedFormula) else formula
    return inner if isinstance(inner, Quotient) else None


def iter_postorder(formula: Formula) -> Iterator[Formula]:
    """Yield every node, operands before the nodes that use them."""
    for operand in operands(formula):
        yield from iter_postorder(operand)
    yield formula


def find_quantities(formula: Formula) -> tuple[Quantity, ...]:
    """Return the quantities of a formula in order of appearance."""
    quantities = (node for node in iter_postorder(formula) if isinstance(node, Quantity))
    return tuple(dict.fromkeys(quantities))


def find_named_formulas(formula: Formula) -> tuple[NamedFormula, ...]:
    """Return the named formulas a formula refers to directly."""
    named_formulas: dict[NamedFormula, None] = {}
    pending = list(operands(formula))
    while pending:
        node = pending.pop(0)
        if isinstance(node, NamedFormula):
            named_formulas[node] = None
        else:
            pending[:0] = operands(node)
    return tuple(named_formulas)
