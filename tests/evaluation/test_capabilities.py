"""Who is able to do what, for any number of classifiers, with ties and gaps."""

from __future__ import annotations

import pytest

from reportgen.evaluation.capabilities import (
    CapabilityRating,
    add_capability_significance,
    capability_rows,
    grade,
    order_classes_hardest_first,
    rate_all_classes,
)
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.significance import ComparisonIndex
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import CAPABILITIES, ThresholdRating
from tests.tables import Counts, ScoreKey, binary_scores, matrix_scores

# Sensitivity and specificity out of ten each; accuracy follows.
Sides = tuple[int, int]


def of_ten(sides: Sides) -> Counts:
    """Return a table with ten cases of each class, so many of them right."""
    hits, rejections = sides
    return (hits, 10 - hits, 10 - rejections, rejections)


def cells(capability: str, tables: dict[str, Counts]) -> dict[str, CapabilityRating]:
    """Return the cells of one capability by classifier."""
    rows = capability_rows(binary_scores(tables), list(tables), [None])
    return {row.classifier: row.cells[capability] for row in rows}


def words(capability: str, **sides: Sides) -> dict[str, str]:
    """Return the verdicts of one capability by classifier."""
    tables = {name: of_ten(pair) for name, pair in sides.items()}
    return {name: cell.verdict for name, cell in cells(capability, tables).items()}


def values_with(**numbers: dict[str, float | None]) -> dict[ScoreKey, MeasureValue]:
    """Return scores with the numbers given for some measures, and 0.5 for all others."""
    names = [name for capability in CAPABILITIES.values() for name in capability.measures]
    return {
        (classifier, None, None, measure): score_of(result.get(measure, 0.5))
        for classifier, result in numbers.items()
        for measure in names
    }


def score_of(number: float | None) -> MeasureValue:
    """Return a defined score, or an undefined one."""
    if number is None:
        return MeasureValue(None, ValueState.UNDEFINED, "not given")
    return MeasureValue(number, ValueState.DEFINED)


def test_of_two_one_is_superior_and_the_other_inferior() -> None:
    """By accuracy 17/20 against 13/20."""
    result = words("overall_effectiveness", A=(9, 8), B=(6, 7))

    assert result == {"A": "superior", "B": "inferior"}


def test_of_three_the_middle_one_has_its_place_stated() -> None:
    """Best, second of three, worst, in any order of the spec."""
    result = words("overall_effectiveness", A=(5, 5), B=(9, 9), C=(7, 7))

    assert result == {"A": "inferior", "B": "superior", "C": "second of three"}


def test_of_four_both_middle_ones_have_their_places_stated() -> None:
    """Ranks and the number compared are kept too."""
    tables = {name: of_ten((n, n)) for name, n in zip("ABCD", (6, 9, 7, 8), strict=True)}
    result = cells("overall_effectiveness", tables)

    assert {name: (cell.verdict, cell.rank, cell.of) for name, cell in result.items()} == {
        "A": ("inferior", 4, 4),
        "B": ("superior", 1, 4),
        "C": ("third of four", 3, 4),
        "D": ("second of four", 2, 4),
    }


def test_equal_counts_are_tied() -> None:
    """A tie is a tie, not a superiority."""
    result = cells("overall_effectiveness", {"A": (5, 5, 5, 5), "B": (5, 5, 5, 5)})

    assert [(cell.verdict, cell.rank) for cell in result.values()] == [("tied", 1), ("tied", 1)]


def test_the_same_share_of_other_counts_is_tied() -> None:
    """3/10 and 30/100 are one value."""
    result = cells("overall_effectiveness", {"A": (2, 3, 4, 1), "B": (20, 30, 40, 10)})

    assert {cell.verdict for cell in result.values()} == {"tied"}


def test_values_that_differ_by_rounding_alone_are_tied() -> None:
    """0.1 + 0.2 is 0.30000000000000004."""
    scores = values_with(A={"accuracy": 0.1 + 0.2}, B={"accuracy": 0.3}, C={"accuracy": 0.2})
    rows = capability_rows(scores, ["A", "B", "C"], [None])

    result = [row.cells["overall_effectiveness"] for row in rows]
    assert [cell.verdict for cell in result] == ["tied", "tied", "inferior"]
    assert [cell.rank for cell in result] == [1, 1, 3]


def test_two_tied_in_front_leave_no_one_superior() -> None:
    """And two tied behind leave no one inferior."""
    in_front = words("overall_effectiveness", A=(9, 9), B=(9, 9), C=(7, 7))
    behind = words("overall_effectiveness", A=(9, 9), B=(7, 7), C=(7, 7))

    assert in_front == {"A": "tied", "B": "tied", "C": "inferior"}
    assert behind == {"A": "superior", "B": "tied", "C": "tied"}


@pytest.mark.parametrize("capability", [name for name in CAPABILITIES if "discr" not in name])
def test_when_all_are_equal_all_are_tied(capability: str) -> None:
    """Whatever they are compared by."""
    result = words(capability, A=(8, 7), B=(8, 7), C=(8, 7))

    assert set(result.values()) == {"tied"}


