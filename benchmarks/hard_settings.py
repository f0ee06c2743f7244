"""Coverage in hard settings, where each interval of a report is set against an alternative.

Few positives, few cases per class, nearly perfect classifiers, heavy tails, chosen thresholds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from benchmarks.score_coverage import scored_with_intervals
from reportgen.aggregates.curves import cumulate_counts
from reportgen.aggregates.delong import influence
from reportgen.aggregates.probabilities import calibration_bin
from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.aggregates.threshold_choice import ThresholdGrid, ThresholdObjective
from reportgen.evaluation.confidence.counts import interval_of_average, intervals_per_class
from reportgen.evaluation.confidence.delta_method import default_link, delta_intervals
from reportgen.evaluation.confidence.gradient import (
    COUNT_NAMES,
    SparseConfusionMatrix,
    gradient_of_average,
    values_per_class,
)
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.thresholds import bootstrap_optimal_threshold
from reportgen.evaluation.values import compute_regression_values
from reportgen.measures import MEASURE_REGISTRY, get_measure
from reportgen.measures.measure import DeltaMethod, LinkFunction
from reportgen.spec.inference import IntervalSettings
from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import (
    mover_intervals,
    predictive_value_intervals,
    wilson_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

    Limits = tuple[FloatArray, FloatArray]

LEVEL = 0.95
Z = critical_z(LEVEL)
SETTINGS = IntervalSettings()
HEADS = (
    "| measure | setting | method | coverage | mean width | alternative | coverage | mean width |\n"
    "| --- | --- | --- | ---: | ---: | --- | ---: | ---: |"
)


@dataclass(frozen=True, slots=True)
class HardRow:
    """Coverage of the interval of a report and of an alternative, in percent, on the same samples.

    Samples without an interval of either kind are counted for neither.
    """

    measure: str
    setting: str
    method: str
    alternative: str
    percent: tuple[float, float]
    width: tuple[float, float]

    @property
    def cells(self) -> str:
        """The row as Markdown."""
        own, other = (
            f"{percent:.1f} % | {width:.3g}"
            for percent, width in zip(self.percent, self.width, strict=True)
        )
        return (
            f"| {self.measure} | {self.setting} | {self.method} | {own} | {self.alternative} |"
            f" {other} |"
        )


def hard_rows(samples: int, of_scores: int, seed: int) -> Iterator[HardRow]:
    """Cover the measures in all hard settings."""
    random = np.random.default_rng(seed)
    yield from _count_rows(random, samples)
    yield from _predictive_value_rows(random, samples)
    yield from _regression_rows(random, samples)
    yield from _loss_rows(random, of_scores)
    yield from _area_rows(random, of_scores)
    yield from _calibration_rows(random, of_scores)
    yield from _threshold_rows(random, of_scores)


def _row(
    name: str, setting: str, methods: tuple[str, str], true: FloatArray | float, both: list[Limits]
) -> HardRow:
    """Compare two kinds of limits, a number per sample, with the true value."""
    has = np.logical_and.reduce([~np.isnan(low) & ~np.isnan(high) for low, high in both])
    percent, width = [], []
    for low, high in both:
        inside = (low <= true) & (true <= high)
        finite = has & np.isfinite(low) & np.isfinite(high)
        percent.append(100 * float(inside[has].mean()))
        width.append(float((high - low)[finite].mean()))
    title = MEASURE_REGISTRY[name].title if name in MEASURE_REGISTRY else name
    return HardRow(title, setting, *methods, (percent[0], percent[1]), (width[0], width[1]))


# Counts of two classes.

_COUNTED = (
    ("g_mean", 6, 194, 0.9, 0.9, LinkFunction.LOG),
    ("g_mean", 6, 194, 0.7, 0.9, LinkFunction.LOG),
    ("lr_negative", 5, 45, 0.8, 0.9, LinkFunction.LOG),
    ("lr_positive", 5, 45, 0.8, 0.9, LinkFunction.LOG),
    ("lr_negative", 6, 194, 0.9, 0.9, LinkFunction.LOG),
    ("kappa", 8, 12, 0.8, 0.85, LinkFunction.IDENTITY),
    ("kappa", 5, 45, 0.8, 0.9, LinkFunction.IDENTITY),
    ("kappa", 10, 990, 0.5, 0.999, LinkFunction.IDENTITY),
)


def _count_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    for name, positives, negatives, sensitivity, specificity, link in _COUNTED:
        measure = get_measure(name)
        tp = random.binomial(positives, sensitivity, samples).astype(np.float64)
        tn = random.binomial(negatives, specificity, samples).astype(np.float64)
        counts = dict(zip(COUNT_NAMES, (tp, positives - tp, negatives - tn, tn), strict=True))
        shares = (
            sensitivity * positives,
            (1 - sensitivity) * positives,
            (1 - specificity) * negatives,
            specificity * negatives,
        )
        at = {key: np.array([share]) for key, share in zip(COUNT_NAMES, shares, strict=True)}
        limits = _class_limits(measure, counts)
        other = _class_limits(replace(measure, interval=DeltaMethod(link)), counts)
        setting = f"{positives} + {negatives} cases, sensitivity {sensitivity}"
        setting += f", specificity {specificity}"
        methods = _usual(limits[1]), _usual(other[1])
        yield _row(
            name, setting, methods, float(values_per_class(measure, at)[0]), [limits[0], other[0]]
        )


def _class_limits(
    measure: Measure, counts: dict[str, FloatArray]
) -> tuple[Limits, npt.NDArray[np.str_]]:
    kind = measure.interval
    limits = intervals_per_class(measure, kind, counts, SETTINGS, np.ones(len(counts["tp"])))  # type: ignore[arg-type]
    with np.errstate(all="ignore"):
        clipped = limits.clip_to_range(values_per_class(measure, counts), measure.range)
    return (clipped.low, clipped.high), clipped.method


def _usual(methods: npt.NDArray[np.str_]) -> str:
    names, counts = np.unique(methods[methods != ""], return_counts=True)
    return str(names[counts.argmax()])


def _predictive_value_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    """Precision at a prevalence of 0.1; the alternative is that of Mercaldo, Lau and Zhou."""
    size, prevalence = 30, 0.1
    for rate in (0.9, 0.97):
        tp, tn = (random.binomial(size, rate, samples) for _ in range(2))
        low, high, other_low, other_high = np.array(
            [
                _precision_limits(int(a), int(b), size, prevalence)
                for a, b in zip(tp, tn, strict=True)
            ]
        ).T
        true = rate * prevalence / (rate * prevalence + (1 - rate) * (1 - prevalence))
        setting = f"{size} + {size} cases, sensitivity and specificity {rate}, prevalence 0.1"
        methods = "mover, log", "logit (Mercaldo and others 2007)"
        yield _row("precision", setting, methods, true, [(low, high), (other_low, other_high)])


def _precision_limits(tp: int, tn: int, size: int, prevalence: float) -> tuple[float, ...]:
    interval = predictive_value_intervals(
        (tp, size - tp, size - tn, tn), prevalence, LEVEL
    ).positive
    counts = np.array([tp, size - tp, size - tn, tn], dtype=np.float64)
    counts += Z * Z / 2 if counts.min() == 0 else 0
    positives, negatives = counts[:2].sum(), counts[2:].sum()
    centre = math.log(counts[0] / positives) - math.log(counts[2] / negatives)
    half = Z * math.sqrt(1 / counts[0] - 1 / positives + 1 / counts[2] - 1 / negatives)
    low, high = expit(centre + logit(prevalence) + np.array([-half, half]))
    return interval.low, interval.high, 0.0 if tp == 0 else low, 1.0 if tn == size else high


# Averages over classes.

_UNBALANCED = (0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01)
_MIXES = {
    "10 equal classes": (0.1,) * 10,
    "10 unbalanced classes": _UNBALANCED,
    "90, 8 and 2 %": (0.9, 0.08, 0.02),
}


def average_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    """Cover macro averages over classes of few cases."""
    # Recall of the most common and of the rarest class.
    settings = (
        ("10 equal classes", (0.7, 0.7), 100),
        ("10 equal classes", (0.9, 0.9), 300),
        ("10 unbalanced classes", (0.9, 0.9), 300),
        ("10 unbalanced classes", (0.9, 0.9), 1000),
        ("10 unbalanced classes", (0.7, 0.7), 100),
        ("10 unbalanced classes", (0.95, 0.4), 100),
        ("10 unbalanced classes", (0.6, 0.95), 300),
        ("90, 8 and 2 %", (0.9, 0.9), 200),
        ("90, 8 and 2 %", (0.8, 0.8), 100),
        ("90, 8 and 2 %", (0.95, 0.5), 200),
    )
    for (mix, recall, cases), name in product(
        settings, ("sensitivity", "f1", "f2", "precision", "kappa")
    ):
        measure = get_measure(name)
        shares = _shares(_MIXES[mix], recall)
        true = gradient_of_average(measure, SparseConfusionMatrix.from_dense(shares), "macro").value
        drawn = random.multinomial(cases, shares.ravel(), size=samples).astype(np.float64)
        limits = [_macro_limits(measure, sampled.reshape(shares.shape)) for sampled in drawn]
        low, high, other_low, other_high = np.array([sampled[0] for sampled in limits]).T
        methods = limits[0][1]
        yield _row(
            f"{measure.title}, macro",
            f"{mix}, {cases} cases, recall {' to '.join(map(str, dict.fromkeys(recall)))}",
            methods,
            true,
            [(low, high), (other_low, other_high)],
        )


def _shares(mix: tuple[float, ...], recall: tuple[float, float]) -> FloatArray:
    """Return a matrix with recalls from the first to the last class, and errors spread evenly."""
    proportions, size = np.array(mix), len(mix)
    recalls = np.linspace(*recall, size)
    matrix = np.repeat((proportions * (1 - recalls) / (size - 1))[:, None], size, axis=1)
    np.fill_diagonal(matrix, proportions * recalls)
    return matrix


def _macro_limits(
    measure: Measure, counts: FloatArray
) -> tuple[tuple[float, ...], tuple[str, str]]:
    matrix = SparseConfusionMatrix.from_dense(counts)
    interval = interval_of_average(measure, matrix, "macro", SETTINGS, 1.0)
    if measure.name == "sensitivity":
        cases = matrix.true_totals[matrix.true_totals > 0]
        hits = matrix.correct[matrix.true_totals > 0]
        limits = wilson_intervals(hits, cases, LEVEL)
        ends = mover_intervals(hits / cases, *limits, np.full(len(cases), 1 / len(cases)))
        other, name = (float(ends[0]), float(ends[1])), "mover"
    else:
        gradient = gradient_of_average(measure, matrix, "macro")
        value, variance = np.asarray(gradient.value), np.asarray(gradient.variance(matrix))
        plain = delta_intervals(value, variance, default_link(measure.range), Z)
        other, name = (float(plain.low), float(plain.high)), str(plain.method)
    return (float(interval.low), float(interval.high), *other), (str(interval.method), name)


# Numeric predictions.


def _regression_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    """Lognormal values for the correlation; heavy-tailed errors for the others."""
    for cases in (20, 50, 200, 1000):
        yield _pearson_row(random, (samples, cases))
    draws: dict[str, tuple[float, Callable[[tuple[int, int]], FloatArray]]] = {
        "lognormal": (
            (math.e - 1) * math.e,
            lambda size: np.exp(random.standard_normal(size)) - math.exp(0.5),
        ),
        "t with 4 df": (2.0, lambda size: random.standard_t(4, size)),
    }
    for (kind, (variance, draw)), cases in product(draws.items(), (50, 200, 1000)):
        truth, error = draw((samples, cases)), 0.6 * draw((samples, cases))
        setting = f"errors {kind}, {cases} cases"
        yield _rmse_row(truth, error, 0.6 * math.sqrt(variance), setting)
        yield _r2_row(truth, error, setting)


def _pearson_row(random: np.random.Generator, size: tuple[int, int]) -> HardRow:
    first = random.standard_normal(size)
    second = 0.8 * first + 0.6 * random.standard_normal(size)
    true = (math.exp(0.8) - 1) / (math.e - 1)
    truth, prediction = np.exp(first), np.exp(second)
    centre, half = np.arctanh(_correlations(truth, prediction)), Z / math.sqrt(size[1] - 3)
    other = np.tanh(centre - half), np.tanh(centre + half)
    limits, method = _numeric_limits(MEASURE_REGISTRY["pearson"], truth, prediction)
    methods = method, "Fisher's z (normal theory)"
    return _row("pearson", f"lognormal values, {size[1]} cases", methods, true, [limits, other])


def _rmse_row(truth: FloatArray, error: FloatArray, true: float, setting: str) -> HardRow:
    limits, method = _numeric_limits(MEASURE_REGISTRY["rmse"], truth, truth - error)
    squares = error**2
    relative = squares / squares.sum(axis=1, keepdims=True) / 2
    other = _log_limits(np.log(np.sqrt(squares.mean(axis=1))), relative)
    return _row("rmse", setting, (method, "delta, log"), true, [limits, other])


def _r2_row(truth: FloatArray, error: FloatArray, setting: str) -> HardRow:
    limits, method = _numeric_limits(MEASURE_REGISTRY["r2"], truth, truth - error)
    squares, spread = error**2, (truth - truth.mean(axis=1, keepdims=True)) ** 2
    sums = squares.sum(axis=1, keepdims=True), spread.sum(axis=1, keepdims=True)
    low, high = _log_limits(np.log(sums[0] / sums[1])[:, 0], squares / sums[0] - spread / sums[1])
    methods = method, "delta, complementary log"
    return _row("r2", setting, methods, 1 - 0.36, [limits, (1 - high, 1 - low)])


def _log_limits(centre: FloatArray, relative: FloatArray) -> Limits:
    """Return Student's limits of a logarithm from the relative influence of the cases."""
    cases = relative.shape[1]
    quantile = stdtrit(cases - 1, (1 + LEVEL) / 2)
    half = quantile * relative.std(axis=1, ddof=1) * math.sqrt(cases)
    return np.exp(centre - half), np.exp(centre + half)


