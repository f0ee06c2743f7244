"""Monitoring over all runs: what is tested, against what, and when an alarm is raised."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.aggregates.aggregation import aggregate
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.evaluation.monitoring import monitor
from reportgen.evaluation.previous_runs import RunCounts, RunHistory
from reportgen.export.results import results_json
from reportgen.predictions.load import load_predictions
from reportgen.report.build import build_report
from reportgen.spec import load_spec
from tests.report.report_text import sentences
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

FIRST = datetime(2026, 3, 1, tzinfo=UTC)


def matrix(correct: int, cases: int = 200) -> tuple[tuple[int, ...], ...]:
    """Return a matrix with so many correct cases, half of each class."""
    errors = cases - correct
    return (
        (cases // 2 - errors // 2, errors // 2),
        (errors - errors // 2, cases // 2 - errors + errors // 2),
    )


def night(number: int, correct: int) -> RunCounts:
    """Return the counts of a run, a day after the one before."""
    return RunCounts(
        f"run-{number}",
        FIRST + timedelta(days=number),
        f"data-{number}",
        ("yes", "no"),
        "yes",
        {"A": matrix(correct)},
        {"A": 1.0},
    )


def evaluated(
    folder: Path, runs: list[RunCounts], now: int, keys: str, more: str = ""
) -> Evaluation:
    """Evaluate a run after others."""
    path = folder / "spec.toml"
    spec = counted_spec(matrix(now)).replace("[task]", f"[history]\n{keys}\n[task]", 1)
    path.write_text(f"{spec}\n{more}", encoding="utf-8")
    spec_file = load_spec(path)
    aggregates = aggregate(spec_file, load_predictions(spec_file))
    return evaluate_aggregates(spec_file, aggregates, RunHistory(counts=tuple(runs)))


def nights(correct: list[int]) -> list[RunCounts]:
    """Return runs night after night."""
    return [night(number, item) for number, item in enumerate(correct)]


def test_nothing_is_monitored_without_an_error_rate(tmp_path: Path) -> None:
    """The default: trends and changes, but no budget over all runs."""
    assert evaluated(tmp_path, nights([180] * 3), 180, "show = 5").monitoring is None


def test_a_steady_classifier_raises_no_alarm(tmp_path: Path) -> None:
    """Ten nights as good as the reference; the data speak for no change."""
    monitoring = evaluated(tmp_path, nights([180] * 10), 180, "error_rate = 0.05").monitoring

    assert monitoring is not None
    (quantity,) = monitoring.quantities
    assert (quantity.kind, quantity.measure, quantity.target) == ("reference", "accuracy", 0.9)
    assert quantity.reference_cases == 200
    assert len(quantity.points) == 10
    assert quantity.points[-1].run is None
    assert quantity.alarm is None
    assert quantity.points[-1].log10_e < 0


def test_a_fall_below_a_gate_raises_an_alarm_with_its_date(tmp_path: Path) -> None:
    """Ten nights at 0.92, then 0.80: below the limit of 0.9 since the eleventh."""
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = 0.9\nlevel = "warning"\n'
    runs = nights([184] * 10 + [160] * 4)
    evaluation = evaluated(tmp_path, runs, 160, "error_rate = 0.05\nreference = 5", gate)
    monitoring = evaluation.monitoring

    assert monitoring is not None
    by_kind = {quantity.kind: quantity for quantity in monitoring.quantities}
    assert set(by_kind) == {"reference", "at_least"}
    limit = by_kind["at_least"]
    # One classifier and one gate share the error rate.
    assert limit.threshold == pytest.approx(2 / 0.05)
    assert limit.alarm is not None
    assert limit.since is not None
    assert limit.since.run == "run-10"
    text = " ".join(sentences(build_report(evaluation), "monitoring"))
    assert "against the limit (at least 90.0%): evidence of a change since 2026-03-11" in text
    assert any(item.startswith("Monitoring: ") for item in sentences(build_report(evaluation)))
    rows = json.loads(results_json(evaluation))["monitoring"]
    last = [row for row in rows if row["kind"] == "at_least"][-1]
    assert last["alarm"]
    assert last["since"].startswith("2026-03-11")


def test_the_first_runs_are_the_reference(tmp_path: Path) -> None:
    """Three of them pooled: 540 of 600; the others are tested."""
    monitoring = evaluated(
        tmp_path, nights([180] * 5), 180, "error_rate = 0.05\nreference = 3"
    ).monitoring

    assert monitoring is not None
    (quantity,) = monitoring.quantities
    assert (quantity.target, quantity.reference_cases) == (0.9, 600)
    assert [point.run for point in quantity.points] == ["run-3", "run-4", None]


def test_runs_before_a_date_do_not_count(tmp_path: Path) -> None:
    """The reference is the first run since then."""
    keys = f"error_rate = 0.05\nsince = {date(2026, 3, 4).isoformat()}"
    monitoring = evaluated(tmp_path, nights([100, 100, 100, 180, 180]), 180, keys).monitoring

    assert monitoring is not None
    (quantity,) = monitoring.quantities
    assert quantity.target == 0.9
    assert [point.run for point in quantity.points] == ["run-4", None]


def test_the_same_data_count_once(tmp_path: Path) -> None:
    """A run that was repeated, and a run on the data of now."""
    runs = nights([180, 180, 180])
    repeated = [runs[0], runs[1], replace(runs[1], id="again"), runs[2]]
    keys = "error_rate = 0.05"
    evaluation = evaluated(tmp_path, repeated, 180, keys)
    monitoring = evaluation.monitoring

    assert monitoring is not None
    assert [point.run for point in monitoring.quantities[0].points] == ["run-1", "run-2", None]
    again = monitor(
        evaluation.spec, evaluation.aggregates, RunHistory(counts=tuple(runs)), "data-2"
    )
    assert again is not None
    assert [point.run for point in again.quantities[0].points] == ["run-1", None]


def test_runs_with_other_classes_do_not_count(tmp_path: Path) -> None:
    """Their accuracy is another one."""
    other = replace(night(0, 180), classes=("yes", "no", "maybe"), data_fingerprint="other")
    monitoring = evaluated(
        tmp_path, [other, *nights([180, 180])], 180, "error_rate = 0.05"
    ).monitoring

    assert monitoring is not None
    assert [point.run for point in monitoring.quantities[0].points] == ["run-1", None]


def test_repeated_predictions_count_as_one_case(tmp_path: Path) -> None:
    """Counts of weight 0.1 are a tenth of the cases."""
    runs = [replace(run, weights={"A": 0.1}) for run in nights([180] * 3)]
    monitoring = evaluated(tmp_path, runs, 180, "error_rate = 0.05").monitoring

    assert monitoring is not None
    (quantity,) = monitoring.quantities
    assert quantity.reference_cases == 20
    assert np.array([point.cases for point in quantity.points]).tolist() == [20, 20, 200]
