"""Measure how often reports claim too much or too little, and write docs/error-rates.md.

Classifiers of known quality are drawn and compared by the functions that reports use. Run it from
the repository: python -m benchmarks.error_rates (with `pip install pycm` for PyCM's column).
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from benchmarks.drawn_classifiers import Drawing, claims_of, names_a_best, scored
from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.permutation_tests import paired_permutation_test
from reportgen.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.drawn_classifiers import Claims

ALPHA = 0.05
SEED = 20060101
COLUMNS = ("report", "primary", "Holm", "uncorrected", "PyCM")
TARGET = Path(__file__).parents[1] / "docs" / "error-rates.md"
SIZES = (200, 500, 2000)
THIRDS = (1 / 3, 1 / 3, 1 / 3)
GAP = Drawing(2000, ((0.94, 0.94), (0.91, 0.91)), 0.0)
# Sensitivity differs, specificity does not: what is claimed of the latter is claimed falsely.
HALF_EQUAL = Drawing(2000, ((0.9, 0.8), (0.8, 0.8)), 0.0)
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


SETTLED = {
    "report": "",
    "primary": 'primary = "accuracy"',
    "holm": 'correction = "holm"',
    "none": 'correction = "none"',
}
Claimed: TypeAlias = "Callable[[Claims], bool]"


@dataclass(frozen=True, slots=True)
class Shares:
    """In which share of the repetitions something was claimed, by how it was settled."""

    settled: Mapping[str, float]
    pycm: float | None

    @property
    def cells(self) -> tuple[str, ...]:
        """The shares as text."""
        pycm = "not run" if self.pycm is None else _percent(self.pycm)
        return *map(_percent, self.settled.values()), pycm


def repeat(  # noqa: PLR0913  # what is drawn, how often, and what counts
    drawing: Drawing,
    repetitions: int,
    seed: int,
    comparison: str = "",
    claimed: Claimed = lambda claims: claims.any,
    *,
    joined: bool = True,
) -> Shares:
    """Draw classifiers again and again, and count the reports that claim something.

    `joined`: case by case; otherwise only their counts are known.
    """
    random = np.random.default_rng([SEED, seed])
    specs = [drawing.spec(f"{keys}\n{comparison}") for keys in SETTLED.values()]
    drawn = [drawing.predictions(random) for _ in range(repetitions)]
    drawn = drawn if joined else [replace(each, pairs=None) for each in drawn]
    found = [
        [claimed(claims) for claims in claims_of(specs, predictions, scores)]
        for predictions, scores in zip(drawn, scored(drawn, specs[0]), strict=True)
    ]
    best = list(map(names_a_best, drawn))
    by_rule = zip(SETTLED, zip(*found, strict=True), strict=True)
    return Shares(
        {name: _share(claims) for name, claims in by_rule},
        None if None in best else _share([each is True for each in best]),
    )


def reject(measure: str, drawing: Drawing, repetitions: int, seed: int) -> tuple[float, float]:
    """Return how often two classifiers are said to differ in one measure, exact and mid-p."""
    random = np.random.default_rng([SEED, seed])
    hypotheses = [Hypothesis(get_measure(measure), "yes")]
    blocks = (
        paired_permutation_test(("A", "B"), drawing.table(random), hypotheses, PermutationPlan(0))
        for _ in range(repetitions)
    )
    raw = [
        (block.p_values("exact").raw[0] <= ALPHA, block.p_values("mid-p").raw[0] <= ALPHA)
        for block in blocks
    ]
    exact, middle = zip(*raw, strict=True)
    return _share(exact), _share(middle)


def _share(claimed: Sequence[bool]) -> float:
    return sum(map(bool, claimed)) / len(claimed)


def equal_rows(repetitions: int) -> Iterator[str]:
    """Two equal classifiers: nobody is better, so every claim is false."""
    yield from _head("cases", "accuracy", "ρ", *COLUMNS)
    seed = 100
    for cases in SIZES:
        for accuracy in (0.8, 0.9):
            for correlation in (0.0, 0.5):
                seed += 1
                drawing = Drawing(cases, ((accuracy, accuracy),) * 2, correlation)
                found = repeat(drawing, repetitions, seed)
                yield _row(cases, accuracy, correlation, *found.cells)


def several_rows(repetitions: int) -> Iterator[str]:
    """Equal classifiers in other settings."""
    yield from _head("setting", "cases", *COLUMNS)
    binary, three = ((0.8, 0.8),), ((0.8, 0.8, 0.8),)
    settings = (
        ("three classifiers", binary * 3, (0.5, 0.5), ""),
        ("three classes", three * 2, THIRDS, ""),
        ("two classifiers, mid-p", binary * 2, (0.5, 0.5), 'p_values = "mid-p"'),
    )
    seed = 200
    for name, rates, shares, comparison in settings:
        for cases in SIZES:
            seed += 1
            drawing = Drawing(cases, rates, 0.5, shares)
            found = repeat(drawing, repetitions, seed, comparison)
            yield _row(name, cases, *found.cells)
    for cases in SIZES:
        seed += 1
        # Counts of the same cases go together, which tests of counts cannot know.
        drawing = Drawing(cases, binary * 2, 0.0)
        found = repeat(drawing, repetitions, seed, joined=False)
        yield _row("two classifiers, counts only, ρ 0", cases, *found.cells)


def partial_rows(repetitions: int) -> Iterator[str]:
    """A claim about one measure of classifiers that differ."""
    yield from _head("setting", "claimed", *COLUMNS[:-1])
    for name, drawing, measure, seed in (
        ("0.94 against 0.91", GAP, "accuracy", 300),
        ("only sensitivity differs", HALF_EQUAL, "specificity", 400),
    ):
        found = repeat(drawing, repetitions, seed, claimed=methodcaller("about", measure))
        yield _row(name, measure, *found.cells[:-1])


def weak_rows(repetitions: int) -> Iterator[str]:
    """Classifiers that are equal in one measure only, tested in it by itself."""
    yield from _head("equal in", "cases", "ρ", "exact", "mid-p")
    seed = 500
    for measure, rates in WEAK.items():
        for cases in SIZES:
            for correlation in (0.0, 0.5):
                seed += 1
                drawing = Drawing(cases, rates, correlation, WEAK_SHARES)
                exact, middle = reject(measure, drawing, repetitions, seed)
                yield _row(measure, cases, correlation, _percent(exact), _percent(middle))


def _head(*titles: str) -> tuple[str, str]:
    return _row(*titles), _row(*("---" for _ in titles))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def document(repetitions: int) -> Iterator[str]:
    """Yield the lines of the document, as soon as they are known."""
    allowed = ALPHA + 1.645 * math.sqrt(ALPHA * (1 - ALPHA) / repetitions)
    yield f"""# Family-wise error rate and power

