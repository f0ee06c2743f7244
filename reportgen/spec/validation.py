"""Validation of a spec document: pydantic models first, then cross-checks on the typed result.

An invalid document is cross-checked as well, so that all issues are reported at once: its invalid
parts are left out until the rest is a valid `Spec`, and issues that depend on a part left out are
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from reportgen.errors import ERROR_CODES, closest_match, did_you_mean
from reportgen.errors.spec import (
    INVALID_CHOICE,
    MISSING_KEY,
    OUT_OF_RANGE,
    UNKNOWN_KEY,
    WRONG_TYPE,
)
from reportgen.spec.chance import validate_chance
from reportgen.spec.classifiers import (
    validate_classifier_name,
    validate_classifiers,
    validate_dataset_scores,
    validate_unique_names,
)
from reportgen.spec.data import validate_data_columns, validate_engine, validate_remote_inputs
from reportgen.spec.datasets import validate_datasets
from reportgen.spec.decision import validate_decision
from reportgen.spec.fields import SHA256_PATTERN, fits_int64
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
    ValidationIssue,
    describe_type,
    duplicate_issues,
    format_example,
    format_table_header,
    key_issue,
    quote_value,
)
from reportgen.spec.jobs import validate_notifications
from reportgen.spec.measures import OWN_NAME_PATTERN, validate_measures, with_spec_measures
from reportgen.spec.output import COLOUR_PATTERN, validate_sections
from reportgen.spec.published import validate_published
from reportgen.spec.segments import validate_segments
from reportgen.spec.spec import Spec
from reportgen.spec.task import validate_task

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

RawTable = dict[str, object]
"""A table as TOML or a program gives it, not yet validated."""


def validate_document(document: RawTable) -> tuple[Spec | None, list[ValidationIssue]]:
    """Return the spec of a document, None if it is invalid, and all issues of the document."""
    try:
        spec = Spec.model_validate(document).with_shared_predictions()
    except ValidationError as error:
        issues = [
            *model_issues(error),
            *_missing_classifiers(document),
            *_integer_issues(document),
            *_ValidPart(document).cross_check(),
        ]
        return None, list(_deduplicate(issues))
    checks = (_missing_classifiers(document), _integer_issues(document), _cross_check(spec))
    issues = list(_deduplicate([issue for check in checks for issue in check]))
    return (None if issues else spec), issues


def _deduplicate(issues: list[ValidationIssue]) -> Iterator[ValidationIssue]:
    """Yield the first issue of each path; a misspelt key is not reported as missing as well."""
    suggested = {issue.suggested_key for issue in issues}
    previous_paths: set[KeyPath] = set()
    for issue in issues:
        if issue.path not in previous_paths and suggested.isdisjoint(issue.depends_on):
            previous_paths.add(issue.path)
            yield issue


@with_spec_measures
def _cross_check(spec: Spec) -> list[ValidationIssue]:
    """Return issues that concern more than one key."""
    validators: tuple[Callable[[Spec], Iterable[ValidationIssue]], ...] = (
        validate_task,
        validate_data_columns,
        validate_classifiers,
        validate_remote_inputs,
        validate_engine,
        validate_datasets,
        validate_dataset_scores,
        validate_segments,
        validate_folds,
        validate_measures,
        validate_comparison,
        _validate_classifier_references,
        validate_gates,
        validate_published,
        validate_prevalence,
        validate_chance,
        _validate_unique_entries,
        validate_sections,
        validate_decision,
        validate_thresholds,
        validate_notifications,
    )
    return [issue for validate in validators for issue in validate(spec)]


def _validate_unique_entries(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield duplicate classes and output formats."""
    yield from duplicate_issues("class", spec.task.classes or (), ("task", "classes"))
    yield from duplicate_issues("format", spec.output.formats, ("output", "formats"))


