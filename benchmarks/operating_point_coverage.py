"""Coverage of measures at operating points and of net benefit, and false claims of their tests.

Scores are binormal, so that every true value follows from the normal distribution; probabilities
are the true ones. Two classifiers of equal quality share half of their errors. Run it from the
repository, it writes to docs/coverage.md: python -m benchmarks.operating_point_coverage
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

from benchmarks.covered import Coverage
from benchmarks.tables import COVERAGE, write_part
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.operating_points import OperatingPointPlan, aggregate_operating_points
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.confidence.counts import intervals_per_class
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.evaluation.values import compute_operating_point_values
from reportgen.measures import get_measure
from reportgen.measures.measure import DeltaMethod
from reportgen.spec.inference import IntervalSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

SEED = 20060101
LEVEL = 0.95
SHARED = 0.5
THRESHOLDS = (0.1, 0.3)


@dataclass(frozen=True, slots=True)
class Setting:
    """The number of cases, the prevalence, and the area under the ROC curve."""

    cases: int
    prevalence: float
    area: float

    @property
    def distance(self) -> float:
        """The distance of the two means in standard deviations."""
        return math.sqrt(2) * float(ndtri(self.area))

    @property
    def top(self) -> int:
        """The number of cases in the top: a tenth."""
        return self.cases // 10

    @property
    def text(self) -> str:
        """The setting in words."""
        return f"prevalence {self.prevalence:g}, AUC {self.area:g}"

    def tails(self, place: float) -> tuple[float, float]:
        """Return sensitivity and false positive rate at a threshold."""
        half = self.distance / 2
        return float(ndtr(half - place)), float(ndtr(-half - place))

    def gain(self, fraction: float) -> float:
        """Return the sensitivity where a fraction of all cases is predicted positive."""

        def excess(place: float) -> float:
            hit, alarm = self.tails(place)
            return self.prevalence * hit + (1 - self.prevalence) * alarm - fraction

        return self.tails(brentq(excess, -20, 20, xtol=1e-14))[0]

    def true_values(self) -> dict[str, float]:
        """Return what the measures are of all cases there could be."""
        apart, share = self.distance, self.prevalence
        rates = (np.arange(200_000) + 0.5) / 2_000_000
        area = 0.1 * float(ndtr(apart + ndtri(rates)).mean())
        alarm = float(ndtr(ndtri(0.8) - apart))
        top = self.top / self.cases
        return {
            "ks": 2 * float(ndtr(apart / 2)) - 1,
            "roc_auc@fpr<=0.1": (1 + (area - 0.005) / 0.095) / 2,
            "sensitivity@specificity=0.95": float(ndtr(apart - ndtri(0.95))),
            "specificity@sensitivity=0.9": float(ndtr(apart - ndtri(0.9))),
            "precision@sensitivity=0.8": share * 0.8 / (share * 0.8 + (1 - share) * alarm),
            "lift@0.1": self.gain(0.1) / 0.1,
            "gain@0.2": self.gain(0.2),
            f"precision@k={self.top}": share * self.gain(top) / top,
        }

    def net_benefit(self, threshold: float) -> float:
        """Return the true net benefit of true probabilities at a threshold."""
        odds = threshold / (1 - threshold)
        prior = math.log(self.prevalence / (1 - self.prevalence))
        hit, alarm = self.tails((math.log(odds) - prior) / self.distance)
        return self.prevalence * hit - (1 - self.prevalence) * alarm * odds

    def draw(self, random: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw the truth, and the places of two classifiers that share part of their errors."""
        truth = (random.random(self.cases) < self.prevalence).astype(np.float64)
        common = random.standard_normal(self.cases) * math.sqrt(SHARED)
        own = random.standard_normal((2, self.cases)) * math.sqrt(1 - SHARED)
        return truth, common + own + self.distance * (truth - 0.5)


SETTINGS = (
    Setting(200, 0.4, 0.85),
    Setting(1000, 0.4, 0.85),
    Setting(1000, 0.05, 0.85),
    Setting(200, 0.4, 0.97),
    Setting(400, 0.2, 0.65),
)


def operating_point_rows(
    setting: Setting, samples: int, draws: int, chosen: str = ""
) -> Iterator[tuple[Coverage, float]]:
    """Yield the coverage of each measure, and how often its test is significant at 5 %."""
    settings = IntervalSettings(draws=draws)
    true_values = {
        name: true for name, true in setting.true_values().items() if name.startswith(chosen)
    }
    measures = tuple(map(get_measure, true_values))
    random = np.random.default_rng(SEED)
    parts, rejected = [], dict.fromkeys(true_values, 0)
    for _ in range(samples):
        aggregates = _aggregate(setting, random, measures, draws)
        if aggregates.operating_points is None:
            raise TypeError(setting)
        values = compute_operating_point_values(aggregates.operating_points, measures)
        scored = add_score_confidence_intervals(values, aggregates, settings)
        parts.append(scored.frame.filter(pl.col("class").is_null(), classifier="A"))
        for row in run_score_tests(aggregates, scored.by_key(), [("A", "B")], LEVEL):
            if row.p is not None and row.measure in rejected:
                rejected[row.measure] += row.p < 1 - LEVEL
    rows = pl.concat(parts)
    for name, true in true_values.items():
        own = rows.filter(measure=name)
        yield _coverage(setting, name, own, true), 100 * rejected[name] / samples


