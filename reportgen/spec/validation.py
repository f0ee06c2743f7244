"""Rules that concern more than one key, judged as far as the rest of the spec allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from typing import TYPE_CHECKING

from reportgen.errors import ERROR_CODES, did_you_mean
from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    INVALID_CHOICE,
    MISSING_KEY,
    OUT_OF_RANGE,
    UNKNOWN_CLASSIFIER,
    WRONG_TYPE,
)
from reportgen.spec.chance import validate_chance
from reportgen.spec.classifiers import validate_classifiers, validate_dataset_scores
from reportgen.spec.data import validate_data_columns, validate_remote_inputs
from reportgen.spec.datasets import validate_datasets
from reportgen.spec.engine import validate_engine
from reportgen.spec.fields import fits_int64, format_label
from reportgen.spec.gates import validate_gates
from reportgen.spec.inference import (
    validate_comparison,
    validate_folds,
    validate_prevalence,
    validate_thresholds,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    ValidationIssue,
    describe_path,
    describe_type,
    format_table_header,
    quote_value,
)
from reportgen.spec.jobs import validate_notifications
from reportgen.spec.measures import validate_measures
from reportgen.spec.output import COLOUR_PATTERN
from reportgen.spec.published import validate_published
from reportgen.spec.sections import validate_sections
from reportgen.spec.suggestions import allowed_values, example_for_key, unknown_key_issue
from reportgen.spec.task import validate_task

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


# Integers stay within what TOML promises to keep.


def validate_integers(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield integers beyond 64 bit, wherever they are."""
    pending: list[tuple[KeyPath, object]] = [((), raw.document)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, index), item) for index, item in enumerate(value))
        elif isinstance(value, int) and not fits_int64(value):
            yield ValidationIssue(
                OUT_OF_RANGE,
                f"{describe_path(path)} is a whole number beyond 64 bit",
                path,
                "write a long number that only serves as a name in quotes",
            )


# Lists whose entries must differ have no entry twice.


