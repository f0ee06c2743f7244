"""Pairs of classifiers on the same cases, as short to write as on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from hypothesis import strategies as st

from reportgen.evaluation.multiple_testing import Hypothesis
from reportgen.measures import Measure, find_measure
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

YES, NO = "yes", "no"
PAIR = ("A", "B")
ANSWERS = ("truth", "first_prediction", "second_prediction")


def measure(name: str) -> Measure:
    """Return a measure by its name."""
    result = find_measure(name)
    assert result is not None
    return result


def hypotheses(names: Sequence[str], label: str | None = YES) -> tuple[Hypothesis, ...]:
    """Return hypotheses about one class."""
    return tuple(Hypothesis(measure(name), label) for name in names)


def table(
    positives: tuple[int, int, int, int], negatives: tuple[int, int, int, int]
) -> PairedContingencyTable:
    """Return how often both, A alone, B alone and neither said yes, on positives and negatives."""
    return PairedContingencyTable(AgreementTable(*positives), AgreementTable(*negatives))


def exchange_classifiers(one: PairedContingencyTable) -> PairedContingencyTable:
    """Return the table with A and B exchanged."""
    return PairedContingencyTable(
        *(
            AgreementTable(item.both, item.second_only, item.first_only, item.neither)
            for item in (one.positives, one.negatives)
        )
    )


def answers(counts: Mapping[tuple[str, str, str], int]) -> pl.DataFrame:
    """Return counts of truth, answer of A and answer of B as a pair tally keeps them."""
    rows = [(*kind, count) for kind, count in counts.items() if count]
    return pl.DataFrame(rows, schema=[*ANSWERS, "count"], orient="row")


def answers_of(one: PairedContingencyTable) -> pl.DataFrame:
    """Return the answers that a table of two classes counts."""
    counts: dict[tuple[str, str, str], int] = {}
    for truth, item in ((YES, one.positives), (NO, one.negatives)):
        counts |= {
            (truth, YES, YES): item.both,
            (truth, YES, NO): item.first_only,
            (truth, NO, YES): item.second_only,
            (truth, NO, NO): item.neither,
        }
    return answers(counts)


def _counts(most: int) -> st.SearchStrategy[tuple[int, int, int, int]]:
    count = st.integers(0, most)
    return st.tuples(count, count, count, count).filter(lambda four: sum(four) > 0)


tables = st.builds(table, _counts(60), _counts(60))
