"""The prediction files of other tools: what each calls its columns, and how it is recognised."""

from reportgen.predictions.presets.fitting import fit, open_as

__all__ = ["fit", "open_as"]
