"""The table [measures], and the validation of measure names wherever a spec has them."""

from __future__ import annotations

from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar

from pydantic import Field, Strict

from reportgen.errors import closest_match
from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    INVALID_FORMULA,
    MEASURE_NOT_APPLICABLE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
    UNKNOWN_MEASURE,
)
from reportgen.spec.datasets import DataSet
from reportgen.spec.fields import FiniteFloat, ListOf, NonEmpty, SingleLine, SpecModel, with_article
from reportgen.spec.issues import Highlight, SetKey, ValidationIssue, key_issue, quote_value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from reportgen.measures import Measure
    from reportgen.spec.classifiers import Classifier
    from reportgen.spec.data import DataSettings
    from reportgen.spec.issues import KeyPath
    from reportgen.spec.spec import Spec

PERCENT = 100
OWN_NAME_PATTERN = r"^[a-z][a-z0-9_]*$"
FUNCTION_NAMES = ("sqrt", "log", "abs")
NO_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class OwnMeasure(SpecModel):
    """A measure that the spec defines by a formula of the counts."""

    name: Annotated[str, Field(pattern=OWN_NAME_PATTERN)] = Field(examples=["burden"])
    """The name, of lower-case letters, digits and underscores."""

    formula: SingleLine = Field(examples=["5*fn + fp"])
    """The formula: tp, fn, fp, tn and n (all cases), numbers, + - * / ^, parentheses, sqrt(),
    log(), abs(), and names of other measures of counts."""

    title: SingleLine | None = Field(default=None, examples=["Burden of errors"])
    """The title in tables; by default the name."""

    orientation: Literal["higher", "lower"] | None = Field(default=None, examples=["lower"])
    """Whether higher or lower values are better; classifiers are compared only if it is given."""

    description: SingleLine | None = Field(default=None, examples=["What do the errors cost?"])
    """What the measure answers."""

    range: Annotated[tuple[FiniteFloat, FiniteFloat], Strict(strict=False)] | None = Field(
        default=None, examples=[[0, 1]]
    )
    """The lowest and the highest possible value; by default what the formula shows of it."""


def _add_measure_names(schema: dict[str, Any]) -> None:
    """Add names of groups and measures for completion; others are names with a parameter."""
    from reportgen.measures import MEASURE_GROUPS, PARAMETERIZED_MEASURES, measure_names

    examples = (measure.example for measure in PARAMETERIZED_MEASURES)
    schema["anyOf"] = [{"enum": [*MEASURE_GROUPS, *measure_names(), *examples]}, {"type": "string"}]


def _add_single_measure_names(schema: dict[str, Any]) -> None:
    """Add names of measures, without groups, for completion."""
    from reportgen.measures import measure_names

    schema.pop("type", None)
    schema["anyOf"] = [{"enum": list(measure_names())}, {"type": "string"}]


MeasureOrGroup = Annotated[SingleLine, Field(json_schema_extra=_add_measure_names)]
MeasureName = Annotated[SingleLine, Field(json_schema_extra=_add_single_measure_names)]


class MeasureSelection(SpecModel):
    """The measures in the report."""

    show: NonEmpty[MeasureOrGroup] | None = Field(default=None, examples=[["traditional", "f0.5"]])
    """Names and groups of measures; by default those that apply to the task.

    An average over the classes is named like `macro_f1`, a parameter like `net_benefit@0.1`.
    """

    own: ListOf[OwnMeasure] = ()
    """Measures defined by a formula; they are shown with the others."""


def define_spec_measures(spec: Spec) -> dict[str, Measure]:
    """Return the measures that a spec defines: its own, and the expected cost by its costs.

    Measures whose definition is invalid are left out; `validate_measures` yields what is wrong.
    """
    return _define_measures(spec)[0]


def _define_measures(spec: Spec) -> tuple[dict[str, Measure], list[ValidationIssue]]:
    from reportgen.measures import use_spec_measures

    # Not in the context of measures that were defined before.
    with use_spec_measures({}):
        return _define_own_measures(spec)


