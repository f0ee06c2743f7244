"""Registry of presets, and detection of the tool that wrote a prediction file.

A preset is a module of this package with the name of its format and a `PRESET`. It is registered
by that name in `FormatName`, which the spec and its JSON schema are validated with.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from reportgen.errors import DataError, RemoteUri
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.stored_tables import STORED_FORMATS
from reportgen.predictions.table import open_table
from reportgen.predictions.text_files import open_text
from reportgen.spec.data import FormatName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.predictions.presets.preset import Preset
    from reportgen.predictions.table import PredictionTable

PRESETS: Mapping[str, Preset] = {
    name: import_module(f"{__package__}.{name}").PRESET for name in get_args(FormatName)
}
_HEADER_SEARCH_LENGTH = 1_000_000


def detect_preset(path: Path, sheet: str | None = None, table: str | None = None) -> Preset | None:
    """Return the preset of the tool that wrote a file, by its header or its columns, or None.

    A file with the header of a preset is tried as that preset's only. Other files are tried with
    the remaining presets in the order of `FormatName`, in which the most specific comes first.
    """
    start = _read_start(path)
    by_header = [
        preset
        for preset in PRESETS.values()
        if preset.header_pattern and re.search(preset.header_pattern, start, re.MULTILINE)
    ]
    for preset in by_header or [preset for preset in PRESETS.values() if not preset.header_pattern]:
        with suppress(DataError):
            if preset.is_recognised(open_preset(preset, path, None, sheet, table)):
                return preset
    return None


def open_preset(
    preset: Preset,
    path: Path | RemoteUri,
    truth: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
) -> PredictionTable:
    """Open a file with a preset, and add the columns that are derived from nested ones.

    Args:
        preset: the preset of the tool that wrote the file.
        path: a local file, or a remote one, which is read as a plain table.
        truth: the column of the true class; by default the preset's.
        sheet: the sheet of a workbook.
        table: the table of a database.
    """
    # The layouts that need a reader of their own are texts, which are read from local files only.
    if isinstance(path, RemoteUri) or detect_format(path) in STORED_FORMATS:
        prediction_table = open_table(path, (), sheet, table)
    else:
        prediction_table = preset.open(path, preset.known_columns)
    return preset.explode(
        prediction_table, truth or preset.column("truth", prediction_table.names) or ""
    )


def _read_start(path: Path) -> str:
    """Return the first characters of a text file, or an empty text for other files."""
    if detect_format(path) is not FileFormat.CSV:
        return ""
    try:
        with open_text(path) as stream:
            return stream.read(_HEADER_SEARCH_LENGTH)
    except (OSError, EOFError, UnicodeDecodeError):
        return ""
