"""A report that is hard to lay out: many classes, long names, signs that mean something in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

CLASSES = (
    "Größenänderung ohne Befund & <b>fett</b>",
    "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
    "A class whose name is a whole sentence, with commas, as people write them",
    *(f"Übergang {number:02}" for number in range(4, 21)),
)
CLASSIFIERS = (
    "Gradient boosting with 500 trees of depth 3 <b>&",
    "GRADIENT_BOOSTING_WITH_500_TREES_OF_DEPTH_4_ÄÖÜ",
    "kNN",
    "Überwachtes Lernen nach Müller-Lüdenscheidt (2019), angepasst",
)
CASES_PER_CLASS, FOLDS = 9, 3


def write_hostile(folder: Path) -> Path:
    """Write 20 classes of 9 cases each, 4 classifiers that err more and more, and their spec."""
    draws = np.random.default_rng(8)
    truth = np.repeat(np.arange(len(CLASSES)), CASES_PER_CLASS)
    lines = ['title = "<b>Änderungen</b> & Übergänge: Donaudampfschifffahrtsgesellschaften"']
    lines += ["[task]", 'kind = "multiclass"', "[data]", 'id = "case"', 'fold = "fold"']
    for order, name in enumerate(CLASSIFIERS):
        wrong = draws.random(len(truth)) < 0.1 * (order + 1)
        result = np.where(wrong, draws.integers(0, len(CLASSES), len(truth)), truth)
        rows = [
            f'{case},{case % FOLDS},"{CLASSES[true]}","{CLASSES[message]}"'
            for case, (true, message) in enumerate(zip(truth, result, strict=True))
        ]
        text = "\n".join(["case,fold,truth,prediction", *rows])
        (folder / f"{order}.csv").write_text(text, encoding="utf-8")
        lines += ["[[classifiers]]", f'name = "{name}"', f'predictions = "{order}.csv"']
    spec = folder / "hostile.toml"
    spec.write_text("\n".join(lines), encoding="utf-8")
    return spec
