"""What [comparison] of a spec does to the comparisons of its report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from scipy.stats import binomtest

from reportgen.evaluation import comparisons
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.measures import Measure, is_function_of_rates
from reportgen.statistics.proportions import bonett_price_interval
from tests.report.report_text import BINARY, MULTICLASS, confusion, evaluated

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

JOINED = '\n[data]\nid = "case"'
# By name: how many of the first 100 cases (yes) and of the last 100 (no) are answered right; each
# classifier begins to be right at a place of its own.
RIGHT = {"A": (92, 92, 0), "B": (80, 83, 30), "C": (78, 80, 60)}


def predictions(folder: Path, right: Mapping[str, tuple[int, int, int]]) -> dict[str, str]:
    """Write predictions of 200 cases, and return a classifier for each."""
    for name, (on_yes, on_no, start) in right.items():
        rows = ["case,truth,prediction"]
        for case in range(200):
            truth, other = ("yes", "no") if case < 100 else ("no", "yes")
            is_right = (case - start) % 100 < (on_yes if case < 100 else on_no)
            rows.append(f"{case},{truth},{truth if is_right else other}")
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {name: f'predictions = "{name}.csv"' for name in right}


def evaluate_comparison(
    folder: Path, comparison: str = "", right: Mapping[str, tuple[int, int, int]] = RIGHT
) -> Evaluation:
    """Evaluate joined predictions with some keys in [comparison]."""
    classifiers = predictions(folder, right)
    return evaluated(folder, classifiers, BINARY + JOINED, f"[comparison]\n{comparison}\n")


def primary_tests(evaluation: Evaluation) -> dict[tuple[str, str, str], Comparison]:
    """Return the decisive differences by first, second and measure."""
    return {
        (row.first, row.second, row.measure): row
        for row in evaluation.comparisons
        if row.primary_test and row.class_ is None and row.average is None
    }


def pairs(evaluation: Evaluation) -> set[tuple[str, str]]:
    """Return the pairs that were compared."""
    return {(first, second) for first, second, _ in primary_tests(evaluation)}


def right_alone(right: Mapping[str, tuple[int, int, int]], one: str, other: str) -> tuple[int, int]:
    """Count on how many cases one classifier alone is right."""
    alone = [0, 0]
    for case in range(200):
        first, second = (
            (case - start) % 100 < (on_yes if case < 100 else on_no)
            for on_yes, on_no, start in (right[one], right[other])
        )
        alone[0] += first and not second
        alone[1] += second and not first
    return alone[0], alone[1]


def test_all_pairs_are_compared_case_by_case(tmp_path: Path) -> None:
    """Accuracy is tested by McNemar's exact test, with the interval of Bonett and Price."""
    result = primary_tests(evaluate_comparison(tmp_path))["A", "B", "accuracy"]
    alone = right_alone(RIGHT, "A", "B")
    limits = bonett_price_interval(*alone, 200, 0.95)

    assert result.data == "paired"
    assert result.p == pytest.approx(binomtest(alone[0], sum(alone)).pvalue, abs=2e-9)
    assert result.difference == pytest.approx((184 - 163) / 200)
    assert (result.low, result.high) == pytest.approx((limits.low, limits.high))


def test_every_adjusted_p_value_is_at_least_the_raw_one(tmp_path: Path) -> None:
    """Three pairs and all their measures are one family."""
    rows = primary_tests(evaluate_comparison(tmp_path)).values()

    assert {(row.first, row.second) for row in rows} == {("A", "B"), ("A", "C"), ("B", "C")}
    assert all(
        row.p is not None and row.p_adjusted is not None and row.p_adjusted >= row.p for row in rows
    )


def test_a_baseline_is_compared_with_all_others_and_nobody_else_is(tmp_path: Path) -> None:
    """C against B is open then, and so is who is second."""
    evaluation = evaluate_comparison(tmp_path, 'baseline = "A"')
    cells = {row.classifier: row.cells["overall_effectiveness"] for row in evaluation.capabilities}

    assert pairs(evaluation) == {("B", "A"), ("C", "A")}
    assert cells["A"].significant is not None
    assert cells["B"].p_adjusted is None
    assert cells["B"].significant is not True


