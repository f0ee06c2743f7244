"""Measure error rates of changes between runs, of monitoring and of miscalibration tests.

Writes its parts of docs/error-rates.md. Run it from the repository:
python -m benchmarks.changes_and_calibration
"""

from __future__ import annotations

import argparse
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.tables import ERROR_RATES, simulation_error, write_part
from reportgen.aggregates.aggregation import aggregate
from reportgen.aggregates.calibration import fit_calibration
from reportgen.aggregates.curves import count_curves
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.drift_attribution import (
    DriftVerdict,
)
from reportgen.evaluation.evaluate import evaluate_aggregates
from reportgen.evaluation.previous_runs import PreviousRun, RunHistory
from reportgen.predictions.load import load_predictions
from reportgen.spec import load_spec
from reportgen.statistics.calibration import consistency_band, excess_miscalibration_difference
from reportgen.statistics.distributions import chi2_sf
from reportgen.statistics.e_process import limit_path, reference_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.statistics import FloatArray

SEED = 20061118
ALPHA = 0.05
NIGHTLY, YEAR = 200, 365
SPEC = """\
[task]
kind = "binary"
positive = "yes"
[data]
score = "score"
[output]
formats = ["json"]
[[classifiers]]
name = "A"
predictions = "cases.csv"
"""


def evaluate(
    folder: Path, random: np.random.Generator, cases: int, slope: float, past: RunHistory
) -> Evaluation:
    """Draw cases whose logit of the score has a slope of the true logit, and evaluate them."""
    logit = random.normal(-0.5, 1.5, cases)
    truth = random.uniform(size=cases) < 1 / (1 + np.exp(-logit))
    score = 1 / (1 + np.exp(-(slope * logit + random.normal(0, 1, cases))))
    pl.DataFrame(
        {
            "truth": np.where(truth, "yes", "no"),
            "prediction": np.where(score >= 0.5, "yes", "no"),  # noqa: PLR2004
            "score": score,
        }
    ).write_csv(folder / "cases.csv")
    spec_file = load_spec(folder / "spec.toml")
    return evaluate_aggregates(spec_file, aggregate(spec_file, load_predictions(spec_file)), past)


def as_previous_run(evaluation: Evaluation) -> PreviousRun:
    """Return an evaluation as a history keeps it."""
    confusion = evaluation.aggregates.confusion
    return PreviousRun(
        id="run",
        ended=datetime(2026, 1, 1, tzinfo=UTC),
        version="0.1.0",
        data_fingerprint="other",
        published=False,
        classes=evaluation.aggregates.classes,
        values=evaluation.by_key,
        confusion={} if confusion is None else {"A": confusion.matrix("A")},
        level=evaluation.spec.intervals.level,
        positive=evaluation.spec.task.positive,
        weights={"A": 1.0},
    )


