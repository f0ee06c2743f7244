"""What a paper printed, to be set against what is computed."""

from math import isfinite
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from reportgen.errors.spec_faults import OUT_OF_RANGE, UNSAFE_TEXT, WRONG_TYPE
from reportgen.spec.printed import Printed
from reportgen.spec.texts import Label, Line, Share, is_64_bit, is_invisible, refusal


def _number_or_word(value: object) -> object:
    # Checked before the union, which would report one fault per member.
    match value:
        case bool():
            pass
        case int() if is_64_bit(value):
            return value
        case float() if isfinite(value):
            return value
        case int() | float():
            raise refusal(OUT_OF_RANGE, "must be a finite number")
        case str() if value.strip() and not any(map(is_invisible, value)):
            return value
        case str():
            raise refusal(UNSAFE_TEXT, "must be a word that can be read")
    raise refusal(WRONG_TYPE, "must be a number or a word")


def _plain(value: float | str) -> float | str:
    return float(value) if isinstance(value, float) else value


PublishedValue = Annotated[float | str, BeforeValidator(_number_or_word), AfterValidator(_plain)]


class Published(Printed):
    """A number or word that a paper printed for a classifier."""

    classifier: Line = Field(examples=["SVM"])
    """The name of the classifier."""

    measure: Line = Field(examples=["accuracy"])
    """A measure, or a capability such as `predictive_power`."""

    value: PublishedValue = Field(examples=[77.4])
    """What was printed: a number for a measure, a word for a capability."""

    unit: Literal["%"] | None = Field(default=None, examples=["%"])
    """The unit of the number, if it was printed as a percentage."""

    class_: Label | None = Field(default=None, alias="class", examples=["success"])
    """The class the value belongs to, if it is not that of the whole classifier."""

    prevalence: Share | None = Field(default=None, examples=[0.2])
    """The share of positive cases the value is for, if it is not that of the data."""
