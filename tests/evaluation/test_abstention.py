"""Unanswered cases: missing predictions and abstentions, counted by the rule of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sklearn.metrics import f1_score, precision_score
from statsmodels.stats.proportion import proportion_confint

from reportgen.errors import SpecError
from reportgen.pipeline import load_and_evaluate
from tests.predictions.spec_folder import faults, write

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

# A answers all but two, B all but one of eight cases.
ROWS = """\
truth,A,B
yes,yes,yes
yes,,yes
yes,yes,no
no,no,no
no,no,unclear
no,NA,yes
no,no,no
yes,yes,yes
"""
BINARY = 'kind = "binary"\npositive = "yes"\nabstain = ["unclear"]'


def evaluate(folder: Path, data: str, task: str = BINARY, rows: str = ROWS) -> Evaluation:
    """Evaluate the two classifiers of a table."""
    (folder / "table.csv").write_text(rows, encoding="utf-8")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        for name in "AB"
    )
    spec = folder / "spec.toml"
    spec.write_text(f"[task]\n{task}\n[data]\n{data}\n{classifiers}", encoding="utf-8")
    return load_and_evaluate(spec)


def matrices(evaluation: Evaluation) -> list[object]:
    """Return the confusion matrices of both."""
    assert evaluation.aggregates.confusion is not None
    return [evaluation.aggregates.confusion.matrix(name) for name in "AB"]


def test_unanswered_cases_count_as_wrong_for_their_true_class(tmp_path: Path) -> None:
    """A misses a positive and a negative: one more FN and one more FP."""
    evaluation = evaluate(tmp_path, 'missing = "wrong"')

    assert matrices(evaluation) == [((3, 1), (1, 3)), ((3, 1), (2, 2))]


def test_unanswered_cases_are_left_out_for_all_classifiers(tmp_path: Path) -> None:
    """Three cases lack an answer of one of them; the report says how many and that it differs."""
    evaluation = evaluate(tmp_path, 'missing = "drop"')

    assert matrices(evaluation) == [((3, 0), (0, 2)), ((2, 1), (0, 2))]
    assert any("3 cases left out" in warning for warning in evaluation.warnings)
    assert any("`A` 6 of 8, `B` 7 of 8" in warning for warning in evaluation.warnings)


def test_unanswered_cases_may_count_as_a_class(tmp_path: Path) -> None:
    """Every empty prediction is read as yes."""
    assert matrices(evaluate(tmp_path, 'missing = "yes"')) == [((4, 0), (1, 3)), ((3, 1), (2, 2))]


def test_coverage_has_a_wilson_interval(tmp_path: Path) -> None:
    """As statsmodels computes it."""
    abstention = evaluate(tmp_path, 'missing = "wrong"').abstention
    assert abstention is not None

    first = abstention.coverage[0]

    assert (first.answered, first.cases, first.share) == (6, 8, 0.75)
    assert (first.low, first.high) == pytest.approx(proportion_confint(6, 8, method="wilson"))
    assert abstention.coverage_differs


@pytest.mark.parametrize(("policy", "other"), [("wrong", "drop"), ("drop", "wrong")])
def test_values_are_known_with_and_without_the_unanswered_cases(
    tmp_path: Path, policy: str, other: str
) -> None:
    """The other values are the main values of a report by the other rule."""
    abstention = evaluate(tmp_path, f'missing = "{policy}"').abstention
    by_other_rule = evaluate(tmp_path, f'missing = "{other}"').by_key
    assert abstention is not None

    assert abstention.alternative_policy == other
    assert abstention.alternative_values
    for row in abstention.alternative_values:
        assert row.value == by_other_rule[row.classifier, None, row.average, row.measure]


def test_abstentions_alone_are_left_out_by_default(tmp_path: Path) -> None:
    """Nothing is missing, so that nothing needs a rule."""
    rows = ROWS.replace(",,", ",no,").replace("NA", "no")

    evaluation = evaluate(tmp_path, "", rows=rows)

    assert matrices(evaluation) == [((3, 1), (0, 3)), ((3, 1), (1, 2))]


def test_an_unanswered_case_of_several_classes_is_no_class(tmp_path: Path) -> None:
    """It has its own column; recall of its true class falls, and nobody's precision."""
    rows = "truth,A,B\na,a,a\nb,b,b\nc,c,c\nc,,c\na,a,b\nb,b,b\n"

    evaluation = evaluate(tmp_path, 'missing = "wrong"', 'kind = "multiclass"', rows)

    assert evaluation.aggregates.classes == ("a", "b", "c", "no answer")
    assert evaluation.by_key["A", "c", None, "sensitivity"].value == 0.5
    assert evaluation.by_key["A", "c", None, "precision"].value == 1
    assert evaluation.by_key["A", None, None, "accuracy"].value == pytest.approx(5 / 6)


