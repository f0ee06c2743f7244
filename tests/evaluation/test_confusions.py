"""The most frequent confusions of a classifier."""

from __future__ import annotations

import time

import numpy as np

from reportgen.evaluation.confusions import most_frequent_confusions


def test_the_worst_of_a_thousand_classes_are_found_at_once() -> None:
    """A million cells take no loop in Python: well under a second."""
    counts = np.zeros((1000, 1000), dtype=np.int64)
    np.fill_diagonal(counts, 100)
    counts[17, 400], counts[999, 3], counts[3, 999] = 8, 9, 8
    truth, prediction = (places.ravel() for places in np.indices(counts.shape))

    start = time.perf_counter()
    result = most_frequent_confusions(truth, prediction, counts.ravel(), limit=3)

    # Class 3 has as many cases as class 17 and comes first.
    assert result == [(999, 3), (3, 999), (17, 400)]
    assert time.perf_counter() - start < 1
