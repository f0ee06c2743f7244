"""What the report says of tests, margins, counts and numbers is true of them, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.measures import get_measure
from reportgen.pipeline import load_and_evaluate
from reportgen.render.plain_text import cell_text
from reportgen.report.build import build_report
from reportgen.report.document import Bullets, Figure, Paragraph
from reportgen.report.findings.collect import collect_findings
from reportgen.report.findings.comparisons import NoOtherDifferenceFinding
from reportgen.report.inline import VerdictBadge
from reportgen.report.phrases.findings import describe_finding
from tests.report.report_text import (
    confusion,
    evaluated,
    heads,
    note_of,
    notes,
    read,
    rows,
    section,
    sentences,
    table,
)

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

METHOD = "method"
SPECS = Path(__file__).parents[2] / "specs"
BETTER, WORSE = confusion((450, 50), (50, 450)), confusion((300, 200), (200, 300))
CASES = "id,truth,pred\n"


def predictions(folder: Path, name: str, answers: str, more: str = "") -> str:
    """Write a file of answers, the first half of the cases being truly yes, and return its key."""
    half = len(answers) // 2
    lines = (
        f"{at},{'yes' if at < half else 'no'},{'yes' if answer == 'y' else 'no'}\n"
        for at, answer in enumerate(answers)
    )
    (folder / f"{name}.csv").write_text(CASES + "".join(lines), encoding="utf-8")
    return f'predictions = "{name}.csv"\n{more}'


DATA = '[data]\nid = "id"\ntruth = "truth"\nprediction = "pred"\n'


def test_a_crossing_that_may_be_anywhere_is_not_claimed(tmp_path: Path) -> None:
    """One answer more on each side: Fieller's interval goes from 0 to 1."""
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((11, 9), (9, 31)), "B": confusion((12, 8), (10, 30))},
        more="[prevalence]\ntargets = [0.9]\n",
    )
    report = build_report(evaluation)
    (crossing,) = (
        prevalence_crossover
        for prevalence_crossover in evaluation.prevalence_crossovers
        if prevalence_crossover.measure == "accuracy"
    )

    assert (crossing.low, crossing.high) == (0.0, 1.0)
    assert not any("crossover" in text for text in sentences(report))
    assert any("not identifiable" in text for text in sentences(report, "prevalence"))


def test_a_crossing_that_is_located_is_claimed(tmp_path: Path) -> None:
    """With a thousand times the cases it lies close to ½: both gaps are 0.05."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": confusion((11000, 9000), (9000, 31000)),
            "B": confusion((12000, 8000), (11000, 29000)),
        },
        more="[prevalence]\ntargets = [0.9]\n",
    )

    assert any(
        text.startswith("Accuracy crossover at prevalence 50.0%")
        for text in sentences(build_report(evaluation))
    )


def test_a_one_sided_test_is_stated_to_ask_only_whether_the_first_is_better(tmp_path: Path) -> None:
    """B is better on every fold, which a test that asks whether A is better cannot show."""
    folds = {
        "A": "fold_scores = { accuracy = [0.79, 0.80, 0.78, 0.82, 0.79] }",
        "B": "fold_scores = { accuracy = [0.81, 0.82, 0.79, 0.85, 0.80] }",
    }
    evaluation = evaluated(tmp_path, folds, more='[folds]\ntails = "one"\n')
    report = build_report(evaluation)
    text = "test only whether the first classifier is better"

    assert "A is not significantly better than B in mean accuracy" in sentences(report)[0]
    assert text in " ".join(notes(report, "findings"))
    assert text in sentences(report, METHOD)[0]
    assert rows(table(report, "differences"))["Accuracy"][-1] == "n.s. (one-sided)"


def test_p_values_that_are_not_adjusted_are_not_called_adjusted(tmp_path: Path) -> None:
    """Neither at the head of their column nor where it says what backs a verdict."""
    evaluation = evaluated(
        tmp_path, {"A": BETTER, "B": WORSE}, more='[comparison]\ncorrection = "none"\n'
    )
    report = build_report(evaluation)
    under = " ".join(sentences(report, METHOD))

    assert "p" in heads(table(report, "differences"))
    assert "Adjusted p" not in heads(table(report, "differences"))
    assert "are not adjusted for multiplicity" in under
    assert "p-values are adjusted" not in under
    assert "p-values and decisions are" not in under


def test_the_error_rate_is_exact_only_for_exact_tests(tmp_path: Path) -> None:
    """A paired permutation test is exact; mid-p values are not quite."""
    files = {
        "A": predictions(tmp_path, "a", "yyyyyyyyyynnnnnnnnnn"),
        "B": predictions(tmp_path, "b", "yyyyyynnnnyynnnnnnnn"),
    }
    exact = build_report(evaluated(tmp_path, files, more=DATA))
    middle = build_report(
        evaluated(tmp_path, files, more=f'{DATA}[comparison]\np_values = "mid-p"\n')
    )

    assert "approximately" not in notes(exact, "findings")[-1]
    assert "error rate approximately" in notes(middle, "findings")[-1]


def test_equivalence_is_stated_to_rest_on_two_one_sided_tests(tmp_path: Path) -> None:
    """One comparison with a margin at 5 %: the interval of 90 % decides."""
    evaluation = evaluated(
        tmp_path, {"A": BETTER, "B": WORSE}, more="[comparison]\nmargin = { accuracy = 0.02 }\n"
    )

    text = sentences(build_report(evaluation), METHOD)[0]
    assert "two one-sided tests (TOST): the 90" in text
    assert "CI must lie within the margin." in text


def test_who_is_not_worse_by_the_margin_is_stated_where_nothing_else_is_shown(
    tmp_path: Path,
) -> None:
    """0.920 against 0.905 of 1000: within (−0.006, 0.036), so B is worse by less than 0.02."""
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((452, 48), (47, 453)), "B": confusion((460, 40), (40, 460))},
        more="[comparison]\nmargin = { accuracy = 0.02 }\n",
    )
    report = build_report(evaluation)

    assert "B is non-inferior to A (margin 2\u202fpp)." in sentences(report)[0]
    assert rows(table(report, "differences"))["Accuracy"][3] == (
        "n.s.; B non-inferior (margin 2\u202fpp)"
    )


def test_those_known_by_counts_only_are_named(tmp_path: Path) -> None:
    """Two files and a matrix of other cases, on which case by case nothing could be shown."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": predictions(tmp_path, "a", "yyyyyyyyyynnnnnnnnnn"),
            "B": predictions(tmp_path, "b", "yyyyyynnnnyynnnnnnnn"),
            "Paper": confusion((400, 600), (200, 3000)),
        },
        more=DATA,
    )
    text = sentences(build_report(evaluation), METHOD)[0]

    assert "Comparisons with Paper (confusion matrix only) are unpaired." in text
    assert "more powerful" not in text


