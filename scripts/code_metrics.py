"""Measure the size and shape of the code: files, lines, imports, and how many files a value passes.

    python scripts/code_metrics.py            # files, lines, share of import lines, importers
    python scripts/code_metrics.py --value    # also the files that one sensitivity passes through

A value passes through a file if a function there has it among its arguments, its local variables
or in what it returns, directly or as an attribute or an element of one of them. The flagship's
sensitivity of its first classifier is followed from the aggregates to the page.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "reportgen"
# Longer collections are data, in which the value is found by chance.
MAX_ITEMS = 64
FLAGSHIP = ROOT / "specs" / "breast_cancer.toml"


@dataclass(frozen=True, slots=True)
class CodeMetrics:
    """The size of the package, as docs and issues quote it."""

    files: int
    lines: int
    median_lines: float
    largest_lines: int
    import_share: float
    docstring_share: float
    modules_with_one_importer: int


def measure_code(package: Path) -> CodeMetrics:
    """Count files, lines, import lines, docstring lines and importers of each module."""
    sizes, imports, docstrings = [], 0, 0
    importers: Counter[str] = Counter()
    modules = set()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        sizes.append(text.count("\n"))
        imports += _import_lines(tree)
        docstrings += _docstring_lines(tree)
        modules.add(_module_name(path, package))
        importers.update(_imported_modules(tree))
    lines = sum(sizes)
    return CodeMetrics(
        files=len(sizes),
        lines=lines,
        median_lines=median(sizes),
        largest_lines=max(sizes),
        import_share=imports / lines,
        docstring_share=docstrings / lines,
        modules_with_one_importer=sum(importers[name] == 1 for name in modules),
    )


def _module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _import_lines(tree: ast.Module) -> int:
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _docstring_lines(tree: ast.Module) -> int:
    total = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            total += (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def _imported_modules(tree: ast.Module) -> set[str]:
    return {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("reportgen")
    }


def files_of_value(target: float) -> list[str]:
    """Return the files of the package that hold the value while the flagship's page is built."""
    from reportgen.pipeline import build_and_write

    names: set[str] = set()

    def holds(value: object, depth: int = 2) -> bool:
        if isinstance(value, float):
            return value == target
        if depth == 0:
            return False
        if is_dataclass(value) and not isinstance(value, type):
            return any(
                holds(getattr(value, field.name, None), depth - 1) for field in fields(value)
            )
        if isinstance(value, tuple | list) and len(value) < MAX_ITEMS:
            return any(holds(item, depth - 1) for item in value)
        if isinstance(value, dict) and len(value) < MAX_ITEMS:
            return any(holds(item, depth - 1) for item in value.values())
        return False

    def profile(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if event != "return" or name in names or not name.startswith(str(PACKAGE)):
            return
        if holds(argument) or any(holds(item) for item in frame.f_locals.values()):
            names.add(name)

    sys.setprofile(profile)
    try:
        build_and_write(FLAGSHIP, ROOT / "build" / "metrics", ["html"])
    finally:
        sys.setprofile(None)
    return sorted(str(Path(name).relative_to(ROOT)) for name in names)


if __name__ == "__main__":
    metrics = measure_code(PACKAGE)
    for field in fields(metrics):
        number = getattr(metrics, field.name)
        print(f"{field.name:28} {f'{number:.1%}' if field.name.endswith('share') else number}")
    if "--value" in sys.argv:
        sensitivity = 205 / 212
        files = files_of_value(sensitivity)
        print(f"{'files_of_one_value':28} {len(files)}")
        print("\n".join(f"  {name}" for name in files))
