"""Simulate how often reports claim differences that do not exist, and write docs/error-rates.md.

Classifiers of known quality are drawn and compared by the functions that reports use. Run it from
the repository: python -m benchmarks.error_rates; every table is a part of the document of its own.
The other parts are written by benchmarks.power, benchmarks.report_claims and
benchmarks.changes_and_calibration.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import chain
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from benchmarks.drawn_classifiers import (
    Claims,
    Drawing,
    FoldDrawing,
    NumericDrawing,
    ScoreDrawing,
    claims_of,
    compute_values,
)
from benchmarks.tables import (
    ALPHA,
    ERROR_RATES,
    head,
    percent,
    row,
    simulation_error,
    write_part,
)
from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.permutation_tests import paired_permutation_test
from reportgen.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison

SEED = 20060101
CORRECTIONS = {"report": "", "Holm": 'correction = "holm"', "uncorrected": 'correction = "none"'}
SIZES = (30, 200, 2000)
# Repetitions of many classifiers take long: so many times fewer of them.
FEWER = {2: 1, 3: 1, 5: 2, 10: 8}
MANY = 10
# At an accuracy of 0.8 nine of ten errors are shared with a correlation of 0.98.
CORRELATIONS = {"independent": 0.0, "90 % shared": 0.98}
UNBALANCED = (0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01)
THIRDS = (1 / 3, 1 / 3, 1 / 3)
# Sensitivity differs, specificity does not: what is claimed of the latter is claimed falsely.
HALF_EQUAL = Drawing(2000, ((0.9, 0.8), (0.8, 0.8)), 0.0)
# At a prevalence of 0.5 accuracy and Youden's J are equal, all other measures are not.
MIRRORED = Drawing(2000, ((0.9, 0.7), (0.7, 0.9)), 0.5)
ONE_DIFFERS = Drawing(2000, ((0.9, 0.8), (0.8, 0.8), (0.8, 0.8)), 0.5)
# Sensitivity and specificity of both, at a prevalence of 0.3: one measure is equal, the rest not.
WEAK_SHARES = (0.3, 0.7)
WEAK = {
    # 0.9 + 0.7 = 0.75 + 0.85
    "youden": ((0.9, 0.7), (0.75, 0.85)),
    # 0.3 · 0.9 + 0.7 · 0.8 = 0.3 · 0.55 + 0.7 · 0.95
    "accuracy": ((0.9, 0.8), (0.55, 0.95)),
    # 0.9 / 0.3 = 0.6 / 0.2, and so with precision, which depends on nothing else but prevalence
    "lr_positive": ((0.9, 0.7), (0.6, 0.8)),
    "precision": ((0.9, 0.7), (0.6, 0.8)),
    # 0.2 / 0.6 = 0.3 / 0.9, and so with the negative predictive value
    "lr_negative": ((0.8, 0.6), (0.7, 0.9)),
    "npv": ((0.8, 0.6), (0.7, 0.9)),
    # ln 9 + ln 1 = ln 1 + ln 9
    "discriminant_power": ((0.9, 0.5), (0.5, 0.9)),
}
# The last columns of every table.
TIMES = ("simulation error", "repetitions")
Claimed: TypeAlias = "Callable[[Claims], bool]"


class Comparing(Protocol):
    """What is drawn and compared by scores, numbers or folds."""

    def compare(self, random: np.random.Generator) -> tuple[Comparison, ...]:
        """Draw and compare."""
        ...


def repeat(  # noqa: PLR0913  # what is drawn, how often, and what counts
    drawing: Drawing,
    repetitions: int,
    seed: int,
    comparison: str = "",
    claimed: Claimed = attrgetter("any"),
    *,
    joined: bool = True,
) -> tuple[float, ...]:
    """Return the proportion of reports that claim something, by the kind of adjustment.

    `joined`: case by case; otherwise only their counts are known.
    """
    random = np.random.default_rng([SEED, seed])
    specs = [drawing.spec(f"{keys}\n{comparison}") for keys in CORRECTIONS.values()]
    drawn = [drawing.predictions(random) for _ in range(repetitions)]
    drawn = drawn if joined else [replace(sample, pairs=None) for sample in drawn]
    claims = [
        [claimed(sample) for sample in claims_of(specs, aggregates, values)]
        for aggregates, values in zip(drawn, compute_values(drawn, specs[0]), strict=True)
    ]
    return tuple(map(_proportion, zip(*claims, strict=True)))


def repeat_comparing(drawing: Comparing, repetitions: int, seed: int) -> float:
    """Return the proportion of reports that claim something."""
    random = np.random.default_rng([SEED, seed])
    return _proportion([Claims(drawing.compare(random)).any for _ in range(repetitions)])


def reject(measure: str, drawing: Drawing, repetitions: int, seed: int) -> tuple[float, float]:
    """Return how often two classifiers are said to differ in one measure, exact and mid-p."""
    random = np.random.default_rng([SEED, seed])
    hypotheses = [Hypothesis(get_measure(measure), "yes")]
    drawn = [drawing.table(random) for _ in range(repetitions)]
    exact, middle = (
        _proportion(
            [
                paired_permutation_test(("A", "B"), table, hypotheses, plan).p_values[0] <= ALPHA
                for table in drawn
            ]
        )
        for plan in (PermutationPlan(0), PermutationPlan(0, "mid-p"))
    )
    return exact, middle


def _proportion(claimed: Sequence[bool]) -> float:
    return sum(map(bool, claimed)) / len(claimed)


def equal_rows(repetitions: int) -> Iterator[str]:
    """Equal classifiers: nobody is better, so every claim is false."""
    yield from head("classifiers", "errors", "cases", *CORRECTIONS, *TIMES)
    seed = 100
    for classifiers, fewer in FEWER.items():
        for errors, correlation in CORRELATIONS.items():
            for cases in SIZES if classifiers < MANY else SIZES[1:2]:
                seed += 1
                drawing = Drawing(cases, ((0.8, 0.8),) * classifiers, correlation)
                times = max(20, repetitions // fewer)
                rates = map(percent, repeat(drawing, times, seed))
                yield row(classifiers, errors, cases, *rates, simulation_error(times), times)


def several_rows(repetitions: int) -> Iterator[str]:
    """Equal classifiers in other settings."""
    yield from head("setting", "cases", *CORRECTIONS, *TIMES)
    pair, trio = ((0.8, 0.8),) * 2, ((0.8, 0.8),) * 3
    settings: tuple[tuple[str, Drawing, str, bool], ...] = (
        *(
            (f"{name}, 1 % positives", Drawing(cases, rates, 0.5, (0.01, 0.99)), "", True)
            for cases in (200, 2000)
            for name, rates in (("two classifiers", pair), ("three classifiers", trio))
        ),
        *(
            ("three classes", Drawing(cases, ((0.8,) * 3,) * 2, 0.5, THIRDS), "", True)
            for cases in (200, 2000)
        ),
        *(
            (
                "ten unbalanced classes",
                Drawing(cases, ((0.8,) * 10,) * 2, 0.5, UNBALANCED),
                "",
                True,
            )
            for cases in (200, 1000)
        ),
        ("mid-p", Drawing(200, pair, 0.5), 'p_values = "mid-p"', True),
        *(
            (f"{name}, counts only", Drawing(cases, rates, 0.0), "", False)
            for cases in (30, 200, 2000)
            for name, rates in (("two classifiers", pair), ("three classifiers", trio))
        ),
    )
    for seed, (name, drawing, comparison, joined) in enumerate(settings, 200):
        times = repetitions // 4 if len(drawing.shares) > len(THIRDS) else repetitions
        rates = repeat(drawing, times, seed, comparison, joined=joined)
        yield row(name, drawing.cases, *map(percent, rates), simulation_error(times), times)
    comparing: tuple[tuple[str, int, Comparing], ...] = (
        *(
            (f"three classifiers by scores, {100 * share:g} % positives", cases, drawing)
            for cases, share in ((200, 0.3), (2000, 0.3), (2000, 0.01))
            for drawing in [ScoreDrawing(cases, 3, share, 0.5)]
        ),
        *(
            (f"three regression models, {tails}", 200, NumericDrawing(200, 3, 0.5, heavy))
            for tails, heavy in (("normal errors", False), ("heavy tails", True))
        ),
        *((f"{number} algorithms by ten folds", 10, FoldDrawing(10, number)) for number in (2, 5)),
    )
    for seed, (name, cases, compared) in enumerate(comparing, 300):
        rate = repeat_comparing(compared, repetitions, seed)
        yield row(name, cases, percent(rate), "", "", simulation_error(repetitions), repetitions)


def partial_rows(repetitions: int) -> Iterator[str]:
    """A false claim about one measure, or one pair, of classifiers that differ otherwise."""
    yield from head("setting", "claimed", *CORRECTIONS, *TIMES)
    settings: list[tuple[str, str, Drawing, Claimed]] = [
        ("only sensitivity differs", "specificity", HALF_EQUAL, _claim_about("specificity")),
        ("equal sums of rates", "accuracy or J", MIRRORED, _claim_about("accuracy", "youden")),
        ("A differs from B and C", "B or C", ONE_DIFFERS, methodcaller("between", "B", "C")),
    ]
    for measure in ("youden", "accuracy", "precision", "npv"):
        drawing = Drawing(2000, WEAK[measure], 0.5, WEAK_SHARES)
        settings.append((f"equal in {measure}", measure, drawing, _claim_about(measure)))
    for number, (name, claim, drawing, claimed) in enumerate(settings):
        rates = repeat(drawing, repetitions, 400 + number, claimed=claimed)
        yield row(name, claim, *map(percent, rates), simulation_error(repetitions), repetitions)


def _claim_about(*measures: str) -> Claimed:
    return lambda claims: any(map(claims.about, measures))


def weak_rows(repetitions: int) -> Iterator[str]:
    """Classifiers that are equal in one measure only, tested in it by itself."""
    yield from head("equal in", "cases", "ρ", "exact", "mid-p", *TIMES)
    seed = 500
    for measure, rates in WEAK.items():
        for cases in (200, 500, 2000):
            for correlation in (0.0, 0.5):
                seed += 1
                drawing = Drawing(cases, rates, correlation, WEAK_SHARES)
                exact, middle = reject(measure, drawing, repetitions, seed)
                error = simulation_error(repetitions)
                cells = (percent(exact), percent(middle), error, repetitions)
                yield row(measure, cases, correlation, *cells)


INTRODUCTION = f"""# Family-wise error rate and power

