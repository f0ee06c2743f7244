"""What the tests of units share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.schedule.exporters.exporter import ExportContext
from reportgen.jobs.schedule.registry import load_scheduled_specs
from tests.jobs.schedule.exporters.contexts import ALL, WHEEL
from tests.jobs.schedule.fakes import NOON, scheduled_spec
from tests.jobs.schedule.harness import Bench

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def order(tmp_path: Path) -> Callable[..., ExportContext]:
    """Return the function that makes the order of a spec."""

    def make(name: str = "churn", cron: str = "0 6 * * MON-FRI", more: str = ALL) -> ExportContext:
        path = tmp_path / f"{name}.toml"
        path.write_text(scheduled_spec(cron, more), encoding="utf-8")
        (planned,) = load_scheduled_specs([path])
        program = (sys.executable, "-P", "-m", "reportgen")
        return ExportContext(
            planned, Path("my reports"), tmp_path, program, "root", "reportgen:1", WHEEL, now=NOON
        )

    return make


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a scheduler that knows one spec, which is due at six every day."""
    bench = Bench(tmp_path)
    bench.write("churn", scheduled_spec(more="retries = 2\nretry_after = 30\n"))
    return bench