def test_fewer_pairs_cost_less(tmp_path: Path) -> None:
    """Two pairs instead of three: a smaller adjusted p-value for the same difference."""
    all_pairs = primary_tests(evaluate_comparison(tmp_path))["A", "C", "youden"].p_adjusted
    two_pairs = primary_tests(evaluate_comparison(tmp_path, 'baseline = "A"'))[
        "C", "A", "youden"
    ].p_adjusted

    assert all_pairs is not None
    assert two_pairs is not None
    assert two_pairs < all_pairs


def test_corrections_are_ordered(tmp_path: Path) -> None:
    """Uncorrected ≤ step-down ≤ Holm for the smallest of many correlated measures."""
    none, step_down, holm = (
        primary_tests(evaluate_comparison(tmp_path, f'correction = "{name}"'))["A", "B", "accuracy"]
        for name in ("none", "step-down", "holm")
    )

    assert none.p_adjusted == none.p == step_down.p == holm.p
    assert none.p_adjusted is not None
    assert step_down.p_adjusted is not None
    assert holm.p_adjusted is not None
    assert none.p_adjusted < step_down.p_adjusted < holm.p_adjusted


def test_the_primary_measure_is_adjusted_for_its_share_alone(tmp_path: Path) -> None:
    """One pair, two families with shares ⅔ and ⅓: accuracy by default, MCC if it is declared."""
    two = {name: RIGHT[name] for name in "AB"}
    plain = primary_tests(evaluate_comparison(tmp_path, right=two))
    declared = primary_tests(evaluate_comparison(tmp_path, 'primary = "mcc"', two))
    accuracy, mcc = plain["A", "B", "accuracy"], declared["A", "B", "mcc"]

    assert accuracy.p_adjusted == pytest.approx(1.5 * (accuracy.p or 0))
    assert mcc.p_adjusted == pytest.approx(1.5 * (mcc.p or 0))
    assert (accuracy.family, mcc.family) == ("headline", "headline")
    assert plain["A", "B", "mcc"].family == declared["A", "B", "accuracy"].family == "overall"


def test_the_default_primary_measure_is_accuracy(tmp_path: Path) -> None:
    """Half of the cases are positive, and 92 % are predicted correctly."""
    primary = evaluate_comparison(tmp_path).primary_measure

    assert primary is not None
    assert (primary.name, primary.reason) == ("accuracy", "default")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        # 5 of 100 cases are positive.
        (((4, 1), (1, 94)), ((3, 2), (2, 93)), "majority class"),
        # 62 and 60 of 100 against always "no" with 60 of 100.
        (((20, 20), (18, 42)), ((18, 22), (18, 42)), "not above majority class"),
    ],
)
def test_balanced_accuracy_is_primary_where_accuracy_tells_little(
    tmp_path: Path,
    first: tuple[tuple[int, int], tuple[int, int]],
    second: tuple[tuple[int, int], tuple[int, int]],
    reason: str,
) -> None:
    """One class has nearly all cases, or nobody beats predicting it always."""
    evaluation = evaluated(tmp_path, {"A": confusion(*first), "B": confusion(*second)})
    primary = evaluation.primary_measure

    assert primary is not None
    assert (primary.name, primary.reason) == ("balanced_accuracy", reason)
    headline = {row.measure for row in evaluation.comparisons if row.family == "headline"}
    assert headline == {"balanced_accuracy", "youden"}


def test_over_several_classes_balanced_accuracy_is_mean_recall(tmp_path: Path) -> None:
    """As scikit-learn's balanced_accuracy_score."""
    tables = {
        "A": confusion((95, 0, 1), (1, 1, 0), (2, 0, 0)),
        "B": confusion((94, 1, 1), (2, 0, 0), (1, 0, 1)),
    }
    evaluation = evaluated(tmp_path, tables, MULTICLASS)
    primary = evaluation.primary_measure

    assert primary is not None
    assert (primary.name, primary.reason) == ("balanced_accuracy", "majority class")
    row = evaluation.comparison_index.find("A", "B", None, "balanced_accuracy")
    assert row is not None
    assert row.family == "headline"
    # Mean recalls: (95/96 + 1/2 + 0) / 3 and (94/96 + 0 + 1/2) / 3.
    assert row.difference == pytest.approx(1 / 96 / 3)


