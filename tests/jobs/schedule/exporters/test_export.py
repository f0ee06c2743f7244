"""Units for other schedulers: what holds for all of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import SpecError
from reportgen.jobs.schedule.exporters.context import MAX_NAME_LENGTH
from reportgen.jobs.schedule.exporters.export import ExportTarget, export_schedules
from tests.jobs.schedule.exporters.contexts import ALL, ODD_NAMES, WEBHOOK

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.jobs.schedule.exporters.context import ExportContext


@pytest.mark.parametrize(
    "kind", [ExportTarget.CRON, ExportTarget.GITHUB, ExportTarget.AIRFLOW, ExportTarget.KUBERNETES]
)
@pytest.mark.parametrize("cron", ["0 6 L * *", "0 6 LW * *", "0 6 * * MON#1", "0 6 */2 * MON"])
def test_what_a_scheduler_cannot_say_is_rejected(
    order: Callable[..., ExportContext], kind: ExportTarget, cron: str
) -> None:
    """With the line and the reason; nothing is guessed."""
    with pytest.raises(SpecError) as raised:
        export_schedules(kind, [order(cron=cron)])

    (fault,) = raised.value.diagnostics
    assert fault.error_code.code == "E532"
    assert cron in fault.message


def test_all_that_cannot_be_expressed_is_reported_at_once(
    order: Callable[..., ExportContext],
) -> None:
    """Each of several specs has its own fault."""
    orders = [order("a", "0 6 L * *"), order("b"), order("c", "0 6 * * MON#1")]

    with pytest.raises(SpecError) as raised:
        export_schedules(ExportTarget.CRON, orders)

    assert len(raised.value.diagnostics) == 2


@pytest.mark.parametrize("name", ["line\nbreak", "right\u202eleft", "nul-like\x01"])
@pytest.mark.parametrize("kind", list(ExportTarget))
def test_a_path_with_an_invisible_sign_is_rejected(
    order: Callable[..., ExportContext], kind: ExportTarget, name: str
) -> None:
    """A line break would be a line of its own in the unit."""
    with pytest.raises(SpecError) as raised:
        export_schedules(kind, [order(name)])

    assert raised.value.diagnostics[0].error_code.code == "E533"


@pytest.mark.parametrize("kind", [ExportTarget.GITHUB, ExportTarget.KUBERNETES])
def test_a_spec_outside_of_the_folder_is_rejected_where_only_that_is_seen(
    tmp_path: Path, order: Callable[..., ExportContext], kind: ExportTarget
) -> None:
    """A repository or a volume has what is in the folder, and nothing else."""
    elsewhere = replace(order(), working_dir=tmp_path / "other")

    with pytest.raises(SpecError) as raised:
        export_schedules(kind, [elsewhere])

    assert raised.value.diagnostics[0].error_code.code == "E533"


@pytest.mark.parametrize("kind", list(ExportTarget))
def test_variables_are_named_and_their_content_is_not_there(
    monkeypatch: pytest.MonkeyPatch, order: Callable[..., ExportContext], kind: ExportTarget
) -> None:
    """Whoever reads the unit learns that there is a secret, but not which."""
    monkeypatch.setenv("SLACK_WEBHOOK", "https://hooks.example.org/hush")
    text = "".join(unit.text for unit in export_schedules(kind, [order(more=ALL + WEBHOOK)]))

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
