"""`reportgen schema`: the JSON Schemas of specs and results."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from reportgen.cli.console import print_json


class SchemaDocument(StrEnum):
    """A document with a schema."""

    SPEC = "spec"
    RESULTS = "results"
    SCHEMASTORE = "schemastore"


def schema(
    document: Annotated[
        SchemaDocument,
        typer.Argument(
            help="The document: a spec, or results.json; or the schema of a spec for SchemaStore."
        ),
    ] = SchemaDocument.SPEC,
) -> None:
    """Print the JSON Schema of the spec or of results.json."""
    match document:
        case SchemaDocument.SPEC:
            from reportgen.spec import spec_schema

            print_json(spec_schema())
        case SchemaDocument.SCHEMASTORE:
            from reportgen.spec.schema import schemastore_schema

            print_json(schemastore_schema())
        case SchemaDocument.RESULTS:
            from reportgen.export.schema import results_schema

            print_json(results_schema())
