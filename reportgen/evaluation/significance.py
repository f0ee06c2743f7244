"""Whether the tests confirm what the observed values say: the index of comparisons by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reportgen.evaluation.comparison import AdjustedTest, Comparison, Decision
    from reportgen.evaluation.primary_measure import PrimaryMeasure


@dataclass(frozen=True, slots=True)
class Contrast:
    """The observed decision about the first of two classifiers, and its test if there is one.

    The two may differ: an infinite ratio that rests on a single case is not significant.
    """

    observed_decision: Decision
    test: AdjustedTest | None


@dataclass(frozen=True, slots=True)
class ComparisonIndex:
    """The primary comparisons by pair, class and measure, in either order of the pair."""

    by_key: Mapping[tuple[frozenset[str], str | None, str], Comparison]

    @classmethod
    def over_all_classes(
        cls, comparisons: Iterable[Comparison], average_of: Callable[[str], str | None]
    ) -> ComparisonIndex:
        """Return the index of the primary comparisons over all classes.

        Args:
            comparisons: all comparisons.
            average_of: the average of a measure that stands for all classes.
        """
        return cls(
            {
                (frozenset({row.first, row.second}), None, row.measure): row
                for row in comparisons
                if row.primary_test
                and row.class_ is None
                and row.average == average_of(row.measure)
            }
        )

    @classmethod
    def from_comparisons(
        cls, comparisons: Iterable[Comparison], primary: PrimaryMeasure | None = None
    ) -> ComparisonIndex:
        """Return the index of the primary comparisons.

        Of averages over the classes only that of the primary measure is indexed, as its value over
        all classes.
        """
        averaged = (primary.measure.name, primary.average) if primary else None
        return cls(
            {
                (frozenset({row.first, row.second}), row.class_, row.measure): row
                for row in comparisons
                if row.primary_test
                and (row.average is None or (row.measure, row.average) == averaged)
            }
        )

    def find(self, first: str, second: str, class_: str | None, measure: str) -> Comparison | None:
        """Return the comparison first minus second, if it was tested."""
        comparison = self.by_key.get((frozenset({first, second}), class_, measure))
        return (
            comparison.reversed
            if comparison is not None and comparison.first != first
            else comparison
        )

    def find_test(
        self, first: str, second: str, class_: str | None, measure: str
    ) -> AdjustedTest | None:
        """Return the outcome of the comparison for the first, without its other numbers."""
        comparison = self.by_key.get((frozenset({first, second}), class_, measure))
        return None if comparison is None else comparison.adjusted_test(first)


def is_significant(contrasts: Sequence[Contrast]) -> bool | None:
    """Return whether every contrast is significant."""
    if any(
        contrast.test is not None and contrast.test.verdict is not contrast.observed_decision
        for contrast in contrasts
    ):
        return False
    return True if contrasts and all(contrast.test is not None for contrast in contrasts) else None
