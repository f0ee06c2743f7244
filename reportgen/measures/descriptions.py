"""Sentences derived from a measure: when it is undefined or infinite, how its interval is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.measures.formula import (
    Constant,
    Formula,
    NamedFormula,
    Product,
    Quantity,
    Sum,
    find_named_formulas,
    find_quantities,
)
from reportgen.measures.formula.quantities import EMPTY_MARGIN_DESCRIPTIONS
from reportgen.measures.formula.singularities import Singularity, find_infinite, find_undefined
from reportgen.measures.measure import (
    Bootstrap,
    CaseBootstrap,
    CaseMean,
    DeLong,
    DeltaMethod,
    DeltaMoments,
    InfluenceFunction,
    LinkFunction,
    NoInterval,
    ProductOfProportions,
    Proportion,
    StudentT,
    SumOfProportions,
    TransformedWilson,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from reportgen.measures.measure import IntervalEstimator, Measure


def describe_singularity(singularity: Singularity) -> str:
    """Return the condition: in words where a margin is empty, with the equation in any case."""
    words = _describe_empty_margin(singularity.vanishing)
    return f"{words} ({singularity.condition})" if words else singularity.condition


def describe_undefined(measure: Measure, *, over_all_classes: bool = False) -> str:
    """Return the sentence about when a measure (or its formula over all classes) is undefined."""
    formula = (
        measure.overall_formula
        if over_all_classes and measure.overall_formula is not None
        else measure.formula
    )
    causes = list(
        dict.fromkeys(map(describe_singularity, find_undefined(formula, measure.requires)))
    )
    return f"Undefined when {', or '.join(causes)}." if causes else "Always defined."


def describe_infinite(measure: Measure) -> str | None:
    """Return the sentence about when a measure is infinite; empty if it cannot be."""
    singularities = find_infinite(measure.formula, measure.requires)
    causes = list(dict.fromkeys(map(describe_singularity, singularities)))
    return f"Infinite when {' or '.join(causes)}." if causes else None


LINK_DESCRIPTIONS = {
    LinkFunction.IDENTITY: "",
    LinkFunction.LOG: " on the log scale",
    LinkFunction.LOGIT: " on the logit scale",
    LinkFunction.FISHER_Z: " on Fisher's z scale",
    LinkFunction.COMPLEMENTARY_LOG: " on the log scale of 1 − value",
}


SKEWNESS_CORRECTED = "Student's t over the cases with Hall's correction for skewness"
BOOTSTRAP_DESCRIPTION = "bootstrap, stratified by true class"


def describe_interval_method(measure: Measure, method: str = "recommended") -> str:
    """Return the sentence about how the confidence interval of a measure is computed."""
    kind = measure.interval
    if isinstance(kind, NoInterval):
        return f"No interval: {kind.reason.removesuffix('.')}."
    # Tables and curves can be resampled from their counts; numbers keep the method they have.
    of_counts = isinstance(
        kind,
        Proportion | SumOfProportions | ProductOfProportions | TransformedWilson | DeltaMethod,
    )
    if method == "bootstrap" and of_counts:
        return f"Interval: {BOOTSTRAP_DESCRIPTION}."
    if method == "bootstrap" and isinstance(kind, DeLong | InfluenceFunction):
        otherwise = _describe_estimator(kind)
        boundary = "for binary tasks of moderate size"
        return f"Interval: {BOOTSTRAP_DESCRIPTION}, {boundary}; otherwise {otherwise}."
    if method == "clopper-pearson" and isinstance(kind, Proportion):
        return "Interval: Clopper–Pearson for a proportion."
    return f"Interval: {_describe_estimator(kind)}."


def _describe_estimator(estimator: IntervalEstimator) -> str:
    match estimator:
        case Proportion():
            return "Wilson for a proportion"
        case SumOfProportions():
            return "MOVER of Wilson limits"
        case ProductOfProportions():
            return "Wilson limits combined by MOVER on the log scale"
        case TransformedWilson():
            return "Wilson limits of the Jaccard index, transformed"
        case DeltaMethod(link=curve):
            return f"delta method{LINK_DESCRIPTIONS[curve]}"
        case DeLong():
            return "DeLong's variance, on the logit scale"
        case InfluenceFunction():
            return "influence function with Satterthwaite's degrees of freedom, on the logit scale"
        case StudentT(cubed_sum_column=cubes, link=curve):
            return (
                SKEWNESS_CORRECTED
                if cubes
                else f"Student's t over the cases{LINK_DESCRIPTIONS[curve]}"
            )
        case Bootstrap():
            return "bootstrap of the cases, debiased"
        case CaseBootstrap():
            return _describe_case_bootstrap(estimator)
        case CaseMean(is_proportion=True):
            return "Wilson for a proportion of cases"
        case CaseMean():
            return "Student's t of a mean over cases, on the logit scale"
        case DeltaMoments(link=LinkFunction.IDENTITY):
            return SKEWNESS_CORRECTED
        case DeltaMoments(link=curve):
            return f"Student's t over the influence of the cases{LINK_DESCRIPTIONS[curve]}"
        case _:
            assert_never(estimator)


def _describe_case_bootstrap(estimator: CaseBootstrap) -> str:
    error = "standard error of a bootstrap of the cases"
    if estimator.link is not None:
        return f"{error}{LINK_DESCRIPTIONS[estimator.link]}"
    if estimator.corrects_optimism:
        return "Wilson, less the optimism in a bootstrap of the cases"
    return f"Wilson, with the {error}"


def find_auxiliary_formulas(
    formulas: Iterable[Formula], defined: Container[str]
) -> tuple[NamedFormula, ...]:
    """Return the named parts of formulas that have no definition of their own."""
    formulas_in_order: dict[NamedFormula, None] = {}
    pending = list(formulas)
    while pending:
        names = [name for name in find_named_formulas(pending.pop(0)) if name.name not in defined]
        pending += [name.formula for name in names if name not in formulas_in_order]
        formulas_in_order |= dict.fromkeys(names)
    return tuple(formulas_in_order)


def _describe_empty_margin(formula: Formula | None) -> str | None:
    if formula is None:
        return None
    if isinstance(formula, Product) and _is_product_of_margins(formula):
        return "a row or column of the confusion matrix is empty"
    match formula:
        case Sum(Product() as left, Product() as right):
            if _is_product_of_margins(left) and _is_product_of_margins(right):
                return "all cases are of one class, and predicted so"
    quantities = find_quantities(formula)
    is_of_matrix = any(quantity.binary_formula is not None for quantity in quantities)
    return (
        EMPTY_MARGIN_DESCRIPTIONS.get(frozenset(quantities))
        if is_of_matrix or _is_sum_of_quantities(formula)
        else None
    )


def _is_sum_of_quantities(formula: Formula) -> bool:
    match formula:
        case Quantity() | Product(Constant(), Quantity()):
            return True
        case Sum(left, right):
            return _is_sum_of_quantities(left) and _is_sum_of_quantities(right)
        case _:
            return False


def _is_product_of_margins(formula: Formula) -> bool:
    match formula:
        case Product(left, right):
            return _is_product_of_margins(left) and _is_product_of_margins(right)
        case Sum():
            return _is_sum_of_quantities(formula)
        case _:
            return False
