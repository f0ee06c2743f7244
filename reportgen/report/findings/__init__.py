"""Findings: typed facts that the key findings of a report state. Their wording is in phrases."""
