"""No line ends between a symbol and its value, nor within a p-value or before a unit."""

from __future__ import annotations

import pytest

from reportgen.measures.formula import Symbol
from reportgen.measures.likelihood import YOUDEN
from reportgen.render.inline_html import InlineRenderer
from reportgen.report.inline import Inline, MathSymbol, MeasureEstimate, PlainNumber, PValue
from tests.render.sample_tables import defined

GAMMA = MathSymbol(Symbol("γ"))
VALUE = MeasureEstimate(defined(0.463), YOUDEN)


@pytest.mark.parametrize("for_pdf", [False, True])
@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("(", GAMMA, " ", VALUE, " at best)"), "γ</i></span>\u00a00.463 at best"),
        ((GAMMA, " = ", VALUE), "γ</i></span>\u00a0=\u00a00.463"),
        ((GAMMA, " and ", GAMMA), "γ</i></span> and "),
        (("(", PValue(0.0004, with_symbol=True), ")"), "(p\u00a0&lt;\u00a00.001)"),
        ((PlainNumber(96.3, 1, "%"), " of it"), "96.3% of it"),
        (("by ", PlainNumber(3.5, 1, "points")), "by 3.5\u202fpoints"),
    ],
)
def test_what_belongs_together_stays_on_a_line(
    parts: tuple[Inline, ...], text: str, *, for_pdf: bool
) -> None:
    """The spaces within are ones that do not break; all others do."""
    assert text in InlineRenderer(for_pdf=for_pdf).sentence(parts)
