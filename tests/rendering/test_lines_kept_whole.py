"""No line ends between a symbol and its value, nor within a p-value or before a unit."""

from __future__ import annotations

import pytest

from reportgen.formulas import Symbol
from reportgen.measures.counts import ACCURACY
from reportgen.rendering.page.fragments import Fragments
from reportgen.report.parts import Math, Part, Plain, PValue, Value
from tests.rendering.sample_tables import defined

GAMMA = Math(Symbol("γ"))
VALUE = Value(defined(0.463), ACCURACY)


@pytest.mark.parametrize("for_pdf", [False, True])
@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (("(", GAMMA, " ", VALUE, " at best)"), "γ</i></span>\u00a00.463 at best"),
        ((GAMMA, " = ", VALUE), "γ</i></span>\u00a0=\u00a00.463"),
        ((GAMMA, " and ", GAMMA), "γ</i></span> and "),
        (("(", PValue(0.0004, named=True), ")"), "(p\u00a0&lt;\u00a00.001)"),
        ((Plain(96.3, 1, "%"), " of it"), "96.3\u202f% of it"),
        (("by ", Plain(3.5, 1, "points")), "by 3.5\u202fpoints"),
    ],
)
def test_what_belongs_together_stays_on_a_line(
    parts: tuple[Part, ...], whole: str, *, for_pdf: bool
) -> None:
    """The spaces within are ones that do not break; all others do."""
    assert whole in Fragments(for_pdf=for_pdf).sentence(parts)
