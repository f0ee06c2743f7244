"""The JSON Schema of the spec, generated from its models and their docstrings."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from reportgen.spec.fields import SpecModel
from reportgen.spec.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Iterator


class DescribedSchemaGenerator(GenerateJsonSchema):
    """Adds the attribute docstrings of models as descriptions.

    Pydantic can do so when it creates a model, but then every run parses the source of every
    model, which takes longer than loading a spec.
    """

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a model with descriptions of its keys."""
        json_schema = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        for name, text in _attribute_docstrings(model):
            field = model.model_fields[name]
            key = field.serialization_alias if self.mode == "serialization" else field.alias
            property_schema = json_schema["properties"][key or name]
            if self._referenced_schema(property_schema).get("description") != text:
                property_schema["description"] = text
        return json_schema

    def _referenced_schema(self, property_schema: JsonSchemaValue) -> JsonSchemaValue:
        """Return the schema that a key refers to; it may have the same description."""
        reference = property_schema.get("$ref")
        schema = self.get_schema_from_definitions(reference) if reference else None
        return schema or {}


def _attribute_docstrings(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a model with their docstrings."""
    kinds = [kind for kind in reversed(model.__mro__) if issubclass(kind, BaseModel)]
    for kind in kinds[1:]:
        yield from _own_attribute_docstrings(
            _class_definitions(sys.modules[kind.__module__])[kind.__name__]
        )


def _own_attribute_docstrings(class_definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for attribute, next_statement in pairwise(class_definition.body):
        match attribute, next_statement:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)


@cache
def _class_definitions(module: ModuleType) -> dict[str, ast.ClassDef]:
    parsed = ast.parse(inspect.getsource(module))
    return {node.name: node for node in parsed.body if isinstance(node, ast.ClassDef)}


class _SpecSchemaGenerator(DescribedSchemaGenerator):
    """Omits null, which TOML does not have, and titles that repeat a key."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        default = schema.get("default")
        # The default of a table is that of its keys; an empty one is described in the text.
        if isinstance(default, SpecModel) or default in (None, ()):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


@cache
def spec_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a spec, for editors."""
    schema = Spec.model_json_schema(by_alias=True, schema_generator=_SpecSchemaGenerator)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schema,
        "title": "reportgen spec",
        "description": "An evaluation of classifiers, for `reportgen build`.",
    }


SCHEMASTORE_ID = "https://json.schemastore.org/reportgen.json"
SCHEMASTORE_FILES = ("reportgen.toml", "*.reportgen.toml")
"""The names of files that editors apply the schema to: `fileMatch` of the catalog."""
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def schemastore_schema() -> dict[str, Any]:
    """Return the schema of a spec as SchemaStore takes it: draft-07, with an address."""
    schema = _to_draft_7(spec_schema())
    return {"$schema": _DRAFT_7, "$id": SCHEMASTORE_ID} | {
        key: value for key, value in schema.items() if key != "$schema"
    }


def _to_draft_7(value: Any) -> Any:  # noqa: ANN401  # JSON
    """Return a schema with the keywords of draft-07 for those that came later."""
    if isinstance(value, list):
        return [_to_draft_7(item) for item in value]
    if not isinstance(value, dict):
        return value
    draft_7 = {key: _to_draft_7(item) for key, item in value.items()}
    if isinstance(reference := draft_7.get("$ref"), str):
        # Keywords next to $ref have no effect before 2019-09.
        draft_7["$ref"] = reference.replace("#/$defs/", "#/definitions/")
        if len(draft_7) > 1:
            draft_7["allOf"] = [{"$ref": draft_7.pop("$ref")}, *draft_7.pop("allOf", [])]
    if "$defs" in draft_7:
        draft_7["definitions"] = draft_7.pop("$defs")
    if "prefixItems" in draft_7:
        following = draft_7.pop("items", None)
        draft_7["items"] = draft_7.pop("prefixItems")
        if following is not None:
            draft_7["additionalItems"] = following
    return draft_7