def _define_own_measures(spec: Spec) -> tuple[dict[str, Measure], list[ValidationIssue]]:
    from reportgen.measures import MEASURE_REGISTRY, Orientation, ValueRange
    from reportgen.measures.formula.parser import FormulaError
    from reportgen.measures.own import define_measure, formula_names
    from reportgen.measures.parameterized import expected_cost
    from reportgen.measures.registry import MEASURES_BY_ALIAS
    from reportgen.spec.decision import declared_decision

    defined, decision = dict[str, "Measure"](), declared_decision(spec)
    issues: list[ValidationIssue] = []
    if decision.cost is not None:
        costs = decision.cost.false_positive, decision.cost.false_negative
        defined["expected_cost"] = expected_cost(*costs, decision.prevalence)
    for index, own in enumerate(spec.measures.own):
        path: KeyPath = ("measures", "own", index)
        known_names = {**MEASURE_REGISTRY, **MEASURES_BY_ALIAS, **defined}
        problem = _describe_name_conflict(own.name, defined)
        if problem is not None:
            help_text = "choose a name that is not in use"
            issues.append(ValidationIssue(DUPLICATE_VALUE, problem, (*path, "name"), help_text))
            continue
        if own.range is not None and own.range[0] >= own.range[1]:
            message = "has a lowest value that is not below the highest"
            issues.append(
                key_issue(OUT_OF_RANGE, (*path, "range"), message, "write the lowest first")
            )
            continue
        try:
            defined[own.name] = define_measure(
                own.name,
                own.formula,
                known_names,
                title=own.title,
                orientation=Orientation(own.orientation or "neither"),
                description=own.description,
                range_=None if own.range is None else ValueRange(*own.range),
            )
        except FormulaError as error:
            message = f"at character {error.position + 1}: {error}"
            names = (*formula_names(known_names), *FUNCTION_NAMES)
            candidate = closest_match(error.unknown_name, names) if error.unknown_name else None
            help_text = _FORMULA_HELP if candidate is None else f"did you mean `{candidate}`?"
            issues.append(ValidationIssue(INVALID_FORMULA, message, (*path, "formula"), help_text))
    return defined, issues


_FORMULA_HELP = (
    "a formula has tp, fn, fp, tn, n, numbers, + - * / ^, parentheses, sqrt(), log(), abs() and"
    " names of other measures of counts"
)


def _describe_name_conflict(name: str, defined: Collection[str]) -> str | None:
    """Return why a name cannot be that of an own measure, None if it can."""
    from reportgen.measures import CAPABILITIES, MEASURE_GROUPS, find_measure, parse_measure
    from reportgen.measures.own import RESERVED_NAMES

    with_average = parse_measure(name)
    if name in defined:
        return f"{quote_value(name)} is already defined in this spec"
    if name in RESERVED_NAMES or name in {"net_benefit", "expected_cost", "gain"}:
        return f"{quote_value(name)} is a name with a meaning in formulas or parameters"
    if name in MEASURE_GROUPS or name in CAPABILITIES:
        return f"{quote_value(name)} is a group of measures or a capability"
    existing = find_measure(name)
    if existing is not None and existing.name not in defined:
        return f"{quote_value(name)} is a measure already: {existing.title}"
    if with_average is not None and with_average.average is not None:
        return f"{quote_value(name)} is the {with_average.average} average of a measure"
    return None


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Subject = TypeVar("_Subject")