@pytest.mark.parametrize("capability", [name for name in CAPABILITIES if "discr" not in name])
def test_one_classifier_is_not_compared(capability: str) -> None:
    """There is no one to be superior to."""
    (cell,) = cells(capability, {"A": of_ten((8, 7))}).values()

    assert (cell.verdict, cell.rank, cell.of) == ("not compared", 1, 1)


def test_an_undefined_value_is_neither_ranked_nor_counted() -> None:
    """A classifier that never says positive has no precision."""
    tables = {"A": (8, 2, 3, 7), "B": (0, 10, 0, 10), "C": (7, 3, 4, 6)}
    result = cells("predictive_power", tables)

    assert result["B"] == CapabilityRating("undefined", None, 2)
    assert result["A"].verdict == "superior on both classes"
    assert result["C"].verdict == "inferior on both classes"
    assert result["A"].of == 2


def test_with_only_one_defined_value_nothing_is_compared() -> None:
    """One defined, one undefined."""
    result = cells("predictive_power", {"A": (8, 2, 3, 7), "B": (0, 10, 0, 10)})

    assert {name: cell.verdict for name, cell in result.items()} == {
        "A": "not compared",
        "B": "undefined",
    }


@pytest.mark.parametrize(
    ("first", "second", "verdicts"),
    [
        ((9, 9), (7, 7), ("superior on both classes", "inferior on both classes")),
        ((9, 6), (7, 8), ("superior on positive examples", "superior on negative examples")),
        ((9, 7), (7, 7), ("superior on positive examples", "inferior on positive examples")),
        ((7, 9), (7, 8), ("superior on negative examples", "inferior on negative examples")),
        ((7, 7), (7, 7), ("tied", "tied")),
    ],
)
def test_two_sides_of_two_classifiers(
    first: Sides, second: Sides, verdicts: tuple[str, str]
) -> None:
    """Better on both sides, on one, or on one with the other tied."""
    result = words("class_effectiveness", A=first, B=second)

    assert tuple(result.values()) == verdicts


def test_two_sides_of_three_classifiers() -> None:
    """The best of a side is superior on it; the rest have their places said."""
    result = words("class_effectiveness", A=(9, 5), B=(8, 7), C=(7, 8))

    assert result == {
        "A": "superior on positive examples",
        "B": "second of three on both classes",
        "C": "superior on negative examples",
    }


def test_two_sides_of_a_classifier_that_is_best_on_neither() -> None:
    """Third on one side and second on the other."""
    result = words("class_effectiveness", A=(9, 6), B=(8, 9), C=(7, 8))

    assert result["C"] == "third on positive examples, second on negative examples"


def test_the_rank_of_two_sides_counts_those_that_are_no_worse_on_either() -> None:
    """Two that are each best on a side are both first."""
    tables = {"A": of_ten((9, 5)), "B": of_ten((5, 9)), "C": of_ten((5, 5))}
    result = cells("class_effectiveness", tables)

    assert {name: cell.rank for name, cell in result.items()} == {"A": 1, "B": 1, "C": 3}


def test_confirmation_is_judged_after_swapping_below_one() -> None:
    """A says the opposite of the truth: ρ+ 0.25 and ρ− 4 count as 4 and 0.25."""
    result = words("confirmation_of_classes", A=(2, 2), B=(7, 7))

    assert result == {"A": "superior overall", "B": "inferior overall"}


def test_confirmation_of_opposite_classifiers_is_tied() -> None:
    """Exchanging all answers changes nothing about what they confirm."""
    result = words("confirmation_of_classes", A=(2, 2), B=(8, 8))

    assert result == {"A": "tied", "B": "tied"}


def test_an_infinite_likelihood_ratio_beats_every_finite_one() -> None:
    """And two infinite ones are tied on that side."""
    result = words("confirmation_of_classes", A=(8, 10), B=(9, 9), C=(7, 10))

    assert result["A"] == "tied for positives, second for negatives"
    assert result["B"] == "superior for negatives"
    assert result["C"] == "inferior for negatives"


@pytest.mark.parametrize(
    ("power", "word"),
    [
        (-float("inf"), "poor"),
        (0.0, "poor"),
        (0.999, "poor"),
        (1.0, "limited"),
        (1.999, "limited"),
        (2.0, "fair"),
        (3.0, "good"),
        (float("inf"), "good"),
    ],
)
def test_discriminant_power_is_graded_by_its_scale(power: float, word: str) -> None:
    """Poor below 1, limited below 2, fair below 3, good from 3 on."""
    scale = CAPABILITIES["discrimination_of_classes"].rating_rule

    assert isinstance(scale, ThresholdRating)
    assert grade(scale, power) == word


def test_a_grade_needs_no_one_to_compare_with() -> None:
    """The scale is absolute."""
    (cell,) = cells("discrimination_of_classes", {"A": (31, 10, 10, 25)}).values()

    assert cell.verdict == "limited"


