"""The section on earlier runs: what changed, in words that claim only what is tested."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.previous_runs import PreviousRun, RunHistory
from reportgen.export.results import results_json
from reportgen.pipeline import evaluate_spec_file
from reportgen.render.html import render_html
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.plain_text import cell_text
from reportgen.report.build import build_report
from reportgen.report.charts import LineChart, LinePanels
from reportgen.report.document import Chapter, Figure
from reportgen.report.findings.shift import drift_findings
from reportgen.spec import load_spec
from tests.evaluation.previous_run_records import previous_run
from tests.report.report_text import (
    BINARY,
    MULTICLASS,
    confusion,
    heads,
    note_of,
    notes,
    section,
    sentences,
    table,
)
from tests.report.wording import check_wording, wording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import ReportDocument

FIRST = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
# 80 % and 85 % of the classes are recognised, of 100 and 200 cases.
STEADY = confusion((80, 20), (30, 170))
WORSE = confusion((60, 40), (30, 170))
OTHER_MIX = confusion((160, 40), (15, 85))


def evaluate_with_history(
    folder: Path,
    classifiers: dict[str, str],
    previous_runs: Sequence[PreviousRun] = (),
    task: str = BINARY,
    more: str = "",
) -> Evaluation:
    """Evaluate classifiers with what earlier runs found."""
    tables = (f'[[classifiers]]\nname = "{name}"\n{keys}\n' for name, keys in classifiers.items())
    path = folder / "spec.toml"
    path.write_text(f'title = "A test"\n[task]\n{task}\n{"".join(tables)}{more}', encoding="utf-8")
    return evaluate_spec_file(load_spec(path), history=RunHistory(tuple(previous_runs)))


def runs(
    folder: Path,
    *then: dict[str, str],
    task: str = BINARY,
    apart: timedelta = timedelta(days=7),
) -> list[PreviousRun]:
    """Return runs, one after the other."""
    return [
        previous_run(evaluate_with_history(folder, item, task=task), number, FIRST + number * apart)
        for number, item in enumerate(then)
    ]


def report(folder: Path, then: Sequence[dict[str, str]], now: dict[str, str]) -> ReportDocument:
    """Build the report of a run after others."""
    return build_report(evaluate_with_history(folder, now, runs(folder, *then)))


def history_sentences(of: ReportDocument) -> list[str]:
    """Return the sentences of the section, with plain spaces."""
    return [
        sentence.replace("\N{NARROW NO-BREAK SPACE}", " ") for sentence in sentences(of, "history")
    ]


def figure(of: ReportDocument) -> Figure:
    """Return the figure of the section."""
    (sample,) = (block for block in section(of, "history").blocks if isinstance(block, Figure))
    return sample


def panels(of: ReportDocument) -> tuple[LineChart, ...]:
    """Return the charts of the figure."""
    chart = figure(of).chart
    assert isinstance(chart, LinePanels)
    return chart.panels


def test_what_is_recognised_less_often_is_reported_with_then_and_now(tmp_path: Path) -> None:
    """80 of 100 then, 60 now: z² = 0.2²/(0.7·0.3·2/100) = 9.52, p = 0.00203, times 2 times 3."""
    texts = history_sentences(report(tmp_path, [{"A": STEADY}], {"A": WORSE}))

    assert texts[0] == "Compared with the run of 2026-03-01, the last one on different data."
    assert texts[1].startswith("No significant change in class mix (χ² test, adjusted p ")
    assert texts[2].startswith("A: recall on yes fell (80.0% → 60.0%, adjusted p = 0.012")


def test_the_wording_of_a_changed_report(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Both changes at once, compared with a golden text."""
    now = {"A": confusion((100, 100), (15, 85)), "B": OTHER_MIX}
    document = report(tmp_path, [{"A": STEADY, "B": STEADY}, {"A": STEADY, "B": STEADY}], now)
    update = bool(request.config.getoption("--update-goldens"))

    check_wording("drift", wording(document), update=update)


