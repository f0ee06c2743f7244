"""TOML: parsing with the location of syntax errors, and formatting."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, SpecError
from reportgen.errors.spec import DUPLICATE_KEY, OUT_OF_RANGE, TOML_SYNTAX
from reportgen.spec.fields import DecimalLiteral, is_invisible, mask_credentials
from reportgen.spec.issues import describe_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reportgen.spec.issues import KeyPath
    from reportgen.spec.source_map import SourceMap


_ERROR_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_DUPLICATE_KEY_MESSAGES = (
    "Cannot overwrite",
    "Cannot declare",
    "Cannot mutate",
    "Duplicate inline table key",
)


# The time that a parser takes grows with the square of the number of parts of a dotted key.
# A part begins where a word does: otherwise a long word would be tried from each of its letters.
_LONG_KEY = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")


def has_long_key(text: str) -> bool:
    """Return whether a TOML text has a dotted key of more than 64 parts, which no spec has."""
    return _LONG_KEY.search(text) is not None


def parse_toml(path: Path, text: str) -> dict[str, object]:
    """Return the values of a TOML text, or raise its syntax errors with their locations."""
    if has_long_key(text):
        message = "a key has more than 64 parts"
        raise SpecError(Diagnostic(TOML_SYNTAX, message, Location(path)))
    try:
        return tomllib.loads(text, parse_float=DecimalLiteral)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(*_syntax_diagnostics(path, text, str(error))) from None
    except RecursionError:
        message = "lists or tables are nested too deeply"
        diagnostic = Diagnostic(TOML_SYNTAX, message, Location(path))
    except ValueError:
        # Python does not parse integers of thousands of digits.
        location = _locate_longest_integer(path, text)
        diagnostic = Diagnostic(OUT_OF_RANGE, "an integer is beyond 64 bit", location)
    raise SpecError(diagnostic)


def location_at(path: Path, lines: list[str], line: int, column: int, width: int = 1) -> Location:
    """Return a location with its source line, without invisible characters and credentials."""
    source = lines[line - 1] if line <= len(lines) else ""
    # One character for one, so that columns stay right.
    visible = "".join(
        " " if character == "\t" else "\ufffd" if is_invisible(character) else character
        for character in mask_credentials(source)
    )
    return Location(path, line, column, width, visible)


def _syntax_diagnostics(path: Path, text: str, error: str) -> list[Diagnostic]:
    message = _ERROR_POSITION.sub("", error)
    lines = text.split("\n")
    if message.startswith(_DUPLICATE_KEY_MESSAGES):
        from reportgen.spec.source_map import SourceMap

        duplicates = _duplicate_key_diagnostics(path, lines, SourceMap(text))
        if duplicates:
            return duplicates
    line, column = _line_and_column(text, error)
    location = location_at(path, lines, line, column)
    reason = f"not valid TOML: {message[:1].lower()}{message[1:]}"
    is_unclosed = "'\\n'" in message
    help_text = "a quote is not closed" if is_unclosed else _suggest_syntax(location)
    return [Diagnostic(TOML_SYNTAX, reason, location, help_text)]


def _duplicate_key_diagnostics(
    path: Path, lines: list[str], source_map: SourceMap
) -> list[Diagnostic]:
    return [
        Diagnostic(
            DUPLICATE_KEY,
            f"duplicate key {describe_path(duplicate.path)}",
            location_at(path, lines, second.line, second.column, second.width),
            f"first defined in line {duplicate.first.line}; {_advise_duplicate(duplicate.path)}",
        )
        for duplicate in source_map.duplicate_keys
        for second in (duplicate.second,)
    ]


def _advise_duplicate(path: KeyPath) -> str:
    """Return what to do about a key that is defined twice; some tables may be repeated."""
    from reportgen.spec.schema import spec_schema

    name = str(path[0])
    is_repeatable = spec_schema()["properties"].get(name, {}).get("type") == "array"
    if len(path) == 1 and is_repeatable:
        return f"a table that is repeated has two brackets: [[{name}]]"
    return "keep one of the two"


def _line_and_column(text: str, error: str) -> tuple[int, int]:
    position = _ERROR_POSITION.search(error)
    if position is not None and position[1] is not None:
        return int(position[1]), int(position[2])
    lines = text.rstrip("\n").split("\n")
    return len(lines), len(lines[-1]) + 1


def _suggest_syntax(location: Location) -> str | None:
    rest = (location.source_line or "")[(location.column or 1) - 1 :]
    word = re.match(r"[^\W\d][\w.-]*", rest)
    if word is None:
        return None
    if word[0].lower() in {"true", "false"}:
        return f"write `{word[0].lower()}` in lower case"
    return f'text needs quotes: "{word[0]}"' if "=" not in rest else None


def _locate_longest_integer(path: Path, text: str) -> Location:
    longest = max(re.finditer(r"[\d_]+", text), key=lambda match: len(match[0]))
    before = text[: longest.start()]
    line, column = before.count("\n") + 1, longest.start() - before.rfind("\n")
    return location_at(path, text.split("\n"), line, column, len(longest[0]))


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_toml(document: Mapping[str, object]) -> str:
    """Return a document as TOML text: values, then tables; None values are omitted."""
    return "\n".join(_format_document(document)).lstrip("\n") + "\n"


def format_toml_pair(key: object, value: object) -> str:
    """Return `key = value` as TOML."""
    return f"{_format_key(key)} = {_format_value(key, value)}"


def _format_document(document: Mapping[str, object]) -> Iterator[str]:
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    arrays = {key: array for key, value in document.items() if (array := _array_of_tables(value))}
    yield from _format_pairs(
        {key: value for key, value in document.items() if key not in {*tables, *arrays}}
    )
    for key, table in tables.items():
        yield from ("", f"[{_format_key(key)}]", *_format_pairs(table))
    for key, array in arrays.items():
        for table in array:
            yield from ("", f"[[{_format_key(key)}]]", *_format_pairs(table))


def _array_of_tables(value: object) -> list[Mapping[str, object]]:
    """Return the items of a list of tables, an empty list for other values."""
    items = list(value) if isinstance(value, list | tuple) else []
    tables = [item for item in items if isinstance(item, Mapping)]
    return tables if len(tables) == len(items) else []


def _format_pairs(table: Mapping[str, object]) -> Iterator[str]:
    for key, value in table.items():
        if value is not None:
            yield format_toml_pair(key, value)


def _format_value(key: object, value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return repr(float(value))
        case str():
            return _format_string(value)
        case date():
            return value.isoformat()
        case list() | tuple():
            return f"[{', '.join(_format_value(key, item) for item in value)}]"
        case Mapping():
            inner = ", ".join(_format_pairs(value))
            return f"{{ {inner} }}" if inner else "{}"
        case _:
            raise TypeError(f"{key} = {value!r} has no form in TOML")


def _format_key(key: object) -> str:
    text = str(key)
    return text if _BARE_KEY.fullmatch(text) else _format_string(text)


def _format_string(text: str) -> str:
    # JSON does not escape one control character that TOML requires to be escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
