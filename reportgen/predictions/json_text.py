"""JSON Lines: the keys of its objects, and lines that are none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CSV_STRUCTURE, FILE_DAMAGED, NOT_UTF8
from reportgen.predictions.csv_text import FIRST_FAULTS, open_text
from reportgen.predictions.formats import damaged_gzip

if TYPE_CHECKING:
    from pathlib import Path


def json_names(path: Path) -> tuple[str, ...]:
    """Return the keys of all objects in the order in which they first occur."""
    try:
        return tuple(pl.scan_ndjson(path, infer_schema_length=1000).collect_schema().names())
    except pl.exceptions.PolarsError as error:
        with open_text(path) as stream:
            for text in stream:
                try:
                    return tuple(json.loads(text))
                except ValueError:
                    break
        raise DataError(*json_faults(path)) from error
    except OSError as error:
        raise DataError(damaged_gzip(path)) from error


def json_faults(path: Path) -> list[Fault]:
    """Return a fault for each of the first lines that are no JSON objects."""
    faults: list[Fault] = []
    help_text = "write one object per line, in double quotes, without NaN"
    try:
        with open_text(path) as stream:
            for number, text in enumerate(stream, start=1):
                try:
                    is_object = not text.strip() or isinstance(
                        json.loads(text, parse_constant=_refuse_constant), dict
                    )
                except ValueError:
                    is_object = False
                if not is_object and len(faults) < FIRST_FAULTS:
                    message = "the line is not a JSON object"
                    faults.append(Fault(CSV_STRUCTURE, message, Place(path, number), help_text))
    except UnicodeDecodeError:
        return [Fault(NOT_UTF8, "the file is not UTF-8", Place(path))]
    except (OSError, EOFError):
        return [damaged_gzip(path)]
    return faults or [Fault(FILE_DAMAGED, "the JSON Lines cannot be read", Place(path))]


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
