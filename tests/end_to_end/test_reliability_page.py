"""Every fault of the reliability page has tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d+) \|.*\| (`tests/[^|]*) \|$", re.MULTILINE)
FAULTS = dict(ROW.findall((ROOT / "docs/reliability.md").read_text(encoding="utf-8")))


@cache
def defined_functions(path: Path) -> frozenset[str]:
    """Return the names of the functions of a module."""
    tree = ast.parse(path.read_bytes())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_no_fault_is_left_out() -> None:
    """They are numbered from 1 to 47."""
    assert list(FAULTS) == [str(number) for number in range(1, 48)]


@pytest.mark.parametrize("number", FAULTS)
def test_the_tests_of_a_fault_exist(number: str) -> None:
    """A test that is renamed or removed is missed here."""
    tests = [name.split("::") for name in re.findall(r"`([^`]+)`", FAULTS[number])]

    assert tests
    for path, name in tests:
        assert name in defined_functions(ROOT / path)
