"""What changed since the last run: tested, split into mix and rates, and claimed only if shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from reportgen.evaluation.drift_attribution import (
    ConfusionMatrixPair,
    DriftVerdict,
    attribute_drift,
)
from reportgen.evaluation.gates import fold_mean_value
from reportgen.evaluation.previous_runs import EMPTY_HISTORY, PreviousInput, PreviousRun, RunHistory
from reportgen.pipeline import evaluate_spec_file
from reportgen.spec import load_spec
from reportgen.spec.inference import IntervalSettings
from tests.evaluation.previous_run_records import previous_run
from tests.small_specs import YES_OR_NO, counted_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.evaluation import Evaluation
    from tests.small_specs import Matrix

ALPHA = 0.05
SIMULATED = 400
# 20 of 400 are expected at 0.05; three standard errors more are 33.
MOST_FALSE = 33
A_THEN, A_NOW = ((80, 20), (30, 170)), ((60, 40), (30, 170))
B_THEN, B_NOW = ((85, 15), (40, 160)), ((170, 30), (20, 80))


def evaluate_with_history(folder: Path, spec: str, history: RunHistory) -> Evaluation:
    """Evaluate a spec with what earlier runs found."""
    path = folder / "spec.toml"
    path.write_text(spec, encoding="utf-8")
    return evaluate_spec_file(load_spec(path), history=history)


def earlier_run(evaluation: Evaluation, number: int = 1) -> PreviousRun:
    """Return an evaluation as the run of a day in March."""
    return previous_run(evaluation, number, datetime(2026, 3, 1, tzinfo=UTC) + timedelta(number))


def changes(folder: Path, then: tuple[Matrix, ...], now: tuple[Matrix, ...]) -> DriftAnalysis:
    """Return what changed between two sets of counts."""
    run = earlier_run(evaluate_with_history(folder, counted_spec(*then), RunHistory()))
    changed = evaluate_with_history(folder, counted_spec(*now), RunHistory((run,))).drift
    assert changed is not None
    return changed


def explained(*pairs: tuple[Matrix, Matrix]) -> tuple[DriftVerdict, ...]:
    """Return the verdicts of classifiers with matrices of then and now."""
    matrices = tuple(
        ConfusionMatrixPair(str(number), np.array(then), np.array(now))
        for number, (then, now) in enumerate(pairs)
    )
    classes = [str(number) for number in range(len(pairs[0][0]))]
    _, reasons = attribute_drift(matrices, classes, IntervalSettings(), ALPHA)
    return tuple(reason.verdict for reason in reasons)


def test_the_mix_of_classes_is_tested_by_chi_square(tmp_path: Path) -> None:
    """100 and 200 cases then, 200 and 100 now; SciPy's p-value, times three for three families."""
    changed = changes(tmp_path, (B_THEN,), (B_NOW,))
    (mix,) = changed.label_shift_tests
    expected = chi2_contingency([[100, 200], [200, 100]], correction=False)

    assert mix.test.p == pytest.approx(expected.pvalue)
    assert mix.p_adjusted == pytest.approx(3 * expected.pvalue)
    assert mix.is_significant
    assert [share.then for share in mix.prevalence_changes] == [
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    ]
    assert [share.now for share in mix.prevalence_changes] == [
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    ]


def test_classifiers_on_the_same_cases_share_one_test_of_the_mix(tmp_path: Path) -> None:
    """Testing the same truth twice would make every answer less sure."""
    other_then, other_now = ((90, 10), (20, 180)), ((65, 35), (20, 180))
    changed = changes(tmp_path, (A_THEN, other_then, B_THEN), (A_NOW, other_now, B_NOW))

    assert [mix.classifiers for mix in changed.label_shift_tests] == [("A", "B"), ("C",)]