def _validate_classifier_references(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield references of other tables to unknown classifiers."""
    references: list[tuple[KeyPath, str | None]] = [
        (("comparison", "baseline"), spec.comparison.baseline),
    ]
    for index, published in enumerate(spec.published):
        references.append((("published", index, "classifier"), published.classifier))
    for index, gate in enumerate(spec.gates):
        references.append((("gates", index, "classifier"), gate.classifier))
        references.append((("gates", index, "not_worse_than"), gate.not_worse_than))
    for path, name in references:
        if name is not None:
            yield from validate_classifier_name(spec, name, path)


def _missing_classifiers(document: RawTable) -> Iterator[ValidationIssue]:
    """Yield an issue if there are neither [[classifiers]] nor a file in long format."""
    data = document.get("data")
    if "classifiers" not in document and not (isinstance(data, dict) and "model" in data):
        path, help_text = ("classifiers",), example_for_key(("classifiers",))
        yield key_issue(
            MISSING_KEY, path, "is missing in the spec", help_text, Highlight.TABLE, (path,)
        )


def validate_models(spec: Spec) -> list[ValidationIssue]:
    """Return issues of names of classifiers, once those of a file in long format are known."""
    return [*validate_unique_names(spec), *_validate_classifier_references(spec)]


def _integer_issues(document: RawTable) -> Iterator[ValidationIssue]:
    """Yield integers beyond 64 bit, which TOML does not guarantee, wherever they are."""
    pending: list[tuple[KeyPath, object]] = [((), document)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, index), item) for index, item in enumerate(value))
        elif isinstance(value, int) and not fits_int64(value):
            yield key_issue(
                OUT_OF_RANGE,
                path,
                "is an integer beyond 64 bit",
                "write a long number that only serves as a name in quotes",
            )


# Cross-checks of an invalid document.


class _ValidPart:
    """An invalid document without its invalid parts."""

    def __init__(self, document: RawTable) -> None:
        self._document = document
        self._invalid: set[KeyPath] = set()
        # By array of tables that lost an item: the original indices of those that are left.
        self._indices: dict[KeyPath, list[int]] = {}

    def cross_check(self) -> Iterator[ValidationIssue]:
        """Yield issues of the valid part, except those that may follow from an invalid one."""
        spec = self._parse()
        for issue in () if spec is None else _cross_check(spec):
            depends_on = tuple(map(self._original_path, issue.depends_on))
            if not any(map(self._is_invalid, depends_on)):
                yield replace(issue, path=self._original_path(issue.path), depends_on=depends_on)

    def _parse(self) -> Spec | None:
        """Return the spec of the valid part, None if [task] or [[classifiers]] are not usable."""
        while True:
            try:
                return Spec.model_validate(self._document).with_shared_predictions()
            except ValidationError as error:
                parts = {self._correct(details) for details in _relevant_errors(error)}
            if () in parts:
                return None
            # The innermost first, and items of a list from its end, so that paths stay valid.
            for part in sorted(filter(None, parts), key=_removal_order):
                self._remove(part)

    def _correct(self, details: ErrorDetails) -> KeyPath | None:
        """Replace a misspelt choice by the closest one; else return the part to remove."""
        path, value = details["loc"], details["input"]
        if details["type"] == "literal_error" and isinstance(value, str):
            choice = closest_match(value, allowed_values(path))
            if choice is not None:
                self._invalid.add(self._original_path(path))
                self._container(path[:-1])[path[-1]] = choice
                return None
        return _removable_part(self._document, path)

    def _remove(self, part: KeyPath) -> None:
        self._invalid.add(self._original_path(part))
        array, last = part[:-1], part[-1]
        container = self._container(array)
        if isinstance(last, int):
            del self._indices.setdefault(array, list(range(len(container))))[last]
        del container[last]

    def _container(self, path: KeyPath) -> Any:  # noqa: ANN401  # a table or a list
        """Return the table or list at a path, copied together with those around it."""
        container: Any = dict(self._document)
        self._document = container
        for part in path:
            child = container[part]
            container[part] = dict(child) if isinstance(child, dict) else list(child)
            container = container[part]
        return container

    def _original_path(self, path: KeyPath) -> KeyPath:
        for position, part in enumerate(path):
            indices = self._indices.get(path[:position])
            if indices is not None and isinstance(part, int):
                return (*path[:position], indices[part], *path[position + 1 :])
        return path

    def _is_invalid(self, path: KeyPath) -> bool:
        within = any(path[:length] in self._invalid for length in range(1, len(path) + 1))
        return within or path in self._indices


def _removable_part(document: RawTable, path: KeyPath) -> KeyPath:
    """Return the path of the innermost key, or item of an array of tables, that has the error."""
    value: Any = document
    for depth, part in enumerate(path):
        has_key = isinstance(value, dict) and part in value
        # Of other lists, such as confusion matrices, no single items are left out.
        is_item = isinstance(value, list) and isinstance(part, int)
        if not (has_key or (is_item and isinstance(value[part], dict))):
            return path[:depth]
        value = value[part]
    return path


def _removal_order(part: KeyPath) -> tuple[bool, int, int]:
    last = part[-1]
    return isinstance(last, int), -len(part), -last if isinstance(last, int) else 0


# Errors of the models.

_TYPE_NAMES = {
    "string_type": "text",
    "float_type": "a number",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "bool_type": "a boolean",
    "date_type": "a date",
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
_PATTERN_PHRASES = {
    COLOUR_PATTERN: "a colour, written as #rrggbb",
    OWN_NAME_PATTERN: "a name of lower-case letters, digits and underscores",
    SHA256_PATTERN: "a SHA-256 of 64 hexadecimal digits",
}
_HELP_BY_KEY: dict[tuple[str, ...], str] = {
    ("intervals", "level"): "for a 95 % interval write 0.95",
    ("comparison", "alpha"): "for an error rate of 5 % write 0.05",
    ("comparison", "margin"): "a margin is a difference, such as 0.01 for one percentage point",
    ("decision", "prevalence"): "a prevalence of 5 % is written 0.05",
    ("prevalence", "targets"): "a prevalence of 5 % is written 0.05",
    ("classifiers", "confusion"): "a confusion matrix contains counts of cases",
}


def model_issues(error: ValidationError) -> Iterator[ValidationIssue]:
    """Yield an issue for each error of the models."""
    yield from map(_issue_from_error, _relevant_errors(error))


def _relevant_errors(error: ValidationError) -> list[ErrorDetails]:
    # Pydantic also counts a list as too short if its items are wrong.
    return [
        details
        for details in error.errors(include_url=False)
        if details["type"] != "too_short" or _is_too_short(details)
    ]


def _is_too_short(details: ErrorDetails) -> bool:
    value = details["input"]
    minimum = details.get("ctx", {}).get("min_length", 0)
    return isinstance(value, Sized) and len(value) < int(minimum)


def _issue_from_error(details: ErrorDetails) -> ValidationIssue:
    name, path, value = details["type"], details["loc"], details["input"]
    context: Mapping[str, object] = details.get("ctx", {})
    if name in ERROR_CODES:
        reason = context.get("help")
        help_text = None if reason is None else str(reason)
        return key_issue(ERROR_CODES[name], path, details["msg"], help_text)
    if name == "extra_forbidden":
        return _unknown_key_issue(path)
    if name == "missing":
        message = f"is missing in {format_table_header(path[:-1])}"
        help_text = example_for_key(path)
        return key_issue(MISSING_KEY, path, message, help_text, Highlight.TABLE, (path,))
    if name == "literal_error" and isinstance(value, str):
        allowed = allowed_values(path)
        help_text = did_you_mean(value, allowed) or f"expected one of {', '.join(allowed)}"
        message = f"has the invalid value {quote_value(value)}"
        return key_issue(INVALID_CHOICE, path, message, help_text)
    if name in _BOUND_PHRASES or name in {"finite_number", "too_short"}:
        message = _describe_range(name, value, context)
        return key_issue(OUT_OF_RANGE, path, message, _help_for_key(path))
    if name == "string_pattern_mismatch":
        message = f"must be {_PATTERN_PHRASES[str(context['pattern'])]}, not {quote_value(value)}"
        return key_issue(WRONG_TYPE, path, message, _help_for_key(path))
    return _wrong_type_issue(_TYPE_NAMES.get(name, "something else"), path, value)


def _describe_range(name: str, value: object, context: Mapping[str, object]) -> str:
    if name == "finite_number":
        return f"must be a finite number, not {quote_value(value)}"
    if name == "too_short":
        minimum = context["min_length"]
        return "must not be empty" if minimum == 1 else f"must have at least {minimum} items"
    limit, comparison = _BOUND_PHRASES[name]
    number = context[limit]
    return f"must be {comparison} {f'{number:g}' if isinstance(number, float) else number}"


def _wrong_type_issue(expected: str, path: KeyPath, value: object) -> ValidationIssue:
    if path[-1:] == ("[key]",):
        path = path[:-1]
    message = f"must be {expected}, not {describe_type(value)}"
    if expected == "a list" and isinstance(value, dict):
        header = format_table_header((*path, 0))
        help_text = f"write {header} with two brackets on each side"
        return key_issue(WRONG_TYPE, path, message, help_text)
    return key_issue(WRONG_TYPE, path, message, _help_for_key(path))


def _help_for_key(path: KeyPath) -> str | None:
    keys = tuple(part for part in path if isinstance(part, str))
    return _HELP_BY_KEY.get(keys) or _HELP_BY_KEY.get(keys[:2]) or example_for_key(path)


# Suggestions from the JSON Schema.

_SYNONYMS = {
    "actual": "truth",
    "target": "truth",
    "label": "truth",
    "y_true": "truth",
    "y_pred": "prediction",
    "probability": "score",
    "model": "classifier",
    "models": "classifiers",
    "metric": "measure",
    "metrics": "measures",
    "type": "kind",
    "labels": "classes",
    "file": "predictions",
    "files": "predictions",
    "path": "predictions",
    "confusion_matrix": "confusion",
    "columns": "data",
}


def _unknown_key_issue(path: KeyPath) -> ValidationIssue:
    table, key = path[:-1], str(path[-1])
    known_keys = tuple(_properties(table))
    suggestion = _SYNONYMS.get(key.lower())
    if suggestion not in known_keys:
        suggestion = closest_match(key, known_keys)
    header = f" in {format_table_header(table)}" if table else ""
    return ValidationIssue(
        UNKNOWN_KEY,
        f"unknown key {quote_value(key)}{header}",
        path,
        f"did you mean `{suggestion}`?" if suggestion else _suggest_table(key, known_keys),
        Highlight.KEY,
        suggested_key=(*table, suggestion) if suggestion else None,
    )


def _suggest_table(key: str, known_keys: tuple[str, ...]) -> str | None:
    for name in _properties(()):
        if key in _properties((name,)):
            return f"`{key}` belongs in [{name}]"
    return f"expected one of {', '.join(known_keys)}" if known_keys else None


def allowed_values(path: KeyPath) -> tuple[str, ...]:
    """Return the values that a key with a fixed choice takes."""
    schema = _schema_at(path)
    return tuple(schema.get("enum", [schema["const"]] if "const" in schema else []))


def example_for_key(path: KeyPath) -> str | None:
    """Return an example of the key at a path, if its model has one."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    if not path:
        return None
    examples = _schema_at(path).get("examples")
    if examples:
        return f"for example `{path[-1]} = {format_example(examples[0])}`"
    return {"task": "start with [task]", "classifiers": "add a [[classifiers]] table"}.get(
        str(path[-1])
    )


def _properties(path: KeyPath) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = _schema_at(path).get("properties", {})
    return properties


def _schema_at(path: KeyPath) -> Mapping[str, Any]:
    schema = _resolve_reference(_schema())
    for part in path:
        if isinstance(part, int):
            step = schema.get("items", {})
        else:
            step = schema.get("properties", {}).get(part) or schema.get("additionalProperties")
        schema = _resolve_reference(step if isinstance(step, dict) else {})
    return schema


def _resolve_reference(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    return _schema()["$defs"][reference.rpartition("/")[2]] if reference else schema


def _schema() -> dict[str, Any]:
    # Only documents with issues need the schema.
    from reportgen.spec.schema import spec_schema

    return spec_schema()
