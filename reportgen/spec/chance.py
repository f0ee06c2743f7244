"""The table [chance]: how often a random classifier passes a validity rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
)
from reportgen.spec.classifiers import validate_classifier_name
from reportgen.spec.fields import (
    TO_FLOAT,
    ListOf,
    NonEmpty,
    ProportionFloat,
    SingleLine,
    SpecModel,
    printed_decimals,
    with_article,
)
from reportgen.spec.inference import lacks_confusion_matrix
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    key_issue,
)
from reportgen.spec.published import ReferenceValue

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

# Proportions are decimal numbers, which binary floats approximate.
INTEGER_TOLERANCE = 1e-6
MAX_CHANCE_CELLS = 5_000
SampleSize = Annotated[int, Field(ge=2, le=1_000_000)]
ProbabilityFloat = Annotated[float, Field(ge=0, le=1), TO_FLOAT]


class PublishedChanceTable(SpecModel):
    """A published table of probabilities: a row for each size, a column for each share."""

    alpha: ProportionFloat = Field(examples=[0.1])
    """The significance level of the table, one of `alphas`."""

    values: NonEmpty[NonEmpty[ProbabilityFloat]] = Field(
        examples=[[[0.010, 0.039], [0.056, 0.051]]]
    )
    """The published values, row by row."""

    draws: Annotated[int, Field(ge=1, le=10**9)] | None = Field(default=None, examples=[5000])
    """The number of simulations per value; without it, values have to agree as published."""

    source: SingleLine | None = Field(default=None, examples=["Table 9"])
    """Where it was published."""

    _decimals: tuple[tuple[int, ...], ...] = PrivateAttr(default=())

    @property
    def decimals(self) -> tuple[tuple[int, ...], ...]:
        """The number of decimals of each published value."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(
        cls, data: object, handler: ModelWrapValidatorHandler[PublishedChanceTable]
    ) -> PublishedChanceTable:
        table = handler(data)
        rows = data.get("values") if isinstance(data, Mapping) else None
        if isinstance(rows, Sequence):
            table._decimals = tuple(tuple(map(printed_decimals, row)) for row in rows)  # noqa: SLF001
        return table


class PublishedChancePValue(ReferenceValue):
    """A published p-value: the probability that random guessing is at least as accurate."""

    classifier: SingleLine = Field(examples=["SVM"])
    """The name of the classifier."""

    guess: Literal["uniform", "same_rate"] = Field(default="same_rate", examples=["same_rate"])
    """Guessing each class with probability ½, or positive at the classifier's own rate."""

    value: ProbabilityFloat = Field(examples=[0.137])
    """The published value."""


class ChanceSettings(SpecModel):
    """How often a random classifier passes, by number of cases and share of one class."""

    sizes: NonEmpty[SampleSize] = Field(examples=[[10, 20, 50, 100]])
    """Numbers of cases."""

    shares: NonEmpty[ProportionFloat] = Field(examples=[[0.1, 0.3, 0.5]])
    """Proportions of one of the classes; sizes times shares are integers."""

    alphas: NonEmpty[ProportionFloat] = Field(examples=[[0.1, 0.05]])
    """Significance levels."""

    tables: ListOf[PublishedChanceTable] = ()
    """Published tables, to compare with the exact probabilities."""

    published: ListOf[PublishedChancePValue] = ()
    """Published p-values for classifiers of this spec."""


def validate_chance(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield issues of [chance]: duplicates, sizes that cannot be split, and published values."""
    chance = spec.chance
    if chance is None:
        return
    if spec.task.kind != "binary":
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            f"does not apply to {with_article(spec.task.kind)} task: it needs two classes",
            ("chance",),
            "remove [chance]",
            Highlight.KEY,
            subject="[chance]",
        )
    for key in ("sizes", "shares", "alphas"):
        yield from _validate_unique_numbers(("chance", key), getattr(chance, key))
    cells = math.prod(map(len, (chance.sizes, chance.shares, chance.alphas)))
    if cells > MAX_CHANCE_CELLS:
        yield ValidationIssue(
            OUT_OF_RANGE,
            f"has {cells} probabilities, more than the maximum of {MAX_CHANCE_CELLS}",
            ("chance",),
            "reduce the number of sizes",
            Highlight.KEY,
            subject="[chance]",
        )
    else:
        yield from _validate_integer_counts(chance)
    for index, table in enumerate(chance.tables):
        yield from _validate_published_table(chance, table, ("chance", "tables", index))
    for index, entry in enumerate(chance.published):
        path = ("chance", "published", index, "classifier")
        yield from validate_classifier_name(spec, entry.classifier, path)
        if lacks_confusion_matrix(spec, entry.classifier):
            message = "this classifier only has scores, not a confusion matrix"
            yield ValidationIssue(REQUIRES_OTHER_KEY, message, path)


def _validate_unique_numbers(path: KeyPath, numbers: Sequence[float]) -> Iterator[ValidationIssue]:
    previous_numbers: set[float] = set()
    for index, number in enumerate(numbers):
        if number in previous_numbers:
            message = f"duplicate value {number:g} in `{path[-1]}`"
            yield ValidationIssue(DUPLICATE_VALUE, message, (*path, index), "keep one of the two")
        previous_numbers.add(number)


def _validate_integer_counts(chance: ChanceSettings) -> Iterator[ValidationIssue]:
    """Yield shares that give a fractional number of cases, or none of one class."""
    for index, share in enumerate(chance.shares):
        for size in chance.sizes:
            part = size * share
            if abs(part - round(part)) > INTEGER_TOLERANCE or not 0 < round(part) < size:
                yield ValidationIssue(
                    OUT_OF_RANGE,
                    f"{share:g} of {size} cases is not an integer number of cases",
                    ("chance", "shares", index),
                    "choose sizes and shares whose products are integers, such as 10 and 0.3",
                )
                break


def _validate_published_table(
    chance: ChanceSettings, table: PublishedChanceTable, path: KeyPath
) -> Iterator[ValidationIssue]:
    if table.alpha not in chance.alphas:
        message = f"{table.alpha:g} is not one of `alphas`"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, (*path, "alpha"), "add it to `alphas`")
    rows, columns = len(chance.sizes), len(chance.shares)
    if len(table.values) != rows or any(len(row) != columns for row in table.values):
        message = f"must have {rows} rows of {columns} numbers, as `sizes` and `shares`"
        yield key_issue(OUT_OF_RANGE, (*path, "values"), message)
