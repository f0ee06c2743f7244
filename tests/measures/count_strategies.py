"""What hypothesis draws for the laws: tables of counts, many at once."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from reportgen.evaluation.values import compute_count_values
from reportgen.measures.formula.evaluate import evaluate_exact
from tests.tables import COUNT_MEASURES, POSITIVE, Counts, binary_tallies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.measures.formula import Formula
    from reportgen.measures.formula.evaluate import ExactNumber

ANY_SIZE = st.one_of(st.integers(0, 3), st.integers(0, 60), st.integers(0, 10**6))
POSITIVE_COUNTS = st.one_of(st.integers(1, 5), st.integers(1, 10**6))


def tables(count: st.SearchStrategy[int] = ANY_SIZE) -> st.SearchStrategy[list[Counts]]:
    """Draw several tables: counting many at once costs little more than counting one."""
    return st.lists(st.tuples(count, count, count, count), min_size=3, max_size=20)


def values_of_tables(drawn: list[Counts]) -> Iterator[tuple[Measure, Counts, MeasureValue]]:
    """Yield every measure of every table."""
    names = {str(number): counts for number, counts in enumerate(drawn)}
    values = compute_count_values(binary_tallies(names), COUNT_MEASURES, POSITIVE).by_key()
    for name, counts in names.items():
        for measure in COUNT_MEASURES:
            yield measure, counts, values[name, None, None, measure.name]


def exact(formula: Formula, counts: Counts) -> ExactNumber:
    """Return the value of a formula by exact arithmetic."""
    names = ("tp", "fn", "fp", "tn")
    return evaluate_exact(
        formula, {name: Fraction(n) for name, n in zip(names, counts, strict=True)}
    )
