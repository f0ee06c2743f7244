"""`reportgen build`: from a spec to a report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import fault_row, print_json, say, show, show_faults, warn, working
from reportgen.errors import ExitCode, ReportgenError

if TYPE_CHECKING:
    from reportgen.pipeline import Built
    from reportgen.spec import Detail, Format


def build(
    specs: Annotated[list[Path], typer.Argument(metavar="SPEC", help="The spec files.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the reports go.")
    ] = Path("reports"),
    formats: Annotated[
        str | None,
        typer.Option("--format", metavar="LIST", help="Formats instead of the spec's: html,pdf."),
    ] = None,
    detail: Annotated[
        str | None,
        typer.Option(
            "--detail",
            metavar="LEVEL",
            help="How much the report tells, instead of the spec's: summary, standard or full.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON, for programs.")
    ] = False,
) -> None:
    """Build the report of every SPEC into DIR/<spec name>/ and print where it is."""
    wanted, level = _formats(formats), _detail(detail)
    _refuse_same_names(specs)
    worst = ExitCode.DONE
    rows = []
    for spec in specs:
        row, code = _build_one(spec, output, wanted, level, quiet=as_json)
        rows.append(row)
        worst = max(worst, code)
    if as_json:
        print_json(rows)
    raise typer.Exit(worst)


def _build_one(
    spec: Path,
    output: Path,
    formats: tuple[Format, ...] | None,
    detail: Detail | None,
    *,
    quiet: bool,
) -> tuple[dict[str, object], ExitCode]:
    from reportgen.pipeline import build as build_report

    row: dict[str, object]
    started = time.monotonic()
    try:
        with working(str(spec)) as tell:
            built = build_report(spec, output, formats, tell, detail=detail)
    except ReportgenError as error:
        show_faults(error.faults)
        faults = [fault_row(fault) for fault in error.faults]
        row = {"spec": str(spec), "files": [], "warnings": [], "errors": faults}
        return row, error.exit_code
    for warning in built.warnings:
        warn(warning)
    show_faults(built.faults)
    if not quiet:
        _show(built, time.monotonic() - started)
    row = {
        "spec": str(spec),
        "files": [str(built.folder / name) for name in built.files],
        "warnings": list(built.warnings),
        "errors": [fault_row(fault) for fault in built.faults],
    }
    return row, ExitCode.ENVIRONMENT if built.faults else ExitCode.DONE


def _show(built: Built, seconds: float) -> None:
    say(f"{built.evaluation.spec.title} ({seconds:.1f} s)")
    if built.removed:
        say(f"removed, being of the earlier report: {', '.join(built.removed)}")
    for name in built.files:
        show(str(built.folder / name))


def _formats(written: str | None) -> tuple[Format, ...] | None:
    if written is None:
        return None
    from reportgen.spec.output import known_formats

    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("name at least one format", param_hint="--format")
    with _of_option("--format"):
        return known_formats(names)


def _detail(written: str | None) -> Detail | None:
    if written is None:
        return None
    from reportgen.spec.output import known_detail

    with _of_option("--detail"):
        return known_detail(written.strip())


@contextmanager
def _of_option(option: str) -> Iterator[None]:
    """Tell an unknown name as the fault of an option."""
    from reportgen.spec.output import UnknownNameError

    try:
        yield
    except UnknownNameError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint=option) from None


def _refuse_same_names(specs: list[Path]) -> None:
    """Two specs of one name would overwrite each other's report."""
    names: dict[str, Path] = {}
    for spec in specs:
        other = names.setdefault(spec.stem, spec)
        if other is not spec:
            raise typer.BadParameter(f"{other} and {spec} would both be written to {spec.stem}/")
