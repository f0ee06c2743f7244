"""What a paper printed, to be set against what is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

from reportgen.errors.spec import (
    MEASURE_NOT_APPLICABLE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    PUBLISHED_VALUE_TYPE,
    REQUIRES_OTHER_KEY,
    UNSAFE_TEXT,
    WRONG_TYPE,
)
from reportgen.measures import CAPABILITIES, find_measure
from reportgen.measures.measure import is_function_of_rates
from reportgen.spec.fields import (
    LabelText,
    MultiLine,
    ProportionFloat,
    SingleLine,
    SpecModel,
    custom_error,
    fits_int64,
    format_label,
    is_invisible,
    printed_decimals,
)
from reportgen.spec.inference import lacks_confusion_matrix
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    RawSpec,
    RawTable,
    ValidationIssue,
    join_alternatives,
    quote_value,
)
from reportgen.spec.measures import validate_measure_name
from reportgen.spec.task import unknown_class_issue

# A number as a paper printed it: how many decimals it has is part of what it says.


class ReferenceValue(SpecModel):
    """Something that was printed under the key `value`, and where."""

    source: SingleLine | None = Field(default=None, examples=["Table 3"])
    """Where it was printed."""

    note: MultiLine | None = Field(default=None, examples=["rounded up"])
    """What a reader should know about it."""

    _decimals: int = PrivateAttr(default=0)

    @property
    def decimals(self) -> int:
        """How many decimals the number was printed with."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        printed = handler(data)
        if isinstance(data, Mapping):
            printed._decimals = printed_decimals(data.get("value"))  # noqa: SLF001
        return printed


def _parse_published_value(value: object) -> object:
    # Checked before the union, which would report one fault per member.
    match value:
        case bool():
            pass
        case int() if fits_int64(value):
            return value
        case float() if isfinite(value):
            return value
        case int() | float():
            raise custom_error(OUT_OF_RANGE, "must be a finite number")
        case str() if value.strip() and not any(map(is_invisible, value)):
            return value
        case str():
            raise custom_error(UNSAFE_TEXT, "must be a word that can be read")
    raise custom_error(WRONG_TYPE, "must be a number or a word")


def _to_builtin_value(value: float | str) -> float | str:
    return float(value) if isinstance(value, float) else value


PublishedValue = Annotated[
    float | str, BeforeValidator(_parse_published_value), AfterValidator(_to_builtin_value)
]


class PublishedEntry(ReferenceValue):
    """A number or word that a paper printed for a classifier."""

    classifier: SingleLine = Field(examples=["SVM"])
    """The name of the classifier."""

    measure: SingleLine = Field(examples=["accuracy"])
    """A measure, or a capability such as `predictive_power`."""

    value: PublishedValue = Field(examples=[77.4])
    """What was printed: a number for a measure, a word for a capability."""

    unit: Literal["%"] | None = Field(default=None, examples=["%"])
    """The unit of the number, if it was printed as a percentage."""

    class_: LabelText | None = Field(default=None, alias="class", examples=["success"])
    """The class the value belongs to, if it is not that of the whole classifier."""

    prevalence: ProportionFloat | None = Field(default=None, examples=[0.2])
    """The share of positive cases the value is for, if it is not that of the data."""


# Published values fit what they are values of.


