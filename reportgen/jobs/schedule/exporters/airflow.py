"""Exporter for Airflow: a DAG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters.context import ExportedFile
from reportgen.jobs.schedule.exporters.crontab import portable_cron_line

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.context import ExportContext

DAG_TEMPLATE = '''\
# Written by `reportgen schedule export airflow`; belongs to the folder of DAGs.
# The workers need reportgen, the spec and its data{variables}.
{jitter}import subprocess
from datetime import timedelta

import pendulum

try:
    from airflow.sdk import DAG, task
    from airflow.sdk.exceptions import AirflowFailException
except ImportError:  # Airflow 2
    from airflow import DAG
    from airflow.decorators import task
    from airflow.exceptions import AirflowFailException

COMMAND = {command!r}
FINAL = {{1: "a gate failed, the report was written", 2: "the spec is wrong"}}

with DAG(
    dag_id={name!r},
    schedule={cron!r},
    start_date=pendulum.datetime(2024, 1, 1, tz={timezone!r}),
    catchup=False,
    max_active_runs=1,
    default_args={{
        "retries": {retries},
        "retry_delay": timedelta(seconds={retry_after}),
        "retry_exponential_backoff": True,
    }},
    tags=["reportgen"],
):

    @task(task_id="build")
    def build() -> None:
        """Build the report; what will not be better the next time is not tried again."""
        code = subprocess.run(COMMAND, check=False).returncode
        if code in FINAL:
            raise AirflowFailException(FINAL[code])
        if code:
            raise RuntimeError(f"reportgen ended with code {{code}}")

    build()
'''


def export_airflow(context: ExportContext) -> tuple[ExportedFile, ...]:
    """Return a DAG with one task that builds a spec."""
    planned = context.scheduled_spec
    schedule = planned.schedule
    named = ", ".join(planned.environment_variables)
    text = DAG_TEMPLATE.format(
        variables=f", and the environment variables {named}" if named else "",
        jitter="# Airflow knows no jitter: the schedule's is left out.\n"
        if schedule.jitter
        else "",
        command=["reportgen", *context.command()[len(context.program) :]],
        name=context.unit_name,
        cron=portable_cron_line(context),
        timezone=schedule.timezone,
        retries=schedule.retries,
        retry_after=schedule.retry_after,
    )
    return (ExportedFile(f"{context.unit_name.replace('-', '_')}.py", text),)
