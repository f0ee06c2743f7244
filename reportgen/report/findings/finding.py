"""Base class of findings: typed facts that a report states, without their wording."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about an evaluation. Each subclass is one kind; `report.phrases` words it."""
