"""What is found of classifiers of which only scores per fold are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.report.charts import FoldPlot
from reportgen.report.findings.collect import collect_findings
from reportgen.report.findings.comparisons import (
    LeaderFinding,
    LeaderOutcome,
    PairFinding,
    ValueFinding,
    primary_measure,
)
from reportgen.report.inline import PlainNumber
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.sections.summary import build_summary_figure
from tests.report.report_text import evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.findings import Finding

SHAPES = (
    (0.00, 0.02, 0.04, 0.01, 0.03),
    (0.03, 0.00, 0.02, 0.04, 0.01),
    (0.01, 0.03, 0.00, 0.02, 0.04),
)


def folds(base: float, shape: int, measure: str = "accuracy") -> str:
    """Return the key of ten scores around a base and 0.02 above it on average."""
    scores = [round(base + item, 3) for item in SHAPES[shape] * 2]
    return f"fold_scores = {{ {measure} = {scores} }}"


def findings(folder: Path, classifiers: dict[str, str], more: str = "") -> tuple[Finding, ...]:
    """Return the key findings."""
    return collect_findings(evaluated(folder, classifiers, more=more))


def test_of_many_the_best_is_named_and_whom_it_is_better_than(tmp_path: Path) -> None:
    """Means of 0.72, 0.80, 0.72, 0.88, 0.82 and 0.66; M0 varies over the folds just as M3 does."""
    bases = (0.70, 0.78, 0.70, 0.86, 0.80, 0.64)
    classifiers = {f"M{at}": folds(base, at % 3) for at, base in enumerate(bases)}
    (leader,) = findings(tmp_path, classifiers)

    assert isinstance(leader, LeaderFinding)
    assert (leader.best, leader.over_folds) == (("M3",), True)
    # A difference that is the same in every fold has no variance to be tested by.
    assert [(relation.outcome, relation.others) for relation in leader.relations] == [
        (LeaderOutcome.SUPERIOR, ("M4", "M1", "M2", "M5")),
        (LeaderOutcome.NOT_TESTED, ("M0",)),
    ]


def test_one_has_its_mean_and_its_figure(tmp_path: Path) -> None:
    """The mean is 0.72; the folds go from 0.70 to 0.74."""
    evaluation = evaluated(tmp_path, {"A": folds(0.70, 0)})
    figure = build_summary_figure(evaluation)
    (value,) = findings(tmp_path, {"A": folds(0.70, 0)})

    assert isinstance(value, ValueFinding)
    assert value.value.value == pytest.approx(0.72)
    assert figure is not None
    numbers = [part.number for part in figure.description.parts if isinstance(part, PlainNumber)]
    assert numbers == pytest.approx([72, 70, 74])


def pair(folder: Path, *bases: tuple[float, int]) -> PairFinding:
    """Return the first finding on two classifiers."""
    classifiers = {name: folds(*base) for name, base in zip("AB", bases, strict=True)}
    (first, *_) = findings(folder, classifiers)
    assert isinstance(first, PairFinding)
    return first


def test_of_two_it_is_stated_who_is_better(tmp_path: Path) -> None:
    """Means of 0.72 and 0.88, B ahead by 0.13 at least in every fold."""
    result = pair(tmp_path, (0.70, 0), (0.86, 1))

    assert (result.first, result.second, result.decision) == ("A", "B", Decision.INFERIOR)
    assert read(describe_finding(result)).startswith("B is significantly better than A")


def test_the_same_scores_are_a_tie(tmp_path: Path) -> None:
    """Twins differ in no fold."""
    assert pair(tmp_path, (0.70, 0), (0.70, 0)).decision is Decision.TIED


def test_a_one_sided_test_of_many_does_not_call_them_alike(tmp_path: Path) -> None:
    """Asked is whether the first of two is better; that M2 is better cannot come out."""
    classifiers = {f"M{at}": folds(0.6 + at / 10, at) for at in range(3)}
    (leader, *_) = findings(tmp_path, classifiers, '[folds]\ntails = "one"\n')

    assert isinstance(leader, LeaderFinding)
    assert leader.one_sided
    assert "not significantly better than M1" in read(describe_finding(leader))
    assert "no significant difference" not in read(describe_finding(leader))


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