def test_rates_are_tested_as_two_shares_each(tmp_path: Path) -> None:
    """80 of 100 then, 60 now: the smaller of two p-values, times 2 (Holm), for 3 families."""
    (reason,) = changes(tmp_path, (A_THEN,), (A_NOW,)).attributions
    yes, no = reason.recall_changes
    _, p = proportions_ztest([80, 60], [100, 100])

    assert yes.p == pytest.approx(p)
    assert yes.p_adjusted == pytest.approx(2 * 3 * p)
    assert yes.is_significant
    assert no.p == 1
    assert not no.is_significant
    assert reason.verdict is DriftVerdict.PERFORMANCE_SHIFT


def test_rates_have_newcombes_interval(tmp_path: Path) -> None:
    """60 of 100 now less 80 of 100 then; statsmodels' method newcomb."""
    (reason,) = changes(tmp_path, (A_THEN,), (A_NOW,)).attributions
    low, high = confint_proportions_2indep(60, 100, 80, 100, method="newcomb")

    assert reason.recall_changes[0].difference == pytest.approx(-0.2)
    assert reason.recall_changes[0].low == pytest.approx(low)
    assert reason.recall_changes[0].high == pytest.approx(high)


def test_values_have_square_and_add_intervals(tmp_path: Path) -> None:
    """Accuracy 250/300 then, 230/300 now: for shares, square and add is Newcombe's interval."""
    changed = changes(tmp_path, (A_THEN,), (A_NOW,))
    (accuracy,) = (value for value in changed.value_changes if value.measure == "accuracy")
    low, high = confint_proportions_2indep(230, 300, 250, 300, method="newcomb")

    assert accuracy.difference == pytest.approx(-20 / 300)
    assert accuracy.low == pytest.approx(low)
    assert accuracy.high == pytest.approx(high)


def test_the_parts_of_a_difference_in_accuracy_by_hand(tmp_path: Path) -> None:
    """B recognises 0.85 and 0.8 in both runs; 1/3 of its cases are yes then, 2/3 now.

    By the mix: (2/3 - 1/3) * 0.85 + (1/3 - 2/3) * 0.8 = 0.05/3; by the rates: nothing.
    """
    (reason,) = changes(tmp_path, (B_THEN,), (B_NOW,)).attributions

    assert reason.label_shift_effect == pytest.approx(0.05 / 3)
    assert reason.performance_effect == pytest.approx(0)
    assert reason.verdict is DriftVerdict.LABEL_SHIFT


@pytest.mark.parametrize("seed", range(20))
def test_both_parts_add_up_to_the_difference_in_accuracy(seed: int) -> None:
    """Also where a class has no cases in one of the runs."""
    random = np.random.default_rng(seed)
    then, now = (random.integers(0, 20, (4, 4)) for _ in range(2))
    now[seed % 4] = 0
    _, (reason,) = attribute_drift(
        (ConfusionMatrixPair("A", then, now),), "abcd", IntervalSettings(), ALPHA
    )
    difference = now.trace() / now.sum() - then.trace() / then.sum()

    assert (reason.label_shift_effect or 0) + (reason.performance_effect or 0) == pytest.approx(
        difference
    )


