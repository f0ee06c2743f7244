"""Pydantic's errors as findings in the words of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING

from reportgen.errors import KINDS, did_you_mean
from reportgen.errors.spec_faults import MISSING_KEY, OUT_OF_RANGE, UNKNOWN_WORD, WRONG_TYPE
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted, subject, table_title, type_title
from reportgen.spec.known_keys import example, unknown_key, words_allowed
from reportgen.spec.theme import COLOUR_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_TYPES = {
    "string_type": "text",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
_LIMITS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_FORMS = {COLOUR_PATTERN: "a colour, written as #rrggbb"}
_HELP: dict[tuple[str, ...], str] = {
    ("intervals", "level"): "for a 95 % interval write 0.95",
    ("comparison", "alpha"): "for a chance of 5 % write 0.05",
    ("comparison", "margin"): "a margin is a difference, as 0.01 for one percentage point",
    ("prevalence", "targets"): "a prevalence of 5 % is written 0.05",
    ("classifiers", "confusion"): "a confusion matrix holds counts of cases",
}


def model_findings(error: ValidationError) -> Iterator[Finding]:
    """Yield what pydantic found, without what is only the consequence of another finding."""
    for details in error.errors(include_url=False):
        if details["type"] != "too_short" or _is_too_short(details):
            yield _finding(details)


def _is_too_short(details: ErrorDetails) -> bool:
    # Pydantic also counts a list as too short if its items are wrong.
    written = details["input"]
    shortest = details.get("ctx", {}).get("min_length", 0)
    return isinstance(written, Sized) and len(written) < int(shortest)


def _finding(details: ErrorDetails) -> Finding:
    name, path, written = details["type"], details["loc"], details["input"]
    context: Mapping[str, object] = details.get("ctx", {})
    if name in KINDS:
        reason = context.get("help")
        text = None if reason is None else str(reason)
        return Finding(KINDS[name], f"{subject(path)} {details['msg']}", path, text)
    if name == "extra_forbidden":
        return unknown_key(path)
    if name == "missing":
        return _missing(path)
    if name == "literal_error" and isinstance(written, str):
        return _unknown_word(path, written)
    if name in _LIMITS or name in {"finite_number", "too_short"}:
        return _out_of_range(name, path, written, context)
    if name == "string_pattern_mismatch":
        rule = f"must be {_FORMS[str(context['pattern'])]}, not {quoted(written)}"
        return Finding(WRONG_TYPE, f"{subject(path)} {rule}", path, _help(path))
    return _wrong_type(_TYPES.get(name, "something else"), path, written)


def _missing(path: KeyPath) -> Finding:
    return Finding(
        MISSING_KEY,
        f"{subject(path)} is missing in {table_title(path[:-1])}",
        path,
        example(path),
        Aim.TABLE,
        absent=(path,),
    )


def _unknown_word(path: KeyPath, written: str) -> Finding:
    allowed = words_allowed(path)
    return Finding(
        UNKNOWN_WORD,
        f"{subject(path)} cannot be {quoted(written)}",
        path,
        did_you_mean(written, allowed) or f"one of {', '.join(allowed)}",
    )


def _out_of_range(
    name: str, path: KeyPath, written: object, context: Mapping[str, object]
) -> Finding:
    if name == "finite_number":
        rule = f"must be a finite number, not {quoted(written)}"
    elif name == "too_short" and context["min_length"] == 1:
        rule = "must not be empty"
    elif name == "too_short":
        rule = f"must have at least {context['min_length']} items"
    else:
        limit, comparison = _LIMITS[name]
        number = context[limit]
        rule = (
            f"must be {comparison} {number:g}"
            if isinstance(number, float)
            else (f"must be {comparison} {number}")
        )
    return Finding(OUT_OF_RANGE, f"{subject(path)} {rule}", path, _help(path))


def _wrong_type(wanted: str, path: KeyPath, written: object) -> Finding:
    if path[-1:] == ("[key]",):
        path = path[:-1]
    message = f"{subject(path)} must be {wanted}, not {type_title(written)}"
    if wanted == "a list" and isinstance(written, dict):
        name = table_title((*path, 0))
        return Finding(WRONG_TYPE, message, path, f"write {name} with two brackets on each side")
    return Finding(WRONG_TYPE, message, path, _help(path))


def _help(path: KeyPath) -> str | None:
    keys = tuple(part for part in path if isinstance(part, str))
    return _HELP.get(keys) or _HELP.get(keys[:2]) or example(path)