def with_spec_measures(
    function: Callable[Concatenate[_Subject, _Parameters], _Result],
) -> Callable[Concatenate[_Subject, _Parameters], _Result]:
    """Return a function of a spec that also finds the measures that the spec defines."""

    @wraps(function)
    def evaluate(
        subject: _Subject, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> _Result:
        from reportgen.measures import use_spec_measures

        spec: Any = getattr(subject, "spec", subject)
        label_sets = spec.task.kind == "multilabel"
        with use_spec_measures(define_spec_measures(spec), label_sets=label_sets):
            return function(subject, *args, **kwargs)

    return evaluate


def validate_measures(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield unknown and inapplicable measures of [measures] and of scores of classifiers."""
    from reportgen.measures import MEASURE_GROUPS

    yield from _define_measures(spec)[1]
    if spec.measures.own and spec.task.kind == "regression":
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            "own measures are functions of counts, which a regression does not have",
            ("measures", "own"),
            "remove them",
            Highlight.KEY,
        )
    for index, name in enumerate(spec.measures.show or ()):
        path = ("measures", "show", index)
        yield from validate_measure_name(spec, name, path, groups=MEASURE_GROUPS)
        yield from validate_scores_available(spec, name, path)
    for index, classifier in enumerate(spec.classifiers):
        key_path: KeyPath = ("classifiers", index)
        fold_scores = classifier.fold_scores or {}
        dataset_scores = classifier.dataset_scores or {}
        yield from validate_measure_keys(spec, fold_scores, (*key_path, "fold_scores"))
        yield from validate_measure_keys(spec, dataset_scores, (*key_path, "dataset_scores"))
        yield from _validate_fold_score_ranges(fold_scores, (*key_path, "fold_scores"))


def shown_measures(spec: Spec) -> tuple[Measure, ...]:
    """Return the measures in the report: those named or by default, and the spec's own."""
    from reportgen.measures import get_measure, select_measures

    measures = select_measures(spec.measures.show, spec.task.kind)
    own = (get_measure(own.name) for own in spec.measures.own)
    return tuple(dict.fromkeys([*measures, *own]))


def named_measures(spec: Spec) -> tuple[Measure, ...]:
    """Return the measures that a spec names anywhere: shown, compared, published, in gates."""
    from reportgen.measures import parse_measure

    names = [published.measure for published in spec.published]
    names += [gate.measure for gate in spec.gates]
    names += [spec.comparison.primary or "", *(spec.comparison.margin or {})]
    requests = (parse_measure(name) for name in names)
    measures = shown_measures(spec)
    return tuple(dict.fromkeys([*measures, *(request.measure for request in requests if request)]))


def validate_measure_name(
    spec: Spec,
    name: str,
    path: KeyPath,
    *,
    groups: Mapping[str, tuple[str, ...]] = NO_GROUPS,
    highlight: Highlight = Highlight.VALUE,
) -> Iterator[ValidationIssue]:
    """Yield an issue if a measure, or every measure of a group, is unknown or inapplicable.

    With groups, the name may also be that of an average over the classes, such as `macro_f1`.
    """
    from reportgen.measures import explain_parameter_error, find_measure, parse_measure

    requests = map(parse_measure, groups.get(name, (name,)))
    measures = [request.measure for request in requests if request is not None]
    kind = spec.task.kind
    if not groups and find_measure(name) is None:
        measures = []
    # An own measure whose definition is invalid has an issue there.
    if not measures and any(own.name == name for own in spec.measures.own):
        return
    if not measures:
        message, help_text = f"unknown measure {quote_value(name)}", _suggest_measure(name, groups)
        error = explain_parameter_error(name)
        if error is not None:
            message, help_text = f"{quote_value(name)}: {error}", _PARAMETER_HELP
        yield ValidationIssue(UNKNOWN_MEASURE, message, path, help_text, highlight)
    elif not any(measure.applies_to(kind) for measure in measures):
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE,
            f"{quote_value(name)} does not apply to {with_article(kind)} task",
            path,
            f"see `reportgen explain {measures[0].name}`",
            highlight,
        )


_PARAMETER_HELP = "`reportgen measures` lists the measures with a parameter"


def _suggest_measure(name: str, groups: Iterable[str]) -> str:
    from reportgen.measures import find_measure, measure_names

    candidate = closest_match(name, (*measure_names(), *groups))
    if candidate is None:
        return "`reportgen measures` lists all names"
    measure = find_measure(candidate)
    if measure is None or measure.name == candidate:
        return f"did you mean `{candidate}`?"
    return f"did you mean `{measure.name}`, also called `{candidate}`?"


def validate_measure_keys(
    spec: Spec, names: Iterable[str], path: KeyPath
) -> Iterator[ValidationIssue]:
    """Yield measures, as keys of a table, that are unknown, inapplicable or duplicates."""
    from reportgen.measures import find_measure

    spellings: dict[str, str] = {}
    for name in names:
        yield from validate_measure_name(spec, name, (*path, name), highlight=Highlight.KEY)
        measure = find_measure(name)
        if measure is not None and measure.name in spellings:
            message = f"is the same measure as {quote_value(spellings[measure.name])}"
            yield key_issue(
                DUPLICATE_VALUE, (*path, name), message, "keep one of the two", Highlight.KEY
            )
        elif measure is not None:
            spellings[measure.name] = name


def validate_scores_available(spec: Spec, name: str, path: KeyPath) -> Iterator[ValidationIssue]:
    """Yield an issue if a measure or group is computed from scores that no classifier has."""
    from reportgen.measures import MEASURE_GROUPS, SCORE_FAMILIES, parse_measure

    requests = map(parse_measure, MEASURE_GROUPS.get(name, (name,)))
    measures = [request.measure for request in requests if request is not None]
    if not measures or any(measure.family not in SCORE_FAMILIES for measure in measures):
        return
    multiclass = spec.task.is_multiclass
    if spec.task.kind == "regression" or any(
        has_reported_scores(spec, measure) for measure in measures
    ):
        return
    if all(classifier.predictions is None for classifier in spec.classifiers):
        message = f"{quote_value(name)} needs individual cases, but no classifier has predictions"
        help_text = "give prediction files with scores, or remove the measure"
        sources = tuple(("classifiers", i, "predictions") for i in range(len(spec.classifiers)))
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, path, help_text, depends_on=sources)
        return
    from_probabilities = all(measure.family.value == "probability" for measure in measures)
    if _has_score_columns(spec, probabilities=from_probabilities, multiclass=multiclass):
        return
    required = "probabilities" if from_probabilities or multiclass else "scores"
    column = ("data", "probabilities") if multiclass else ("data", "score")
    yield ValidationIssue(
        REQUIRES_OTHER_KEY,
        f"{quote_value(name)} is computed from {required}, but no classifier has any",
        path,
        SetKey(column, "p_{class}" if multiclass else "…"),
        depends_on=(("data", "score"), ("data", "probabilities"), ("data", "format")),
    )


