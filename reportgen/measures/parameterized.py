"""Measures with a parameter, `name@parameter`: one definition for every value of it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from reportgen.measures import counts
from reportgen.measures.formula import (
    Constant,
    Formula,
    Quantity,
    Symbol,
    absolute_value,
)
from reportgen.measures.formula.quantities import FN, FP, NEGATIVES, POSITIVES, TN, TP
from reportgen.measures.invariance import is_function_of_counts
from reportgen.measures.measure import (
    UNIT,
    CaseBootstrap,
    DeltaMethod,
    LinkFunction,
    Measure,
    MeasureFamily,
    MeasureParameter,
    OperatingPointRule,
    Orientation,
    ValueRange,
)
from reportgen.measures.references import (
    DRUMMOND_2006,
    MANNING_2008,
    MASSEY_1951,
    MCCLISH_1989,
    PEPE_2003,
    VICKERS_2006,
    VUK_2006,
    Source,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PERCENT = 100


class ParameterError(ValueError):
    """A parameter that a measure does not have, or a value that it cannot take."""


@dataclass(frozen=True, slots=True)
class ParameterizedMeasure:
    """A definition with a parameter, for the catalogue: how it is written, and an example."""

    syntax: str
    example: str
    summary: str


PARAMETERIZED_MEASURES = (
    ParameterizedMeasure("f<β>", "f0.5", "F score that weights sensitivity β times as much"),
    ParameterizedMeasure(
        "net_benefit@<t>", "net_benefit@0.1", "net benefit at threshold probability t"
    ),
    ParameterizedMeasure(
        "expected_cost@fp=<a>,fn=<b>",
        "expected_cost@fp=1,fn=8",
        "mean cost of errors per case, with `,prevalence=<p>` at another prevalence; without"
        " parameter as declared in [decision]",
    ),
    ParameterizedMeasure(
        "<measure>@threshold=<t>",
        "sensitivity@threshold=0.3",
        "a measure of counts where a probability of at least t is a positive prediction",
    ),
    ParameterizedMeasure(
        "<measure>@<measure>=<x>",
        "sensitivity@specificity=0.95",
        "the highest of sensitivity, specificity, precision or npv at a threshold where another of"
        " them is at least x",
    ),
    ParameterizedMeasure(
        "roc_auc@fpr<=<x>", "roc_auc@fpr<=0.1", "standardized partial area under the ROC curve"
    ),
    ParameterizedMeasure("precision@k=<k>", "precision@k=100", "precision in the top k cases"),
    ParameterizedMeasure("recall@k=<k>", "recall@k=100", "sensitivity in the top k cases"),
    ParameterizedMeasure("lift@<x>", "lift@0.1", "lift in the top fraction x of the cases"),
    ParameterizedMeasure(
        "gain@<x>", "gain@0.1", "share of the positives in the top fraction x of the cases"
    ),
)

F_MEASURE_PATTERN = re.compile(r"f(\d+(?:\.\d+)?)")
_PARAMETER_PATTERN = re.compile(r"(?:([a-z][a-z0-9_]*)\s*(<=|=)\s*)?(\d++(?:\.\d++)?|\.\d++)")

_CONSTRAINED = ("sensitivity", "specificity", "precision", "npv")


def build_parameterized(name: str, resolve: Callable[[str], Measure | None]) -> Measure | None:
    """Return the measure of a name with a parameter; None if the name is not of that kind.

    Args:
        name: The name, such as `net_benefit@0.1`.
        resolve: Returns the measure of a name without parameter, or None.

    Raises:
        ParameterError: The measure has no such parameter, or the value is out of range.
    """
    f_measure = F_MEASURE_PATTERN.fullmatch(name)
    if f_measure:
        beta = float(f_measure[1])
        return counts.f_measure(beta) if beta > 0 and math.isfinite(beta) else None
    base, at, text = name.partition("@")
    if not at:
        return None
    measure = resolve(base)
    canonical = base if measure is None or base in _BUILDERS else measure.name
    builder = _BUILDERS.get(canonical)
    if builder is None and (measure is None or not is_function_of_counts(measure)):
        return None
    arguments = _parse_arguments(text, resolve)
    if set(arguments) == {"threshold"} and measure is not None:
        return _at_threshold(measure, arguments["threshold"])
    if builder is None:
        raise ParameterError(f"{canonical} has the parameter `{canonical}@threshold=0.3` only")
    return builder(canonical, arguments)


def _parse_arguments(text: str, resolve: Callable[[str], Measure | None]) -> dict[str, float]:
    """Return the numbers of a parameter by name; the name is empty where none is written."""
    arguments: dict[str, float] = {}
    for part in text.split(","):
        match = _PARAMETER_PATTERN.fullmatch(part.strip())
        if match is None:
            raise ParameterError(f"`{part}` is not a number, `name=number` or `name<=number`")
        key, relation, number = match[1] or "", match[2] or "=", float(match[3])
        measure = resolve(key) if key not in _KEYS else None
        key = key if measure is None else measure.name
        key = key + "<=" if relation == "<=" else key
        if key in arguments:
            raise ParameterError(f"`{key}` is given twice")
        arguments[key] = number
    return arguments


_KEYS = ("", "k", "fp", "fn", "threshold")


def parameter_text(number: float) -> str:
    """Return a number as it is written in the name of a measure."""
    return f"{Decimal(repr(number)).normalize():f}"


def _take_number(
    base: str, arguments: Mapping[str, float], keys: tuple[str, ...], example: str
) -> float:
    """Return the one number of a parameter, or raise what should have been written."""
    if len(arguments) != 1 or (key := next(iter(arguments))) not in keys:
        raise ParameterError(f"write `{base}@{example}`")
    return arguments[key]


def _check_proportion(what: str, number: float, *, may_be_one: bool = False) -> float:
    if not 0 < number < 1 and not (may_be_one and number == 1):
        raise ParameterError(f"{what} must be between 0 and 1, not {parameter_text(number)}")
    return number


def _net_benefit(_base: str, arguments: Mapping[str, float]) -> Measure:
    number = _take_number("net_benefit", arguments, ("", "threshold"), "0.1")
    threshold = _check_proportion("the threshold probability", number)
    text = parameter_text(threshold)
    cases = TP + FN + FP + TN
    odds = Constant(threshold) / (1 - Constant(threshold))
    return Measure(
        name=f"net_benefit@{text}",
        title=f"Net benefit at threshold {text}",
        symbol=Symbol("NB", subscript=text),
        formula=TP / cases - FP / cases * odds,
        orientation=Orientation.HIGHER,
        range=ValueRange(-threshold / (1 - threshold), 1),
        question=(
            "True positives per case, less false positives weighted by the odds of the threshold"
            f" probability {text}"
        ),
        source=Source(VICKERS_2006),
        family=MeasureFamily.OVERALL,
        interval=DeltaMethod(LinkFunction.IDENTITY),
        has_class_averages=False,
        caution=_threshold_caution(text) + " Depends on the prevalence.",
        only_for="binary",
        threshold=threshold,
    )


def _threshold_caution(text: str) -> str:
    return (
        f"A probability of at least {text} counts as a positive prediction; predictions without"
        " probabilities count as they are."
    )


def expected_cost(
    false_positive: float, false_negative: float, prevalence: float | None = None
) -> Measure:
    """Return the mean cost of misclassification by case, at a prevalence or that of the data."""
    fp_text, fn_text = parameter_text(false_positive), parameter_text(false_negative)
    fp_cost, fn_cost = Constant(false_positive), Constant(false_negative)
    name, title = f"expected_cost@fp={fp_text},fn={fn_text}", f"FP {fp_text}, FN {fn_text}"
    formula: Formula
    if prevalence is None:
        formula = (fp_cost * FP + fn_cost * FN) / (TP + FN + FP + TN)
        caution = "Depends on the prevalence."
        highest = max(false_positive, false_negative)
    else:
        text, share = parameter_text(prevalence), Constant(prevalence)
        name, title = f"{name},prevalence={text}", f"{title}, prevalence {text}"
        formula = (1 - share) * fp_cost * (FP / (FP + TN)) + share * fn_cost * (FN / (TP + FN))
        caution = f"At a prevalence of {text}."
        highest = (1 - prevalence) * false_positive + prevalence * false_negative
    return Measure(
        name=name,
        title=f"Expected cost at {title}",
        symbol=Symbol("cost", subscript=title),
        formula=formula,
        orientation=Orientation.LOWER,
        range=ValueRange(0, highest),
        question="What do errors cost per case?",
        source=Source(DRUMMOND_2006),
        family=MeasureFamily.OVERALL,
        interval=DeltaMethod(LinkFunction.IDENTITY),
        has_class_averages=False,
        caution=(f"A false positive costs {fp_text}, a false negative {fn_text}. {caution}"),
        only_for="binary",
    )


def _expected_cost(_base: str, arguments: Mapping[str, float]) -> Measure:
    if set(arguments) - {"prevalence"} != {"fp", "fn"}:
        raise ParameterError("write `expected_cost@fp=1,fn=8`")
    costs = arguments["fp"], arguments["fn"]
    if min(costs) < 0 or not max(costs):
        raise ParameterError("one of the costs must be greater than 0")
    prevalence = arguments.get("prevalence")
    if prevalence is not None:
        _check_proportion("the prevalence", prevalence)
    return expected_cost(*costs, prevalence)


def _at_threshold(measure: Measure, threshold: float) -> Measure:
    """Return a measure of counts where a probability of at least a threshold is positive."""
    _check_proportion("the threshold", threshold)
    text = parameter_text(threshold)
    caution = " ".join(filter(None, (_threshold_caution(text), measure.caution)))
    return replace(
        measure,
        name=f"{measure.name}@threshold={text}",
        title=f"{measure.title} at threshold {text}",
        symbol=replace(measure.symbol, subscript=f"{measure.symbol.subscript} t ≥ {text}".strip()),
        overall_formula=None,
        aliases=(),
        has_class_averages=False,
        caution=caution,
        only_for="binary",
        threshold=threshold,
    )


def _quantity(name: str, part: str, symbol: Symbol, meaning: str) -> Quantity:
    """Return a column of the statistics of operating points."""
    return Quantity(f"{name}:{part}", symbol, meaning)


def _constrained(base: str, arguments: Mapping[str, float]) -> Measure:
    """Return the highest value of a measure where another one is at least a number."""
    others = tuple(target for target in _CONSTRAINED if target != base)
    minimum = _take_number(base, arguments, others, f"{others[0]}=0.95")
    condition = next(iter(arguments))
    _check_proportion(f"the {condition}", minimum, may_be_one=True)
    target, constraint = _CONSTRAINED_MEASURES[base], _CONSTRAINED_MEASURES[condition]
    text = parameter_text(minimum)
    name = f"{base}@{condition}={text}"
    where = f"at the threshold t that makes {base} highest where {condition} is at least {text}"
    tp = _quantity(name, "tp", Symbol("TP", subscript="t"), f"true positives {where}")
    fp = _quantity(name, "fp", Symbol("FP", subscript="t"), f"false positives {where}")
    formulas: dict[str, Formula] = {
        "sensitivity": tp / POSITIVES,
        "specificity": (NEGATIVES - fp) / NEGATIVES,
        "precision": tp / (tp + fp),
        "npv": (NEGATIVES - fp) / (POSITIVES - tp + NEGATIVES - fp),
    }
    return Measure(
        name=name,
        title=f"{target.title} at {constraint.title.lower()} ≥ {text}",
        symbol=Symbol(target.symbol.base, subscript=f"{constraint.symbol.base} ≥ {text}"),
        formula=formulas[base],
        requires=(POSITIVES, NEGATIVES),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question=f"{target.question[:-1]} where {condition} is at least {text}?",
        source=Source(PEPE_2003),
        family=MeasureFamily.OPERATING_POINT,
        interval=CaseBootstrap(),
        has_class_averages=False,
        caution="The threshold is chosen on these cases.",
        only_for="binary",
        parameter=MeasureParameter(
            OperatingPointRule.CONSTRAINT, minimum, target=base, condition=condition
        ),
    )


_CONSTRAINED_MEASURES = {
    measure.name: measure
    for measure in (counts.SENSITIVITY, counts.SPECIFICITY, counts.PRECISION, counts.NPV)
}


def _precision_or_sensitivity(base: str, arguments: Mapping[str, float]) -> Measure:
    if set(arguments) == {"k"}:
        return _top_cases(base, arguments["k"])
    return _constrained(base, arguments)


def _top_cases(base: str, number: float) -> Measure:
    """Return precision or sensitivity among the k cases with the highest scores."""
    if number < 1 or number != int(number):
        value_text = parameter_text(number)
        raise ParameterError(f"k must be a whole number of at least 1, not {value_text}")
    text = parameter_text(number)
    name = f"{base}@k={text}"
    tp = _quantity(
        name,
        "tp",
        Symbol("TP", subscript="k"),
        f"cases of the class among the {text} with the highest scores; of equal scores at the end"
        " as many as on average",
    )
    size = _quantity(name, "k", Symbol("k"), f"{text}, or the number of cases if there are fewer")
    measure = _CONSTRAINED_MEASURES[base]
    is_precision = base == "precision"
    return Measure(
        name=name,
        title=f"{measure.title} in the top {text}",
        symbol=Symbol(measure.symbol.base, subscript=f"k = {text}"),
        formula=tp / size if is_precision else tp / POSITIVES,
        requires=(size,) if is_precision else (POSITIVES,),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question=(
            f"What share of the {text} cases with the highest scores belongs to the class?"
            if is_precision
            else f"What share of the positives is among the {text} cases with the highest scores?"
        ),
        source=Source(MANNING_2008, "section 8.4"),
        family=MeasureFamily.OPERATING_POINT,
        interval=CaseBootstrap(),
        has_class_averages=False,
        caution="Depends on the number of cases and on the prevalence.",
        only_for="binary",
        parameter=MeasureParameter(OperatingPointRule.TOP_CASES, number),
    )


def _top_fraction(base: str, arguments: Mapping[str, float]) -> Measure:
    """Return lift or cumulative gain in a fraction of the cases with the highest scores."""
    fraction = _take_number(base, arguments, ("",), "0.1")
    _check_proportion("the fraction", fraction, may_be_one=True)
    text, percent = parameter_text(fraction), parameter_text(round(fraction * PERCENT, 10))
    name, is_lift = f"{base}@{text}", base == "lift"
    tp = _quantity(
        name,
        "tp",
        Symbol("TP", subscript=f"top {percent}%"),
        f"cases of the class in the {percent}% of the cases with the highest scores, interpolated"
        " between scores",
    )
    gain = tp / POSITIVES
    return Measure(
        name=name,
        title=f"{'Lift' if is_lift else 'Cumulative gain'} in the top {percent}%",
        symbol=Symbol(base, subscript=f"top {percent}%"),
        formula=gain / Constant(fraction) if is_lift else gain,
        requires=(POSITIVES,),
        orientation=Orientation.HIGHER,
        range=ValueRange(0, 1 / fraction) if is_lift else UNIT,
        question=(
            f"How many times more frequent is the class in the top {percent}% than overall?"
            if is_lift
            else f"What share of the positives is in the top {percent}% of the cases?"
        ),
        source=Source(VUK_2006),
        family=MeasureFamily.OPERATING_POINT,
        interval=CaseBootstrap(),
        has_class_averages=False,
        caution="Depends on the prevalence.",
        only_for="binary",
        parameter=MeasureParameter(OperatingPointRule.TOP_FRACTION, fraction),
    )


def _partial_area(_base: str, arguments: Mapping[str, float]) -> Measure:
    """Return the partial area under the ROC curve, standardized as by McClish (1989)."""
    keys = ("fpr<=", "type_1_rate<=")
    limit = _take_number("roc_auc", arguments, keys, "fpr<=0.1")
    _check_proportion("the false positive rate", limit)
    text = parameter_text(limit)
    name = f"roc_auc@fpr<={text}"
    area = _quantity(
        name,
        "area",
        Symbol("A"),
        f"area under the ROC curve up to a false positive rate of {text}",
    )
    chance = Constant(limit) ** 2 / 2
    return Measure(
        name=name,
        title=f"Partial AUC at FPR ≤ {text}",
        symbol=Symbol("AUC", subscript=f"FPR ≤ {text}"),
        formula=(1 + (area - chance) / (Constant(limit) - chance)) / 2,
        requires=(POSITIVES, NEGATIVES),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question=(
            f"Area under the ROC curve up to a false positive rate of {text}, on a scale where 0.5"
            " is chance"
        ),
        source=Source(MCCLISH_1989),
        family=MeasureFamily.OPERATING_POINT,
        interval=CaseBootstrap(LinkFunction.LOGIT),
        has_class_averages=False,
        only_for="binary",
        parameter=MeasureParameter(OperatingPointRule.PARTIAL_AREA, limit),
    )


def _f_measure(_base: str, arguments: Mapping[str, float]) -> Measure:
    beta = _take_number("f", arguments, ("", "beta"), "2")
    if beta <= 0:
        raise ParameterError("β must be greater than 0")
    return counts.f_measure(beta)


_BUILDERS: dict[str, Callable[[str, Mapping[str, float]], Measure]] = {
    "f": _f_measure,
    "net_benefit": _net_benefit,
    "expected_cost": _expected_cost,
    "sensitivity": _precision_or_sensitivity,
    "precision": _precision_or_sensitivity,
    "specificity": _constrained,
    "npv": _constrained,
    "roc_auc": _partial_area,
    "lift": _top_fraction,
    "gain": _top_fraction,
}


def _ks_statistic() -> Measure:
    where = "at the threshold t where the two rates differ most"
    tp = _quantity("ks", "tp", Symbol("TP", subscript="t"), f"true positives {where}")
    fp = _quantity("ks", "fp", Symbol("FP", subscript="t"), f"false positives {where}")
    return Measure(
        name="ks",
        title="Kolmogorov–Smirnov statistic",
        symbol=Symbol("KS"),
        formula=absolute_value(tp / POSITIVES - fp / NEGATIVES),
        requires=(POSITIVES, NEGATIVES),
        orientation=Orientation.HIGHER,
        range=UNIT,
        question="Largest distance of the score distributions of the class and of the rest",
        source=Source(MASSEY_1951),
        family=MeasureFamily.OPERATING_POINT,
        interval=CaseBootstrap(corrects_optimism=True),
        aliases=("ks_statistic",),
        has_class_averages=False,
        caution="A maximum over thresholds, and so too high in small samples.",
        only_for="binary",
        parameter=MeasureParameter(OperatingPointRule.MAXIMUM_DIFFERENCE),
    )


KS_STATISTIC = _ks_statistic()
