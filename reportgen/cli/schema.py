"""`reportgen schema`: the shape of specs and results for editors and programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from reportgen.cli.messages import print_json


class Document(StrEnum):
    """What has a schema."""

    SPEC = "spec"
    RESULTS = "results"


def schema(
    document: Annotated[
        Document, typer.Argument(help="The spec, or results.json.")
    ] = Document.SPEC,
) -> None:
    """Print the JSON Schema of the spec or of results.json."""
    match document:
        case Document.SPEC:
            from reportgen.spec import spec_schema

            print_json(spec_schema())
        case Document.RESULTS:
            from reportgen.rendering.results.contract import results_schema

            print_json(results_schema())
