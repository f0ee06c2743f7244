"""Coverage of measures of scores and probabilities, on cases drawn from normal distributions.

What is true of two classes is integrated; of three it is counted on very many cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import expit, ndtr, ndtri, softmax

from benchmarks.covered import coverage
from reportgen.aggregates.curves import count_curves
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.effective_shares import score_shares
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.precision_recall import pr_covariances
from reportgen.aggregates.probabilities import (
    calibration_bin,
    count_calibration_bins,
    information_score,
    sum_probability_losses,
)
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.values import (
    MeasureValues,
    compute_probability_values,
    compute_ranking_values,
)
from reportgen.measures import MEASURE_REGISTRY
from reportgen.measures.measure import MeasureFamily
from reportgen.predictions.audit import CaseAudit
from reportgen.spec.inference import IntervalSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.covered import Coverage
    from reportgen.aggregates.design import SampleDesign
    from reportgen.aggregates.effective_shares import EffectiveShares
    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

    Draw = Callable[[np.random.Generator, int], ScoredCases]

PR_AREAS = ("average_precision", "pr_auc")
MEASURES = [
    MEASURE_REGISTRY[name]
    for name in (
        *("roc_auc", *PR_AREAS, "brier", "log_loss", "ece"),
        *("information_score", "relative_information_score"),
    )
]
RECOMMENDED, BOOTSTRAP = IntervalSettings(), IntervalSettings(method="bootstrap", draws=1000)
# Of measures of scores only areas of two classes can be resampled.
RESAMPLED = ("roc_auc", "average_precision", "pr_auc")

# Two normal distributions whose means are APART; the area under the ROC curve is then AREA, and the
# logistic function with this slope gives the true probabilities. Doubled log-odds: over-confident.
PREVALENCE, AREA = 0.4, 0.85
APART = math.sqrt(2) * float(ndtri(AREA))
LOG_ODDS = math.log(PREVALENCE / (1 - PREVALENCE))
SURENESS = {"calibrated": 1.0, "over-confident": 2.0}

# Three classes around the corners of a triangle, with true probabilities.
SHARES = np.array([0.5, 0.3, 0.2])
CORNERS = np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]])
MANY = 4_000_000


@dataclass(frozen=True, slots=True)
class Target:
    """A score whose true value is known."""

    classifier: str
    average: str | None
    measure: str
    true: float

    @property
    def what(self) -> str:
        """The measure, how it was averaged, and of which classifier, if not of a calibrated one."""
        title = MEASURE_REGISTRY[self.measure].title
        if self.measure == "ece":
            return f"{title}, {self.classifier}"
        if self.classifier == "three":
            return f"{title}, three classes" + (f", {self.average}" if self.average else "")
        return title


def score_rows(sizes: tuple[int, ...], samples: int, seed: int) -> Iterator[Coverage]:
    """Cover the measures of scores for two classes and for three."""
    of_two = _true_of_two()
    areas = [target for target in of_two if target.measure in RESAMPLED]
    for draw, targets, settings in (
        (_two, of_two, RECOMMENDED),
        (_two, areas, BOOTSTRAP),
        (_three, _true_of_three(seed), RECOMMENDED),
    ):
        for cases in sizes:
            random = np.random.default_rng(seed)
            intervals = pl.concat(
                [scored_with_intervals(draw(random, cases), settings).frame for _ in range(samples)]
            )
            for target in targets:
                rows = intervals.filter(
                    pl.col("classifier") == target.classifier,
                    pl.col("average").eq_missing(pl.lit(target.average, pl.String)),
                    pl.col("measure") == target.measure,
                )
                yield coverage(target.what, rows, target.true, cases)


def _two(random: np.random.Generator, cases: int) -> ScoredCases:
    truth = (random.random(cases) < PREVALENCE).astype(np.int64)
    place = random.standard_normal(cases) + APART * (truth - 0.5)
    probabilities = {name: _probability(place, times) for name, times in SURENESS.items()}
    return ScoredCases(
        ("no", "yes"),
        ("yes",),
        truth,
        tuple(
            ClassifierScores(
                name, _no_folds(cases), (), values[:, None], np.stack([1 - values, values], 1)
            )
            for name, values in probabilities.items()
        ),
    )


def _three(random: np.random.Generator, cases: int) -> ScoredCases:
    truth = random.choice(3, size=cases, p=SHARES)
    place = CORNERS[truth] + random.standard_normal((cases, 2))
    densities = place @ CORNERS.T - (CORNERS**2).sum(axis=1) / 2
    probabilities = softmax(densities + np.log(SHARES), axis=1)
    classes = ("a", "b", "c")
    scores = ClassifierScores("three", _no_folds(cases), (), probabilities, probabilities)
    return ScoredCases(classes, classes, truth, (scores,))


def _no_folds(cases: int) -> pl.Series:
    return pl.Series("fold", [None], pl.String).extend_constant(None, cases - 1)


def _probability(place: FloatArray, times: float) -> FloatArray:
    return np.asarray(expit(times * (APART * place + LOG_ODDS)), dtype=np.float64)


def design_aggregates(
    cases: int, design: SampleDesign | None, shares: EffectiveShares | None
) -> Aggregates:
    """Return aggregates of one classifier, A, without statistics."""
    audit = CaseAudit("A", cases, cases, 0, 0, 0, 0)
    return Aggregates(
        classes=(),
        confusion=None,
        regression=None,
        inputs=(),
        audits=() if design is None else (audit,),
        joined_by="id",
        case_count=cases,
        warnings=(),
        design=design,
        shares=() if shares is None else (shares,),
    )


def scored_with_intervals(
    cases: ScoredCases,
    settings: IntervalSettings,
    measures: Sequence[Measure] = MEASURES,
    design: SampleDesign | None = None,
) -> MeasureValues:
    """Score one sample with intervals, as a report does, but without single classes."""
    ranked = any(measure.family is MeasureFamily.RANKING for measure in measures)
    losses = any(measure.family is MeasureFamily.PROBABILITY for measure in measures)
    areas = any(measure.name in PR_AREAS for measure in measures)
    shares = None if design is None else score_shares(cases, design, settings.level)
    predictions = replace(
        design_aggregates(len(cases.truth), design, shares),
        classes=cases.classes,
        curves=count_curves(cases),
        ranking=compute_ranking_statistics(cases),
        auc_covariances=delong_covariances(cases) if ranked else None,
        pr_covariances=pr_covariances(cases) if areas else None,
        probability_losses=sum_probability_losses(cases) if losses else None,
        calibration=count_calibration_bins(cases) if losses else None,
    )
    values = _values(predictions, cases, measures)
    return add_score_confidence_intervals(values, predictions, settings)


def _values(
    predictions: Aggregates, cases: ScoredCases, measures: Sequence[Measure]
) -> MeasureValues:
    positive = cases.ranked_classes[0] if len(cases.ranked_classes) == 1 else None
    parts = []
    if predictions.ranking is not None:
        parts.append(compute_ranking_values(predictions.ranking, measures, positive))
    if predictions.probability_losses is not None:
        parts.append(compute_probability_values(predictions.probability_losses, measures))
    scores = MeasureValues.concat(parts)
    return MeasureValues(scores.frame.filter(pl.col("class").is_null()))


def _true_of_two() -> list[Target]:
    """Integrate over the two densities."""
    place = np.linspace(-9.0, 9.0, 1_800_001)
    step = place[1] - place[0]
    yes, no = (
        share * np.exp(-((place - middle) ** 2) / 2) / math.sqrt(2 * math.pi) * step
        for share, middle in ((PREVALENCE, APART / 2), (1 - PREVALENCE, -APART / 2))
    )
    sensitivity = PREVALENCE * ndtr(APART / 2 - place)
    false = (1 - PREVALENCE) * ndtr(-APART / 2 - place)
    probability = _probability(place, 1.0)
    shares, first = np.array([PREVALENCE, 1 - PREVALENCE]), np.zeros(len(probability), np.int64)
    bits = yes * information_score(shares, first, probability)
    bits += no * information_score(shares, first + 1, 1 - probability)
    entropy = -PREVALENCE * math.log2(PREVALENCE) - (1 - PREVALENCE) * math.log2(1 - PREVALENCE)
    precision = float((yes * sensitivity / (sensitivity + false)).sum()) / PREVALENCE
    values = {
        "roc_auc": AREA,
        "average_precision": precision,
        "pr_auc": precision,
        "brier": float((yes * (1 - probability) ** 2 + no * probability**2).sum()),
        "log_loss": -float((yes * np.log(probability) + no * np.log(1 - probability)).sum()),
        "information_score": float(bits.sum()),
        "relative_information_score": 100 * float(bits.sum()) / entropy,
    }
    targets = [Target("calibrated", None, name, value) for name, value in values.items()]
    for name, times in SURENESS.items():
        probability = _probability(place, times)
        gaps = np.bincount(calibration_bin(probability), weights=probability * (yes + no) - yes)
        # What integrates to 0 leaves a rest of rounding, and no limit of 0 would contain it.
        error = 0.0 if times == 1 else float(np.abs(gaps).sum())
        targets.append(Target(name, None, "ece", error))
    return targets


def _true_of_three(seed: int) -> list[Target]:
    """Count on very many cases; the calibration error of true probabilities is 0 and left out."""
    cases = _three(np.random.default_rng(seed + 1), MANY)
    ranked = compute_ranking_values(compute_ranking_statistics(cases), MEASURES, None)
    summed = compute_probability_values(sum_probability_losses(cases), MEASURES)
    rows = MeasureValues.concat([ranked, summed]).frame.filter(
        pl.col("class").is_null(),
        pl.col("measure") != "ece",
    )
    columns = ("classifier", "average", "measure", "value")
    return [Target(*row) for row in rows.select(columns).rows()]
