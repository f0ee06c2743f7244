"""A spec with many classifiers and classes, made up: what fills a page in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

CLASSES = (
    "apple",
    "apricot",
    "blackcurrant, dried",
    "cherry",
    "dragon fruit",
    "elderberry",
    "fig",
    "gooseberry (green, unripe)",
    "grape",
    "kiwi",
    "lemon",
    "mango",
    "nectarine",
    "orange",
    "passion fruit",
    "pear",
    "quince",
    "raspberry",
    "strawberry",
    "Wassermelone, süß & <groß>",
)
CLASSIFIERS = (
    "Logistic regression",
    "Naive Bayes",
    "Decision tree, depth 6",
    "Random forest (500 trees)",
    "Gradient boosting",
    "Linear SVM",
    "SVM, radial kernel, C = 10, gamma = 0.01",
    "k nearest neighbours",
    "Multilayer perceptron",
    "LDA",
    "QDA",
    "Majority class",
)
CASES = 1500


def write_wide_spec(folder: Path) -> Path:
    """Write the spec and its predictions: the later a classifier, the more often it is wrong."""
    draw = np.random.default_rng(20)
    names = np.array(CLASSES)
    truth = draw.integers(0, len(CLASSES), CASES)
    lines = ['title = "Which fruit is it?"', "[task]", 'kind = "multiclass"', "[data]", 'id = "n"']
    for number, classifier in enumerate(CLASSIFIERS):
        wrong = draw.random(CASES) < 0.05 + 0.04 * number
        near = (truth + draw.integers(1, 4, CASES)) % len(CLASSES)
        pl.DataFrame(
            {
                "n": np.arange(CASES),
                "truth": names[truth],
                "prediction": names[np.where(wrong, near, truth)],
            }
        ).write_parquet(folder / f"{number}.parquet")
        lines += ["[[classifiers]]", f'name = "{classifier}"', f'predictions = "{number}.parquet"']
    spec = folder / "wide.toml"
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return spec
