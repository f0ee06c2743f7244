"""Field types of the spec: text, labels, numbers, lists, paths, and the base class of tables."""

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
TaskKind = Literal["binary", "multiclass", "ordinal", "multilabel", "regression"]
TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)
MULTICLASS_KINDS: frozenset[TaskKind] = frozenset({"multiclass", "ordinal", "multilabel"})


def with_article(kind: TaskKind) -> str:
    """Return a kind of task with its article."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def custom_error(
    error_code: ErrorCode, message: str, help_text: str | None = None
) -> PydanticCustomError:
    """Return the error a validator raises for an invalid value."""
    # The code is the error's type, from which the error code is looked up again.
    return PydanticCustomError(error_code.code, message, {"help": help_text})


def is_invisible(character: str) -> bool:
    """Return whether a character is not displayed itself but changes how text is displayed."""
    return character in BIDI_CONTROLS or category(character) in _INVISIBLE_CATEGORIES


def fits_int64(number: int) -> bool:
    """Return whether an integer is within the range that TOML guarantees."""
    return -(2**63) <= number < 2**63


def format_label(value: object) -> str | None:
    """Return a label as text, as data files contain it; None if the value is not a label."""
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
    invisible = next((character for character in text if is_invisible(character)), None)
    if invisible is not None:
        raise custom_error(
            UNSAFE_TEXT,
            f"contains the invisible character U+{ord(invisible):04X}",
            "retype the text; copied text sometimes contains such characters",
        )
    return text


def _check_visible_lines(text: str) -> str:
    _check_visible_text(text.replace("\n", " ").replace("\t", " "))
    return text


def is_uri(path: str) -> bool:
    """Return whether a path is a URI, or looks like one."""
    return _URI.match(path) is not None


def _check_local_path(path: str) -> str:
    if is_uri(path):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a local file, not a URI",
            "download the file and give its path, relative to the spec",
        )
    return path


def _parse_label(value: object) -> str:
    text = format_label(value)
    if text is None:
        raise custom_error(
            WRONG_TYPE,
            "must be text, an integer or a boolean",
            'labels are compared as text: write 1.0 as "1.0"',
        )
    return text


def as_list(value: object) -> object:
    """Return a single string as a tuple of one; other values unchanged."""
    return (value,) if isinstance(value, str) else value


def _to_float(number: float) -> float:
    return float(number)


# Plain floats, because numbers of TOML arrive as `DecimalLiteral`. `float` itself would do, but
# pydantic asks for its signature, which Python parses from a text each time.
TO_FLOAT = AfterValidator(_to_float)
FiniteFloat = Annotated[float, TO_FLOAT]
ProportionFloat = Annotated[float, Field(gt=0, lt=1), TO_FLOAT]
PositiveFloat = Annotated[float, Field(gt=0), TO_FLOAT]
SingleLine = Annotated[str, AfterValidator(_check_visible_text)]
MultiLine = Annotated[str, AfterValidator(_check_visible_lines)]
SHA256_PATTERN = "^[0-9a-f]{64}$"
Sha256 = Annotated[str, Field(pattern=SHA256_PATTERN)]
LocalPath = Annotated[SingleLine, AfterValidator(_check_local_path)]
LabelText = Annotated[
    SingleLine, BeforeValidator(_parse_label, json_schema_input_type=str | int | bool)
]
ListOf = Annotated[tuple[Item, ...], Strict(strict=False)]
NonEmpty = Annotated[ListOf[Item], Field(min_length=1)]


class SpecModel(BaseModel):
    """A table of the spec: strictly typed, without unknown keys, immutable."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        # Built together with the validator of `Spec`, not once for each table.
        defer_build=True,
    )


class DecimalLiteral(float):
    """A float with the number of decimals it has in the TOML file."""

    decimals: int

    def __new__(cls, text: str) -> Self:
        """Read the number and count its decimals."""
        number = super().__new__(cls, text)
        number.decimals = _count_decimals(text)
        return number


def printed_decimals(value: object) -> int:
    """Return the number of decimals of a float, as written in TOML or as Python prints it."""
    if isinstance(value, DecimalLiteral):
        return value.decimals
    return _count_decimals(repr(value)) if isinstance(value, float) else 0


def _count_decimals(text: str) -> int:
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    fraction = digits.partition(".")[2]
    # An exponent too long to matter would be refused by `int`, and its number is 0 or infinite.
    shift = int(exponent) if 0 < len(exponent) < 6 else 0  # noqa: PLR2004
    return max(0, len(fraction) - shift)


# Paths and URIs of prediction files.

S3_SCHEMES, GCS_SCHEMES, AZURE_SCHEMES = (
    ("s3", "s3a"),
    ("gs",),
    ("az", "azure", "adl", "abfs", "abfss"),
)
HUGGING_FACE_SCHEMES = ("hf",)
POSTGRES_SCHEMES = ("postgresql", "postgres")
REMOTE_SCHEMES = (
    *S3_SCHEMES,
    *GCS_SCHEMES,
    *AZURE_SCHEMES,
    *HUGGING_FACE_SCHEMES,
    *POSTGRES_SCHEMES,
)
# Azure's names of a container and its account have an @ between them, and no password.
_CONTAINER_SCHEMES = ("abfs", "abfss")
_CREDENTIALS = r"(?<=://)[^/\s\"']*(?=@)|(?<=\?)[^\s\"']+"
_RELATIVE_SEGMENTS = frozenset({"", ".", ".."})


def is_remote_uri(path: str) -> bool:
    """Return whether a path is a URI of a supported object store."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme in REMOTE_SCHEMES


def mask_credentials(line: str) -> str:
    """Return a line with * for every character of a possible credential in a URI."""
    if "://" not in line:
        return line
    return re.sub(_CREDENTIALS, lambda match: "*" * len(match[0]), line)


def _check_remote_uri(path: str) -> str:
    if not is_uri(path):
        return path
    if not is_remote_uri(path):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a file, or a URI with the scheme s3, gs, az, abfss, hf or postgresql",
            "download the file and give its path, relative to the spec",
        )
    scheme, _, rest = path.partition("://")
    store, _, key = rest.partition("/")
    if "@" in store and (scheme not in _CONTAINER_SCHEMES or ":" in store):
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must not contain a user or password before an @",
            "pass credentials in environment variables (docs/remote.md)",
        )
    if scheme in POSTGRES_SCHEMES:
        return _check_postgres_uri(path, key)
    if "?" in path:
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must not contain a query after a ?",
            "pass credentials in environment variables; in patterns use * instead of ?",
        )
    if not store or not _RELATIVE_SEGMENTS.isdisjoint(key.split("/")):
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a complete URI, without empty segments, . and ..",
            "for example s3://bucket/folder/file.parquet",
        )
    return path


def _check_postgres_uri(path: str, database: str) -> str:
    if "?" in path:
        raise custom_error(
            CREDENTIALS_IN_URI,
            "must not contain settings after a ?",
            "set PGUSER, PGPASSWORD, PGSSLMODE and others in the environment",
        )
    if not database or "/" in database:
        raise custom_error(
            REMOTE_INPUT_NOT_ALLOWED,
            "must be a server and a database",
            "for example postgresql://db.example.org/analytics, with `table`",
        )
    return path


DataPath = Annotated[SingleLine, AfterValidator(_check_remote_uri)]
DataPaths = Annotated[
    NonEmpty[DataPath],
    BeforeValidator(as_list, json_schema_input_type=str | NonEmpty[str]),
]
