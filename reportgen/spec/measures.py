"""Which measures the report shows."""

from __future__ import annotations

from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeGuard

from pydantic import Field

from reportgen.errors import closest_match
from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    MEASURE_NOT_APPLICABLE,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_MEASURE,
)
from reportgen.spec.fields import NonEmpty, SingleLine, SpecModel
from reportgen.spec.issues import Highlight, ValidationIssue, describe_path, quote_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reportgen.measures import Measure
    from reportgen.spec.issues import KeyPath, RawSpec, RawTable


class MeasureSelection(SpecModel):
    """Which measures the report shows."""

    show: NonEmpty[SingleLine] | None = Field(default=None, examples=[["traditional", "f0.5"]])
    """Names and groups of measures; the default are those that suit the task."""


# Measures of scores and probabilities are asked for only where there are some.

_REPORTED_SCORE_KEYS = ("fold_scores", "dataset_scores")


def validate_scores_available(raw: RawSpec, name: str, path: KeyPath) -> Iterator[ValidationIssue]:
    """Yield the finding for a measure or a group whose scores no classifier has."""
    from reportgen.measures import MEASURE_GROUPS, SCORE_FAMILIES, find_measure

    members = [found for found in map(find_measure, MEASURE_GROUPS.get(name, (name,))) if found]
    if not members or any(measure.family not in SCORE_FAMILIES for measure in members):
        return
    kind = raw.probable_task_kind
    if kind == "regression" or any(has_reported_scores(raw, measure) for measure in members):
        return
    if not _has_cases(raw):
        message = (
            f"{quote_value(name)} is measured on single cases, and no classifier has predictions"
        )
        help_text = "give prediction files with scores, or take it out"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, path, help_text)
        return
    of_probabilities = all(measure.family.value == "probability" for measure in members)
    needed = "probabilities" if of_probabilities or kind == "multiclass" else "scores"
    if _has_score_columns(raw, probabilities=of_probabilities, multiclass=kind == "multiclass"):
        return
    key = "probabilities" if kind == "multiclass" else "score"
    column = "p_{class}" if kind == "multiclass" else "…"
    yield ValidationIssue(
        REQUIRES_OTHER_KEY,
        f"{quote_value(name)} is made of {needed}, and no classifier has any",
        path,
        f'name their column: `{key} = "{column}"` under [data]',
        missing_keys=(("data", key),),
    )


def has_reported_scores(raw: RawSpec, measure: Measure) -> bool:
    """Tell whether a classifier's values of a measure are given, not measured."""
    names = {measure.name, *measure.aliases}
    return any(
        isinstance(given := classifier.get(key), dict) and names & set(given)
        for _, classifier in raw.tables("classifiers")
        for key in _REPORTED_SCORE_KEYS
    )


def _has_cases(raw: RawSpec) -> bool:
    return any("predictions" in found for _, found in raw.tables("classifiers")) or any(
        True for _ in raw.tables("datasets")
    )


def _has_score_columns(raw: RawSpec, *, probabilities: bool, multiclass: bool) -> bool:
    """Tell whether any classifier may have the scores that are needed."""
    shared = raw.table("data")
    owners = [table for key in ("classifiers", "datasets") for _, table in raw.tables(key)]
    for own in (shared, *owners):
        if own.get("probabilities") is not None or own.get("format") is not None:
            return True
        kind = own.get("score_kind", shared.get("score_kind"))
        has_score = (own.get("score") or shared.get("score")) is not None
        if has_score and not multiclass and not (probabilities and kind == "ranking"):
            return True
    return False


# Measures exist and fit the task.

