"""Measures exist and fit the task."""

from __future__ import annotations

from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeGuard

from reportgen.errors import nearest
from reportgen.errors.spec_faults import MEASURE_MISFIT, OUT_OF_RANGE, REPEATED, UNKNOWN_MEASURE
from reportgen.spec.findings import Aim, Finding, quoted, subject
from reportgen.spec.rules.scores import score_finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reportgen.measures import Measure
    from reportgen.spec.draft import Draft, Table
    from reportgen.spec.findings import KeyPath

PERCENT = 100
NO_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def measure_findings(draft: Draft) -> Iterator[Finding]:
    """Yield names of measures that are unknown or do not fit the task, wherever they are keys."""
    from reportgen.measures import GROUPS

    show = draft.table("measures").get("show")
    for index, name in enumerate(show if isinstance(show, list) else []):
        if isinstance(name, str) and name.strip():
            shown = ("measures", "show", index)
            yield from measure_finding(draft, name, shown, groups=GROUPS)
            yield from score_finding(draft, name, shown)
    for path, classifier in draft.tables("classifiers"):
        scores = classifier.get("fold_scores")
        yield from key_findings(draft, scores, (*path, "fold_scores"))
        yield from key_findings(draft, classifier.get("dataset_scores"), (*path, "dataset_scores"))
        if isinstance(scores, dict):
            yield from _fold_score_ranges(scores, (*path, "fold_scores"))


def measure_finding(
    draft: Draft,
    name: str,
    path: KeyPath,
    *,
    groups: Mapping[str, tuple[str, ...]] = NO_GROUPS,
    aim: Aim = Aim.VALUE,
) -> Iterator[Finding]:
    """Yield the finding for one name of a measure, if there is one."""
    from reportgen.measures import find_measure

    members = map(find_measure, groups.get(name, (name,)))
    found = [measure for measure in members if measure is not None]
    kind = draft.probable_kind
    if not found:
        message = f"no measure is called {quoted(name)}"
        yield Finding(UNKNOWN_MEASURE, message, path, _meant(name, groups), aim)
    elif kind is not None and not any(measure.fits(kind) for measure in found):
        yield Finding(
            MEASURE_MISFIT,
            f"{quoted(name)} does not fit a {kind} task",
            path,
            f"`reportgen explain {found[0].name}` says what it is for",
            aim,
        )


def _meant(name: str, others: Iterable[str]) -> str:
    from reportgen.measures import find_measure, measure_names

    candidate = nearest(name, (*measure_names(), *others))
    if candidate is None:
        return "`reportgen measures` lists all names"
    measure = find_measure(candidate)
    if measure is None or measure.name == candidate:
        return f"did you mean `{candidate}`?"
    return f"did you mean `{measure.name}`, also called `{candidate}`?"


def key_findings(draft: Draft, table: object, path: KeyPath) -> Iterator[Finding]:
    """Yield names of measures, as keys of a table, that are unknown, misfits or there twice."""
    from reportgen.measures import find_measure

    seen: dict[str, str] = {}
    for name in table if isinstance(table, dict) else ():
        yield from measure_finding(draft, name, (*path, name), aim=Aim.KEY)
        measure = find_measure(name)
        if measure is not None and measure.name in seen:
            message = f"{quoted(name)} is the same measure as {quoted(seen[measure.name])}"
            yield Finding(REPEATED, message, (*path, name), "keep one of the two", Aim.KEY)
        elif measure is not None:
            seen[measure.name] = name


def _fold_score_ranges(scores: Table, path: KeyPath) -> Iterator[Finding]:
    from reportgen.measures import find_measure

    for name, items in scores.items():
        measure = find_measure(name)
        if measure is None:
            continue
        outside = [
            (index, score)
            for index, score in enumerate(items if isinstance(items, list) else [])
            if is_outside(score, measure)
        ]
        # One fault per list, because percentages for shares are one mistake.
        for index, score in outside[:1]:
            place = (*path, name, index)
            more = f"; and {len(outside) - 1} more" if len(outside) > 1 else ""
            message = f"{subject(place)} is outside of {range_of(measure)}{more}"
            yield Finding(OUT_OF_RANGE, message, place, share_help(measure, score))


def is_outside(value: object, measure: Measure) -> TypeGuard[float]:
    """Tell whether a number is none that the measure can have."""
    # What is no number at all, or nan, is found by the model.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return not (isinstance(value, float) and isnan(value)) and not measure.range.contains(value)


def range_of(measure: Measure) -> str:
    """Return the values a measure can have, in words."""
    low, high = measure.range.low, measure.range.high
    start = "minus infinity" if low is None else f"{low:g}"
    end = "infinity" if high is None else f"{high:g}"
    return f"{start} to {end}, the range of `{measure.name}`"


def share_help(measure: Measure, value: float) -> str:
    """Return how to write a number that is out of range, a percentage above all."""
    if measure.range.high == 1 and 1 < value <= PERCENT:
        return f"a score of {value:g} % is written {value / PERCENT:g}"
    return f"`reportgen explain {measure.name}` says what it can be"
