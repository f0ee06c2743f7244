"""Limits of the table tp 80, fn 20, fp 30, tn 170, computed once outside this program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from reportgen.evaluation.confidence.counts import intervals_per_class
from reportgen.measures.formula import sqrt
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.measure import DeltaMethod, LinkFunction
from reportgen.spec.inference import IntervalSettings
from tests.evaluation.confidence.interval_tables import interval, measures_named

TABLE = (80, 20, 30, 170)
CHECKED = [
    ("accuracy", 0.833333, 0.787003, 0.871235, "wilson"),
    ("sensitivity", 0.800000, 0.711171, 0.866633, "wilson"),
    ("specificity", 0.850000, 0.793944, 0.892864, "wilson"),
    ("precision", 0.727273, 0.637434, 0.801773, "wilson"),
    ("npv", 0.894737, 0.843009, 0.930819, "wilson"),
    ("youden", 0.650000, 0.544963, 0.729229, "mover"),
    ("balanced_accuracy", 0.825000, 0.772481, 0.864615, "mover"),
    ("markedness", 0.622010, 0.518343, 0.704788, "mover"),
    ("lr_positive", 5.333333, 3.801333, 7.537512, "mover, log"),
    ("lr_negative", 0.235294, 0.156436, 0.341939, "mover, log"),
    ("diagnostic_odds_ratio", 22.666667, 12.131509, 42.350690, "delta, log"),
    ("discriminant_power", 1.720640, 1.376010, 2.065270, "delta"),
    ("lift", 2.181818, 1.909652, 2.492773, "delta, log"),
    ("jaccard", 0.615385, 0.529585, 0.694561, "wilson"),
    ("f1", 0.761905, 0.692456, 0.819753, "wilson, transformed from jaccard"),
    ("f0.5", 0.740741, 0.660989, 0.807204, "delta, logit"),
    ("f2", 0.784314, 0.709317, 0.844211, "delta, logit"),
    ("g_mean", 0.824621, 0.770395, 0.864269, "mover, log"),
    ("mcc", 0.635851, 0.535616, 0.718418, "delta, Fisher z"),
    ("kappa", 0.634146, 0.533457, 0.717114, "delta, Fisher z"),
]


@pytest.mark.parametrize(("measure", "value", "low", "high", "method"), CHECKED)
def test_limits_are_those_of_the_check_table(
    measure: str, value: float, low: float, high: float, method: str
) -> None:
    """To six decimals, with the name of the method."""
    result = interval(measure, TABLE)

    assert (result.value, result.low, result.high) == pytest.approx((value, low, high), abs=5e-7)
    assert result.method == method


def test_f1_by_the_delta_method_has_its_check_value() -> None:
    """The same F1 on the logit scale: 0.692070 to 0.820021."""
    (f1,) = measures_named("f1")
    kind = DeltaMethod(LinkFunction.LOGIT)
    counts = dict(zip(("tp", "fn", "fp", "tn"), (np.array([n]) * 1.0 for n in TABLE), strict=True))

    confidence_intervals = intervals_per_class(
        replace(f1, interval=kind), kind, counts, IntervalSettings(), np.ones(1)
    )

    assert (confidence_intervals.low[0], confidence_intervals.high[0]) == pytest.approx(
        (0.692070, 0.820021), abs=5e-7
    )


def test_a_measure_made_on_the_spot_has_the_limits_of_fowlkes_and_mallows() -> None:
    """√(precision · sensitivity) on the log scale: 0.762770, 0.701614 to 0.829257."""
    precision, sensitivity = measures_named("precision", "sensitivity")
    kind = DeltaMethod(LinkFunction.LOG)
    index = replace(precision, formula=sqrt(precision * sensitivity), interval=kind)
    counts = dict(zip(("tp", "fn", "fp", "tn"), (np.array([n]) * 1.0 for n in TABLE), strict=True))

    confidence_intervals = intervals_per_class(index, kind, counts, IntervalSettings(), np.ones(1))

    assert evaluate_formula(index.formula, counts)[0] == pytest.approx(0.762770, abs=5e-7)
    assert (confidence_intervals.low[0], confidence_intervals.high[0]) == pytest.approx(
        (0.701614, 0.829257), abs=5e-7
    )


@pytest.mark.parametrize(
    ("measure", "cases", "among"),
    [("sensitivity", 80, 100), ("type_1_rate", 30, 200), ("accuracy", 250, 300)],
)
@pytest.mark.parametrize(
    ("method", "outside"), [("recommended", "wilson"), ("clopper-pearson", "beta")]
)
def test_shares_have_the_limits_that_statsmodels_gives(
    measure: str, cases: int, among: int, method: str, outside: str
) -> None:
    """Wilson's and Clopper and Pearson's, at a level of 90 %."""
    settings = IntervalSettings.model_validate({"method": method, "level": 0.9})

    result = interval(measure, TABLE, settings)

    expected = proportion_confint(cases, among, alpha=0.1, method=outside)
    assert (result.low, result.high) == pytest.approx(expected, abs=1e-9)
    assert result.method == ("wilson" if outside == "wilson" else "clopper-pearson")


def test_what_is_no_share_keeps_its_method_when_exact_limits_are_asked_for() -> None:
    """Clopper and Pearson's limits are of shares; the name tells."""
    result = interval("mcc", TABLE, IntervalSettings(method="clopper-pearson"))

    assert result.method == "delta, Fisher z"
    assert result.low == pytest.approx(0.535616, abs=5e-7)


