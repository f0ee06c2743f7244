"""Export of the schedules of several specs to one scheduler."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, SpecError
from reportgen.jobs.schedule.exporters.airflow import export_airflow
from reportgen.jobs.schedule.exporters.crontab import export_crontab
from reportgen.jobs.schedule.exporters.github import export_github
from reportgen.jobs.schedule.exporters.kubernetes import export_kubernetes
from reportgen.jobs.schedule.exporters.systemd import export_systemd

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.jobs.schedule.exporters.context import ExportContext, ExportedFile


class ExportTarget(StrEnum):
    """A scheduler for which there is an exporter."""

    SYSTEMD = "systemd"
    CRON = "cron"
    GITHUB = "github"
    AIRFLOW = "airflow"
    KUBERNETES = "kubernetes"

    @property
    def is_yaml(self) -> bool:
        """Whether several files in one text need a YAML document separator."""
        return self in {ExportTarget.GITHUB, ExportTarget.KUBERNETES}


EXPORTERS: dict[ExportTarget, Callable[[ExportContext], tuple[ExportedFile, ...]]] = {
    ExportTarget.SYSTEMD: export_systemd,
    ExportTarget.CRON: export_crontab,
    ExportTarget.GITHUB: export_github,
    ExportTarget.AIRFLOW: export_airflow,
    ExportTarget.KUBERNETES: export_kubernetes,
}


def export_schedules(
    target: ExportTarget, contexts: Sequence[ExportContext]
) -> tuple[ExportedFile, ...]:
    """Return the files of all specs; raise one error for all unsupported schedules."""
    units: list[ExportedFile] = []
    faults: list[Diagnostic] = []
    for order in contexts:
        try:
            units += EXPORTERS[target](order)
        except SpecError as error:
            faults += error.diagnostics
    if faults:
        raise SpecError(*faults)
    return tuple(units)