def test_an_average_may_be_primary(tmp_path: Path) -> None:
    """Macro-averaged F1 is the headline, and stands for F1 over all classes."""
    tables = {
        "A": confusion((80, 10, 10), (10, 80, 10), (10, 10, 80)),
        "B": confusion((60, 20, 20), (20, 60, 20), (20, 20, 60)),
    }
    evaluation = evaluated(tmp_path, tables, MULTICLASS, '[comparison]\nprimary = "macro_f1"\n')
    (row,) = (row for row in evaluation.comparisons if row.family == "headline")

    assert (row.measure, row.average, row.verdict) == ("f1", "macro", Decision.SUPERIOR)
    assert evaluation.comparison_index.find("A", "B", None, "f1") == row


def test_only_what_is_shown_or_judged_is_tested(tmp_path: Path) -> None:
    """Sections without ratings: the shown measures alone; by default also those of ratings."""
    listed = '[measures]\nshow = ["accuracy", "f1"]\n[[sections]]\nkind = "measures"'
    alone = {measure for _, _, measure in primary_tests(evaluate_comparison(tmp_path, listed))}
    usual = {
        measure
        for _, _, measure in primary_tests(
            evaluate_comparison(tmp_path, '[measures]\nshow = ["f1"]')
        )
    }

    assert alone == {"accuracy", "f1"}
    assert {"f1", "sensitivity", "youden"} < usual


def test_a_primary_measure_is_tested_though_it_is_not_shown(tmp_path: Path) -> None:
    """Otherwise nothing could ever be claimed."""
    two = {name: RIGHT[name] for name in "AB"}
    text = 'primary = "mcc"\n[measures]\nshow = ["accuracy"]'
    result = primary_tests(evaluate_comparison(tmp_path, text, two))

    assert result["A", "B", "mcc"].family == "headline"
    assert result["A", "B", "accuracy"].verdict is Decision.SUPERIOR


def test_a_primary_measure_that_cannot_be_tested_is_warned_of(tmp_path: Path) -> None:
    """B predicts nothing as positive, so its precision is undefined."""
    tables = {"A": confusion((90, 10), (10, 90)), "B": confusion((0, 100), (0, 100))}
    evaluation = evaluated(tmp_path, tables, BINARY, '[comparison]\nprimary = "precision"\n')

    (warning,) = (warning for warning in evaluation.warnings if "`precision`" in warning)
    assert warning == (
        "`precision`, the primary measure, could be tested for no pair of classifiers; the other"
        " measures are tested without it"
    )


def test_a_margin_makes_small_differences_equivalent(tmp_path: Path) -> None:
    """A and B of 200 cases differ in 2: within 0.2 surely, within 0.001 not."""
    alike = {"A": (90, 90, 0), "B": (89, 89, 0)}
    wide = primary_tests(evaluate_comparison(tmp_path, "margin = { accuracy = 0.2 }", alike))
    narrow = primary_tests(evaluate_comparison(tmp_path, "margin = { accuracy = 0.001 }", alike))

    assert wide["A", "B", "accuracy"].verdict is Decision.EQUIVALENT
    assert wide["A", "B", "accuracy"].non_inferior is True
    assert wide["A", "B", "youden"].non_inferior is None
    assert narrow["A", "B", "accuracy"].verdict is Decision.UNDECIDED


def test_a_margin_is_kept_though_its_measure_is_not_shown(tmp_path: Path) -> None:
    """MCC is tested because its margin is named, by an alias or not."""
    alike = {"A": (90, 90, 0), "B": (89, 89, 0)}
    keys = 'margin = { mcc = 0.5 }\n[measures]\nshow = ["accuracy"]'
    result = primary_tests(evaluate_comparison(tmp_path, keys, alike))

    assert result["A", "B", "mcc"].verdict is Decision.EQUIVALENT


def test_mid_p_is_smaller_than_exact(tmp_path: Path) -> None:
    """The outcome found counts half."""
    exact = primary_tests(evaluate_comparison(tmp_path))["A", "B", "accuracy"].p
    middle = primary_tests(evaluate_comparison(tmp_path, 'p_values = "mid-p"'))[
        "A", "B", "accuracy"
    ].p
    alone = right_alone(RIGHT, "A", "B")

    assert exact is not None
    assert middle is not None
    assert middle < exact == pytest.approx(binomtest(alone[0], sum(alone)).pvalue, abs=2e-9)


