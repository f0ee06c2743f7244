"""Measures that are shares of cases: of which cases, and how sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formulas import Constant, Difference, Formula, Named, Quotient
from reportgen.formulas.as_numpy import as_numpy
from reportgen.frozen import frozen
from reportgen.intervals.limits import Limits
from reportgen.statistics.proportions import clopper_pearson_limits, wilson_limits
from reportgen.tallies import FN, TP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.spec.evidence import Intervals

WILSON, CLOPPER_PEARSON = "wilson", "clopper-pearson"
CASES_OF_CLASS = TP + FN


@frozen
class Share:
    """Some cases among others."""

    cases: Formula
    among: Formula

    def counted(
        self, at: Mapping[str, Numbers], weight: Numbers | float
    ) -> tuple[Numbers, Numbers]:
        """Return both numbers of cases, where each case counts as the weight says."""
        return as_numpy(self.cases, at) * weight, as_numpy(self.among, at) * weight


def share_of(formula: Formula) -> Share:
    """Read off a formula which share it is: a quotient, or 1 minus one."""
    match formula:
        case Named(formula=inner):
            return share_of(inner)
        case Quotient(cases, among):
            return Share(cases, among)
        case Difference(Constant(value=1), rest):
            other = share_of(rest)
            return Share(Difference(other.among, other.cases), other.among)
        case _:
            raise TypeError(f"{formula} is no share of cases")


def share_limits(cases: Numbers, among: Numbers, asked: Intervals) -> Limits:
    """Return the limits of shares by Clopper and Pearson if asked for, else by Wilson."""
    if asked.method == CLOPPER_PEARSON:
        return Limits.named(*clopper_pearson_limits(cases, among, asked.level), CLOPPER_PEARSON)
    return Limits.named(*wilson_limits(cases, among, asked.level), WILSON)
