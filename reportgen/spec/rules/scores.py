"""Measures of scores and probabilities are asked for only where there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.spec_faults import NEEDS_OTHER_KEY
from reportgen.spec.findings import Finding, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.spec.draft import Draft
    from reportgen.spec.findings import KeyPath

_GIVEN = ("fold_scores", "dataset_scores")


def score_finding(draft: Draft, name: str, path: KeyPath) -> Iterator[Finding]:
    """Yield the finding for a measure or a group whose scores no classifier has."""
    from reportgen.measures import GROUPS, SCORE_FAMILIES, find_measure

    members = [found for found in map(find_measure, GROUPS.get(name, (name,))) if found]
    if not members or any(measure.family not in SCORE_FAMILIES for measure in members):
        return
    kind = draft.probable_kind
    if kind == "regression" or any(is_given(draft, measure) for measure in members):
        return
    if not _reads_cases(draft):
        message = f"{quoted(name)} is measured on single cases, and no classifier has predictions"
        help_text = "give prediction files with scores, or take it out"
        yield Finding(NEEDS_OTHER_KEY, message, path, help_text)
        return
    of_probabilities = all(measure.family.value == "probability" for measure in members)
    needed = "probabilities" if of_probabilities or kind == "multiclass" else "scores"
    if _has_scores(draft, probabilities=of_probabilities, several=kind == "multiclass"):
        return
    key = "probabilities" if kind == "multiclass" else "score"
    column = "p_{class}" if kind == "multiclass" else "…"
    yield Finding(
        NEEDS_OTHER_KEY,
        f"{quoted(name)} is made of {needed}, and no classifier has any",
        path,
        f'name their column: `{key} = "{column}"` under [data]',
        absent=(("data", key),),
    )


def is_given(draft: Draft, measure: Measure) -> bool:
    """Tell whether a classifier's values of a measure are given, not measured."""
    names = {measure.name, *measure.aliases}
    return any(
        isinstance(given := classifier.get(key), dict) and names & set(given)
        for _, classifier in draft.tables("classifiers")
        for key in _GIVEN
    )


def _reads_cases(draft: Draft) -> bool:
    return any("predictions" in found for _, found in draft.tables("classifiers")) or any(
        True for _ in draft.tables("datasets")
    )


def _has_scores(draft: Draft, *, probabilities: bool, several: bool) -> bool:
    """Tell whether any classifier may have the scores that are needed."""
    shared = draft.table("data")
    owners = [table for key in ("classifiers", "datasets") for _, table in draft.tables(key)]
    for own in (shared, *owners):
        if own.get("probabilities") is not None or own.get("format") is not None:
            return True
        kind = own.get("score_kind", shared.get("score_kind"))
        has_score = (own.get("score") or shared.get("score")) is not None
        if has_score and not several and not (probabilities and kind == "ranking"):
            return True
    return False
