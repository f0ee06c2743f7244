"""Workflows for GitHub, checked by their schema and run by a shell."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import yaml

from reportgen.errors import SpecError
from reportgen.jobs.schedule.exporters import export_schedules, load_exporter
from reportgen.jobs.schedule.exporters.github import ACTION_VERSIONS
from tests.jobs.schedule.exporters.contexts import ALL, LOOKS_BACK, ODD_NAMES, WEBHOOK, exported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.jobs.schedule.exporters.exporter import ExportContext

GITHUB_SCHEMA = "vendor.github-workflows"
CACHE_COMMIT = ACTION_VERSIONS["actions/cache"][0]


def crons_of(order: ExportContext) -> list[str]:
    """Return the cron lines of a workflow."""
    (unit,) = exported("github", order)
    # To YAML the key `on` is true.
    return [trigger["cron"] for trigger in yaml.safe_load(unit.text)[True]["schedule"]]


def test_github_takes_the_workflows(tmp_path: Path, order: Callable[..., ExportContext]) -> None:
    """Checked with the schema that check-jsonschema has for workflows."""
    orders = [order(name) for name in ODD_NAMES]
    orders += [order("a", more=WEBHOOK), order("b", more='timezone = "Asia/Kolkata"\n')]
    orders += [order("c", more=LOOKS_BACK), order("d", more=ALL + LOOKS_BACK)]
    folder = tmp_path / "workflows"
    folder.mkdir()
    for unit in export_schedules(load_exporter("github"), orders):
        (folder / unit.filename).write_text(unit.text, encoding="utf-8")
    files = [str(path) for path in folder.iterdir()]
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", GITHUB_SCHEMA, *files],
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(files) == len(orders)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("name", ["churn", *ODD_NAMES])
def test_github_gives_the_name_of_the_spec_to_the_shell_as_a_variable(
    order: Callable[..., ExportContext], name: str
) -> None:
    """No sign of it is read as a command, and GitHub finds no expression of its own in it."""
    (unit,) = exported("github", order(name))
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "Build the report")
    read_by_github = re.sub(r"\$\{\{ '(.*?)' \}\}", r"\1", step["env"]["SPEC"])

    assert read_by_github == f"{name}.toml"
    assert shlex.split(step["run"])[-1] != name
    assert '-- "$SPEC"' in step["run"]


PINNED = [
    "reportgen-eval==0.1.0",
    "reportgen-eval[cloud]==0.1.0",
    "reportgen-eval @ git+https://git.example.org/team/reportgen@0123abc",
    "git+https://git.example.org/team/reportgen@0123abc",
    "./vendor/reportgen_eval-0.1.0-py3-none-any.whl",
    "it's $HOME/a.whl",
]


@pytest.mark.parametrize("requirement", PINNED)
def test_github_installs_from_the_source_that_the_user_names(
    order: Callable[..., ExportContext], requirement: str
) -> None:
    """It reaches the shell as a variable, so that no sign of it is read as a command."""
    (unit,) = exported("github", replace(order(), requirement=requirement))
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "Install reportgen")

    assert step["env"] == {"REQUIREMENT": requirement}
    assert step["run"] == 'pip install -- "$REQUIREMENT"'
    assert unit.text.count("pip install") == 1


@pytest.mark.parametrize(
    "requirement",
    ["", " ", "reportgen", "reportgen==0.1.0", "reportgen[cloud]>=1", "reportgen-eval", "a==1\nb"],
)
def test_github_installs_nothing_that_is_not_pinned(
    order: Callable[..., ExportContext], requirement: str
) -> None:
    """Without a default: `reportgen` on PyPI is another project, whose code would be run."""
    with pytest.raises(SpecError) as raised:
        exported("github", replace(order(), requirement=requirement))

    (issue,) = raised.value.diagnostics
    assert issue.error_code.code == "E535"
    assert "--install" in str(issue.help)


@pytest.mark.parametrize("zone", ["", ALL])
def test_the_history_goes_from_run_to_run_if_gates_look_back(
    order: Callable[..., ExportContext], zone: str
) -> None:
    """It is brought back before the report is built, and kept after it, whatever the gates say.

    GitHub never overwrites what it keeps: every run and attempt has a key of its own.
    """
    (unit,) = exported("github", order(more=zone + LOOKS_BACK))
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    names = [step.get("name", step.get("uses")) for step in steps]
    restore, build, save = (
        names.index(name)
        for name in (
            f"actions/cache/restore@{CACHE_COMMIT}",
            "Build the report",
            f"actions/cache/save@{CACHE_COMMIT}",
        )
    )
    save_step, restore_step = steps[save], steps[restore]

    assert restore < build < save
    assert save_step["if"].startswith("always()")
    assert (restore_if := restore_step.get("if", "")) == save_step["if"].removeprefix("always()")[
        4:
    ]
    assert bool(restore_if) is bool(zone)
    assert save_step["with"] == {
        "path": "my reports/history.sqlite",
        "key": restore_step["with"]["key"],
    }
    assert restore_step["with"]["key"].startswith(restore_step["with"]["restore-keys"])
    assert "github.run_id" in save_step["with"]["key"]
    assert "github.run_attempt" in save_step["with"]["key"]


def test_without_such_gates_no_history_is_kept(order: Callable[..., ExportContext]) -> None:
    """Nobody would look at it."""
    (unit,) = exported("github", order())

    assert "cache" not in unit.text


IN_UTC = {
    # 06:00 at +05:30 is 00:30 of the same day.
    ("0 6 * * MON", "Asia/Kolkata"): ["30 0 * * 1"],
    # 03:00 at +05:30 is 21:30 of the day before; 06:00 stays on its day.
    ("0 3 * * MON", "Asia/Kolkata"): ["30 21 * * 0"],
    ("0 3,6 * * MON", "Asia/Kolkata"): ["30 21 * * 0", "30 0 * * 1"],
    # 20:00 at -10:00 is 06:00 of the day after.
    ("0 20 * * SAT", "Pacific/Honolulu"): ["0 6 * * 0"],
    # Half past and full hours change places at a half hour.
    ("0,30 6 * * *", "Asia/Kolkata"): ["30 0 * * *", "0 1 * * *"],
    # +01:00 in winter, +02:00 in summer: a line for each.
    ("0 6 * * *", "Europe/Berlin"): ["0 5 * * *", "0 4 * * *"],
    ("0 * * * *", "Europe/Berlin"): ["0 * * * *"],
    ("0 6 1 * *", "UTC"): ["0 6 1 * *"],
}


@pytest.mark.parametrize(
    ("line", "expected"), IN_UTC.items(), ids=[" in ".join(key) for key in IN_UTC]
)
def test_github_gets_times_in_utc(
    order: Callable[..., ExportContext], line: tuple[str, str], expected: list[str]
) -> None:
    """With hours, minutes and weekdays moved by the offset of the zone."""
    cron, zone = line

    assert crons_of(order(cron=cron, more=f'timezone = "{zone}"\n')) == expected


@pytest.mark.parametrize(
    ("cron", "zone"),
    [("0 3 1 * *", "Asia/Kolkata"), ("0 3 * 5 *", "Asia/Kolkata"), ("*/2 * * * *", "UTC")],
)
def test_github_rejects_what_utc_cannot_say(
    order: Callable[..., ExportContext], cron: str, zone: str
) -> None:
    """The day before the first of a month has no number, and two minutes are too few."""
    with pytest.raises(SpecError) as raised:
        exported("github", order(cron=cron, more=f'timezone = "{zone}"\n'))

    assert raised.value.diagnostics[0].error_code.code == "E532"


@pytest.mark.parametrize(
    ("line", "offset", "due"),
    [
        ("0 5 * * *", "+0100", "yes"),
        ("0 4 * * *", "+0100", "no"),
        ("0 4 * * *", "+0200", "yes"),
        ("0 5 * * *", "+0200", "no"),
        ("", "+0200", "yes"),
    ],
)
def test_of_two_lines_only_that_of_the_season_counts(
    tmp_path: Path, order: Callable[..., ExportContext], line: str, offset: str, due: str
) -> None:
    """The step is run as GitHub would, with a clock of either season; by hand it is always due."""
    (unit,) = exported("github", order(cron="0 6 * * *"))
    script = yaml.safe_load(unit.text)["jobs"]["report"]["steps"][0]["run"]
    clock = tmp_path / "date"
    clock.write_text(f"#!/bin/sh\necho {offset}\n", encoding="utf-8")
    clock.chmod(0o755)
    log = tmp_path / "said"
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "LINE": line, "ZONE": "Europe/Berlin"}
    subprocess.run(
        ["bash", "-e", "-c", script], env={**environment, "GITHUB_OUTPUT": str(log)}, check=True
    )

    assert log.read_text(encoding="utf-8") == f"due={due}\n"


def test_github_builds_and_publishes_with_retries_in_one_command(
    order: Callable[..., ExportContext],
) -> None:
    """The command itself repeats a failed run; the target is a variable as the paths are."""
    (unit,) = exported("github", replace(order(), publish="s3://bucket/${{ github.token }}"))
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "Build the report")

    assert step["run"] == (
        'reportgen build --output "$REPORTS" --publish "$PUBLISH" --retries 2 --retry-after 30s'
        ' -- "$SPEC"'
    )
    assert step["env"]["PUBLISH"] == "s3://bucket/${{ '${{' }} github.token }}"


def test_github_does_not_publish_to_a_folder(order: Callable[..., ExportContext]) -> None:
    """The folder would be deleted with the machine of the run."""
    with pytest.raises(SpecError) as raised:
        exported("github", replace(order(), publish="site"))

    assert raised.value.diagnostics[0].error_code.code == "E533"


@pytest.mark.parametrize("more", [ALL + LOOKS_BACK, ""])
def test_github_runs_exactly_the_code_that_was_reviewed(
    order: Callable[..., ExportContext], more: str
) -> None:
    """Actions are pinned by commit, named by tag, and get no token that they could leave behind."""
    (unit,) = exported("github", order(more=more))
    uses = [line for line in unit.text.splitlines() if "uses:" in line]
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    (checkout,) = (step for step in steps if step.get("uses", "").startswith("actions/checkout@"))

    assert len(uses) == (5 if LOOKS_BACK in more else 3)
    for line in uses:
        assert re.fullmatch(r"\s+- uses: actions/[a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    assert checkout["with"] == {"persist-credentials": False}


def test_github_reads_the_list_of_packages_before_it_installs_any(
    order: Callable[..., ExportContext],
) -> None:
    """The image is older than the packages it would ask for."""
    (unit,) = exported("github", order())
    steps = yaml.safe_load(unit.text)["jobs"]["report"]["steps"]
    (script,) = (step["run"] for step in steps if "apt-get" in step.get("run", ""))

    assert [line.split()[2] for line in script.splitlines()] == ["update", "install"]


def test_units_are_the_same_every_time(order: Callable[..., ExportContext]) -> None:
    """But for the year that is looked at, nothing in them depends on when they are written."""
    summer = datetime(2026, 7, 1, tzinfo=UTC)

    assert exported("github", order()) == exported("github", replace(order(), now=summer))
