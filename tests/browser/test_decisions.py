"""The cost slider: thresholds of lowest cost, who costs least, and where that changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.pipeline import load_and_evaluate
from tests.browser.opened_pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.evaluation.evaluation import Evaluation
    from tests.browser.opened_pages import OpenPage

SPECS = Path("specs").resolve()


def _spec(folder: Path, ratio: float | None, prevalence: float | None = None) -> Path:
    """Write the flagship's spec with a cost ratio, few resamples and one measure."""
    text = (SPECS / "breast_cancer.toml").read_text("utf-8").replace('"data/', f'"{SPECS}/data/')
    # The declared costs are replaced.
    text = "\n".join(
        part for part in text.split("\n") if not part.startswith(("cost", "require", "fold"))
    ).replace("[decision]", "")
    text = text.split("[measures]")[0] + '[measures]\nshow = ["accuracy"]\n'
    text += "[intervals]\ndraws = 200\n"
    if ratio is not None:
        text += f"[decision]\ncost = {{ false_positive = 1.0, false_negative = {ratio} }}\n"
        text += "" if prevalence is None else f"prevalence = {prevalence}\n"
    path = folder / f"costs{ratio}.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of the flagship without declared costs."""
    folder = tmp_path_factory.mktemp("costs")
    path = folder / "report.html"
    path.write_text(page_of(_spec(folder, None)), "utf-8")
    return path


def _costs(living: OpenPage) -> dict[str, float]:
    """Return the cost of every classifier on the page, of 1,000 cases."""
    rows = living.page.evaluate(
        """() => [...document.querySelectorAll("[data-cost-of]")].map(
          (row) => [row.dataset.costOf, row.cells[4].dataset.v])"""
    )
    return {name: float(cost) for name, cost in rows}


def _optimal_counts(evaluation: Evaluation) -> dict[str, list[float | None]]:
    return {
        row.classifier: [row.tp, row.fn, row.fp, row.tn]
        for row in evaluation.thresholds
        if row.rule is ThresholdRule.COST
    }


@pytest.mark.parametrize(("ratio", "prevalence"), [(0.2, None), (10.0, None), (200.0, 0.05)])
def test_a_cost_gives_the_thresholds_and_costs_of_a_build_with_it(
    open_checked_page: Callable[..., OpenPage],
    page: Path,
    tmp_path: Path,
    ratio: float,
    prevalence: float | None,
) -> None:
    """Typed on the page and declared in the spec: the same counts, and the same cost."""
    living = open_checked_page(page)
    if prevalence is not None:
        living.choose("prevalence", repr(prevalence))
    living.choose("cost", repr(ratio))
    evaluation = load_and_evaluate(_spec(tmp_path, ratio, prevalence))

    assert living.matrices() == _optimal_counts(evaluation)
    expected = {
        row.classifier: 1000 * (row.cost_per_case or 0.0)
        for row in evaluation.thresholds
        if row.rule is ThresholdRule.COST
    }
    assert _costs(living) == pytest.approx(expected, rel=1e-9)
    winner = living.page.locator("[data-part=winner]").text_content() or ""
    assert f"{min(expected, key=lambda name: expected[name] or 0)} costs least" in winner
    assert "Not tested." in winner
    assert living.errors == []
    assert [url for url in living.requests if not url.startswith(("file:", "data:"))] == []


