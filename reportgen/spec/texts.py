"""Texts, labels, numbers and lists as a spec may contain them."""

import re
from typing import Annotated, Literal, TypeVar, get_args
from unicodedata import category

from pydantic import AfterValidator, BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from reportgen.errors.fault import FaultKind
from reportgen.errors.spec_faults import REMOTE_INPUT, UNSAFE_TEXT, WRONG_TYPE

DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|(?:https?|ftp|file|data|s3|gs|az|hf):", re.IGNORECASE)

Item = TypeVar("Item")
TaskKind = Literal["binary", "multiclass", "regression"]
TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)


def refusal(kind: FaultKind, message: str, help_line: str | None = None) -> PydanticCustomError:
    """Return the error by which a validator refuses a value as a fault of this kind."""
    # The code is the error's type, so that the kind can be found again.
    return PydanticCustomError(kind.code, message, {"help": help_line})


def is_invisible(character: str) -> bool:
    """Say whether a character shows nothing yet changes how text looks."""
    return character in DIRECTION_OVERRIDES or category(character) in _INVISIBLE_CATEGORIES


def is_64_bit(number: int) -> bool:
    """Say whether an integer is within what TOML promises to keep."""
    return -(2**63) <= number < 2**63


def label_text(value: object) -> str | None:
    """Return how a label is written in data, or None if the value is no label."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            # In hexadecimal if huge, because `str` refuses integers of thousands of digits.
            return str(value) if is_64_bit(value) else hex(value)
        case str():
            return value
        case _:
            return None


def _visible(text: str) -> str:
    if not text.strip():
        raise refusal(UNSAFE_TEXT, "must not be empty")
    found = next((character for character in text if is_invisible(character)), None)
    if found is not None:
        raise refusal(
            UNSAFE_TEXT,
            f"contains the invisible character U+{ord(found):04X}",
            "type the text anew; copied text sometimes carries such characters",
        )
    return text


def _visible_lines(text: str) -> str:
    _visible(text.replace("\n", " ").replace("\t", " "))
    return text


def is_address(path: str) -> bool:
    """Say whether a path names something on a network, or means to."""
    return _ADDRESS.match(path) is not None


def _local(path: str) -> str:
    if is_address(path):
        raise refusal(
            REMOTE_INPUT,
            "must be a file, not an address",
            "download the file and give its path, relative to the spec",
        )
    return path


def _label(value: object) -> str:
    text = label_text(value)
    if text is None:
        raise refusal(
            WRONG_TYPE,
            "must be text, a whole number, true or false",
            'labels are compared as text: write 1.0 as "1.0"',
        )
    return text


def one_or_many(value: object) -> object:
    """Take a text alone as a list of it."""
    return (value,) if isinstance(value, str) else value


def _plain(number: float) -> float:
    return float(number)


# Plain floats, because numbers arrive as a subclass that remembers how they were written. `float`
# itself would do, but pydantic asks for its signature, which Python parses from a text each time.
PLAIN = AfterValidator(_plain)
Number = Annotated[float, PLAIN]
Share = Annotated[float, Field(gt=0, lt=1), PLAIN]
Margin = Annotated[float, Field(gt=0), PLAIN]
Line = Annotated[str, AfterValidator(_visible)]
Lines = Annotated[str, AfterValidator(_visible_lines)]
InputPath = Annotated[Line, AfterValidator(_local)]
Label = Annotated[Line, BeforeValidator(_label, json_schema_input_type=str | int | bool)]
Many = Annotated[tuple[Item, ...], Strict(strict=False)]
Some = Annotated[Many[Item], Field(min_length=1)]
