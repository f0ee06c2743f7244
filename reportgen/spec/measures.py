"""Which measures the report shows."""

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Some


class Measures(SpecModel):
    """Which measures the report shows."""

    show: Some[Line] | None = Field(default=None, examples=[["traditional", "f0.5"]])
    """Names and groups of measures; the default are those that suit the task."""