def change_rows(repetitions: int) -> Iterator[tuple[str, ...]]:
    """Yield how often a change is found between two runs, in any test and in the AUC."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spec.toml").write_text(f'title = "b"\n{SPEC}', encoding="utf-8")
        for cases, slope in ((100, 1.0), (1000, 1.0), (1000, 0.6)):
            random = np.random.default_rng(SEED)
            changed = areas = 0
            for _ in range(repetitions):
                then = evaluate(folder, random, cases, 1.0, RunHistory())
                past = RunHistory((as_previous_run(then),))
                drift = evaluate(folder, random, cases, slope, past).drift
                if drift is None:
                    raise RuntimeError("the runs were not compared")
                verdict = drift.attributions[0].verdict
                changed += verdict is not DriftVerdict.NO_SIGNIFICANT_CHANGE
                areas += any(
                    change.measure == "roc_auc" and change.is_significant
                    for change in drift.value_changes
                )
            kind = "none" if slope == 1 else f"AUC 0.757 to 0.705 (slope of the score {slope})"
            yield kind, str(cases), percent(changed, repetitions), percent(areas, repetitions)


def monitoring_rows(repetitions: int) -> Iterator[tuple[str, ...]]:
    """Yield false alarms of a year, and the median delay of a fall from 0.90 to 0.87."""
    threshold = 1 / ALPHA

    def against_limit(hits: np.ndarray, _: int) -> int | None:
        return limit_path(hits, np.full(len(hits), NIGHTLY), 0.9, "below", threshold).alarm

    def against_reference(hits: np.ndarray, seed: int, size: int) -> int | None:
        # Drawn by itself: the seed alone is that of the randomized p-values.
        draw = np.random.default_rng([SEED, seed, size])
        reference = int(draw.binomial(size, 0.9)), size
        cases = np.full(len(hits), NIGHTLY)
        return reference_path(hits, cases, reference, seed, threshold).alarm

    plans: dict[str, Callable[[np.ndarray, int], int | None]] = {
        "limit 0.9": against_limit,
        "reference of 2000 cases": partial(against_reference, size=2000),
        "reference of 10000 cases": partial(against_reference, size=10_000),
    }
    for name, alarm in plans.items():
        random = np.random.default_rng(SEED)
        false = sum(
            alarm(random.binomial(NIGHTLY, 0.9, YEAR), seed) is not None
            for seed in range(repetitions)
        )
        delays = []
        for before in (0, 30, 100):
            own = []
            for seed in range(repetitions):
                quiet = random.binomial(NIGHTLY, 0.9, before)
                night = alarm(np.append(quiet, random.binomial(NIGHTLY, 0.87, 60)), seed)
                own.append(np.inf if night is None else max(0, night + 1 - before))
            median = float(np.median(own))
            delays.append("more than 60" if np.isinf(median) else f"{median:g}")
        yield name, percent(false, repetitions), *delays


def calibration_rows(repetitions: int) -> Iterator[tuple[str, ...]]:
    """Yield how often the paired test finds a difference in miscalibration."""
    for name, draw in {
        "both calibrated, different scores": _draw_sharp_and_coarse,
        "shifted up and down, equal MCB": _draw_shifted,
        "one calibrated, one with doubled logits (power)": _draw_doubled,
    }.items():
        shares = []
        for cases in (200, 2000):
            random = np.random.default_rng(SEED)
            rejections = sum(
                _miscalibration_p(*draw(random, cases)) <= ALPHA for _ in range(repetitions)
            )
            shares.append(percent(rejections, repetitions))
        yield name, *shares


def _outcomes(random: np.random.Generator, logit: FloatArray) -> np.ndarray:
    return (random.uniform(size=len(logit)) < 1 / (1 + np.exp(-logit))).astype(np.int64)


def _draw_sharp_and_coarse(
    random: np.random.Generator, cases: int
) -> tuple[np.ndarray, list[FloatArray]]:
    logit = random.normal(0, 1.5, cases)
    # The mean probability of a positive logit, by symmetry 1 minus that of a negative one.
    coarse = np.where(logit > 0, 0.7341, 0.2659)
    return _outcomes(random, logit), [1 / (1 + np.exp(-logit)), coarse]


def _draw_shifted(random: np.random.Generator, cases: int) -> tuple[np.ndarray, list[FloatArray]]:
    logit = random.normal(0, 1.5, cases)
    scores = [1 / (1 + np.exp(-logit - shift)) for shift in (0.6, -0.6)]
    return _outcomes(random, logit), scores


def _draw_doubled(random: np.random.Generator, cases: int) -> tuple[np.ndarray, list[FloatArray]]:
    logit = random.normal(0, 1.5, cases)
    scores = [1 / (1 + np.exp(-factor * logit)) for factor in (1, 2)]
    return _outcomes(random, logit), scores


def _miscalibration_p(truth: np.ndarray, scores: list[FloatArray]) -> float:
    fold = pl.Series("fold", [None] * len(truth), pl.String)
    cases = ScoredCases(
        ("no", "yes"),
        ("yes",),
        truth,
        tuple(
            ClassifierScores(str(number), fold, (), score[:, None], score[:, None])
            for number, score in enumerate(scores)
        ),
    )
    fits = fit_calibration(cases, count_curves(cases))
    first, second = (fits.overall[name] for name in ("0", "1"))
    bands = [
        consistency_band(fit.groups, 0.95, n_resamples=199, seed=SEED) for fit in (first, second)
    ]
    excess, error = excess_miscalibration_difference(
        first.brier.miscalibration - second.brier.miscalibration,
        fits.variance_of_difference("0", "1") or 0.0,
        *bands,
    )
    return chi2_sf((excess / error) ** 2)


def percent(count: float, repetitions: int) -> str:
    """Return a share in percent."""
    return f"{100 * count / repetitions:.1f} %"


def changes(repetitions: int) -> Iterator[str]:
    """Yield the lines about changes between two runs."""
    yield f"""## Changes between two runs

{repetitions} pairs of runs a row (simulation error of a rate of 5 % {simulation_error(repetitions)}
points). Two runs on new cases; the score is the true logit with a slope of 1, plus noise. *Any*:
the verdict claims any change (class mix, recall, measures); *AUC*: its change is significant after
adjustment. A slope of 0.6 lowers the AUC from 0.757 to 0.705, which an unadjusted test of two
independent estimates finds in about six of ten pairs.

{command("changes", repetitions)}
"""
    yield from table(("change", "cases", "any change", "AUC"), change_rows(repetitions))


def monitoring(repetitions: int) -> Iterator[str]:
    """Yield the lines about monitoring over all runs."""
    yield f"""## Monitoring

{repetitions} series a row of {NIGHTLY} cases a night, error rate 5 % (simulation error
{simulation_error(repetitions)} points). False alarms: series of {YEAR} nights with nothing changing
that ever raise an alarm. Delay: median number of nights until a fall from 0.90 to 0.87 is found, at
the start and after 30 and 100 quiet nights.

A night is evidence of 0.92 on average (the Kullback–Leibler divergence of 0.87 from 0.90 times 200,
in natural logarithms), so that ln 20 = 3.0, the evidence for an alarm, takes 3.3 nights if it is
known when the fall began, how large it is, and what the proportion was; 8.3 nights if it may have
begun in any of 101 nights with equal weight (ln 2020 = 7.6). Against a reference of 2000 cases the
evidence of a known fall is at most 8.8 in any number of nights, and 3.0 after 5.1.

{command("monitoring", repetitions)}
"""
    heads = ("against", "false alarms", "delay at the start", "after 30 nights", "after 100 nights")
    yield from table(heads, monitoring_rows(repetitions))


def calibration(repetitions: int) -> Iterator[str]:
    """Yield the lines about the paired test of miscalibration."""
    yield f"""## Paired test of miscalibration

How often the test at 5 % finds a difference in {repetitions} repetitions (simulation error
{simulation_error(repetitions)} points); in the first two rows there is none.

{command("miscalibration", repetitions)}
"""
    yield from table(("classifiers", "200 cases", "2000 cases"), calibration_rows(repetitions))


TABLES = {"changes": changes, "monitoring": monitoring, "miscalibration": calibration}


def command(name: str, repetitions: int) -> str:
    """Return the command that writes a table, as Markdown."""
    line = f"python -m benchmarks.changes_and_calibration --tables {name}"
    return f"```console\n{line} --repetitions {repetitions}\n```"


def table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table and an empty line."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    for name in arguments.tables:
        write_part(arguments.output, name, TABLES[name](arguments.repetitions))


if __name__ == "__main__":
    main()
