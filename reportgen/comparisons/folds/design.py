"""How the folds were made: their sizes, repeats, and test cases by training cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions import Predictions
    from reportgen.spec import Spec

FIVE_BY_TWO = (5, 10)


@frozen
class FoldDesign:
    """How many folds there are in how many repeats; `ratio` is that of test to training cases."""

    folds: int
    repeats: int
    ratio: float | None
    ratio_from: Literal["spec", "sizes", "number of folds"] | None
    five_by_two: bool


def fold_sizes(predictions: Predictions) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the cases of each true class by classifier and fold; of a regression, all cases."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    in_fold = pl.col("fold").is_not_null()
    if predictions.confusion is not None:
        margins = predictions.confusion.margins.filter(in_fold)
        listed = margins.group_by("classifier", "fold", maintain_order=True).agg("true")
        for classifier, fold, sizes in listed.rows():
            found.setdefault(classifier, {})[fold] = tuple(sizes)
    if predictions.regression is not None:
        frame = predictions.regression.frame.filter(in_fold)
        for classifier, fold, cases in frame.select("classifier", "fold", "cases").rows():
            found.setdefault(classifier, {})[fold] = (int(cases),)
    return found


def fold_design(
    folds: Sequence[str],
    sizes: Mapping[str, tuple[int, ...]] | None,
    spec: Spec,
    predictions: Predictions,
) -> FoldDesign:
    """Read the design off the spec and, as far as it says nothing, off the sizes of the folds."""
    asked = spec.folds
    repeats = asked.repeats or (_repeats_of(predictions) if sizes else 1)
    ratio: float | None
    source: Literal["spec", "sizes", "number of folds"] | None
    if asked.ratio is not None:
        ratio, source = asked.ratio, "spec"
    elif sizes is not None:
        tested = [sum(sizes[fold]) for fold in folds]
        total = predictions.distinct_cases or sum(tested) / repeats
        apart = all(size < total for size in tested)
        shares = [size / (total - size) for size in tested] if apart else []
        ratio, source = (sum(shares) / len(shares), "sizes") if shares else (None, None)
    elif len(folds) > repeats:
        ratio, source = repeats / (len(folds) - repeats), "number of folds"
    else:
        ratio, source = None, None
    halves = (repeats, len(folds)) == FIVE_BY_TWO and _come_in_halves(folds, sizes)
    return FoldDesign(len(folds), repeats, ratio, source, halves)


def _repeats_of(predictions: Predictions) -> int:
    """Return how often every case was predicted, if all were equally often."""
    cases, distinct = predictions.case_count, predictions.distinct_cases
    if not cases or not distinct or cases % distinct:
        return 1
    return cases // distinct


def _come_in_halves(folds: Sequence[str], sizes: Mapping[str, tuple[int, ...]] | None) -> bool:
    """Tell whether every two folds together can be all cases, each once."""
    if sizes is None:
        return True
    pairs = zip(folds[::2], folds[1::2], strict=True)
    together = {tuple(map(sum, zip(sizes[one], sizes[other], strict=True))) for one, other in pairs}
    return len(together) == 1
