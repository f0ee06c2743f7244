"""Laws that every measure of the catalogue keeps, whatever the counts."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reportgen.evaluation.values import ValueState
from reportgen.measures import Orientation
from tests.measures.count_strategies import POSITIVE_COUNTS, exact, tables, values_of_tables
from tests.tables import COUNT_MEASURES, Counts

if TYPE_CHECKING:
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure

few = settings(max_examples=12, deadline=None)

# Values of these are one division of sums of counts.
RATIOS_OF_COUNTS = {
    "accuracy",
    "error_rate",
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "f1",
    "balanced_accuracy",
    "lr_positive",
    "lr_negative",
    "diagnostic_odds_ratio",
    "type_1_rate",
    "type_2_rate",
    "jaccard",
    "lift",
    "prevalence",
}
GROW_WITH_COUNTS = {"chi_square", "chi_square_p", "pearson_chi_square", "pearson_chi_square_p"}


def is_undefined(measure: Measure, counts: Counts) -> bool:
    """Return whether a measure has no value, by exact arithmetic."""
    required = (exact(part, counts) for part in measure.requires)
    return math.isnan(exact(measure.formula, counts)) or any(part == 0 for part in required)


@few
@given(tables())
def test_a_value_is_finite_and_in_range_or_its_absence_has_a_reason(drawn: list[Counts]) -> None:
    """A value is a number of the range; infinite and undefined are said, never NaN or inf."""
    for measure, counts, score in values_of_tables(drawn):
        if score.state is ValueState.DEFINED:
            assert score.value is not None, (measure.name, counts)
            assert math.isfinite(score.value), (measure.name, counts)
            assert measure.range.contains(score.value), (measure.name, counts)
            assert score.reason is None, (measure.name, counts)
        else:
            assert score.value is None, (measure.name, counts)
            assert score.reason, (measure.name, counts)


@few
@given(tables())
@example([(0, 1, 1, 58627)])
def test_a_value_is_that_of_exact_arithmetic(drawn: list[Counts]) -> None:
    """Floating point loses no more than the last digits, where fractions lose none."""
    for measure, counts, score in values_of_tables(drawn):
        has_value = not is_undefined(measure, counts)
        assert (score.state is not ValueState.UNDEFINED) == has_value, (measure.name, counts)
        if score.value is not None:
            rel = 1e-12 if measure.name in RATIOS_OF_COUNTS else 1e-9
            expected = float(exact(measure.formula, counts))
            assert score.value == pytest.approx(expected, rel=rel, abs=1e-12), (
                measure.name,
                counts,
            )


EVERY_SMALL_TABLE: list[Counts] = list(product(range(3), range(3), range(3), range(3)))


def test_undefined_is_exactly_where_arithmetic_has_no_value() -> None:
    """0/0, ∞ − ∞ or a required part that is 0, in all 81 tables of counts up to 2."""
    for measure, counts, score in values_of_tables(EVERY_SMALL_TABLE):
        undefined = score.state is ValueState.UNDEFINED
        assert undefined == is_undefined(measure, counts), (measure.name, counts)


def test_infinite_is_exactly_where_arithmetic_is_and_its_sign_is_stated() -> None:
    """The reason of an infinite value begins with +∞ or −∞."""
    for measure, counts, score in values_of_tables(EVERY_SMALL_TABLE):
        expected = (
            math.nan if is_undefined(measure, counts) else float(exact(measure.formula, counts))
        )
        assert (score.state is ValueState.INFINITE) == math.isinf(expected), (measure.name, counts)
        if score.state is ValueState.INFINITE:
            sign = "+∞: " if expected > 0 else "−∞: "
            assert score.reason is not None
            assert score.reason.startswith(sign), (measure.name, counts)
            assert len(score.reason) > len(sign), (measure.name, counts)
            assert score.number == expected, (measure.name, counts)


@few
@given(st.lists(st.tuples(POSITIVE_COUNTS, POSITIVE_COUNTS), min_size=1, max_size=12))
def test_a_perfect_classifier_has_the_best_value_of_the_range(
    drawn: list[tuple[int, int]],
) -> None:
    """The good end of the range is reached, or infinity where it has none."""
    for measure, counts, score in values_of_tables([(tp, 0, 0, tn) for tp, tn in drawn]):
        assert is_best(measure, score, counts), (measure.name, counts, score)


def is_best(measure: Measure, score: MeasureValue, counts: Counts) -> bool:
    """Return whether a value is the best that its measure can have."""
    if measure.name == "lift":
        # Nothing can be richer in the class than pure: 1 over the prevalence.
        tp, _, _, tn = counts
        return score.value == pytest.approx((tp + tn) / tp, rel=1e-12)
    if measure.name == "detection_rate":
        tp, _, _, tn = counts
        return score.value == pytest.approx(tp / (tp + tn), rel=1e-12)
    match measure.orientation:
        case Orientation.HIGHER:
            high = measure.range.high
            best = math.inf if high is None else high
        case Orientation.LOWER:
            low = measure.range.low
            best = -math.inf if low is None else low
        case Orientation.NEITHER:
            return True
    # Differences of shares, as in kappa, may lose the last digits.
    return score.number == pytest.approx(best, rel=1e-9)


@few
@given(st.tuples(POSITIVE_COUNTS, POSITIVE_COUNTS, POSITIVE_COUNTS, POSITIVE_COUNTS))
def test_no_classifier_beats_the_perfect_one_on_the_same_cases(counts: Counts) -> None:
    """Whatever a measure looks at, making no error at all is never worse."""
    tp, fn, fp, tn = counts
    both = list(values_of_tables([counts, (tp + fn, 0, 0, fp + tn)]))
    half = len(both) // 2
    for (measure, _, real), (_, _, perfect) in zip(both[:half], both[half:], strict=True):
        assert real.number is not None
        assert perfect.number is not None
        if measure.orientation is Orientation.HIGHER:
            assert perfect.number >= real.number - 1e-9, measure.name
        if measure.orientation is Orientation.LOWER:
            assert perfect.number <= real.number + 1e-9, measure.name


@few
@given(tables(st.integers(0, 1000)), st.integers(2, 1000))
def test_scaling_all_counts_changes_only_chi_square(drawn: list[Counts], factor: int) -> None:
    """Measures look at shares; only a test of chance knows how many cases there are."""
    larger = [(factor * tp, factor * fn, factor * fp, factor * tn) for tp, fn, fp, tn in drawn]
    pairs = zip(values_of_tables(drawn), values_of_tables(larger), strict=True)
    for (measure, counts, before), (_, _, after) in pairs:
        if measure.name in GROW_WITH_COUNTS:
            continue
        assert (after.state, after.reason) == (before.state, before.reason), (measure.name, counts)
        if before.value is not None:
            expected = pytest.approx(before.value, rel=1e-9, abs=1e-12)
            assert after.value == expected, (measure.name, counts)


EXCHANGED = {"sensitivity": "specificity", "precision": "npv", "type_1_rate": "type_2_rate"}
SAME_FOR_BOTH_CLASSES = (
    "accuracy",
    "error_rate",
    "balanced_accuracy",
    "youden",
    "discriminant_power",
    "diagnostic_odds_ratio",
    "kappa",
    "kappa_best",
    "mcc",
    "g_mean",
    "markedness",
    "chi_square",
    "chi_square_p",
)


@few
@given(tables())
def test_exchanging_the_classes_exchanges_the_measures_of_either_side(drawn: list[Counts]) -> None:
    """Sensitivity of one class is specificity of the other; agreement does not care."""
    numbers = {
        (measure.name, counts): score.number for measure, counts, score in values_of_tables(drawn)
    }
    exchanged = [(tn, fp, fn, tp) for tp, fn, fp, tn in drawn]
    other = {
        (measure.name, counts): score.number
        for measure, counts, score in values_of_tables(exchanged)
    }
    partners = {
        **EXCHANGED,
        **{right: left for left, right in EXCHANGED.items()},
        **{name: name for name in SAME_FOR_BOTH_CLASSES},
    }
    for tp, fn, fp, tn in drawn:
        for name, partner in partners.items():
            expected = numbers[name, (tp, fn, fp, tn)]
            assert other[partner, (tn, fp, fn, tp)] == (
                None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12)
            ), (name, tp, fn, fp, tn)


def test_the_laws_look_at_every_count_based_measure() -> None:
    """Each is a formula of tp, fn, fp and tn alone, so exact arithmetic can check it."""
    for measure in COUNT_MEASURES:
        assert isinstance(exact(measure.formula, (3, 1, 2, 4)), Fraction | float), measure.name
