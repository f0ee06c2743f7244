"""Page one answers: what to use, what it means in counts, how sure it is, and its limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.plain_text import cell_text, interval_text, sentence_text
from reportgen.report.build import build_report, describe_data
from reportgen.report.document import Callout, Note, Table, Tiles
from reportgen.report.findings.recommendation import tile_findings
from reportgen.report.inline import Estimate, Tone
from reportgen.report.phrases.recommendation import describe_tile
from tests.report.report_text import confusion, evaluated, section, sentences

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import ReportDocument

SPECS = Path(__file__).parents[2] / "specs"


def callout(report: ReportDocument, kind: str = "summary") -> Callout:
    """Return the call-out of a section."""
    (result,) = (block for block in section(report, kind).blocks if isinstance(block, Callout))
    return result


def text_of(block: Callout) -> str:
    """Return the text of a call-out, line by line."""
    parts = block.title, *(paragraph.parts for paragraph in block.paragraphs)
    return "\n".join(map(sentence_text, parts))


def tile_titles(evaluation: Evaluation) -> list[str]:
    """Return the measures of the tiles."""
    return [tile.measure.name for tile in tile_findings(evaluation)]


@pytest.fixture(scope="module")
def flagship() -> Evaluation:
    """Return the evaluation of three classifiers with costs."""
    return load_and_evaluate(SPECS / "breast_cancer.toml")


@pytest.fixture(scope="module")
def fraud() -> Evaluation:
    """Return the evaluation of rare events with costs."""
    return load_and_evaluate(SPECS / "fraud.toml")


def test_a_threshold_is_the_same_number_in_the_recommendation_and_in_tables(
    flagship: Evaluation,
) -> None:
    """The fewest digits that predict the same cases, with the decimals of the table."""
    report = build_report(flagship)
    rows = (
        next(block for block in section(report, "decision").blocks if isinstance(block, Table))
        .groups[0]
        .rows
    )
    (row,) = (row for row in rows if [*map(cell_text, row[:2])] == ["SVM", "min. cost"])

    (tree,) = (row for row in rows if [*map(cell_text, row[:2])] == ["Decision tree", "min. cost"])

    assert cell_text(row[2]).split(" ")[0] == "0.18"
    # 1/6, which is the lower limit too, predicts the same cases as 0.16.
    assert isinstance(tree[2], Estimate)
    assert " ".join([cell_text(tree[2]), interval_text(tree[2])]) == "0.16 0.16–0.40"
    assert text_of(callout(report)).startswith("Recommended: SVM at threshold 0.18\n")


def test_the_recommendation_has_counts_costs_evidence_and_when_it_changes(
    flagship: Evaluation,
) -> None:
    """In the words of the spec: tumours, not cases."""
    text = text_of(callout(build_report(flagship)))

    assert text.startswith("Recommended: SVM at threshold 0.18\n")
    assert "misses 4 of 212 malignant tumours (Naive Bayes 3, Decision tree 10)" in text
    assert "Cost 104 per 1 000 tumours (95% CI 72–209)" in text.replace("\u202f", " ")
    assert "not significantly lower than Naive Bayes (adjusted p = 1)" in text
    assert "SVM misses 7 (Naive Bayes 24, Decision tree 20)" in text
    assert "to Naive Bayes if a miss costs more than 67 times a false alarm" in text


def test_limits_say_what_the_numbers_do_not(flagship: Evaluation) -> None:
    """Thresholds chosen on the same data, cross-validation, prevalence."""
    limits = " ".join(sentences(build_report(flagship), "limits"))

    assert "chosen on the evaluation data" in limits
    assert "Cross-validation evaluates a training procedure" in limits
    assert "37% of these tumours are malignant" in limits


def test_no_accuracy_leads_where_one_class_is_nearly_everything(fraud: Evaluation) -> None:
    """99.8 % of the payments are legitimate."""
    assert "accuracy" not in tile_titles(fraud)
    assert tile_titles(fraud)[0] == "expected_cost@fp=5,fn=400"
    assert "precision" in tile_titles(fraud)
    assert "accuracy" not in text_of(callout(build_report(fraud))).replace("balanced accuracy", "")


def test_accuracy_that_does_not_beat_the_largest_class_is_no_tile(tmp_path: Path) -> None:
    """90 % of the cases are of one class, and so is the accuracy."""
    names = {"A": confusion((20, 80), (20, 880)), "B": confusion((10, 90), (20, 880))}

    evaluation = evaluated(tmp_path, names, more='[comparison]\nprimary = "accuracy"\n')

    assert evaluation.recommendation is not None
    assert evaluation.recommendation.beats_majority is False
    assert "accuracy" not in tile_titles(evaluation)


def test_no_classifier_is_shown_to_be_better_is_an_answer(tmp_path: Path) -> None:
    """It is neutral, and names all that may be used."""
    names = {"A": confusion((90, 10), (12, 88)), "B": confusion((91, 9), (12, 88))}

    block = callout(build_report(evaluated(tmp_path, names)))

    assert sentence_text(block.title) == "No classifier is shown to be better: use B or A"
    assert block.tone is Tone.NEUTRAL


def test_regressions_have_models() -> None:
    """No classifier is named in the recommendation of a regression."""
    report = build_report(load_and_evaluate(SPECS / "diabetes.toml"))
    text = text_of(callout(report))

    assert text.startswith("Use Linear regression or Nearest neighbours: neither is shown")
    assert "classifier" not in text


def test_a_requirement_met_by_one_class_for_everything_is_flagged(tmp_path: Path) -> None:
    """Everything is predicted positive by one, and the other misses too many."""
    names = {"All": confusion((50, 0), (50, 0)), "B": confusion((40, 10), (5, 45))}
    more = "[decision]\nrequire = { sensitivity = 0.95 }\n"

    text = text_of(callout(build_report(evaluated(tmp_path, names, more=more))))

    assert text.startswith("No classifier meets the requirement: sensitivity ≥ 95%")
    assert "All meets it only by predicting yes for all cases" in text


def test_costs_that_no_classifier_is_worth_are_flagged(tmp_path: Path) -> None:
    """A false alarm costs as much as a miss, and positives are rare."""
    names = {"A": confusion((5, 5), (40, 950))}
    more = "[decision]\ncost = { false_positive = 1, false_negative = 1 }\n"

    text = text_of(callout(build_report(evaluated(tmp_path, names, more=more))))

    assert "Flagging none of them would cost" in text
    assert "no classifier pays off" in text


def test_the_prevalence_of_use_gives_natural_frequencies(tmp_path: Path) -> None:
    """Of 1,000 cases 20 are positive: 19.2 found, and 24 % of 980 alarms."""
    names = {"A": confusion((480, 20), (120, 380))}
    more = "[decision]\nprevalence = 0.02\n"

    report = build_report(evaluated(tmp_path, names, more=more))
    text = text_of(callout(report)).replace("\u202f", " ")

    assert "In use, of 1 000 cases 20 are yes: it finds 19 and raises 235 false alarms." in text
    assert "results for use assume 2.0%" in " ".join(sentences(report, "limits"))


@pytest.mark.parametrize(
    ("minimum", "status", "tone"),
    [
        (0.9, "Gates: FAIL: 0 of 1 criterion met", Tone.BAD),
        (0.5, "Gates: PASS: 1 of 1 criterion met", Tone.GOOD),
    ],
)
def test_gates_come_first(tmp_path: Path, minimum: float, status: str, tone: Tone) -> None:
    """PASS or FAIL before everything else."""
    gate = f'[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = {minimum}\n'
    names = {"A": confusion((40, 10), (10, 40))}

    report = build_report(evaluated(tmp_path, names, more=gate))

    assert [item.kind for item in report.sections][:2] == ["gates", "summary"]
    block = callout(report, "gates")
    assert (sentence_text(block.title), block.tone) == (status, tone)


def test_markdown_and_latex_have_the_recommendation(flagship: Evaluation) -> None:
    """The answer and its tiles stand in every format."""
    report = build_report(flagship)
    markdown, latex = render_markdown(report), render_latex(report)

    assert "**Recommended: SVM at threshold 0.18**" in markdown
    assert "Sensitivity at 0.18: **98.1%**" in markdown
    assert r"\textbf{Recommended: \textbf{SVM} at threshold 0.18}" in latex
    assert markdown.startswith("# Malignant or benign")
    assert "2026\\-11\\-17" in markdown or "2026-11-17" in markdown


def test_tiles_are_at_most_four(flagship: Evaluation) -> None:
    """Value, interval, runner-up and the outcome of the test."""
    (tiles,) = (
        block
        for block in section(build_report(flagship), "summary").blocks
        if isinstance(block, Tiles)
    )

    assert len(tiles.items) == 4
    lines = [[sentence_text(line.parts) for line in tile.lines] for tile in tiles.items]
    assert lines[-1] == ["95% CI 0.985–0.999", "Naive Bayes 0.986, difference not significant"]


def test_a_long_name_is_not_repeated_in_every_tile(flagship: Evaluation) -> None:
    """It is in the recommendation above the tiles."""
    tile = tile_findings(flagship)[-1]
    long_name = describe_tile(replace(tile, runner_up="A name of more than twenty-five letters"))

    assert sentence_text(long_name.lines[-1].parts).startswith("Runner-up 0.986")


def test_what_to_use_comes_first_if_others_are_worse(tmp_path: Path) -> None:
    """A and B are alike, C is at chance; without C none is shown to be worse."""
    alike = {"A": confusion((180, 20), (20, 180)), "B": confusion((179, 21), (21, 179))}
    worse = {"C": confusion((100, 100), (100, 100))}

    title = text_of(callout(build_report(evaluated(tmp_path, alike | worse)))).splitlines()[0]
    assert title == "Use A or B: neither is shown to be better"
    title = text_of(callout(build_report(evaluated(tmp_path, alike)))).splitlines()[0]
    assert title == "No classifier is shown to be better: use A or B"


def test_all_counts_of_comparisons_are_the_same(flagship: Evaluation) -> None:
    """Key findings and methods state how many comparisons share the error rate."""
    report, number = build_report(flagship), len(flagship.tested_comparisons)

    notes = [block for block in section(report, "findings").blocks if isinstance(block, Note)]
    assert any(f" of {number} comparisons" in sentence_text(note.parts) for note in notes)
    assert any(f"adjusted for {number} comparisons" in text for text in sentences(report, "method"))


def test_significant_differences_in_other_measures_stand_beside_an_undecided_primary_measure(
    tmp_path: Path,
) -> None:
    """Balanced accuracy does not differ; few false alarms do: 11 of 1,380 against 117."""
    evaluation = evaluated(
        tmp_path,
        {"A": confusion((45, 75), (11, 1369)), "B": confusion((51, 69), (117, 1263))},
    )

    text = text_of(callout(build_report(evaluation)))

    assert text.startswith("No classifier is shown to be better in balanced accuracy: use A or B\n")
    assert "A is significantly better in specificity, precision, accuracy" in text
    assert text.rstrip().endswith("; B in none.")


def test_classifiers_without_any_significant_difference_have_no_list_of_other_measures(
    tmp_path: Path,
) -> None:
    """One case differs."""
    evaluation = evaluated(
        tmp_path, {"A": confusion((46, 74), (11, 1369)), "B": confusion((45, 75), (11, 1369))}
    )

    text = text_of(callout(build_report(evaluation)))

    assert text.startswith("No classifier is shown to be better: use A or B\n")
    assert "Other measures" not in text


def test_each_of_two_classifiers_can_be_better_in_a_measure(tmp_path: Path) -> None:
    """Equal balanced accuracy of .8, by sensitivity .9 and specificity .7 or the reverse."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": confusion((900, 100), (300, 700)),
            "B": confusion((700, 300), (100, 900)),
        },
        more='[comparison]\nprimary = "balanced_accuracy"\n',
    )

    text = text_of(callout(build_report(evaluation)))

    assert "A is significantly better in sensitivity" in text
    assert "; B in specificity" in text


