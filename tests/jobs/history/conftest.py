"""Histories in SQLite and PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.postgres import Postgres


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests on PostgreSQL, and keep them in one process, so that it starts once."""
    here = Path(__file__).parent
    for item in items:
        callspec = getattr(item, "callspec", None)
        if here in item.path.parents and callspec and "postgres" in callspec.id:
            item.add_marker(pytest.mark.servers)
            item.add_marker(pytest.mark.xdist_group("postgres"))


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a history that is not there yet, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "history.sqlite")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()
