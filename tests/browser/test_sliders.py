"""Moving a slider gives what a new report would say."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.evaluation import threshold_counts
from reportgen.export.results import build_results
from reportgen.measures import MEASURE_REGISTRY, MeasureFamily
from reportgen.measures.formula import find_quantities
from reportgen.measures.measure import CONFUSION_COUNTS
from reportgen.pipeline import load_and_evaluate
from reportgen.render.number_format import format_measure_value, number_locale
from tests.browser.opened_pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from tests.browser.opened_pages import OpenPage

SPECS = Path("specs").resolve()
SCORES = pl.read_parquet(SPECS / "data/breast_cancer/svm.parquet")["p_malignant"]
# All of the range, its ends and beyond, and scores that occur: a case counts from its own on.
THRESHOLDS = (
    *("-0.5", "0", "1e-6", "0.01", "0.05", "0.1", "0.123456789", "0.2", "0.3", "0.42"),
    *("0.5", "0.6", "0.75", "0.9", "0.99", "1", "1.5"),
    *(repr(score) for score in SCORES.sort().gather([100, 284, 500])),
)
OF_COUNTS = [
    measure.name
    for measure in MEASURE_REGISTRY.values()
    if {quantity.name for quantity in find_quantities(measure.formula)} <= set(CONFUSION_COUNTS)
]
# Descriptions of the data do not move with the threshold or are not ranked: the page omits them.
ON_THE_PAGE = [
    name for name in OF_COUNTS if MEASURE_REGISTRY[name].family is not MeasureFamily.DESCRIPTION
]


def _spec(folder: Path, threshold: str | None) -> Path:
    """Write the flagship's spec with a threshold; without folds and ranges, which take longer."""
    text = (SPECS / "breast_cancer.toml").read_text("utf-8").replace('"data/', f'"{SPECS}/data/')
    text = re.sub(r"(?m)^fold = .*\n", "", text.split("[measures]")[0])
    text += f"[measures]\nshow = {OF_COUNTS}\n".replace("'", '"')
    text += '[intervals]\ndraws = 200\n[comparison]\ncorrection = "none"\nbaseline = "SVM"\n'
    if threshold is not None:
        # TOML wants digits on both sides of a point, and no exponent without one.
        text = text.replace("[data]\n", f"[data]\nthreshold = {threshold}\n")
    path = folder / "moved.toml"
    path.write_text(text, "utf-8")
    return path


def _scores(evaluation: Evaluation) -> dict[tuple[str, str], float]:
    """Return the scores of results.json by measure and classifier, as IEEE numbers."""
    infinite = {"+": math.inf, "−": -math.inf}
    return {
        (row.measure, row.classifier): infinite[row.reason[0]]
        if row.state == "infinite" and row.reason
        else math.nan
        if row.value is None
        else row.value
        for row in build_results(evaluation).values
        if row.fold is None and row.class_ is None and row.average is None
    }


def _same(values: Mapping[tuple[str, str], str], expected: Mapping[tuple[str, str], float]) -> None:
    assert values
    for key, output in values.items():
        value = math.nan if output == "" else float(output)
        assert value == pytest.approx(expected[key], rel=1e-11, abs=1e-14, nan_ok=True), key


