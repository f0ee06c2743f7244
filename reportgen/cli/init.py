"""`reportgen init`: a spec to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.messages import say, show, warn

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

    from reportgen.drafting import FirstSpec, example_spec, spec_for_files
    from reportgen.rendering.writing import writing_to
    from reportgen.spec import spec_schema

    if output.is_dir():
        raise typer.BadParameter(f"{output} is a folder; name a file in it", param_hint="--output")
    if output.exists() and not force:
        raise typer.BadParameter(f"{output} exists; --force replaces it", param_hint="--output")
    drafted = (
        spec_for_files(predictions, output.parent) if predictions else FirstSpec(example_spec())
    )
    with writing_to(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        schema = json.dumps(spec_schema(), indent=2, ensure_ascii=False) + "\n"
        output.with_name(SCHEMA_FILE).write_text(schema, encoding="utf-8")
        output.write_text(f"#:schema ./{SCHEMA_FILE}\n{drafted.text}", encoding="utf-8")
    show(str(output))
    for trouble in drafted.troubles:
        warn(f"{output} cannot be built as it is: {trouble}")
    say(f"Next: {f'edit {output}, then ' if drafted.troubles else ''}reportgen build {output}")
