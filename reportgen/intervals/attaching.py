"""An interval for every score that has one, attached to the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
import polars as pl

from reportgen.intervals.counted import Counted
from reportgen.intervals.numeric_limits import numeric_limits
from reportgen.measures import known_measure
from reportgen.measures.interval import (
    CaseBootstrap,
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
from reportgen.scores import Scores, State
from reportgen.tallies.regression import SUMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.intervals.class_limits import CountKind
    from reportgen.intervals.limits import Limits
    from reportgen.intervals.slopes import Average
    from reportgen.measures import Measure
    from reportgen.spec.evidence import Intervals
    from reportgen.tallies.confusion import ConfusionTally
    from reportgen.tallies.regression import RegressionTally

AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


# Undefined and infinite values are told apart where they are put into the scores.
@np.errstate(all="ignore")
def with_intervals(  # noqa: PLR0913  # what was found, what it was found from, what is asked
    scores: Scores,
    confusion: ConfusionTally | None,
    regression: RegressionTally | None,
    asked: Intervals,
    *,
    positive: str | None,
    weights: Mapping[str, float] | None = None,
) -> Scores:
    """Return the scores with intervals for measures of counts and of numeric predictions.

    Scores of single folds get none. The weight of a classifier, 1 if not named, is below 1 where
    the same cases were predicted several times: a repetition is no new case and makes no interval
    narrower.
    """
    numbered = scores.frame.with_row_index("row")
    wanted = numbered.filter(
        pl.col("fold").is_null(), pl.col("state") != State.UNDEFINED.value
    ).with_columns(number=_number())
    counted = None if confusion is None else Counted.of(confusion, asked, weights or {})
    found: list[pl.DataFrame] = []
    for rows in wanted.partition_by("measure", maintain_order=True):
        measure = known_measure(rows["measure"][0])
        match measure.interval:
            case Proportion() | SumOfProportions() | ThroughJaccard() | Delta() as kind:
                if counted:
                    found += _of_counts(measure, kind, rows, counted, positive)
            case Moments():
                if regression:
                    found += _of_sums(measure, rows, regression, asked.level, weights or {})
            case PlacementVariance() | PositivesLogit() | MeanOfCases() | CaseBootstrap():
                continue
            case NoInterval():
                continue
            case _:
                assert_never(measure.interval)
    return Scores(_attached(numbered, found))


def _number() -> pl.Expr:
    """Return the value to put limits around: infinite values count."""
    infinite = pl.when(pl.col("reason").str.starts_with("−")).then(-np.inf).otherwise(np.inf)
    is_infinite = pl.col("state") == State.INFINITE.value
    return pl.when(is_infinite).then(infinite).otherwise(pl.col("value"))


def _of_counts(
    measure: Measure,
    kind: CountKind,
    rows: pl.DataFrame,
    counted: Counted,
    positive: str | None,
) -> Iterator[pl.DataFrame]:
    known = rows.filter(pl.col("classifier").is_in(counted.classifiers)).with_columns(
        place=_placed("classifier", counted.classifiers)
    )
    alone = known.filter(pl.col("average").is_null()).with_columns(
        pl.col("class").fill_null(pl.lit(positive, pl.String))
    )
    of_classes = alone.filter(pl.col("class").is_not_null()).with_columns(
        of_class=_placed("class", counted.classes)
    )
    if of_classes.height:
        places = of_classes["place"].to_numpy(), of_classes["of_class"].to_numpy()
        yield _told(of_classes, counted.of_classes(measure, kind, *places), measure)
    whole = alone.filter(pl.col("class").is_null())
    if whole.height:
        yield _told(whole, counted.of_whole(measure, whole["place"].to_list()), measure)
    for average in AVERAGES:
        averaged = known.filter(pl.col("average") == average)
        if averaged.height:
            places_ = averaged["place"].to_list()
            yield _told(averaged, counted.of_average(measure, average, places_), measure)


def _placed(column: str, names: Sequence[str]) -> pl.Expr:
    return pl.col(column).replace_strict(names, range(len(names)), return_dtype=pl.Int64)


def _of_sums(
    measure: Measure,
    rows: pl.DataFrame,
    tally: RegressionTally,
    level: float,
    weights: Mapping[str, float],
) -> Iterator[pl.DataFrame]:
    over_all = tally.frame.filter(pl.col("fold").is_null()).select("classifier", *SUMS)
    joined = rows.join(over_all, on="classifier", maintain_order="left")
    sums = {name: joined[name].to_numpy() for name in SUMS}
    weight = np.array([weights.get(name, 1.0) for name in joined["classifier"]])
    yield _told(joined, numeric_limits(measure, sums, level, weight), measure)


def _told(rows: pl.DataFrame, limits: Limits, measure: Measure) -> pl.DataFrame:
    kept = limits.around(rows["number"].to_numpy(), measure.range)
    return pl.DataFrame(
        {
            "row": rows["row"],
            "found_low": kept.low,
            "found_high": kept.high,
            "found_interval": kept.method,
        },
        schema={
            "row": pl.UInt32,
            "found_low": pl.Float64,
            "found_high": pl.Float64,
            "found_interval": pl.String,
        },
    )


def _attached(numbered: pl.DataFrame, found: list[pl.DataFrame]) -> pl.DataFrame:
    """Put what was found into the rows it belongs to; an infinite end becomes null."""
    if not found:
        return numbered.drop("row")
    limits = pl.concat(found).filter(pl.col("found_interval") != "")
    joined = numbered.join(limits, on="row", how="left", maintain_order="left")
    told = pl.col("found_interval").is_not_null()
    ends = [
        pl.when(told)
        .then(pl.when(pl.col(f"found_{end}").is_finite()).then(pl.col(f"found_{end}")))
        .otherwise(pl.col(end))
        .alias(end)
        for end in ("low", "high")
    ]
    return joined.with_columns(*ends, interval=pl.coalesce("found_interval", "interval")).select(
        numbered.drop("row").columns
    )
