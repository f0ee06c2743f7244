"""A small report is quick, because nothing is loaded that it does not need."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

# For pages, for errors, for people, and for several classifiers.
NOT_NEEDED = ("markdown_it", "rich", "scipy", "tree_sitter", "weasyprint")
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
        "import os, sys\n"
        f"sys.argv = ['reportgen', *{arguments!r}]\n"
        "from reportgen.cli import main\n"
        "def tell(code):\n"
        f"    print(code, *[name for name in {NOT_NEEDED!r} if name in sys.modules], flush=True)\n"
        # The process that does the work ends so, if it is not this one.
        "end = os._exit\n"
        "def tell_and_end(code):\n    tell(code)\n    end(code)\n"
        "os._exit = tell_and_end\n"
        "try:\n    main()\n"
        "except SystemExit as ended:\n    tell(ended.code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    told = [line.split() for line in run.stdout.splitlines() if line.startswith("0")]
    assert len(told) == (2 if arguments[0] == "build" else 1)
    return [name for line in told for name in line[1:]]


@pytest.mark.parametrize("command", [["build", "--format", "json"], ["check"]])
def test_numbers_of_one_classifier_need_only_polars_and_numpy(
    tmp_path: Path, command: list[str]
) -> None:
    """Neither pages nor tests of differences are made, so their libraries stay where they are."""
    assert loaded(tmp_path, *command, "small.toml") == []


def test_libraries_that_are_not_loaded_at_start_are_loaded_by_a_pdf(tmp_path: Path) -> None:
    """The list above would prove nothing if its names were wrong."""
    assert "weasyprint" in loaded(tmp_path, "build", "--format", "pdf", "small.toml")
