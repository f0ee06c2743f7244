"""Lists whose entries must differ have no entry twice."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import REPEATED
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Finding, KeyPath, quoted
from reportgen.spec.texts import label_text


def repetition_findings(draft: Draft) -> Iterator[Finding]:
    """Yield classes, sections and formats that are listed twice."""
    yield from _repeated("class", _entries(draft, "task", "classes"))
    yield from _repeated("format", _entries(draft, "output", "formats"))
    sections: list[tuple[KeyPath, object]] = [
        ((*path, "kind"), table.get("kind"))
        for path, table in draft.tables("sections")
        if table.get("kind") != "text"
    ]
    yield from _repeated("section", sections)


def _entries(draft: Draft, table: str, key: str) -> list[tuple[KeyPath, object]]:
    written = draft.table(table).get(key)
    entries = written if isinstance(written, list) else []
    return [((table, key, index), entry) for index, entry in enumerate(entries)]


def _repeated(noun: str, entries: list[tuple[KeyPath, object]]) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, entry in entries:
        text = label_text(entry)
        if text is not None and text in seen:
            message = f"the {noun} {quoted(text)} is listed twice"
            yield Finding(REPEATED, message, path, "keep one of the two")
        elif text is not None:
            seen.add(text)
