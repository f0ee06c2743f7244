"""Presets for the prediction files of other tools: detection, readers and column mapping."""

from reportgen.predictions.presets.column_mapping import open_preset_file, resolve_columns

__all__ = ["open_preset_file", "resolve_columns"]
