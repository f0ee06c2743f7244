"""How often a guessing classifier looks valid: tables to enumerate, and what a paper printed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from reportgen.errors import did_you_mean
from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_CLASSIFIER,
)
from reportgen.spec.fields import (
    TO_FLOAT,
    ListOf,
    NonEmpty,
    ProportionFloat,
    SingleLine,
    SpecModel,
    printed_decimals,
)
from reportgen.spec.inference import lacks_confusion_matrix
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    RawTable,
    ValidationIssue,
    quote_value,
)
from reportgen.spec.published import ReferenceValue

SampleSize = Annotated[int, Field(ge=2, le=1_000_000)]
ProbabilityFloat = Annotated[float, Field(ge=0, le=1), TO_FLOAT]


class PublishedChanceTable(SpecModel):
    """A table of chances that a paper printed: a row for each size, a column for each share."""

    alpha: ProportionFloat = Field(examples=[0.1])
    """The level of significance the table is for, one of `alphas`."""

    values: NonEmpty[NonEmpty[ProbabilityFloat]] = Field(
        examples=[[[0.010, 0.039], [0.056, 0.051]]]
    )
    """What was printed, row by row."""

    draws: Annotated[int, Field(ge=1, le=10**9)] | None = Field(default=None, examples=[5000])
    """How often each value was simulated; without it, values have to agree as printed."""

    source: SingleLine | None = Field(default=None, examples=["Table 9"])
    """Where it was printed."""

    _decimals: tuple[tuple[int, ...], ...] = PrivateAttr(default=())

    @property
    def decimals(self) -> tuple[tuple[int, ...], ...]:
        """How many decimals each value was printed with."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(
        cls, data: object, handler: ModelWrapValidatorHandler[PublishedChanceTable]
    ) -> PublishedChanceTable:
        table = handler(data)
        rows = data.get("values") if isinstance(data, Mapping) else None
        if isinstance(rows, list):
            table._decimals = tuple(tuple(map(printed_decimals, row)) for row in rows)  # noqa: SLF001
        return table


class PublishedChancePValue(ReferenceValue):
    """A chance a paper printed that guessing is right at least as often as a classifier."""

    classifier: SingleLine = Field(examples=["SVM"])
    """The name of the classifier."""

    guess: Literal["even", "same"] = Field(default="same", examples=["same"])
    """How it is guessed: each class with ½, or positive as often as the classifier says it."""

    value: ProbabilityFloat = Field(examples=[0.137])
    """What was printed."""


class ChanceSettings(SpecModel):
    """How often guessing passes for validity, by number of cases and share of one class."""

    sizes: NonEmpty[SampleSize] = Field(examples=[[10, 20, 50, 100]])
    """Numbers of cases."""

    shares: NonEmpty[ProportionFloat] = Field(examples=[[0.1, 0.3, 0.5]])
    """Shares of the cases that belong to one of the classes; sizes times shares are whole."""

    alphas: NonEmpty[ProportionFloat] = Field(examples=[[0.1, 0.05]])
    """Levels of significance."""

    tables: ListOf[PublishedChanceTable] = ()
    """Tables a paper printed, to be set beside what is enumerated."""

    published: ListOf[PublishedChancePValue] = ()
    """Chances a paper printed for classifiers of this spec."""


# Tables of guessing fit their own sizes, shares and levels.

# A share is written in decimals, which binary numbers only come close to.
INTEGER_TOLERANCE = 1e-6
MAX_SAMPLE_SIZE = 1_000_000
MAX_CHANCE_CELLS = 5_000


