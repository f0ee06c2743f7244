"""Measures exist and fit the task."""

from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from types import MappingProxyType

from reportgen.errors import nearest
from reportgen.errors.spec_faults import MEASURE_MISFIT, OUT_OF_RANGE, REPEATED, UNKNOWN_MEASURE
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted, subject
from reportgen.spec.rules.scores import score_finding

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
    margin = draft.table("comparison").get("margin")
    yield from _keys(draft, margin, ("comparison", "margin"))
    yield from _primary_findings(draft, draft.table("comparison").get("primary"))
    for path, classifier in draft.tables("classifiers"):
        scores = classifier.get("fold_scores")
        yield from _keys(draft, scores, (*path, "fold_scores"))
        yield from _keys(draft, classifier.get("dataset_scores"), (*path, "dataset_scores"))
        if isinstance(scores, dict):
            yield from _fold_score_ranges(scores, (*path, "fold_scores"))
    for path, gate in draft.tables("gates"):
        name = gate.get("measure")
        if isinstance(name, str):
            yield from measure_finding(draft, name, (*path, "measure"))


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


def _primary_findings(draft: Draft, name: object) -> Iterator[Finding]:
    """Yield what keeps the measure that is to be tested first from being tested."""
    from reportgen.measures import Orientation, find_measure

    if not isinstance(name, str) or not name.strip():
        return
    path = ("comparison", "primary")
    yield from measure_finding(draft, name, path)
    yield from score_finding(draft, name, path)
    measure = find_measure(name)
    if measure is not None and measure.orientation is Orientation.NEITHER:
        message = f"{quoted(name)} is neither better high nor low, so nobody can be better in it"
        yield Finding(MEASURE_MISFIT, message, path, "name a measure with a better end")


def _meant(name: str, others: Iterable[str]) -> str:
    from reportgen.measures import find_measure, measure_names

    candidate = nearest(name, (*measure_names(), *others))
    if candidate is None:
        return "`reportgen measures` lists all names"
    measure = find_measure(candidate)
    if measure is None or measure.name == candidate:
        return f"did you mean `{candidate}`?"
    return f"did you mean `{measure.name}`, also called `{candidate}`?"


def _keys(draft: Draft, table: object, path: KeyPath) -> Iterator[Finding]:
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
        numbers = [
            (index, score)
            for index, score in enumerate(items if isinstance(items, list) else [])
            # What is no number at all, or nan, is found by the model.
            if isinstance(score, int | float) and not isinstance(score, bool) and not isnan(score)
        ]
        outside = [index for index, score in numbers if not measure.range.contains(score)]
        # One fault per list, because percentages for shares are one mistake.
        for index in outside[:1]:
            place = (*path, name, index)
            limits = f"{_end(measure.range.low)} to {_end(measure.range.high)}"
            message = f"{subject(place)} is outside of {limits}, the range of `{measure.name}`"
            yield Finding(OUT_OF_RANGE, message, place, "a score of 81 % is written 0.81")


def _end(number: float | None) -> str:
    return "infinity" if number is None else f"{number:g}"
