"""What the report says of several data sets is no more than was tested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.render.plain_text import cell_text, sentence_text
from reportgen.report.build import build_report
from reportgen.report.charts import CriticalDifferenceDiagram
from reportgen.report.document import Figure, Table
from reportgen.report.findings.datasets import (
    DatasetNonsignificantFinding,
    DatasetSuperiorityFinding,
    MeanRankFinding,
    OmnibusRankFinding,
    TooFewDatasetsFinding,
    dataset_findings,
)
from tests.report.report_text import evaluated, notes, read, section, sentences

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import ReportDocument

ROOT = Path(__file__).parents[2]
TASK = 'kind = "multiclass"'


def scores(*values: float) -> str:
    """Return the key of scores on data sets a, b, c …."""
    inside = ", ".join(
        f"{name} = {value}" for name, value in zip("abcdefghij", values, strict=False)
    )
    return f"dataset_scores = {{ accuracy = {{ {inside} }} }}"


@pytest.fixture(scope="module")
def many_evaluated() -> Evaluation:
    """Return the evaluation of five classifiers on twelve data sets."""
    return load_and_evaluate(ROOT / "specs" / "many_datasets.toml")


@pytest.fixture(scope="module")
def many(many_evaluated: Evaluation) -> ReportDocument:
    """Return the report of five classifiers on twelve data sets."""
    return build_report(many_evaluated)


def test_the_findings_name_those_that_differ(many_evaluated: Evaluation) -> None:
    """Three of ten pairs differ by Wilcoxon with Holm."""
    ranks, omnibus, *wins, rest = dataset_findings(many_evaluated)

    assert isinstance(ranks, MeanRankFinding)
    assert (ranks.n_datasets, ranks.best) == (12, ("Random forest",))
    assert isinstance(omnibus, OmnibusRankFinding)
    assert omnibus.p is not None
    assert omnibus.p < 0.05
    superior = [win for win in wins if isinstance(win, DatasetSuperiorityFinding)]
    assert [(item.winner, item.losers) for item in superior] == [
        ("Random forest", ("Naive Bayes", "Decision tree")),
        ("Nearest neighbours", ("Decision tree",)),
    ]
    assert isinstance(rest, DatasetNonsignificantFinding)
    assert (rest.n_nonsignificant, rest.n_pairs) == (7, 10)


def test_the_section_has_the_findings_where_there_is_no_summary(tmp_path: Path) -> None:
    """They are said once, and never not at all."""
    classifiers = {"A": scores(0.9, 0.8, 0.7), "B": scores(0.8, 0.6, 0.4)}
    alone = evaluated(tmp_path, classifiers, TASK, '[[sections]]\nkind = "datasets"\n')
    both = evaluated(tmp_path, classifiers, TASK)

    assert len(sentences(build_report(alone), "datasets")) == 2
    assert sentences(build_report(both), "datasets") == []


def test_the_section_says_where_ranks_and_sizes_disagree(many: ReportDocument) -> None:
    """Nemenyi's p for neighbours and tree is 0.10, Wilcoxon's after Holm 0.03."""
    (message,) = (text for text in sentences(many, "datasets") if "Nemenyi n.s." in text)

    assert message.startswith("Nearest neighbours and Decision tree")


def test_the_rank_diagram_has_all_classifiers(many: ReportDocument) -> None:
    """Ranks, and the groups without a significant difference by the test that decides."""
    (figure,) = (block for block in section(many, "datasets").blocks if isinstance(block, Figure))
    chart = figure.chart

    assert isinstance(chart, CriticalDifferenceDiagram)
    assert len(chart.ranks) == 5
    message = read(figure.description.parts)
    assert "Nemenyi critical difference of mean ranks: 1.76" in message
    # Wilcoxon–Holm tells Random forest from both others, and Nearest neighbours from the tree.
    assert chart.cliques == (
        ("Random forest", "Logistic regression", "Nearest neighbours"),
        ("Logistic regression", "Nearest neighbours", "Naive Bayes"),
        ("Logistic regression", "Naive Bayes", "Decision tree"),
    )


def test_other_sections_have_nothing_to_say_about_several_data_sets(many: ReportDocument) -> None:
    """Nothing is pooled over data sets: no matrices, no measures, no capabilities."""
    kinds = [item.kind for item in many.sections]

    assert kinds == [
        "summary",
        "findings",
        "datasets",
        "method",
        "definitions",
        "inputs",
        "reproduction",
    ]


def test_a_file_that_all_classifiers_read_is_listed_once(many: ReportDocument) -> None:
    """Twelve files, not sixty."""
    tables = [block for block in section(many, "inputs").blocks if isinstance(block, Table)]
    (files,) = (table for table in tables if table.name == "inputs")

    assert [row[0] for row in files.groups[0].rows] == ["all classifiers"] * 12


def test_two_classifiers_are_spoken_of_as_a_pair(tmp_path: Path) -> None:
    """Of two there is no rank diagram, but wins, the difference and its p-value of 2/2⁶."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": scores(0.71, 0.73, 0.78, 0.80, 0.85, 0.9),
            "B": scores(0.7, 0.71, 0.75, 0.76, 0.8, 0.84),
        },
        TASK,
    )
    report = build_report(evaluation)
    (result,) = dataset_findings(evaluation)

    # The differences are 0.01 to 0.06; all six point the same way: p = 2/2⁶.
    assert isinstance(result, DatasetSuperiorityFinding)
    assert (result.winner, result.losers) == ("A", ("B",))
    assert result.pair is not None
    assert (result.pair.wins, result.pair.ties, result.pair.losses) == (6, 0, 0)
    assert result.pair.p_adjusted == pytest.approx(2 / 2**6)
    assert not any(isinstance(block, Figure) for block in section(report, "datasets").blocks)


