"""The prediction files of other tools: what each calls its columns, and how it is recognised."""

from reportgen.predictions.presets.column_mapping import open_preset_file, resolve_columns

__all__ = ["open_preset_file", "resolve_columns"]
