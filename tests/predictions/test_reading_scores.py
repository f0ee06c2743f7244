"""Scores and probabilities from files to tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.predictions.scores import ScoreType
from tests.predictions.spec_folder import ROWS, faults, read, write

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.model import Aggregates

MULTICLASS = 'kind = "multiclass"\nclasses = ["a", "b", "c"]'
THREE = """\
case,truth,prediction,p_a,p_b,p_c
1,a,a,0.7,0.2,0.1
2,b,b,0.1,0.8,0.1
3,c,a,0.5,0.2,0.3
"""
OTHER_ORDER = """\
case,truth,prediction,p_a,p_b,p_c
3,c,c,0.1,0.2,0.7
1,a,b,0.3,0.6,0.1
2,b,b,0.2,0.7,0.1
"""


def errors(predictions: Aggregates) -> dict[str, float]:
    """Return the sums of squared errors by classifier."""
    assert predictions.probability_losses is not None
    pooled = predictions.probability_losses.frame.filter(pl.col("fold").is_null())
    return dict(pooled.select("classifier", "probability_errors").rows())


def test_scores_between_0_and_1_are_read_as_probabilities(tmp_path: Path) -> None:
    """0.1² + 0.2² + 0.7² + 0.6² + 0.2² for the five cases, and it is said so."""
    result = read(tmp_path, write(tmp_path, A=ROWS))

    assert errors(result) == {"A": pytest.approx(0.01 + 0.04 + 0.49 + 0.36 + 0.04)}
    assert result.score_types == (ScoreType("A", "score", "probability", declared=False),)
    assert result.curves is not None
    assert result.curves.frame["threshold"].to_list() == [0.9, 0.8, 0.7, 0.4, 0.2]


def test_other_scores_only_rank_the_cases(tmp_path: Path) -> None:
    """One score above 1 is enough; curves and areas need no more than an order."""
    result = read(tmp_path, write(tmp_path, A=ROWS.replace("0.9", "1.5")))

    assert result.probability_losses is None
    assert result.calibration is None
    assert result.ranking is not None
    assert result.ranking.frame["concordant"][0] == 5
    assert result.score_types == (ScoreType("A", "score", "ranking", declared=False),)


def test_a_spec_can_say_that_scores_only_rank(tmp_path: Path) -> None:
    """Also for one classifier of several."""
    classifiers = write(tmp_path, A=ROWS, B=ROWS)
    classifiers["B"] += '\nscore_kind = "ranking"'
    result = read(tmp_path, classifiers)

    assert set(errors(result)) == {"A"}
    assert result.score_types[1] == ScoreType("B", "score", "ranking", declared=True)


def test_scores_that_are_stated_to_be_probabilities_must_be(tmp_path: Path) -> None:
    """The fault names the file, the line and the value."""
    (fault,) = faults(
        tmp_path,
        write(tmp_path, A=ROWS.replace("0.7", "7.0")),
        data='id = "case"\nscore = "score"\nscore_kind = "probability"',
    )

    assert fault.error_code.code == "E211"
    assert fault.message == "column `score`: 7.0 is not between 0 and 1"
    assert fault.help == (
        "a percentage? write 0.07;"
        ' if these scores are not probabilities, set `score_kind` to "ranking"'
    )
    assert fault.location is not None
    assert fault.location.line == 4


@pytest.mark.parametrize("rows", [ROWS.replace("0.2", "-3.1"), ROWS.replace("0.7", "1.2")])
def test_scores_that_are_no_percentages_are_not_called_so(tmp_path: Path, rows: str) -> None:
    """A negative score is none, nor is one of 1.2 whose neighbours are 0.2 and 0.9."""
    (fault,) = faults(
        tmp_path,
        write(tmp_path, A=rows),
        data='id = "case"\nscore = "score"\nscore_kind = "probability"',
    )

    assert fault.help == 'if these scores are not probabilities, set `score_kind` to "ranking"'


def hundred(*, outside: int) -> str:
    """Return a file of a hundred cases, the last of which have a score of 1.2."""
    scores = [number / 100 for number in range(100 - outside)] + [1.2] * outside
    rows = (
        f"{case},{label},{label},{score}\n"
        for case, score in enumerate(scores)
        for label in ("yes" if score >= 0.5 else "no",)
    )
    return "case,truth,prediction,score\n" + "".join(rows)


def test_few_scores_outside_0_to_1_are_reported(tmp_path: Path) -> None:
    """One of a hundred, in the last of 101 lines, costs the classifier its probabilities."""
    result = read(tmp_path, write(tmp_path, A=hundred(outside=1)))

    (warning,) = result.warnings
    assert warning == (
        "`A`: 1 of 100 scores lies outside 0 to 1 (A.csv:101: 1.2), so they are treated as a"
        " ranking, not as probabilities; fix it, or write"
        ' `score_kind = "ranking"` if only their order counts'
    )


def test_scores_that_plainly_only_rank_are_not_warned_of(tmp_path: Path) -> None:
    """5 of 100 are not few; and a spec that says what scores are is not asked."""
    messages = write(tmp_path, A=hundred(outside=1))
    messages["A"] += '\nscore_kind = "ranking"'

    assert read(tmp_path, messages).warnings == ()
    assert read(tmp_path, write(tmp_path, A=hundred(outside=5))).warnings == ()
    assert "4 of 100 scores lie outside" in str(
        read(tmp_path, write(tmp_path, A=hundred(outside=4))).warnings
    )


def test_probabilities_of_classifiers_are_joined_by_case(tmp_path: Path) -> None:
    """The rows of B stand in another order."""
    result = read(
        tmp_path,
        write(tmp_path, A=THREE, B=OTHER_ORDER),
        MULTICLASS,
        'id = "case"\nprobabilities = "p_{class}"',
    )

    first = (0.3**2 + 0.2**2 + 0.1**2) + (0.1**2 + 0.2**2 + 0.1**2) + (0.5**2 + 0.2**2 + 0.7**2)
    second = (0.7**2 + 0.6**2 + 0.1**2) + (0.2**2 + 0.3**2 + 0.1**2) + (0.1**2 + 0.2**2 + 0.3**2)
    assert errors(result) == {"A": pytest.approx(first), "B": pytest.approx(second)}
    assert result.paired_losses is not None
    brier = result.paired_losses.frame.filter(pl.col("loss") == "probability_errors")
    assert brier["differences"][0] == pytest.approx(first - second)
    assert result.auc_covariances is not None


def test_the_positive_class_s_probability_is_the_score_of_a_binary_task(tmp_path: Path) -> None:
    """No score is named, and both columns count."""
    rows = """\
