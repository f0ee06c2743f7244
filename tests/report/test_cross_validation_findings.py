"""What is found of classifiers of which only scores per fold are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.report.build import build_report
from reportgen.report.charts import FoldPlot
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.sections.summary import build_summary_figure
from tests.report.report_text import evaluated, read, sentences

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = (
    (0.00, 0.02, 0.04, 0.01, 0.03),
    (0.03, 0.00, 0.02, 0.04, 0.01),
    (0.01, 0.03, 0.00, 0.02, 0.04),
)


def folds(base: float, shape: int, measure: str = "accuracy") -> str:
    """Return the key of ten scores around a base and 0.02 above it on average."""
    scores = [round(base + each, 3) for each in SHAPES[shape] * 2]
    return f"fold_scores = {{ {measure} = {scores} }}"


def summary_sentences(folder: Path, classifiers: dict[str, str], more: str = "") -> list[str]:
    """Return the summary."""
    found = sentences(build_report(evaluated(folder, classifiers, more=more)))
    return [each.replace("\u202f", " ") for each in found]


def test_of_many_the_best_is_named_and_whom_it_is_better_than(tmp_path: Path) -> None:
    """Means of 0.72, 0.80, 0.72, 0.88, 0.82 and 0.66; M0 varies over the folds just as M3 does."""
    bases = (0.70, 0.78, 0.70, 0.86, 0.80, 0.64)
    classifiers = {f"M{at}": folds(base, at % 3) for at, base in enumerate(bases)}
    (said,) = summary_sentences(tmp_path, classifiers)

    assert said.startswith("M3 has the highest mean accuracy over the folds, 88.0 % (")
    # A difference that is the same in every fold has no variance to be tested by.
    assert said.endswith(": it is better than M4, M1, M2 and M5, and it was not tested against M0.")


def test_one_has_its_mean_and_its_figure(tmp_path: Path) -> None:
    """The mean is 0.72; the caption and the finding write it alike."""
    evaluation = evaluated(tmp_path, {"A": folds(0.70, 0)})
    figure = build_summary_figure(evaluation)

    assert summary_sentences(tmp_path, {"A": folds(0.70, 0)})[0].startswith(
        "A has a mean accuracy over the folds of 72.0 % ("
    )
    assert figure is not None
    assert read(figure.description.parts).replace("\u202f", " ") == (
        "A has a mean accuracy of 72.0 %, its folds lie between 70.0 % and 74.0 %."
    )


def test_of_two_it_is_stated_who_is_better(tmp_path: Path) -> None:
    """Means of 0.72 and 0.88, B ahead by 0.13 at least in every fold."""
    (said, *_) = summary_sentences(tmp_path, {"A": folds(0.70, 0), "B": folds(0.86, 1)})

    assert said.startswith(
        "Mean accuracy over the folds: A 72.0 %, B 88.0 % (difference −16.0 points, "
    )
    assert ". B is better than A (p " in said


def test_the_same_scores_are_called_the_same(tmp_path: Path) -> None:
    """Twins differ in no fold."""
    (said, *_) = summary_sentences(tmp_path, {"A": folds(0.70, 0), "B": folds(0.70, 0)})

    assert said == "Mean accuracy over the folds: A 72.0 %, B 72.0 %. They are the same."


def test_a_one_sided_test_of_many_does_not_call_them_alike(tmp_path: Path) -> None:
    """Asked is whether the first of two is better; that M2 is better cannot come out."""
    classifiers = {f"M{at}": folds(0.6 + at / 10, at) for at in range(3)}
    said = " ".join(summary_sentences(tmp_path, classifiers, '[folds]\ntails = "one"\n'))

    assert "it is not shown to be better than M1" in said
    assert "told apart" not in said


@pytest.mark.parametrize("count", [1, 2])
def test_the_main_measure_is_one_that_was_given(tmp_path: Path, count: int) -> None:
    """Only F1 is known, so accuracy cannot be what is drawn and spoken of."""
    classifiers = {f"M{at}": folds(0.7, at, "f1") for at in range(count)}
    evaluation = evaluated(tmp_path, classifiers)
    figure = build_summary_figure(evaluation)

    measure = primary_measure(evaluation)
    assert measure is not None
    assert measure.name == "f1"
    assert figure is not None
    assert isinstance(figure.chart, FoldPlot)