def test_the_mix_is_distinguished_from_the_rates(tmp_path: Path) -> None:
    """The same rates at a third and at two thirds of positives."""
    texts = history_sentences(report(tmp_path, [{"A": STEADY}], {"A": OTHER_MIX}))

    assert texts[1:] == [
        "Class mix changed (χ² test, adjusted p < 0.001): yes, 33.3% → 66.7%.",
        (
            "A: negative predictive value fell (89.5% → 68.0%, adjusted p < 0.001); precision rose"
            " (72.7% → 91.4%, adjusted p < 0.001), which the class mix may explain."
        ),
        "No significant change in recall for A.",
    ]


def test_no_significant_change_is_stated_for_what_was_tested(tmp_path: Path) -> None:
    """82 instead of 80 of 100 are nothing; the summary does not speak of it."""
    document = report(tmp_path, [{"A": STEADY}], {"A": confusion((82, 18), (30, 170))})

    assert sentences(document, "history")[-1] == (
        "No significant change in any tested quantity for A; that does not show that nothing"
        " changed."
    )
    assert not any("Since the run" in text for text in sentences(document))


def test_the_summary_reports_in_a_sentence_what_changed_beyond_chance(tmp_path: Path) -> None:
    """Both at once: the mix of the cases, and what A makes of them."""
    now = {"A": confusion((100, 100), (15, 85)), "B": OTHER_MIX}
    evaluation = evaluate_with_history(tmp_path, now, runs(tmp_path, {"A": STEADY, "B": STEADY}))
    (finding,) = drift_findings(evaluation)

    assert (finding.class_mix_changed, finding.mix_classifiers) == (True, ())
    assert [recall_change.classifier for recall_change in finding.recall_changes] == ["A"]
    assert any(text.startswith("Since the run of") for text in sentences(build_report(evaluation)))


def test_the_table_has_then_now_and_the_parts_of_accuracy(tmp_path: Path) -> None:
    """Accuracy 250/300 then and 230/300 now; the classes are as frequent as before."""
    changed = table(report(tmp_path, [{"A": STEADY}], {"A": WORSE}), "changes")
    (group,) = changed.groups
    cells = [[cell_text(cell) for cell in row] for row in group.rows]

    assert heads(changed) == [
        "Measure",
        "2026-03-01",
        "Now",
        "Difference",
        "CI of the difference",
        "Adjusted p",
    ]
    assert cell_text(group.head) == "A: recall on yes fell"
    assert cells[:3] == [
        ["Accuracy", "83.3%", "76.7%", "−6.7\u202fpp", "−13.0 to −0.3", "0.49"],
        ["due to class mix", "", "", "0.0\u202fpp", "", ""],
        ["due to error rates", "", "", "−6.7\u202fpp", "", ""],
    ]
    assert "Kitagawa" in note_of(changed)


def test_the_figure_has_a_place_for_every_run_and_now_for_this_one(tmp_path: Path) -> None:
    """Days of earlier runs come from the history; this run has no clock."""
    document = report(
        tmp_path, [{"A": STEADY, "B": WORSE}, {"B": WORSE}], {"A": WORSE, "B": STEADY}
    )
    accuracy = panels(document)[0]

    assert accuracy.x_tick_labels == ((0, "2026-03-01"), (1, "2026-03-08"), (2, "now"))
    assert [(series.name, len(series.points)) for series in accuracy.series] == [
        ("A", 1),
        ("A", 1),
        ("B", 3),
    ]
    first = accuracy.series[0].markers[0]
    assert first.point[1] == pytest.approx(250 / 300)
    # Wilson's limits of 250 of 300.
    assert first.low == pytest.approx(0.787003, abs=1e-6)
    assert first.high == pytest.approx(0.871235, abs=1e-6)


RATES = """
[[gates]]
classifier = "A"
measure = "sensitivity"
at_least = 0.75
"""