def test_without_false_positives_the_likelihood_ratio_has_a_lower_limit_alone() -> None:
    """0 of 20 stands at ½/21 on the log scale; Wilson's limits of 8/10 and 0/20 by statsmodels."""
    result = interval("lr_positive", (8, 2, 0, 20))

    low, _ = proportion_confint(8, 10, method="wilson")
    _, high = proportion_confint(0, 20, method="wilson")
    half = np.hypot(np.log(0.8 / low), np.log(high * 42))
    assert result.low == pytest.approx(np.exp(np.log(0.8 * 42) - half), rel=1e-12)
    assert (result.high, result.method) == (None, "mover, log")


def test_a_perfect_kappa_has_room_below_it_alone() -> None:
    """No spread was seen, which is not the same as being sure."""
    result = interval("kappa", (20, 0, 0, 30))

    assert result.high == result.value == 1
    assert result.low is not None
    assert 0.7 < result.low < 0.99
    assert result.method == "delta, Fisher z, ½ added"


def test_test_statistics_and_undefined_values_have_no_interval() -> None:
    """Chi-square is no estimate; precision without positive answers has no value."""
    for measure, counts in (("chi_square", TABLE), ("precision", (0, 10, 0, 10))):
        result = interval(measure, counts)
        assert (result.low, result.high, result.method) == (None, None, None)


@pytest.mark.parametrize("measure", [name for name, *_ in CHECKED])
def test_cases_that_were_predicted_twice_count_once(measure: str) -> None:
    """Twice the counts at a weight of a half have the limits of the counts themselves."""
    tp, fn, fp, tn = TABLE

    twice = interval(measure, (2 * tp, 2 * fn, 2 * fp, 2 * tn), weight=0.5)

    once = interval(measure, TABLE)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), rel=1e-9)


@pytest.mark.parametrize("method", ["recommended", "clopper-pearson", "bootstrap"])
def test_repeated_cases_make_wider_intervals_than_new_ones(method: str) -> None:
    """Four predictions of each of 75 cases are less than predictions of 300."""
    settings = IntervalSettings.model_validate({"method": method})
    for measure in ("sensitivity", "youden", "f1", "kappa"):
        new = interval(measure, TABLE, settings)
        repeated = interval(measure, TABLE, settings, weight=0.25)
        assert None not in {new.low, new.high, repeated.low, repeated.high}
        assert (repeated.low or 0) < (new.low or 0) < (new.high or 0) < (repeated.high or 0)
