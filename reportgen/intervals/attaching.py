"""An interval for every score that has one, attached to the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
import polars as pl

from reportgen.frozen import frozen
from reportgen.intervals.counted import Counted
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.class_limits import CountKind
    from reportgen.intervals.limits import Limits
    from reportgen.intervals.matrix import Places
    from reportgen.intervals.slopes import Average
    from reportgen.measures import Measure
    from reportgen.spec.evidence import Intervals
    from reportgen.tallies.confusion import ConfusionTally
    from reportgen.tallies.regression import RegressionTally

AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")
# Instead of a place among names: has none of them.
NONE = -1


@frozen
class Wanted:
    """The scores of one measure that may get limits: rows, values, and places of what they are of.

    A class is the positive one where the task has one; infinite values count.
    """

    row: Places
    number: Numbers
    classifier: Places
    class_: Places
    average: Places

    def at(self, chosen: npt.NDArray[np.bool_]) -> Wanted:
        """Return some of the scores."""
        return Wanted(
            self.row[chosen],
            self.number[chosen],
            self.classifier[chosen],
            self.class_[chosen],
            self.average[chosen],
        )


@frozen
class Found:
    """The ends that were found, by row; no name of a method where none were."""

    low: Numbers
    high: Numbers
    method: npt.NDArray[np.object_]

    @classmethod
    def nothing(cls, height: int) -> Found:
        """Have nothing yet for so many rows."""
        return cls(np.full(height, np.nan), np.full(height, np.nan), np.full(height, "", object))

    def take(self, wanted: Wanted, limits: Limits, measure: Measure) -> None:
        """Take the limits of some scores, kept inside the measure's range."""
        kept = limits.around(wanted.number, measure.range)
        self.low[wanted.row] = kept.low
        self.high[wanted.row] = kept.high
        self.method[wanted.row] = kept.method


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
    counted = None if confusion is None else Counted.of(confusion, asked, weights or {})
    over_all = None if regression is None else regression.frame.filter(pl.col("fold").is_null())
    if counted is not None:
        names, classes = counted.classifiers, counted.classes
    else:
        names, classes = () if over_all is None else tuple(over_all["classifier"]), ()
    found = Found.nothing(scores.frame.height)
    for measure, wanted in _wanted(scores, names, classes, positive):
        match measure.interval:
            case Proportion() | SumOfProportions() | ThroughJaccard() | Delta() as kind:
                if counted is not None:
                    for some, limits in _of_counts(measure, kind, wanted, counted):
                        found.take(some, limits, measure)
            case Moments():
                if over_all is not None:
                    limits = _of_sums(measure, wanted, over_all, asked.level, weights or {})
                    found.take(wanted, limits, measure)
            case PlacementVariance() | PositivesLogit() | MeanOfCases() | CaseBootstrap():
                continue
            case NoInterval():
                continue
            case _:
                assert_never(measure.interval)
    return Scores(_attached(scores.frame, found))


def _wanted(
    scores: Scores, classifiers: Sequence[str], classes: Sequence[str], positive: str | None
) -> Iterator[tuple[Measure, Wanted]]:
    """Yield the scores over all folds of known classifiers, measure by measure."""
    infinite = pl.when(pl.col("reason").str.starts_with("−")).then(-np.inf).otherwise(np.inf)
    is_infinite = pl.col("state") == State.INFINITE.value
    of_class = pl.when(pl.col("average").is_null()).then(
        pl.col("class").fill_null(pl.lit(positive, pl.String))
    )
    rows = (
        scores.frame.lazy()
        .with_row_index("row")
        .filter(
            pl.col("fold").is_null(),
            pl.col("state") != State.UNDEFINED.value,
            pl.col("classifier").is_in(classifiers),
        )
        .select(
            "measure",
            pl.col("row").cast(pl.Int64),
            number=pl.when(is_infinite).then(infinite).otherwise(pl.col("value")),
            classifier=_placed(pl.col("classifier"), classifiers),
            class_=_placed(of_class, classes),
            average=_placed(pl.col("average"), AVERAGES),
        )
        .collect()
    )
    for of_measure in rows.partition_by("measure", maintain_order=True):
        columns = (column.to_numpy() for column in of_measure.iter_columns())
        next(columns)
        yield known_measure(of_measure["measure"][0]), Wanted(*columns)


def _placed(column: pl.Expr, names: Sequence[str]) -> pl.Expr:
    """Return the places of names; an empty cell has none."""
    if not names:
        return pl.lit(NONE, pl.Int64)
    return column.replace_strict(names, range(len(names)), return_dtype=pl.Int64).fill_null(NONE)


def _of_counts(
    measure: Measure, kind: CountKind, wanted: Wanted, counted: Counted
) -> Iterator[tuple[Wanted, Limits]]:
    alone = wanted.average == NONE
    of_classes = wanted.at(alone & (wanted.class_ != NONE))
    if of_classes.row.size:
        places = of_classes.classifier, of_classes.class_
        yield of_classes, counted.of_classes(measure, kind, *places)
    whole = wanted.at(alone & (wanted.class_ == NONE))
    if whole.row.size:
        yield whole, counted.of_whole(measure, whole.classifier.tolist())
    for number, average in enumerate(AVERAGES):
        averaged = wanted.at(wanted.average == number)
        if averaged.row.size:
            places_ = averaged.classifier.tolist()
            yield averaged, counted.of_average(measure, average, places_)


def _of_sums(
    measure: Measure,
    wanted: Wanted,
    over_all: pl.DataFrame,
    level: float,
    weights: Mapping[str, float],
) -> Limits:
    from reportgen.intervals.numeric_limits import numeric_limits
    from reportgen.tallies.regression import SUMS

    sums = {name: over_all[name].to_numpy()[wanted.classifier] for name in SUMS}
    weight = np.array([weights.get(name, 1.0) for name in over_all["classifier"]])
    return numeric_limits(measure, sums, level, weight[wanted.classifier])


def _attached(frame: pl.DataFrame, found: Found) -> pl.DataFrame:
    """Put what was found into the rows it belongs to; an infinite end becomes null."""
    # Lists, because polars loads NumPy's masked arrays to take in any array.
    told = pl.Series((found.method != "").tolist(), dtype=pl.Boolean)
    method = pl.Series(found.method.tolist(), dtype=pl.String)
    ends = {
        name: pl.Series(end.tolist(), dtype=pl.Float64)
        for name, end in (("low", found.low), ("high", found.high))
    }
    return frame.with_columns(
        *(
            pl.when(told)
            .then(pl.when(end.is_finite()).then(end))
            .otherwise(pl.col(name))
            .alias(name)
            for name, end in ends.items()
        ),
        interval=pl.when(told).then(method).otherwise(pl.col("interval")),
    )
