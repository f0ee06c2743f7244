"""A report that was built before something goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.jobs.runs import NEW, build, write_spec

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def changed_report(tmp_path: Path) -> Path:
    """Return a folder with a spec whose report was built, and that has changed since."""
    write_spec(tmp_path)
    assert build(tmp_path, "small.toml").returncode == 0
    write_spec(tmp_path, NEW)
    return tmp_path
