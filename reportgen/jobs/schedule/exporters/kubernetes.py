"""Exporter for Kubernetes: a CronJob that builds a spec in a mounted volume."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters.exporter import Exporter

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.exporter import ExportContext


def container_arguments(context: ExportContext) -> list[str]:
    """Return the arguments of the command, in which Kubernetes must not substitute $(NAME)."""
    return [word.replace("$(", "$$(") for word in context.relative_arguments()]


EXPORTER = Exporter(
    templates=("kubernetes.yaml.j2",),
    filters={"container_arguments": container_arguments},
    is_yaml=True,
)
