"""Simulate how often reports find differences that exist: the last part of docs/error-rates.md.

Classifiers of known quality are drawn and compared by the functions that reports use. Run it from
the repository: python -m benchmarks.power prints the table; benchmarks.error_rates writes it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from operator import methodcaller
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.drawn_classifiers import Drawing, claims_of, scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.drawn_classifiers import Claims

ALPHA = 0.05
SEED = 20060102
ADJUSTMENTS = {"report": "", "Holm": 'correction = "holm"', "alone": 'correction = "none"'}


@dataclass(frozen=True, slots=True)
class Gap:
    """Classifiers that differ, what a report should find of them, and how often to repeat it."""

    name: str
    drawing: Drawing
    found: Callable[[Claims], bool]
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
    found = [
        [gap.found(each) for each in claims_of(specs, aggregates, values)]
        for aggregates, values in zip(drawn, scored(drawn, specs[0]), strict=True)
    ]
    return tuple(sum(column) / len(column) for column in zip(*found, strict=True))


def document(repetitions: int) -> Iterator[str]:
    """Yield the lines about power, as soon as they are known."""
    yield """
## Power

The proportion of reports that find a difference that exists. *Alone*: without adjustment, as if
nothing else were tested. Errors are independent, or have a correlation of 0.5 for ten classes.
"""
    yield f"| difference | {' | '.join(ADJUSTMENTS)} | repetitions |"
    yield f"|{' --- |' * (len(ADJUSTMENTS) + 2)}"
    for seed, gap in enumerate(GAPS):
        times = max(10, repetitions // gap.fewer)
        rates = " | ".join(f"{100 * rate:.1f} %" for rate in repeat(gap, times, seed))
        yield f"| {gap.name} | {rates} | {times} |"


def main() -> None:
    """Simulate, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    for line in document(parser.parse_args().repetitions):
        print(line, flush=True)


if __name__ == "__main__":
    main()
