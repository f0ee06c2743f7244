"""`reportgen init`: a spec to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.messages import say

SCHEMA_FILE = "reportgen.schema.json"


def init(
    predictions: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Prediction files to write a spec for."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="SPEC", help="The spec to write.")
    ] = Path("reportgen.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing spec.")] = False,
) -> None:
    """Write an example spec, or one that fits the columns of prediction FILEs."""
    import json

    from reportgen.predictions import example_spec, spec_for_files
    from reportgen.spec import spec_schema

    if output.exists() and not force:
        raise typer.BadParameter(f"{output} exists; --force replaces it", param_hint="--output")
    schema = output.with_name(SCHEMA_FILE)
    text = spec_for_files(predictions, output.parent) if predictions else example_spec()
    output.parent.mkdir(parents=True, exist_ok=True)
    schema.write_text(json.dumps(spec_schema(), indent=2) + "\n", encoding="utf-8")
    output.write_text(f"#:schema ./{SCHEMA_FILE}\n{text}", encoding="utf-8")
    typer.echo(str(output))
    say(f"Next: reportgen build {output}")
