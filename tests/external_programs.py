"""Marks for tests that run a program which not every machine has.

Without the program such a test is skipped, unless its environment variable is `required`, as in CI.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

Test = TypeVar("Test", bound="Callable[..., None]")


def _needs(program: str, marker: pytest.MarkDecorator, variable: str) -> Callable[[Test], Test]:
    """Return the decorator of tests that run a program; `make <marker>` installs it."""
    is_missing = shutil.which(program) is None and os.environ.get(variable) != "required"
    skip = pytest.mark.skipif(is_missing, reason=f"no {program} (`make {marker.name}` installs it)")

    def decorate(test: Test) -> Test:
        decorated: Test = marker(skip(test))
        return decorated

    return decorate


needs_systemd = _needs("systemd-analyze", pytest.mark.servers, "REPORTGEN_SERVERS")
needs_poppler = _needs("pdftotext", pytest.mark.browser, "REPORTGEN_BROWSER")
