"""Marks for tests that run a program which not every machine has.

Without the program such a test is skipped, unless its environment variable is `required`, as in CI.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGRATIONS = "REPORTGEN_INTEGRATIONS"
Test = TypeVar("Test", bound="Callable[..., None]")


def _needs(program: str, marker: pytest.MarkDecorator, variable: str) -> Callable[[Test], Test]:
    """Return the decorator of tests that run a program; `make <marker>` installs it."""
    is_missing = shutil.which(program) is None and os.environ.get(variable) != "required"
    return _skip_if(is_missing, program, marker)


def _skip_if(is_missing: object, name: str, marker: pytest.MarkDecorator) -> Callable[[Test], Test]:
    skip = pytest.mark.skipif(
        bool(is_missing), reason=f"no {name} (`make {marker.name}` installs it)"
    )

    def decorate(test: Test) -> Test:
        decorated: Test = marker(skip(test))
        return decorated

    return decorate


needs_systemd = _needs("systemd-analyze", pytest.mark.servers, "REPORTGEN_SERVERS")
needs_latex = _needs("pdflatex", pytest.mark.latex, "REPORTGEN_LATEX")
needs_poppler = _needs("pdftotext", pytest.mark.browser, "REPORTGEN_BROWSER")


def needs_package(name: str) -> Callable[[Test], Test]:
    """Return the decorator of tests of an integration that import a package of another project."""
    is_missing = find_spec(name) is None and os.environ.get(INTEGRATIONS) != "required"
    return _skip_if(is_missing, name, pytest.mark.integrations)


def needs_tool(name: str) -> Callable[[Test], Test]:
    """Return the decorator of tests of an integration that run a program of the environment."""
    is_missing = find_tool(name) is None and os.environ.get(INTEGRATIONS) != "required"
    return _skip_if(is_missing, name, pytest.mark.integrations)


def find_tool(name: str) -> str | None:
    """Return the path of a program next to this Python, or on the path."""
    return shutil.which(name, path=os.pathsep.join((sysconfig.get_path("scripts"), os.defpath)))
