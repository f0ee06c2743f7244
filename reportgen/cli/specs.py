"""The SPEC arguments of commands: files, folders, patterns, or the spec of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_SPEC = Path("reportgen.toml")
_DATA_SUFFIXES = frozenset(
    (".csv", ".tsv", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson")
) | frozenset((".json", ".gz", ".zst", ".xlsx", ".xls"))

SpecsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SPEC",
        help="Spec files, folders of spec files, or glob patterns; default: reportgen.toml.",
        show_default=False,
    ),
]


def find_spec_files(specs: Sequence[Path] | None) -> tuple[Path, ...]:
    """Return the specs of a command, by default that of this folder; raise if it is none."""
    from reportgen.jobs.job import find_specs

    if not specs:
        if not DEFAULT_SPEC.exists():
            raise typer.BadParameter(
                f"there is no {DEFAULT_SPEC} in this folder; name a spec, or write one with"
                " `reportgen init predictions.csv`",
                param_hint="SPEC",
            )
        return (DEFAULT_SPEC,)
    for spec in specs:
        _check_argument(spec)
    return find_specs(specs)


def _check_argument(spec: Path) -> None:
    """Raise if an argument is a file of predictions, or an output format."""
    from reportgen.formats import FORMATS

    if spec.suffix.lower() in _DATA_SUFFIXES:
        raise typer.BadParameter(
            f"{spec} is not a spec; `reportgen init {spec}` writes one for its predictions",
            param_hint="SPEC",
        )
    if str(spec) in set(FORMATS) and not spec.exists():
        raise typer.BadParameter(
            f"{spec} is a format; several formats are separated by commas: --format html,{spec}",
            param_hint="SPEC",
        )
