"""Simulate how often reports find differences that exist, and write that part of error-rates.md.

Classifiers of known quality are drawn and compared by the functions that reports use; single
reports with many classes, classifiers or pairs are compared with McNemar's test of the same pairs.
Run it from the repository: python -m benchmarks.power
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.drawn_classifiers import Drawing, claims_of, compute_values
from benchmarks.tables import ERROR_RATES, head, percent, row, simulation_error, write_part
from reportgen.pipeline import load_and_evaluate
from reportgen.statistics.multiplicity import holm
from reportgen.statistics.paired_tests import mcnemar_exact_p

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.drawn_classifiers import Claims
    from reportgen.evaluation.comparison import Comparison

SEED = 20060102
ADJUSTMENTS = {"report": "", "Holm": 'correction = "holm"', "alone": 'correction = "none"'}


@dataclass(frozen=True, slots=True)
class Gap:
    """Classifiers that differ, what a report should find of them, and how often to repeat it."""

    name: str
    drawing: Drawing
    is_detected: Callable[[Claims], bool]
    comparison: str = ""
    fewer: int = 1


def _best_first(classifiers: int, best: float, others: float) -> tuple[tuple[float, float], ...]:
    return ((best, best), *(((others, others),) * (classifiers - 1)))


TEN = (0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01)
GAPS = (
    Gap(
        "accuracy 0.94 against 0.91, 2000 cases",
        Drawing(2000, ((0.94, 0.94), (0.91, 0.91)), 0.0),
        methodcaller("about", "accuracy"),
    ),
    Gap(
        "the same, MCC is primary",
        Drawing(2000, ((0.94, 0.94), (0.91, 0.91)), 0.0),
        methodcaller("about", "mcc"),
        'primary = "mcc"',
    ),
    Gap(
        "five classifiers, best by 5 points, 1000 cases: better than all four",
        Drawing(1000, _best_first(5, 0.93, 0.88), 0.0),
        methodcaller("confirms_best", "A", "accuracy"),
        fewer=2,
    ),
    Gap(
        "ten classifiers, best by 5 points, 1000 cases: better than all nine",
        Drawing(1000, _best_first(10, 0.93, 0.88), 0.0),
        methodcaller("confirms_best", "A", "accuracy"),
        fewer=4,
    ),
    Gap(
        "ten unbalanced classes, 0.90 against 0.87, 2000 cases",
        Drawing(2000, ((0.90,) * 10, (0.87,) * 10), 0.5, TEN),
        methodcaller("about", "accuracy"),
        fewer=4,
    ),
    Gap(
        "the same, macro-averaged F1 is primary",
        Drawing(2000, ((0.90,) * 10, (0.87,) * 10), 0.5, TEN),
        methodcaller("about", "f1", "macro"),
        'primary = "macro_f1"',
        fewer=4,
    ),
)


def repeat(gap: Gap, repetitions: int, seed: int) -> tuple[float, ...]:
    """Return the proportion of reports that find the difference, by the kind of adjustment."""
    random = np.random.default_rng([SEED, seed])
    specs = [gap.drawing.spec(f"{keys}\n{gap.comparison}") for keys in ADJUSTMENTS.values()]
    drawn = [gap.drawing.predictions(random) for _ in range(repetitions)]
    detections = [
        [gap.is_detected(claims) for claims in claims_of(specs, aggregates, values)]
        for aggregates, values in zip(drawn, compute_values(drawn, specs[0]), strict=True)
    ]
    return tuple(sum(column) / len(column) for column in zip(*detections, strict=True))


@dataclass(frozen=True, slots=True)
class SingleReport:
    """One report in which two classifiers differ on few of many cases.

    The first classifier alone is right on `first_only` cases, the second alone on `second_only`;
    both are right on a share `accuracy` of the rest. The other classifiers are right at random with
    accuracies from `others[0]` to `others[1]`.
    """

    name: str
    cases: int
    classes: int
    classifiers: int
    first_only: int
    second_only: int
    accuracy: float
    others: tuple[float, float]

    def table(self) -> pl.DataFrame:
        """Return truth and answers of all classifiers, a column each."""
        rng = np.random.default_rng(SEED)
        truth = np.arange(self.cases) % self.classes
        order = rng.permutation(self.cases)
        discordant = self.first_only + self.second_only
        is_right = np.zeros((self.cases, self.classifiers), np.bool_)
        is_right[order[: self.first_only], 0] = True
        is_right[order[self.first_only : discordant], 1] = True
        rest = order[discordant:]
        is_right[rest[: round(self.accuracy * len(rest))], :2] = True
        accuracies = np.linspace(*self.others, self.classifiers - 2)
        is_right[:, 2:] = rng.random((self.cases, self.classifiers - 2)) < accuracies
        wrong = (truth[:, None] + rng.integers(1, self.classes, is_right.shape)) % self.classes
        answers = np.where(is_right, truth[:, None], wrong)
        columns = {"truth": truth, **{f"m{at:02}": own for at, own in enumerate(answers.T)}}
        return pl.DataFrame({name: [f"c{n}" for n in own] for name, own in columns.items()})

    def compare(self) -> tuple[Comparison, ...]:
        """Return the headline of a report on accuracy, a row per pair."""
        table = self.table()
        spec = '[task]\nkind = "multiclass"\n[comparison]\nprimary = "accuracy"\n' + "".join(
            f'[[classifiers]]\nname = "{name}"\npredictions = "t.csv"\nprediction = "{name}"\n'
            for name in table.columns[1:]
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spec.toml"
            path.write_text(spec, encoding="utf-8")
            table.write_csv(path.with_name("t.csv"))
            comparisons = load_and_evaluate(path).comparisons
        return tuple(
            one
            for one in comparisons
            if one.key[2:] == (None, None, "accuracy") and one.family == "headline"
        )

    def mcnemar_p_values(self) -> list[float]:
        """Return McNemar's exact p-values of all pairs, in the order of the comparisons."""
        table = self.table()
        is_right = (table.drop("truth").to_numpy() == table["truth"].to_numpy()[:, None]).T
        return [
            mcnemar_exact_p(int((one & ~other).sum()), int((other & ~one).sum()))
            for at, one in enumerate(is_right)
            for other in is_right[at + 1 :]
        ]


