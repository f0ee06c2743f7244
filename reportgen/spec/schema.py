"""The JSON Schema of a spec, derived from its models."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from reportgen.spec.described_schema import DescribedSchema
from reportgen.spec.model import SpecModel
from reportgen.spec.root import Spec


class _TomlSchema(DescribedSchema):
    """Leaves out what TOML does not have, null, and titles that only repeat a key."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        default = schema.get("default")
        # A table's default is that of its keys; an empty one is what the description says.
        if isinstance(default, SpecModel) or default in (None, ()):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


def spec_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that editors check a spec with."""
    schema = Spec.model_json_schema(by_alias=True, schema_generator=_TomlSchema)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **schema,
        "title": "reportgen spec",
        "description": "An evaluation of classifiers, for `reportgen build`.",
    }
