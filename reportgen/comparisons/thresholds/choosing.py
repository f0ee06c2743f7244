"""All measures over all thresholds of a score, and the thresholds that serve an aim best."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.thresholds.searching import (
    Ladder,
    Search,
    repeated_searches,
)
from reportgen.formulas.as_polars import as_polars
from reportgen.frozen import frozen
from reportgen.measures import known_measure
from reportgen.scores import Score, State
from reportgen.scores.measuring import measured
from reportgen.tallies.blocks import beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.thresholds.searching import Repeats
    from reportgen.measures import Measure
    from reportgen.spec import Spec
    from reportgen.tallies.curves import CurveTally

KEYS = ("classifier", "class", "threshold")
SHOWN = ("sensitivity", "specificity", "precision", "f1", "youden")
REPEATED_SEARCH = "bootstrap that repeats the search"


class Rule(StrEnum):
    """By what a threshold is chosen."""

    YOUDEN = "youden"
    F1 = "f1"
    COST = "cost"
    CONSTRAINT = "constraint"


# What is made as high as possible, where it is a measure.
AIMS = {Rule.YOUDEN: "youden", Rule.F1: "f1", Rule.CONSTRAINT: "youden"}


@frozen(kw_only=True)
class ChosenThreshold:
    """The threshold that serves an aim best on these cases, and what it would count.

    `threshold` is infinite where nothing would be predicted as the class; it and the counts are
    None where no threshold reaches what was asked. `achieved` is Youden's index, F1 or the cost
    per case at the threshold, with an interval that repeats the search in each resample.
    """

    classifier: str
    class_: str
    rule: Rule
    threshold: float | None = None
    threshold_low: float | None = None
    threshold_high: float | None = None
    tp: int | None = None
    fn: int | None = None
    fp: int | None = None
    tn: int | None = None
    achieved: float | None = None
    achieved_low: float | None = None
    achieved_high: float | None = None
    cost_per_case: float | None = None
    draws: int = 0
    unmet_draws: int = 0
    """In how many resamples no threshold reached what was asked."""
    scores: tuple[tuple[str, Score], ...] = ()
    """The measures worth seeing at the threshold, by name."""


def threshold_measures(steps: pl.LazyFrame, measures: Sequence[Measure]) -> pl.LazyFrame:
    """Return the four counts and every measure at every step; null where undefined."""
    counted = steps.select(
        *KEYS,
        "tp",
        fn=pl.col("positives") - pl.col("tp"),
        fp=pl.col("fp"),
        tn=pl.col("negatives") - pl.col("fp"),
    )
    return counted.with_columns(
        _value(measure).fill_nan(None).alias(measure.name) for measure in measures
    )


def chosen_thresholds(
    curves: CurveTally, spec: Spec, weights: Mapping[str, float]
) -> tuple[ChosenThreshold, ...]:
    """Choose a threshold by every rule for every classifier whose cases are of both classes.

    Of thresholds that are equally good the highest is chosen. The weight of a classifier is below
    1 where its cases were predicted several times.
    """
    searches = {rule: _search(rule, spec) for rule in _rules(spec)}
    return tuple(
        found
        for classifier, weight in weights.items()
        for found in _of_classifier(curves, classifier, searches, spec, weight)
    )


def _rules(spec: Spec) -> Iterator[Rule]:
    yield from (Rule.YOUDEN, Rule.F1)
    if spec.thresholds is not None and spec.thresholds.cost is not None:
        yield Rule.COST
    if spec.thresholds is not None and spec.thresholds.at_least:
        yield Rule.CONSTRAINT


def _search(rule: Rule, spec: Spec) -> Search:
    """Return what is looked for: the highest value of a formula, under conditions."""
    if rule is Rule.F1:
        return Search(known_measure("f1").formula)
    given = spec.thresholds
    if rule is Rule.COST and given is not None and given.cost is not None:
        return Search(None, costs=(given.cost.false_positive, given.cost.false_negative))
    conditions = (given.at_least or {}) if rule is Rule.CONSTRAINT and given is not None else {}
    return Search(
        known_measure("youden").formula,
        tuple((known_measure(name).formula, least) for name, least in conditions.items()),
    )


def _of_classifier(
    curves: CurveTally,
    classifier: str,
    searches: Mapping[Rule, Search],
    spec: Spec,
    weight: float,
) -> Iterator[ChosenThreshold]:
    curve = next(curves.of(classifier), None)
    if curve is None or not curve[1].positives or not curve[1].negatives:
        return
    class_, ladder = curve[0], Ladder(curve[1])
    # Drawing takes one core; the other is free to search among all thresholds.
    repeated = beside(repeated_searches, ladder, tuple(searches.values()), spec.intervals, weight)
    best = [search.best_of(ladder) for search in searches.values()]
    for rule, (place, achieved), repeats in zip(searches, best, repeated.result(), strict=True):
        chosen = ChosenThreshold(
            classifier=classifier,
            class_=class_,
            rule=rule,
            draws=repeats.draws,
            unmet_draws=repeats.unmet,
        )
        found = replace(chosen, achieved=achieved)
        yield chosen if place < 0 else _at(place, ladder, repeats, found, spec)


def _at(
    best: int, ladder: Ladder, repeats: Repeats, chosen: ChosenThreshold, spec: Spec
) -> ChosenThreshold:
    threshold, tp, fp = ladder.at(best)
    fn, tn = ladder.steps.positives - tp, ladder.steps.negatives - fp
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    return replace(
        chosen,
        scores=tuple(_scores(counts, AIMS.get(chosen.rule), repeats)),
        threshold=threshold,
        threshold_low=repeats.threshold[0],
        threshold_high=repeats.threshold[1],
        tp=tp,
        fn=fn,
        fp=fp,
        tn=tn,
        achieved_low=repeats.achieved[0],
        achieved_high=repeats.achieved[1],
        cost_per_case=cost_per_case(spec, fp=fp, fn=fn, cases=tp + fn + fp + tn),
    )


def _scores(
    counts: Mapping[str, int], aim: str | None, repeats: Repeats
) -> Iterator[tuple[str, Score]]:
    """Yield the measures at a threshold; only the one it was chosen by has an interval."""
    formulas = {measure: measure.formula for measure in map(known_measure, SHOWN)}
    for row in measured(pl.DataFrame([counts]), (), formulas).iter_rows(named=True):
        score = Score(row["value"], State(row["state"]), row["reason"])
        if row["measure"] == aim:
            low, high = repeats.achieved
            score = replace(score, low=low, high=high, interval=REPEATED_SEARCH)
        yield row["measure"], score


def cost_per_case(spec: Spec, *, fp: int, fn: int, cases: int) -> float | None:
    """Return what mistakes cost, by case, if the spec names costs."""
    cost = spec.thresholds.cost if spec.thresholds is not None else None
    if cost is None:
        return None
    return (cost.false_positive * fp + cost.false_negative * fn) / cases


def _value(measure: Measure) -> pl.Expr:
    value = as_polars(measure.formula)
    missing = [as_polars(part) == 0 for part in measure.requires]
    if missing:
        value = pl.when(pl.any_horizontal(missing)).then(float("nan")).otherwise(value)
    low, high = measure.range.low, measure.range.high
    return value.clip(low, high) if (low, high) != (None, None) else value
