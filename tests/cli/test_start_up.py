"""A small report is quick, because nothing is loaded that it does not need."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# For pages, for faults, for people, for several classifiers, and for the files of other tools.
NOT_NEEDED = (
    "jinja2",
    "markdown_it",
    "reportgen.comparisons.comparing",
    "reportgen.predictions.presets.catalogue",
    "reportgen.report.building",
    "reportgen.report.document",
    "reportgen.report.sections",
    "rich",
    "scipy",
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


def loaded(folder: Path, *arguments: str) -> list[str]:
    """Run a command in an interpreter of its own, and return what of all this it has loaded."""
    (folder / "small.toml").write_text(SPEC, encoding="utf-8")
    rows = ["truth,prediction", *["yes,yes"] * 40, *["no,no"] * 50, *["no,yes"] * 10]
    (folder / "a.csv").write_text("\n".join(rows), encoding="utf-8")
    code = (
        "import sys\n"
        f"sys.argv = ['reportgen', *{arguments!r}]\n"
        "from reportgen.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as ended:\n"
        f"    print(ended.code, *[name for name in {NOT_NEEDED!r} if name in sys.modules])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    code_and_names = run.stdout.splitlines()[-1].split()
    assert code_and_names[0] == "0"
    return code_and_names[1:]


@pytest.mark.parametrize("command", [["build", "--format", "json"], ["check"]])
def test_numbers_of_one_classifier_need_only_polars_and_numpy(
    tmp_path: Path, command: list[str]
) -> None:
    """Neither pages nor tests of differences are made, so their libraries stay where they are."""
    assert loaded(tmp_path, *command, "small.toml") == []


def test_what_is_said_not_to_be_loaded_is_loaded_by_a_page(tmp_path: Path) -> None:
    """The list above would prove nothing if its names were wrong."""
    assert {"jinja2", "reportgen.report.building", "reportgen.report.document"} <= {
        *loaded(tmp_path, "build", "--format", "html", "small.toml")
    }
