"""DeLong's covariances, against pairs counted one by one and against printed examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reportgen.aggregates.delong import DeLongCovariances, delong_covariances
from reportgen.aggregates.ranking import compute_ranking_statistics
from tests.scored_cases import binary_cases, drawn_probabilities, placements, several_classes


@pytest.mark.parametrize("decimals", [1, 6])
def test_covariances_are_those_of_placements_counted_pair_by_pair(decimals: int) -> None:
    """cov(V10)/n1 + cov(V01)/n0 with divisors n − 1 (DeLong 1988), with and without ties."""
    random = np.random.default_rng(decimals)
    truth = (random.random(50) < 0.4).astype(int)
    first, second = (
        (truth + random.standard_normal(50)).round(decimals),
        (truth + random.standard_normal(50)).round(decimals),
    )
    tally = delong_covariances(
        binary_cases(truth.tolist(), {"A": first.tolist(), "B": second.tolist()}, ranking_only=True)
    )
    ten, one = zip(
        *(placements(s[truth == 1].tolist(), s[truth == 0].tolist()) for s in (first, second)),
        strict=True,
    )
    expected = np.cov(ten) / truth.sum() + np.cov(one) / (1 - truth).sum()

    for class_ in ("yes", None):
        result = tally.covariances(["A", "B"], class_)
        assert result is not None
        assert result.tolist() == [pytest.approx(row, rel=1e-12) for row in expected.tolist()]


def test_the_standard_error_is_the_one_stata_prints_for_hanley_s_data() -> None:
    """109 CT images rated 1 to 5 (Hanley and McNeil 1982); roctab: 0.8932, 0.0307."""
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    ratings = [1, 2, 3, 4, 5]
    scores = np.repeat([*ratings, *ratings], [*normal, *abnormal]).astype(float)
    truth = [0] * sum(normal) + [1] * sum(abnormal)
    cases = binary_cases(truth, {"CT": scores.tolist()}, ranking_only=True)
    counts = compute_ranking_statistics(cases).frame.row(0, named=True)
    variance = delong_covariances(cases).covariances(["CT"], None)

    assert variance is not None
    area = (counts["concordant"] + counts["tied"] / 2) / counts["pairs"]
    assert round(area, 4) == 0.8932
    error = math.sqrt(variance[0, 0])
    assert round(error, 4) == 0.0307
    # The limits there are plain: area ∓ 1.96 standard errors.
    assert round(area - 1.959964 * error, 5) == 0.83295
    assert round(area + 1.959964 * error, 5) == 0.95339


def test_a_perfect_ranking_does_not_vary() -> None:
    """Every positive case is above every other, so all placements are 1."""
    tally = delong_covariances(binary_cases([1, 1, 0, 0], {"A": [4.0, 3.0, 2.0, 1.0]}))

    assert tally.frame["covariance"].to_list() == [0.0, 0.0]


def test_a_side_with_one_case_has_no_variance() -> None:
    """A variance needs two cases on both sides."""
    tally = delong_covariances(binary_cases([1, 0, 0], {"A": [3.0, 2.0, 1.0]}))

    assert tally.frame.is_empty()
    assert tally.covariances(["A"], None) is None


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_variances_of_averages_are_those_of_leaving_out_one_case(average: str | None) -> None:
    """The jackknife knows nothing of placements; of 400 cases it agrees within 2 %."""
    truth, rows = drawn_probabilities(9, cases=400, classes=3)

    def area(in_sample: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        tally = compute_ranking_statistics(
            several_classes(truth[in_sample].tolist(), {"A": rows[in_sample]})
        )
        if average is None:
            return float(tally.multiclass["hand_till"][0])
        areas = (tally.frame["concordant"] + tally.frame["tied"] / 2) / tally.frame["pairs"]
        # The weights stay, as in the variance, which takes the classes' sizes as given.
        weights = np.bincount(truth) if average == "weighted" else None
        return float(np.average(areas.to_numpy(), weights=weights))

    left_out = [area(np.arange(400) != case) for case in range(400)]
    jackknife = 399 / 400 * float(((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    de_long_covariances = delong_covariances(several_classes(truth.tolist(), {"A": rows}))
    variance = de_long_covariances.covariances(["A"], None, average)

    assert variance is not None
    assert variance[0, 0] == pytest.approx(jackknife, rel=0.02)


def test_covariances_reject_another_frame() -> None:
    """Columns are part of the contract."""
    tally = delong_covariances(binary_cases([1, 1, 0, 0], {"A": [4.0, 2.0, 3.0, 1.0]}))

    with pytest.raises(TypeError, match="DeLong covariances need"):
        DeLongCovariances(tally.frame.drop("class"))
