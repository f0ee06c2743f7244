"""The tables [[published]]: values of a paper, to compare with the computed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Literal, Self

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
from reportgen.measures.invariance import is_function_of_rates
from reportgen.spec.fields import (
    LabelText,
    MultiLine,
    ProportionFloat,
    SingleLine,
    SpecModel,
    custom_error,
    fits_int64,
    is_invisible,
    printed_decimals,
    with_article,
)
from reportgen.spec.inference import lacks_confusion_matrix
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    join_alternatives,
    key_issue,
    quote_value,
)
from reportgen.spec.measures import MeasureName, validate_measure_name
from reportgen.spec.task import validate_known_class

if TYPE_CHECKING:
    from reportgen.errors import ErrorCode
    from reportgen.spec.spec import Spec


class ReferenceValue(SpecModel):
    """A published value under the key `value`, with its number of decimals and its source."""

    source: SingleLine | None = Field(default=None, examples=["Table 3"])
    """Where it was published."""

    note: MultiLine | None = Field(default=None, examples=["rounded up"])
    """A comment for readers."""

    _decimals: int = PrivateAttr(default=0)

    @property
    def decimals(self) -> int:
        """The number of decimals of the published value."""
        return self._decimals

    @model_validator(mode="wrap")
    @classmethod
    def _count_decimals(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        entry = handler(data)
        if isinstance(data, Mapping):
            entry._decimals = printed_decimals(data.get("value"))  # noqa: SLF001
        return entry


def _parse_published_value(value: object) -> object:
    # Checked before the union, which would report one error per member.
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
            raise custom_error(UNSAFE_TEXT, "must be a readable word")
    raise custom_error(WRONG_TYPE, "must be a number or a word")


def _to_builtin_value(value: float | str) -> float | str:
    return float(value) if isinstance(value, float) else value


PublishedValue = Annotated[
    float | str, BeforeValidator(_parse_published_value), AfterValidator(_to_builtin_value)
]


class PublishedEntry(ReferenceValue):
    """A number or word that a paper published for a classifier."""

    classifier: SingleLine = Field(examples=["SVM"])
    """The name of the classifier."""

    measure: MeasureName = Field(examples=["accuracy"])
    """A measure, or a capability such as `predictive_power`."""

    value: PublishedValue = Field(examples=[77.4])
    """The published value: a number for a measure, a word for a capability."""

    unit: Literal["%"] | None = Field(default=None, examples=["%"])
    """The unit of the number, if it is a percentage."""

    class_: LabelText | None = Field(default=None, alias="class", examples=["success"])
    """The class of the value; by default the overall value."""

    prevalence: ProportionFloat | None = Field(default=None, examples=[0.2])
    """The prevalence the value is for, if it is not that of the data."""


def validate_published(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield issues of measures, values and classes of published numbers."""
    for index, published in enumerate(spec.published):
        path: KeyPath = ("published", index)
        if published.measure in CAPABILITIES:
            yield from _validate_published_capability(spec, path, published)
        else:
            yield from _validate_published_measure(spec, path, published)
        yield from _validate_comparable_value(spec, path, published)
        if published.prevalence is not None:
            yield from _validate_published_prevalence(spec, path, published)
        yield from validate_known_class(spec.task.classes, published.class_, (*path, "class"))


def _validate_comparable_value(
    spec: Spec, path: KeyPath, published: PublishedEntry
) -> Iterator[ValidationIssue]:
    """Yield an issue if there is no computed value to compare the published one with."""
    label, measure = published.class_, find_measure(published.measure)
    is_capability = published.measure in CAPABILITIES
    has_overall = measure is None or measure.has_overall_value(spec.task.kind)
    classifier = spec.find_classifier(published.classifier)
    fold_scores = None if classifier is None else classifier.fold_scores
    if fold_scores is not None and label is not None:
        message = "does not apply to scores per fold, which are overall values"
        yield _removable(REQUIRES_OTHER_KEY, (*path, "class"), message)
    elif fold_scores is not None and (is_capability or measure is not None):
        if is_capability or measure not in {find_measure(name) for name in fold_scores}:
            names = join_alternatives(fold_scores)
            message = f"this classifier only has scores per fold of {names}"
            yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))
    elif is_capability and spec.task.kind == "binary" and label not in {None, spec.task.positive}:
        message = "must be the positive class: capabilities of a binary task are those of it"
        yield _removable(REQUIRES_OTHER_KEY, (*path, "class"), message)
    elif spec.task.is_multiclass and label is None and (is_capability or not has_overall):
        message = f"{quote_value(published.measure)} has a value per class: name the `class`"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY, message, (*path, "measure"), depends_on=((*path, "class"),)
        )


def _removable(error_code: ErrorCode, path: KeyPath, message: str) -> ValidationIssue:
    """Return the issue of a key that has to be removed."""
    return key_issue(error_code, path, message, f"remove `{path[-1]}`", Highlight.KEY)


def _validate_published_prevalence(
    spec: Spec, path: KeyPath, published: PublishedEntry
) -> Iterator[ValidationIssue]:
    """Yield an issue if the measure cannot be computed for another prevalence."""
    measure, key_path = find_measure(published.measure), (*path, "prevalence")
    if spec.task.kind != "binary":
        message = (
            f"does not apply to {with_article(spec.task.kind)} task: it needs a positive class"
        )
        yield _removable(NOT_APPLICABLE_TO_TASK, key_path, message)
    elif lacks_confusion_matrix(spec, published.classifier):
        message = "cannot be changed for a classifier that only has scores"
        yield _removable(REQUIRES_OTHER_KEY, key_path, message)
    elif published.measure in CAPABILITIES:
        message = "does not apply to a capability, which rates the classifier on the data"
        yield _removable(REQUIRES_OTHER_KEY, key_path, message)
    elif measure is not None and measure.applies_to("binary") and not is_function_of_rates(measure):
        name = quote_value(published.measure)
        message = f"{name} is not a function of sensitivity, specificity and prevalence"
        help_text = "remove `prevalence`"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"), help_text)
    elif published.class_ is not None:
        message = "cannot be combined with `prevalence`, which is that of the positive class"
        yield _removable(REQUIRES_OTHER_KEY, (*path, "class"), message)


def _validate_published_capability(
    spec: Spec, path: KeyPath, published: PublishedEntry
) -> Iterator[ValidationIssue]:
    name = quote_value(published.measure)
    if not isinstance(published.value, str):
        yield ValidationIssue(
            PUBLISHED_VALUE_TYPE,
            f"the value of the capability {name} must be a word, not a number",
            (*path, "value"),
            'for example `value = "superior"`',
        )
    elif published.unit is not None:
        message = "needs a number, but the value of a capability is a word"
        yield _removable(REQUIRES_OTHER_KEY, (*path, "unit"), message)
    if spec.task.kind == "regression":
        message = f"the capability {name} does not apply to a regression task"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))


def _validate_published_measure(
    spec: Spec, path: KeyPath, published: PublishedEntry
) -> Iterator[ValidationIssue]:
    name, groups = published.measure, dict.fromkeys(CAPABILITIES, ())
    issues = list(validate_measure_name(spec, name, (*path, "measure"), groups=groups))
    yield from issues
    if not issues and isinstance(published.value, str):
        yield ValidationIssue(
            PUBLISHED_VALUE_TYPE,
            f"the value of the measure {quote_value(name)} must be a number, not a word",
            (*path, "value"),
            'for example `value = 77.4` with `unit = "%"`',
        )
