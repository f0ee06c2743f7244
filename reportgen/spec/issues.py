"""What is wrong with a spec, by key path, before it is known where in the file that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from reportgen.errors import closest_match
from reportgen.spec.fields import TASK_KINDS, format_label, is_invisible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.errors import ErrorCode


KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of the file down to a value."""

MAX_QUOTE_LENGTH = 60


class Highlight(Enum):
    """Which part of the file a finding points at."""

    VALUE = "value"
    KEY = "key"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """One thing that is wrong, at a key path."""

    error_code: ErrorCode
    message: str
    path: KeyPath
    help: str | None = None
    highlight: Highlight = Highlight.VALUE
    missing_keys: tuple[KeyPath, ...] = ()
    """Keys whose absence is the reason, if any of them would mend it."""

    suggested_key: KeyPath | None = None
    """The key that was probably meant by an unknown one."""


def quote_value(value: object) -> str:
    """Return a value as it can be shown in a message, whatever it contains."""
    text = format_label(value)
    shown = "".join(
        f"\\u{ord(character):04x}" if is_invisible(character) else character
        for character in (repr(value) if text is None else text)
    )
    return f"`{shown[:MAX_QUOTE_LENGTH]}…`" if len(shown) > MAX_QUOTE_LENGTH else f"`{shown}`"


def describe_path(path: KeyPath) -> str:
    """Return how a message names what is at a path."""
    indices: list[int] = []
    for part in reversed(path):
        if isinstance(part, str):
            name = quote_value(part)
            break
        indices.insert(0, part + 1)
    else:
        return "the spec"
    match indices:
        case []:
            return name
        case [row, column]:
            return f"row {row}, column {column} of {name}"
        case _:
            return f"item {indices[-1]} of {name}"


def format_table_header(path: KeyPath) -> str:
    """Return how the table at a path is written in TOML."""
    name = ".".join(quote_value(part)[1:-1] for part in path if isinstance(part, str))
    if not name:
        return "the spec"
    return f"[[{name}]]" if isinstance(path[-1], int) else f"[{name}]"


def describe_type(value: object) -> str:
    """Return the type of a TOML value in plain words."""
    titles: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "true or false"),
        (int, "a whole number"),
        (float, "a number"),
        (str, "text"),
        (dict, "a table"),
        ((list, tuple), "a list"),
        ((date, time), "a date or time"),
    )
    return next((title for types, title in titles if isinstance(value, types)), "this")


def join_alternatives(candidates: tuple[str, ...]) -> str:
    """Return words as a message lists them."""
    *others, last = (f"`{candidate}`" for candidate in candidates)
    return f"{', '.join(others)} or {last}" if others else last


# A spec as it was written, of which nothing is known to be right yet.

RawTable = dict[str, object]


@dataclass(frozen=True)
class RawSpec:
    """What can be read from a document although other parts of it may be wrong."""

    document: RawTable

    def table(self, key: str) -> RawTable:
        """Return a table, empty if there is none."""
        found = self.document.get(key)
        return found if isinstance(found, dict) else {}

    def tables(self, key: str) -> Iterator[tuple[KeyPath, RawTable]]:
        """Yield the tables of an array of tables with their paths."""
        found = self.document.get(key)
        for index, item in enumerate(found if isinstance(found, list) else []):
            if isinstance(item, dict):
                yield (key, index), item

    @cached_property
    def positive(self) -> str | None:
        """The positive class, if it is named."""
        return format_label(self.table("task").get("positive"))

    def fold_scores(self, classifier: object) -> RawTable | None:
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
    def probable_task_kind(self) -> str | None:
        """The kind of task, also if it is misspelt."""
        kind = self.table("task").get("kind")
        return closest_match(kind, TASK_KINDS) if isinstance(kind, str) else None

    @cached_property
    def classes(self) -> tuple[str, ...] | None:
        """The classes as text, if they are listed and all of them are labels."""
        written = self.table("task").get("classes")
        labels = [format_label(item) for item in written] if isinstance(written, list) else []
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
