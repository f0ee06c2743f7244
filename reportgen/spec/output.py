"""Which files are written."""

from typing import Literal

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Some

Format = Literal["html", "pdf", "json", "csv", "parquet", "latex", "markdown"]


class Output(SpecModel):
    """Which files are written."""

    formats: Some[Format] = Field(
        default=("html", "pdf", "json"), examples=[["html", "pdf", "json"]]
    )
    """The formats of the report and of its tables."""
