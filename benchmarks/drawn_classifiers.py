"""Classifiers whose true quality is known, drawn at random, and what a report claims of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.influence import correlation_covariances
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.paired import (
    PAIRED_COUNT_SCHEMA,
    PairedPredictionCounts,
    sum_paired_probability_losses,
    sum_paired_regression_losses,
)
from reportgen.aggregates.precision_recall import pr_covariances
from reportgen.aggregates.probabilities import (
    calibration_error_covariances,
    count_calibration_bins,
    sum_probability_losses,
)
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.evaluation.capabilities import add_capability_significance, capability_rows
from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.comparisons import build_count_blocks, compare_classifiers
from reportgen.evaluation.cross_validation import run_fold_tests
from reportgen.evaluation.likelihood_relations import (
    add_relation_significance,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.majority_baseline import compare_with_majority_class
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.evaluation.pairwise_tests import pairs_to_compare
from reportgen.evaluation.primary_measure import choose_primary_measure
from reportgen.evaluation.significance import ComparisonIndex
from reportgen.evaluation.values import (
    MeasureValues,
    build_reported_fold_values,
    compute_count_values,
    compute_probability_values,
    compute_ranking_values,
    compute_regression_values,
)
from reportgen.measures import (
    CAPABILITIES,
    SCORE_FAMILIES,
    ThresholdRating,
    find_measure,
    select_measures,
)
from reportgen.spec.load import parse_spec
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable
from reportgen.statistics.proportions import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.spec import Spec

    Places: TypeAlias = npt.NDArray[np.int64]
    ByKey: TypeAlias = Mapping[tuple[str, str | None, str | None, str], MeasureValue]

BINARY = ("yes", "no")
EMPTY = Aggregates(
    classes=(),
    confusion=None,
    regression=None,
    inputs=(),
    audits=(),
    joined_by="id",
    case_count=None,
    warnings=(),
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """How cases and answers are drawn.

    `rates` has, for every classifier, the chance of a right answer on cases of each class;
    `correlation` is that of the classifiers' luck (a Gaussian copula), `shares` are of the classes.
    """

    cases: int
    rates: tuple[tuple[float, ...], ...]
    correlation: float
    shares: tuple[float, ...] = (0.5, 0.5)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; the first of two is the positive one."""
        several = tuple(ascii_lowercase[: len(self.shares)])
        return BINARY if len(self.shares) == len(BINARY) else several

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(ascii_uppercase[: len(self.rates)])

    def spec(self, comparison: str = "") -> Spec:
        """Return a spec as a user would write it: all that is not said is by default."""
        kind = "binary" if len(self.shares) == len(BINARY) else "multiclass"
        return spec_of(kind, self.names, comparison)

    def draw(self, random: np.random.Generator) -> tuple[Places, list[Places]]:
        """Draw true classes and the answers of every classifier, as numbers of classes."""
        from scipy.special import ndtri

        truth = random.choice(len(self.shares), size=self.cases, p=self.shares)
        common = np.sqrt(self.correlation) * random.standard_normal(self.cases)
        answers = []
        for rates in self.rates:
            luck = common + np.sqrt(1 - self.correlation) * random.standard_normal(self.cases)
            is_right = luck < ndtri(np.array(rates))[truth]
            other = random.integers(1, len(self.shares), self.cases)
            answers.append(np.where(is_right, truth, (truth + other) % len(self.shares)))
        return truth, answers

    def table(self, random: np.random.Generator) -> PairedContingencyTable:
        """Draw what the first two classifiers say of the positive class."""
        truth, (first, second, *_) = self.draw(random)
        says, says_too = first == 0, second == 0
        return PairedContingencyTable(
            *(_answers(says[among], says_too[among]) for among in (truth == 0, truth != 0))
        )

    def predictions(self, random: np.random.Generator) -> Aggregates:
        """Draw what reading prediction files would give."""
        truth, answers = self.draw(random)
        by_name = dict(zip(self.names, answers, strict=True))
        confusion = [
            (name, None, *kind)
            for name, answer in by_name.items()
            for kind in self._count_cases(truth, answer)
        ]
        pairs = [
            (first, second, *kind)
            for first, second in pairs_to_compare(self.names, None)
            for kind in self._count_cases(truth, by_name[first], by_name[second])
        ]
        return Aggregates(
            classes=self.classes,
            confusion=ConfusionCounts(
                _frame(confusion, confusion_schema(self.classes)), self.classes
            ),
            regression=None,
            inputs=(),
            audits=(),
            joined_by="id",
            case_count=self.cases,
            warnings=(),
            pairs=PairedPredictionCounts(_frame(pairs, PAIRED_COUNT_SCHEMA), self.classes),
        )

    def _count_cases(self, *columns: Places) -> Iterator[tuple[object, ...]]:
        """Count the cases of every kind."""
        size = len(self.classes)
        shape = (size,) * len(columns)
        counts = np.bincount(np.ravel_multi_index(columns, shape), minlength=size ** len(columns))
        for place in np.flatnonzero(counts):
            kind = np.unravel_index(place, shape)
            yield (*(self.classes[int(code)] for code in kind), int(counts[place]))


