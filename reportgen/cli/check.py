"""`reportgen check`: a spec and its data, without a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import (
    diagnostic_row,
    print_data,
    print_diagnostics,
    print_json,
    print_warning,
)
from reportgen.cli.specs import SpecsArgument, find_spec_files
from reportgen.errors import ExitCode, ReportgenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.evaluation.gate_outcome import GateOutcome


def check(
    specs: SpecsArgument = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check every SPEC and the data it names, and write nothing."""
    worst = ExitCode.SUCCESS
    rows = []
    for spec in find_spec_files(specs):
        try:
            found, warnings = _check_spec(spec)
        except ReportgenError as error:
            worst = max(worst, error.exit_code)
            faults = [diagnostic_row(fault) for fault in error.diagnostics]
            rows.append({"spec": str(spec), "warnings": [], "errors": faults})
            print_diagnostics(error.diagnostics)
            continue
        rows.append({"spec": str(spec), "warnings": warnings, "errors": []})
        for warning in warnings:
            print_warning(warning)
        if not as_json:
            print_data(f"{spec}: {found}")
    if as_json:
        print_json(rows)
    raise typer.Exit(worst)


def _check_spec(spec: Path) -> tuple[str, list[str]]:
    from reportgen.pipeline import evaluate_spec_file
    from reportgen.predictions.diagnostics import format_count
    from reportgen.render.theme import load_theme
    from reportgen.spec import load_spec

    spec_file = load_spec(spec)
    load_theme(spec_file)
    if spec_file.spec.engine.kind == "spark":
        # Looking at the data would be the work itself, and need the cluster.
        count = format_count(len(spec_file.spec.classifiers), "classifier")
        return f"fine ({count}; the data are on Spark)", list(spec_file.warnings)
    evaluation = evaluate_spec_file(spec_file)
    said = [format_count(len(evaluation.spec.classifiers), "classifier")]
    predictions = evaluation.aggregates
    if predictions.case_count is not None:
        said.append(f"{predictions.case_count} cases")
    if predictions.classes:
        said.append(f"{len(predictions.classes)} classes")
    return f"fine ({', '.join(said)})", [
        *evaluation.warnings,
        *_untestable_gate_warnings(evaluation.gates),
    ]


def _untestable_gate_warnings(gates: Iterable[GateOutcome]) -> Iterator[str]:
    """Yield gates that fail on these data because there is nothing to judge them by."""
    for gate in gates:
        # What earlier runs found is not looked at here.
        if gate.observed is None and not gate.passed and gate.kind != "not_worse_than_last":
            yield f"the gate on `{gate.measure}` of `{gate.classifier}` would fail: {gate.reason}"
