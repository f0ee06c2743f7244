"""Gates on values and on differences between classifiers: what could not be computed fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from reportgen.pipeline import load_and_evaluate
from reportgen.statistics.proportions import bonett_price_interval
from tests.evaluation.evaluated_gates import NEWCOMBE, TWO_SIDED, evaluate_gate, evaluated
from tests.evaluation.fold_specs import A, B

if TYPE_CHECKING:
    from pathlib import Path

SVM = {"A": "confusion = [[56, 14], [10, 90]]"}


@pytest.mark.parametrize(
    ("condition", "passed", "why"),
    [
        ("at_least = 0.8", True, "the value is at least the minimum"),
        ("at_least = 0.81", False, "the value is below the minimum"),
        ("at_most = 0.8", True, "the value is at most the maximum"),
        ("at_most = 0.79", False, "the value is above the maximum"),
    ],
)
def test_a_value_is_taken_literally(
    tmp_path: Path, condition: str, passed: object, why: str
) -> None:
    """56 of 70 is 0.8: what is reached exactly is reached."""
    outcome = evaluate_gate(tmp_path, f'measure = "sensitivity"\n{condition}')

    assert (outcome.passed, outcome.reason) == (passed, why)
    assert outcome.observed == pytest.approx(0.8)


def test_at_most_is_no_worse_direction(tmp_path: Path) -> None:
    """`at_least` of an error rate is met by more errors: the letter counts, not what is better."""
    # 24 of 170 are wrong, 0.141.
    assert evaluate_gate(tmp_path, 'measure = "error_rate"\nat_least = 0.1').passed
    assert not evaluate_gate(tmp_path, 'measure = "error_rate"\nat_most = 0.1').passed


@pytest.mark.parametrize(
    ("bound", "condition", "passed"),
    [
        ("low", "at_least = 0.69", True),
        ("low", "at_least = 0.70", False),
        ("high", "at_most = 0.88", True),
        ("high", "at_most = 0.87", False),
    ],
)
def test_an_end_of_the_interval_can_have_to_clear_it(
    tmp_path: Path, bound: str, condition: str, passed: object
) -> None:
    """56 of 70 by Wilson, as statsmodels has it: 0.692 to 0.877."""
    ends = dict(zip(("low", "high"), proportion_confint(56, 70, method="wilson"), strict=True))
    outcome = evaluate_gate(tmp_path, f'measure = "sensitivity"\n{condition}\nbound = "{bound}"')

    assert outcome.passed is passed
    assert outcome.observed == pytest.approx(ends[bound], abs=1e-9)
    assert ("though the value" in outcome.reason) is not passed


def test_an_undefined_value_fails_either_way(tmp_path: Path) -> None:
    """Nothing was called positive, so precision is 0/0: neither at least 0 nor at most 1."""
    nobody = {"A": "confusion = [[0, 5], [0, 5]]"}
    for condition in ("at_least = 0", "at_most = 1"):
        outcome = evaluate_gate(tmp_path, f'measure = "precision"\n{condition}', nobody)

        assert not outcome.passed
        assert outcome.observed is None
        assert outcome.reason.startswith("the value is undefined: ")


def test_an_infinite_value_is_judged_as_the_number_it_is(tmp_path: Path) -> None:
    """Without false alarms the positive likelihood ratio is +∞: more than anything."""
    sure = {"A": "confusion = [[8, 2], [0, 10]]"}
    least = evaluate_gate(tmp_path, 'measure = "lr_positive"\nat_least = 10', sure)
    most = evaluate_gate(tmp_path, 'measure = "lr_positive"\nat_most = 10', sure)

    assert (least.passed, most.passed) == (True, False)
    assert least.observed is None
    assert least.reason == "the value is infinite and at least the minimum"


def test_an_end_that_is_wanted_and_missing_fails(tmp_path: Path) -> None:
    """One fold has a mean but no interval."""
    one = {"A": "fold_scores = { accuracy = [0.9] }"}
    value = evaluate_gate(tmp_path, 'measure = "accuracy"\nat_least = 0.5', one)
    low = evaluate_gate(tmp_path, 'measure = "accuracy"\nat_least = 0.5\nbound = "low"', one)

    assert value.passed
    assert not low.passed
    assert low.reason == "the value is known, but there is no interval"


def test_a_class_that_does_not_occur_fails_and_is_named(tmp_path: Path) -> None:
    """Classes that only the data know are checked when these are read."""
    (tmp_path / "a.csv").write_text("truth,prediction\nyes,yes\nno,no\nyes,no\n")
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "f1"\nclass = "nos"\nat_least = 0\n'
    spec = '[task]\nkind = "binary"\npositive = "yes"\n[data]\ntruth = "truth"\n'
    path = tmp_path / "spec.toml"
    classifier = 'prediction = "prediction"\n[[classifiers]]\nname = "A"\npredictions = "a.csv"\n'
    path.write_text(spec + classifier + gate)
    from reportgen.pipeline import load_and_evaluate

    (outcome,) = load_and_evaluate(path).gates

    assert not outcome.passed
    assert outcome.reason == "the class nos does not occur in the data: did you mean `no`?"


def test_a_mean_over_folds_is_a_value_with_an_interval(tmp_path: Path) -> None:
    """Passerini's ten folds: the mean of A is 0.824."""
    folds = {"A": f"fold_scores = {{ accuracy = {list(A)} }}"}
    value = evaluate_gate(tmp_path, 'measure = "accuracy"\nat_least = 0.82', folds)
    low = evaluate_gate(tmp_path, 'measure = "accuracy"\nat_least = 0.82\nbound = "low"', folds)

    assert value.passed
    assert value.observed == pytest.approx(sum(A) / 10)
    assert not low.passed


