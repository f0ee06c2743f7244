"""What a spec says about its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import load_spec
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

BASE = counted_spec([[40, 10], [8, 60]])


def test_a_spec_without_a_history_shows_twenty_runs(tmp_path: Path) -> None:
    """The name is then that of the file, which only the run knows."""
    path = tmp_path / "churn.toml"
    path.write_text(BASE, encoding="utf-8")

    history = load_spec(path).spec.history
    assert (history.name, history.show) == (None, 20)


def test_a_name_joins_the_runs_of_a_spec_that_was_renamed(tmp_path: Path) -> None:
    """And no earlier runs are shown if none are wanted."""
    path = tmp_path / "churn-2.toml"
    path.write_text(f'{BASE}[history]\nname = "churn"\nshow = 0\n', encoding="utf-8")

    history = load_spec(path).spec.history
    assert (history.name, history.show) == ("churn", 0)


@pytest.mark.parametrize("line", ["show = -1", "show = 1001", 'name = ""', 'path = "runs.sqlite"'])
def test_a_history_that_cannot_be_is_rejected(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]], line: str
) -> None:
    """Where it is kept is said by the call, so that a spec cannot write elsewhere."""
    (fault,) = faults_of(f"{BASE}[history]\n{line}\n")

    assert fault.location is not None
    assert fault.location.source_line == line
