"""Every formula can be written as text, MathML, HTML and LaTeX."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from reportgen.measures import MEASURE_REGISTRY, find_measure
from reportgen.measures.formula import (
    Formula,
    Symbol,
    find_named_formulas,
    find_quantities,
    ln,
    sqrt,
)
from reportgen.measures.formula.notation import (
    formula_as_html,
    formula_as_latex,
    formula_as_mathml,
    formula_as_text,
)
from reportgen.measures.formula.quantities import FN, FP, TN, TP

FORMULAS = {
    **{name: measure.formula for name, measure in MEASURE_REGISTRY.items()},
    **{
        f"{name}, whole": measure.overall_formula
        for name, measure in MEASURE_REGISTRY.items()
        if measure.overall_formula
    },
    **{name: measure.formula for name in ("f0.5", "f2.5") if (measure := find_measure(name))},
}
every_formula = pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)


@every_formula
def test_mathml_and_html_are_well_formed(formula: Formula) -> None:
    """A browser needs no guessing, and nothing is left of the notation's own braces."""
    for markup in (formula_as_mathml(formula), formula_as_html(formula)):
        root = ET.fromstring(f"<math>{markup}</math>")  # noqa: S314  # our own markup
        assert "".join(root.itertext()).strip()
        assert "{" not in markup
        assert "}" not in markup


@every_formula
def test_latex_balances_its_braces_and_brackets(formula: Formula) -> None:
    """Every brace that opens closes, and every left bracket has its right one."""
    markup = formula_as_latex(formula)
    depth = 0
    for letter in markup:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert markup.count(r"\left") == markup.count(r"\right")
    assert markup.isascii()


@every_formula
def test_text_is_one_line_with_balanced_brackets(formula: Formula) -> None:
    """What a terminal or a reason shows."""
    markup = formula_as_text(formula)

    assert "\n" not in markup
    assert markup.count("(") == markup.count(")")


@every_formula
def test_a_formula_names_all_it_is_made_of(formula: Formula) -> None:
    """Each quantity stands in the text itself or within a formula it names."""
    markup = formula_as_text(formula)
    directly = {quantity.symbol.text for quantity in find_quantities(formula)}
    within = {
        quantity.symbol.text
        for named in find_named_formulas(formula)
        for quantity in find_quantities(named)
    }

    assert all(named.symbol.text in markup for named in find_named_formulas(formula))
    assert all(symbol in markup for symbol in directly - within)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (TP / (TP + FN), "TP / (TP + FN)"),
        (TP - (FN - FP), "TP − (FN − FP)"),
        (TP - FN - FP, "TP − FN − FP"),
        (TP / (FN / FP), "TP / (FN / FP)"),
        ((TP + FN) * TN, "(TP + FN) · TN"),
        ((TP + FN) ** 2, "(TP + FN)²"),
        (sqrt(TP * TN), "√(TP · TN)"),
        (ln(TP / FN), "ln(TP / FN)"),
        (0.5 * TP, "0.5 · TP"),
    ],
)
def test_brackets_stand_where_they_are_needed_and_only_there(formula: Formula, text: str) -> None:
    """Reading the text gives the formula back."""
    assert formula_as_text(formula) == text


def test_a_fraction_is_written_as_one() -> None:
    """Numerator over denominator, in every markup."""
    share = TP / (TP + FN)

    assert formula_as_latex(share) == r"\frac{\mathit{TP}}{\mathit{TP} + \mathit{FN}}"
    assert formula_as_mathml(share) == (
        "<mfrac><mrow><mtext>TP</mtext></mrow>"
        "<mrow><mtext>TP</mtext><mo>+</mo><mtext>FN</mtext></mrow></mfrac>"
    )
    assert formula_as_html(share) == (
        '<span class="fraction"><span class="over">TP</span>'
        '<span class="under">TP + FN</span></span>'
    )


def test_a_symbol_may_have_marks_below_and_above() -> None:
    """Greek letters become commands in LaTeX."""
    symbol = Symbol("ρ", subscript="+", superscript="2")

    assert symbol.text == "ρ+²"
    assert symbol.html == "<i>ρ</i><sub>+</sub><sup>2</sup>"
    assert symbol.latex == r"\rho_{+}^{2}"
    assert symbol.mathml == "<msubsup><mi>ρ</mi><mtext>+</mtext><mtext>2</mtext></msubsup>"


def test_a_symbol_cannot_break_the_markup() -> None:
    """Signs of HTML are escaped."""
    assert Symbol("<b>", subscript="&").html == "&lt;b&gt;<sub>&amp;</sub>"