def validate_chance(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what is wrong with the tables of guessing."""
    if "chance" not in raw.document:
        return
    if raw.task_kind not in {"binary", None}:
        message = f"[chance] does not fit a {raw.task_kind} task: it guesses one of two classes"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, ("chance",), "take [chance] out", Highlight.KEY
        )
    chance = raw.table("chance")
    for key in ("sizes", "shares", "alphas"):
        yield from _validate_unique_numbers(key, _numeric_entries(chance, key))
    cells = math.prod(len(_numeric_entries(chance, key)) for key in ("sizes", "shares", "alphas"))
    if cells > MAX_CHANCE_CELLS:
        message = f"[chance] asks for {cells} chances, more than {MAX_CHANCE_CELLS} make no table"
        yield ValidationIssue(OUT_OF_RANGE, message, ("chance",), "name fewer sizes", Highlight.KEY)
    else:
        yield from _validate_integer_counts(
            _numeric_entries(chance, "sizes"), _numeric_entries(chance, "shares")
        )
    for index, table in enumerate(_nested_tables(chance, "tables")):
        yield from _validate_published_table(chance, table, ("chance", "tables", index))
    for index, entry in enumerate(_nested_tables(chance, "published")):
        yield from _validate_published_p_value(raw, entry, ("chance", "published", index))


def _numeric_entries(table: RawTable, key: str) -> list[float]:
    written = table.get(key)
    entries = written if isinstance(written, list) else []
    known = [
        entry
        for entry in entries
        if isinstance(entry, int | float)
        and not isinstance(entry, bool)
        and 0 < entry <= MAX_SAMPLE_SIZE
    ]
    return known if len(known) == len(entries) else []


def _nested_tables(table: RawTable, key: str) -> list[RawTable]:
    written = table.get(key)
    return [item for item in written if isinstance(item, dict)] if isinstance(written, list) else []


def _validate_unique_numbers(key: str, numbers: list[float]) -> Iterator[ValidationIssue]:
    seen: set[float] = set()
    for index, number in enumerate(numbers):
        if number in seen:
            message = f"{number:g} is listed twice in `{key}`"
            yield ValidationIssue(
                DUPLICATE_VALUE, message, ("chance", key, index), "keep one of the two"
            )
        seen.add(number)


def _validate_integer_counts(sizes: list[float], shares: list[float]) -> Iterator[ValidationIssue]:
    """Yield shares that would cut a case in two, or leave no case on one side."""
    for index, share in enumerate(shares):
        # Shares and sizes that cannot be are refused by their own limits.
        for size in [size for size in sizes if size > 1] if share < 1 else []:
            part = size * share
            if abs(part - round(part)) > INTEGER_TOLERANCE or not 0 < round(part) < size:
                yield ValidationIssue(
                    OUT_OF_RANGE,
                    f"{float(share):g} of {size:g} cases are not a whole number of them",
                    ("chance", "shares", index),
                    "choose sizes and shares whose products are whole, as 10 and 0.3",
                )
                break


def _validate_published_table(
    chance: RawTable, table: RawTable, path: KeyPath
) -> Iterator[ValidationIssue]:
    alphas, alpha = _numeric_entries(chance, "alphas"), table.get("alpha")
    if alphas and isinstance(alpha, float) and alpha not in alphas:
        message = f"the table is for {float(alpha):g}, which is not among `alphas`"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, (*path, "alpha"), "add it to `alphas`")
    rows, columns = (
        len(_numeric_entries(chance, "sizes")),
        len(_numeric_entries(chance, "shares")),
    )
    values = table.get("values")
    if not rows or not columns or not isinstance(values, list):
        return
    if len(values) != rows or any(
        not isinstance(row, list) or len(row) != columns for row in values
    ):
        yield ValidationIssue(
            OUT_OF_RANGE,
            f"`values` must have {rows} rows of {columns} numbers, as `sizes` and `shares` have",
            (*path, "values"),
        )


def _validate_published_p_value(
    raw: RawSpec, entry: RawTable, path: KeyPath
) -> Iterator[ValidationIssue]:
    name, names = entry.get("classifier"), raw.classifier_names
    if not isinstance(name, str) or not name.strip() or names is None:
        return
    if name not in names:
        yield ValidationIssue(
            UNKNOWN_CLASSIFIER,
            f"no classifier is named {quote_value(name)}",
            (*path, "classifier"),
            did_you_mean(name, names) or f"there are {', '.join(map(quote_value, names[:10]))}",
        )
    elif lacks_confusion_matrix(raw, name):
        message = "of this classifier only scores are known, not how it answered"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, (*path, "classifier"))