def test_in_multiclass_every_class_has_its_verdicts() -> None:
    """Who is superior may differ from class to class."""
    classes = ("a", "b", "c")
    better_on_a = ((9, 1, 0), (2, 6, 2), (2, 2, 6))
    better_on_b = ((6, 2, 2), (0, 9, 1), (2, 2, 6))
    scores = matrix_scores({"A": better_on_a, "B": better_on_b}, classes)

    rows = capability_rows(scores, ["A", "B"], classes)

    assert [(row.classifier, row.class_) for row in rows] == [
        (classifier, class_) for class_ in classes for classifier in ("A", "B")
    ]
    on_positives = {
        (row.classifier, row.class_): row.cells["class_effectiveness"].verdict for row in rows
    }
    assert on_positives["A", "a"].startswith("superior")
    assert on_positives["B", "b"].startswith("superior")


def test_every_cell_says_that_nothing_was_tested() -> None:
    """A verdict by values alone is not backed."""
    rows = capability_rows(
        binary_scores({"A": of_ten((9, 8)), "B": of_ten((7, 6))}), ["A", "B"], [None]
    )

    for row in rows:
        assert set(row.cells) == set(CAPABILITIES)
        assert all(
            cell.significant is None and cell.p_adjusted is None for cell in row.cells.values()
        )


def test_all_classes_are_rated_by_accuracy_and_by_macro_averages() -> None:
    """Good is better in accuracy; by the mean of the precisions of the classes Other is better."""
    scores: dict[ScoreKey, MeasureValue] = {
        (name, None, average, measure): score_of(number)
        for name, (accuracy, precision) in {"Good": (0.9, 0.6), "Other": (0.8, 0.7)}.items()
        for measure in {name for value in CAPABILITIES.values() for name in value.measures}
        for average, number in (
            (None, accuracy if measure == "accuracy" else None),
            ("macro", precision if measure in {"precision", "accuracy"} else 0.5),
        )
    }

    rows = {row.classifier: row for row in rate_all_classes(scores, ["Good", "Other"], ())}

    assert {row.average for row in rows.values()} == {"macro"}
    assert {row.class_ for row in rows.values()} == {None}
    assert rows["Good"].cells["overall_effectiveness"].verdict == "superior"
    assert rows["Good"].cells["predictive_power"].verdict == "inferior on positive examples"
    assert rows["Good"].average_of("accuracy") is None
    assert rows["Good"].average_of("precision") == "macro"


def test_all_classes_are_confirmed_by_the_tests_of_their_averages() -> None:
    """The test of accuracy over all cases counts, that of its macro average does not."""
    scores: dict[ScoreKey, MeasureValue] = {
        (name, None, average, measure): score_of(number)
        for name, number in {"Good": 0.9, "Other": 0.8}.items()
        for measure in {name for value in CAPABILITIES.values() for name in value.measures}
        for average in (None, "macro")
    }
    tests = [
        Comparison(
            first="Good",
            second="Other",
            measure=measure,
            average=average,
            test="paired permutation (exact)",
            data="paired",
            p=p,
            p_adjusted=p,
            verdict=Decision.SUPERIOR if p < 0.05 else Decision.UNDECIDED,
            primary_test=True,
        )
        for measure, average, p in (
            ("accuracy", None, 0.5),
            ("accuracy", "macro", 0.001),
            ("sensitivity", "macro", 0.002),
        )
    ]

    (good, _) = rate_all_classes(scores, ["Good", "Other"], tests)

    assert good.cells["overall_effectiveness"].significant is False
    assert good.cells["overall_effectiveness"].p_adjusted == 0.5
    positive, negative = (
        getattr(good.cells["class_effectiveness"], side) for side in ("positive", "negative")
    )
    assert (positive.rank_low, positive.rank_high, positive.significant) == (1, 1, True)
    assert (negative.rank_low, negative.rank_high, negative.significant) == (None, None, None)


def test_the_hardest_class_has_the_lowest_mean_sensitivity() -> None:
    """(0.9 + 0.5)/2 < (0.6 + 0.9)/2; a class without cases has none and comes last."""
    numbers = {"a": (0.6, 0.9), "b": (None, None), "c": (0.9, 0.5)}
    scores: dict[ScoreKey, MeasureValue] = {
        (name, class_, None, "sensitivity"): score_of(pair[at])
        for at, name in enumerate("XY")
        for class_, pair in numbers.items()
    }

    assert order_classes_hardest_first(scores, "XY", list(numbers)) == ("c", "a", "b")


def test_a_defined_side_is_rated_where_the_other_is_undefined() -> None:
    """Without a precision there is no joint verdict, but a rank by negative predictive value."""
    scores = values_with(
        A={"precision": 0.9, "npv": 0.8},
        B={"precision": 0.7, "npv": 0.9},
        C={"precision": None, "npv": 0.6},
    )
    names = ["A", "B", "C"]
    rows = add_capability_significance(
        capability_rows(scores, names, [None]), scores, (), ComparisonIndex({})
    )
    power = {row.classifier: row.cells["predictive_power"] for row in rows}

    assert power["C"].verdict == "undefined"
    assert power["C"].positive is None
    assert power["C"].negative is not None
    assert (power["C"].negative.rank, power["C"].negative.of) == (3, 3)
    assert power["A"].positive is not None
    assert (power["A"].positive.rank, power["A"].positive.of) == (1, 2)