def spec_of(kind: str, names: Sequence[str], comparison: str = "", more: str = "") -> Spec:
    """Return a spec as a user would write it: all that is not stated is by default."""
    task = f'kind = "{kind}"' + ('\npositive = "yes"' if kind == "binary" else "")
    keys = more or "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n' for name in names
    )
    text = f"[task]\n{task}\n[comparison]\n{comparison}\n{keys}"
    return parse_spec(Path("benchmark.toml"), text.encode()).spec


@dataclass(frozen=True, slots=True)
class ScoreDrawing:
    """Equally good classifiers whose scores are drawn.

    The scores of positives are normal with mean `separation`, those of negatives with mean 0;
    `correlation` is that of two classifiers' scores of a case.
    """

    cases: int
    classifiers: int
    prevalence: float
    correlation: float
    separation: float = 1.5

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(ascii_uppercase[: self.classifiers])

    def compare(self, random: np.random.Generator) -> tuple[Comparison, ...]:
        """Draw the scores, and compare the classifiers by them as the pipeline does."""
        truth = (random.random(self.cases) < self.prevalence).astype(np.int64)
        common = np.sqrt(self.correlation) * random.standard_normal(self.cases)
        fold = pl.Series("fold", [None] * self.cases, pl.String)
        prior = np.log(self.prevalence / (1 - self.prevalence))
        classifiers = []
        for name in self.names:
            noise = common + np.sqrt(1 - self.correlation) * random.standard_normal(self.cases)
            score = truth * self.separation + noise
            # The probability that two normal distributions at these distances give.
            odds = prior + self.separation * score - self.separation**2 / 2
            column = (1 / (1 + np.exp(-odds)))[:, None]
            classifiers.append(
                ClassifierScores(name, fold, (), column, np.hstack([column, 1 - column]))
            )
        cases = ScoredCases(BINARY, ("yes",), 1 - truth, tuple(classifiers))
        ranking, losses = compute_ranking_statistics(cases), sum_probability_losses(cases)
        bins = count_calibration_bins(cases)
        aggregates = replace(
            EMPTY,
            classes=BINARY,
            case_count=self.cases,
            ranking=ranking,
            auc_covariances=delong_covariances(cases),
            pr_covariances=pr_covariances(cases),
            probability_losses=losses,
            paired_losses=sum_paired_probability_losses(cases),
            calibration=bins,
            influence_covariances=calibration_error_covariances(cases, bins),
        )
        spec = spec_of("binary", self.names)
        measures = select_measures(("ranking", "probability"), "binary")
        values = MeasureValues.concat(
            [
                compute_ranking_values(ranking, measures, "yes"),
                compute_probability_values(losses, measures),
            ]
        ).by_key()
        primary = choose_primary_measure(
            spec, measures, [measure.name for measure in measures], None
        )
        return compare_classifiers(spec, aggregates, values, measures, (), primary)


