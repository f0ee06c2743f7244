"""Plain values as TOML text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError
from reportgen.errors.spec_faults import WRONG_TYPE
from reportgen.spec.findings import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, object]) -> str:
    """Return a document as TOML: its own values, then its tables; what is None is left out."""
    return "\n".join(_lines(document)).lstrip("\n") + "\n"


def toml_setting(key: object, value: object) -> str:
    """Return `key = value` as TOML."""
    return f"{_key(key)} = {_value(key, value)}"


def _lines(document: Mapping[str, object]) -> Iterator[str]:
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    arrays = {key: found for key, value in document.items() if (found := _tables_in(value))}
    yield from _settings(
        {key: value for key, value in document.items() if key not in {*tables, *arrays}}
    )
    for key, table in tables.items():
        yield from ("", f"[{_key(key)}]", *_settings(table))
    for key, array in arrays.items():
        for table in array:
            yield from ("", f"[[{_key(key)}]]", *_settings(table))


def _tables_in(value: object) -> list[Mapping[str, object]]:
    """Return the tables of a list that has nothing else in it."""
    items = list(value) if isinstance(value, list | tuple) else []
    tables = [item for item in items if isinstance(item, Mapping)]
    return tables if len(tables) == len(items) else []


def _settings(table: Mapping[str, object]) -> Iterator[str]:
    for key, value in table.items():
        if value is not None:
            yield toml_setting(key, value)


def _value(key: object, value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return repr(float(value))
        case str():
            return _quoted(value)
        case list() | tuple():
            return f"[{', '.join(_value(key, item) for item in value)}]"
        case Mapping():
            inner = ", ".join(_settings(value))
            return f"{{ {inner} }}" if inner else "{}"
        case _ if (plain := _plain(value)) is not None:
            return _value(key, plain)
        case _:
            message = f"{quoted(key)} is of the type {type(value).__name__}, which no setting has"
            raise SpecError(Fault(WRONG_TYPE, message, help="give a number, a text, a list or so"))


def _plain(value: object) -> bool | int | float | str | list[object] | None:
    """Return the plain value in a NumPy scalar or array, if it is one."""
    found = value.tolist() if hasattr(value, "tolist") else None
    return found if isinstance(found, bool | int | float | str | list) else None


def _key(key: object) -> str:
    text = str(key)
    return text if _BARE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    # JSON leaves one control character as it is, which TOML does not allow.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
