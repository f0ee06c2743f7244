"""The data of the speed benchmarks, drawn from fixed seeds once and kept in a cache.

It runs in a process of its own (python -m benchmarks.speed.data RECIPE ROWS FILE FOLDER), because a
child's peak memory is never told as less than what its parent held when it started the child.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import polars as pl

SEED = 20060101
ROOT = Path(__file__).parents[2]
CLASSIFIERS = "ABCDE"
FOLDS = 10
TWO = 2
PREVALENCE = 0.3
# Drawn piece by piece, so that 100 million rows fit into memory.
PIECE = 10_000_000
# What other tools are asked for is asked for here.
SCORES = """\
[data]
score = "score"
[measures]
show = ["roc_auc", "average_precision"]
"""
JOINED = """\
[data]
id = "id"
fold = "fold"
[measures]
show = ["accuracy", "precision", "sensitivity", "f1"]
"""


@dataclass(frozen=True, slots=True)
class Data:
    """Cases drawn by a recipe, as files of one kind with the spec that names them."""

    recipe: str
    rows: int
    file: str = "parquet"
    specs: int = 1

    def folder(self, cache: Path) -> Path:
        """Return where its files are kept."""
        return cache / f"{self.recipe}-{self.rows}-{self.specs}-{self.file}"

    def data_folder(self, cache: Path) -> Path:
        """Return the folder with its files, made in a process of its own if it is not there."""
        folder = self.folder(cache)
        if not folder.is_dir():
            half = folder.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            arguments = (self.recipe, str(self.rows), self.file, str(self.specs), str(half))
            command = [sys.executable, "-m", "benchmarks.speed.data", *arguments]
            subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603  # our own module
            half.rename(folder)
        return folder


def make(data: Data, folder: Path) -> None:
    """Draw the cases and write them with their specs."""
    import numpy as np

    random = np.random.default_rng(SEED)
    kind, _, size = data.recipe.partition("-")
    extra = ""
    match kind:
        case "counts" | "distinct" | "rounded":
            frames = {"A": _draw_scores(random, data.rows, kind)}
            extra = "" if kind == "counts" else SCORES
        case "classes":
            frames = {"A": _classes(random, data.rows, int(size))}
        case "folds":
            frames = dict(_folds(random, data.rows))
            extra = JOINED
        case "grown":
            classifiers, classes, baseline = size.split("-")
            frames = dict(_grown(random, data.rows, int(classifiers), int(classes)))
            extra = '[data]\nid = "id"\n'
            if baseline == "baseline":
                extra += f'[comparison]\nbaseline = "{next(iter(frames))}"\n'
            kind = "counts" if classes == "2" else "classes"
        case _:
            raise LookupError(data.recipe)
    for name, frame in frames.items():
        path = folder / f"{name}.{data.file}"
        _ = frame.write_csv(path) if data.file == "csv" else frame.write_parquet(path)
    task = 'kind = "multiclass"' if kind == "classes" else 'kind = "binary"\npositive = "pos"'
    files = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.{data.file}"\n' for name in frames
    )
    for number in range(data.specs):
        text = f'title = "Speed"\n[task]\n{task}\n{extra}{files}'
        (folder / f"spec{number}.toml").write_text(text, encoding="utf-8")


def _draw_scores(random: np.random.Generator, rows: int, kind: str) -> pl.DataFrame:
    """Draw a third of positives, scores that tell them apart, and predictions made from them."""
    import numpy as np
    import polars as pl

    def piece(size: int) -> pl.DataFrame:
        true = random.random(size) < PREVALENCE
        score = 1 / (1 + np.exp(-(random.normal(size=size) + 1.5 * true - 0.75)))
        if kind == "rounded":
            score = score.round(3)
        scored = pl.DataFrame(
            {"truth": _labels(true), "prediction": _labels(score > 1 / 2), "score": score}
        )
        return scored.drop("score") if kind == "counts" else scored

    sizes = [min(PIECE, rows - start) for start in range(0, rows, PIECE)]
    return pl.concat([piece(size) for size in sizes])


def _classes(random: np.random.Generator, rows: int, size: int) -> pl.DataFrame:
    """Draw equally frequent classes of which seven of ten are found."""
    import numpy as np
    import polars as pl

    names = pl.Series([f"class_{number:04d}" for number in range(size)])
    true = random.permutation(np.arange(rows) % size)
    predicted = np.where(random.random(rows) < 0.7, true, random.integers(0, size, rows))  # noqa: PLR2004
    return pl.DataFrame({"truth": names[true], "prediction": names[predicted]})


def _folds(random: np.random.Generator, rows: int) -> Iterator[tuple[str, pl.DataFrame]]:
    """Draw classifiers that answer the same cases in folds, each with its own order of rows."""
    import numpy as np
    import polars as pl

    cases = pl.int_range(rows, eager=True).cast(pl.String).str.zfill(8)
    true, fold = random.random(rows) < PREVALENCE, random.integers(0, FOLDS, rows)
    for place, name in enumerate(CLASSIFIERS):
        right = random.random(rows) < 0.8 + 0.02 * place
        answers = pl.DataFrame(
            {
                "id": "case-" + cases,
                "fold": fold,
                "truth": _labels(true),
                "prediction": _labels(np.where(right, true, ~true)),
            }
        )
        yield name, answers[random.permutation(rows)]


def _grown(
    random: np.random.Generator, rows: int, classifiers: int, classes: int
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Draw classifiers of accuracies from 0.8 on, on the same cases of equally frequent classes."""
    import numpy as np
    import polars as pl

    names = pl.Series(["pos", "neg"] if classes == TWO else [f"{at:04d}" for at in range(classes)])
    true = random.permutation(np.arange(rows) % classes)
    for number in range(classifiers):
        right = random.random(rows) < 0.8 + 0.1 * number / max(classifiers, 10)
        wrong = (true + random.integers(1, classes, rows)) % classes
        answers = {"truth": names[true], "prediction": names[np.where(right, true, wrong)]}
        yield f"model_{number:03d}", pl.DataFrame({"id": np.arange(rows), **answers})


def _labels(positive: np.ndarray) -> pl.Series:
    import polars as pl

    labels = pl.DataFrame({"positive": positive}).select(
        pl.when("positive").then(pl.lit("pos")).otherwise(pl.lit("neg"))
    )
    return labels.to_series()


if __name__ == "__main__":
    asked_recipe, asked_rows, asked_file, asked_specs, asked_folder = sys.argv[1:]
    make(
        Data(asked_recipe, int(asked_rows), asked_file, int(asked_specs)),
        Path(asked_folder),
    )