def test_runs_beyond_the_limit_of_a_gate_are_marked(tmp_path: Path) -> None:
    """Sensitivity 0.8, 0.6 and 0.8 with a minimum of 0.75: the second run is marked."""
    previous_runs = runs(tmp_path, {"A": STEADY, "B": WORSE}, {"A": WORSE, "B": WORSE})
    charts = panels(
        build_report(
            evaluate_with_history(tmp_path, {"A": STEADY, "B": WORSE}, previous_runs, more=RATES)
        )
    )

    limited = [panel for panel in charts if panel.references]
    assert [panel.y_label for panel in limited] == ["Sensitivity"]
    (line,) = limited[0].references
    assert (line.start[1], line.end[1], line.style) == (0.75, 0.75, "limit")
    low, high = limited[0].y_range
    assert low < 0.75 < high
    marked = {
        series.name: [marker.point for marker in series.markers if marker.kind == "failing"]
        for series in limited[0].series
    }
    # B is as bad, but its sensitivity is not gated.
    assert [round(x) for x, _ in marked["A"]] == [1]
    assert [y for _, y in marked["A"]] == pytest.approx([0.6])
    assert marked["B"] == []


@pytest.mark.parametrize(("bound", "marked"), [("value", ()), ("low", (0, 1))])
def test_a_run_is_judged_by_the_bound_of_the_gate(
    tmp_path: Path, bound: str, marked: tuple[int, ...]
) -> None:
    """80 of 100 is 0.8, with a lower limit of 0.71."""
    previous_runs = runs(tmp_path, {"A": STEADY})
    more = RATES + f'bound = "{bound}"\n'
    drift = evaluate_with_history(tmp_path, {"A": STEADY}, previous_runs, more=more).drift

    assert drift is not None
    (trend,) = (trend for trend in drift.trends if trend.measure == "sensitivity")
    assert (trend.limits, trend.failing) == ((0.75,), marked)


@pytest.mark.parametrize(
    ("apart", "names"),
    [
        (timedelta(hours=1), ["2026-03-01 08:30", "2026-03-01 09:30"]),
        (timedelta(seconds=5), ["2026-03-01 08:30:00", "2026-03-01 08:30:05"]),
    ],
)
def test_runs_of_one_day_are_distinguished_by_the_time(
    tmp_path: Path, apart: timedelta, names: list[str]
) -> None:
    """Two runs within a day, or within a minute."""
    then = runs(tmp_path, {"A": STEADY}, {"A": OTHER_MIX}, apart=apart)
    document = build_report(evaluate_with_history(tmp_path, {"A": WORSE}, then))

    assert [name for _, name in panels(document)[0].x_tick_labels] == [*names, "now"]


def test_days_are_in_utc(tmp_path: Path) -> None:
    """A run that ended at half past one in Berlin ended the day before in UTC."""
    (run,) = runs(tmp_path, {"A": STEADY})
    local = datetime.fromisoformat("2026-03-01T00:30:00+01:00")
    document = build_report(
        evaluate_with_history(tmp_path, {"A": WORSE}, [replace(run, ended=local)])
    )

    assert panels(document)[0].x_tick_labels[0] == (0, "2026-02-28")


def test_it_follows_the_key_findings_and_is_only_there_with_a_past(tmp_path: Path) -> None:
    """Without earlier runs there is nothing to say, and no heading either."""
    document = report(tmp_path, [{"A": STEADY}], {"A": WORSE})
    details = [item.kind for item in document.sections if item.chapter is Chapter.RESULTS]

    assert details[:2] == ["findings", "history"]
    assert all(
        item.kind != "history"
        for item in build_report(evaluate_with_history(tmp_path, {"A": WORSE})).sections
    )


def test_another_version_is_reported(tmp_path: Path) -> None:
    """What differs may then be due to the program."""
    (run,) = runs(tmp_path, {"A": STEADY})
    document = build_report(
        evaluate_with_history(tmp_path, {"A": WORSE}, [replace(run, version="0.0.1")])
    )

    assert "It used reportgen 0.0.1" in sentences(document, "history")[0]