def draw_matrix(random: np.random.Generator, sizes: np.ndarray, rates: tuple[float, ...]) -> Matrix:
    """Draw a matrix of three classes whose cases are recognised at some rates."""
    return [
        random.multinomial(
            size, [rate if at == row else (1 - rate) / 2 for at in range(len(rates))]
        ).tolist()
        for row, (size, rate) in enumerate(zip(sizes, rates, strict=True))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("cases", [40, 400])
def test_equal_runs_are_called_different_no_more_often_than_the_level(cases: int) -> None:
    """Two classifiers and three classes: seven tests in each of 400 pairs of runs."""
    random = np.random.default_rng(11)
    rates = ((0.9, 0.8, 0.6), (0.85, 0.7, 0.7))
    false = 0
    for _ in range(SIMULATED):
        then, now = (random.multinomial(cases, (0.5, 0.3, 0.2)) for _ in range(2))
        pairs = [
            (draw_matrix(random, then, rate), draw_matrix(random, now, rate)) for rate in rates
        ]
        false += any(
            verdict is not DriftVerdict.NO_SIGNIFICANT_CHANGE for verdict in explained(*pairs)
        )

    assert false <= MOST_FALSE


def test_a_shift_of_the_mix_alone_is_called_the_mix() -> None:
    """From a half to a third of one class among 600 cases, the rates unchanged: 100 pairs."""
    random = np.random.default_rng(12)
    verdicts: list[DriftVerdict] = []
    for _ in range(100):
        then = random.multinomial(600, (0.5, 0.3, 0.2))
        now = random.multinomial(600, (0.33, 0.33, 0.34))
        rates = (0.9, 0.8, 0.6)
        verdicts += explained((draw_matrix(random, then, rates), draw_matrix(random, now, rates)))

    assert verdicts.count(DriftVerdict.LABEL_SHIFT) >= 92


def test_a_shift_of_the_rates_alone_is_called_the_rates() -> None:
    """One class is recognised at 0.6 instead of 0.9, the mix unchanged: 100 pairs."""
    random = np.random.default_rng(13)
    verdicts: list[DriftVerdict] = []
    for _ in range(100):
        then, now = (random.multinomial(600, (0.5, 0.3, 0.2)) for _ in range(2))
        pair = draw_matrix(random, then, (0.9, 0.8, 0.6)), draw_matrix(random, now, (0.6, 0.8, 0.6))
        verdicts += explained(pair)

    assert verdicts.count(DriftVerdict.PERFORMANCE_SHIFT) >= 92


def test_repeated_cases_count_once() -> None:
    """Counts of ten repetitions each are no more evidence than a tenth of them."""
    once = ConfusionMatrixPair("A", np.array(A_THEN), np.array(A_NOW))
    ten = ConfusionMatrixPair("A", np.array(A_THEN) * 10, np.array(A_NOW) * 10, weights=(0.1, 0.1))
    (mixes, reasons), (other_mixes, other_reasons) = (
        attribute_drift((item,), ("yes", "no"), IntervalSettings(), ALPHA) for item in (once, ten)
    )

    assert mixes == other_mixes
    for one, other in zip(reasons[0].recall_changes, other_reasons[0].recall_changes, strict=True):
        assert one.p == pytest.approx(other.p)
        assert one.low == pytest.approx(other.low)


def test_repetitions_of_then_are_no_evidence_now(tmp_path: Path) -> None:
    """40 cases predicted ten times then and once now: 30 and 22 of 40, not 300 of 400, are right.

    p is 0.061 for the former, and times 2 for Holm and 2 for the questions; for 300 of 400 it
    would be 0.0065, which is shown even so.
    """
    columns = '[data]\nid = "case"\nfold = "fold"\ntruth = "truth"\nprediction = "predicted"\n'
    classifier = '[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'
    spec = f'title = "A test"\n{YES_OR_NO}{columns}{classifier}'
    first = found_in_cases(tmp_path, spec, 30, repetitions=10)
    run = earlier_run(first)
    changed = found_in_cases(tmp_path, spec, 22, repetitions=1, history=RunHistory((run,))).drift

    assert run.weights == {"A": pytest.approx(0.1)}
    assert changed is not None
    (reason,) = changed.attributions
    _, p = proportions_ztest([30, 22], [40, 40])
    assert reason.recall_changes[0].p == pytest.approx(p)
    assert reason.verdict is DriftVerdict.NO_SIGNIFICANT_CHANGE
    low, high = confint_proportions_2indep(22, 40, 30, 40, method="newcomb")
    assert (reason.recall_changes[0].low, reason.recall_changes[0].high) == pytest.approx(
        (low, high)
    )


def found_in_cases(
    folder: Path, spec: str, right: int, repetitions: int, history: RunHistory = EMPTY_HISTORY
) -> Evaluation:
    """Evaluate 40 positives, some of them found, and 40 negatives, each so many times."""
    cases = [f"{case},yes,{'yes' if case < right else 'no'}" for case in range(40)]
    cases += [f"{case},no,no" for case in range(40, 80)]
    rows = (f"{number},{case}\n" for number in range(repetitions) for case in cases)
    text = f"fold,case,truth,predicted\n{''.join(rows)}"
    (folder / "a.csv").write_text(text, encoding="utf-8")
    return evaluate_with_history(folder, spec, history)


def test_counts_of_an_unknown_weight_are_not_tested(tmp_path: Path) -> None:
    """A history of before does not say how often cases were predicted: nothing is claimed."""
    run = replace(
        earlier_run(evaluate_with_history(tmp_path, counted_spec(A_THEN), RunHistory())),
        weights={},
    )
    changed = evaluate_with_history(tmp_path, counted_spec(A_NOW), RunHistory((run,))).drift

    assert changed is not None
    assert [reason.verdict for reason in changed.attributions] == [DriftVerdict.UNTESTED]
    assert changed.label_shift_tests == ()


def scored_spec(folder: Path, name: str, scores: np.ndarray, truth: np.ndarray) -> str:
    """Write scored cases to a file, and return a spec that reads it."""
    labels = np.where(truth, "yes", "no")
    pl.DataFrame(
        {
            "truth": labels,
            "prediction": np.where(scores >= 0.5, "yes", "no"),
            "score": scores,
        }
    ).write_csv(folder / name)
    return (
        f'title = "A test"\n{YES_OR_NO}[data]\nscore = "score"\n'
        f'[[classifiers]]\nname = "A"\npredictions = "{name}"\n'
    )


def test_an_area_that_falls_to_chance_is_a_significant_change(tmp_path: Path) -> None:
    """The scores of the new run tell nothing; labels by a threshold that hides it are the same.

    The p-value is that of the unpaired test of two areas on the scale of their intervals.
    """
    random = np.random.default_rng(7)
    truth = np.arange(400) < 200
    good = np.clip(np.where(truth, 0.8, 0.2) + random.normal(0, 0.12, 400), 0, 1)
    run = earlier_run(
        evaluate_with_history(tmp_path, scored_spec(tmp_path, "a.csv", good, truth), RunHistory())
    )
    bad = random.uniform(0, 1, 400)
    changed = evaluate_with_history(
        tmp_path, scored_spec(tmp_path, "b.csv", bad, truth), RunHistory((run,))
    ).drift

    assert changed is not None
    area = next(
        value_change for value_change in changed.value_changes if value_change.measure == "roc_auc"
    )
    assert area.difference is not None
    assert area.difference < -0.4
    assert area.is_significant
    assert area.test == "MOVER"
    assert area.p_adjusted is not None
    assert area.p_adjusted < 1e-6
    assert changed.attributions[0].verdict is not DriftVerdict.NO_SIGNIFICANT_CHANGE


def test_a_measure_is_significant_where_its_interval_excludes_zero(tmp_path: Path) -> None:
    """Unadjusted p at most 5 % exactly where the 95 % MOVER interval of the difference excludes 0.

    Of measures that are tested by their interval, over random pairs of runs.
    """
    random = np.random.default_rng(5)
    agreed = []
    for _ in range(6):
        then, now = (
            tuple(tuple(map(int, random.multinomial(60, (share, 1 - share)))) for share in shares)
            for shares in ((0.8, 0.3), (0.6, 0.35))
        )
        agreed += [
            (value_change.p <= 0.05) == (value_change.low * value_change.high > 0)
            for value_change in changes(tmp_path, (then,), (now,)).value_changes
            if value_change.test == "MOVER"
            and value_change.p is not None
            and value_change.low is not None
            and value_change.high is not None
        ]

    assert len(agreed) > 30
    assert all(agreed)


def test_proportions_of_the_matrix_are_tested_by_counts(tmp_path: Path) -> None:
    """Accuracy 250 of 300 then, 230 of 300 now: statsmodels' score test of two proportions."""
    values = {
        value_change.measure: value_change
        for value_change in changes(tmp_path, (A_THEN,), (A_NOW,)).value_changes
    }
    _, p = proportions_ztest([250, 230], [300, 300])

    assert values["accuracy"].p == pytest.approx(p)
    assert not values["accuracy"].is_significant
    assert values["sensitivity"].p_adjusted == pytest.approx(
        6 * proportions_ztest([80, 60], [100, 100])[1]
    )


def test_classifiers_of_other_weights_have_tests_of_their_own() -> None:
    """The same counts are another number of cases."""
    once = ConfusionMatrixPair("A", np.array(A_THEN), np.array(A_NOW))
    ten = ConfusionMatrixPair("B", np.array(A_THEN), np.array(A_NOW), weights=(0.1, 1.0))
    mixes, _ = attribute_drift((once, ten), ("yes", "no"), IntervalSettings(), ALPHA)

    assert [mix.classifiers for mix in mixes] == [("A",), ("B",)]


def test_the_trend_has_the_last_runs_the_oldest_first_and_now_last(tmp_path: Path) -> None:
    """Four runs, of which the spec shows three; one of them did not have the classifier."""
    counts = [((60 + number, 40 - number), (10, 90)) for number in range(5)]
    runs = [
        earlier_run(evaluate_with_history(tmp_path, counted_spec(matrix), RunHistory()), number)
        for number, matrix in enumerate(counts[:-1])
    ]
    runs[2] = replace(runs[2], values={})
    spec = counted_spec(counts[-1]).replace("[task]", "[history]\nshow = 3\n[task]", 1)
    changed = evaluate_with_history(tmp_path, spec, RunHistory(tuple(runs))).drift

    assert changed is not None
    (accuracy,) = (trend for trend in changed.trends if trend.measure == "accuracy")
    values = [None if score is None else score.value for score in accuracy.values]
    assert values == [151 / 200, None, 153 / 200, 154 / 200]
    assert [run.id for run in changed.runs] == ["run-1", "run-2", "run-3"]
    assert all(one.ended < other.ended for one, other in pairwise(changed.runs))


def test_nothing_is_stated_without_a_past_on_other_data(tmp_path: Path) -> None:
    """Neither without runs, nor if the spec shows none of them."""
    run = earlier_run(evaluate_with_history(tmp_path, counted_spec(A_THEN), RunHistory()))
    hidden = counted_spec(A_NOW).replace("[task]", "[history]\nshow = 0\n[task]", 1)

    assert evaluate_with_history(tmp_path, counted_spec(A_NOW), RunHistory()).drift is None
    assert evaluate_with_history(tmp_path, hidden, RunHistory((run,))).drift is None


def test_other_classes_are_named_and_not_tested(tmp_path: Path) -> None:
    """Shares of yes and no cannot be set against shares of yes and maybe."""
    run = earlier_run(evaluate_with_history(tmp_path, counted_spec(A_THEN), RunHistory()))
    changed = evaluate_with_history(
        tmp_path, counted_spec(A_NOW), RunHistory((replace(run, classes=("yes", "maybe")),))
    ).drift

    assert changed is not None
    (reason,) = changed.attributions
    assert reason.verdict is DriftVerdict.CLASSES_CHANGED
    assert (reason.added_classes, reason.removed_classes) == (("no",), ("maybe",))
    assert changed.label_shift_tests == ()


def test_classes_in_another_order_are_the_same_classes(tmp_path: Path) -> None:
    """The matrix of then is turned, not compared cell by cell."""
    run = earlier_run(evaluate_with_history(tmp_path, counted_spec(A_THEN), RunHistory()))
    (yes, no) = A_THEN
    text = replace(
        run, classes=("no", "yes"), confusion={"A": (tuple(reversed(no)), tuple(reversed(yes)))}
    )
    changed, other = (
        evaluate_with_history(tmp_path, counted_spec(A_NOW), RunHistory((item,))).drift
        for item in (run, text)
    )

    assert changed == other


def test_new_and_lost_classifiers_are_reported(tmp_path: Path) -> None:
    """B is gone if only A is left; it is new the other way round."""
    gone = changes(tmp_path, (A_THEN, B_THEN), (A_NOW,))
    new = changes(tmp_path, (A_THEN,), (A_NOW, B_NOW))

    assert gone.removed_classifiers == ("B",)
    assert [reason.verdict for reason in new.attributions] == [
        DriftVerdict.PERFORMANCE_SHIFT,
        DriftVerdict.NEW_CLASSIFIER,
    ]


def test_folds_have_a_trend_and_no_test(tmp_path: Path) -> None:
    """Of means over folds only the intervals are known."""
    head = counted_spec().removesuffix("\n")
    spec = f'{head}\n[[classifiers]]\nname = "A"\nfold_scores = {{ accuracy = [%s] }}\n'
    first = evaluate_with_history(tmp_path, spec % "0.8, 0.82, 0.84", RunHistory())
    run = earlier_run(first)
    mean = fold_mean_value(first.fold_summaries, "A", "accuracy")
    assert mean is not None
    text = replace(run, values={("A", None, None, "accuracy"): mean})
    changed = evaluate_with_history(tmp_path, spec % "0.7, 0.72, 0.74", RunHistory((text,))).drift

    assert changed is not None
    (value,) = changed.value_changes
    assert value.difference == pytest.approx(-0.1)
    assert value.low is not None
    assert [reason.verdict for reason in changed.attributions] == [DriftVerdict.UNTESTED]


def test_input_files_are_compared_by_their_hashes(tmp_path: Path) -> None:
    """A renamed file is unchanged; of several changed files of a classifier no bound is known."""
    rows = "truth,predicted\nyes,yes\nno,no\nyes,no\nno,no\n"
    names = ("a.csv", "b.csv", "same.csv", "gone.csv")
    for number, name in enumerate(names, start=1):
        (tmp_path / name).write_text(rows + "yes,yes\n" * number, encoding="utf-8")
    spec = """[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
prediction = "predicted"
[[classifiers]]
name = "A"
predictions = [{files}]
"""
    files = ", ".join(f'"{name}"' for name in names)
    before = evaluate_with_history(tmp_path, spec.format(files=files), RunHistory())
    past = replace(
        earlier_run(before),
        inputs=tuple(
            PreviousInput(file.path, file.sha256 or "", file.rows)
            for file in before.aggregates.inputs
        ),
    )
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "b.csv").write_text(rows + "no,no\n", encoding="utf-8")
    (tmp_path / "same.csv").rename(tmp_path / "renamed.csv")
    (tmp_path / "new.csv").write_text(rows + "yes,no\n" * 9, encoding="utf-8")
    files = ", ".join(f'"{name}"' for name in ("a.csv", "b.csv", "renamed.csv", "new.csv"))
    drift = evaluate_with_history(tmp_path, spec.format(files=files), RunHistory((past,))).drift

    assert drift is not None
    assert [
        (change.path, change.state.value, change.rows_then, change.rows_now)
        for change in drift.input_changes
    ] == [
        ("a.csv", "changed", 5, 4),
        ("b.csv", "changed", 6, 5),
        ("renamed.csv", "unchanged", 7, 7),
        ("new.csv", "added", None, 13),
        ("gone.csv", "removed", 8, None),
    ]
    assert {change.min_changed_cases for change in drift.input_changes} == {None}