@pytest.mark.parametrize(("second", "more"), [((450, 50), True), ((900, 100), False)])
def test_predictions_could_show_more_only_of_the_same_cases(
    tmp_path: Path, second: tuple[int, int], *, more: bool
) -> None:
    """Matrices of 500 and of 1000 positives are not of the same cases."""
    evaluation = evaluated(tmp_path, {"A": WORSE, "B": confusion(second, (50, 450))})

    assert ("more powerful" in sentences(build_report(evaluation), METHOD)[0]) is more


def test_those_that_share_the_best_value_are_all_named(tmp_path: Path) -> None:
    """A and B are the same, and both better than C."""
    evaluation = evaluated(tmp_path, {"A": BETTER, "B": BETTER, "C": WORSE})
    (message, *_) = sentences(build_report(evaluation))

    assert message.startswith("A and B share the highest accuracy: 90.0")
    assert message.endswith(", significantly above C.")


def test_a_regression_names_its_test_and_what_it_does_not_compare(tmp_path: Path) -> None:
    """All four measures are tested, and the primary one is named."""
    for name, shift in (("a", 0.1), ("b", 0.12)):
        lines = (f"{at},{at % 7},{at % 7 + shift * (at % 3 - 1)}\n" for at in range(60))
        (tmp_path / f"{name}.csv").write_text("id,truth,pred\n" + "".join(lines), encoding="utf-8")
    evaluation = evaluated(
        tmp_path,
        {"A": 'predictions = "a.csv"', "B": 'predictions = "b.csv"'},
        task='kind = "regression"',
        more=DATA,
    )
    report = build_report(evaluation)
    text = sentences(report, METHOD)[0]

    assert "paired t-tests of the absolute errors, for RMSE of the squared errors." in text
    assert "Primary measure: Root mean squared error." in text
    assert "without tests" not in text


def test_measures_in_which_nothing_is_shown_are_counted_or_named(tmp_path: Path) -> None:
    """The counts are nearly the same in all seven others; of regressions two others are tested."""
    result = evaluated(
        tmp_path,
        {"A": confusion((8, 2), (3, 7)), "B": confusion((7, 3), (3, 7))},
        more='[measures]\nshow = ["accuracy", "sensitivity"]\n',
    )

    def others(evaluation: Evaluation) -> list[int]:
        kinds = collect_findings(evaluation)
        return [len(kind.measures) for kind in kinds if isinstance(kind, NoOtherDifferenceFinding)]

    assert others(result) == [7]
    assert others(load_and_evaluate(SPECS / "diabetes.toml")) == [2]


