"""`reportgen check`: a spec and its data, without a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.messages import fault_row, print_json, show_faults, warn
from reportgen.errors import ExitCode, ReportgenError


def check(
    specs: Annotated[list[Path], typer.Argument(metavar="SPEC", help="The spec files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check every SPEC and the data it names, and write nothing."""
    worst = ExitCode.DONE
    rows = []
    for spec in specs:
        try:
            found, warnings = _check_one(spec)
        except ReportgenError as error:
            worst = max(worst, error.exit_code)
            rows.append({"spec": str(spec), "errors": [fault_row(each) for each in error.faults]})
            if not as_json:
                show_faults(error.faults)
            continue
        rows.append({"spec": str(spec), "errors": [], "warnings": warnings})
        if not as_json:
            for warning in warnings:
                warn(warning)
            typer.echo(f"{spec}: {found}")
    if as_json:
        print_json(rows)
    raise typer.Exit(worst)


def _check_one(spec: Path) -> tuple[str, list[str]]:
    from reportgen.predictions import read_predictions
    from reportgen.spec import read_spec

    spec_file = read_spec(spec)
    predictions = read_predictions(spec_file)
    said = [f"{len(spec_file.spec.classifiers)} classifiers"]
    if predictions.case_count is not None:
        said.append(f"{predictions.case_count} cases")
    if predictions.classes:
        said.append(f"{len(predictions.classes)} classes")
    return f"fine ({', '.join(said)})", [*spec_file.warnings, *predictions.warnings]
