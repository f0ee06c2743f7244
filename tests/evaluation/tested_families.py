"""Decisive differences and blocks of them, as short to write as on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.stats import norm

from reportgen.evaluation import multiple_testing
from reportgen.evaluation.comparison import Comparison
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.spec import ComparisonSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.evaluation.comparison import HypothesisFamily

LEVEL = 0.95


def row(  # noqa: PLR0913  # every part of a row has a usual value
    measure: str = "accuracy",
    difference: float | None = 0.02,
    p: float | None = 0.001,
    *,
    pair: tuple[str, str] = ("A", "B"),
    error: float | None = None,
    statistic: float | None = 2.0,
    class_: str | None = None,
    family: HypothesisFamily = "headline",
) -> Comparison:
    """Return a decisive difference; with an error, its 95 % limits."""
    low, high = None, None
    if error is not None and difference is not None:
        reach = float(norm.ppf(0.975)) * error
        low, high = difference - reach, difference + reach
    return Comparison(
        first=pair[0],
        second=pair[1],
        measure=measure,
        test="paired permutation (exact)",
        data="paired",
        class_=class_,
        difference=difference,
        low=low,
        high=high,
        statistic=statistic,
        p=p,
        primary_test=True,
        family=family,
    )


def block(rows: Sequence[Comparison], cases: int | None = 400) -> multiple_testing.TestedBlock:
    """Return a block of tests whose correlation is unknown."""
    return multiple_testing.TestedBlock(tuple(rows), (cases,) * len(rows))


def adjust_rows(
    *rows: Comparison, settings: ComparisonSettings | None = None, cases: int | None = 400
) -> tuple[Comparison, ...]:
    """Settle the rows of one block."""
    return adjust_and_decide(
        [block(rows, cases=cases)], [], settings or ComparisonSettings(), LEVEL
    )
