"""Places among classifiers."""

from __future__ import annotations

import pytest

from reportgen.evaluation.comparison import format_rank
from reportgen.measures import Orientation
from reportgen.measures.ordering import competition_ranks


@pytest.mark.parametrize(
    ("place", "of", "words"),
    [
        (1, 2, "first of two"),
        (2, 4, "second of four"),
        (10, 10, "tenth of ten"),
        (11, 12, "11th of 12"),
        (13, 30, "13th of 30"),
        (21, 30, "21st of 30"),
        (22, 30, "22nd of 30"),
        (23, 30, "23rd of 30"),
        (111, 120, "111th of 120"),
    ],
)
def test_places_are_stated_as_one_says_them(place: int, of: int, words: str) -> None:
    """In words up to ten, in figures beyond."""
    assert format_rank(place, of) == words


def test_places_share_a_rank_and_leave_the_next_ones_out() -> None:
    """As in sports: 1, 1, 3."""
    result = competition_ranks({"A": 0.3, "B": 0.1 + 0.2, "C": 0.1}, Orientation.HIGHER)

    assert result == {"A": 1, "B": 1, "C": 3}


def test_the_lowest_is_first_where_lower_is_better() -> None:
    """Errors and ρ−."""
    assert competition_ranks({"A": 2.0, "B": 1.0}, Orientation.LOWER) == {"A": 2, "B": 1}
