"""`reportgen init`: a spec to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.console import print_data, print_message, print_warning

SPEC_SCHEMA_FILE = "reportgen.schema.json"


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

    from reportgen.output.write import convert_os_errors
    from reportgen.predictions.scaffold import ScaffoldedSpec, example_spec, scaffold_spec
    from reportgen.spec import spec_schema

    if output.is_dir():
        raise typer.BadParameter(f"{output} is a folder; name a file in it", param_hint="--output")
    if output.exists() and not force:
        raise typer.BadParameter(f"{output} exists; --force replaces it", param_hint="--output")
    drafted = (
        scaffold_spec(predictions, output.parent) if predictions else ScaffoldedSpec(example_spec())
    )
    with convert_os_errors(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        schema = json.dumps(spec_schema(), indent=2, ensure_ascii=False) + "\n"
        output.with_name(SPEC_SCHEMA_FILE).write_text(schema, encoding="utf-8")
        output.write_text(f"#:schema ./{SPEC_SCHEMA_FILE}\n{drafted.text}", encoding="utf-8")
    print_data(str(output))
    for trouble in drafted.problems:
        print_warning(f"{output} cannot be built as it is: {trouble}")
    print_message(
        f"Next: {f'edit {output}, then ' if drafted.problems else ''}reportgen build {output}"
    )