def test_a_pair_is_reported_from_the_side_of_the_better_one(tmp_path: Path) -> None:
    """Against the baseline A the differences are B minus A, all of them below 0."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": scores(0.71, 0.73, 0.78, 0.80, 0.85, 0.9),
            "B": scores(0.7, 0.71, 0.75, 0.76, 0.8, 0.84),
        },
        TASK,
        '[comparison]\nbaseline = "A"\n',
    )
    (message,) = sentences(build_report(evaluation))

    assert evaluation.datasets[0].pairs[0].first == "B"
    assert message.replace("\u202f", " ").startswith(
        "A is significantly better than B in accuracy across data sets: 6 wins, 0 ties, 0 losses of"
        " A; Hodges–Lehmann difference 3.5 percentage points, 1.0–6.0; adjusted p = 0.031"
    )


def test_too_few_data_sets_are_stated_to_be_too_few(tmp_path: Path) -> None:
    """Three wins of three prove nothing: p = 2/2³ = 0.25 at best."""
    evaluation = evaluated(tmp_path, {"A": scores(0.9, 0.8, 0.7), "B": scores(0.8, 0.6, 0.4)}, TASK)
    _, small_sample = dataset_findings(evaluation)

    assert small_sample == TooFewDatasetsFinding(n_datasets=3, n_pairs=1)


def test_a_pair_that_wilcoxon_distinguishes_is_named() -> None:
    """Demšar's example: 30 of the 2¹² signs are as far out, and 6 · 30/4096 = 0.044 (Holm)."""
    wins = [
        (finding.winner, finding.losers)
        for finding in dataset_findings(load_and_evaluate(ROOT / "specs" / "demsar.toml"))
        if isinstance(finding, DatasetSuperiorityFinding)
    ]

    assert wins == [("C4.5+m", ("C4.5",))]


def test_an_omnibus_test_below_the_level_is_no_verdict_on_pairs(
    tmp_path: Path,
) -> None:
    """The same at 0.04: Iman and Davenport find p = 0.012, no pair reaches it."""
    text = (ROOT / "specs" / "demsar.toml").read_text(encoding="utf-8")
    stricter = tmp_path / "demsar.toml"
    stricter.write_text(f"{text}\n[comparison]\nalpha = 0.04\n", encoding="utf-8")
    _, omnibus, pairs, *_ = dataset_findings(load_and_evaluate(stricter))

    assert isinstance(omnibus, OmnibusRankFinding)
    assert omnibus.p is not None
    assert omnibus.p < 0.05
    assert isinstance(pairs, DatasetNonsignificantFinding)
    assert (pairs.n_nonsignificant, pairs.n_pairs) == (6, 6)


def test_errors_in_different_units_are_warned_of(tmp_path: Path) -> None:
    """An RMSE of 100 grams and one of 0.1 metres cannot be set against each other."""
    keys = "dataset_scores = {{ rmse = {{ weight = {}, height = {}, age = {} }} }}"
    evaluation = evaluated(
        tmp_path,
        {"A": keys.format(100, 0.1, 2), "B": keys.format(120, 0.2, 3)},
        'kind = "regression"',
    )

    assert any("differ in units" in note for note in notes(build_report(evaluation), "datasets"))


def test_intervals_that_no_pair_has_are_left_out_and_missed(tmp_path: Path) -> None:
    """Two data sets allow no interval of 95 %; their one order is no test of Iman and Davenport."""
    two = "dataset_scores = {{ accuracy = {{ a = {0}, b = {0} }}, kappa = {{ a = {0}, b = {0} }} }}"
    classifiers = {name: two.format(value) for name, value in (("A", 0.9), ("B", 0.8), ("C", 0.7))}
    report = build_report(evaluated(tmp_path, classifiers, TASK))
    tables = {
        block.name: block
        for block in section(report, "datasets").blocks
        if isinstance(block, Table)
    }
    pairs, measures = tables["datasets-pairs-accuracy"], tables["datasets-measures"]

    assert not any("CI" in cell_text(column.head) for column in pairs.columns)
    assert pairs.note is not None
    note = " ".join(sentence_text(pairs.note.parts).split())
    assert "too few data sets for a" in note
    assert measures.note is not None
    assert sentence_text(measures.note.parts).startswith("p: identical rankings. ")
