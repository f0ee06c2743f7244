"""Numbers in a spec cannot take the machine, nor give infinite limits."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.jobs.runs import ROOT, on_linux
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

MEMORY_BYTES = 4 << 30


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


@on_linux
@pytest.mark.slow
def test_huge_counts_use_bounded_memory_and_time(tmp_path: Path) -> None:
    """Enumerating the tables of such counts took 23 GB."""
    matrices = ([[5, 10**9], [10**15, 0]], [[7, 10**9], [10**15 - 2, 3]])
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec(*matrices), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "reportgen", "build", spec, "--format", "json", "-o", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=_limit_memory,
    )

    assert run.returncode == 0, run.stderr
    assert (tmp_path / "spec/results.json").is_file()


def test_a_level_next_to_one_gives_finite_limits(tmp_path: Path) -> None:
    """The quantile of such a level is finite, and JSON has no infinity."""
    spec = tmp_path / "spec.toml"
    level = "[intervals]\nlevel = 0.9999999999999999\n"
    matrices = ([[40, 10], [8, 60]], [[41, 9], [7, 61]])
    spec.write_text(counted_spec(*matrices) + level, encoding="utf-8")
    outcome = run_job(Job(spec, tmp_path / "out", ("json",)))

    assert outcome.exit_code is ExitCode.SUCCESS
    content = (tmp_path / "out/spec/results.json").read_bytes()
    json.loads(content, parse_constant=pytest.fail)
