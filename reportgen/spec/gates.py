"""Conditions the results have to meet."""

from typing import Literal

from pydantic import ConfigDict, Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Label, Line, Margin, Number

LITERAL = ("at_least", "at_most")
CONDITIONS = (*LITERAL, "not_worse_than", "not_worse_than_last")


class Gate(SpecModel):
    """A condition on one classifier in one measure; what could not be computed does not meet it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [condition]} for condition in CONDITIONS]}
    )

    classifier: Line = Field(examples=["NB"])
    """The name of the classifier."""

    measure: Line = Field(examples=["youden"])
    """The measure."""

    class_: Label | None = Field(default=None, alias="class", examples=["success"])
    """The class whose value is meant, if it is not that of the whole classifier."""

    average: Literal["macro", "micro", "weighted"] | None = Field(default=None, examples=["macro"])
    """The average over classes that is meant, if it is not the value of the whole classifier."""

    at_least: Number | None = Field(default=None, examples=[0.5])
    """What must be reached."""

    at_most: Number | None = Field(default=None, examples=[0.1])
    """What must not be exceeded."""

    not_worse_than: Line | None = Field(default=None, examples=["SVM"])
    """Another classifier: it must be shown that this one is worse by less than the margin."""

    not_worse_than_last: Literal["run", "published"] | None = Field(
        default=None, examples=["published"]
    )
    """The same against the last run, or the last one that was published."""

    first: Literal["pass", "fail"] = Field(default="pass", examples=["fail"])
    """What becomes of it while there is no earlier run to compare with: passed untested, or not."""

    margin: Margin | None = Field(default=None, examples=[0.01])
    """How much worse is still no worse; by default the margin of `[comparison]`."""

    bound: Literal["low", "value", "high"] = Field(default="value", examples=["low"])
    """Which end of the interval must clear it, for `at_least` and `at_most`."""

    level: Literal["error", "warning"] = Field(default="error", examples=["warning"])
    """Whether a failed gate ends the run with exit code 1, or is only told."""
