"""What the section on folds says: values, means, tests side by side, disagreements, the audit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.render.markdown import render_markdown
from reportgen.report.build import build_report
from reportgen.report.document import Table
from reportgen.report.findings.cross_validation import correction_disagreement_findings
from reportgen.report.inline import (
    Count,
    Interval,
    MeasureDifference,
    MeasureEstimate,
    PlainNumber,
    PValue,
)
from tests.report.report_text import BINARY, evaluated, notes, section, sentences

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

SPECS = Path(__file__).parents[2] / "specs"
ONLY_FOLDS = '[[sections]]\nkind = "folds"\n'
IN_FULL = '[output]\ndetail = "full"\n'
DATA = '[data]\nid = "case"\nfold = "fold"\n'
A = (0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81)
B = (0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77)


def accuracies(*values: float) -> str:
    """Return the key of the accuracy per fold."""
    return f"fold_scores = {{ accuracy = {list(values)} }}"


def write_cases(folder: Path, name: str, folds: np.ndarray, seed: int) -> str:
    """Write cases, half of them positive, of which about 80 % are predicted rightly."""
    truth = np.arange(len(folds)) % 2 == 0
    right = np.random.default_rng(seed).random(len(folds)) < 0.8
    words = {True: "yes", False: "no"}
    frame = pl.DataFrame(
        {
            "case": np.arange(len(folds)),
            "fold": folds,
            "truth": [words[bool(item)] for item in truth],
            "prediction": [words[bool(item)] for item in truth == right],
        }
    )
    frame.write_csv(folder / f"{name}.csv")
    return f'predictions = "{name}.csv"'


def fold_tables(evaluation: Evaluation) -> dict[str, Table]:
    """Return the tables of the section by name."""
    blocks = section(build_report(evaluation), "folds").blocks
    return {block.name: block for block in blocks if isinstance(block, Table)}


def test_the_spec_of_the_lecture_notes_is_reported_in_full() -> None:
    """Both tests with their numbers, and which one to trust."""
    evaluation = load_and_evaluate(SPECS / "tenfold.toml")
    tables = fold_tables(evaluation)

    (group,) = tables["fold-tests-accuracy"].groups
    assert group.head == "A − B"
    by_test = {row[0]: row[1:] for row in group.rows}
    assert list(by_test) == ["Standard paired t-test", "Corrected t-test", "Wilcoxon signed-rank"]
    difference, error, interval, statistic, df, p = by_test["Standard paired t-test"]
    assert isinstance(difference, MeasureDifference)
    assert difference.number == pytest.approx(0.046)
    assert isinstance(error, PlainNumber)
    assert error.number == pytest.approx(0.0154344, abs=5e-8)
    assert isinstance(statistic, PlainNumber)
    assert statistic.number == pytest.approx(2.98, abs=5e-3)
    assert df == PlainNumber(9)
    assert isinstance(interval, Interval)
    assert isinstance(p, PValue)
    assert p.number == pytest.approx(0.0154, abs=5e-5)
    *_, corrected_statistic, _, corrected_p = by_test["Corrected t-test"]
    assert isinstance(corrected_statistic, PlainNumber)
    assert corrected_statistic.number == pytest.approx(2.0512, abs=5e-5)
    assert isinstance(corrected_p, PValue)
    assert corrected_p.number == pytest.approx(0.0705, abs=5e-5)
    note = tables["fold-tests-accuracy"].note
    assert note is not None
    level, critical, _, significance = (
        part for part in note.parts if isinstance(part, PlainNumber)
    )
    assert (level, significance) == (PlainNumber(95, unit="%"), PlainNumber(5, unit="%"))
    assert critical.number == pytest.approx(2.262, abs=5e-4)


def test_the_section_says_that_the_tests_disagree_and_which_one_to_trust() -> None:
    """In a sentence that can be read without the table, also offered to the summary."""
    evaluation = load_and_evaluate(SPECS / "tenfold.toml")

    message = [
        text for text in sentences(build_report(evaluation), "folds") if "Use the corrected" in text
    ]

    assert len(message) == 1
    assert len(correction_disagreement_findings(evaluation, evaluation.overall_measures)) == 1


def test_where_the_tests_agree_no_sentence_warns(tmp_path: Path) -> None:
    """At 10 % both find the difference."""
    classifiers = {"A": accuracies(*A), "B": accuracies(*B)}
    evaluation = evaluated(tmp_path, classifiers, more="[comparison]\nalpha = 0.1\n")

    assert correction_disagreement_findings(evaluation, evaluation.overall_measures) == ()
    assert not any(
        "Use the corrected test" in text for text in sentences(build_report(evaluation), "folds")
    )


def test_one_classifier_has_folds_but_no_tests(tmp_path: Path) -> None:
    """Values, mean and variances are still there."""
    evaluation = evaluated(tmp_path, {"A": accuracies(*A)}, more=ONLY_FOLDS)

    assert list(fold_tables(evaluation)) == ["folds-accuracy"]
    assert sentences(build_report(evaluation), "folds") == []


def test_different_folds_are_stated_not_to_be_compared(tmp_path: Path) -> None:
    """Instead of a test on what happens to have the same number."""
    classifiers = {"A": accuracies(*A), "B": accuracies(*B[:8])}
    evaluation = evaluated(tmp_path, classifiers, more=ONLY_FOLDS)

    assert notes(build_report(evaluation), "folds") == [
        "No fold-level tests of A and B: they have 10 and 8 folds, of which 8 share a name."
    ]


def test_measures_that_nobody_shares_are_stated_not_to_be_compared(tmp_path: Path) -> None:
    """The accuracy of A has nothing to be compared with."""
    classifiers = {"A": accuracies(*A), "B": f"fold_scores = {{ f1 = {list(B)} }}"}
    evaluation = evaluated(tmp_path, classifiers, more=ONLY_FOLDS)

    assert notes(build_report(evaluation), "folds") == [
        "No fold-level tests of A and B: no common measure."
    ]


def test_pooled_value_stands_beside_the_mean_of_unequal_folds(tmp_path: Path) -> None:
    """All of 10 cases right and 15 of 30: pooled 25/40, but the mean of folds is 3/4."""
    right = np.array([True] * 10 + [True, False] * 15)
    truth = np.array((["yes", "no"] * 5) + (["yes", "yes", "no", "no"] * 8)[:30])
    other = np.where(truth == "yes", "no", "yes")
    pl.DataFrame(
        {
            "case": np.arange(40),
            "fold": np.repeat([1, 2], [10, 30]),
            "truth": truth,
            "prediction": np.where(right, truth, other),
        }
    ).write_csv(tmp_path / "a.csv")
    evaluation = evaluated(
        tmp_path, {"A": 'predictions = "a.csv"'}, more=DATA + ONLY_FOLDS + IN_FULL
    )

    statistics = fold_tables(evaluation)["folds-accuracy"].groups[1]
    by_name = {row[0]: row[1] for row in statistics.rows}

    mean = by_name["Mean"]
    assert isinstance(mean, MeasureEstimate)
    assert mean.value.value == 0.75
    pooled = by_name["Pooled"]
    assert isinstance(pooled, MeasureEstimate)
    assert pooled.value.value == 25 / 40
    text = " ".join(sentences(build_report(evaluation), "folds"))
    assert "computed from the cases of all folds" in text
    assert "Folds of unequal size" in text


def test_folds_without_a_value_are_counted_and_stated(tmp_path: Path) -> None:
    """A predicts nothing positive in fold 1, where precision is undefined."""
    write_cases(tmp_path, "b", np.arange(40) // 10, 2)
    keys = write_cases(tmp_path, "a", np.arange(40) // 10, 1)
    frame = pl.read_csv(tmp_path / "a.csv")
    no = pl.when(pl.col("fold") == 1).then(pl.lit("no")).otherwise("prediction")
    frame.with_columns(prediction=no).write_csv(tmp_path / "a.csv")
    more = DATA + ONLY_FOLDS + IN_FULL + '[measures]\nshow = ["precision", "accuracy"]\n'
    evaluation = evaluated(tmp_path, {"A": keys, "B": 'predictions = "b.csv"'}, more=more)

    tables = fold_tables(evaluation)

    (group,) = tables["folds-left-out"].groups
    assert group.rows == (("A", "Precision", Count(1), Count(4)),)
    assert any(
        "excluded from its mean" in note for note in notes(build_report(evaluation), "folds")
    )
    remark = tables["fold-tests-precision"].note
    assert remark is not None
    assert any("1 of 4 folds left out" in part for part in remark.parts if isinstance(part, str))


def test_the_audit_says_whether_folds_are_stratified(tmp_path: Path) -> None:
    """Folds by parity hold one class each; folds of ten cases in a row hold both."""
    even = {"A": write_cases(tmp_path, "a", np.arange(40) // 10, 1)}
    stratified = sentences(build_report(evaluated(tmp_path, even, more=DATA)), "folds")
    odd = {"A": write_cases(tmp_path, "a", np.arange(40) % 4, 1)}
    report = build_report(evaluated(tmp_path, odd, more=DATA))

    assert any("Folds are stratified" in message for message in stratified)
    assert any("Folds are not stratified" in text for text in sentences(report, "folds"))
    assert ("Folds 1, 3 have no case of class yes; some measures are undefined there.") in notes(
        report, "folds"
    )


def test_many_pairs_have_a_row_each(tmp_path: Path) -> None:
    """Five classifiers are ten pairs: p-values side by side, and not three rows for each."""
    classifiers = {f"C{number}": accuracies(*A[number:], *A[:number]) for number in range(5)}
    evaluation = evaluated(tmp_path, classifiers, more=ONLY_FOLDS)

    table = fold_tables(evaluation)["fold-tests-accuracy"]

    (group,) = table.groups
    assert len(group.rows) == 10
    assert all(len(row) == len(table.columns) for row in group.rows)


def test_a_hundred_folds_are_stated_to_be_ten_repeats(tmp_path: Path) -> None:
    """With the ratio that follows from ten folds, and the values of one measure only."""
    classifiers = {"A": accuracies(*(A * 10)), "B": accuracies(*(B * 10))}
    evaluation = evaluated(tmp_path, classifiers, BINARY, ONLY_FOLDS + "[folds]\nrepeats = 10\n")

    text = sentences(build_report(evaluation), "folds")[0]

    assert "Design: 10 repeats of 10" in text
    assert "n_test/n_train = 0.111" in text


def repeated_predictions(folder: Path, times: int) -> Evaluation:
    """Evaluate two classifiers that predict each of 40 cases several times."""
    rng = np.random.default_rng(5)
    truth = np.tile(np.array([True] * 10 + [False] * 30), times)
    words = np.array(["no", "yes"])
    for name, accuracy in (("A", 0.9), ("B", 0.7)):
        right = rng.random(len(truth)) < accuracy
        pl.DataFrame(
            {
                "case": np.tile(np.arange(40), times),
                "run": np.repeat(np.arange(times), 40),
                "truth": words[truth.astype(int)],
                "prediction": words[np.where(right, truth, ~truth).astype(int)],
            }
        ).write_csv(folder / f"{name}.csv")
    data = '[data]\nid = "case"\nrepeat = "run"\n'
    return evaluated(folder, {name: f'predictions = "{name}.csv"' for name in "AB"}, more=data)


def test_repetitions_of_all_cases_are_no_cross_validation(tmp_path: Path) -> None:
    """Answers of a language model to the same questions in several runs, for instance."""
    report = build_report(repeated_predictions(tmp_path, 4))

    text = render_markdown(report)
    assert "40 cases: 10 **yes** (positive, 25%), 30 **no**, each predicted 4 times" in text
    assert "Counts refer to predictions, 4 per case" in text
    assert section(report, "folds").title == "Variability over repetitions"
    assert "4 repetitions of 40 cases" in text
    assert "repeated predictions of a case count as one case" in text
    for claim in ("ross-validation", "Nadeau", "corrected", "tratified", "per fold", "Folds"):
        assert claim not in text


def test_repetitions_with_folds_are_repeated_cross_validation(tmp_path: Path) -> None:
    """A fold then has a part of the cases only."""
    evaluation = repeated_predictions(tmp_path, 4)
    for name in "AB":
        frame = pl.read_csv(tmp_path / f"{name}.csv").with_columns(fold=pl.col("case") % 5)
        frame.write_csv(tmp_path / f"{name}.csv")
    data = '[data]\nid = "case"\nrepeat = "run"\nfold = "fold"\n'
    classifiers = {name: f'predictions = "{name}.csv"' for name in "AB"}

    repeated = evaluated(tmp_path, classifiers, more=data)

    assert evaluation.folds_are_repetitions
    assert not repeated.folds_are_repetitions
    assert section(build_report(repeated), "folds").title == "Cross-validation variability"
    assert repeated.class_sizes == evaluation.class_sizes == {"A": (10, 30), "B": (10, 30)}
