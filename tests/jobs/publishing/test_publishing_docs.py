"""What the pages about publishing say is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from reportgen.jobs.publishing import index

if TYPE_CHECKING:
    from reportgen.jobs.publishing.index import SiteModel

WORKFLOW = Path("docs/how-to/github-pages.yml")
MODELS = (
    *(index.SiteIndex, index.PublishedReport, index.PublishedRun),
    *(index.GateCounts, index.MainMeasure, index.MainMeasureValue),
    *(index.GatedValue, index.SiteAbout),
)


def test_the_workflow_is_one_by_the_schema_of_github() -> None:
    """By the schema that comes with check-jsonschema; no network is asked."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    process = subprocess.run(
        [*command, "vendor.github-workflows", str(WORKFLOW)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stdout + process.stderr


def test_the_commands_of_the_workflow_are_shell(tmp_path: Path) -> None:
    """Every `run` is parsed by a shell; expressions of GitHub stay out of them."""
    steps = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]["reports"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]

    assert len(commands) == 4
    for command in commands:
        assert "${{" not in command
        script = tmp_path / "step.sh"
        script.write_text(command)
        assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_the_index_is_documented(model: type[SiteModel]) -> None:
    """As written in the file: the schema under its alias."""
    section = Path("docs/publishing.md").read_text("utf-8").partition("## index.json")[2]
    known = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section))))

    assert {field.alias or name for name, field in model.model_fields.items()} <= known