def test_many_classes_are_named_surest_first(tmp_path: Path) -> None:
    """Class c fell from 90 to 40 of 100, class a from 90 to 65; b rose from 60 to 85."""
    then = confusion((90, 10, 0), (20, 60, 20), (0, 10, 90))
    now = confusion((65, 35, 0), (5, 85, 10), (0, 60, 40))
    previous_runs = runs(tmp_path, {"A": then}, task=MULTICLASS)
    texts = history_sentences(
        build_report(evaluate_with_history(tmp_path, {"A": now}, previous_runs, MULTICLASS))
    )

    assert texts[2].startswith("A: recall on c fell (90.0% → 40.0%, adjusted p < 0.001) and a (")
    assert "; recall on b rose (60.0% → 85.0%, adjusted p " in texts[2]


def test_untested_values_are_called_untested(tmp_path: Path) -> None:
    """With neither counts nor intervals of that run nothing can be tested."""
    (run,) = runs(tmp_path, {"A": STEADY})
    bare = replace(run, confusion={}, level=0.9)
    document = build_report(evaluate_with_history(tmp_path, {"A": WORSE}, [bare]))

    assert sentences(document, "history")[-1].startswith("Changes not tested")
    assert notes(document, "history") == []
    assert cell_text(table(document, "changes").groups[0].head) == "A: not tested"


def test_results_json_has_every_change(tmp_path: Path) -> None:
    """Values of the classifier first, then both shares of every class."""
    evaluation = evaluate_with_history(tmp_path, {"A": WORSE}, runs(tmp_path, {"A": STEADY}))
    rows = json.loads(results_json(evaluation))["changes"]
    of_yes = {row["measure"]: row for row in rows if row["class"] == "yes"}

    assert rows[0] == {
        "classifier": "A",
        "class": None,
        "measure": "accuracy",
        "run": "run-0",
        "then": pytest.approx(250 / 300),
        "now": pytest.approx(230 / 300),
        "difference": pytest.approx(-20 / 300),
        "low": pytest.approx(-0.1300, abs=1e-3),
        "high": pytest.approx(-0.0030, abs=1e-3),
        "test": "two proportions",
        "p": pytest.approx(0.04123, abs=1e-5),
        "p_adjusted": pytest.approx(0.4947, abs=1e-3),
        "verdict": "no significant change",
        "note": None,
    }
    assert of_yes["sensitivity"]["verdict"] == "significant change"
    assert of_yes["sensitivity"]["p_adjusted"] == pytest.approx(6 * 0.002028, abs=1e-5)
    assert of_yes["prevalence"]["verdict"] == "no significant change"
    assert json.loads(results_json(evaluation))["change_verdicts"] == [
        {
            "classifier": "A",
            "run": "run-0",
            "verdict": "recall",
            "label_shift_effect": pytest.approx(0),
            "performance_effect": pytest.approx(-20 / 300),
        }
    ]
    assert json.loads(results_json(evaluate_with_history(tmp_path, {"A": WORSE})))["changes"] == []


def test_every_format_has_the_section(tmp_path: Path) -> None:
    """The page, Markdown and LaTeX."""
    document = report(tmp_path, [{"A": STEADY}], {"A": WORSE})

    for output in (render_html(document), render_markdown(document), render_latex(document)):
        assert "Trend and change since the last run" in str(output)
        assert "2026-03-01" in str(output)


def test_long_rows_of_runs_have_bands_and_few_days_on_the_axis(tmp_path: Path) -> None:
    """Fifty runs of one classifier: no day is written over another."""
    (run,) = runs(tmp_path, {"A": STEADY})
    previous_runs = [
        replace(
            run, id=str(number), data_fingerprint=str(number), ended=FIRST + timedelta(days=number)
        )
        for number in range(50)
    ]
    evaluation = evaluate_with_history(
        tmp_path, {"A": WORSE}, previous_runs, more="[history]\nshow = 50\n"
    )
    document = build_report(evaluation)
    page = str(render_html(document))

    (line,) = panels(document)[0].series
    assert line.band is not None
    assert line.markers == ()
    assert 2 <= page.count(">2026-0") <= 40
