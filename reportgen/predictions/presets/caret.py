"""Preset of caret: `model$pred`, saved with R's write.csv."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import Diagnostic, Location
from reportgen.errors.data import MULTIPLE_TUNING_VALUES
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import format_column_values
from reportgen.spec.toml import format_toml_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings

_CARET_COLUMNS = ("", "pred", "obs", "rowIndex", "Resample", "weights", "parameter", "row", "case")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


def _is_caret(table: PredictionTable) -> bool:
    has_columns = {"pred", "obs"} <= set(table.names)
    return has_columns and bool({"rowIndex", "Resample"} & set(table.names))


def tuning_diagnostics(
    tables: Sequence[PredictionTable], data: DataSettings, labels: Sequence[str]
) -> list[Diagnostic]:
    """Return a diagnostic for each file that has a case several times in one resample."""
    return [
        diagnostic for table in tables for diagnostic in _tuning_diagnostic(table, data, labels)
    ]


def _tuning_diagnostic(
    table: PredictionTable, data: DataSettings, labels: Sequence[str]
) -> list[Diagnostic]:
    if data.id is None or data.id not in table.names:
        return []
    keys = {"id": data.id} | ({"fold": data.fold} if data.fold in table.names else {})
    if not bool(table.read(keys).select(pl.struct(*keys).is_duplicated().any()).item()):
        return []
    assigned = {*_CARET_COLUMNS, *labels, data.truth, data.prediction, data.id, data.fold}
    others = [name for name in table.names if name not in assigned and table.names.count(name) == 1]
    frame = table.read({f"c{number}": name for number, name in enumerate(others)})
    values = {
        name: frame[f"c{number}"].cast(pl.String).unique().sort()
        for number, name in enumerate(others)
    }
    tuned = {name: distinct for name, distinct in values.items() if len(distinct) > 1}
    if not tuned:
        return []
    listing = "; ".join(
        f"`{name}`: {format_column_values(distinct)}" for name, distinct in tuned.items()
    )
    example = ", ".join(
        format_toml_pair(name, _first_value(distinct)) for name, distinct in tuned.items()
    )
    message = f"each case has the predictions of several tuning values in a resample ({listing})"
    help_text = (
        'save those of the best only, `trainControl(savePredictions = "final")`, or keep one'
        f" setting: `where = {{{example}}}` under `[data]` or for the classifier"
    )
    return [Diagnostic(MULTIPLE_TUNING_VALUES, message, Location(table.path), help_text)]


def _first_value(values: pl.Series) -> str | float:
    """Return the first value in natural order: a number, if `where` can compare it as one."""
    first = min((value or "" for value in values), key=natural_sort_key)
    number = pl.Series([first]).cast(pl.Float64, strict=False).item()
    if number is None or not isfinite(number):
        return first
    return int(first) if _INTEGER.fullmatch(first) else float(number)


PRESET = Preset(
    name="caret",
    title="caret's model$pred",
    description="truth `obs`, prediction `pred`, id `rowIndex`, fold `Resample`, class columns",
    columns={
        "truth": ("obs",),
        "prediction": ("pred",),
        "id": ("rowIndex",),
        "fold": ("Resample",),
    },
    probability_patterns=("{class}",),
    is_recognised=_is_caret,
    diagnose=tuning_diagnostics,
)
