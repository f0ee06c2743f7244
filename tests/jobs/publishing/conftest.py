"""Settings of the tests of publishing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.object_store import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.object_store import ObjectStore


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: one test looks at the order, no test pulls the plug."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.delenv("REPORTGEN_HISTORY", raising=False)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """Serve an empty bucket, and set the environment for it."""
    with serving({}) as served:
        for name, value in served.environment().items():
            monkeypatch.setenv(name, value)
        yield served