Simulated with {repetitions} repetitions a row (seed {SEED}); `pip install ".[bench]"` brings PyCM:

```console
python -m benchmarks.error_rates --repetitions {repetitions}
```

Classifiers of known quality are drawn, counted and compared by the functions that reports use.
The nominal rate is {_percent(ALPHA)}. In {repetitions} repetitions such a rate is
estimated as at most {_percent(allowed)} 95 times of 100, so of many rows a few may lie above.
ρ is the correlation of the classifiers' errors: 0.5 means that they err on similar cases.

## Two equal classifiers

Every significant result here is a type I error. A report counts if any difference in any measure,
any capability verdict or any likelihood relation in it is significant.
*Report*: by default. *Primary*: with `primary = "accuracy"`. *Holm*, *uncorrected*:
with `correction = "holm"` and `"none"`. *PyCM*: its `Compare` names a best classifier.
Prevalence is 0.5, and sensitivity and specificity equal the accuracy.
"""
    yield from equal_rows(repetitions)
    yield """
## Equal classifiers in other settings

Accuracy 0.8, ρ 0.5; every significant result is a type I error.
"""
    yield from several_rows(repetitions)
    yield """
## Power, and errors under a partial null

2000 cases, independent errors, prevalence 0.5. In the first row accuracy differs: the power
should be at least 80 %, or 90 % if accuracy is the primary measure. In the
second row sensitivity is 0.9 against 0.8 but specificity 0.8 for both, so that a significant
difference in specificity is a type I error, while others are not.
"""
    yield from partial_rows(repetitions)
    yield """
## Equal in one measure only (weak null)

The classifiers differ in sensitivity and specificity, so they are not exchangeable, but one measure
is the same for both. Tested by itself, it should be significant in 5 % of the repetitions.
Prevalence 0.3.
"""
    yield from weak_rows(repetitions)


def main() -> None:
    """Measure, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--output", type=Path, default=TARGET)
    arguments = parser.parse_args()
    lines = []
    for line in document(arguments.repetitions):
        print(line, flush=True)
        lines.append(line)
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