# The first two are discordant as often as gives the published p-value.
SINGLE_REPORTS = (
    SingleReport("150 classes, 7.4 points on 4500 cases", 4500, 150, 2, 783, 450, 0.6, (0.0, 0.0)),
    SingleReport(
        "10 classes, 3 classifiers, 2.2 points on 899 cases", 899, 10, 3, 32, 12, 0.95, (0.85, 0.85)
    ),
    SingleReport(
        "30 classifiers, 1.1 points on 2000 cases", 2000, 3, 30, 45, 23, 0.93, (0.55, 0.93)
    ),
)


def single_rows() -> Iterator[str]:
    """Yield the p-values of the first pair, by McNemar's test and in the report."""
    yield from head(
        "report",
        "pairs",
        "difference",
        "McNemar exact p",
        "of all pairs, at α/2 (Holm)",
        "adjusted p",
    )
    for single in SINGLE_REPORTS:
        first, *others = single.compare()
        raw = single.mcnemar_p_values()
        shared = min(1.0, 2 * holm(raw)[0])
        difference = f"{100 * (first.difference or 0.0):.1f} points"
        numbers = (f"{p:.2g}" for p in (raw[0], shared, first.p_adjusted or 1.0))
        yield row(single.name, 1 + len(others), difference, *numbers)


def document(repetitions: int) -> Iterator[str]:
    """Yield the lines about power, as soon as they are known."""
    yield f"""## Power

The proportion of reports that find a difference that exists. *Alone*: without adjustment, as if
nothing else were tested. Errors are independent, or have a correlation of 0.5 for ten classes.
Seed {SEED}; the simulation error is the half-width of the 95 % interval of the first rate:

```console
python -m benchmarks.power --repetitions {repetitions}
```
"""
    yield from head("difference", *ADJUSTMENTS, "simulation error", "repetitions")
    for seed, gap in enumerate(GAPS):
        times = max(10, repetitions // gap.fewer)
        rates = repeat(gap, times, seed)
        error = simulation_error(times, rates[0])
        yield row(gap.name, *map(percent, rates), error, times)
    yield """
Single reports with a small difference between the first two classifiers: their adjusted p-value is
that of McNemar's exact test of all pairs in the share of α of the headline, or smaller.
"""
    yield from single_rows()


def main() -> None:
    """Simulate, and write the part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    write_part(arguments.output, "power", document(arguments.repetitions))


if __name__ == "__main__":
    main()