def validate_published(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what is wrong with measures, values and classes of published numbers."""
    for path, published in raw.tables("published"):
        name = published.get("measure")
        if isinstance(name, str) and name in CAPABILITIES:
            yield from _validate_published_capability(raw, path, published, name)
        elif isinstance(name, str) and name.strip():
            yield from _validate_published_measure(raw, path, published, name)
        yield from _validate_comparable_value(raw, path, published)
        if "prevalence" in published:
            yield from _validate_published_prevalence(raw, path, published)
        label = format_label(published.get("class"))
        if label is not None and raw.classes is not None and label not in raw.classes:
            yield unknown_class_issue(raw.classes, label, (*path, "class"))


def _validate_comparable_value(
    raw: RawSpec, path: KeyPath, published: RawTable
) -> Iterator[ValidationIssue]:
    """Yield why there is nothing the published value could be set against."""
    name, label = published.get("measure"), format_label(published.get("class"))
    measure = find_measure(name) if isinstance(name, str) else None
    is_capability = isinstance(name, str) and name in CAPABILITIES
    has_whole = measure is None or measure.overall_formula is not None
    folds = raw.fold_scores(published.get("classifier"))
    if folds is not None and label is not None:
        message = "scores per fold are known for the classifier as a whole, not for a class"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY, message, (*path, "class"), "take `class` out", Highlight.KEY
        )
    elif folds is not None and (is_capability or measure is not None):
        known = {find_measure(key) for key in folds}
        if is_capability or measure not in known:
            message = f"of this classifier only the scores per fold of {join_alternatives(tuple(folds))} are known"
            yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))
    elif is_capability and raw.task_kind == "binary" and label not in {None, raw.positive}:
        message = "in a binary task capabilities are those of the positive class"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY, message, (*path, "class"), "take `class` out", Highlight.KEY
        )
    elif raw.task_kind == "multiclass" and label is None and (is_capability or not has_whole):
        message = f"{quote_value(name)} has a value per class: name the `class`"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, (*path, "measure"))


def _validate_published_prevalence(
    raw: RawSpec, path: KeyPath, published: RawTable
) -> Iterator[ValidationIssue]:
    """Yield why there is no such value at another prevalence."""
    name, key = published.get("measure"), (*path, "prevalence")
    measure = find_measure(name) if isinstance(name, str) else None
    take_out = "take `prevalence` out"
    if raw.task_kind not in {"binary", None}:
        message = f"`prevalence` does not fit a {raw.task_kind} task: it needs a positive class"
        yield ValidationIssue(NOT_APPLICABLE_TO_TASK, message, key, take_out, Highlight.KEY)
    elif lacks_confusion_matrix(raw, published.get("classifier")):
        message = "scores alone do not tell what the classifier does at another prevalence"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, key, take_out, Highlight.KEY)
    elif isinstance(name, str) and name in CAPABILITIES:
        message = "a capability is a word for the data as they are"
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, key, take_out, Highlight.KEY)
    elif measure is not None and measure.applies_to("binary") and not is_function_of_rates(measure):
        message = (
            f"{quote_value(name)} does not follow from sensitivity, specificity and prevalence"
        )
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"), take_out)
    elif published.get("class") is not None:
        message = "`prevalence` is that of the positive class, so the value is of no other class"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY, message, (*path, "class"), "take `class` out", Highlight.KEY
        )


def _validate_published_capability(
    raw: RawSpec, path: KeyPath, published: RawTable, name: str
) -> Iterator[ValidationIssue]:
    value = published.get("value")
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield ValidationIssue(
            PUBLISHED_VALUE_TYPE,
            f"the value of the capability {quote_value(name)} must be a word, not a number",
            (*path, "value"),
            'for example `value = "superior"`',
        )
    elif "unit" in published:
        message = "`unit` needs a number, and a capability has a word"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY, message, (*path, "unit"), "take `unit` out", Highlight.KEY
        )
    if raw.task_kind == "regression":
        message = f"the capability {quote_value(name)} does not fit a regression task"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))


def _validate_published_measure(
    raw: RawSpec, path: KeyPath, published: RawTable, name: str
) -> Iterator[ValidationIssue]:
    found = list(
        validate_measure_name(raw, name, (*path, "measure"), groups=dict.fromkeys(CAPABILITIES, ()))
    )
    yield from found
    if not found and isinstance(published.get("value"), str):
        yield ValidationIssue(
            PUBLISHED_VALUE_TYPE,
            f"the value of the measure {quote_value(name)} must be a number, not a word",
            (*path, "value"),
            'for example `value = 77.4` with `unit = "%"`',
        )