@pytest.mark.parametrize(
    ("classifier", "other", "margin", "passed"),
    [
        # A − B is 0.2, surely above 0.0524: better, whatever the margin.
        ("A", "B", 0.001, True),
        # B is worse by at most 0.3339.
        ("B", "A", 0.334, True),
        ("B", "A", 0.333, False),
    ],
)
def test_not_worse_is_shown_by_newcombes_interval(
    tmp_path: Path, classifier: str, other: str, margin: float, passed: object
) -> None:
    """56/70 − 48/80 by method 10 of Newcombe 1998: 0.0524 to 0.3339; so has statsmodels."""
    gate = f'measure = "sensitivity"\nnot_worse_than = "{other}"\nmargin = {margin}'
    outcome = evaluate_gate(tmp_path, gate, more=TWO_SIDED, classifier=classifier)
    low, high = confint_proportions_2indep(56, 70, 48, 80, method="newcomb")
    worse_end = low if classifier == "A" else -high

    assert outcome.passed is passed
    assert outcome.observed == pytest.approx(worse_end, abs=1e-9)
    assert worse_end == pytest.approx(0.0524 if classifier == "A" else -0.3339, abs=5e-5)
    assert outcome.criterion == -margin


def test_where_less_is_better_more_is_worse(tmp_path: Path) -> None:
    """The rate of missed positives is turned: B misses more, by at most 0.3339."""
    gate = 'measure = "type_2_rate"\nnot_worse_than = "A"\nmargin = 0.334'
    outcome = evaluate_gate(tmp_path, gate, more=TWO_SIDED, classifier="B")

    assert outcome.passed
    assert outcome.observed == pytest.approx(0.3339, abs=5e-5)
    assert outcome.criterion == pytest.approx(0.334)


def test_the_level_is_one_sided_and_not_shared(tmp_path: Path) -> None:
    """At α = 0.05 the interval is that of 90 %: 1.645 instead of 1.960 standard errors."""
    gate = 'measure = "sensitivity"\nnot_worse_than = "A"\nmargin = 0.32'
    outcome = evaluate_gate(tmp_path, gate, classifier="B")

    assert outcome.low == pytest.approx(-0.2 - 0.1339 * 1.644854 / 1.959964, abs=1e-4)
    assert outcome.passed


