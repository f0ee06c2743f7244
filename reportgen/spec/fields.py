"""Texts, labels, numbers and lists as a spec may contain them."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self, TypeVar, get_args
from unicodedata import category

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

from reportgen.errors.diagnostics import ErrorCode
from reportgen.errors.spec import (
    CREDENTIALS_IN_URI,
    REMOTE_INPUT_NOT_ALLOWED,
    UNSAFE_TEXT,
    WRONG_TYPE,
)

BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_URI = re.compile(r"[a-z][a-z0-9+.-]+://|(?:https?|ftp|file|data|s3|gs|az|hf):", re.IGNORECASE)

Item = TypeVar("Item")
TaskKind = Literal["binary", "multiclass", "regression"]
TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)


def custom_error(
    error_code: ErrorCode, message: str, help_text: str | None = None
) -> PydanticCustomError:
    """Return the error by which a validator refuses a value as a fault of this kind."""
    # The code is the error's type, so that the kind can be found again.
    return PydanticCustomError(error_code.code, message, {"help": help_text})


def is_invisible(character: str) -> bool:
    """Say whether a character shows nothing yet changes how text looks."""
    return character in BIDI_CONTROLS or category(character) in _INVISIBLE_CATEGORIES


def fits_int64(number: int) -> bool:
    """Say whether an integer is within what TOML promises to keep."""
    return -(2**63) <= number < 2**63


def format_label(value: object) -> str | None:
    """Return how a label is written in data, or None if the value is no label."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            # In hexadecimal if huge, because `str` refuses integers of thousands of digits.
            return str(value) if fits_int64(value) else hex(value)
        case str():
            return value
        case _:
            return None


def _check_visible_text(text: str) -> str:
    if not text.strip():
        raise custom_error(UNSAFE_TEXT, "must not be empty")
    found = next((character for character in text if is_invisible(character)), None)
    if found is not None:
        raise custom_error(
            UNSAFE_TEXT,
            f"contains the invisible character U+{ord(found):04X}",
            "type the text anew; copied text sometimes carries such characters",
        )
    return text


def _check_visible_lines(text: str) -> str:
    _check_visible_text(text.replace("\n", " ").replace("\t", " "))
    return text


def is_uri(path: str) -> bool:
    """Say whether a path names something on a network, or means to."""
    return _URI.match(path) is not None


def _check_local_path(path: str) -> str:
    if is_uri(path):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a file, not an address",
            "download the file and give its path, relative to the spec",
        )
    return path


def _parse_label(value: object) -> str:
    text = format_label(value)
    if text is None:
        raise custom_error(
            WRONG_TYPE,
            "must be text, a whole number, true or false",
            'labels are compared as text: write 1.0 as "1.0"',
        )
    return text


def as_list(value: object) -> object:
    """Take a text alone as a list of it."""
    return (value,) if isinstance(value, str) else value


def _to_float(number: float) -> float:
    return float(number)


# Plain floats, because numbers arrive as a subclass that remembers how they were written. `float`
# itself would do, but pydantic asks for its signature, which Python parses from a text each time.
TO_FLOAT = AfterValidator(_to_float)
FiniteFloat = Annotated[float, TO_FLOAT]
ProportionFloat = Annotated[float, Field(gt=0, lt=1), TO_FLOAT]
PositiveFloat = Annotated[float, Field(gt=0), TO_FLOAT]
SingleLine = Annotated[str, AfterValidator(_check_visible_text)]
MultiLine = Annotated[str, AfterValidator(_check_visible_lines)]
LocalPath = Annotated[SingleLine, AfterValidator(_check_local_path)]
LabelText = Annotated[
    SingleLine, BeforeValidator(_parse_label, json_schema_input_type=str | int | bool)
]
ListOf = Annotated[tuple[Item, ...], Strict(strict=False)]
NonEmpty = Annotated[ListOf[Item], Field(min_length=1)]


# What all tables of a spec have in common.


class SpecModel(BaseModel):
    """A table of the spec: typed strictly, without unknown keys, never changed after reading."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        # Validators are made with that of the whole spec, not once for each table.
        defer_build=True,
    )


# Numbers that remember how they were written.


class DecimalLiteral(float):
    """A float of a TOML file that knows how many decimals it was written with."""

    decimals: int

    def __new__(cls, text: str) -> Self:
        """Read the number and count its decimals."""
        number = super().__new__(cls, text)
        number.decimals = _count_decimals(text)
        return number


def printed_decimals(value: object) -> int:
    """Return how many decimals a value was written with; 0 for what is no written number."""
    return value.decimals if isinstance(value, DecimalLiteral) else 0


def _count_decimals(text: str) -> int:
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    fraction = digits.partition(".")[2]
    # An exponent too long to matter would be refused by `int`, and its number is 0 or infinite.
    shift = int(exponent) if 0 < len(exponent) < 6 else 0  # noqa: PLR2004
    return max(0, len(fraction) - shift)


# Prediction files as a spec may name them: paths, and addresses of files elsewhere.

S3_SCHEMES, GCS_SCHEMES, AZURE_SCHEMES = (
    ("s3", "s3a"),
    ("gs",),
    ("az", "azure", "adl", "abfs", "abfss"),
)
HUGGING_FACE_SCHEMES = ("hf",)
REMOTE_SCHEMES = (*S3_SCHEMES, *GCS_SCHEMES, *AZURE_SCHEMES, *HUGGING_FACE_SCHEMES)
# Azure's names of a container and its account have an @ between them, and no password.
_CONTAINER_SCHEMES = ("abfs", "abfss")
_CREDENTIALS = r"(?<=://)[^/\s\"']*(?=@)|(?<=\?)[^\s\"']+"
_RELATIVE_SEGMENTS = frozenset({"", ".", ".."})


def is_remote_uri(path: str) -> bool:
    """Tell whether a path is an address of a kind that can be read."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme in REMOTE_SCHEMES


def mask_credentials(line: str) -> str:
    """Return a line with * for every character of what may be a secret in an address."""
    if "://" not in line:
        return line
    return re.sub(_CREDENTIALS, lambda found: "*" * len(found[0]), line)


def _check_remote_uri(path: str) -> str:
    if not is_uri(path):
        return path
    if not is_remote_uri(path):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a file, or an address that begins with s3, gs, az, abfss or hf and ://",
            "download the file and give its path, relative to the spec",
        )
    scheme, _, rest = path.partition("://")
    store, _, key = rest.partition("/")
    if "@" in store and (scheme not in _CONTAINER_SCHEMES or ":" in store):
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must not have a user or a password before an @",
            "give them in environment variables, which docs/remote.md names",
        )
    if "?" in path:
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must not have anything after a ?",
            "credentials belong into environment variables; in patterns write * instead of ?",
        )
    if not store or not _RELATIVE_SEGMENTS.isdisjoint(key.split("/")):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a whole address, without empty parts, . and ..",
            "for example s3://bucket/folder/file.parquet",
        )
    return path


DataPath = Annotated[SingleLine, AfterValidator(_check_remote_uri)]
DataPaths = Annotated[
    NonEmpty[DataPath],
    BeforeValidator(as_list, json_schema_input_type=str | NonEmpty[str]),
]
