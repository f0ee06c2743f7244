"""Exporters of schedules to other schedulers: one module and one name in this list each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.jobs.schedule.exporters.exporter import ExportContext, ExportedFile, Exporter

# The names on the command line; `<name>.py` in this folder defines `EXPORTER`.
EXPORTER_NAMES = ("systemd", "cron", "github", "airflow", "kubernetes")


def load_exporter(name: str) -> Exporter:
    """Return the exporter of a registered name."""
    exporter: Exporter = import_module(f"{__name__}.{name}").EXPORTER
    return exporter


def export_schedules(
    exporter: Exporter, contexts: Sequence[ExportContext]
) -> tuple[ExportedFile, ...]:
    """Return the files of all specs; raise one error for all unsupported schedules."""
    files: list[ExportedFile] = []
    diagnostics: list[Diagnostic] = []
    for context in contexts:
        try:
            files += exporter.export(context)
        except SpecError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise SpecError(*diagnostics)
    return tuple(files)