@pytest.mark.parametrize(
    ("second", "title"),
    [
        ((55, 15), "No classifier is shown to be better; A fails a gate."),
        ((20, 50), "Best on these data: A; it fails a gate."),
    ],
)
def test_a_classifier_that_fails_a_gate_is_not_recommended(
    tmp_path: Path, second: tuple[int, int], title: str
) -> None:
    """A has 146 of 170 right, which is less than 95 %; without the gate it could be used."""
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = 0.95\n'
    classifiers = {"A": confusion((56, 14), (10, 90)), "B": confusion(second, (10, 90))}
    block = callout(build_report(evaluated(tmp_path, classifiers, more=gate)))

    assert sentence_text(block.title) == title.removesuffix(".")
    assert block.tone is Tone.NEUTRAL


def test_the_only_classifier_is_not_called_the_best_where_it_fails_a_gate(tmp_path: Path) -> None:
    """Of 170 cases 146 are right, which is less than 95 %."""
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = 0.95\n'

    block = callout(
        build_report(evaluated(tmp_path, {"A": confusion((56, 14), (10, 90))}, more=gate))
    )

    assert sentence_text(block.title) == "Evaluated: A; it fails a gate"
    assert block.tone is Tone.NEUTRAL


def test_only_the_estimate_changes_where_no_classifier_is_shown_to_be_better() -> None:
    """SVM or NB can be used; the best estimate is NB's if misses cost less."""
    text = text_of(callout(build_report(load_and_evaluate(SPECS / "enegotiation.toml"))))

    assert "The best estimate changes to NB if a miss costs less than 0.88" in text
    assert "The answer changes" not in text


