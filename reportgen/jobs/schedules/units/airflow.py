"""A DAG for Airflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.schedules.units.crontab import cron_line
from reportgen.jobs.schedules.units.unit import Unit

if TYPE_CHECKING:
    from reportgen.jobs.schedules.units.unit import Order

DAG = '''\
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


def airflow_units(order: Order) -> tuple[Unit, ...]:
    """Return a DAG with one task that builds a spec."""
    planned = order.planned
    schedule = planned.schedule
    named = ", ".join(planned.variables)
    text = DAG.format(
        variables=f", and the environment variables {named}" if named else "",
        jitter="# Airflow knows no jitter: the schedule's is left out.\n"
        if schedule.jitter
        else "",
        command=["reportgen", *order.command()[len(order.program) :]],
        name=order.unit_name,
        cron=cron_line(order),
        timezone=schedule.timezone,
        retries=schedule.retries,
        retry_after=schedule.retry_after,
    )
    return (Unit(f"{order.unit_name.replace('-', '_')}.py", text),)
