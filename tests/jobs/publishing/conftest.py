"""Settings of the tests of publishing."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: one test looks at the order, no test pulls the plug."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.delenv("REPORTGEN_HISTORY", raising=False)