def _correlations(truth: FloatArray, prediction: FloatArray) -> FloatArray:
    first, second = (values - values.mean(axis=1, keepdims=True) for values in (truth, prediction))
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    return np.asarray((first * second).sum(axis=1) / spread)


def _numeric_limits(
    measure: Measure, truth: FloatArray, prediction: FloatArray
) -> tuple[Limits, str]:
    samples, cases = truth.shape
    frame = pl.LazyFrame(
        {
            "classifier": np.repeat([f"{number}" for number in range(samples)], cases),
            "fold": pl.Series([None], dtype=pl.String).extend_constant(None, truth.size - 1),
            "truth": truth.ravel(),
            "prediction": prediction.ravel(),
        }
    )
    sums = RegressionSums(sum_regression(frame).collect())
    values = compute_regression_values(sums, [measure])
    intervals = add_confidence_intervals(values, None, sums, SETTINGS, positive=None).frame
    low, high = (intervals[name].fill_null(np.nan).to_numpy() for name in ("low", "high"))
    return (low, high), str(intervals["method"].drop_nulls()[0])


# Scores and probabilities.


@dataclass(frozen=True, slots=True)
class Binormal:
    """Normal scores of two classes; the logistic function gives the true probabilities."""

    area: float
    prevalence: float

    @property
    def apart(self) -> float:
        """The distance of the means in standard deviations."""
        return math.sqrt(2) * float(ndtri(self.area))

    def log_odds(self, place: FloatArray) -> FloatArray:
        """Return the log-odds of the positive class, whose scores have the mean `apart`."""
        prior = math.log(self.prevalence / (1 - self.prevalence))
        return np.asarray(self.apart * place - self.apart**2 / 2 + prior)

    def draw(
        self, random: np.random.Generator, cases: int, positives: int | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return classes (1 and 0) and scores; at least two cases of each class."""
        truth = (
            np.arange(cases) < positives if positives else random.random(cases) < self.prevalence
        )
        if not 2 <= truth.sum() <= cases - 2:  # noqa: PLR2004  # two cases of each class
            return self.draw(random, cases, positives)
        return truth.astype(np.float64), random.standard_normal(cases) + self.apart * truth

    def integrate(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return a grid of scores and the weights of both classes there."""
        place = np.linspace(-9.0, 9.0 + self.apart, 1_000_001)
        step = (place[1] - place[0]) / math.sqrt(2 * math.pi)
        positive = self.prevalence * np.exp(-((place - self.apart) ** 2) / 2) * step
        return place, positive, (1 - self.prevalence) * np.exp(-(place**2) / 2) * step

    def average_precision(self) -> float:
        """Return the true average precision."""
        place, positive, _ = self.integrate()
        sensitivity = self.prevalence * ndtr(self.apart - place)
        false = (1 - self.prevalence) * ndtr(-place)
        return float((positive * sensitivity / (sensitivity + false)).sum()) / self.prevalence


def _score_limits(
    truth: FloatArray, probability: FloatArray, measures: tuple[str, ...]
) -> dict[str, tuple[float, float, float, str]]:
    """Return value, limits and method of measures of one sample, as a report has them."""
    cases = ScoredCases(
        ("no", "yes"),
        ("yes",),
        truth.astype(np.int64),
        (
            ClassifierScores(
                "A",
                pl.Series("fold", [None], pl.String).extend_constant(None, len(truth) - 1),
                (),
                probability[:, None],
                probability[:, None],
            ),
        ),
    )
    # Only the calibration error is resampled.
    settings = SETTINGS if "ece" in measures else SETTINGS.model_copy(update={"draws": 1})
    chosen = [MEASURE_REGISTRY[name] for name in measures]
    frame = scored_with_intervals(cases, settings, chosen).frame
    columns = ("measure", "value", "low", "high", "method")
    return {
        name: (
            value,
            math.nan if low is None else low,
            math.nan if high is None else high,
            method or "",
        )
        for name, value, low, high, method in frame.select(columns).rows()
    }


def _loss_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    names = ("brier", "log_loss")
    for area, cases in ((0.99, 100), (0.99, 1000), (0.999, 200), (0.999, 1000)):
        model = Binormal(area, 0.4)
        place, positive, negative = model.integrate()
        odds = model.log_odds(place)
        predicted = expit(odds)
        true = {
            "brier": float((positive * (1 - predicted) ** 2 + negative * predicted**2).sum()),
            "log_loss": float(
                (positive * np.logaddexp(0, -odds) + negative * np.logaddexp(0, odds)).sum()
            ),
        }
        limits_by_loss: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
        for _ in range(samples):
            truth, scores = model.draw(random, cases)
            probability = expit(model.log_odds(scores))
            own = np.where(truth == 1, probability, 1 - probability)
            losses = {"brier": (1 - own) ** 2, "log_loss": -np.log(own)}
            limits = _score_limits(truth, probability, names)
            for name, numbers in losses.items():
                half = stdtrit(cases - 1, 0.975) * numbers.std(ddof=1) / math.sqrt(cases)
                other = max(numbers.mean() - half, 0.0), numbers.mean() + half
                limits_by_loss[name].append((*limits[name][1:3], *other))
        for name in names:
            low, high, other_low, other_high = np.array(limits_by_loss[name]).T
            setting = f"AUC {area}, prevalence 0.4, {cases} cases"
            both = [(low, high), (other_low, other_high)]
            yield _row(name, setting, ("hall", "t"), true[name], both)


def _area_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    for area, positives, negatives in (
        *((0.75, 5, 95), (0.75, 10, 400), (0.9, 10, 400), (0.95, 20, 980)),
        *((0.95, 50, 950), (0.99, 20, 980), (0.99, 100, 900)),
    ):
        model = Binormal(area, 0.5)
        rows: list[tuple[float, ...]] = []
        for _ in range(samples):
            truth, scores = model.draw(random, positives + negatives, positives)
            limits = _score_limits(truth, expit(scores), ("roc_auc",))["roc_auc"]
            rows.append((*limits[1:3], *_delong_limits(limits[0], scores, truth)))
        low, high, other_low, other_high = np.array(rows).T
        setting = f"AUC {area}, {positives} + {negatives} cases"
        both = [(low, high), (other_low, other_high)]
        few = min(positives, negatives) * (1 - area) < 5  # noqa: PLR2004  # the rule of reports
        yield _row("roc_auc", setting, ("newcombe" if few else "delong", "delong"), area, both)
    for area, prevalence, cases in product((0.7, 0.85, 0.98, 0.999), (0.1, 0.5), (100, 1000)):
        model = Binormal(area, prevalence)
        rows = []
        for _ in range(samples):
            truth, scores = model.draw(random, cases)
            value, *own, _ = _score_limits(truth, expit(scores), ("average_precision",))[
                "average_precision"
            ]
            rows.append((*own, *_boyd_limits(value, float(truth.sum()))))
        low, high, other_low, other_high = np.array(rows).T
        setting = f"AUC {area}, prevalence {prevalence}, {cases} cases"
        both = [(low, high), (other_low, other_high)]
        methods = "influence, logit", "logit (Boyd, Eng and Page 2013)"
        yield _row("average_precision", setting, methods, model.average_precision(), both)


def _delong_limits(area: float, scores: FloatArray, truth: FloatArray) -> tuple[float, float]:
    """Return DeLong's limits; the value alone where it does not vary."""
    positive = truth == 1
    moved, size = influence(scores, positive), np.where(positive, positive.sum(), (~positive).sum())
    variance = float((moved**2 * size / (size - 1)).sum())
    if variance == 0:
        return area, area
    half = Z * math.sqrt(variance) / (area * (1 - area))
    low, high = expit(logit(area) + np.array([-half, half]))
    return float(low), float(high)


def _boyd_limits(area: float, positives: float) -> tuple[float, float]:
    """Return the limits of Boyd, Eng and Page; the value alone at 1."""
    if area >= 1:
        return area, area
    half = Z / math.sqrt(positives * area * (1 - area))
    low, high = expit(logit(area) + np.array([-half, half]))
    return float(low), float(high)


def _calibration_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    """Log-odds shifted by 0.3; the alternative is the percentile bootstrap of cases."""
    model = Binormal(0.85, 0.4)
    place, positive, negative = model.integrate()
    predicted = expit(model.log_odds(place) + 0.3)
    gaps = np.bincount(
        calibration_bin(predicted), weights=predicted * (positive + negative) - positive
    )
    true = float(np.abs(gaps).sum())
    for cases in (1000, 2000):
        rows = []
        for _ in range(samples):
            truth, scores = model.draw(random, cases)
            probability = np.asarray(expit(model.log_odds(scores) + 0.3))
            own = _score_limits(truth, probability, ("ece",))["ece"][1:3]
            rows.append((*own, *_percentile_ece(random, truth, probability)))
        low, high, other_low, other_high = np.array(rows).T
        both = [(low, high), (other_low, other_high)]
        setting = f"log-odds shifted by 0.3, {cases} cases"
        yield _row("ece", setting, ("bootstrap, debiased", "bootstrap, percentiles"), true, both)


def _percentile_ece(
    random: np.random.Generator, truth: FloatArray, probability: FloatArray, draws: int = 400
) -> tuple[float, float]:
    counts = random.multinomial(len(truth), np.full(len(truth), 1 / len(truth)), size=draws)
    bins, gap = calibration_bin(probability), probability - truth
    by_bin = np.zeros((len(truth), int(bins.max()) + 1))
    by_bin[np.arange(len(truth)), bins] = gap / len(truth)
    low, high = np.quantile(np.abs(counts @ by_bin).sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def _threshold_rows(random: np.random.Generator, samples: int) -> Iterator[HardRow]:
    """Youden's index and F1 on new cases, at the threshold chosen on these cases."""
    model = Binormal(0.85, 0.4)
    settings = SETTINGS.model_copy(update={"draws": 500})
    for name, cases in product(("youden", "f1"), (100, 300, 1000)):
        objective = ThresholdObjective(get_measure(name).formula)
        rows, true = [], []
        for sample in range(samples):
            truth, scores = model.draw(random, cases)
            grid = ThresholdGrid(cumulate_counts(scores, truth == 1))
            place, _ = objective.optimize_grid(grid)
            true.append(_value_at(name, model, grid.at(place)[0]))
            (choice,) = bootstrap_optimal_threshold(
                grid, (objective,), settings.model_copy(update={"seed": sample})
            )
            apparent = _class_limits(get_measure(name), _counts_at(grid, place))[0]
            rows.append((*choice.objective_interval, float(apparent[0][0]), float(apparent[1][0])))
        low, high, other_low, other_high = np.array(rows, dtype=np.float64).T
        both = [(low, high), (other_low, other_high)]
        methods = "optimism-corrected bootstrap", "interval of a fixed threshold"
        setting = f"at the chosen threshold, AUC 0.85, {cases} cases"
        yield _row(name, setting, methods, np.array(true), both)


def _value_at(name: str, model: Binormal, threshold: float) -> float:
    sensitivity, alarms = float(ndtr(model.apart - threshold)), float(ndtr(-threshold))
    if name == "youden":
        return sensitivity - alarms
    share = model.prevalence
    return 2 * share * sensitivity / (share * sensitivity + (1 - share) * alarms + share)


def _counts_at(grid: ThresholdGrid, place: int) -> dict[str, FloatArray]:
    _, tp, fp = grid.at(place)
    steps = grid.cumulative_counts
    counts = tp, steps.positives - tp, fp, steps.negatives - fp
    return {key: np.array([float(count)]) for key, count in zip(COUNT_NAMES, counts, strict=True)}
