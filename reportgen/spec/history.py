"""What is remembered from run to run."""

from typing import Annotated

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line


class History(SpecModel):
    """What is remembered from run to run; where it is kept is said when the report is built."""

    name: Line | None = Field(default=None, examples=["churn"])
    """Under which name runs are kept; by default that of the spec file."""

    show: Annotated[int, Field(ge=0, le=1000)] = Field(default=20, examples=[20])
    """How many earlier runs the report shows at most; 0 leaves them out."""