@dataclass(frozen=True, slots=True)
class NumericDrawing:
    """Equally good numeric predictions: the truth plus errors of the same distribution."""

    cases: int
    classifiers: int
    correlation: float
    heavy_tails: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(ascii_uppercase[: self.classifiers])

    def compare(self, random: np.random.Generator) -> tuple[Comparison, ...]:
        """Draw the predictions, and compare the models as the pipeline does."""
        truth = random.standard_normal(self.cases)

        def errors() -> npt.NDArray[np.float64]:
            return (
                random.standard_t(5, self.cases)
                if self.heavy_tails
                else random.standard_normal(self.cases)
            )

        common = np.sqrt(self.correlation) * errors()
        frames = {
            name: pl.DataFrame(
                {
                    "fold": pl.Series([None] * self.cases, dtype=pl.String),
                    "truth": truth,
                    "prediction": truth + 0.7 * (common + np.sqrt(1 - self.correlation) * errors()),
                }
            )
            for name in self.names
        }
        stacked = pl.concat(
            frame.with_columns(classifier=pl.lit(name)) for name, frame in frames.items()
        )
        sums = RegressionSums(sum_regression(stacked.lazy()).collect())
        aggregates = replace(
            EMPTY,
            case_count=self.cases,
            regression=sums,
            paired_losses=sum_paired_regression_losses(frames),
            influence_covariances=correlation_covariances(frames),
        )
        spec = spec_of("regression", self.names)
        measures = select_measures(None, "regression")
        values = compute_regression_values(sums, measures).by_key()
        primary = choose_primary_measure(
            spec, measures, [measure.name for measure in measures], None
        )
        return compare_classifiers(spec, aggregates, values, measures, (), primary)


@dataclass(frozen=True, slots=True)
class FoldDrawing:
    """Equally good algorithms, known by their accuracies on the folds of a cross-validation.

    The accuracy of an algorithm on a fold varies with the training (standard deviation `spread`)
    and with the test cases, which are the same for all algorithms.
    """

    folds: int
    classifiers: int
    fold_size: int = 100
    spread: float = 0.01

    def compare(self, random: np.random.Generator) -> tuple[Comparison, ...]:
        """Draw the accuracies, and compare the algorithms as the pipeline does."""
        names = tuple(ascii_uppercase[: self.classifiers])
        difficulty = random.normal(0, np.sqrt(0.8 * 0.2 / self.fold_size / 2), self.folds)
        scores = {
            name: np.clip(
                0.8
                + difficulty
                + random.normal(0, self.spread, self.folds)
                + random.normal(0, np.sqrt(0.8 * 0.2 / self.fold_size / 2), self.folds),
                0,
                1,
            ).round(4)
            for name in names
        }
        keys = "".join(
            f'[[classifiers]]\nname = "{name}"\nfold_scores = {{ accuracy = {row.tolist()} }}\n'
            for name, row in scores.items()
        )
        spec = spec_of("binary", names, more=keys)
        measures = select_measures(["accuracy"], "binary")
        values = MeasureValues.concat(
            [
                build_reported_fold_values(name, {measures[0]: tuple(row.tolist())})
                for name, row in scores.items()
            ]
        )
        primary = choose_primary_measure(spec, measures, ["accuracy"], None)
        rows = run_fold_tests(values, spec, EMPTY)
        return compare_classifiers(spec, EMPTY, values.by_key(), measures, rows, primary)


@dataclass(frozen=True, slots=True)
class Claims:
    """What a report claims of drawn classifiers."""

    differences: tuple[Comparison, ...]
    significant_ratings: int = 0

    @property
    def any(self) -> bool:
        """Whether anybody is said to be better than anybody at anything."""
        return self.significant_ratings > 0 or any(map(_is_decided, self.differences))

    def about(self, measure: str, average: str | None = None) -> bool:
        """Return whether a difference is claimed in a measure of all cases or an average."""
        return any(
            _is_decided(row)
            for row in self.differences
            if (row.measure, row.class_, row.average) == (measure, None, average)
        )

    def confirms_best(self, best: str, measure: str) -> bool:
        """Return whether one classifier is claimed to be better than each of the others."""
        rows = [
            row
            for row in self.differences
            if (row.measure, row.class_, row.average) == (measure, None, None)
            and best in {row.first, row.second}
        ]
        return bool(rows) and all(
            row.verdict is (Decision.SUPERIOR if row.first == best else Decision.INFERIOR)
            for row in rows
        )

    def between(self, first: str, second: str) -> bool:
        """Return whether a difference between two classifiers is claimed in any measure."""
        pairs = ((first, second), (second, first))
        return any(_is_decided(row) for row in self.differences if (row.first, row.second) in pairs)


