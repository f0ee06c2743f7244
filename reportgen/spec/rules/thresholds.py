"""Thresholds are asked for where there are scores of two classes, and by measures of counts."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import (
    MEASURE_MISFIT,
    NEEDS_OTHER_KEY,
    OUT_OF_RANGE,
    TASK_MISFIT,
)
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding, quoted
from reportgen.spec.rules.comparison import COUNTS
from reportgen.spec.rules.measures import is_outside, measure_finding, range_of, share_help


def threshold_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what keeps thresholds from being chosen."""
    if "thresholds" not in draft.document:
        return
    kind = draft.task_kind
    if kind is not None and kind != "binary":
        message = f"thresholds are chosen between two classes, but the task is {kind}"
        yield Finding(TASK_MISFIT, message, ("thresholds",), "take [thresholds] out", Aim.KEY)
    elif not _has_scores(draft):
        message = "thresholds need scores, but no column of scores is named"
        help_ = 'name it: `score = "p_yes"` in [data]'
        yield Finding(NEEDS_OTHER_KEY, message, ("thresholds",), help_, Aim.KEY)
    yield from _conditions(draft)


def _has_scores(draft: Draft) -> bool:
    tables = [draft.table("data"), *(table for _, table in draft.tables("classifiers"))]
    return any(key in table for table in tables for key in ("score", "probabilities", "format"))


def _conditions(draft: Draft) -> Iterator[Finding]:
    from reportgen.formulas import quantities
    from reportgen.measures import find_measure

    wanted = draft.table("thresholds").get("at_least")
    for name, least in wanted.items() if isinstance(wanted, dict) else ():
        path = ("thresholds", "at_least", name)
        yield from measure_finding(draft, name, path, aim=Aim.KEY)
        measure = find_measure(name)
        if measure is None:
            continue
        if not COUNTS.issuperset(found.name for found in quantities(measure.formula)):
            message = f"{quoted(name)} has no value at a single threshold"
            yield Finding(MEASURE_MISFIT, message, path, "ask for sensitivity or the like", Aim.KEY)
        elif is_outside(least, measure):
            message = f"{quoted(name)} is asked to be outside of {range_of(measure)}"
            yield Finding(OUT_OF_RANGE, message, path, share_help(measure, least))
