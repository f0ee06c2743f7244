"""Which keys and words a spec may have, and what was probably meant by others."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from reportgen.errors import closest_match
from reportgen.errors.spec import UNKNOWN_KEY
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    format_table_header,
    quote_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def unknown_key_issue(path: KeyPath) -> ValidationIssue:
    """Return the finding for a key that does not exist, with the key that was probably meant."""
    *parent, key = path
    table = tuple(parent)
    known = tuple(_properties(table))
    meant = _SYNONYMS.get(str(key).lower())
    if meant not in known:
        meant = closest_match(str(key), known)
    place = f" in {format_table_header(table)}" if table else ""
    return ValidationIssue(
        UNKNOWN_KEY,
        f"unknown key {quote_value(key)}{place}",
        path,
        f"did you mean `{meant}`?" if meant else _suggest_table(str(key), known),
        Highlight.KEY,
        suggested_key=(*table, meant) if meant else None,
    )


def allowed_values(path: KeyPath) -> tuple[str, ...]:
    """Return the words a key takes."""
    schema = _schema_at(path)
    return tuple(schema.get("enum", [schema["const"]] if "const" in schema else []))


def example_for_key(path: KeyPath) -> str | None:
    """Return how the key at a path could be written, if its model has an example."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    if not path:
        return None
    examples = _schema_at(path).get("examples")
    if examples:
        return f"for example `{path[-1]} = {_format_toml_example(examples[0])}`"
    return {"task": "start with [task]", "classifiers": "add a [[classifiers]] table"}.get(
        str(path[-1])
    )


def _suggest_table(key: str, known: tuple[str, ...]) -> str | None:
    for name in _properties(()):
        if key in _properties((name,)):
            return f"`{key}` belongs in [{name}]"
    return f"known here: {', '.join(known)}" if known else None


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


@cache
def _schema() -> dict[str, Any]:
    from reportgen.spec.schema import spec_schema

    return spec_schema()


def _format_toml_example(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_format_toml_example(item)}" for key, item in value.items())
        return f"{{ {inside} }}"
    return json.dumps(value, ensure_ascii=False)