def test_what_makes_one_better_can_be_seen(tmp_path: Path) -> None:
    """Accuracies of 0.90000 and 0.90048 are not both 0.900 where one is called better."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": confusion((9_000_000, 1_000_000), (20_000_000, 180_000_000)),
            "B": confusion((9_100_000, 900_000), (20_000_000, 180_000_000)),
        },
        more='[comparison]\nprimary = "accuracy"\n',
    )
    report = build_report(evaluation)
    block = section(report, "findings").blocks[0]
    accuracy = rows(table(report, "differences"))["Accuracy"]

    assert isinstance(block, Bullets)
    assert "difference 0.048\u202fpercentage points, 0.041–0.054;" in read(block.items[0].parts)
    assert accuracy[:2] == ["−0.048\u202fpp", "−0.054 to −0.041"]
    verdict = next(row for row in table(report, "capabilities").groups[0].rows if row[0] == "A")[1]
    assert isinstance(verdict, VerdictBadge)
    assert [cell_text(value) for _, value in verdict.estimates] == ["90.00%"]


def test_cases_to_settle_are_rounded_and_never_absurd(tmp_path: Path) -> None:
    """Youden's J differs by 3/270 − 1/100: over 10 million; no column if all is significant."""
    near = evaluated(
        tmp_path, {"A": confusion((50, 50), (30, 240)), "B": confusion((51, 49), (33, 237))}
    )
    needed = {row.measure: row.required_cases for row in near.comparisons if row.primary_test}
    report = build_report(near)
    table_rows = {**rows(table(report, "differences")), **rows(table(report, "differences-other"))}

    assert needed["youden"] is not None
    assert needed["youden"] > 10_000_000
    assert table_rows["Youden's J"][-1] == "over 10 million"
    counts = [cells[-1].replace("\u202f", "") for cells in table_rows.values()]
    assert any(count.isdigit() for count in counts)
    assert all(len(count.rstrip("0")) <= 2 for count in counts if count.isdigit())

    apart = table(build_report(evaluated(tmp_path, {"A": BETTER, "B": WORSE})), "differences")
    assert not any(head.startswith("Cases needed") for head in heads(apart))
    assert "Cases needed" not in note_of(apart)


def test_what_was_not_tested_has_its_reason_under_the_table(tmp_path: Path) -> None:
    """A perfect ranking and a constant score: neither area varies."""
    for name, low in (("a", 0.1), ("b", 0.9)):
        lines = (f"{at},yes,0.9\n" if at < 20 else f"{at},no,{low}\n" for at in range(50))
        (tmp_path / f"{name}.csv").write_text("id,truth,p\n" + "".join(lines), encoding="utf-8")
    data = '[data]\nid = "id"\ntruth = "truth"\nscore = "p"\nthreshold = 0.5\n'
    files = {"A": 'predictions = "a.csv"', "B": 'predictions = "b.csv"'}
    result = table(build_report(evaluated(tmp_path, files, more=data)), "differences")

    assert rows(result)["Area under the ROC curve"][3] == "not tested"
    assert "Not tested (neither area varies): Area under the ROC curve (A − B)." in note_of(result)


def test_nothing_is_drawn_over_the_prevalence_without_positives(tmp_path: Path) -> None:
    """Sensitivity is unknown, so there is no curve; a sentence says so."""
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((0, 0), (3, 60)), "B": confusion((0, 0), (5, 58))},
        more="[prevalence]\ntargets = [0.1]\n",
    )
    blocks = section(build_report(evaluation), "prevalence").blocks

    assert not any(isinstance(block, Figure) for block in blocks)
    assert isinstance(blocks[-1], Paragraph)
    assert read(blocks[-1].parts) == (
        "No curves over prevalence: no case is truly positive, so sensitivity is unknown."
    )


def test_measures_without_a_difference_are_named_if_they_are_few() -> None:
    """A number would seem to contradict the significant differences of others, such as R²."""
    two = NoOtherDifferenceFinding((get_measure("mae"), get_measure("pearson")))
    five = NoOtherDifferenceFinding(
        tuple(map(get_measure, ("accuracy", "sensitivity", "specificity", "npv", "f1")))
    )

    assert read(describe_finding(two)) == (
        "No significant difference in mean absolute error or Pearson correlation."
    )
    assert "any of the 5 other overall measures" in read(describe_finding(five))