Classifiers of known quality are drawn, counted and compared by the functions that reports use. The
nominal rate is {percent(ALPHA)}. Every row has its number of repetitions, and the half-width of the
95 % interval of a rate of {percent(ALPHA)} estimated with so many (*simulation error*, in
percentage points): of many rows a few lie above 5 % plus that. Every table is written by itself
(seed {SEED}):

```console
python -m benchmarks.error_rates --repetitions 400 --tables equal others partial weak
```

*Report*: by default. *Holm*, *uncorrected*: with `correction = "holm"` and `"none"`. A report
counts if any difference in any measure, class or average, any capability verdict or any likelihood
relation in it is significant.
"""
TABLES = {
    "equal": (
        """## Equal classifiers

Every significant result here is a type I error. Two classes, equally common; sensitivity and
specificity are 0.8. Errors of the classifiers are independent, or nine of ten are shared.
""",
        equal_rows,
    ),
    "others": (
        """## Equal classifiers in other settings

Every significant result is a type I error. Accuracy is 0.8 and the correlation of the errors (a
Gaussian copula) 0.5, or 0 where only counts are known. Scores are compared by areas and
losses, regression models by RMSE, MAE, R² and Pearson's correlation, algorithms by their accuracies
on folds.
""",
        several_rows,
    ),
    "partial": (
        """## Errors under a partial null

2000 cases. The classifiers differ, but not in one measure, or not all of them: what is claimed of
that measure or of that pair is a type I error. Sensitivity 0.9 against 0.8 with specificity 0.8,
independent errors; sensitivity and specificity 0.9 and 0.7 against 0.7 and 0.9 at a prevalence of
0.5; the first of three classifiers better in sensitivity; the settings of the next table at a
prevalence of 0.3. The correlation of errors is 0.5 but in the first row.
""",
        partial_rows,
    ),
    "weak": (
        """## Equal in one measure only (weak null)

The classifiers differ in sensitivity and specificity, so they are not exchangeable, but one measure
is the same for both. Tested by itself, it should be significant in 5 % of the repetitions.
Prevalence 0.3.
""",
        weak_rows,
    ),
}


def main() -> None:
    """Simulate, and write the tables, each as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--output", type=Path, default=ERROR_RATES)
    arguments = parser.parse_args()
    write_part(arguments.output, "introduction", [INTRODUCTION])
    for name in arguments.tables:
        text, rows = TABLES[name]
        write_part(arguments.output, name, chain([text], rows(arguments.repetitions)))


if __name__ == "__main__":
    main()
