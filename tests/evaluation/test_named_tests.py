"""Named tests of pairs of classifiers, from tallies to rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.contingency_tables import cochrans_q

from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.paired import (
    PAIRED_COUNT_SCHEMA,
    PairedPredictionCounts,
    count_paired_predictions,
)
from reportgen.evaluation.named_tests import run_classical_tests, run_omnibus_tests
from reportgen.statistics.paired_tests import mcnemar_test
from reportgen.statistics.proportions import bonett_price_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.comparison import Comparison

LEVEL = 0.95
NOTHING = Aggregates((), None, None, (), (), "id", None, ())
BINARY = ("yes", "no")
# Counts of truth, answer of A, answer of B: the data set Paired1 of DTComPair.
PAIRED1 = {
    ("yes", "yes", "yes"): 319,
    ("yes", "yes", "no"): 78,
    ("yes", "no", "yes"): 22,
    ("yes", "no", "no"): 32,
    ("no", "yes", "yes"): 31,
    ("no", "yes", "no"): 53,
    ("no", "no", "yes"): 22,
    ("no", "no", "no"): 155,
}


def pair_tally(
    counts: Mapping[tuple[str, str, str], int],
    classes: tuple[str, ...] = BINARY,
    weight: float = 1.0,
) -> PairedPredictionCounts:
    """Return the tally of A and B from counts of truth, answer of A, answer of B."""
    rows = [("A", "B", *answers, count) for answers, count in counts.items()]
    return PairedPredictionCounts(
        pl.DataFrame(rows, schema=PAIRED_COUNT_SCHEMA, orient="row"), classes, weight
    )


def row(rows: Sequence[Comparison], measure: str, test: str) -> Comparison:
    """Return the only row of a measure and test."""
    (result,) = [item for item in rows if (item.measure, item.test) == (measure, test)]
    return result


def binary_rows(counts: Mapping[tuple[str, str, str], int]) -> tuple[Comparison, ...]:
    """Test A against B about the positive class."""
    return run_classical_tests(pair_tally(counts), [("A", "B")], [None], "yes", LEVEL)


def test_every_measure_has_its_named_tests() -> None:
    """None of them is decisive, all are paired."""
    rows = binary_rows(PAIRED1)

    assert [(item.measure, item.test) for item in rows] == [
        ("accuracy", "mcnemar exact"),
        ("accuracy", "mcnemar mid-p"),
        ("accuracy", "mcnemar chi-square"),
        ("sensitivity", "mcnemar exact"),
        ("sensitivity", "mcnemar mid-p"),
        ("specificity", "mcnemar exact"),
        ("specificity", "mcnemar mid-p"),
        ("precision", "generalised score"),
        ("npv", "generalised score"),
        ("lr_positive", "likelihood-ratio regression"),
        ("lr_negative", "likelihood-ratio regression"),
    ]
    assert {(item.data, item.primary_test, item.class_) for item in rows} == {
        ("paired", False, None)
    }


def test_rows_of_paired1_are_those_dtcompair_prints() -> None:
    """Differences are first minus second; the p-values are of pv.gs and dlr.regtest."""
    rows = binary_rows(PAIRED1)
    precision = row(rows, "precision", "generalised score")
    npv = row(rows, "npv", "generalised score")
    positive = row(rows, "lr_positive", "likelihood-ratio regression")
    negative = row(rows, "lr_negative", "likelihood-ratio regression")

    assert precision.difference == pytest.approx(-0.04011841, abs=5e-9)
    assert precision.p == pytest.approx(0.01685662, abs=5e-9)
    assert npv.difference == pytest.approx(0.1121457, abs=5e-8)
    assert npv.p == pytest.approx(2.472383e-05, abs=5e-12)
    assert positive.difference == pytest.approx(2.735112 - 3.723424, abs=1e-6)
    assert positive.p == pytest.approx(0.0200091, abs=5e-8)
    assert positive.note == "the first is 0.735 times the second (0.566–0.953)"
    assert negative.difference == pytest.approx(0.1765568 - 0.3060507, abs=1e-7)
    assert negative.p == pytest.approx(6.217627e-05, abs=5e-12)


def test_shares_of_the_same_cases_are_tested_by_who_alone_is_right() -> None:
    """Positives: 78 by A alone, 22 by B alone; negatives: 22 by A alone, 53 by B alone."""
    rows = binary_rows(PAIRED1)
    for measure, b, c, cases in (
        ("accuracy", 78 + 22, 22 + 53, 712),
        ("sensitivity", 78, 22, 451),
        ("specificity", 22, 53, 261),
    ):
        exact, middle = row(rows, measure, "mcnemar exact"), row(rows, measure, "mcnemar mid-p")
        limits = bonett_price_interval(b, c, cases, LEVEL)

        assert exact.difference == middle.difference == pytest.approx((b - c) / cases)
        assert (exact.p, middle.p) == (mcnemar_test(b, c).exact_p, mcnemar_test(b, c).mid_p)
        assert (exact.low, exact.high) == (limits.low, limits.high)
    chi_square = row(rows, "accuracy", "mcnemar chi-square")

    assert chi_square.statistic == pytest.approx((100 - 75) ** 2 / 175)
    assert chi_square.df == 1


def test_asking_the_other_way_round_turns_every_row() -> None:
    """The same p-values, the opposite differences."""
    rows = binary_rows(PAIRED1)
    comparisons = run_classical_tests(pair_tally(PAIRED1), [("B", "A")], [None], "yes", LEVEL)

    for one, other in zip(rows, comparisons, strict=True):
        assert (other.first, other.second) == ("B", "A")
        assert one.p == pytest.approx(other.p)
        assert one.difference is not None
        assert one.difference == pytest.approx(-(other.difference or 0))


def test_multiclass_accuracy_is_of_the_whole_matrix_and_the_rest_by_class() -> None:
    """On b's cases A alone is right 6 times; a wrong answer to another wrong one changes none."""
    counts = {
        ("a", "a", "a"): 10,
        ("a", "a", "b"): 3,
        ("b", "b", "c"): 6,
        ("b", "a", "c"): 2,
        ("c", "a", "c"): 4,
        ("c", "c", "c"): 5,
    }
    pairs = pair_tally(counts, ("a", "b", "c"))
    rows = run_classical_tests(pairs, [("A", "B")], ["a", "b"], None, LEVEL)
    overall = [item for item in rows if item.measure == "accuracy"]
    of_b = [item for item in rows if item.class_ == "b"]

    assert {item.class_ for item in overall} == {None}
    assert overall[0].difference == pytest.approx((3 + 6 - 4) / 30)
    assert overall[0].p == mcnemar_test(9, 4).exact_p
    assert {item.class_ for item in rows} == {None, "a", "b"}
    assert row(of_b, "sensitivity", "mcnemar exact").p == mcnemar_test(6, 0).exact_p
    assert row(of_b, "specificity", "mcnemar exact").p == mcnemar_test(3, 0).exact_p


