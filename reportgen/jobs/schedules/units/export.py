"""Units of several specs for one scheduler."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError
from reportgen.jobs.schedules.units.airflow import airflow_units
from reportgen.jobs.schedules.units.crontab import crontab_units
from reportgen.jobs.schedules.units.github import github_units
from reportgen.jobs.schedules.units.kubernetes import kubernetes_units
from reportgen.jobs.schedules.units.systemd import systemd_units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.jobs.schedules.units.unit import Order, Unit


class Kind(StrEnum):
    """A scheduler there are units for."""

    SYSTEMD = "systemd"
    CRON = "cron"
    GITHUB = "github"
    AIRFLOW = "airflow"
    KUBERNETES = "kubernetes"

    @property
    def is_yaml(self) -> bool:
        """Whether several units in one text need a line between them."""
        return self in {Kind.GITHUB, Kind.KUBERNETES}


MAKERS: dict[Kind, Callable[[Order], tuple[Unit, ...]]] = {
    Kind.SYSTEMD: systemd_units,
    Kind.CRON: crontab_units,
    Kind.GITHUB: github_units,
    Kind.AIRFLOW: airflow_units,
    Kind.KUBERNETES: kubernetes_units,
}


def export(kind: Kind, orders: Sequence[Order]) -> tuple[Unit, ...]:
    """Return the units of all orders, or raise all that cannot be expressed."""
    units: list[Unit] = []
    faults: list[Fault] = []
    for order in orders:
        try:
            units += MAKERS[kind](order)
        except SpecError as error:
            faults += error.faults
    if faults:
        raise SpecError(*faults)
    return tuple(units)
