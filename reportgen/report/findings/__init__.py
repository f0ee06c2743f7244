"""Findings: typed facts that the key findings of a report state. Their wording is in phrases."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about an evaluation. Each subclass is one kind; `report.phrases` words it."""
