"""Suggestions for misspelt names, by string similarity."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MIN_PREFIX_LENGTH = 3
_CUTOFF = 0.6
# Higher, because a wrong file is a worse suggestion than a wrong name.
_FILE_CUTOFF = 0.75


def closest_match(word: str, candidates: Iterable[str]) -> str | None:
    """Return the shortest candidate that starts with a word, else the closest one; None if far."""
    by_casefold = {candidate.casefold(): candidate for candidate in candidates}
    folded = word.casefold()
    completions = [candidate for candidate in by_casefold if candidate.startswith(folded)]
    if completions and len(folded) >= _MIN_PREFIX_LENGTH:
        return by_casefold[min(completions, key=len)]
    matches = get_close_matches(folded, by_casefold, n=1, cutoff=_CUTOFF)
    return by_casefold[matches[0]] if matches else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return "did you mean …?" for an unknown name, None if no candidate is close."""
    return _format_suggestion(closest_match(word, candidates))


def did_you_mean_file(path: str, candidates: Iterable[str]) -> str | None:
    """Return "did you mean …?" for a missing file, None if no file has a similar name."""
    _, _, suffix = path.rpartition(".")
    # Those of the same suffix last, so that they win where two stems are equal.
    ordered = sorted(candidates, key=lambda name: name.endswith(f".{suffix}"))
    by_stem = {_stem(name): name for name in ordered}
    matches = get_close_matches(_stem(path), by_stem, n=1, cutoff=_FILE_CUTOFF)
    return _format_suggestion(by_stem[matches[0]] if matches else None)


def _stem(path: str) -> str:
    name = path.casefold().rpartition("/")[2]
    return name.partition(".")[0] or name


def _format_suggestion(candidate: str | None) -> str | None:
    return None if candidate is None else f"did you mean `{candidate}`?"
