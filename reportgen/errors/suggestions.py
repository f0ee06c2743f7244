"""The word somebody probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MIN_PREFIX_LENGTH = 3
_CUTOFF = 0.6
# Higher, because a wrong file is a worse guess than a wrong word.
_FILE_CUTOFF = 0.75


def closest_match(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that begins with the word, or else the closest, if one is close."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    folded = word.casefold()
    longer = [each for each in by_folded if each.startswith(folded)]
    if longer and len(folded) >= _MIN_PREFIX_LENGTH:
        return by_folded[min(longer, key=len)]
    found = get_close_matches(folded, by_folded, n=1, cutoff=_CUTOFF)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the question to ask after an unknown word, if there is one to ask."""
    return _format_suggestion(closest_match(word, candidates))


def did_you_mean_file(path: str, candidates: Iterable[str]) -> str | None:
    """Return the question to ask after a file that does not exist, if one has a similar name."""
    _, _, ending = path.rpartition(".")
    # Those of the same ending last, so that they win where two stems are equal.
    ordered = sorted(candidates, key=lambda name: name.endswith(f".{ending}"))
    by_stem = {_stem(name): name for name in ordered}
    found = get_close_matches(_stem(path), by_stem, n=1, cutoff=_FILE_CUTOFF)
    return _format_suggestion(by_stem[found[0]] if found else None)


def _stem(path: str) -> str:
    name = path.casefold().rpartition("/")[2]
    return name.partition(".")[0] or name


def _format_suggestion(candidate: str | None) -> str | None:
    return None if candidate is None else f"did you mean `{candidate}`?"