def test_any_threshold_gives_the_matrix_and_the_measures_of_a_build_with_it(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """Twenty thresholds, typed on the page and written into the spec."""
    path = tmp_path / "report.html"
    path.write_text(page_of(_spec(tmp_path, None)), "utf-8")
    living = open_checked_page(path)
    assert len(set(THRESHOLDS)) == 20

    for threshold in THRESHOLDS:
        living.choose("threshold", threshold)
        evaluation = load_and_evaluate(_spec(tmp_path, threshold))
        tally = evaluation.aggregates.confusion
        assert tally is not None

        assert living.matrices() == {
            name: [count for row in tally.matrix(name) for count in row]
            for name in evaluation.measured_classifiers
        }
        values = living.values("measures")
        assert {measure for measure, _ in values} == {*ON_THE_PAGE}
        _same(values, _scores(evaluation))
    assert living.errors == []


def test_the_prevalence_equals_results_json_at_the_targets(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """El Emam's examples at 0.05, 0.2, 0.5 and 0.9; counts alone, so there is no threshold."""
    living = open_checked_page(pages("prevalence"))
    results = build_results(load_and_evaluate(SPECS / "prevalence.toml"))
    names = ("accuracy", "precision", "npv", "kappa", "kappa_best")
    at_targets = [row.model_dump() for row in results.prevalence]

    assert living.page.locator("[data-part=thresholds]").count() == 0
    assert {row["target"] for row in at_targets} == {0.05, 0.2, 0.5, 0.9}
    for target in (0.05, 0.2, 0.5, 0.9):
        living.choose("prevalence", repr(target))
        expected = {
            (name, row["classifier"]): math.nan if row[name] is None else row[name]
            for row in at_targets
            if row["target"] == target
            for name in names
        }
        _same(living.values("prevalence-measures"), expected)


def test_the_best_value_at_a_share_is_named_and_changes_with_it(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """Accuracy is π·s + (1 − π)·f: 0.905 for f 0.95, s 0.1 at 0.05, but 0.185 at 0.9.

    At 0.9 example 5 (f 0.6, s 0.8) has 0.78, examples 1 and 2 (f 0.9, s 0.7) have 0.72.
    """
    living = open_checked_page(pages("prevalence"), "#what-if?prevalence=0.05")
    winner = living.page.locator("[data-part=prevalence-measures] [data-measure=accuracy] td").last

    assert winner.text_content() == "Example 3"
    living.page.get_by_role("button", name="0.9", exact=True).click()
    assert winner.text_content() == "Example 5"


def test_numbers_on_the_moved_page_are_written_as_the_report_writes_them(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """The same digits, the same marks for what is merely close to 0 or 1."""
    spec = _spec(tmp_path, "0.97")
    path = tmp_path / "report.html"
    path.write_text(page_of(spec), "utf-8")
    living, evaluation = open_checked_page(path, "#what-if?all=1"), load_and_evaluate(spec)
    rows = living.page.locator("[data-part=measures] tbody tr")
    reasons = living.page.locator("[data-part=measures] .legend").text_content() or ""

    assert rows.count() == len(ON_THE_PAGE)
    for row in rows.all():
        measure = MEASURE_REGISTRY[row.get_attribute("data-measure") or ""]
        for at, name in enumerate(evaluation.measured_classifiers):
            score = evaluation.value(name, measure)
            assert score is not None
            cell = row.locator("td").nth(at)
            assert cell.locator("span").first.text_content() == format_measure_value(score, measure)
            if score.reason:
                cause = score.reason.partition(": ")[2]
                assert f"{measure.title} {score.state}: {cause}." in reasons


def test_sliders_move_by_keyboard_and_say_what_they_mean(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """From 0.5 one step up is 0.51; the mark on the ROC curve goes along."""
    living = open_checked_page(pages("breast_cancer"))
    slider = living.page.locator("#what-if-threshold-0")
    mark = living.page.locator("figure .operating[data-series='SVM']:not(.ghost)").first
    before = living.matrices()

    assert slider.get_attribute("aria-valuetext") == "own threshold"
    slider.focus()
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "0.51"
    slider.press("Home")
    assert living.matrices()["SVM"][1] == 0
    assert mark.get_attribute("transform") not in {None, "translate(0.00 0.00)"}
    assert "SVM: 212 of 212" in (
        living.page.locator("body > .visually-hidden").text_content() or ""
    )
    living.page.get_by_role("button", name="Reset: Threshold").click()
    assert living.matrices() == before
    assert mark.get_attribute("transform") == "translate(0.00 0.00)"


def _small(folder: Path, scores: Mapping[str, Sequence[float]]) -> Path:
    """Write a page of classifiers by their scores of eight cases, the last four positive."""
    tables = ""
    for name, result in scores.items():
        rows = (f"{at},{'yes' if at > 3 else 'no'},no,{score}" for at, score in enumerate(result))
        text = "\n".join(("case,truth,prediction,score", *rows))
        (folder / f"{name}.csv").write_text(text, "utf-8")
        tables += f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n'
    spec = folder / "small.toml"
    head = '[task]\nkind = "binary"\npositive = "yes"\n[data]\nid = "case"\nscore = "score"\n'
    spec.write_text(head + tables, "utf-8")
    path = folder / "small.html"
    path.write_text(page_of(spec), "utf-8")
    return path


def test_scores_of_different_kinds_have_a_slider_each(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """Margins from −3 to 4 and votes from 0 to 70: one moves, the other stays."""
    margins, votes = [-3, -2, -1, 1, 0, 2, 3, 4], [0, 10, 20, 30, 40, 50, 60, 70]
    living = open_checked_page(_small(tmp_path, {"Margin": margins, "Votes": votes}))
    assert living.matrices() == {"Margin": [0, 4, 0, 4], "Votes": [0, 4, 0, 4]}

    box = living.page.get_by_label("Threshold of Margin, any value")
    box.fill("1")
    box.press("Enter")
    assert living.matrices() == {"Margin": [3, 1, 1, 3], "Votes": [0, 4, 0, 4]}
    assert living.page.url.endswith("#?threshold.Margin=1")
    living.page.get_by_label("Threshold of Votes", exact=True).press("Home")
    assert living.matrices()["Votes"] == [4, 0, 4, 0]


def test_of_too_many_scores_the_nearest_kept_one_is_taken(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight scores four are kept, by place 0, 2, 5 and 7: 0.1, 0.3, 0.6 and 0.8."""
    monkeypatch.setattr(threshold_counts, "MAX_THRESHOLDS", 5)
    monkeypatch.setattr(threshold_counts, "THINNED_THRESHOLDS", 4)
    scores = [0.1, 0.2, 0.3, 0.6, 0.4, 0.5, 0.7, 0.8]
    living = open_checked_page(_small(tmp_path, {"A": scores}), "#what-if?threshold=0.48")
    field = living.page.locator("#what-if-threshold-0 ~ input[type=number]")

    assert field.input_value() == "0.6"
    assert living.matrices() == {"A": [2, 2, 1, 3]}
    assert "set to the nearest of them" in (living.page.locator("#what-if").text_content() or "")
    living.page.locator("#what-if-threshold-0").press("ArrowLeft")
    assert field.input_value() == "0.3"
    assert living.matrices() == {"A": [4, 0, 2, 2]}


def test_numbers_have_the_marks_of_the_report(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """With a decimal comma in the report, sliders write one too; the field takes what it takes."""
    scores = [0.1, 0.2, 0.3, 0.6, 0.4, 0.5, 0.7, 0.8]
    with number_locale("de"):
        path = _small(tmp_path, {"A": scores})
    living = open_checked_page(path, "#?threshold=0.5")
    cell = living.page.locator("[data-part=measures] [data-measure=accuracy] td").first

    # Three of four positives are found and one other is taken for one: 6 of 8 are right.
    assert cell.locator("span").text_content() == "75,0%"
    assert cell.locator("small").text_content() == "+25,0\N{NARROW NO-BREAK SPACE}pp"
    slider = living.page.locator("#what-if-threshold-0")
    assert slider.get_attribute("aria-valuetext") == "0,5"
