"""Classifiers whose true quality is known, drawn at random, and what a report claims of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons import (
    Evidence,
    back_capabilities,
    back_relations,
    capability_rows,
    compare,
    likelihood_relations,
)
from reportgen.comparisons.difference import Finding
from reportgen.measures import CAPABILITIES, Scale, chosen_measures, find_measure
from reportgen.predictions import Predictions
from reportgen.scores import score_counts
from reportgen.spec.read import parse_spec
from reportgen.statistics.adjusting import holm
from reportgen.statistics.paired_table import Answers, PairedTable
from reportgen.tallies.confusion import ConfusionTally, count_confusion
from reportgen.tallies.pairs import PairTally, count_pairs

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.comparisons import Difference
    from reportgen.spec import Spec

BINARY, THREE = ("yes", "no"), ("a", "b", "c")
ALPHA = 0.05


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

    def draw(
        self, random: np.random.Generator
    ) -> tuple[npt.NDArray[np.int64], tuple[npt.NDArray[np.int64], ...]]:
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
        return truth, tuple(answers)

    def predictions(self, random: np.random.Generator) -> Predictions:
        """Draw what reading prediction files would give."""
        truth, answers = self.draw(random)
        labels = np.array(self.classes)
        cases = pl.concat(
            [
                pl.DataFrame(
                    {
                        "classifier": np.full(self.cases, name),
                        "case": np.arange(self.cases),
                        "truth": labels[truth],
                        "prediction": labels[answer],
                    }
                ).with_columns(fold=pl.lit(None, pl.String))
                for name, answer in zip(self.names, answers, strict=True)
            ]
        )
        return Predictions(
            classes=self.classes,
            confusion=ConfusionTally(count_confusion(cases.lazy()).collect(), self.classes),
            regression=None,
            inputs=(),
            audits=(),
            joined_by="id",
            case_count=self.cases,
            warnings=(),
            pairs=PairTally(count_pairs(cases, self.names), self.classes),
        )

    def table(self, random: np.random.Generator) -> PairedTable:
        """Draw what the first two classifiers say of the positive class."""
        truth, (first, second, *_) = self.draw(random)
        says, says_too = first == 0, second == 0
        chosen = (truth == 0, truth != 0)
        return PairedTable(*(_answers(says[among], says_too[among]) for among in chosen))

    def spec(self, comparison: str = "") -> Spec:
        """Return a spec as a user would write it: all that is not said is by default."""
        task = 'kind = "binary"\npositive = "yes"' if len(self.shares) == len(BINARY) else ""
        task = task or 'kind = "multiclass"'
        classifiers = "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n' for name in self.names
        )
        text = f"[task]\n{task}\n[comparison]\n{comparison}\n{classifiers}"
        return parse_spec(Path("benchmark.toml"), text.encode()).spec


@dataclass(frozen=True, slots=True)
class Claims:
    """What a report claims of drawn classifiers, and what looser rules would have claimed."""

    differences: tuple[Difference, ...]
    backed_words: int

    @property
    def any(self) -> bool:
        """Whether anybody is said to be better than anybody at anything."""
        return self.backed_words > 0 or any(map(_is_decided, self.differences))

    @property
    def any_by_holm(self) -> bool:
        """Whether Holm's procedure over all tests would claim something."""
        return any(p <= ALPHA for p in holm([row.p for row in self.differences if row.p is not None]))

    @property
    def any_uncorrected(self) -> bool:
        """Whether some test by itself is significant."""
        return any(row.p <= ALPHA for row in self.differences if row.p is not None)

    def about(self, measure: str) -> bool:
        """Tell whether a difference is claimed in a measure of all cases or the positive class."""
        return any(
            _is_decided(row)
            for row in self.differences
            if row.measure == measure and row.class_ is None
        )


def claims_of(spec: Spec, predictions: Predictions) -> Claims:
    """Compare the classifiers and judge their capabilities, as the pipeline does."""
    if predictions.confusion is None:
        raise LookupError("nothing was counted")
    shown = tuple(
        measure
        for measure in chosen_measures(spec.measures.show, spec.task.kind)
        if measure.family.value not in {"ranking", "probability"}
    )
    judged = [find_measure(name) for each in CAPABILITIES.values() for name in each.measures]
    needed = dict.fromkeys([*shown, *(measure for measure in judged if measure is not None)])
    scores = score_counts(predictions.confusion, tuple(needed), spec.task.positive).by_key()
    names = [classifier.name for classifier in spec.classifiers]
    classes = (None,) if spec.task.kind == "binary" else predictions.classes
    differences = compare(spec, predictions, scores, shown, ())
    evidence = Evidence.of(differences)
    related = likelihood_relations(scores, names, classes)
    rows = back_capabilities(
        capability_rows(scores, names, classes), scores, related, evidence
    )
    cells = [
        cell
        for row in rows
        for name, cell in row.cells.items()
        # Grades of a scale compare nobody.
        if not isinstance(CAPABILITIES[name].judgement, Scale)
    ]
    backed = [cell.backed for cell in cells]
    backed += [relation.backed for relation in back_relations(related, evidence)]
    return Claims(tuple(row for row in differences if row.decisive), backed.count(True))


def names_a_best(predictions: Predictions) -> bool | None:
    """Tell whether PyCM's Compare names a best classifier; None if PyCM is not installed."""
    try:
        from pycm import Compare, ConfusionMatrix
    except ImportError:
        return None
    tally = predictions.confusion
    if tally is None:
        raise LookupError("nothing was counted")
    names = tally.frame["classifier"].unique(maintain_order=True)
    matrices = {
        name: ConfusionMatrix(
            matrix={
                truth: dict(zip(tally.classes, counts, strict=True))
                for truth, counts in zip(tally.classes, tally.matrix(name), strict=True)
            }
        )
        for name in names
    }
    return Compare(matrices).best is not None


def _is_decided(row: Difference) -> bool:
    return row.verdict in {Finding.SUPERIOR, Finding.INFERIOR}


def _answers(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> Answers:
    kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
    return Answers(*(int(kind.sum()) for kind in kinds))
