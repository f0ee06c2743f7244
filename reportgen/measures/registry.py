"""The registry of measures by name and alias, and the groups that a spec may name."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from reportgen.measures import (
    agreement,
    counts,
    likelihood,
    multilabel,
    ordinal,
    probability,
    ranking,
    regression,
)
from reportgen.measures.measure import Measure, MeasureFamily
from reportgen.measures.parameterized import KS_STATISTIC, ParameterError, build_parameterized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


MEASURE_REGISTRY: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        counts.ACCURACY,
        counts.ERROR_RATE,
        counts.SENSITIVITY,
        counts.SPECIFICITY,
        counts.PRECISION,
        counts.NPV,
        counts.f_measure(1),
        counts.BALANCED_ACCURACY,
        likelihood.YOUDEN,
        likelihood.LR_POSITIVE,
        likelihood.LR_NEGATIVE,
        likelihood.DISCRIMINANT_POWER,
        likelihood.DIAGNOSTIC_ODDS_RATIO,
        counts.TYPE_1_RATE,
        counts.TYPE_2_RATE,
        agreement.KAPPA,
        agreement.KAPPA_BEST,
        agreement.MCC,
        multilabel.EXACT_MATCH,
        multilabel.HAMMING_LOSS,
        multilabel.SAMPLE_JACCARD,
        multilabel.SAMPLE_F1,
        ordinal.QUADRATIC_KAPPA,
        ordinal.LINEAR_KAPPA,
        ordinal.WITHIN_ONE,
        ordinal.RANK_MAE,
        counts.JACCARD,
        counts.G_MEAN,
        counts.MARKEDNESS,
        counts.LIFT,
        agreement.CHI_SQUARE,
        agreement.CHI_SQUARE_P,
        counts.PREVALENCE,
        counts.FALSE_DISCOVERY_RATE,
        counts.FALSE_OMISSION_RATE,
        counts.DETECTION_RATE,
        counts.DETECTION_PREVALENCE,
        counts.FOWLKES_MALLOWS,
        agreement.PEARSON_CHI_SQUARE,
        agreement.PEARSON_CHI_SQUARE_P,
        ranking.ROC_AUC,
        ranking.AVERAGE_PRECISION,
        ranking.PR_AUC,
        KS_STATISTIC,
        probability.BRIER,
        probability.LOG_LOSS,
        ordinal.RANKED_PROBABILITY_SCORE,
        probability.ECE,
        probability.INFORMATION_SCORE,
        probability.RELATIVE_INFORMATION_SCORE,
        regression.RMSE,
        regression.MAE,
        regression.R2,
        regression.PEARSON,
    )
}
MEASURES_BY_ALIAS = {
    alias: measure for measure in MEASURE_REGISTRY.values() for alias in measure.aliases
}
Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = get_args(Average)

MEASURE_GROUPS: dict[str, tuple[str, ...]] = {
    "traditional": (
        "accuracy",
        "f1",
        "sensitivity",
        "specificity",
        "precision",
        "npv",
        "balanced_accuracy",
    ),
    "discriminant": ("youden", "lr_positive", "lr_negative", "discriminant_power"),
    "all": tuple(MEASURE_REGISTRY),
    **{
        family.value: tuple(
            measure.name for measure in MEASURE_REGISTRY.values() if measure.family is family
        )
        for family in MeasureFamily
    },
}
DEFAULT_MEASURE_GROUPS: dict[str, tuple[str, ...]] = {
    "binary": ("traditional", "discriminant", "agreement", "ranking", "probability"),
    "multiclass": ("traditional", "discriminant", "agreement", "ranking", "probability"),
    "ordinal": ("ordinal", "traditional", "discriminant", "agreement", "ranking", "probability"),
    "multilabel": (
        "multilabel",
        "traditional",
        "discriminant",
        "agreement",
        "ranking",
        "probability",
    ),
    "regression": ("regression",),
}


# Measures that the spec at hand defines, by the names it may use for them.
_spec_measures: ContextVar[Mapping[str, Measure]] = ContextVar("spec_measures")


# Whether the spec at hand is of a multilabel task.
_label_sets: ContextVar[bool] = ContextVar("label_sets", default=False)


@contextmanager
def use_spec_measures(
    measures: Mapping[str, Measure], *, label_sets: bool = False
) -> Iterator[None]:
    """Add the measures that a spec defines to those found by name, within the context.

    With `label_sets` averages are those of a multilabel task.
    """
    tokens = _spec_measures.set(measures), _label_sets.set(label_sets)
    try:
        yield
    finally:
        _spec_measures.reset(tokens[0])
        _label_sets.reset(tokens[1])


def spec_measures() -> Mapping[str, Measure]:
    """Return the measures that the spec at hand defines, by name."""
    return _spec_measures.get({})


def find_measure(name: str) -> Measure | None:
    """Return the measure of a name, an alias or a name with a parameter, or None."""
    measure = _find_unparameterized(name)
    if measure:
        return measure
    try:
        return build_parameterized(name, _find_unparameterized)
    except ParameterError:
        return None


def _find_unparameterized(name: str) -> Measure | None:
    return MEASURE_REGISTRY.get(name) or MEASURES_BY_ALIAS.get(name) or spec_measures().get(name)


def explain_parameter_error(name: str) -> str | None:
    """Return what is wrong with the parameter of a name, None if it is not that."""
    try:
        build_parameterized(name, _find_unparameterized)
    except ParameterError as error:
        return str(error)
    return None


class MeasureRequest(NamedTuple):
    """A measure, and the average over the classes that was asked for."""

    measure: Measure
    average: Average | None


def parse_measure(name: str) -> MeasureRequest | None:
    """Return the measure and average of a name such as `macro_f1` or `recall_macro`, or None."""
    measure = find_measure(name)
    if measure is not None:
        return MeasureRequest(measure, None)
    for average in AVERAGES:
        for base in (name.removeprefix(f"{average}_"), name.removesuffix(f"_{average}")):
            measure = find_measure(base) if base != name else None
            if measure is not None and average_exists(measure, average):
                return MeasureRequest(measure, average)
    return None


def average_exists(measure: Measure, average: Average) -> bool:
    """Return whether a measure has an average over the classes: areas are not pooled."""
    return measure.has_class_averages and not (
        average == "micro" and measure.family is MeasureFamily.RANKING
    )


def get_measure(name: str) -> Measure:
    """Return the measure of a name that is known to exist."""
    measure = find_measure(name)
    if measure is None:
        raise LookupError(name)
    return measure


def measure_names() -> tuple[str, ...]:
    """Return all names and aliases."""
    return (*MEASURE_REGISTRY, *MEASURES_BY_ALIAS, *spec_measures())


def select_measures(names: Iterable[str] | None, task_kind: str) -> tuple[Measure, ...]:
    """Return the measures of names and groups that apply to the task, without duplicates."""
    requested = DEFAULT_MEASURE_GROUPS[task_kind] if names is None else names
    members = (member for name in requested for member in MEASURE_GROUPS.get(name, (name,)))
    requests = (parse_measure(member) for member in members)
    return tuple(
        dict.fromkeys(
            request.measure
            for request in requests
            if request and request.measure.applies_to(task_kind)
        )
    )


# Rank equivalence: on the same cases the first always ranks classifiers as the second does.
RANK_EQUIVALENT = {
    "error_rate": "accuracy",
    "kappa_best": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "diagnostic_odds_ratio": "discriminant_power",
    "jaccard": "f1",
    "lift": "precision",
    "false_discovery_rate": "precision",
    "false_omission_rate": "npv",
    "detection_rate": "sensitivity",
    "relative_information_score": "information_score",
    "r2": "rmse",
}


# Measures that are linear functions of others, so that their averages rank alike too.
LINEARLY_EQUIVALENT = {
    "error_rate": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "false_discovery_rate": "precision",
    "false_omission_rate": "npv",
}


def question_of(name: str, average: str | None) -> tuple[str, str | None]:
    """Return the measure and average that represent all that always rank classifiers alike.

    The counts summed over all classes, the mean accuracy of the classes and the mean recall
    weighted by class size depend on the number of correct cases only.
    """
    if average is None:
        return RANK_EQUIVALENT.get(name, name), None
    linear = LINEARLY_EQUIVALENT.get(name, name)
    if _label_sets.get():
        # A case has any number of labels, so that sums over the labels are no function of accuracy.
        return (RANK_EQUIVALENT.get(name, name) if average == "micro" else linear), average
    if average == "micro" or (linear, average) in {
        ("accuracy", "macro"),
        ("sensitivity", "weighted"),
    }:
        return "accuracy", None
    return linear, average


def representative_of(measure: Measure) -> str:
    """Return the measure that represents all that always rank classifiers in the same order."""
    return RANK_EQUIVALENT.get(measure.name, measure.name)
