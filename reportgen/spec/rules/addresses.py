"""Addresses, which are read only where the spec says that it wants to."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import REMOTE_INPUT
from reportgen.spec.addresses import is_remote
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Finding, KeyPath


def address_findings(draft: Draft) -> Iterator[Finding]:
    """Yield the addresses that are named where `remote` is not true."""
    shared = draft.table("data").get("remote", False)
    tables: list[tuple[KeyPath, Table]] = [
        (("data",), draft.table("data")),
        *draft.tables("datasets"),
        *draft.tables("classifiers"),
    ]
    for path, table in tables:
        if table.get("remote", shared) is not True:
            yield from _refused(path, table)


def _refused(path: KeyPath, table: Table) -> Iterator[Finding]:
    for key in ("predictions", "labels"):
        written = table.get(key)
        named = list(enumerate(written)) if isinstance(written, list) else [(None, written)]
        for index, each in named:
            if isinstance(each, str) and is_remote(each):
                own = (*path, key) if index is None else (*path, key, index)
                yield Finding(
                    REMOTE_INPUT,
                    f"`{key}` must be a file: addresses are read only where `remote = true`",
                    own,
                    "download the file and give its path, or write `remote = true` under `[data]`",
                )