case,truth,prediction,p_yes,p_no
1,yes,yes,0.9,0.1
2,no,no,0.2,0.8
3,no,yes,0.7,0.3
4,yes,no,0.4,0.6
5,yes,yes,0.8,0.2
"""
    result = read(
        tmp_path, write(tmp_path, A=rows), data='id = "case"\nprobabilities = "p_{class}"'
    )

    assert result.curves is not None
    assert result.curves.frame["threshold"].to_list() == [0.9, 0.8, 0.7, 0.4, 0.2]
    assert result.curves.frame["class"].unique().to_list() == ["yes"]
    assert errors(result) == {"A": pytest.approx(0.94)}
    assert result.score_types == (ScoreType("A", "p_{class}", "probability", declared=True),)


def test_two_rows_of_a_case_with_other_probabilities_contradict_each_other(
    tmp_path: Path,
) -> None:
    """The same answer, but not the same probabilities: 0.2 or 0.1 for class b."""
    (fault,) = faults(
        tmp_path,
        write(tmp_path, A=THREE + "1,a,a,0.7,0.1,0.2\n"),
        MULTICLASS,
        'id = "case"\nprobabilities = "p_{class}"',
    )

    assert fault.message == (
        "case `1` has conflicting rows: truth a, prediction a, probability 2 0.2, probability 3"
        " 0.1 for `A` (A.csv:2); truth a, prediction a, probability 2 0.1, probability 3 0.2 for"
        " `A` (A.csv:5)"
    )


def test_a_classifier_without_scores_is_left_out(tmp_path: Path) -> None:
    """Its counts are there, its ranking is not."""
    classifiers = write(tmp_path, A=ROWS, B=ROWS.replace(",score", ",other"))
    classifiers["A"] += '\nscore = "score"'
    result = read(tmp_path, classifiers, data='id = "case"')

    assert result.ranking is not None
    assert result.ranking.frame["classifier"].unique().to_list() == ["A"]
    assert result.confusion is not None
    assert result.confusion.frame["classifier"].n_unique() == 2


def test_without_scores_there_is_nothing_to_tally(tmp_path: Path) -> None:
    """Every tally of scores is absent."""
    result = read(tmp_path, write(tmp_path, A=ROWS), data='id = "case"')

    assert result.score_types == ()
    tallies = (result.curves, result.ranking, result.auc_covariances, result.probability_losses)
    assert all(tally is None for tally in tallies)


def test_folds_come_in_their_natural_order(tmp_path: Path) -> None:
    """2 before 10, whatever the order of the rows."""
    rows = "case,truth,prediction,score,fold\n" + "".join(
        f"{fold}{label},{label},{label},0.5,{fold}\n"
        for fold in (10, 2, 1)
        for label in ("yes", "no")
    )
    result = read(
        tmp_path, write(tmp_path, A=rows), data='id = "case"\nscore = "score"\nfold = "fold"'
    )

    assert result.ranking is not None
    assert result.ranking.frame["fold"].to_list() == [None, "1", "2", "10"]


def scored(scores: list[float]) -> str:
    """Return cases that are positive from the middle on, with scores."""
    size = len(scores)
    rows = (
        f"{number},{answer},{answer},{score}\n"
        for number, score in enumerate(scores)
        for answer in ("yes" if 2 * number >= size else "no",)
    )
    return "case,truth,prediction,score\n" + "".join(rows)


def test_percentages_are_warned_of(tmp_path: Path) -> None:
    """They rank the cases as probabilities do, but have no Brier score."""
    percentages = [2.0 * number for number in range(40)]

    (warning,) = read(tmp_path, write(tmp_path, A=scored(percentages))).warnings

    assert (
        "`A`: scores lie between 0 and 78: if they are percentages, divide them by 100" in warning
    )
    declared = {"A": 'predictions = "A.csv"\nscore_kind = "ranking"'}
    assert read(tmp_path, declared).warnings == ()


def test_scores_of_the_other_class_are_warned_of(tmp_path: Path) -> None:
    """An area under the ROC curve far below ½ has a cause; with few cases it may be chance."""
    falling = [round(0.98 - number / 50, 2) for number in range(40)]
    inverted = read(tmp_path, write(tmp_path, A=scored(falling))).warnings
    few = read(tmp_path, write(tmp_path, A=scored(falling[::8]))).warnings

    assert any(
        "scores of `yes` are lower for its cases than for others" in text for text in inverted
    )
    assert any("area under the ROC curve 0.00" in text for text in inverted)
    assert not any("lower for its cases" in text for text in few)