def test_different_cases_are_never_compared_silently(tmp_path: Path) -> None:
    """Counts of other class sizes: a warning, unpaired tests, and none that needs equal shares."""
    tables = {"A": confusion((90, 10), (10, 90)), "B": confusion((80, 40), (10, 50))}
    evaluation = evaluated(tmp_path, tables)
    rows = primary_tests(evaluation)

    assert any("were not measured on the same cases" in warning for warning in evaluation.warnings)
    assert {row.data for row in rows.values()} == {"unpaired"}
    assert ("A", "B", "sensitivity") in rows
    assert ("A", "B", "accuracy") not in rows


def test_counts_of_equal_class_sizes_are_tested_as_other_cases_too(tmp_path: Path) -> None:
    """That the sizes are equal does not say that the cases are the same."""
    tables = {"A": confusion((90, 10), (10, 90)), "B": confusion((80, 20), (20, 80))}
    rows = primary_tests(evaluated(tmp_path, tables))

    assert {row.data for row in rows.values()} == {"unpaired"}
    assert ("A", "B", "accuracy") in rows


def test_fold_scores_alone_bring_no_test_of_cases(tmp_path: Path) -> None:
    """Only the tests over folds are there, and no capability is judged."""
    folds = {
        "A": "fold_scores = { accuracy = [0.81, 0.82, 0.84, 0.78] }",
        "B": "fold_scores = { accuracy = [0.80, 0.77, 0.70, 0.83] }",
    }
    evaluation = evaluated(tmp_path, folds)

    assert {row.data for row in evaluation.comparisons} == {"folds"}
    assert evaluation.capabilities == ()


@pytest.mark.parametrize("baseline", ["A", "F"])
def test_a_baseline_may_be_known_by_other_means_than_the_rest(
    tmp_path: Path, baseline: str
) -> None:
    """Counts, and fold scores of another: what cannot be compared is left out, not a crash."""
    mixed = {
        "A": confusion((90, 10), (10, 90)),
        "B": confusion((80, 20), (20, 80)),
        "F": "fold_scores = { accuracy = [0.81, 0.82, 0.84, 0.78] }",
    }
    more = f'[comparison]\nbaseline = "{baseline}"\n'
    result = primary_tests(evaluated(tmp_path, mixed, BINARY, more))

    assert {(first, second) for first, second, _ in result} == (
        {("B", "A")} if baseline == "A" else set()
    )


def test_every_class_and_the_whole_are_tested_of_several_classes(tmp_path: Path) -> None:
    """Unpaired here: accuracy over all classes, recall of each class."""
    tables = {
        "A": confusion((80, 10, 10), (10, 80, 10), (10, 10, 80)),
        "B": confusion((60, 20, 20), (20, 60, 20), (20, 20, 60)),
    }
    evaluation = evaluated(tmp_path, tables, MULTICLASS)
    rows = [row for row in evaluation.comparisons if row.primary_test]
    recall = {
        row.class_: row.verdict
        for row in rows
        if row.measure == "sensitivity" and row.average is None
    }
    (overall,) = (row for row in rows if row.key == ("A", "B", None, None, "accuracy"))

    assert recall == dict.fromkeys(("a", "b", "c"), Decision.SUPERIOR)
    assert overall.verdict is Decision.SUPERIOR
    assert overall.difference == pytest.approx(0.2)


def test_a_primary_measure_that_was_not_tested_closes_no_gate(tmp_path: Path) -> None:
    """B is always right when it says yes, but does so once: ½ added, the test sees A ahead."""
    tables = {"A": confusion((90, 10), (10, 90)), "B": confusion((1, 99), (0, 100))}
    evaluation = evaluated(tmp_path, tables, BINARY, '[comparison]\nprimary = "precision"\n')
    result = primary_tests(evaluation)

    assert result["A", "B", "precision"].p is None
    assert result["A", "B", "sensitivity"].verdict is Decision.SUPERIOR


def test_what_a_measure_depends_on_is_found_once_and_not_for_every_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three pairs are in the joint distribution of each family, of which there are at most two."""
    calls: Counter[str] = Counter()

    def count(measure: Measure) -> bool:
        calls[measure.name] += 1
        return is_function_of_rates(measure)

    monkeypatch.setattr(comparisons, "is_function_of_rates", count)

    evaluation = evaluate_comparison(tmp_path)

    assert len(pairs(evaluation)) == 3
    assert calls
    assert max(calls.values()) <= 2
