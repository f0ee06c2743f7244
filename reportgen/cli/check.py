"""`reportgen check`: validate a spec and its data without building a report."""

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
from reportgen.cli.options import JsonOption
from reportgen.cli.specs import SpecsArgument, find_spec_files
from reportgen.errors import ExitCode, ReportgenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.evaluation.gate_outcome import GateOutcome


def check(
    specs: SpecsArgument = None,
    pin: Annotated[
        bool,
        typer.Option(
            "--pin",
            help="Write the SHA-256 of all input files into the spec; a changed file is an error"
            " from then on.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Validate each SPEC and its data without building a report."""
    exit_code = ExitCode.SUCCESS
    rows = []
    for spec in find_spec_files(specs):
        try:
            if pin:
                _pin_inputs(spec)
            summary, warnings = _check_spec(spec)
        except ReportgenError as error:
            exit_code = max(exit_code, error.exit_code)
            errors = [diagnostic_row(diagnostic) for diagnostic in error.diagnostics]
            rows.append({"spec": str(spec), "warnings": [], "errors": errors})
            print_diagnostics(error.diagnostics)
            continue
        rows.append({"spec": str(spec), "warnings": warnings, "errors": []})
        for warning in warnings:
            print_warning(warning)
        if not as_json:
            print_data(f"{spec}: {summary}")
    if as_json:
        print_json(rows)
    raise typer.Exit(exit_code)


def _pin_inputs(spec: Path) -> None:
    """Write the hashes of the input files of a spec into it."""
    from reportgen.output.write import write_file_atomic
    from reportgen.predictions.files import pin_hashes
    from reportgen.predictions.long_format import expand_models
    from reportgen.spec import load_spec

    text = pin_hashes(expand_models(load_spec(spec)), spec.read_text("utf-8"))
    write_file_atomic(spec, text.encode())


def _check_spec(spec: Path) -> tuple[str, list[str]]:
    from reportgen.pipeline import evaluate_spec_file
    from reportgen.predictions.diagnostics import format_count
    from reportgen.render.theme import load_theme
    from reportgen.spec import load_spec

    spec_file = load_spec(spec)
    load_theme(spec_file)
    if spec_file.spec.engine.kind == "spark":
        # Reading the data needs the cluster, and takes as long as a build.
        count = format_count(len(spec_file.spec.classifiers), "classifier")
        return f"valid ({count}; data on Spark not checked)", list(spec_file.warnings)
    evaluation = evaluate_spec_file(spec_file)
    facts = [format_count(len(evaluation.spec.classifiers), "classifier")]
    predictions = evaluation.aggregates
    if predictions.case_count is not None:
        facts.append(f"{predictions.case_count} cases")
    if predictions.classes:
        facts.append(f"{len(predictions.classes)} classes")
    return f"valid ({', '.join(facts)})", [
        *evaluation.warnings,
        *_untestable_gate_warnings(evaluation.gates),
    ]


def _untestable_gate_warnings(gates: Iterable[GateOutcome]) -> Iterator[str]:
    """Yield warnings about gates that would fail because their value is undefined."""
    for gate in gates:
        # The history is not read here.
        if gate.observed is None and not gate.passed and gate.kind != "not_worse_than_last":
            yield f"the gate on `{gate.measure}` of `{gate.classifier}` would fail: {gate.reason}"
