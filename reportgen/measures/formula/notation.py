"""Typeset a formula as MathML (browsers), HTML (PDF), LaTeX, or one line of text.

A notation is a set of spellings for symbols, fractions, roots and so on; one function walks the
tree for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from reportgen.measures.formula import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.measures.formula.tree import Formula, Symbol

# Operator precedence.
SUM_PRECEDENCE, PRODUCT_PRECEDENCE, ATOM_PRECEDENCE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Notation:
    """The spellings of one markup language; braces mark the operands."""

    symbol: Callable[[Symbol], str]
    number: str
    plus: str
    minus: str
    times: str
    fraction: str
    power: str
    square_root: str
    logarithm: str
    absolute_value: str
    maximum: str
    chi_square_survival: str
    parentheses: str
    # A fraction bar encloses what is above and below it; a slash does not.
    has_fraction_bar: bool = True


MATHML_NOTATION = Notation(
    symbol=lambda symbol: symbol.mathml,
    number="<mn>{0}</mn>",
    plus="{0}<mo>+</mo>{1}",
    minus="{0}<mo>−</mo>{1}",
    times="{0}<mo>⋅</mo>{1}",
    fraction="<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>",
    power="<msup><mrow>{0}</mrow><mn>{1}</mn></msup>",
    square_root="<msqrt>{0}</msqrt>",
    logarithm="<mi>ln</mi><mrow><mo>(</mo>{0}<mo>)</mo></mrow>",
    absolute_value="<mrow><mo>|</mo>{0}<mo>|</mo></mrow>",
    maximum="<mi>max</mi><mrow><mo>(</mo>{0}<mo>,</mo>{1}<mo>)</mo></mrow>",
    chi_square_survival="<mi>P</mi><mrow><mo>(</mo><msubsup><mi>χ</mi><mn>1</mn><mn>2</mn></msubsup>"
    "<mo>≥</mo>{0}<mo>)</mo></mrow>",
    parentheses="<mrow><mo>(</mo>|<mo>)</mo></mrow>",
)
HTML_NOTATION = Notation(
    symbol=lambda symbol: symbol.html,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} − {1}",
    times="{0} · {1}",
    fraction='<span class="fraction"><span class="over">{0}</span>'
    '<span class="under">{1}</span></span>',
    power="{0}<sup>{1}</sup>",
    square_root='<span class="sign">√</span><span class="root">{0}</span>',
    logarithm="ln({0})",
    absolute_value="|{0}|",
    maximum="max({0}, {1})",
    chi_square_survival="<i>P</i>(<i>χ</i><sup>2</sup><sub>1</sub> ≥ {0})",
    parentheses="(|)",
)
LATEX_NOTATION = Notation(
    symbol=lambda symbol: symbol.latex,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} - {1}",
    times=r"{0} \cdot {1}",
    fraction=r"\frac{{{0}}}{{{1}}}",
    power="{0}^{{{1}}}",
    square_root=r"\sqrt{{{0}}}",
    logarithm=r"\ln\left({0}\right)",
    absolute_value=r"\left\lvert {0} \right\rvert",
    maximum=r"\max\left({0}, {1}\right)",
    chi_square_survival=r"P\left(\chi^2_1 \ge {0}\right)",
    parentheses=r"\left(|\right)",
)
TEXT_NOTATION = Notation(
    symbol=lambda symbol: symbol.text,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} − {1}",
    times="{0} · {1}",
    fraction="{0} / {1}",
    power="{0}^{1}",
    square_root="√{0}",
    logarithm="ln({0})",
    absolute_value="|{0}|",
    maximum="max({0}, {1})",
    chi_square_survival="P(χ²₁ ≥ {0})",
    parentheses="(|)",
    has_fraction_bar=False,
)


def formula_as_text(formula: Formula) -> str:
    """Return the formula as one line of text."""
    return _format_formula(formula, TEXT_NOTATION).replace("^2", "²")


def formula_as_mathml(formula: Formula) -> str:
    """Return the formula as the content of a `math` element."""
    return _format_formula(formula, MATHML_NOTATION)


def formula_as_html(formula: Formula) -> str:
    """Return the formula as HTML without MathML."""
    return _format_formula(formula, HTML_NOTATION)


def formula_as_latex(formula: Formula) -> str:
    """Return the formula for LaTeX's math mode."""
    return _format_formula(formula, LATEX_NOTATION)


def _format_formula(formula: Formula, notation: Notation) -> str:
    def part(operand: Formula, least: int = SUM_PRECEDENCE) -> str:
        text = _format_formula(operand, notation)
        opening, closing = notation.parentheses.split("|")
        return f"{opening}{text}{closing}" if _precedence(operand, notation) < least else text

    bar = notation.has_fraction_bar
    match formula:
        case tree.Quantity(symbol=symbol) | tree.NamedFormula(symbol=symbol):
            return notation.symbol(symbol)
        case tree.Constant(value=value, symbol=symbol):
            return notation.symbol(symbol) if symbol else notation.number.format(f"{value:g}")
        case tree.Sum(left, right):
            return notation.plus.format(part(left), part(right))
        case tree.Difference(left, right):
            return notation.minus.format(part(left), part(right, PRODUCT_PRECEDENCE))
        case tree.Product(left, right):
            return notation.times.format(
                part(left, PRODUCT_PRECEDENCE), part(right, PRODUCT_PRECEDENCE)
            )
        case tree.Quotient(over, under):
            least_over, least_under = (
                (SUM_PRECEDENCE, SUM_PRECEDENCE) if bar else (PRODUCT_PRECEDENCE, ATOM_PRECEDENCE)
            )
            return notation.fraction.format(part(over, least_over), part(under, least_under))
        case tree.Power(base, exponent):
            return notation.power.format(part(base, ATOM_PRECEDENCE), exponent)
        case tree.SquareRoot(operand):
            return notation.square_root.format(
                part(operand, SUM_PRECEDENCE if bar else ATOM_PRECEDENCE)
            )
        case tree.Logarithm(operand):
            return notation.logarithm.format(part(operand))
        case tree.AbsoluteValue(operand):
            return notation.absolute_value.format(part(operand))
        case tree.Maximum(left, right):
            return notation.maximum.format(part(left), part(right))
        case tree.ChiSquareSurvival(operand):
            return notation.chi_square_survival.format(part(operand))
        case _:
            assert_never(formula)


def _precedence(formula: Formula, notation: Notation) -> int:
    match formula:
        case tree.Sum() | tree.Difference():
            return SUM_PRECEDENCE
        case tree.Product():
            return PRODUCT_PRECEDENCE
        case tree.Quotient():
            return ATOM_PRECEDENCE if notation.has_fraction_bar else PRODUCT_PRECEDENCE
        case _:
            return ATOM_PRECEDENCE