def test_what_cannot_be_tested_says_why() -> None:
    """B never says yes, so it has no precision and no positive likelihood ratio above 0."""
    rows = binary_rows({("yes", "yes", "no"): 5, ("yes", "no", "no"): 5, ("no", "no", "no"): 9})
    precision = row(rows, "precision", "generalised score")
    positive = row(rows, "lr_positive", "likelihood-ratio regression")

    assert (precision.p, precision.difference) == (None, None)
    assert precision.note == "not tested: one of them never gives this answer"
    assert (positive.p, positive.difference) == (None, None)
    assert positive.note == "not tested: a likelihood ratio is 0, infinite or undefined"


def test_twins_are_not_different() -> None:
    """The exact test says 1; those that would divide 0 by 0 say that they were not made."""
    rows = binary_rows({("yes", "yes", "yes"): 8, ("no", "yes", "yes"): 2, ("no", "no", "no"): 9})
    chi_square = row(rows, "accuracy", "mcnemar chi-square")

    assert row(rows, "accuracy", "mcnemar exact").p == 1
    assert (chi_square.p, chi_square.note) == (
        None,
        "not tested: no case is right by one of them alone",
    )
    assert row(rows, "precision", "generalised score").p is None


def test_no_cases_of_the_class_mean_no_test_of_sensitivity() -> None:
    """There is nothing to be found."""
    rows = binary_rows({("no", "yes", "no"): 3, ("no", "no", "no"): 9})

    assert "sensitivity" not in {item.measure for item in rows}
    assert row(rows, "specificity", "mcnemar exact").p == mcnemar_test(0, 3).exact_p


def test_repeated_cases_and_strangers_have_no_named_tests() -> None:
    """The tests need whole independent cases, and the same ones for both."""
    repeated = pair_tally(PAIRED1, weight=0.5)

    assert run_classical_tests(repeated, [("A", "B")], [None], "yes", LEVEL) == ()
    assert run_classical_tests(pair_tally(PAIRED1), [("A", "C")], [None], "yes", LEVEL) == ()


def test_cochrans_q_from_pairs_agrees_with_statsmodels() -> None:
    """Four classifiers of different quality on 300 cases of three classes."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, 300)
    chances = [0.9, 0.85, 0.8, 0.8]
    answers = [
        np.where(rng.uniform(size=300) < chance, truth, rng.integers(0, 3, 300))
        for chance in chances
    ]
    names = ("A", "B", "C", "D")
    cases = {
        name: pl.DataFrame({"truth": truth.astype(str), "prediction": answer.astype(str)})
        for name, answer in zip(names, answers, strict=True)
    }
    pairs = PairedPredictionCounts(count_paired_predictions(cases), ("0", "1", "2"))
    expected = cochrans_q(np.column_stack([answer == truth for answer in answers]).astype(int))
    (result,) = run_omnibus_tests(replace(NOTHING, pairs=pairs), names)

    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (result.df, result.classifiers, result.cases) == (3, 4, 300)
    assert run_omnibus_tests(replace(NOTHING, pairs=pairs), ("D", "B", "A", "C")) == (result,)


def test_fewer_than_three_or_strangers_have_no_omnibus() -> None:
    """Two are a pair; C was not measured on these cases."""
    predictions = replace(NOTHING, pairs=pair_tally(PAIRED1))

    assert run_omnibus_tests(predictions, ("A", "B")) == ()
    assert run_omnibus_tests(predictions, ("A", "B", "C")) == ()
