"""Units for other schedulers: what holds for all of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.jobs.schedule import exporters
from reportgen.jobs.schedule.exporters import EXPORTER_NAMES, export_schedules, load_exporter
from reportgen.jobs.schedule.exporters.exporter import MAX_NAME_LENGTH
from reportgen.render.resources import template_folder
from tests.cli.command import ROOT
from tests.jobs.schedule.exporters.contexts import ALL, ODD_NAMES, WEBHOOK, exported

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.jobs.schedule.exporters.exporter import ExportContext


@pytest.mark.parametrize("kind", ["cron", "github", "airflow", "kubernetes"])
@pytest.mark.parametrize("cron", ["0 6 L * *", "0 6 LW * *", "0 6 * * MON#1", "0 6 */2 * MON"])
def test_what_a_scheduler_cannot_say_is_rejected(
    order: Callable[..., ExportContext], kind: str, cron: str
) -> None:
    """With the line and the reason; nothing is guessed."""
    with pytest.raises(SpecError) as raised:
        export_schedules(load_exporter(kind), [order(cron=cron)])

    (fault,) = raised.value.diagnostics
    assert fault.error_code.code == "E532"
    assert cron in fault.message


def test_all_that_cannot_be_expressed_is_reported_at_once(
    order: Callable[..., ExportContext],
) -> None:
    """Each of several specs has its own fault."""
    orders = [order("a", "0 6 L * *"), order("b"), order("c", "0 6 * * MON#1")]

    with pytest.raises(SpecError) as raised:
        export_schedules(load_exporter("cron"), orders)

    assert len(raised.value.diagnostics) == 2


@pytest.mark.parametrize("name", ["line\nbreak", "right\u202eleft", "nul-like\x01"])
@pytest.mark.parametrize("kind", EXPORTER_NAMES)
def test_a_path_with_an_invisible_sign_is_rejected(
    order: Callable[..., ExportContext], kind: str, name: str
) -> None:
    """A line break would be a line of its own in the unit."""
    with pytest.raises(SpecError) as raised:
        export_schedules(load_exporter(kind), [order(name)])

    assert raised.value.diagnostics[0].error_code.code == "E533"


@pytest.mark.parametrize("kind", ["github", "kubernetes"])
def test_a_spec_outside_of_the_folder_is_rejected_where_only_that_is_seen(
    tmp_path: Path, order: Callable[..., ExportContext], kind: str
) -> None:
    """A repository or a volume has what is in the folder, and nothing else."""
    context = replace(order(), working_dir=tmp_path / "other")

    with pytest.raises(SpecError) as raised:
        export_schedules(load_exporter(kind), [context])

    assert raised.value.diagnostics[0].error_code.code == "E533"


@pytest.mark.parametrize("kind", EXPORTER_NAMES)
def test_variables_are_named_and_their_content_is_not_there(
    monkeypatch: pytest.MonkeyPatch, order: Callable[..., ExportContext], kind: str
) -> None:
    """Whoever reads the unit learns that there is a secret, but not which."""
    monkeypatch.setenv("SLACK_WEBHOOK", "https://hooks.example.org/hush")
    text = "".join(
        unit.text for unit in export_schedules(load_exporter(kind), [order(more=ALL + WEBHOOK)])
    )

    assert "SLACK_WEBHOOK" in text
    assert "hush" not in text


@pytest.mark.parametrize("name", ["churn", *ODD_NAMES, "x" * 80, "Churn"])
def test_names_of_units_are_taken_by_every_scheduler(
    order: Callable[..., ExportContext], name: str
) -> None:
    """Letters, digits and dashes, as in a name of a host, and short enough for Kubernetes."""
    unit_name = order(name).unit_name

    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", unit_name)
    assert len(unit_name) <= MAX_NAME_LENGTH


def test_names_of_units_differ_where_names_of_specs_do(order: Callable[..., ExportContext]) -> None:
    """Also where all that differs had to be left out."""
    names = {order(name).unit_name for name in [*ODD_NAMES, "$(HOME)", "Churn", "churn"]}

    assert len(names) == len(ODD_NAMES) + 3


FOLDER_TARGETS = [name for name in EXPORTER_NAMES if name != "github"]


@pytest.mark.parametrize("kind", FOLDER_TARGETS)
def test_one_command_builds_and_publishes_to_a_folder(
    order: Callable[..., ExportContext], kind: str
) -> None:
    """The target is part of the command; no second program has to be on somebody's PATH."""
    context = replace(order(), publish="my site")
    text = "".join(file.text for file in exported(kind, context))
    commands = [line for line in text.splitlines() if "--publish" in line]

    assert len(commands) == 1
    assert "my site" in commands[0]
    assert "publish" not in text.replace("--publish", "").replace(str(context.working_dir), "")


@pytest.mark.parametrize("kind", EXPORTER_NAMES)
def test_credentials_of_a_bucket_are_variables_of_the_command(
    order: Callable[..., ExportContext], kind: str
) -> None:
    """They are named where those of the spec are."""
    files = exported(kind, replace(order(more=ALL + WEBHOOK), publish="s3://bucket/site"))
    text = "".join(file.text for file in files)

    assert "s3://bucket/site" in text
    assert all(name in text for name in ("SLACK_WEBHOOK", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"))


@pytest.mark.parametrize("kind", EXPORTER_NAMES)
def test_a_target_with_a_control_character_is_rejected(
    order: Callable[..., ExportContext], kind: str
) -> None:
    """As a path with one: it could add a line to the file."""
    with pytest.raises(SpecError) as raised:
        exported(kind, replace(order(), publish="s3://bucket/a\nb"))

    assert raised.value.diagnostics[0].error_code.code in {"E521", "E533"}


def test_every_exporter_is_registered_with_its_templates() -> None:
    """A module without a name in the list, or a template without an exporter, is forgotten."""
    folder = Path(exporters.__file__).parent
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    modules = {path.stem for path in files if "EXPORTER = " in path.read_text("utf-8")}
    templates = [name for kind in EXPORTER_NAMES for name in load_exporter(kind).templates]

    assert modules == set(EXPORTER_NAMES)
    assert sorted(templates) == sorted(
        path.name for path in (template_folder() / "schedule").iterdir()
    )


def test_every_exporter_is_documented() -> None:
    """The table of docs/how-to/schedules.md has a row for each."""
    page = (ROOT / "docs/how-to/schedules.md").read_text(encoding="utf-8")

    assert [kind for kind in EXPORTER_NAMES if f"| `{kind}` |" not in page] == []
