"""What is wrong with a spec, by key path, before it is known where in the file that is."""

from __future__ import annotations

from datetime import date, time
from enum import Enum
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.spec.texts import is_invisible, label_text

if TYPE_CHECKING:
    from reportgen.errors import FaultKind

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top of the file down to a value."""

LONGEST_QUOTE = 60


class Aim(Enum):
    """Which part of the file a finding points at."""

    VALUE = "value"
    KEY = "key"
    TABLE = "table"


@frozen
class Finding:
    """One thing that is wrong, at a key path."""

    kind: FaultKind
    message: str
    path: KeyPath
    help: str | None = None
    aim: Aim = Aim.VALUE
    absent: tuple[KeyPath, ...] = ()
    """Keys whose absence is the reason, if any of them would mend it."""

    suggested: KeyPath | None = None
    """The key that was probably meant by an unknown one."""


def quoted(value: object) -> str:
    """Return a value as it can be shown in a message, whatever it contains."""
    text = label_text(value)
    shown = "".join(
        f"\\u{ord(character):04x}" if is_invisible(character) else character
        for character in (repr(value) if text is None else text)
    )
    return f"`{shown[:LONGEST_QUOTE]}…`" if len(shown) > LONGEST_QUOTE else f"`{shown}`"


def subject(path: KeyPath) -> str:
    """Return how a message names what is at a path."""
    indices: list[int] = []
    for part in reversed(path):
        if isinstance(part, str):
            name = quoted(part)
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


def table_title(path: KeyPath) -> str:
    """Return how the table at a path is written in TOML."""
    name = ".".join(quoted(part)[1:-1] for part in path if isinstance(part, str))
    if not name:
        return "the spec"
    return f"[[{name}]]" if isinstance(path[-1], int) else f"[{name}]"


def type_title(value: object) -> str:
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


def words(candidates: tuple[str, ...]) -> str:
    """Return words as a message lists them."""
    *others, last = (f"`{candidate}`" for candidate in candidates)
    return f"{', '.join(others)} or {last}" if others else last