def test_several_classes_are_stated_with_their_cases() -> None:
    """118 + 120 + 103 + 101 are 442; ten classes are not listed."""
    ordinal, digits = (
        sentence_text(tuple(describe_data(load_and_evaluate(SPECS / name))))
        for name in ("ordinal.toml", "digits.toml")
    )

    assert "in 4 classes: 118 low, 120 moderate, 103 high, 101 very high." in ordinal
    assert "in 10 classes." in digits


def test_tiles_of_label_sets_are_those_of_the_task() -> None:
    """Exact match is the primary measure."""
    assert tile_titles(load_and_evaluate(SPECS / "multilabel.toml")) == [
        "exact_match",
        "sample_f1",
        "sample_jaccard",
        "hamming_loss",
    ]


def test_findings_at_the_submitted_thresholds_say_so(fraud: Evaluation, tmp_path: Path) -> None:
    """Boosting is recommended at 0.007, while the findings are about 0.5."""
    note = "For the predictions as submitted"
    without = evaluated(
        tmp_path, {"A": confusion((56, 14), (10, 90)), "B": confusion((48, 22), (10, 90))}
    )

    assert sentences(build_report(fraud), "findings")[0].startswith(note)
    assert not sentences(build_report(without), "findings")[0].startswith(note)


def test_of_three_classifiers_one_that_is_worse_in_a_measure_is_named(tmp_path: Path) -> None:
    """C ranks at random; as predicted, all three find hardly any of the rare positives."""
    rng = np.random.default_rng(4)
    truth = np.repeat([True, False], [90, 810])
    for name, separation in (("A", 1.8), ("B", 1.7), ("C", 0.0)):
        score = rng.normal(size=900) + separation * truth
        pl.DataFrame(
            {
                "id": np.arange(900),
                "truth": np.where(truth, "yes", "no"),
                "score": (1 / (1 + np.exp(3.5 - score))).round(4),
            }
        ).write_csv(tmp_path / f"{name}.csv")
    classifiers = {name: f'predictions = "{name}.csv"\nscore = "score"' for name in "ABC"}

    data = '[data]\nid = "id"\nthreshold = 0.6\n'
    text = text_of(callout(build_report(evaluated(tmp_path, classifiers, more=data))))

    assert "use any of the three\n" in text
    assert "Other measures: C is significantly worse in area under the ROC curve" in text
    assert "significantly better in" not in text.partition("Other measures")[2]
