"""TOML text to plain values, with the place of a fault in it."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place, SpecError
from reportgen.errors.spec_faults import DUPLICATE_KEY, OUT_OF_RANGE, SYNTAX
from reportgen.spec.addresses import masked
from reportgen.spec.findings import subject
from reportgen.spec.texts import is_invisible
from reportgen.spec.written import WrittenNumber

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.spec.positions import Positions

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_UNCLOSED = "a quote is not closed"
_REPEATED = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate inline table key")


def read_toml(path: Path, text: str) -> dict[str, object]:
    """Return the values of a TOML file, or raise a fault that shows where it breaks the rules."""
    try:
        return tomllib.loads(text, parse_float=WrittenNumber)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(*_syntax_faults(path, text, str(error))) from None
    except RecursionError:
        fault = Fault(SYNTAX, "lists or tables are nested too deeply", Place(path))
    except ValueError:
        # Python refuses to read integers of thousands of digits.
        fault = Fault(OUT_OF_RANGE, "a whole number is beyond 64 bit", _huge_integer(path, text))
    raise SpecError(fault)


def place_at(path: Path, lines: list[str], line: int, column: int, width: int = 1) -> Place:
    """Return a place together with the line itself, made safe to show."""
    source = lines[line - 1] if line <= len(lines) else ""
    # One character for one, so that columns stay right.
    shown = "".join(
        " " if character == "\t" else "\ufffd" if is_invisible(character) else character
        for character in masked(source)
    )
    return Place(path, line, column, width, shown)


def _syntax_faults(path: Path, text: str, error: str) -> list[Fault]:
    message = _PLACE.sub("", error)
    lines = text.split("\n")
    if message.startswith(_REPEATED):
        from reportgen.spec.positions import Positions

        repeated = _repeated_keys(path, lines, Positions(text))
        if repeated:
            return repeated
    line, column = _line_and_column(text, error)
    place = place_at(path, lines, line, column)
    reason = f"not valid TOML: {message[:1].lower()}{message[1:]}"
    return [Fault(SYNTAX, reason, place, _UNCLOSED if "'\\n'" in message else _hint(place))]


def _repeated_keys(path: Path, lines: list[str], positions: Positions) -> list[Fault]:
    return [
        Fault(
            DUPLICATE_KEY,
            f"{subject(repetition.path)} is written twice",
            place_at(path, lines, again.line, again.column, again.width),
            f"line {repetition.first.line} has it already; keep one of the two",
        )
        for repetition in positions.repetitions
        for again in (repetition.second,)
    ]


def _line_and_column(text: str, error: str) -> tuple[int, int]:
    found = _PLACE.search(error)
    if found is not None and found[1] is not None:
        return int(found[1]), int(found[2])
    lines = text.rstrip("\n").split("\n")
    return len(lines), len(lines[-1]) + 1


def _hint(place: Place) -> str | None:
    rest = (place.source or "")[(place.column or 1) - 1 :]
    word = re.match(r"[^\W\d][\w.-]*", rest)
    if word is None:
        return None
    if word[0].lower() in {"true", "false"}:
        return f"write `{word[0].lower()}`, in small letters"
    return f'text needs quotes: "{word[0]}"' if "=" not in rest else None


def _huge_integer(path: Path, text: str) -> Place:
    longest = max(re.finditer(r"[\d_]+", text), key=lambda found: len(found[0]))
    before = text[: longest.start()]
    line, column = before.count("\n") + 1, longest.start() - before.rfind("\n")
    return place_at(path, text.split("\n"), line, column, len(longest[0]))
