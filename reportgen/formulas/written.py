"""A formula written down: as MathML (browsers), HTML spans (PDF), LaTeX, or one line of text.

These differ only in how a symbol, a fraction, a root and so on are spelled, so a notation is a
set of spellings and one function walks the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formulas.tree import (
    ChiSquareTail,
    Constant,
    Difference,
    Formula,
    Logarithm,
    Magnitude,
    Maximum,
    Named,
    Power,
    Product,
    Quantity,
    Quotient,
    Root,
    Sum,
)
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.formulas.symbol import Symbol

# How tightly the parts of an expression hold together.
LOOSE, TIGHT, ATOM = 1, 2, 3


@frozen
class Notation:
    """How a markup language spells the parts of an equation; braces mark the operands."""

    symbol: Callable[[Symbol], str]
    number: str
    plus: str
    minus: str
    times: str
    fraction: str
    power: str
    root: str
    logarithm: str
    magnitude: str
    maximum: str
    tail: str
    brackets: str
    # A fraction bar encloses what is above and below it; a slash does not.
    has_fraction_bar: bool = True


MATHML = Notation(
    symbol=lambda symbol: symbol.mathml,
    number="<mn>{0}</mn>",
    plus="{0}<mo>+</mo>{1}",
    minus="{0}<mo>−</mo>{1}",
    times="{0}<mo>⋅</mo>{1}",
    fraction="<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>",
    power="<msup><mrow>{0}</mrow><mn>{1}</mn></msup>",
    root="<msqrt>{0}</msqrt>",
    logarithm="<mi>ln</mi><mrow><mo>(</mo>{0}<mo>)</mo></mrow>",
    magnitude="<mrow><mo>|</mo>{0}<mo>|</mo></mrow>",
    maximum="<mi>max</mi><mrow><mo>(</mo>{0}<mo>,</mo>{1}<mo>)</mo></mrow>",
    tail="<mi>P</mi><mrow><mo>(</mo><msubsup><mi>χ</mi><mn>1</mn><mn>2</mn></msubsup>"
    "<mo>≥</mo>{0}<mo>)</mo></mrow>",
    brackets="<mrow><mo>(</mo>|<mo>)</mo></mrow>",
)
HTML = Notation(
    symbol=lambda symbol: symbol.html,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} − {1}",
    times="{0} · {1}",
    fraction='<span class="fraction"><span class="over">{0}</span>'
    '<span class="under">{1}</span></span>',
    power="{0}<sup>{1}</sup>",
    root='<span class="sign">√</span><span class="root">{0}</span>',
    logarithm="ln({0})",
    magnitude="|{0}|",
    maximum="max({0}, {1})",
    tail="<i>P</i>(<i>χ</i><sup>2</sup><sub>1</sub> ≥ {0})",
    brackets="(|)",
)
LATEX = Notation(
    symbol=lambda symbol: symbol.latex,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} - {1}",
    times=r"{0} \cdot {1}",
    fraction=r"\frac{{{0}}}{{{1}}}",
    power="{0}^{{{1}}}",
    root=r"\sqrt{{{0}}}",
    logarithm=r"\ln\left({0}\right)",
    magnitude=r"\left\lvert {0} \right\rvert",
    maximum=r"\max\left({0}, {1}\right)",
    tail=r"P\left(\chi^2_1 \ge {0}\right)",
    brackets=r"\left(|\right)",
)
TEXT = Notation(
    symbol=lambda symbol: symbol.text,
    number="{0}",
    plus="{0} + {1}",
    minus="{0} − {1}",
    times="{0} · {1}",
    fraction="{0} / {1}",
    power="{0}^{1}",
    root="√{0}",
    logarithm="ln({0})",
    magnitude="|{0}|",
    maximum="max({0}, {1})",
    tail="P(χ²₁ ≥ {0})",
    brackets="(|)",
    has_fraction_bar=False,
)


def as_text(formula: Formula) -> str:
    """Return the formula in one line."""
    return _write(formula, TEXT).replace("^2", "²")


def as_mathml(formula: Formula) -> str:
    """Return the formula as the inside of a `math` element."""
    return _write(formula, MATHML)


def as_html(formula: Formula) -> str:
    """Return the formula as HTML that needs no MathML."""
    return _write(formula, HTML)


def as_latex(formula: Formula) -> str:
    """Return the formula for LaTeX's mathematical mode."""
    return _write(formula, LATEX)


def _write(formula: Formula, notation: Notation) -> str:
    def part(operand: Formula, least: int = LOOSE) -> str:
        written = _write(operand, notation)
        opening, closing = notation.brackets.split("|")
        return f"{opening}{written}{closing}" if _binding(operand, notation) < least else written

    bar = notation.has_fraction_bar
    match formula:
        case Quantity(symbol=symbol) | Named(symbol=symbol):
            return notation.symbol(symbol)
        case Constant(value=value, symbol=symbol):
            return notation.symbol(symbol) if symbol else notation.number.format(f"{value:g}")
        case Sum(left, right):
            return notation.plus.format(part(left), part(right))
        case Difference(left, right):
            return notation.minus.format(part(left), part(right, TIGHT))
        case Product(left, right):
            return notation.times.format(part(left, TIGHT), part(right, TIGHT))
        case Quotient(over, under):
            least_over, least_under = (LOOSE, LOOSE) if bar else (TIGHT, ATOM)
            return notation.fraction.format(part(over, least_over), part(under, least_under))
        case Power(base, exponent):
            return notation.power.format(part(base, ATOM), exponent)
        case Root(operand):
            return notation.root.format(part(operand, LOOSE if bar else ATOM))
        case Logarithm(operand):
            return notation.logarithm.format(part(operand))
        case Magnitude(operand):
            return notation.magnitude.format(part(operand))
        case Maximum(left, right):
            return notation.maximum.format(part(left), part(right))
        case ChiSquareTail(operand):
            return notation.tail.format(part(operand))
        case _:
            assert_never(formula)


def _binding(formula: Formula, notation: Notation) -> int:
    match formula:
        case Sum() | Difference():
            return LOOSE
        case Product():
            return TIGHT
        case Quotient():
            return ATOM if notation.has_fraction_bar else TIGHT
        case _:
            return ATOM
