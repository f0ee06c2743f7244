"""What the classifiers were asked to do."""

from typing import Annotated

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Label, Many, TaskKind


class Task(SpecModel):
    """What the classifiers were asked to do."""

    kind: TaskKind = Field(examples=["binary"])
    """The kind of task: two classes, several classes, or a number."""

    positive: Label | None = Field(default=None, examples=["success"])
    """The positive class; needed for a binary task, where it is never guessed."""

    classes: Annotated[Many[Label], Field(min_length=2)] | None = Field(
        default=None, examples=[["success", "failure"]]
    )
    """All classes in the order the report shows them; needed with `confusion`."""