def has_reported_scores(spec: Spec, measure: Measure) -> bool:
    """Return whether a classifier's values of a measure are given rather than computed."""
    names = {measure.name, *measure.aliases}
    return any(
        names & set(scores)
        for classifier in spec.classifiers
        for scores in (classifier.fold_scores or {}, classifier.dataset_scores or {})
    )


def _has_score_columns(spec: Spec, *, probabilities: bool, multiclass: bool) -> bool:
    """Return whether any classifier may have the required scores."""
    tables: list[DataSettings | Classifier | DataSet] = [spec.data]
    for table in [*tables, *spec.classifiers, *spec.datasets]:
        # Data sets have neither a format nor a type of score of their own.
        own_format = None if isinstance(table, DataSet) else table.format
        own_kind = None if isinstance(table, DataSet) else table.score_kind
        if table.probabilities is not None or own_format is not None:
            return True
        has_score = (table.score or spec.data.score) is not None
        only_ranks = (own_kind or spec.data.score_kind) == "ranking"
        if has_score and not multiclass and not (probabilities and only_ranks):
            return True
    return False


def _validate_fold_score_ranges(
    fold_scores: Mapping[str, tuple[float, ...]], path: KeyPath
) -> Iterator[ValidationIssue]:
    from reportgen.measures import find_measure

    for name, scores in fold_scores.items():
        measure = find_measure(name)
        if measure is None:
            continue
        outside = [index for index, score in enumerate(scores) if is_out_of_range(score, measure)]
        # One issue per measure, because percentages for proportions are one mistake.
        for index in outside[:1]:
            others = len(outside) - 1
            further = f", and so {'is' if others == 1 else 'are'} {others} more" if others else ""
            yield key_issue(
                OUT_OF_RANGE,
                (*path, name, index),
                f"is outside {describe_measure_range(measure)}{further}",
                suggest_value_in_range(measure, scores[index]),
            )


def is_out_of_range(value: float, measure: Measure) -> bool:
    """Return whether a number is outside the range of a measure."""
    return not measure.range.contains(value)


def describe_measure_range(measure: Measure) -> str:
    """Return the range of a measure as text."""
    low, high = measure.range.low, measure.range.high
    start = "minus infinity" if low is None else f"{low:g}"
    end = "infinity" if high is None else f"{high:g}"
    return f"{start} to {end}, the range of `{measure.name}`"


def suggest_value_in_range(measure: Measure, value: float) -> str:
    """Return how to write a number that is out of range, such as a percentage."""
    if measure.range.high == 1 and 1 < value <= PERCENT:
        return f"a score of {value:g} % is written {value / PERCENT:g}"
    return f"see `reportgen explain {measure.name}`"
