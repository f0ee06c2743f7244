"""Exporter for Airflow: a DAG with one task that builds a spec."""

from __future__ import annotations

from reportgen.jobs.schedule.exporters.exporter import Exporter

EXPORTER = Exporter(
    templates=("airflow.py.j2",),
    filters={"python": repr},
)
