"""How far DeLong's variance can be trusted with few positive cases: false alarms and coverage.

Two equally good classifiers are drawn, whose scores are correlated; prints a Markdown table.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from reportgen.aggregates.delong import influence
from reportgen.statistics.auc import newcombe_auc_interval

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.statistics import FloatArray

NEGATIVES = 400
SHARED = 0.3
LEVELS = (0.05, 0.01, 0.001)
REACH = float(ndtri(0.975))


def main() -> None:
    """Draw, test, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=20060101)
    chosen = parser.parse_args()
    random = np.random.default_rng(chosen.seed)
    heads = [f"p < {level}" for level in LEVELS]
    print("| positives | area |", " | ".join(heads), "| 95 % by DeLong | by Newcombe |")
    print("|", " | ".join(["---:"] * (4 + len(LEVELS))), "|")
    for area in (0.75, 0.9):
        for positives in (2, 3, 5, 8, 10, 20, 50):
            drawn = [_draw(random, positives, area) for _ in range(chosen.repetitions)]
            p_values, *held = np.array(drawn).T
            shares = [(p_values < level).mean() for level in LEVELS]
            cells = [f"{100 * share:.1f} %" for share in (*shares, *map(np.nanmean, held))]
            print(f"| {positives} | {area} |", " | ".join(cells), "|", flush=True)


def _draw(random: np.random.Generator, positives: int, area: float) -> tuple[float, float, float]:
    """Return the p-value of two equal classifiers, and whether the first one's limits hold."""
    is_positive = np.arange(positives + NEGATIVES) < positives
    luck = random.standard_normal(len(is_positive))
    apart = np.sqrt(2) * ndtri(area) * is_positive
    own = random.standard_normal((2, len(is_positive)))
    scores = np.sqrt(SHARED) * luck + np.sqrt(1 - SHARED) * own + apart
    influences = [influence(scores_of_one, is_positive) for scores_of_one in scores]
    sizes = np.where(is_positive, positives, NEGATIVES)
    weight = sizes / (sizes - 1)
    areas = [_area(scores_of_one, is_positive) for scores_of_one in scores]
    variance = float(((influences[0] - influences[1]) ** 2 * weight).sum())
    low, high = newcombe_auc_interval(areas[0], positives, NEGATIVES, 0.95)
    by_newcombe = float(low <= area <= high)
    if variance == 0:
        return 1.0, np.nan, by_newcombe
    p = 2 * float(ndtr(-abs(areas[0] - areas[1]) / np.sqrt(variance)))
    # An area of 1 has limits of another kind.
    if areas[0] == 1:
        return p, np.nan, by_newcombe
    error = np.sqrt((influences[0] ** 2 * weight).sum()) / (areas[0] * (1 - areas[0]))
    low, high = expit(logit(areas[0]) + np.array([-1, 1]) * REACH * error)
    return p, float(low <= area <= high), by_newcombe


def _area(scores: FloatArray, is_positive: npt.NDArray[np.bool_]) -> float:
    below = np.searchsorted(np.sort(scores[~is_positive]), scores[is_positive])
    return float(below.mean() / NEGATIVES)


if __name__ == "__main__":
    main()
