"""The one aggregation that grows with the cases, in words that polars and narwhals share.

Functions take the namespace of expressions as `of`: the module polars, or narwhals, by which the
same words run on Spark. Frames are lazy ones of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import polars as pl

    from reportgen.spec import Engine

ANSWERS = ("fold", "truth", "prediction", "reached")


def count_alike(
    frame: pl.LazyFrame, keys: Sequence[str], of: ModuleType, **more: pl.Expr
) -> pl.LazyFrame:
    """Count the rows that are alike in some columns, and tell more of them together."""
    return frame.group_by(*keys).agg(count=of.len(), **more)


def with_reached(frame: pl.LazyFrame, threshold: float | None, of: ModuleType) -> pl.LazyFrame:
    """Tell of every row whether its score reaches the threshold, if there is one."""
    reached = of.lit(None, of.Boolean) if threshold is None else of.col("score") >= threshold
    return frame.with_columns(reached=reached)


def survey(frame: pl.LazyFrame, of: ModuleType) -> pl.LazyFrame:
    """Count the answers, and of the rows of each the gaps and the range of scores."""
    score, whole = of.col("score"), of.Int64
    return count_alike(
        frame,
        ANSWERS,
        of,
        ids_missing=of.col("id").is_null().cast(whole).sum(),
        scores_missing=score.is_null().cast(whole).sum(),
        scores_infinite=(~score.is_finite()).cast(whole).sum(),
        scores_outside=((score < 0) | (score > 1)).cast(whole).sum(),
        low=score.min(),
        high=score.max(),
    )


@frozen
class Bins:
    """Scores from the lowest to the highest in bins of equal width, those two by themselves.

    What a score of 0 or 1 says as a probability is not to be lost among its neighbours.
    """

    low: float
    high: float
    number: int

    def place(self, of: ModuleType) -> pl.Expr:
        """Return the place of a row's bin."""
        score, inner = of.col("score"), self.number - 2
        between = ((score - self.low) / ((self.high - self.low) / inner)).floor() + 1
        # Rounding may lift a score just below the highest out of the last bin.
        within = of.when(between > inner).then(of.lit(float(inner))).otherwise(between)
        above = of.when(score >= self.high).then(of.lit(float(inner + 1))).otherwise(within)
        return of.when(score <= self.low).then(of.lit(0.0)).otherwise(above)  # type: ignore[no-any-return]


def bins_for(engine: Engine, low: float, high: float, different: int) -> Bins | None:
    """Return the bins that scores are counted in, or None where each is counted by itself."""
    return None if different <= engine.most_scores else Bins(low, high, engine.bins)


def count_scores(frame: pl.LazyFrame, bins: Bins | None, of: ModuleType) -> pl.LazyFrame:
    """Count answers by score: each different one, or bins with the lowest and highest in them."""
    if bins is None:
        return count_alike(frame, (*ANSWERS, "score"), of)
    score = of.col("score")
    placed = frame.with_columns(bin=bins.place(of))
    return count_alike(placed, (*ANSWERS, "bin"), of, low=score.min(), high=score.max())


def numbered(
    frame: pl.LazyFrame, values: Sequence[Sequence[str | bool | None]], of: ModuleType
) -> pl.LazyFrame:
    """Give every row the number of its answers, made of their places among the values there are.

    `number_of` says which that is. One whole number a row is all that is sent between machines.
    """
    answer = of.lit(0, of.Int64)
    for name, own in zip(ANSWERS, values, strict=True):
        known = [value for value in own if value is not None]
        places = (
            of.when(of.col(name) == value).then(of.lit(place, of.Int64))
            for place, value in enumerate(known)
        )
        answer = answer * (len(known) + 1) + of.coalesce(*places, of.lit(len(known), of.Int64))
    return frame.select("id", answer=answer)


def number_of(
    row: Sequence[str | bool | None], values: Sequence[Sequence[str | bool | None]]
) -> int:
    """Return the number that `numbered` gives the answers of a row."""
    answer = 0
    for value, own in zip(row, values, strict=True):
        known = [each for each in own if each is not None]
        answer = answer * (len(known) + 1) + (len(known) if value is None else known.index(value))
    return answer


def by_case(frames: Sequence[pl.LazyFrame], of: ModuleType) -> pl.LazyFrame:
    """Bring the rows of all classifiers (id, answer) together: how many each has, and which.

    The columns `rows 0`, `answer 0` are those of the first, and so on.
    """
    parts = []
    for number, frame in enumerate(frames):
        own = {"rows": of.lit(1, of.Int64), "answer": of.col("answer")}
        none = {"rows": of.lit(0, of.Int64), "answer": of.lit(None, of.Int64)}
        columns = {
            f"{name} {other}": (own if other == number else none)[name]
            for other in range(len(frames))
            for name in own
        }
        parts.append(frame.select("id", **columns))
    every: pl.LazyFrame = of.concat(parts, how="vertical")
    numbers = range(len(frames))
    return every.group_by("id").agg(
        **{f"rows {number}": of.col(f"rows {number}").sum() for number in numbers},
        **{f"answer {number}": of.col(f"answer {number}").max() for number in numbers},
    )


def count_cases(cases: pl.LazyFrame, classifiers: int, of: ModuleType) -> pl.LazyFrame:
    """Count the cases whose answers are alike for all classifiers."""
    keys = [f"{name} {number}" for name in ("rows", "answer") for number in range(classifiers)]
    return count_alike(cases, keys, of)


def held_by_all(cases: pl.LazyFrame, classifiers: int, of: ModuleType) -> pl.LazyFrame:
    """Return the ids of the cases that all classifiers have."""
    everywhere = [of.col(f"rows {number}") == 1 for number in range(classifiers)]
    return cases.filter(*everywhere).select("id")