def test_the_declared_costs_give_the_thresholds_and_costs_of_page_one(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """In the unit of the declared costs, 5 for a false alarm, and best classifier first."""
    living = open_checked_page(pages("fraud"))
    living.page.get_by_role("button", name="Declared: 80").click()
    tile = living.page.locator(".tiles li").first.inner_text()
    row = living.page.locator("[data-cost-of]").first
    cost = row.locator("td").last.inner_text()

    assert row.get_attribute("data-cost-of") == "Gradient boosting"
    assert tile.splitlines()[:2] == ["Expected cost per 10\N{NARROW NO-BREAK SPACE}000", cost]
    assert row.locator("td").first.inner_text() == "0.007"
    assert (
        "a false alarm costing 5" in living.page.locator("[data-part=costs] caption").inner_text()
    )


def test_the_declared_costs_replace_a_typed_threshold(
    open_checked_page: Callable[..., OpenPage], pages: Callable[[str], Path]
) -> None:
    """As the slider does: the thresholds are those of the lowest cost, not 0.9."""
    living = open_checked_page(pages("breast_cancer"), "#what-if?threshold=0.9")
    cells = living.page.locator("[data-cost-of] td:nth-child(2)")
    assert cells.all_inner_texts() == ["0.9", "0.9", "0.9"]

    living.page.get_by_role("button", name="Declared: 10").click()

    assert cells.first.inner_text() == "0.1814"
    assert "0.9" not in cells.all_inner_texts()


def test_the_ranges_are_those_of_the_report(
    open_checked_page: Callable[..., OpenPage], page: Path, tmp_path: Path
) -> None:
    """Every limit with two digits, in the order of the cost ratio."""
    living = open_checked_page(page)
    analysis = load_and_evaluate(_spec(tmp_path, None)).decisions
    assert analysis is not None
    assert len(analysis.cost_ranges) > 1
    winner = living.page.locator("[data-part=winner]").text_content() or ""

    for before in analysis.cost_ranges[:-1]:
        assert before.high is not None
        assert f"{float(f'{before.high:.2g}'):g}" in winner
    for name in {name for cost_range in analysis.cost_ranges for name in cost_range.classifiers}:
        assert name in winner


def test_the_arrow_keys_move_the_cost_and_clear_thresholds(
    open_checked_page: Callable[..., OpenPage], page: Path
) -> None:
    """A typed threshold holds until the cost moves, which then sets all thresholds."""
    living = open_checked_page(page, "#what-if?threshold=0.9")
    before = living.matrices()
    slider = living.page.locator("#what-if-cost")
    slider.focus()
    for _ in range(12):
        slider.press("ArrowRight")

    assert living.matrices() != before
    assert slider.get_attribute("aria-valuetext") == "4"
    # The address follows the slider after a moment.
    living.page.wait_for_timeout(400)
    assert "cost=4" in living.page.url
    assert "threshold" not in living.page.url
    assert "At a cost ratio of 4: " in (
        living.page.locator("[data-part=winner]").text_content() or ""
    )


def test_each_classifier_has_a_threshold_of_its_own(
    open_checked_page: Callable[..., OpenPage], page: Path
) -> None:
    """One moves, the others stay as submitted; its line in the histogram moves too."""
    living = open_checked_page(page)
    submitted = living.matrices()
    living.page.get_by_text("A threshold for each classifier").click()
    living.choose("threshold-own-1", "0.99")
    moved = living.matrices()

    assert moved["SVM"] == submitted["SVM"]
    assert moved["Naive Bayes"] != submitted["Naive Bayes"]
    living.page.get_by_label("Classifier of the histogram").select_option("Naive Bayes")
    described = living.page.locator("[data-part=charts] svg[role=img]").last
    assert "threshold 0.99" in (described.get_attribute("aria-label") or "")
    roc = living.page.locator("[data-part=charts] svg[role=img]").first.get_attribute("aria-label")
    assert "SVM: sensitivity 96.7%, specificity 97.8%" in (roc or "")


@pytest.mark.parametrize("typed", ["0", "-3"])
def test_what_is_no_cost_is_refused(
    open_checked_page: Callable[..., OpenPage], page: Path, typed: str
) -> None:
    """The view stays as it was, with a message."""
    living = open_checked_page(page)
    before = living.matrices()
    living.choose("cost", typed)

    assert "is not a cost: enter a number above 0." in (
        living.page.locator("[data-part=cost]").text_content() or ""
    )
    assert living.matrices() == before
