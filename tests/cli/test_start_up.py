"""A small report is quick, because nothing is loaded that it does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# For pages, for errors, for people, and for several classifiers.
NOT_NEEDED = (
    "jinja2",
    "markdown_it",
    "reportgen.report.build",
    "rich",
    "scipy.stats",
    "tree_sitter",
    "weasyprint",
)
SPEC = """
[task]
kind = "binary"
positive = "yes"

[[classifiers]]
name = "A"
predictions = "a.csv"
"""


def printed_at_exit(folder: Path, expression: str, *arguments: str) -> list[list[str]]:
    """Run a command in an interpreter of its own; return what it and its worker print at exit."""
    (folder / "small.toml").write_text(SPEC, encoding="utf-8")
    rows = ["truth,prediction", *["yes,yes"] * 40, *["no,no"] * 50, *["no,yes"] * 10]
    (folder / "a.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "preamble").mkdir()
    # Python imports it at the start of the command and of its worker.
    (folder / "preamble/sitecustomize.py").write_text(
        "import atexit, gc, sys\n"
        "def print_at_exit():\n"
        f"    print('at exit:', *{expression}, flush=True)\n"
        "atexit.register(print_at_exit)\n",
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, "-m", "reportgen", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "preamble"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split()[2:] for line in run.stdout.splitlines() if line.startswith("at exit:")]
    assert len(lines) == (2 if arguments[0] == "build" else 1)
    return lines


def loaded_modules(folder: Path, *arguments: str) -> list[str]:
    """Run a command in an interpreter of its own, and return what of all this it has loaded."""
    expression = f"[name for name in {NOT_NEEDED!r} if name in sys.modules]"
    return [name for line in printed_at_exit(folder, expression, *arguments) for name in line]


@pytest.mark.parametrize("command", [["build", "--format", "json"], ["check"]])
def test_no_garbage_is_collected_when_a_process_ends(tmp_path: Path, command: list[str]) -> None:
    """All objects are frozen: the last collections would take a tenth of a small report."""
    expression = "[len(gc.get_objects()) < gc.get_freeze_count() / 10]"
    lines = printed_at_exit(tmp_path, expression, *command, "small.toml")
    assert {word for line in lines for word in line} == {"True"}


@pytest.mark.parametrize("command", [["build", "--format", "json"], ["check"]])
def test_numbers_of_one_classifier_need_only_polars_and_numpy(
    tmp_path: Path, command: list[str]
) -> None:
    """Neither pages nor tests of differences are made, so their libraries stay where they are."""
    assert loaded_modules(tmp_path, *command, "small.toml") == []


def test_libraries_that_are_not_loaded_at_start_are_loaded_by_a_pdf(tmp_path: Path) -> None:
    """The list above would prove nothing if its names were wrong."""
    assert "weasyprint" in loaded_modules(tmp_path, "build", "--format", "pdf", "small.toml")


def test_format_names_are_checked_without_the_spec_models(tmp_path: Path) -> None:
    """The worker loads the models; loading them in the command as well would take 0.15 s."""
    script = (
        "import sys\n"
        "from reportgen.cli.build import parse_detail, parse_formats\n"
        "print(parse_formats('pdf,html'), parse_detail('full'), 'reportgen.spec' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout == "('html', 'pdf') full False\n"
