"""Who takes part: the command lines of reportgen and of its peers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from benchmarks.speed.data import ROOT
from benchmarks.speed.measured import OWN

SCIKIT_LEARN, PYCM = "sklearn", "pycm"
APP = Path(__file__).parent / "peers" / "empty_app.py"

# From the folder of the data and the folder for what is written.
Command: TypeAlias = Callable[[Path, Path], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A tool, its command, the module it needs, and the most rows it is given."""

    tool: str
    command: Command
    needs: str | None = None
    up_to: int | None = None
    writes: str | None = None

    def left_out(self, rows: int) -> str | None:
        """Tell why it does not take part, if so."""
        if self.needs is not None and find_spec(self.needs) is None:
            return f"{self.needs} is not installed"
        if self.up_to is not None and rows > self.up_to:
            return f"not run above {self.up_to:,} rows, for want of memory"
        return None


def build(specs: int = 1, formats: str = "json", tool: str = OWN) -> Contestant:
    """Take reportgen as users do: from spec and file to the written report."""

    def command(data: Path, output: Path) -> Sequence[str]:
        files = (str(data / f"spec{number}.toml") for number in range(specs))
        options = ("--output", str(output), "--format", formats, "--no-history")
        return (_script(), "build", *files, *options)

    return Contestant(tool, command, writes="spec0/results.json" if "json" in formats else None)


def call(command: str) -> Contestant:
    """Take another command of reportgen."""

    def line(data: Path, _: Path) -> Sequence[str]:
        spec = (str(data / "spec0.toml"),) if command == "check" else ()
        return (_script(), command, *spec)

    return Contestant(OWN, line)


def peer(
    tool: str,
    module: str,
    task: str,
    *numbers: int,
    needs: str | None = None,
    up_to: int | None = None,
) -> Contestant:
    """Take a module of `benchmarks.speed.peers`."""

    def command(data: Path, _: Path) -> Sequence[str]:
        arguments = (task, module, str(data), *map(str, numbers))
        return (sys.executable, "-m", "benchmarks.speed.peers", *arguments)

    return Contestant(tool, command, needs, up_to)


def empty_app() -> Contestant:
    """Take a command line that does nothing."""
    return Contestant("empty Typer app", lambda *_: (sys.executable, str(APP), "--help"))


def build_flagship() -> Contestant:
    """Take the spec that the repository shows first: three classifiers, all measures."""
    spec = str(ROOT / "specs" / "breast_cancer.toml")

    def command(_: Path, output: Path) -> Sequence[str]:
        options = ("--output", str(output), "--format", "html,pdf", "--no-history")
        return (_script(), "build", spec, *options)

    return Contestant(OWN, command)


def import_only(*modules: str) -> Contestant:
    """Take the import of libraries, and nothing else."""
    statement = f"import {', '.join(modules)}"
    return Contestant(statement, lambda *_: (sys.executable, "-c", statement))


def _script() -> str:
    return str(Path(sys.executable).with_name(OWN))
