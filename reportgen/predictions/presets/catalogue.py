"""The tools whose prediction files are known, and which of them wrote a file."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from reportgen.errors import Address, DataError
from reportgen.predictions.csv_text import open_text
from reportgen.predictions.formats import Format, format_of
from reportgen.predictions.presets.caret import CARET
from reportgen.predictions.presets.huggingface import HUGGINGFACE
from reportgen.predictions.presets.mlflow import MLFLOW
from reportgen.predictions.presets.scikit_learn import SKLEARN
from reportgen.predictions.presets.weka import WEKA
from reportgen.predictions.presets.weka_lines import HEADER
from reportgen.predictions.table import open_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.predictions.presets.preset import Preset
    from reportgen.predictions.table import Table

PRESETS: Mapping[str, Preset] = {
    preset.name: preset for preset in (WEKA, CARET, SKLEARN, MLFLOW, HUGGINGFACE)
}
_HEAD = 1_000_000


def recognise(path: Path) -> Preset | None:
    """Return the tool that wrote a file, if its columns or its shape show it."""
    # Only Weka writes lines above its header, which no other reader understands.
    candidates = [WEKA] if _has_weka_header(path) else [CARET, MLFLOW, HUGGINGFACE, SKLEARN]
    for preset in candidates:
        with suppress(DataError):
            if preset.is_recognised(open_preset(preset, path)):
                return preset
    return None


def open_preset(preset: Preset, path: Path | Address, truth: str | None = None) -> Table:
    """Open a file as one of a tool's, with the columns that can be made from it."""
    # What tools write in ways of their own is text, which is read on this machine only.
    if isinstance(path, Address):
        table = open_table(path)
    else:
        table = preset.opened(path, preset.known_names)
    return preset.unfolded(table, truth or preset.column("truth", table.names) or "")


def _has_weka_header(path: Path) -> bool:
    if format_of(path) is not Format.CSV:
        return False
    try:
        with open_text(path) as stream:
            return re.search(HEADER, stream.read(_HEAD), re.MULTILINE) is not None
    except (OSError, EOFError, UnicodeDecodeError):
        return False