def validate_unique_entries(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield classes, sections and formats that are listed twice."""
    yield from _duplicate_entry_issues("class", _list_entries(raw, "task", "classes"))
    yield from _duplicate_entry_issues("format", _list_entries(raw, "output", "formats"))
    sections: list[tuple[KeyPath, object]] = [
        ((*path, "kind"), table.get("kind"))
        for path, table in raw.tables("sections")
        if table.get("kind") != "text"
    ]
    yield from _duplicate_entry_issues("section", sections)


def _list_entries(raw: RawSpec, table: str, key: str) -> list[tuple[KeyPath, object]]:
    written = raw.table(table).get(key)
    entries = written if isinstance(written, list) else []
    return [((table, key, index), entry) for index, entry in enumerate(entries)]


def _duplicate_entry_issues(
    noun: str, entries: list[tuple[KeyPath, object]]
) -> Iterator[ValidationIssue]:
    seen: set[str] = set()
    for path, entry in entries:
        text = format_label(entry)
        if text is not None and text in seen:
            message = f"the {noun} {quote_value(text)} is listed twice"
            yield ValidationIssue(DUPLICATE_VALUE, message, path, "keep one of the two")
        elif text is not None:
            seen.add(text)


# Classifiers that other tables name exist.


def validate_classifier_references(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield names of classifiers that no classifier has."""
    written: list[tuple[KeyPath, object]] = [
        (("comparison", "baseline"), raw.table("comparison").get("baseline")),
        *(
            ((*path, key), table.get(key))
            for tables, key in (
                ("published", "classifier"),
                ("gates", "classifier"),
                ("gates", "not_worse_than"),
            )
            for path, table in raw.tables(tables)
        ),
    ]
    names = raw.classifier_names
    for path, name in written:
        if isinstance(name, str) and name.strip() and names is not None and name not in names:
            yield ValidationIssue(
                UNKNOWN_CLASSIFIER,
                f"no classifier is named {quote_value(name)}",
                path,
                did_you_mean(name, names) or f"there are {', '.join(map(quote_value, names[:10]))}",
            )


def validate_tables(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield everything in which the parts of a spec do not fit together."""
    for rule in (
        validate_integers,
        validate_task,
        validate_data_columns,
        validate_classifiers,
        validate_remote_inputs,
        validate_engine,
        validate_datasets,
        validate_dataset_scores,
        validate_folds,
        validate_measures,
        validate_comparison,
        validate_classifier_references,
        validate_gates,
        validate_published,
        validate_prevalence,
        validate_chance,
        validate_unique_entries,
        validate_sections,
        validate_thresholds,
        validate_notifications,
    ):
        yield from rule(raw)


__all__ = ["validate_tables"]


# Pydantic's errors as findings in the words of the spec.

_TYPE_NAMES = {
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
_BOUND_PHRASES = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_PATTERN_PHRASES = {COLOUR_PATTERN: "a colour, written as #rrggbb"}
_HELP_BY_KEY: dict[tuple[str, ...], str] = {
    ("intervals", "level"): "for a 95 % interval write 0.95",
    ("comparison", "alpha"): "for a chance of 5 % write 0.05",
    ("comparison", "margin"): "a margin is a difference, as 0.01 for one percentage point",
    ("prevalence", "targets"): "a prevalence of 5 % is written 0.05",
    ("classifiers", "confusion"): "a confusion matrix holds counts of cases",
}


def model_issues(error: ValidationError) -> Iterator[ValidationIssue]:
    """Yield what pydantic found, without what is only the consequence of another finding."""
    for details in error.errors(include_url=False):
        if details["type"] != "too_short" or _is_too_short(details):
            yield _issue_from_error(details)


def _is_too_short(details: ErrorDetails) -> bool:
    # Pydantic also counts a list as too short if its items are wrong.
    written = details["input"]
    shortest = details.get("ctx", {}).get("min_length", 0)
    return isinstance(written, Sized) and len(written) < int(shortest)


def _issue_from_error(details: ErrorDetails) -> ValidationIssue:
    name, path, written = details["type"], details["loc"], details["input"]
    context: Mapping[str, object] = details.get("ctx", {})
    if name in ERROR_CODES:
        reason = context.get("help")
        text = None if reason is None else str(reason)
        return ValidationIssue(
            ERROR_CODES[name], f"{describe_path(path)} {details['msg']}", path, text
        )
    if name == "extra_forbidden":
        return unknown_key_issue(path)
    if name == "missing":
        return _missing_key_issue(path)
    if name == "literal_error" and isinstance(written, str):
        return _invalid_choice_issue(path, written)
    if name in _BOUND_PHRASES or name in {"finite_number", "too_short"}:
        return _out_of_range_issue(name, path, written, context)
    if name == "string_pattern_mismatch":
        rule = f"must be {_PATTERN_PHRASES[str(context['pattern'])]}, not {quote_value(written)}"
        return ValidationIssue(
            WRONG_TYPE, f"{describe_path(path)} {rule}", path, _help_for_key(path)
        )
    return _wrong_type_issue(_TYPE_NAMES.get(name, "something else"), path, written)


def _missing_key_issue(path: KeyPath) -> ValidationIssue:
    return ValidationIssue(
        MISSING_KEY,
        f"{describe_path(path)} is missing in {format_table_header(path[:-1])}",
        path,
        example_for_key(path),
        Highlight.TABLE,
        missing_keys=(path,),
    )


def _invalid_choice_issue(path: KeyPath, value: str) -> ValidationIssue:
    allowed = allowed_values(path)
    return ValidationIssue(
        INVALID_CHOICE,
        f"{describe_path(path)} cannot be {quote_value(value)}",
        path,
        did_you_mean(value, allowed) or f"one of {', '.join(allowed)}",
    )


def _out_of_range_issue(
    name: str, path: KeyPath, value: object, context: Mapping[str, object]
) -> ValidationIssue:
    if name == "finite_number":
        rule = f"must be a finite number, not {quote_value(value)}"
    elif name == "too_short" and context["min_length"] == 1:
        rule = "must not be empty"
    elif name == "too_short":
        rule = f"must have at least {context['min_length']} items"
    else:
        limit, comparison = _BOUND_PHRASES[name]
        number = context[limit]
        rule = (
            f"must be {comparison} {number:g}"
            if isinstance(number, float)
            else (f"must be {comparison} {number}")
        )
    return ValidationIssue(OUT_OF_RANGE, f"{describe_path(path)} {rule}", path, _help_for_key(path))


def _wrong_type_issue(expected: str, path: KeyPath, value: object) -> ValidationIssue:
    if path[-1:] == ("[key]",):
        path = path[:-1]
    message = f"{describe_path(path)} must be {expected}, not {describe_type(value)}"
    if expected == "a list" and isinstance(value, dict):
        name = format_table_header((*path, 0))
        return ValidationIssue(
            WRONG_TYPE, message, path, f"write {name} with two brackets on each side"
        )
    return ValidationIssue(WRONG_TYPE, message, path, _help_for_key(path))


def _help_for_key(path: KeyPath) -> str | None:
    keys = tuple(part for part in path if isinstance(part, str))
    return _HELP_BY_KEY.get(keys) or _HELP_BY_KEY.get(keys[:2]) or example_for_key(path)