PERCENT = 100
NO_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def validate_measures(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield names of measures that are unknown or do not fit the task, wherever they are keys."""
    from reportgen.measures import MEASURE_GROUPS

    show = raw.table("measures").get("show")
    for index, name in enumerate(show if isinstance(show, list) else []):
        if isinstance(name, str) and name.strip():
            shown = ("measures", "show", index)
            yield from validate_measure_name(raw, name, shown, groups=MEASURE_GROUPS)
            yield from validate_scores_available(raw, name, shown)
    for path, classifier in raw.tables("classifiers"):
        scores = classifier.get("fold_scores")
        yield from validate_measure_keys(raw, scores, (*path, "fold_scores"))
        yield from validate_measure_keys(
            raw, classifier.get("dataset_scores"), (*path, "dataset_scores")
        )
        if isinstance(scores, dict):
            yield from _validate_fold_score_ranges(scores, (*path, "fold_scores"))


def validate_measure_name(
    raw: RawSpec,
    name: str,
    path: KeyPath,
    *,
    groups: Mapping[str, tuple[str, ...]] = NO_GROUPS,
    highlight: Highlight = Highlight.VALUE,
) -> Iterator[ValidationIssue]:
    """Yield the finding for one name of a measure, if there is one."""
    from reportgen.measures import find_measure

    members = map(find_measure, groups.get(name, (name,)))
    found = [measure for measure in members if measure is not None]
    kind = raw.probable_task_kind
    if not found:
        message = f"no measure is called {quote_value(name)}"
        yield ValidationIssue(
            UNKNOWN_MEASURE, message, path, _suggest_measure(name, groups), highlight
        )
    elif kind is not None and not any(measure.applies_to(kind) for measure in found):
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE,
            f"{quote_value(name)} does not fit a {kind} task",
            path,
            f"`reportgen explain {found[0].name}` says what it is for",
            highlight,
        )


def _suggest_measure(name: str, groups: Iterable[str]) -> str:
    from reportgen.measures import find_measure, measure_names

    candidate = closest_match(name, (*measure_names(), *groups))
    if candidate is None:
        return "`reportgen measures` lists all names"
    measure = find_measure(candidate)
    if measure is None or measure.name == candidate:
        return f"did you mean `{candidate}`?"
    return f"did you mean `{measure.name}`, also called `{candidate}`?"


def validate_measure_keys(raw: RawSpec, table: object, path: KeyPath) -> Iterator[ValidationIssue]:
    """Yield names of measures, as keys of a table, that are unknown, misfits or there twice."""
    from reportgen.measures import find_measure

    seen: dict[str, str] = {}
    for name in table if isinstance(table, dict) else ():
        yield from validate_measure_name(raw, name, (*path, name), highlight=Highlight.KEY)
        measure = find_measure(name)
        if measure is not None and measure.name in seen:
            message = (
                f"{quote_value(name)} is the same measure as {quote_value(seen[measure.name])}"
            )
            yield ValidationIssue(
                DUPLICATE_VALUE, message, (*path, name), "keep one of the two", Highlight.KEY
            )
        elif measure is not None:
            seen[measure.name] = name


def _validate_fold_score_ranges(scores: RawTable, path: KeyPath) -> Iterator[ValidationIssue]:
    from reportgen.measures import find_measure

    for name, items in scores.items():
        measure = find_measure(name)
        if measure is None:
            continue
        outside = [
            (index, score)
            for index, score in enumerate(items if isinstance(items, list) else [])
            if is_out_of_range(score, measure)
        ]
        # One fault per list, because percentages for shares are one mistake.
        for index, score in outside[:1]:
            place = (*path, name, index)
            more = f"; and {len(outside) - 1} more" if len(outside) > 1 else ""
            message = (
                f"{describe_path(place)} is outside of {describe_measure_range(measure)}{more}"
            )
            yield ValidationIssue(
                OUT_OF_RANGE, message, place, suggest_value_in_range(measure, score)
            )


def is_out_of_range(value: object, measure: Measure) -> TypeGuard[float]:
    """Tell whether a number is none that the measure can have."""
    # What is no number at all, or nan, is found by the model.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return not (isinstance(value, float) and isnan(value)) and not measure.range.contains(value)


def describe_measure_range(measure: Measure) -> str:
    """Return the values a measure can have, in words."""
    low, high = measure.range.low, measure.range.high
    start = "minus infinity" if low is None else f"{low:g}"
    end = "infinity" if high is None else f"{high:g}"
    return f"{start} to {end}, the range of `{measure.name}`"


def suggest_value_in_range(measure: Measure, value: float) -> str:
    """Return how to write a number that is out of range, a percentage above all."""
    if measure.range.high == 1 and 1 < value <= PERCENT:
        return f"a score of {value:g} % is written {value / PERCENT:g}"
    return f"`reportgen explain {measure.name}` says what it can be"
