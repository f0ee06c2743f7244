"""Reports that are built once for all tests that look at them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.formats import OUTPUT_FORMATS, OutputFormat
from reportgen.pipeline import build_and_write

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def build_spec(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what builds a spec of specs/ in all formats, once."""
    output = tmp_path_factory.mktemp("reports")
    formats: tuple[OutputFormat, ...] = OUTPUT_FORMATS

    @cache
    def folder_of(name: str) -> Path:
        outcome = build_and_write(ROOT / "specs" / f"{name}.toml", output, formats)
        assert outcome.diagnostics == ()
        return outcome.folder

    return folder_of
