"""Integers stay within what TOML promises to keep."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import OUT_OF_RANGE
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Finding, KeyPath, subject
from reportgen.spec.texts import is_64_bit


def integer_findings(draft: Draft) -> Iterator[Finding]:
    """Yield integers beyond 64 bit, wherever they are."""
    pending: list[tuple[KeyPath, object]] = [((), draft.document)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, index), item) for index, item in enumerate(value))
        elif isinstance(value, int) and not is_64_bit(value):
            yield Finding(
                OUT_OF_RANGE,
                f"{subject(path)} is a whole number beyond 64 bit",
                path,
                "write a long number that only serves as a name in quotes",
            )