def test_paired_answers_are_tested_paired(tmp_path: Path) -> None:
    """25 cases only A has right, 12 only B, of 200: Bonett and Price give 0.0044 to 0.1243."""
    answers = [("yes", "no")] * 25 + [("no", "yes")] * 12 + [("yes", "yes")] * 163
    for place, name in enumerate("ab"):
        rows = [f"{at},yes,{answer[place]}" for at, answer in enumerate(answers)]
        rows += [f"{at},no,no" for at in range(200, 210)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,truth,prediction", *rows]))
    classifiers = {"A": 'predictions = "a.csv"', "B": 'predictions = "b.csv"'}
    columns = '[data]\nid = "id"\ntruth = "truth"\nprediction = "prediction"\n'
    gate = 'measure = "sensitivity"\nnot_worse_than = "A"\nmargin = 0.125'
    outcome = evaluate_gate(tmp_path, gate, classifiers, TWO_SIDED + columns, classifier="B")

    assert outcome.passed
    assert outcome.low == pytest.approx(-0.124297, abs=1e-6)
    assert outcome.high == pytest.approx(-0.004416, abs=1e-6)
    assert outcome.high == pytest.approx(-bonett_price_interval(25, 12, 200, 0.95).low)


def test_the_margin_of_the_comparison_serves_gates_that_have_none(tmp_path: Path) -> None:
    """Under whichever of its names the measure has the margin there."""
    gate = 'measure = "sensitivity"\nnot_worse_than = "A"'
    more = TWO_SIDED + "margin = { recall = 0.334 }\n"

    assert evaluate_gate(tmp_path, gate, more=more, classifier="B").criterion == -0.334


def test_a_pair_that_the_baseline_leaves_out_is_tested_for_the_gate(tmp_path: Path) -> None:
    """And the report's own family of tests stays as it is without the gate."""
    three = NEWCOMBE | {"C": "confusion = [[60, 10], [10, 90]]"}
    more = TWO_SIDED + 'baseline = "C"\n'
    gate = '[[gates]]\nclassifier = "B"\nmeasure = "g_mean"\nnot_worse_than = "A"\nmargin = 0.9\n'
    text = '[measures]\nshow = ["sensitivity"]\n'
    evaluation = evaluated(tmp_path, gate, three, more + text)
    without = evaluated(tmp_path, "", three, more + text)

    assert evaluation.gates[0].observed is not None
    assert evaluation.gates[0].passed
    assert evaluation.comparisons == without.comparisons


def test_a_difference_of_undefined_values_fails(tmp_path: Path) -> None:
    """B calls nothing positive, so that its precision is undefined."""
    classifiers = SVM | {"B": "confusion = [[0, 70], [0, 100]]"}
    gate = 'measure = "precision"\nnot_worse_than = "B"\nmargin = 0.5'
    outcome = evaluate_gate(tmp_path, gate, classifiers)

    assert not outcome.passed
    assert outcome.reason.startswith("the value of B is undefined: ")


def test_folds_are_compared_by_the_corrected_test(tmp_path: Path) -> None:
    """B − A: mean −0.046, Nadeau and Bengio's error 0.0254 at 9 df: t.975 · error = 0.0576."""
    classifiers = {
        name: f"fold_scores = {{ accuracy = {list(scores)} }}"
        for name, scores in (("A", A), ("B", B))
    }
    differences = [b - a for a, b in zip(A, B, strict=True)]
    mean = sum(differences) / 10
    variance = sum((difference - mean) ** 2 for difference in differences) / 9
    reach = 2.262157 * ((1 / 10 + 1 / 9) * variance) ** 0.5
    gate = 'measure = "accuracy"\nnot_worse_than = "A"\nmargin = 0.2'
    outcome = evaluate_gate(tmp_path, gate, classifiers, TWO_SIDED, classifier="B")

    assert outcome.passed
    assert outcome.observed == pytest.approx(mean - reach, abs=1e-6)


def test_the_positive_class_may_be_named(tmp_path: Path) -> None:
    """It is the one that tests of two classes are about."""
    gate = 'measure = "sensitivity"\nclass = "yes"\nnot_worse_than = "B"\nmargin = 0.01'

    assert evaluate_gate(tmp_path, gate).passed


def test_only_failed_gates_of_level_error_stop_a_run(tmp_path: Path) -> None:
    """A warning is told and stops nothing."""
    gate = 'measure = "sensitivity"\nat_least = 0.9'

    assert evaluate_gate(tmp_path, gate).fails_run
    assert not evaluate_gate(tmp_path, f'{gate}\nlevel = "warning"').fails_run
    assert not evaluate_gate(tmp_path, 'measure = "sensitivity"\nat_least = 0.5').fails_run


def test_classifiers_of_other_cases_are_not_compared_where_prevalence_matters(
    tmp_path: Path,
) -> None:
    """70 of 170 cases were positive for A, 80 of 180 for B: precision follows from that, too."""
    outcome = evaluate_gate(tmp_path, 'measure = "precision"\nnot_worse_than = "B"\nmargin = 0.9')

    assert not outcome.passed
    assert outcome.reason.endswith("they were not measured on cases that can be compared")


@pytest.mark.parametrize(("margin", "passed"), [(0.1, True), (0.01, False)])
def test_an_average_over_classes_is_compared_with_another_classifier(
    tmp_path: Path, margin: float, passed: object
) -> None:
    """Both are right on 85 % of the cases; the outcome agrees with its reason."""
    answers = ["truth,A,B"]
    for case in range(300):
        truth, other = "abc"[case % 3], "abc"[(case + 1) % 3]
        one, two = (other if case % 20 < 3 else truth, other if case % 20 > 16 else truth)
        answers.append(f"{truth},{one},{two}")
    (tmp_path / "t.csv").write_text("\n".join(answers) + "\n", encoding="utf-8")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "t.csv"\nprediction = "{name}"\n'
        for name in "AB"
    )
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "f1"\naverage = "macro"\nnot_worse_than = "B"\n'
    spec = tmp_path / "spec.toml"
    text = f'[task]\nkind = "multiclass"\n{classifiers}{gate}margin = {margin}\n'
    spec.write_text(text, encoding="utf-8")
    (outcome,) = load_and_evaluate(spec).gates

    assert outcome.passed is passed
    assert outcome.reason.startswith("non-inferior") is passed