def compute_values(drawn: Sequence[Aggregates], spec: Spec) -> Iterator[ByKey]:
    """Score the classifiers of many repetitions, all at once because that is quicker."""
    tallies = [sample.confusion for sample in drawn if sample.confusion is not None]
    together = pl.concat(
        [
            tally.frame.with_columns(classifier=pl.lit(f"{number} ") + pl.col("classifier"))
            for number, tally in enumerate(tallies)
        ]
    )
    rated = [find_measure(name) for sample in CAPABILITIES.values() for name in sample.measures]
    needed = dict.fromkeys(
        [*reported_count_measures(spec), *(measure for measure in rated if measure is not None)]
    )
    counts = ConfusionCounts(together, drawn[0].classes)
    values = compute_count_values(counts, tuple(needed), spec.task.positive).by_key()
    by_number: dict[str, dict[tuple[str, str | None, str | None, str], MeasureValue]] = {}
    size = drawn[0].case_count or 0
    for (name, class_, average, measure), value in values.items():
        number, _, plain = name.partition(" ")
        if (class_, average, measure) == (None, None, "accuracy") and value.value is not None:
            limits = wilson_interval(value.value * size, size, spec.intervals.level)
            value = replace(value, low=limits.low, high=limits.high, method="wilson")  # noqa: PLW2901
        by_number.setdefault(number, {})[plain, class_, average, measure] = value
    yield from (by_number[str(number)] for number in range(len(drawn)))


def reported_count_measures(spec: Spec) -> tuple[Measure, ...]:
    """Return the measures of counts that a report shows."""
    chosen = select_measures(spec.measures.show, spec.task.kind)
    return tuple(measure for measure in chosen if measure.family not in SCORE_FAMILIES)


def claims_of(specs: Sequence[Spec], aggregates: Aggregates, values: ByKey) -> list[Claims]:
    """Compare the classifiers and rate their capabilities, as the pipeline does.

    The specs differ only in how the same tests are adjusted.
    """
    names = [classifier.name for classifier in specs[0].classifiers]
    classes = (None,) if specs[0].task.kind == "binary" else aggregates.classes
    measures = reported_count_measures(specs[0])
    majority = compare_with_majority_class(aggregates, values, names)
    known = {measure for _, _, _, measure in values}
    primary = choose_primary_measure(specs[0], measures, known, majority)
    blocks = list(build_count_blocks(specs[0], aggregates, values, measures, primary))
    relations = relate_by_likelihood_ratios(values, names, classes)
    rows = capability_rows(values, names, classes)
    claims = []
    for spec in specs:
        differences = adjust_and_decide(blocks, (), spec.comparison, spec.intervals.level)
        index = ComparisonIndex.from_comparisons(differences, primary)
        significant = [
            cell.significant
            for row in add_capability_significance(rows, values, relations, index)
            for name, cell in row.cells.items()
            # Grades of a scale compare nobody.
            if not isinstance(CAPABILITIES[name].rating_rule, ThresholdRating)
        ]
        significant += [
            relation.significant for relation in add_relation_significance(relations, index)
        ]
        claims.append(Claims(differences, significant.count(True)))
    return claims


def _is_decided(row: Comparison) -> bool:
    return row.verdict in {Decision.SUPERIOR, Decision.INFERIOR}


def _frame(rows: list[tuple[object, ...]], schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")


def _answers(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> AgreementTable:
    kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
    return AgreementTable(*(int(kind.sum()) for kind in kinds))
