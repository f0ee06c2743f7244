"""What the tests of units share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.schedules.planning import planned_specs
from reportgen.jobs.schedules.units.unit import Order
from tests.jobs.schedules.bench import Bench
from tests.jobs.schedules.orders import ALL
from tests.jobs.schedules.stand_ins import scheduled_spec

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def order(tmp_path: Path) -> Callable[..., Order]:
    """Return the function that makes the order of a spec."""

    def make(name: str = "churn", cron: str = "0 6 * * MON-FRI", more: str = ALL) -> Order:
        path = tmp_path / f"{name}.toml"
        path.write_text(scheduled_spec(cron, more), encoding="utf-8")
        (planned,) = planned_specs([path])
        program = (sys.executable, "-P", "-m", "reportgen")
        return Order(planned, Path("my reports"), tmp_path, program, "root", "reportgen:1")

    return make


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a scheduler that knows one spec, which is due at six every day."""
    bench = Bench(tmp_path)
    bench.write("churn", scheduled_spec(more="retries = 2\nretry_after = 30\n"))
    return bench
