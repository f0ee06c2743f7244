"""Cases counted in bins of a plot, with their means, and medians along it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.aggregates.regression import SCATTER_BINS, ScatterSummary, summarize_scatter

Pairs = list[tuple[float, float]]
numbers = st.integers(-1000, 1000).map(lambda tenths: tenths / 10)


def count_pairs(**classifiers: Pairs) -> ScatterSummary:
    """Count pairs of true and predicted values, by classifier."""
    rows = [
        (name, float(truth), float(prediction))
        for name, pairs in classifiers.items()
        for truth, prediction in pairs
    ]
    return summarize_scatter(
        pl.LazyFrame(rows, ["classifier", "truth", "prediction"], orient="row")
    )


def many(number: int) -> Pairs:
    """Return as many pairs, drawn with a fixed seed."""
    draws = np.random.default_rng(7).normal(size=(number, 2))
    return [(float(one), float(one + 0.3 * other)) for one, other in draws]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40))
def test_no_case_is_lost_and_the_means_are_those_of_all(pairs: Pairs) -> None:
    """Counts add up to the cases, and means weighted by them to the mean, in both plots."""
    scatter = count_pairs(A=pairs)
    truth, prediction = (np.array(values) for values in zip(*pairs, strict=True))
    expected = {"truth": (truth, prediction), "residual": (prediction, truth - prediction)}

    for plot, (x, y) in expected.items():
        cells = scatter.cells.filter(pl.col("plot") == plot)
        weights = cells["cases"].to_numpy()
        assert weights.sum() == len(pairs)
        assert (cells["x"].to_numpy() * weights).sum() == pytest.approx(x.sum(), abs=1e-9)
        assert (cells["y"].to_numpy() * weights).sum() == pytest.approx(y.sum(), abs=1e-9)


def test_few_cases_are_drawn_where_they_lie() -> None:
    """Cases that do not share a bin keep their own place: a small plot is its scatter plot."""
    scatter = count_pairs(A=[(0, 10), (50, 40), (100, 100)])

    rows = scatter.binned_points("A", "truth", 600).select("x", "y", "cases").rows()

    assert rows == [(0, 10, 1), (50, 40, 1), (100, 100, 1)]


def test_all_classifiers_share_the_bins() -> None:
    """The largest value of anyone ends the last bin, so that equal places are equal values."""
    scatter = count_pairs(A=[(0, 0), (10, 20)], B=[(0, 0), (10, 480)])
    cells = scatter.cells.filter(pl.col("plot") == "truth").sort("classifier", "row")

    # A bin is 480/48 = 10 wide: 20 lies in the bin of 20 to 30, 480 in the last.
    assert cells["row"].to_list() == [0, 2, 0, SCATTER_BINS - 1]
    assert cells["column"].to_list() == [0, 1, 0, 1]


def test_dots_are_at_most_so_many_and_none_is_lost() -> None:
    """Coarser bins hold the same cases with the same mean."""
    scatter = count_pairs(A=many(5000))
    fine, coarse = (
        scatter.binned_points("A", "truth", 10_000),
        scatter.binned_points("A", "truth", 100),
    )

    assert coarse.height <= 100 < fine.height
    assert coarse["cases"].sum() == fine["cases"].sum() == 5000
    for axis in ("x", "y"):
        means = [(result[axis] * result["cases"]).sum() / 5000 for result in (fine, coarse)]
        assert means[0] == pytest.approx(means[1], rel=1e-12)


def test_distances_are_numpys_quantiles_of_absolute_errors() -> None:
    """Half and nine in ten, by linear interpolation."""
    pairs = many(501)
    truth, prediction = (np.array(values) for values in zip(*pairs, strict=True))
    (row,) = count_pairs(A=pairs).residual_quantiles.rows(named=True)

    assert row["median_absolute_error"] == pytest.approx(np.quantile(abs(truth - prediction), 0.5))
    assert row["absolute_error_90"] == pytest.approx(np.quantile(abs(truth - prediction), 0.9))
    assert row["residual"] == pytest.approx(np.median(truth - prediction))


def test_groups_are_tenths_in_order_with_their_medians() -> None:
    """100 cases: ten groups of ten; those predicted 90 to 99 are all 5 too low."""
    pairs: Pairs = [(value + (5 if value >= 90 else -1), value) for value in range(100)]
    groups = count_pairs(A=pairs).residual_groups.sort("group")
    last = groups.row(-1, named=True)

    assert groups["cases"].to_list() == [10] * 10
    assert groups["residual"].to_list() == [-1.0] * 9 + [5.0]
    assert (last["minimum"], last["median"], last["maximum"]) == (90, 94.5, 99)
    assert (last["underpredicted"], last["overpredicted"]) == (10, 0)


def test_equal_values_are_never_parted_and_few_cases_have_few_groups() -> None:
    """A model that always predicts the same has one group; 20 cases make two groups of ten."""
    constant = count_pairs(A=[(value, 3) for value in range(100)]).residual_groups
    residual_groups = count_pairs(A=[(value, value) for value in range(20)]).residual_groups

    assert constant["cases"].to_list() == [100]
    assert residual_groups["cases"].to_list() == [10, 10]


def test_numbers_beyond_all_sums_are_not_plotted() -> None:
    """The sum of two such numbers is infinite, which has no place on a drawing."""
    scatter = count_pairs(A=[(1e308, -1e308), (1.0, 2.0)])

    assert scatter.cells.is_empty()
    assert scatter.residual_quantiles.is_empty()


def test_the_order_of_cases_and_threads_leaves_counts_alone() -> None:
    """The same cases in another order are the same plot, but for rounding."""
    pairs = many(2000)
    one, other = count_pairs(A=pairs).cells, count_pairs(A=pairs[::-1]).cells

    assert one.drop("x", "y").equals(other.drop("x", "y"))
    assert np.allclose(one["x"], other["x"], rtol=1e-12)


def test_frames_of_another_shape_are_rejected() -> None:
    """A wrong schema raises where the object is made."""
    scatter = count_pairs(A=[(1, 2)])

    with pytest.raises(TypeError, match="a scatter summary needs"):
        ScatterSummary(scatter.cells.drop("x"), scatter.residual_groups, scatter.residual_quantiles)