def _aggregate(
    setting: Setting, random: np.random.Generator, measures: tuple[Measure, ...], draws: int
) -> Aggregates:
    truth, places = setting.draw(random)
    folds = pl.Series("fold", [None], pl.String).extend_constant(None, setting.cases - 1)
    scores = tuple(
        ClassifierScores(name, folds, (), place[:, None], None)
        for name, place in zip("AB", places, strict=True)
    )
    cases = ScoredCases(("no", "yes"), ("yes",), truth.astype(np.int64), scores)
    plan = OperatingPointPlan(measures, draws, int(random.integers(2**31)))
    return Aggregates(
        classes=cases.classes,
        confusion=None,
        regression=None,
        inputs=(),
        audits=(),
        joined_by="id",
        case_count=setting.cases,
        warnings=(),
        ranking=compute_ranking_statistics(cases),
        operating_points=aggregate_operating_points(cases, plan),
    )


def _coverage(setting: Setting, name: str, rows: pl.DataFrame, true: float) -> Coverage:
    has = rows.filter(pl.col("method").is_not_null())
    covered = has.filter((pl.col("low") <= true) & (pl.col("high") >= true)).height
    return Coverage(
        f"{get_measure(name).title}, {setting.text}",
        str(has["method"].mode().sort()[0]),
        setting.cases,
        100 * covered / has.height,
        float((has["high"] - has["low"]).to_numpy().mean()),
        rows.height - has.height,
    )


def net_benefit_rows(setting: Setting, samples: int) -> Iterator[Coverage]:
    """Yield the coverage of net benefit at a low and at a higher threshold."""
    random = np.random.default_rng(SEED)
    prior = math.log(setting.prevalence / (1 - setting.prevalence))
    drawn = [setting.draw(random) for _ in range(samples)]
    for threshold in THRESHOLDS:
        measure = get_measure(f"net_benefit@{threshold}")
        kind = measure.interval
        if not isinstance(kind, DeltaMethod):
            raise TypeError(measure.name)
        predicted = [expit(setting.distance * p[0] + prior) >= threshold for _, p in drawn]
        truths = [truth.astype(bool) for truth, _ in drawn]
        cells = {"tp": (True, True), "fn": (True, False), "fp": (False, True), "tn": (False, False)}
        counts = {
            name: np.array(
                [
                    float(((truth == cell[0]) & (probability == cell[1])).sum())
                    for truth, probability in zip(truths, predicted, strict=True)
                ]
            )
            for name, cell in cells.items()
        }
        limits = intervals_per_class(measure, kind, counts, IntervalSettings(), np.ones(samples))
        true = setting.net_benefit(threshold)
        covered = (limits.low <= true) & (true <= limits.high)
        yield Coverage(
            f"{measure.title}, {setting.text}",
            str(limits.method[0]),
            setting.cases,
            100 * float(covered.mean()),
            float((limits.high - limits.low).mean()),
            0,
        )


def document(samples: int, draws: int) -> Iterator[str]:
    """Yield the lines of the part, as soon as they are known."""
    error = 196 * math.sqrt(0.95 * 0.05 / samples)
    yield f"""## Operating points and net benefit

Written by `python -m benchmarks.operating_point_coverage`: {samples} samples for each row (Monte
Carlo error of a coverage about ± {error:.1f} percentage points), {4 * samples} for net benefit,
with {draws} bootstrap resamples. Scores are binormal. "False claims" are tests with p < 0.05 of two
classifiers of equal quality that share half of their errors.
"""
    yield from table_lines(samples, draws, "")


def table_lines(samples: int, draws: int, chosen: str) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| measure | method | cases | coverage | mean width | none | false claims |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for setting in SETTINGS:
        for row, rejected in operating_point_rows(setting, samples, draws, chosen):
            yield f"{row.cells} {rejected:.1f} % |"
        if "net_benefit".startswith(chosen):
            for row in net_benefit_rows(setting, 4 * samples):
                yield f"{row.cells} |"


def main() -> None:
    """Draw, count, print the table and write it to docs/coverage.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400, help="samples for each row")
    parser.add_argument("--draws", type=int, default=200, help="bootstrap resamples")
    parser.add_argument("--measure", default="", help="print only those whose names start with it")
    options = parser.parse_args()
    if options.measure:
        for line in table_lines(options.samples, options.draws, options.measure):
            print(line, flush=True)
        return
    write_part(COVERAGE, "operating points", document(options.samples, options.draws))


if __name__ == "__main__":
    main()
