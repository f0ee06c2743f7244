"""Counting cases and reading the counts class by class."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema, count_confusion
from tests.tables import matrix_tallies

CLASSES = ("a", "b", "c")
MATRIX = ((5, 1, 2), (0, 7, 3), (4, 0, 6))


def count_cases(rows: list[tuple[str, str | None, str, str]]) -> ConfusionCounts:
    """Count cases (classifier, fold, truth, prediction) of the classes a, b and c."""
    schema = dict.fromkeys(("classifier", "fold", "truth", "prediction"), pl.String)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    parts = frame.partition_by("classifier", maintain_order=True, as_dict=True)
    cases = {str(name): part for (name,), part in parts.items()}
    return ConfusionCounts(count_confusion(cases, CLASSES), CLASSES)


def test_cases_are_counted_per_fold_and_in_all() -> None:
    """Fold null is the sum of the folds."""
    result = count_cases(
        [
            ("A", "1", "a", "a"),
            ("A", "1", "a", "b"),
            ("A", "2", "a", "a"),
            ("A", "2", "c", "c"),
        ]
    )

    assert result.matrix("A") == ((2, 1, 0), (0, 0, 0), (0, 0, 1))
    assert result.matrix("A", "1") == ((1, 1, 0), (0, 0, 0), (0, 0, 0))
    assert result.matrix("A", "2") == ((1, 0, 0), (0, 0, 0), (0, 0, 1))
    assert sorted(result.folds("A")) == ["1", "2"]


def test_cases_without_folds_are_counted_once() -> None:
    """No fold is not a fold."""
    result = count_cases([("A", None, "a", "a"), ("A", None, "b", "a"), ("B", None, "b", "b")])

    assert result.folds("A") == ()
    assert result.matrix("A") == ((1, 0, 0), (1, 0, 0), (0, 0, 0))
    assert result.matrix("B") == ((0, 0, 0), (0, 1, 0), (0, 0, 0))


def test_a_frame_of_another_shape_is_rejected() -> None:
    """A wrong schema raises where the object is made."""
    with pytest.raises(TypeError, match="confusion counts need"):
        ConfusionCounts(pl.DataFrame({"classifier": ["A"]}), CLASSES)


def test_each_class_is_counted_against_the_rest() -> None:
    """TP is the diagonal, FN the rest of the row, FP of the column, TN all else."""
    frame = matrix_tallies({"A": MATRIX}, CLASSES).counts_per_class().collect().sort("class")

    # a: row 5+1+2, column 5+0+4, of 28.
    assert frame.select("class", "tp", "fn", "fp", "tn").rows() == [
        ("a", 5, 3, 4, 16),
        ("b", 7, 3, 1, 17),
        ("c", 6, 4, 5, 13),
    ]


def test_the_counts_of_one_class_are_those_of_the_frame() -> None:
    """The same numbers, by the name of the classifier and of the class; folds count together."""
    confusion = matrix_tallies({"A": MATRIX, "B": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}, CLASSES)
    by_fold = count_cases([("A", "1", "a", "a"), ("A", "2", "a", "b"), ("A", "2", "b", "a")])

    assert [confusion.counts("A", class_) for class_ in CLASSES] == [
        (5, 3, 4, 16),
        (7, 3, 1, 17),
        (6, 4, 5, 13),
    ]
    assert confusion.counts("B", "b") == (1, 0, 0, 2)
    assert by_fold.counts("A", "a") == (1, 1, 1, 0)


def test_a_class_without_any_case_is_counted_with_zeros() -> None:
    """It has no row in the frame, but it is one of the classes."""
    rows = [("A", None, "a", "a", 3), ("A", None, "b", "a", 2)]
    schema = confusion_schema(CLASSES)
    confusion = ConfusionCounts(pl.DataFrame(rows, schema=schema, orient="row"), CLASSES)

    frame = confusion.counts_per_class().collect().sort("class")

    assert frame.select("class", "tp", "fn", "fp", "tn").rows()[2] == ("c", 0, 0, 0, 5)


def test_the_whole_matrix_gives_diagonal_size_and_margins() -> None:
    """Rows sum to 8, 10, 10 and columns to 9, 8, 11."""
    (row,) = matrix_tallies({"A": MATRIX}, CLASSES).matrix_sums().collect().rows(named=True)

    assert row["correct"] == 5 + 7 + 6
    assert row["total"] == 28
    assert row["margin_products"] == 8 * 9 + 10 * 8 + 10 * 11
    assert row["true_squares"] == 8**2 + 10**2 + 10**2
    assert row["predicted_squares"] == 9**2 + 8**2 + 11**2


labels = st.sampled_from(CLASSES)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=30))
def test_counts_of_each_class_sum_to_all_cases(pairs: list[tuple[str, str]]) -> None:
    """Every case is one of tp, fn, fp or tn, and right once if it is right at all."""
    confusion = count_cases([("A", None, truth, prediction) for truth, prediction in pairs])
    frame = confusion.counts_per_class().collect()

    right = sum(truth == prediction for truth, prediction in pairs)
    assert frame["tp"].sum() == right
    assert frame["fn"].sum() == frame["fp"].sum() == len(pairs) - right
    assert set(frame.select(pl.sum_horizontal("tp", "fn", "fp", "tn")).to_series()) == {len(pairs)}
