"""`import reportgen` is quick, and offers what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest

import reportgen as rg

HEAVY = ("numpy", "polars", "pydantic", "reportgen.pipeline", "reportgen.api", "jinja2")


@pytest.mark.slow
@pytest.mark.parametrize("statement", ["", "reportgen.__version__", "dir(reportgen)"])
def test_nothing_heavy_is_loaded_before_it_is_used(statement: str) -> None:
    """The version and the names are known without polars, pydantic and the pipeline."""
    code = (
        f"import sys, reportgen\n{statement}\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "reportgen.evaluate\n"
        f"print([name for name in {HEAVY[:5]!r} if name not in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.split("\n")[:2] == ["[]", "[]"]


def test_public_names_are_sorted_and_there() -> None:
    """What `from reportgen import *` gives is what the documentation names."""
    assert sorted(rg.__all__) == rg.__all__
    assert dir(rg) == sorted([*rg.__all__, "__version__"])
    assert all(getattr(rg, name).__name__ == name for name in rg.__all__)
    assert all(getattr(rg, name).__doc__ for name in rg.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As for any module, so that `hasattr` works."""
    with pytest.raises(AttributeError, match="module 'reportgen' has no attribute 'evaluator'"):
        _ = rg.evaluator  # type: ignore[attr-defined]  # that is the point


def test_every_error_is_one_to_catch() -> None:
    """Who catches ReportgenError catches all that a user can mend."""
    errors = [getattr(rg, name) for name in rg.__all__ if name.endswith("Error")]

    assert all(issubclass(error, rg.ReportgenError) for error in errors)