def test_averages_leave_out_the_class_of_unanswered_cases(tmp_path: Path) -> None:
    """Macro averages are those of scikit-learn over the classes of the truth.

    So are their differences; without that, `no answer` would have a precision of 0.
    """
    rows = [("a", "a", "a"), ("b", "b", "b"), ("c", "c", "c"), ("c", "", "a"), ("a", "b", "b")] * 9
    text = "truth,A,B\n" + "".join(",".join(row) + "\n" for row in rows)

    evaluation = evaluate(
        tmp_path,
        'missing = "wrong"',
        'kind = "multiclass"',
        text,
    )

    truth = [row[0] for row in rows]
    for place, name in enumerate("AB", start=1):
        for measure, score in (("f1", f1_score), ("precision", precision_score)):
            predicted = [row[place] or "no answer" for row in rows]
            expected = score(truth, predicted, labels=["a", "b", "c"], average="macro")
            result = evaluation.by_key[name, None, "macro", measure]
            assert result.value == pytest.approx(expected)
            assert result.low is not None
            assert result.high is not None
            assert result.low < expected < result.high
    assert evaluation.named_classes == ("a", "b", "c")
    assert {row.class_ for row in evaluation.capabilities} == {"a", "b", "c"}
    assert {row.class_ for row in evaluation.likelihood_relations} == {"a", "b", "c"}
    assert {row.class_ for row in evaluation.comparisons} == {None, "a", "b", "c"}
    assert set(evaluation.values.frame["class"].cast(str)) == {None, "a", "b", "c"}
    assert set(evaluation.classes_hardest_first) == {"a", "b", "c"}
    assert not [text for text in evaluation.warnings if "never true" in text]


def test_missing_predictions_are_errors_by_default(tmp_path: Path) -> None:
    """Nothing is left out silently."""
    table = "truth,prediction\nyes,yes\nno,\nno,no\n"

    (fault,) = faults(tmp_path, write(tmp_path, A=table), data="")

    assert fault.error_code.code == "E208"


def test_missing_scores_are_left_out_on_request(tmp_path: Path) -> None:
    """The case without a score is dropped, also where the score decides the prediction."""
    rows = "truth,score\nyes,0.9\nno,\nno,0.2\nyes,0.4\n"
    (tmp_path / "table.csv").write_text(rows, encoding="utf-8")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n[data]\nscore = "score"\nthreshold = 0.5\n'
        'missing = "drop"\n[[classifiers]]\nname = "A"\npredictions = "table.csv"\n',
        encoding="utf-8",
    )

    evaluation = load_and_evaluate(spec)

    assert evaluation.aggregates.confusion is not None
    assert evaluation.aggregates.confusion.matrix("A") == ((1, 1), (0, 1))


@pytest.mark.parametrize(
    ("task", "data", "finding"),
    [
        ('kind = "regression"', 'missing = "wrong"', "can only be left out"),
        ('kind = "multiclass"\nclasses = ["a", "b"]', 'missing = "c"', "not one of the classes"),
        (
            'kind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\nabstain = ["no"]',
            "",
            "is a class",
        ),
        ('kind = "regression"\nabstain = ["x"]', "", "does not apply"),
    ],
)
def test_rules_that_do_not_fit_are_errors_of_the_spec(
    tmp_path: Path, task: str, data: str, finding: str
) -> None:
    """They are found before any file is read."""
    with pytest.raises(SpecError, match=finding):
        evaluate(tmp_path, data, task)
