"""Which specs have a schedule, and which of them are read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.jobs.schedule.registry import (
    ScheduledSpec,
    ScheduleRegistry,
    SuspendedSpec,
    load_scheduled_specs,
)
from tests.jobs.schedule.fakes import COUNTS, scheduled_spec

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, text: str) -> Path:
    """Write a spec."""
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_only_specs_with_a_schedule_are_planned(tmp_path: Path) -> None:
    """Others of the folder, even wrong ones, are none of the scheduler's business."""
    write(tmp_path, "churn", scheduled_spec())
    write(tmp_path, "by_hand", COUNTS)
    write(tmp_path, "wrong_by_hand", COUNTS.replace("binary", "binarry"))

    assert list(ScheduleRegistry([tmp_path]).load_schedules()) == ["churn"]


def test_a_spec_that_cannot_be_read_may_have_had_a_schedule(tmp_path: Path) -> None:
    """What is no TOML, or has a wrong schedule, is told rather than left out."""
    write(tmp_path, "broken", "title = ")
    write(tmp_path, "wrong", scheduled_spec("0 25 * * *"))
    plan = ScheduleRegistry([tmp_path]).load_schedules()

    assert all(isinstance(suspended, SuspendedSpec) for suspended in plan.values())
    assert list(plan) == ["broken", "wrong"]


def test_a_pipe_is_no_scheduled_spec(tmp_path: Path) -> None:
    """The scheduler would wait for it for ever, and with it all other specs."""
    os.mkfifo(tmp_path / "pipe.toml")
    write(tmp_path, "churn", scheduled_spec())
    plan = ScheduleRegistry([tmp_path]).load_schedules()

    pipe, churn = plan["pipe"], plan["churn"]
    assert isinstance(churn, ScheduledSpec)
    assert isinstance(pipe, SuspendedSpec)
    assert pipe.diagnostics[0].message == "a scheduled spec must be a regular file"


def test_the_variables_that_a_spec_names_are_known(tmp_path: Path) -> None:
    """By name, each once; their content is never looked at."""
    notify = '[[notify]]\nwebhook = "SLACK_WEBHOOK"\n' * 2
    letter = 'email = { to = ["a@example.org"], sender = "b@example.org" }\n'
    path = write(tmp_path, "churn", scheduled_spec() + notify + f"[[notify]]\n{letter}")
    (planned,) = load_scheduled_specs([path])

    assert planned.environment_variables == ("SLACK_WEBHOOK", "REPORTGEN_SMTP")


def test_a_file_that_was_only_touched_is_the_same_spec(tmp_path: Path) -> None:
    """Its time changed, its content did not: what was read before is kept."""
    path = write(tmp_path, "churn", scheduled_spec())
    planner = ScheduleRegistry([tmp_path])
    before = planner.load_schedules()["churn"]
    os.utime(path, ns=(1, 1))

    assert planner.load_schedules()["churn"] is before
    assert planner.load_schedules(force_reload=True)["churn"] is not before


def test_a_folder_that_was_emptied_has_no_spec_for_now(tmp_path: Path) -> None:
    """The scheduler goes on: specs may come back, as while a folder is copied anew."""
    path = write(tmp_path, "churn", scheduled_spec())
    planner = ScheduleRegistry([tmp_path])
    planner.load_schedules()
    path.unlink()
    emptied = planner.load_schedules()
    write(tmp_path, "churn", scheduled_spec())

    assert emptied == {}
    assert isinstance(planner.load_schedules()["churn"], ScheduledSpec)


def test_no_schedule_at_all_is_a_fault(tmp_path: Path) -> None:
    """Whoever asks for schedules and has none has made a mistake."""
    with pytest.raises(SpecError) as raised:
        load_scheduled_specs([write(tmp_path, "by_hand", COUNTS)])

    assert [fault.error_code.code for fault in raised.value.diagnostics] == ["E530"]
