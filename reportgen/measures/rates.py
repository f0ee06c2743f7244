"""Which measures follow from sensitivity, specificity and prevalence alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas.walk import quantities
from reportgen.measures.measure import Family

if TYPE_CHECKING:
    from reportgen.measures.measure import Measure

COUNTS = ("tp", "fn", "fp", "tn")


def follows_from_rates(measure: Measure) -> bool:
    """Tell whether a measure can be worked out at another prevalence, however many cases."""
    names = {quantity.name for quantity in quantities(measure.formula)}
    # Tests of association grow with the number of cases, which a prevalence does not tell.
    return names <= set(COUNTS) and measure.family is not Family.ASSOCIATION
