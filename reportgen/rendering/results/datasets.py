"""The rows of results.json about comparisons over several data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reportgen.rendering.results.rows import ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.datasets.ranking import DatasetComparison


class DatasetScoreResult(ResultModel):
    """The value of a measure for a classifier on one data set."""

    dataset: str
    """The data set."""
    classifier: str
    """Whose it is."""
    measure: str
    """The name in the catalogue."""
    average: Literal["macro", "micro", "weighted"] | None
    """How classes were averaged; null: they were not."""
    value: float | None
    """The value; null when infinite or undefined."""
    state: Literal["defined", "infinite", "undefined"]
    """Whether there is a value."""
    reason: str | None
    """Why there is none, the sign of an infinity, or over how many classes an average is."""
    rank: float | None
    """Its rank on this data set, 1 is best; null: the data set was left out for this measure."""


class DatasetRankResult(ResultModel):
    """The average rank of a classifier over the data sets."""

    measure: str
    """The name in the catalogue."""
    classifier: str
    """Whose it is."""
    average_rank: float
    """The mean of its ranks; 1 is best."""
    datasets: int
    """Over how many data sets it is."""
    critical_difference: float
    """From this difference of average ranks on two classifiers differ (Nemenyi)."""
    decisive: bool
    """Whether claims rest on this measure."""


class DatasetTestResult(ResultModel):
    """A test over the data sets, of all classifiers or of two."""

    measure: str
    """The name in the catalogue."""
    test: Literal["friedman", "iman-davenport", "wilcoxon", "nemenyi", "ranks-against-baseline"]
    """The test."""
    first: str | None = None
    """The one of two; null: the test is of all classifiers."""
    second: str | None = None
    """The other."""
    datasets: int
    """On how many data sets it was made."""
    statistic: float | None = None
    """The test's statistic, of ranks the difference of average ranks; null when infinite."""
    df: int | None = None
    """Its degrees of freedom."""
    df_2: int | None = None
    """Those of the denominator, if it is an F."""
    p: float | None = None
    """The p-value; null where the test gives only an adjusted one."""
    p_adjusted: float | None = None
    """The p-value adjusted for all pairs of this measure."""
    difference: float | None = None
    """The pseudomedian of first minus second."""
    low: float | None = None
    """The lower end of its interval."""
    high: float | None = None
    """The upper end of its interval."""
    wins: int | None = None
    """On how many data sets the first is better."""
    ties: int | None = None
    """On how many both are equal."""
    losses: int | None = None
    """On how many the second is better."""
    verdict: Literal["superior", "inferior", "tied", "undecided", "equivalent"] | None = None
    """What Wilcoxon's test says about the first; null in the rows of other tests."""
    decisive: bool
    """Whether claims rest on this measure."""


def dataset_scores(compared: DatasetComparison) -> Iterator[DatasetScoreResult]:
    """Yield the values on every data set."""
    for each in compared.scores:
        yield DatasetScoreResult(
            dataset=each.dataset,
            classifier=each.classifier,
            measure=each.measure,
            average=each.average,
            value=each.score.value,
            state=each.score.state.value,
            reason=each.score.reason,
            rank=each.rank,
        )


def dataset_ranks(compared: DatasetComparison) -> Iterator[DatasetRankResult]:
    """Yield the average ranks."""
    for name, average_rank in compared.average_ranks.items():
        yield DatasetRankResult(
            measure=compared.measure.name,
            classifier=name,
            average_rank=average_rank,
            datasets=len(compared.datasets),
            critical_difference=compared.critical_difference,
            decisive=compared.decisive,
        )


def dataset_tests(compared: DatasetComparison) -> Iterator[DatasetTestResult]:
    """Yield the tests of all classifiers, then those of two."""
    empty = DatasetTestResult(
        measure=compared.measure.name,
        test="friedman",
        datasets=len(compared.datasets),
        decisive=compared.decisive,
    )
    overall = compared.friedman
    if overall is not None:
        yield empty.model_copy(
            update={"statistic": overall.chi_square, "df": overall.df, "p": overall.p}
        )
        df, df_2 = overall.f_df
        yield empty.model_copy(
            update={
                "test": "iman-davenport",
                "statistic": overall.f,
                "df": df,
                "df_2": df_2,
                "p": overall.f_p,
            }
        )
    by_rank = "nemenyi" if compared.baseline is None else "ranks-against-baseline"
    for pair in compared.pairs:
        both = {"first": pair.first, "second": pair.second}
        keys = ("statistic", "p", "p_adjusted", "difference", "low", "high")
        counts = {key: getattr(pair, key) for key in (*keys, "wins", "ties", "losses")}
        tested = {**both, **counts, "test": "wilcoxon", "verdict": pair.verdict.value}
        yield empty.model_copy(update=tested)
        ranked = {"statistic": pair.rank_difference, "p_adjusted": pair.rank_p}
        yield empty.model_copy(update={**both, **ranked, "test": by_rank})
