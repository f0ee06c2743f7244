"""Rows of several classifiers side by side by id."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.predictions.join import fast_join

ids = st.lists(st.integers(0, 12), unique=True, max_size=10)


def frame_of(numbers: list[int], name: str) -> pl.DataFrame:
    """Return rows that tell whose they are."""
    texts = [f"case number {number}" for number in numbers]
    rows = {"id": texts, "said": [f"{name} of {text}" for text in texts]}
    return pl.DataFrame(rows, schema={"id": pl.String, "said": pl.String})


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(ids, min_size=2, max_size=4))
def test_shared_cases_have_the_order_of_the_first(numbers: list[list[int]]) -> None:
    """As by looking every id up in lists, one after the other."""
    frames = [frame_of(item, f"row of {place}") for place, item in enumerate(numbers)]
    shared = [number for number in numbers[0] if all(number in item for item in numbers)]
    every = {number for item in numbers for number in item}

    aligned_frames = fast_join(frames)

    assert aligned_frames is not None
    for place, (own, frame) in enumerate(zip(numbers, aligned_frames.frames, strict=True)):
        assert frame.equals(frame_of(shared, f"row of {place}"))
        assert set(aligned_frames.missing[place]) == {
            f"case number {item}" for item in every - {*own}
        }
        assert set(aligned_frames.extra[place]) == {
            f"case number {item}" for item in {*own} - {*shared}
        }


def test_an_id_that_comes_twice_is_not_aligned() -> None:
    """Which of its rows is meant is not known."""
    assert fast_join([frame_of([1, 2], "a"), frame_of([1, 2, 1], "b")]) is None
