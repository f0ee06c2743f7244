"""Mutated files of every kind end with a report or an error, never with anything else.

A minute here; `python -m tests.fuzz --minutes 30 --seed 7` looks longer and at other files.
"""

from __future__ import annotations

import json
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from reportgen.predictions.presets.registry import PRESETS
from tests.fuzz import campaign, subjects
from tests.fuzz.mutations import mutate
from tests.fuzz.tables import TABLE_FORMATS, sample_rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.campaign import Fault

SECONDS = 60.0
SEED = 20261118


@pytest.mark.slow
def test_mutated_files_end_with_a_report_or_an_error(tmp_path: Path) -> None:
    """No internal error, no hang, no crash, no number that scikit-learn does not get."""
    fuzzing = campaign.Campaign(list(subjects.SUBJECTS), seed=SEED, worker_count=2)
    result = fuzzing.run(SECONDS, tmp_path / "log.txt")

    assert not result.faults, "\n".join(map(str, result.faults))
    assert set(result.cases) == set(subjects.SUBJECTS)


def test_a_case_depends_on_its_seed_and_number_alone() -> None:
    """So that a fault can be repeated, and a green run stays green."""
    first, again, other = (mutate(Random(seed), b"a,b\n1,2\n3,4\n") for seed in (1, 1, 2))  # noqa: S311

    assert first == again
    assert first != other


@pytest.mark.parametrize("name", TABLE_FORMATS)
def test_unchanged_tables_give_the_numbers_of_scikit_learn(tmp_path: Path, name: str) -> None:
    """The readers of the fuzzer and those of reportgen agree on what nobody mutated."""
    table = TABLE_FORMATS[name]
    path = _write_and_build(tmp_path, name)

    assert subjects._check_numbers(tmp_path, path, table) is None  # noqa: SLF001  # the judge itself


@pytest.mark.parametrize("name", [name for name in TABLE_FORMATS if name != "zstd"])
def test_a_wrong_number_is_a_fault(tmp_path: Path, name: str) -> None:
    """The judge of the fuzzer finds a report of other cases, in every format that it reads."""
    table = TABLE_FORMATS[name]
    path = _write_and_build(tmp_path, name)
    rows = sample_rows()
    rows[3]["truth"] = "no" if rows[3]["truth"] == "yes" else "yes"
    path.write_bytes(table.write(rows, tmp_path))

    assert "counts" in str(subjects._check_numbers(tmp_path, path, table))  # noqa: SLF001  # as above


def _write_and_build(folder: Path, name: str) -> Path:
    table = TABLE_FORMATS[name]
    path = folder / f"cases{table.suffix}"
    path.write_bytes(table.write(sample_rows(), folder))
    spec = subjects.READS_A_TABLE.replace("{suffix}", table.suffix)
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    outcome = subjects._build(folder)  # noqa: SLF001  # as above
    assert outcome.files, outcome.diagnostics
    return path


@pytest.mark.parametrize("text", [subjects.COUNTS, subjects.FEATURES, subjects.OWN_MEASURES])
def test_specs_are_valid_before_they_are_mutated(tmp_path: Path, text: str) -> None:
    """Mutations of an invalid spec would test its first error only."""
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    outcome = subjects._build(tmp_path)  # noqa: SLF001  # as above

    assert outcome.files, outcome.diagnostics
    assert json.loads((tmp_path / "out/spec/results.json").read_bytes())["title"] == "Fuzzed"


def test_files_of_every_preset_are_mutated() -> None:
    """A file of each tool is among the seeds."""
    assert {preset for _, preset in subjects.tool_files()} == set(PRESETS)


def _campaign_of(code: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[Fault]:
    """Return the faults of a campaign whose workers run some code instead of cases."""
    start = 'import json, sys, time\nprint(json.dumps(["csv", 0]), flush=True)\n'
    script = folder / "worker.sh"
    program = f"#!/bin/sh\nexec {sys.executable} -c '{start}{code}'\n"
    script.write_text(program, encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    return campaign.Campaign(["csv"], seed=1, worker_count=1).run(3.0, folder / "log.txt").faults


def test_a_worker_that_dies_is_a_fault_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it was killed for its memory."""
    faults = _campaign_of("sys.exit(9)", monkeypatch, tmp_path)

    assert (faults[0].subject, faults[0].number) == ("csv", 0)
    assert "exit code 9" in faults[0].description


def test_a_worker_that_hangs_is_a_fault_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed, and another one continues."""
    monkeypatch.setattr(campaign, "HANG_SECONDS", 0.5)
    faults = _campaign_of("while True: pass", monkeypatch, tmp_path)

    assert faults
    assert "no end after 0.5 s" in faults[0].description
