"""When a measure has no value or an infinite one, in words: derived from its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formulas import (
    Constant,
    Formula,
    Named,
    Product,
    Quantity,
    Sum,
    names_in,
    quantities,
)
from reportgen.formulas.reasons import Cause, infinite_causes, undefined_causes
from reportgen.measures.interval import (
    CaseBootstrap,
    Curve,
    Delta,
    MeanOfCases,
    Moments,
    NoInterval,
    PlacementVariance,
    PositivesLogit,
    Proportion,
    SumOfProportions,
    ThroughJaccard,
)
from reportgen.tallies import EMPTY_MARGINS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from reportgen.measures.interval import MeantInterval
    from reportgen.measures.measure import Measure


def cause_in_words(cause: Cause) -> str:
    """Say why: in words where a margin is empty, and as the equation in any case."""
    words = _empty_margin(cause.vanishing)
    return f"{words} ({cause.text})" if words else cause.text


def undefined_when(measure: Measure, *, whole: bool = False) -> str:
    """Return the sentence that says when a measure is undefined, over all classes if `whole`."""
    formula = measure.whole if whole and measure.whole is not None else measure.formula
    causes = list(dict.fromkeys(map(cause_in_words, undefined_causes(formula, measure.requires))))
    return f"Undefined when {', or '.join(causes)}." if causes else "Always defined."


def infinite_when(measure: Measure) -> str | None:
    """Return the sentence that says when a measure is infinite, if it can be."""
    found = infinite_causes(measure.formula, measure.requires)
    causes = list(dict.fromkeys(map(cause_in_words, found)))
    return f"Infinite when {' or '.join(causes)}." if causes else None


ON_SCALE = {
    Curve.PLAIN: "",
    Curve.LOG: " on the log scale",
    Curve.LOGIT: " on the logit scale",
    Curve.FISHER_Z: " on Fisher's z scale",
    Curve.LOG_OF_REST: " on the log scale of 1 − value",
}


RESAMPLING = "resampling, stratified by true class"


def interval_in_words(measure: Measure, method: str = "recommended") -> str:
    """Return the sentence that says how the interval of a measure is found."""
    kind = measure.interval
    if isinstance(kind, NoInterval):
        return f"No interval: {kind.reason.removesuffix('.')}."
    # Tables and curves can be drawn anew from their counts; numbers keep the method they have.
    of_counts = isinstance(kind, Proportion | SumOfProportions | ThroughJaccard | Delta)
    if method == "bootstrap" and of_counts:
        return f"Interval: {RESAMPLING}."
    if method == "bootstrap" and isinstance(kind, PlacementVariance | PositivesLogit):
        return (
            f"Interval: {RESAMPLING}, of two classes and not too many scores; else {_method(kind)}."
        )
    if method == "clopper-pearson" and isinstance(kind, Proportion):
        return "Interval: Clopper and Pearson's for a share."
    return f"Interval: {_method(kind)}."


def _method(kind: MeantInterval) -> str:
    match kind:
        case Proportion():
            return "Wilson's for a share"
        case SumOfProportions():
            return "Wilson's limits of the shares, squared and added (Newcombe)"
        case ThroughJaccard():
            return "Wilson's limits of the Jaccard index, carried over"
        case Delta(curve=curve):
            return f"delta method{ON_SCALE[curve]}"
        case PlacementVariance():
            return "DeLong's variance, on the logit scale"
        case PositivesLogit():
            return "Boyd, Eng and Page's, on the logit scale"
        case MeanOfCases(curve=curve):
            return f"Student's t over the cases{ON_SCALE[curve]}"
        case CaseBootstrap():
            return "resampling of the cases, less the bias upwards"
        case Moments(curve=curve):
            return f"delta method over the sums{ON_SCALE[curve]}"
        case _:
            assert_never(kind)


def auxiliary_names(formulas: Iterable[Formula], defined: Container[str]) -> tuple[Named, ...]:
    """Return the named parts of formulas that are defined nowhere else."""
    found: dict[Named, None] = {}
    pending = list(formulas)
    while pending:
        names = [name for name in names_in(pending.pop(0)) if name.name not in defined]
        pending += [name.formula for name in names if name not in found]
        found |= dict.fromkeys(names)
    return tuple(found)


def _empty_margin(formula: Formula | None) -> str | None:
    if formula is None:
        return None
    if isinstance(formula, Product) and _is_product_of_margins(formula):
        return "a row or column of the table is empty"
    match formula:
        case Sum(Product() as left, Product() as right):
            if _is_product_of_margins(left) and _is_product_of_margins(right):
                return "all cases are on one side, and predicted so"
    read = quantities(formula)
    is_of_matrix = any(quantity.made_of is not None for quantity in read)
    return EMPTY_MARGINS.get(frozenset(read)) if is_of_matrix or _is_sum(formula) else None


def _is_sum(formula: Formula) -> bool:
    match formula:
        case Quantity() | Product(Constant(), Quantity()):
            return True
        case Sum(left, right):
            return _is_sum(left) and _is_sum(right)
        case _:
            return False


def _is_product_of_margins(formula: Formula) -> bool:
    match formula:
        case Product(left, right):
            return _is_product_of_margins(left) and _is_product_of_margins(right)
        case Sum():
            return _is_sum(formula)
        case _:
            return False
