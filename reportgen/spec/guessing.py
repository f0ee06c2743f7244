"""How often a guessing classifier looks valid: tables to enumerate, and what a paper printed."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from reportgen.spec.model import SpecModel
from reportgen.spec.printed import Printed
from reportgen.spec.texts import PLAIN, Line, Many, Share, Some
from reportgen.spec.written import decimals_of

Size = Annotated[int, Field(ge=2, le=1_000_000)]
Chance = Annotated[float, Field(ge=0, le=1), PLAIN]


class PrintedTable(SpecModel):
    """A table of chances that a paper printed: a row for each size, a column for each share."""

    alpha: Share = Field(examples=[0.1])
    """The level of significance the table is for, one of `alphas`."""

    values: Some[Some[Chance]] = Field(examples=[[[0.010, 0.039], [0.056, 0.051]]])
    """What was printed, row by row."""

    draws: Annotated[int, Field(ge=1, le=10**9)] | None = Field(default=None, examples=[5000])
    """How often each value was simulated; without it, values have to agree as printed."""

    source: Line | None = Field(default=None, examples=["Table 9"])
    """Where it was printed."""

    _decimals: tuple[tuple[int, ...], ...] = PrivateAttr(default=())

    @property
    def decimals(self) -> tuple[tuple[int, ...], ...]:
        """How many decimals each value was printed with."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(
        cls, written: object, make: ModelWrapValidatorHandler["PrintedTable"]
    ) -> "PrintedTable":
        table = make(written)
        rows = written.get("values") if isinstance(written, Mapping) else None
        if isinstance(rows, list):
            table._decimals = tuple(tuple(map(decimals_of, row)) for row in rows)  # noqa: SLF001
        return table


class PrintedChance(Printed):
    """A chance a paper printed that guessing is right at least as often as a classifier."""

    classifier: Line = Field(examples=["SVM"])
    """The name of the classifier."""

    guess: Literal["even", "same"] = Field(default="same", examples=["same"])
    """How it is guessed: each class with ½, or positive as often as the classifier says it."""

    value: Chance = Field(examples=[0.137])
    """What was printed."""


class Guessing(SpecModel):
    """How often guessing passes for validity, by number of cases and share of one class."""

    sizes: Some[Size] = Field(examples=[[10, 20, 50, 100]])
    """Numbers of cases."""

    shares: Some[Share] = Field(examples=[[0.1, 0.3, 0.5]])
    """Shares of the cases that belong to one of the classes; sizes times shares are whole."""

    alphas: Some[Share] = Field(examples=[[0.1, 0.05]])
    """Levels of significance."""

    tables: Many[PrintedTable] = ()
    """Tables a paper printed, to be set beside what is enumerated."""

    published: Many[PrintedChance] = ()
    """Chances a paper printed for classifiers of this spec."""
