"""What [comparison] names as decisive or gives a margin can be tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.spec_faults import MEASURE_MISFIT
from reportgen.spec.findings import Aim, Finding, quoted
from reportgen.spec.rules.measures import key_findings, measure_finding
from reportgen.spec.rules.scores import is_given, score_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.spec.draft import Draft
    from reportgen.spec.findings import KeyPath

COUNTS = frozenset({"tp", "fn", "fp", "tn"})
# By DeLong's test, or by a paired t-test of one number per case.
TESTED_BY_CASE = ("roc_auc", "brier", "log_loss", "information_score", "rmse", "mae")


def comparison_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what keeps declared measures and measures with a margin from being tested."""
    asked = draft.table("comparison")
    primary, margin = asked.get("primary"), asked.get("margin")
    if isinstance(primary, str) and primary.strip():
        path = ("comparison", "primary")
        yield from measure_finding(draft, primary, path)
        yield from score_finding(draft, primary, path)
        yield from _untested(draft, primary, path, Aim.VALUE)
    yield from key_findings(draft, margin, ("comparison", "margin"))
    for name in margin if isinstance(margin, dict) else ():
        yield from _untested(draft, name, ("comparison", "margin", name), Aim.KEY)


def is_tested(measure: Measure) -> bool:
    """Tell whether there is a test of the difference of two classifiers on the same cases."""
    from reportgen.formulas import quantities
    from reportgen.measures import Orientation
    from reportgen.measures.interval import NoInterval

    if measure.orientation is Orientation.NEITHER or isinstance(measure.interval, NoInterval):
        return False
    counted = COUNTS.issuperset(found.name for found in quantities(measure.formula))
    return counted or measure.name in TESTED_BY_CASE


def _untested(draft: Draft, name: str, path: KeyPath, aim: Aim) -> Iterator[Finding]:
    from reportgen.measures import Orientation, find_measure

    measure = find_measure(name)
    if measure is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = f"{quoted(name)} is neither better high nor low, so nobody can be better in it"
        yield Finding(MEASURE_MISFIT, message, path, "name a measure with a better end", aim)
    # Scores by fold and over data sets are compared whatever they measure.
    elif not (is_tested(measure) or is_given(draft, measure) or "datasets" in draft.document):
        message = f"there is no test of a difference in {quoted(name)}"
        yield Finding(MEASURE_MISFIT, message, path, _tested_instead(draft), aim)


def _tested_instead(draft: Draft) -> str:
    from reportgen.measures import find_measure

    kind = draft.probable_kind or "binary"
    known = [(name, find_measure(name)) for name in TESTED_BY_CASE]
    fitting = [f"`{name}`" for name, measure in known if measure and measure.fits(kind)]
    *others, last = fitting if kind == "regression" else ("measures of counts", *fitting)
    return f"tested are {', '.join(others)} and {last}"
