"""All scores of an evaluation in one long frame."""

from __future__ import annotations

import polars as pl

from reportgen.frozen import frozen
from reportgen.scores.score import Score, State

SCORE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "class": pl.String,
        "average": pl.String,
        "fold": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "state": pl.String,
        "reason": pl.String,
        "low": pl.Float64,
        "high": pl.Float64,
        "interval": pl.String,
    }
)

KEYS = ("classifier", "class", "average", "measure")


@frozen
class Scores:
    """Values by classifier, class, average, fold and measure.

    Class null and average null is the value for the positive class (binary), over the whole
    matrix (multiclass) or over all cases (regression); fold null is over all folds together.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != SCORE_SCHEMA:
            message = f"scores need {SCORE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def over_all_folds(self) -> pl.DataFrame:
        """Return the scores that belong to no single fold."""
        return self.frame.filter(pl.col("fold").is_null())

    def of_folds(self) -> pl.DataFrame:
        """Return the scores of single folds that have neither class nor average."""
        return self.frame.filter(
            pl.col("fold").is_not_null(), pl.col("class").is_null(), pl.col("average").is_null()
        )

    def by_key(self) -> dict[tuple[str, str | None, str | None, str], Score]:
        """Return the scores over all folds by (classifier, class, average, measure)."""
        columns = self.over_all_folds().to_dict(as_series=False)
        keys = zip(*(columns[name] for name in KEYS), strict=True)
        states = map(State, columns["state"])
        rest = (columns[name] for name in ("reason", "low", "high", "interval"))
        return dict(zip(keys, map(Score, columns["value"], states, *rest), strict=True))

    @classmethod
    def concat(cls, parts: list[Scores]) -> Scores:
        """Put scores together."""
        frames = [part.frame for part in parts] or [pl.DataFrame(schema=SCORE_SCHEMA)]
        return cls(pl.concat(frames))
