"""What a paired test could say from confusion matrices alone."""

from __future__ import annotations

from reportgen.evaluation.named_tests import bound_mcnemar_p_values, format_p_value_range
from reportgen.statistics.paired_tests import PValueRange, mcnemar_p_value_range
from tests.tables import NEGATIVE, POSITIVE, binary_tallies, matrix_tallies

# Sokolova, Japkowicz and Szpakowicz 2006, table 2: tp, fn, fp, tn.
SJS = {"SVM": (1242, 189, 390, 740), "NB": (1108, 323, 272, 858)}


def test_sensitivity_and_specificity_of_sjs_differ_however_paired() -> None:
    """134 more positives found, 118 fewer negatives: too much for chance in any pairing.

    Accuracy can go either way: SVM has 16 more right, against at least 118 cases.
    """
    rows = {
        comparison.measure: comparison
        for comparison in bound_mcnemar_p_values(
            binary_tallies(SJS), [("SVM", "NB")], [None], POSITIVE
        )
    }
    overall = mcnemar_p_value_range([1242, 740], [1108, 858], [1431, 1130])

    assert set(rows) == {"accuracy", "sensitivity", "specificity"}
    assert mcnemar_p_value_range([1242], [1108], [1431]).high < 0.0001
    assert rows["sensitivity"].note == (
        "paired, McNemar's exact p-value would be <0.001, however many cases both misclassify"
    )
    assert rows["specificity"].note == rows["sensitivity"].note
    assert rows["accuracy"].difference == 16 / 2561
    assert rows["accuracy"].note == (
        f"paired, McNemar's exact p-value could be anything from {overall.low:.2g} to"
        f" {overall.high:.2g}, depending on the number of cases that both misclassify"
    )
    assert {(value.data, value.p, value.primary_test) for value in rows.values()} == {
        ("unpaired", None, False)
    }


def test_classes_narrow_the_range_of_accuracy() -> None:
    """Knowing that 118 negatives speak for NB keeps the p-value of accuracy from being small."""
    by_class = mcnemar_p_value_range([1242, 740], [1108, 858], [1431, 1130])
    pooled = mcnemar_p_value_range([1982], [1966], [2561])

    assert pooled.low < 0.0001
    assert by_class.low > 0.3


def test_matrices_of_other_cases_have_no_range() -> None:
    """Different numbers of true cases cannot be the same cases."""
    tallies = binary_tallies({"A": (8, 2, 1, 9), "B": (8, 3, 1, 9)})

    assert bound_mcnemar_p_values(tallies, [("A", "B")], [None], POSITIVE) == ()


def test_multiclass_specificity_is_not_saying_the_class() -> None:
    """Class b: A says it to 3 others of 20, B to 1; the classes a and c are 10 cases each."""
    tallies = matrix_tallies(
        {"A": ((8, 2, 0), (1, 9, 0), (0, 1, 9)), "B": ((9, 0, 1), (2, 7, 1), (0, 1, 9))},
        ("a", "b", "c"),
    )
    (specificity,) = (
        comparison
        for comparison in bound_mcnemar_p_values(tallies, [("A", "B")], ["b"], None)
        if comparison.measure == "specificity"
    )
    possible = mcnemar_p_value_range([8, 9], [10, 9], [10, 10])

    assert specificity.class_ == "b"
    assert specificity.difference == (17 - 19) / 20
    assert specificity.note == format_p_value_range(possible)


def test_a_range_of_one_value_is_stated_as_one() -> None:
    """Equally many right: 1, whatever the pairing."""
    tallies = binary_tallies({"A": (8, 2, 1, 9), "B": (8, 2, 3, 7)})
    rows = bound_mcnemar_p_values(tallies, [("A", "B")], [None], POSITIVE)
    (sensitivity,) = (row for row in rows if row.measure == "sensitivity")

    assert sensitivity.note == (
        "paired, McNemar's exact p-value would be 1, however many cases both misclassify"
    )
    assert format_p_value_range(PValueRange(0.00001, 0.6)).startswith(
        "paired, McNemar's exact p-value could be anything from <0.001 to 0.6,"
    )


def test_the_order_of_classes_does_not_matter() -> None:
    """The rows about the negative class exchange sensitivity and specificity."""
    capabilities = [POSITIVE, NEGATIVE]
    rows = bound_mcnemar_p_values(binary_tallies(SJS), [("SVM", "NB")], capabilities, POSITIVE)
    notes = {(row.class_, row.measure): row.difference for row in rows}

    assert notes[POSITIVE, "sensitivity"] == notes[NEGATIVE, "specificity"]
    assert notes[POSITIVE, "specificity"] == notes[NEGATIVE, "sensitivity"]
