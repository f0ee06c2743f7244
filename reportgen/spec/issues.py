"""Validation issues: what is wrong with a spec, by key path and independent of its source.

An issue is rendered as a diagnostic for a TOML file (line, column, caret) or for a Python call
(argument name) only at the end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, did_you_mean
from reportgen.errors.spec import DUPLICATE_VALUE
from reportgen.spec.fields import format_label, is_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from reportgen.errors import ErrorCode, Location

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of the document down to a value."""

MAX_QUOTE_LENGTH = 60
_MAX_LISTED_VALUES = 10


class Highlight(Enum):
    """Which part of a TOML file an issue is shown at."""

    VALUE = "value"
    KEY = "key"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class SetKey:
    """A help text that asks for a key to be set; from Python, for an argument to be passed."""

    path: KeyPath
    example: object

    def for_toml(self) -> str:
        """Return the line to add to a spec file."""
        line = f"{self.path[-1]} = {format_example(self.example)}"
        return f"set `{line}` in {format_table_header(self.path[:-1])}"


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """One thing that is wrong, at a key path."""

    error_code: ErrorCode
    message: str
    path: KeyPath
    help: str | SetKey | None = None
    highlight: Highlight = Highlight.VALUE
    depends_on: tuple[KeyPath, ...] = ()
    """Keys that the issue follows from: where one of them is invalid itself, it is not reported."""

    suggested_key: KeyPath | None = None
    """The key that was probably meant by an unknown one."""

    subject: str = ""
    """The key at the path as it precedes the message; a call has the argument's name instead."""

    def to_toml_diagnostic(self, location: Location) -> Diagnostic:
        """Return the issue at its place in a TOML file."""
        message = f"{self.subject} {self.message}" if self.subject else self.message
        help_text = self.help.for_toml() if isinstance(self.help, SetKey) else self.help
        return Diagnostic(self.error_code, message, location, help_text)

    def to_python_diagnostic(
        self, name_argument: Callable[[KeyPath], str], suggest_argument: Callable[[SetKey], str]
    ) -> Diagnostic:
        """Return the issue of a call: `name_argument` names the argument behind a key path."""
        separator = " " if self.subject else ": "
        message = f"{name_argument(self.path)}{separator}{self.message}"
        help_text = suggest_argument(self.help) if isinstance(self.help, SetKey) else self.help
        return Diagnostic(self.error_code, message, help=help_text)


def key_issue(  # noqa: PLR0913, PLR0917  # the fields of an issue
    error_code: ErrorCode,
    path: KeyPath,
    message: str,
    help_text: str | SetKey | None = None,
    highlight: Highlight = Highlight.VALUE,
    depends_on: tuple[KeyPath, ...] = (),
) -> ValidationIssue:
    """Return an issue whose message has the key at the path as its subject."""
    subject = describe_path(path)
    return ValidationIssue(
        error_code, message, path, help_text, highlight, depends_on, subject=subject
    )


def duplicate_issues(
    noun: str, values: Iterable[Hashable], path: KeyPath, *keys: str
) -> Iterator[ValidationIssue]:
    """Yield the values of a list that occur before; `keys` lead from an item to its value."""
    previous_values: set[Hashable] = set()
    for index, value in enumerate(values):
        if value in previous_values:
            message = f"duplicate {noun} {quote_value(value)}"
            yield ValidationIssue(
                DUPLICATE_VALUE, message, (*path, index, *keys), "keep one of the two"
            )
        previous_values.add(value)


def quote_value(value: object) -> str:
    """Return a value as it can be shown in a message, whatever it contains."""
    text = format_label(value)
    visible = "".join(
        f"\\u{ord(character):04x}" if is_invisible(character) else character
        for character in (repr(value) if text is None else text)
    )
    return f"`{visible[:MAX_QUOTE_LENGTH]}…`" if len(visible) > MAX_QUOTE_LENGTH else f"`{visible}`"


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


def format_example(value: object) -> str:
    """Return a value as an example in TOML shows it."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {format_example(item)}" for key, item in value.items())
        return f"{{ {inside} }}"
    return json.dumps(value, ensure_ascii=False)


def describe_type(value: object) -> str:
    """Return the type of a value in plain words."""
    titles: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a number"),
        (str, "text"),
        (dict, "a table"),
        ((list, tuple), "a list"),
        ((date, time), "a date or time"),
    )
    return next((title for types, title in titles if isinstance(value, types)), "this")


def join_alternatives(candidates: Iterable[str]) -> str:
    """Return names as a message lists them: `a`, `b` or `c`."""
    *others, last = (f"`{candidate}`" for candidate in candidates)
    return f"{', '.join(others)} or {last}" if others else last


def suggest_one_of(value: str, candidates: Iterable[str]) -> str:
    """Return the candidate closest to an unknown name or, if none is close, the first of them."""
    values = tuple(candidates)
    listing = ", ".join(map(quote_value, values[:_MAX_LISTED_VALUES]))
    ellipsis = ", …" if len(values) > _MAX_LISTED_VALUES else ""
    return did_you_mean(value, values) or f"expected one of {listing}{ellipsis}"
