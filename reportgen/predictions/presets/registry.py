"""The tools whose prediction files are known, and which of them wrote a file."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from reportgen.errors import DataError, RemoteUri
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.presets.caret import CARET
from reportgen.predictions.presets.huggingface import HUGGINGFACE
from reportgen.predictions.presets.mlflow import MLFLOW
from reportgen.predictions.presets.scikit_learn import SKLEARN
from reportgen.predictions.presets.weka import WEKA, WEKA_HEADER
from reportgen.predictions.table import open_table
from reportgen.predictions.text_files import open_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.predictions.presets.preset import Preset
    from reportgen.predictions.table import PredictionTable

PRESETS: Mapping[str, Preset] = {
    preset.name: preset for preset in (WEKA, CARET, SKLEARN, MLFLOW, HUGGINGFACE)
}
_HEADER_SEARCH_LENGTH = 1_000_000


def detect_preset(path: Path) -> Preset | None:
    """Return the tool that wrote a file, if its columns or its shape show it."""
    # Only Weka writes lines above its header, which no other reader understands.
    candidates = [WEKA] if _has_weka_header(path) else [CARET, MLFLOW, HUGGINGFACE, SKLEARN]
    for preset in candidates:
        with suppress(DataError):
            if preset.is_recognised(open_preset(preset, path)):
                return preset
    return None


def open_preset(
    preset: Preset, path: Path | RemoteUri, truth: str | None = None
) -> PredictionTable:
    """Open a file as one of a tool's, with the columns that can be made from it."""
    # What tools write in ways of their own is text, which is read on this machine only.
    if isinstance(path, RemoteUri):
        table = open_table(path)
    else:
        table = preset.open(path, preset.known_columns)
    return preset.explode(table, truth or preset.column("truth", table.names) or "")


def _has_weka_header(path: Path) -> bool:
    if detect_format(path) is not FileFormat.CSV:
        return False
    try:
        with open_text(path) as stream:
            return (
                re.search(WEKA_HEADER, stream.read(_HEADER_SEARCH_LENGTH), re.MULTILINE) is not None
            )
    except (OSError, EOFError, UnicodeDecodeError):
        return False
