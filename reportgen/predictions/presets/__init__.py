"""The prediction files of other tools: what each calls its columns, and how it is recognised."""

from reportgen.predictions.presets.catalogue import PRESETS, open_preset, recognise
from reportgen.predictions.presets.fitting import Fitted, fit, open_as
from reportgen.predictions.presets.preset import Preset

__all__ = ["PRESETS", "Fitted", "Preset", "fit", "open_as", "open_preset", "recognise"]
