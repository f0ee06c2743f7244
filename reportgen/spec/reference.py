"""The keys of the spec with type, choices, default and example, from its JSON Schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reportgen.spec.schema import spec_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TYPE_NAMES = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "object": "table",
    "array": "list",
}
_MAX_CHOICES = 12


@dataclass(frozen=True, slots=True)
class SpecKey:
    """A key of the spec: the header of its table in TOML, and what may stand there."""

    table: str
    name: str
    description: str
    type: str
    is_required: bool
    default: str | None
    example: str | None

    @property
    def path(self) -> str:
        """The table and the key, as in data.truth."""
        table = self.table.strip("[]")
        return f"{table}.{self.name}" if table else self.name


@dataclass(frozen=True, slots=True)
class SpecTable:
    """A table of the spec: its header in TOML, its description and its keys."""

    header: str
    description: str
    keys: tuple[SpecKey, ...]


def spec_tables() -> tuple[SpecTable, ...]:
    """Return all tables of the spec in order, the keys at the top first."""
    schema = spec_schema()
    return tuple(_walk_tables(schema, schema["$defs"], (), is_array=False))


def _walk_tables(
    schema: Mapping[str, Any],
    definitions: Mapping[str, Mapping[str, Any]],
    path: tuple[str, ...],
    *,
    is_array: bool,
) -> Iterator[SpecTable]:
    name = ".".join(path)
    header = f"[[{name}]]" if is_array else f"[{name}]" if name else ""
    required = schema.get("required", [])
    inner: list[tuple[str, Mapping[str, Any], bool]] = []
    keys = []
    for key, key_schema in schema["properties"].items():
        table, has_many_tables = _table_of(key_schema, definitions)
        if table is not None:
            inner.append((key, table, has_many_tables))
        if table is None or not path:
            keys.append(_build_key(header, key, key_schema, table, key in required))
    yield SpecTable(header, schema.get("description", ""), tuple(keys))
    for key, table, has_many_tables in inner:
        yield from _walk_tables(table, definitions, (*path, key), is_array=has_many_tables)


def _table_of(
    key_schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the table that a key holds, None if it is a value; and whether it may be repeated."""
    is_array = key_schema.get("type") == "array"
    reference = (key_schema.get("items", {}) if is_array else key_schema).get("$ref", "")
    table = definitions.get(reference.rpartition("/")[2])
    return (table if table and "properties" in table else None), is_array


def _build_key(
    header: str,
    key: str,
    key_schema: Mapping[str, Any],
    table: Mapping[str, Any] | None,
    is_required: bool,  # noqa: FBT001
) -> SpecKey:
    description = key_schema.get("description") or (table or {}).get("description", "")
    examples = key_schema.get("examples", [])
    return SpecKey(
        header,
        key,
        " ".join(description.split()),
        _describe_type(key_schema) if table is None else "table",
        is_required,
        _as_toml(key_schema["default"]) if "default" in key_schema else None,
        _as_toml(examples[0]) if examples else None,
    )


def _describe_type(key_schema: Mapping[str, Any]) -> str:
    """Return the values that a key takes: the choices, or the type with its limits."""
    if "enum" in key_schema or "const" in key_schema:
        choices = key_schema.get("enum", [key_schema.get("const")])
        more = ", …" if len(choices) > _MAX_CHOICES else ""
        return ", ".join(_as_toml(choice) for choice in choices[:_MAX_CHOICES]) + more
    if "anyOf" in key_schema:
        kinds = dict.fromkeys(
            "text" if "enum" in part and len(part["enum"]) > _MAX_CHOICES else _describe_type(part)
            for part in key_schema["anyOf"]
        )
        return " or ".join(kinds)
    kind = _TYPE_NAMES.get(key_schema.get("type", ""), "table" if "$ref" in key_schema else "value")
    if kind == "list" and key_schema.get("items"):
        inner = _describe_type(key_schema["items"])
        kind = f"list of {inner}" if inner != "value" else kind
    return kind + _describe_limits(key_schema)


def _describe_limits(key_schema: Mapping[str, Any]) -> str:
    signs = {
        "exclusiveMinimum": ">",
        "minimum": "≥",
        "exclusiveMaximum": "<",
        "maximum": "≤",
    }
    limits = [f"{sign} {key_schema[key]:g}" for key, sign in signs.items() if key in key_schema]
    return f" {', '.join(limits)}" if limits else ""


def _as_toml(value: object) -> str:
    """Return a value as TOML would have it; inline tables with equals signs."""
    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {_as_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
