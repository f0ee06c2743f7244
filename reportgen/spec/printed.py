"""A number as a paper printed it: how many decimals it has is part of what it says."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, Lines
from reportgen.spec.written import decimals_of


class Printed(SpecModel):
    """Something that was printed under the key `value`, and where."""

    source: Line | None = Field(default=None, examples=["Table 3"])
    """Where it was printed."""

    note: Lines | None = Field(default=None, examples=["rounded up"])
    """What a reader should know about it."""

    _decimals: int = PrivateAttr(default=0)

    @property
    def decimals(self) -> int:
        """How many decimals the number was printed with."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(cls, written: object, make: ModelWrapValidatorHandler[Self]) -> Self:
        printed = make(written)
        if isinstance(written, Mapping):
            printed._decimals = decimals_of(written.get("value"))  # noqa: SLF001
        return printed
