"""Which measures follow from sensitivity, specificity and prevalence alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.formulas.as_number import as_number
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


def depends_on_prevalence(measure: Measure) -> bool:
    """Tell whether a value moves when the cases of the class become more, all else the same."""
    few = {"tp": 70.0, "fn": 30.0, "fp": 20.0, "tn": 180.0}
    more = few | {"tp": 2 * few["tp"], "fn": 2 * few["fn"]}
    before, after = (float(as_number(measure.formula, counts)) for counts in (few, more))
    return not math.isclose(before, after, rel_tol=1e-9)
