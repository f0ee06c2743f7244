"""A spec as it was written, of which nothing is known to be right yet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from reportgen.errors import nearest
from reportgen.spec.texts import TASK_KINDS, label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec.findings import KeyPath

Table = dict[str, object]


@dataclass(frozen=True)
class Draft:
    """What can be read from a document although other parts of it may be wrong."""

    document: Table

    def table(self, key: str) -> Table:
        """Return a table, empty if there is none."""
        found = self.document.get(key)
        return found if isinstance(found, dict) else {}

    def tables(self, key: str) -> Iterator[tuple[KeyPath, Table]]:
        """Yield the tables of an array of tables with their paths."""
        found = self.document.get(key)
        for index, item in enumerate(found if isinstance(found, list) else []):
            if isinstance(item, dict):
                yield (key, index), item

    @cached_property
    def positive(self) -> str | None:
        """The positive class, if it is named."""
        return label_text(self.table("task").get("positive"))

    def fold_scores(self, classifier: object) -> Table | None:
        """Return the fold scores of a classifier, if that is what is known of it."""
        for _, found in self.tables("classifiers"):
            scores = found.get("fold_scores")
            if found.get("name") == classifier and isinstance(scores, dict):
                return scores
        return None

    @cached_property
    def task_kind(self) -> str | None:
        """The kind of task, if it is one."""
        kind = self.table("task").get("kind")
        return kind if isinstance(kind, str) and kind in TASK_KINDS else None

    @cached_property
    def probable_kind(self) -> str | None:
        """The kind of task, also if it is misspelt."""
        kind = self.table("task").get("kind")
        return nearest(kind, TASK_KINDS) if isinstance(kind, str) else None

    @cached_property
    def classes(self) -> tuple[str, ...] | None:
        """The classes as text, if they are listed and all of them are labels."""
        written = self.table("task").get("classes")
        labels = [label_text(item) for item in written] if isinstance(written, list) else []
        known = tuple(label for label in labels if label is not None)
        return known if known and len(known) == len(labels) else None

    @cached_property
    def classifier_names(self) -> tuple[str, ...] | None:
        """The names of all classifiers, or None if one is not known."""
        found = self.document.get("classifiers")
        tables = [table for _, table in self.tables("classifiers")]
        names = [table.get("name") for table in tables]
        known = tuple(name for name in names if isinstance(name, str))
        complete = isinstance(found, list) and len(known) == len(found) > 0
        return known if complete else None
