"""Tests over folds: which classifiers are compared, by which folds, and what decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy import stats

from reportgen.evaluation.cross_validation import (
    find_correction_disagreements,
    fold_pairs,
    fold_sizes,
    infer_fold_design,
    run_fold_tests,
)
from tests.evaluation.fold_specs import A, B, cases, files, fold_scores_key, read, rows_of

if TYPE_CHECKING:
    from pathlib import Path


def test_the_example_of_the_lecture_notes(tmp_path: Path) -> None:
    """Passerini: 0.046, t 2.98, p 0.0154; corrected t 2.0512, p 0.0705; Wilcoxon as SciPy."""
    rows = rows_of(
        run_fold_tests(
            *read(
                tmp_path,
                {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B)},
            )
        )
    )

    assert list(rows) == ["paired t", "corrected resampled t", "wilcoxon"]
    plain, corrected, ranks = rows.values()
    assert plain.difference == corrected.difference == pytest.approx(0.046)
    assert (plain.statistic, plain.p) == pytest.approx((2.9803, 0.01544), abs=5e-5)
    assert (corrected.statistic, corrected.p) == pytest.approx((2.0512, 0.0705), abs=5e-5)
    # Ten folds, two of them alike: all 2¹⁰ signs.
    every_sign = stats.PermutationMethod(n_resamples=2**10)
    expected = stats.wilcoxon(np.round(np.subtract(A, B), 9), method=every_sign)
    assert ranks.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert {row.data for row in rows.values()} == {"folds"}


def test_only_the_corrected_test_decides_and_only_where_no_cases_are_known(tmp_path: Path) -> None:
    """Fold scores have nothing better; of cases a paired test knows more."""
    scores = rows_of(
        run_fold_tests(
            *read(
                tmp_path,
                {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B)},
            )
        )
    )
    folds = np.arange(40) // 10
    on_cases = rows_of(
        run_fold_tests(*read(tmp_path, files(tmp_path, A=cases(folds, 1), B=cases(folds, 2))))
    )

    assert [test for test, row in scores.items() if row.primary_test] == ["corrected resampled t"]
    assert on_cases
    assert not any(row.primary_test for row in on_cases.values())


def test_a_difference_is_first_minus_second_whichever_way_is_better(tmp_path: Path) -> None:
    """Lower errors are better, but the first, which has more of them, is above the second."""
    more = fold_scores_key("error_rate", 0.30, 0.31, 0.29, 0.32, 0.30)
    less = fold_scores_key("error_rate", 0.11, 0.10, 0.10, 0.12, 0.13)

    rows = rows_of(run_fold_tests(*read(tmp_path, {"A": more, "B": less})), "error_rate")
    reversed_rows = rows_of(run_fold_tests(*read(tmp_path, {"A": less, "B": more})), "error_rate")

    assert rows["corrected resampled t"].statistic == pytest.approx(
        -(reversed_rows["corrected resampled t"].statistic or 0)
    )
    assert rows["corrected resampled t"].difference == pytest.approx(0.192)
    assert (rows["corrected resampled t"].low or 0) > 0


def test_equal_scores_in_every_fold_have_a_p_of_1(tmp_path: Path) -> None:
    """Nothing speaks for a difference, and nothing is divided by 0."""
    rows = rows_of(
        run_fold_tests(
            *read(
                tmp_path,
                {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *A)},
            )
        )
    )

    assert {row.difference for row in rows.values()} == {0.0}
    assert {row.p for row in rows.values()} == {1.0}


def test_one_tail_asks_whether_the_first_of_the_spec_is_better(tmp_path: Path) -> None:
    """For a higher accuracy as for a lower error rate: half of the p-value of two tails."""
    keys = {
        "A": f"fold_scores = {{ accuracy = {list(A)}, error_rate = {[1 - item for item in A]} }}",
        "B": f"fold_scores = {{ accuracy = {list(B)}, error_rate = {[1 - item for item in B]} }}",
    }
    comparisons = run_fold_tests(*read(tmp_path, keys, '[folds]\ntails = "one"\n'))
    accuracy, errors = (
        rows_of(comparisons, name)["corrected resampled t"] for name in ("accuracy", "error_rate")
    )

    assert accuracy.p == pytest.approx(0.0704750967 / 2, abs=1e-9)
    assert errors.p == pytest.approx(accuracy.p)
    assert errors.difference == pytest.approx(-0.046)
    assert errors.statistic == pytest.approx(-(accuracy.statistic or 0))
    assert (errors.low, errors.high) == pytest.approx((-(accuracy.high or 0), -(accuracy.low or 0)))
    assert all("one tail" in (row.note or "") for row in comparisons)


def test_a_disagreement_is_where_only_the_plain_test_is_significant(tmp_path: Path) -> None:
    """At 5 % they disagree on the example, at 10 % both find it, at 1 % neither does."""
    comparisons = run_fold_tests(
        *read(
            tmp_path, {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B)}
        )
    )

    (only,) = find_correction_disagreements(comparisons, 0.05)
    assert (only.uncorrected.test, only.corrected.test) == ("paired t", "corrected resampled t")
    assert find_correction_disagreements(comparisons, 0.10) == ()
    assert find_correction_disagreements(comparisons, 0.01) == ()


def test_five_repeats_of_two_folds_get_their_own_tests(tmp_path: Path) -> None:
    """Only if the spec says that the ten folds are that."""
    keys = {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B)}
    d = np.subtract(A, B).reshape(5, 2)
    t = d[0, 0] / np.sqrt(((d[:, 0] - d[:, 1]) ** 2 / 2).mean())

    rows = rows_of(run_fold_tests(*read(tmp_path, keys, "[folds]\nrepeats = 5\n")))

    assert list(rows) == ["paired t", "corrected resampled t", "wilcoxon", "5x2cv t", "5x2cv F"]
    assert rows["5x2cv t"].p == pytest.approx(2 * stats.t.sf(abs(t), 5), abs=1e-9)
    # Halves: as many test as training cases.
    assert "1 test cases for a training case" in (rows["corrected resampled t"].note or "")
    assert "5x2cv t" not in rows_of(run_fold_tests(*read(tmp_path, keys)))


def test_repeats_and_ratio_are_read_off_cases_that_come_again(tmp_path: Path) -> None:
    """Ten repeats of ten folds of 60 cases: 100 folds of 6, each trained on 54."""
    ids = np.tile(np.arange(60), 10)
    fold = np.concatenate(
        [np.random.default_rng(repeat).permutation(60) % 10 for repeat in range(10)]
    )
    names = np.array([f"r{place // 60}f{item}" for place, item in enumerate(fold)])
    frames = files(tmp_path, A=cases(names, 1, ids), B=cases(names, 2, ids))

    scores, spec, predictions = read(tmp_path, frames)

    (pair,) = fold_pairs(scores, spec, predictions)
    assert pair.design is not None
    assert (pair.design.folds, pair.design.repeats) == (100, 10)
    assert pair.design.test_train_ratio == pytest.approx(6 / 54)
    corrected = rows_of(run_fold_tests(scores, spec, predictions))["corrected resampled t"]
    plain = rows_of(run_fold_tests(scores, spec, predictions))["paired t"]
    assert corrected.df == 99
    # √((1/100 + 1/9) / (1/100)) = 3.48: hundred folds are worth hardly more than ten.
    assert (plain.statistic or 0) / (corrected.statistic or 1) == pytest.approx(
        np.sqrt((1 / 100 + 1 / 9) * 100)
    )


def test_unequal_folds_give_the_mean_of_their_ratios(tmp_path: Path) -> None:
    """Folds of 10, 20 and 30 cases of 60: (10/50 + 20/40 + 30/30) / 3, not 1/2."""
    folds = np.repeat(["a", "b", "c"], [10, 20, 30])
    scores, spec, predictions = read(
        tmp_path, files(tmp_path, A=cases(folds, 1), B=cases(folds, 2))
    )

    (pair,) = fold_pairs(scores, spec, predictions)

    assert pair.design is not None
    assert pair.design.test_train_ratio == pytest.approx((10 / 50 + 20 / 40 + 30 / 30) / 3)


def test_the_ratio_of_the_spec_goes_before_all(tmp_path: Path) -> None:
    """Random splits of 30 % have more test cases for a training case than their number tells."""
    keys = {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B)}

    rows = rows_of(run_fold_tests(*read(tmp_path, keys, "[folds]\nratio = 0.4286\n")))

    s = np.subtract(A, B).std(ddof=1)
    t = 0.046 / (s * np.sqrt(1 / 10 + 0.4286))
    assert rows["corrected resampled t"].statistic == pytest.approx(t)


def test_without_a_ratio_there_is_no_corrected_test(tmp_path: Path) -> None:
    """Where folds are whole repetitions, how many cases were trained on is not known."""
    ids, folds = np.tile(np.arange(20), 3), np.repeat(["1", "2", "3"], 20)
    frames = files(tmp_path, A=cases(folds, 1, ids), B=cases(folds, 2, ids))

    rows = rows_of(run_fold_tests(*read(tmp_path, frames)))

    assert rows["paired t"].p is not None
    assert rows["corrected resampled t"].p is None
    assert "`ratio` in [folds]" in (rows["corrected resampled t"].note or "")


def test_folds_without_a_finite_value_are_left_out_and_counted(tmp_path: Path) -> None:
    """In fold 0 A predicts no positive case, so its precision is undefined there."""
    folds = np.arange(40) // 10
    frame = cases(folds, 1).with_columns(
        prediction=pl.when(pl.col("fold") == 0).then(pl.lit("no")).otherwise("prediction")
    )

    comparisons = run_fold_tests(*read(tmp_path, files(tmp_path, A=frame, B=cases(folds, 2))))

    precision, accuracy = (
        rows_of(comparisons, name)["paired t"] for name in ("precision", "accuracy")
    )
    assert (precision.df, accuracy.df) == (2, 3)
    assert precision.note == "1 of 4 folds left out"
    assert accuracy.note is None


def test_a_measure_that_is_finite_in_no_fold_says_so(tmp_path: Path) -> None:
    """A never predicts a positive case."""
    folds = np.arange(40) // 10
    frame = cases(folds, 1).with_columns(prediction=pl.lit("no"))

    comparisons = run_fold_tests(*read(tmp_path, files(tmp_path, A=frame, B=cases(folds, 2))))

    for row in rows_of(comparisons, "precision").values():
        assert (row.difference, row.p) == (None, None)
        assert "no fold in which both" in (row.note or "")


def test_different_folds_are_not_compared_and_the_reason_is_reported(tmp_path: Path) -> None:
    """Ten scores of A have no partners among the eight of B."""
    result = read(
        tmp_path, {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("accuracy", *B[:8])}
    )

    (pair,) = fold_pairs(*result)
    assert pair.mismatch_reason == "they have 10 and 8 folds, of which 8 share a name"
    assert run_fold_tests(*result) == ()


def test_folds_of_the_same_names_with_other_cases_are_not_compared(tmp_path: Path) -> None:
    """B was split anew: the sizes of its folds are the same, but not their cases."""
    folds = np.arange(40) // 10
    frames = files(tmp_path, A=cases(folds, 1), B=cases(folds[::-1].copy(), 2))

    scores, spec, predictions = read(tmp_path, frames)

    assert any("different folds" in warning for warning in predictions.warnings)
    (pair,) = fold_pairs(scores, spec, predictions)
    assert pair.mismatch_reason == "their folds have the same names but hold different cases"
    assert run_fold_tests(scores, spec, predictions) == ()


def test_one_classifier_and_measures_that_are_not_shared_have_no_test(tmp_path: Path) -> None:
    """There is nothing to compare."""
    assert run_fold_tests(*read(tmp_path, {"A": fold_scores_key("accuracy", *A)})) == ()
    other = {"A": fold_scores_key("accuracy", *A), "B": fold_scores_key("f1", *B)}
    assert run_fold_tests(*read(tmp_path, other)) == ()


def test_with_a_baseline_only_its_pairs_are_tested(tmp_path: Path) -> None:
    """Of three pairs two have C."""
    keys = {
        name: fold_scores_key("accuracy", *values)
        for name, values in (("A", A), ("B", B), ("C", A))
    }

    comparisons = run_fold_tests(*read(tmp_path, keys, '[comparison]\nbaseline = "C"\n'))

    assert {(row.first, row.second) for row in comparisons} == {("A", "C"), ("B", "C")}


def test_fold_scores_meet_cases_by_the_names_of_folds(tmp_path: Path) -> None:
    """The first score belongs to fold 1; that it is the same fold is taken from its name."""
    keys = {
        **files(tmp_path, A=cases(np.arange(40) // 10 + 1, 1)),
        "B": fold_scores_key("accuracy", 0.7, 0.8, 0.6, 0.7),
    }

    rows = rows_of(run_fold_tests(*read(tmp_path, keys)))

    assert rows["corrected resampled t"].primary_test
    assert "same name" in (rows["corrected resampled t"].note or "")


def test_a_single_fold_has_no_ratio(tmp_path: Path) -> None:
    """All cases are test cases: nothing is known of the training cases."""
    _, spec, predictions = read(tmp_path, files(tmp_path, A=cases(np.zeros(10, dtype=int), 1)))

    design = infer_fold_design(["0"], fold_sizes(predictions)["A"], spec, predictions)

    assert (design.test_train_ratio, design.ratio_source) == (None, None)
