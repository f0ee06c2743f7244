"""Classifiers whose true quality is known, drawn at random, and what a report claims of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.paired import PAIRED_COUNT_SCHEMA, PairedPredictionCounts
from reportgen.evaluation.capabilities import (
    ComparisonIndex,
    add_capability_significance,
    add_relation_significance,
    capability_rows,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.comparisons import build_tested_families
from reportgen.evaluation.multiple_testing import adjust_and_decide
from reportgen.evaluation.pairwise_tests import pairs_to_compare
from reportgen.evaluation.values import compute_count_values
from reportgen.measures import (
    CAPABILITIES,
    SCORE_FAMILIES,
    ThresholdRating,
    find_measure,
    select_measures,
)
from reportgen.spec.load import parse_spec
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.spec import Spec

    Places: TypeAlias = npt.NDArray[np.int64]
    ByKey: TypeAlias = Mapping[tuple[str, str | None, str | None, str], MeasureValue]

BINARY, THREE = ("yes", "no"), ("a", "b", "c")


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
        return BINARY if len(self.shares) == len(BINARY) else THREE

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(ascii_uppercase[: len(self.rates)])

    def spec(self, comparison: str = "") -> Spec:
        """Return a spec as a user would write it: all that is not said is by default."""
        is_binary = len(self.shares) == len(BINARY)
        task = 'kind = "binary"\npositive = "yes"' if is_binary else 'kind = "multiclass"'
        classifiers = "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n' for name in self.names
        )
        text = f"[task]\n{task}\n[comparison]\n{comparison}\n{classifiers}"
        return parse_spec(Path("benchmark.toml"), text.encode()).spec

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
            for kind in self._counted(truth, answer)
        ]
        pairs = [
            (first, second, *kind)
            for first, second in pairs_to_compare(self.names, None)
            for kind in self._counted(truth, by_name[first], by_name[second])
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

    def _counted(self, *columns: Places) -> Iterator[tuple[object, ...]]:
        """Count the cases of every kind."""
        size = len(self.classes)
        shape = (size,) * len(columns)
        counts = np.bincount(np.ravel_multi_index(columns, shape), minlength=size ** len(columns))
        for place in np.flatnonzero(counts):
            kind = np.unravel_index(place, shape)
            yield (*(self.classes[int(each)] for each in kind), int(counts[place]))


@dataclass(frozen=True, slots=True)
class Claims:
    """What a report claims of drawn classifiers."""

    differences: tuple[Comparison, ...]
    backed_words: int

    @property
    def any(self) -> bool:
        """Whether anybody is said to be better than anybody at anything."""
        return self.backed_words > 0 or any(map(_is_decided, self.differences))

    def about(self, measure: str) -> bool:
        """Tell whether a difference is claimed in a measure of all cases or the positive class."""
        return any(
            _is_decided(row)
            for row in self.differences
            if row.measure == measure and row.class_ is None
        )


def scored(drawn: Sequence[Aggregates], spec: Spec) -> Iterator[ByKey]:
    """Score the classifiers of many repetitions, all at once because that is quicker."""
    tallies = [each.confusion for each in drawn if each.confusion is not None]
    together = pl.concat(
        [
            tally.frame.with_columns(classifier=pl.lit(f"{number} ") + pl.col("classifier"))
            for number, tally in enumerate(tallies)
        ]
    )
    judged = [find_measure(name) for each in CAPABILITIES.values() for name in each.measures]
    needed = dict.fromkeys([*shown(spec), *(measure for measure in judged if measure is not None)])
    tally = ConfusionCounts(together, drawn[0].classes)
    found = compute_count_values(tally, tuple(needed), spec.task.positive).by_key()
    by_number: dict[str, dict[tuple[str, str | None, str | None, str], MeasureValue]] = {}
    for (name, *rest), score in found.items():
        number, _, plain = name.partition(" ")
        class_, average, measure = rest
        by_number.setdefault(number, {})[plain, class_, average, str(measure)] = score
    yield from (by_number[str(number)] for number in range(len(drawn)))


def shown(spec: Spec) -> tuple[Measure, ...]:
    """Return the measures of counts that a report shows."""
    chosen = select_measures(spec.measures.show, spec.task.kind)
    return tuple(measure for measure in chosen if measure.family not in SCORE_FAMILIES)


def claims_of(specs: Sequence[Spec], predictions: Aggregates, scores: ByKey) -> list[Claims]:
    """Compare the classifiers and judge their capabilities, as the pipeline does.

    The specs differ only in how the same tests are settled.
    """
    names = [classifier.name for classifier in specs[0].classifiers]
    classes = (None,) if specs[0].task.kind == "binary" else predictions.classes
    pairs = pairs_to_compare(names, None)
    tested = list(build_tested_families(specs[0], predictions, scores, shown(specs[0]), pairs))
    related = relate_by_likelihood_ratios(scores, names, classes)
    rows = capability_rows(scores, names, classes)
    claims = []
    for spec in specs:
        differences = adjust_and_decide(tested, (), spec.comparison, spec.intervals.level)
        evidence = ComparisonIndex.from_comparisons(differences)
        backed = [
            cell.significant
            for row in add_capability_significance(rows, scores, related, evidence)
            for name, cell in row.cells.items()
            # Grades of a scale compare nobody.
            if not isinstance(CAPABILITIES[name].rating_rule, ThresholdRating)
        ]
        backed += [
            relation.significant for relation in add_relation_significance(related, evidence)
        ]
        claims.append(Claims(differences, backed.count(True)))
    return claims


def names_a_best(predictions: Aggregates) -> bool | None:
    """Tell whether PyCM's Compare names a best classifier; None if PyCM is not installed."""
    try:
        from pycm import Compare, ConfusionMatrix
    except ImportError:
        return None
    tally = predictions.confusion
    if tally is None:
        raise LookupError("nothing was counted")
    matrices = {
        name: ConfusionMatrix(
            matrix={
                truth: dict(zip(tally.classes, counts, strict=True))
                for truth, counts in zip(tally.classes, tally.matrix(name), strict=True)
            }
        )
        for name in tally.frame["classifier"].unique(maintain_order=True)
    }
    return Compare(matrices).best is not None


def _is_decided(row: Comparison) -> bool:
    return row.verdict in {Decision.SUPERIOR, Decision.INFERIOR}


def _frame(rows: list[tuple[object, ...]], schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")


def _answers(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> AgreementTable:
    kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
    return AgreementTable(*(int(kind.sum()) for kind in kinds))
