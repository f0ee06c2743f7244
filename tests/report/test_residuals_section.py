"""How far off numeric predictions are, where, and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.render.markdown import render_markdown
from reportgen.report.build import build_report
from reportgen.report.charts import ScatterPlot
from reportgen.report.document import Figure
from tests.report.report_text import evaluated, read, rows, section, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.report.document import ReportDocument

REGRESSION = 'kind = "regression"'
ONLY = '[[sections]]\nkind = "residuals"\n[measures]\nshow = ["rmse"]\n'
Pairs = list[tuple[float, float]]


def residual_report(folder: Path, models: Mapping[str, Pairs], more: str = "") -> ReportDocument:
    """Build the section of models given by pairs of true and predicted values."""
    keys = {}
    for name, pairs in models.items():
        lines = [f"{at},{truth},{prediction}" for at, (truth, prediction) in enumerate(pairs)]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(["id,truth,prediction", *lines]), encoding="utf-8")
        keys[name] = f'predictions = "{path.name}"\nid = "id"'
    return build_report(evaluated(folder, keys, REGRESSION, ONLY + more))


def figures(report: ReportDocument) -> list[Figure]:
    """Return the figures of the section."""
    return [block for block in section(report, "residuals").blocks if isinstance(block, Figure)]


def alternating(number: int, error: float) -> Pairs:
    """Return predictions that are too high and too low in turn."""
    return [(float(at), at + (error if at % 2 else -error)) for at in range(number)]


def squeezed(number: int) -> Pairs:
    """Return predictions pulled halfway to the middle."""
    middle = (number - 1) / 2
    return [(float(at), middle + (at - middle) / 2) for at in range(number)]


def test_the_conditional_mean_has_no_bias(tmp_path: Path) -> None:
    """Truths 10 below and above each prediction: low truths are over-predicted, and that is all."""
    pairs = [
        (float(prediction + side * 10), float(prediction))
        for prediction in range(100)
        for side in (-1, 1)
    ]
    truth, residual = figures(residual_report(tmp_path, {"A": pairs}))

    assert read(truth.description.parts) == "Absolute error of A: median 10, 90th percentile 10."
    assert truth.note is not None
    assert "regression to the mean" in read(truth.note.parts)
    assert read(residual.description.parts) == "No significant bias: A."


def test_a_model_that_hedges_is_stated_to(tmp_path: Path) -> None:
    """Of 0 to 99 the lowest tenth, 0 to 9, is predicted 22.5 too high in the median."""
    truth, residual = figures(residual_report(tmp_path, {"A": squeezed(100)}))

    # |x − 49.5|/2 over 0 to 99: the median is 12.5 and nine in ten are at most 22.3.
    assert read(truth.description.parts) == (
        "Absolute error of A: median 12.5, 90th percentile 22.3."
    )
    assert "Predictions of A up to 29.25 are too high (median 22.5)." in read(
        residual.description.parts
    )


def test_what_chance_explains_is_not_called_a_bias(tmp_path: Path) -> None:
    """Errors in turn up and down are split evenly in every tenth."""
    _, residual = figures(
        residual_report(tmp_path, {"A": alternating(100, 3.0), "B": squeezed(100)})
    )

    assert "No significant bias: A." in read(residual.description.parts)
    assert "Predictions of B" in read(residual.description.parts)


def test_few_cases_are_one_group(tmp_path: Path) -> None:
    """Twelve predictions 1 above the truth are all too high."""
    above = [(float(at), at + 1.0) for at in range(12)]
    _, residual = figures(residual_report(tmp_path, {"A": above}))

    assert read(residual.description.parts) == "Predictions of A are too high (median 1). "


def test_panels_share_their_axes_and_keep_their_order(tmp_path: Path) -> None:
    """The colour of a model is its place in the spec; the diagonal ends in the corners."""
    truth, residual = (
        figure.chart
        for figure in figures(
            residual_report(tmp_path, {"A": squeezed(50), "B": alternating(50, 9.0)})
        )
    )

    assert isinstance(truth, ScatterPlot)
    assert isinstance(residual, ScatterPlot)
    assert [panel.color_index for panel in truth.panels] == [0, 1]
    assert truth.x_range == truth.y_range
    assert truth.reference == (
        (truth.x_range[0], truth.y_range[0]),
        (truth.x_range[1], truth.y_range[1]),
    )
    # 50 cases make six groups of eight or nine, each with its median.
    assert [len(panel.trend) for panel in residual.panels] == [6, 6]


def test_four_models_are_drawn_and_all_of_them_in_full(tmp_path: Path) -> None:
    """The best four of five by the main measure; the table has all five."""
    models = {f"M{at}": alternating(30, 5.0 - at) for at in range(5)}
    standard = residual_report(tmp_path, models)
    full = residual_report(tmp_path, models, '[output]\ndetail = "full"\n')

    chart = figures(standard)[0].chart
    assert isinstance(chart, ScatterPlot)
    assert [panel.name for panel in chart.panels] == ["M4", "M3", "M2", "M1"]
    assert list(rows(table(standard, "distances"))) == list(models)
    chart = figures(full)[0].chart
    assert isinstance(chart, ScatterPlot)
    assert len(chart.panels) == 5


def test_one_case_and_perfect_predictions_can_be_drawn(tmp_path: Path) -> None:
    """Nothing is divided by a spread of 0."""
    one, perfect = (
        residual_report(tmp_path, {"A": pairs})
        for pairs in ([(3.0, 4.0)], [(float(at), float(at)) for at in "12"])
    )

    assert len(figures(one)) == len(figures(perfect)) == 2
    assert rows(table(one, "distances")) == {"A": ["1.00", "1.00", "−1.00"]}


def test_numbers_too_large_to_add_are_not_drawn(tmp_path: Path) -> None:
    """The section says that it has nothing rather than draw what is infinite."""
    report = residual_report(tmp_path, {"A": [(1e308, -1e308), (1.0, 2.0)]})

    assert figures(report) == []


def test_heavy_tails_of_errors_are_warned_of(tmp_path: Path) -> None:
    """One error of 50 among 99 of ±1: a kurtosis of 100 (50⁴ + 99) / (50² + 99)² = 92.5."""
    pairs = [(float(at), at + (50.0 if at == 7 else (-1.0) ** at)) for at in range(100)]
    keys = {}
    for name, own in (("A", pairs), ("B", alternating(100, 3.0))):
        lines = [f"{at},{truth},{prediction}" for at, (truth, prediction) in enumerate(own)]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["id,truth,prediction", *lines]), encoding="utf-8")
        keys[name] = f'predictions = "{path.name}"\nid = "id"'

    (warning,) = (
        text
        for text in evaluated(tmp_path, keys, REGRESSION, ONLY).warnings
        if "heavy tails" in text
    )
    assert warning.startswith("errors of `A` have heavy tails (kurtosis 93, 3 for normal errors)")


def test_a_regression_report_speaks_of_models(tmp_path: Path) -> None:
    """Everywhere but in the names that the user chose."""
    keys = {}
    for name, error in (("A", 1.0), ("Classifier of trees", 3.0)):
        lines = [
            f"{at},{truth},{inputs}" for at, (truth, inputs) in enumerate(alternating(40, error))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,truth,prediction", *lines]), "utf-8")
        keys[name] = f'predictions = "{name}.csv"\nid = "id"'
    more = '[output]\ndetail = "full"\n'

    text = render_markdown(build_report(evaluated(tmp_path, keys, REGRESSION, more)))

    listing = text.index("```")
    prose = text[:listing].replace("Classifier of trees", "")
    assert "lassifier" not in prose
    assert "Classifier of trees" in text
    assert "models" in prose
