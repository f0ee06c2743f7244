"""The report and its rendering present an evaluation: they compute no statistics themselves."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import reportgen

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(reportgen.__file__).parent
PRESENTING = ("report", "render")
COMPUTING = ("reportgen.statistics", "reportgen.evaluation")
MODULES = sorted(path for folder in PRESENTING for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_types_and_constants_of_computing_packages_are_imported(path: Path) -> None:
    """Whatever is printed is in the Evaluation, and so in results.json."""
    functions = [
        f"{module}.{name}"
        for module, name in runtime_imports(ast.parse(path.read_text(encoding="utf-8")))
        if module.startswith(COMPUTING) and is_function_or_module(module, name)
    ]

    assert functions == []


def test_an_imported_function_is_noticed() -> None:
    """Also inside a function, but not where only types are checked."""
    code = """
from reportgen.statistics.distributions import critical_t
if TYPE_CHECKING:
    from reportgen.statistics.auc import compute_auc
def late():
    from reportgen.evaluation import curves
"""

    result = list(runtime_imports(ast.parse(code)))

    assert result == [
        ("reportgen.statistics.distributions", "critical_t"),
        ("reportgen.evaluation", "curves"),
    ]
    assert all(is_function_or_module(module, name) for module, name in result)
    assert not is_function_or_module("reportgen.evaluation.values", "ValueState")
    assert not is_function_or_module("reportgen.statistics.t_tests", "PAIRED_T")


def runtime_imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield module and name of everything imported outside of TYPE_CHECKING blocks."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=otherwise):
                for statement in otherwise:
                    yield from runtime_imports(statement)
            case ast.ImportFrom(module=str(module), names=names):
                yield from ((module, alias.name) for alias in names)
            case ast.Import(names=names):
                for alias in names:
                    module, _, name = alias.name.rpartition(".")
                    yield module, name
            case _:
                yield from runtime_imports(child)


def is_function_or_module(module: str, name: str) -> bool:
    """Return whether a name is something that can compute: a function, or a whole module."""
    value = getattr(importlib.import_module(module), name, None)
    return value is None or inspect.isroutine(value) or inspect.ismodule(value)
