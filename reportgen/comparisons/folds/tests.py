"""Tests of every two classifiers over the folds they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.difference import Difference
from reportgen.comparisons.folds.design import FoldDesign, fold_design, fold_sizes
from reportgen.comparisons.pairwise.testing import pairs_to_compare
from reportgen.frozen import frozen
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.statistics.fold_tests import (
    CORRECTED_T,
    FIVE_BY_TWO_F,
    PAIRED_T,
    FoldTest,
    corrected_t,
    five_by_two,
    paired_t,
)
from reportgen.statistics.wilcoxon import signed_rank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.predictions import Predictions
    from reportgen.scores import Scores
    from reportgen.spec import Spec
    from reportgen.statistics.wilcoxon import Floats

WILCOXON = "wilcoxon"
NO_FOLD = "there is no fold in which both have a finite value"
NO_RATIO = (
    "how many test cases there are for a training case is not known; name it with `ratio` in"
    " [folds]"
)
BY_NAME = "folds of the same name are taken to be the same folds"
TWO_BY_TWO = "the folds are taken two by two, in their order, as the halves of a repeat"
HODGES_LEHMANN = "difference by Hodges and Lehmann"
TRAINING_RATIO = "test cases for a training case"


@frozen
class FoldPair:
    """Two classifiers, the folds both have, how these were made, and why they may not be tested."""

    first: str
    second: str
    folds: tuple[str, ...]
    design: FoldDesign | None
    decisive: bool
    why_not: str | None = None
    note: str | None = None


@frozen
class Disagreement:
    """A difference that is significant only if the folds are taken to be independent."""

    plain: Difference
    corrected: Difference


def fold_pairs(scores: Scores, spec: Spec, predictions: Predictions) -> tuple[FoldPair, ...]:
    """Return every two classifiers that have folds, also those that cannot be compared by them."""
    in_folds = scores.frame.filter(pl.col("fold").is_not_null())
    listed = in_folds.group_by("classifier", maintain_order=True).agg(
        pl.col("fold").unique(maintain_order=True)
    )
    folds: dict[str, list[str]] = dict(listed.rows())
    sizes = fold_sizes(predictions)
    given = {item.name for item in spec.classifiers if item.fold_scores is not None}
    moved = predictions.moved_between_folds > 0
    found: list[FoldPair] = []
    names = [item.name for item in spec.classifiers if item.name in folds]
    for first, second in pairs_to_compare(names, spec.comparison.baseline):
        if second not in folds:
            continue
        decisive = not given.isdisjoint({first, second})
        same = set(folds[first]) == set(folds[second])
        same = same and (decisive or (not moved and sizes[first] == sizes[second]))
        known = sizes.get(first) or sizes.get(second)
        found.append(
            FoldPair(
                first,
                second,
                tuple(folds[first]),
                fold_design(folds[first], known, spec, predictions) if same else None,
                decisive,
                None if same else _why_not(folds[first], folds[second]),
                BY_NAME if decisive and known else None,
            )
        )
    return tuple(found)


def fold_tests(scores: Scores, spec: Spec, predictions: Predictions) -> tuple[Difference, ...]:
    """Test all differences over folds; the corrected test decides where no cases are known."""
    pairs = [pair for pair in fold_pairs(scores, spec, predictions) if pair.why_not is None]
    if not pairs:
        return ()
    values = _values_by_fold(scores)
    rows: list[Difference] = []
    for pair in pairs:
        names = [name for classifier, name in values if classifier == pair.first]
        for name in names:
            measure = find_measure(name)
            second = values.get((pair.second, name))
            if measure is None or measure.orientation is Orientation.NEITHER or second is None:
                continue
            paired = [(values[pair.first, name][fold], second[fold]) for fold in pair.folds]
            rows += _tested(pair, measure, np.array(paired), spec)
    return tuple(rows)


def disagreements(differences: Sequence[Difference], alpha: float) -> tuple[Disagreement, ...]:
    """Return where the plain t-test finds a difference that the corrected one does not."""
    plain = {row.key: row for row in differences if row.test == PAIRED_T}
    return tuple(
        Disagreement(plain[row.key], row)
        for row in differences
        if row.test == CORRECTED_T
        and row.p is not None
        and row.key in plain
        and (plain[row.key].p or 0.0) <= alpha < row.p
    )


def _why_not(first: Sequence[str], second: Sequence[str]) -> str:
    if set(first) == set(second):
        return "their folds have the same names but hold different cases"
    shared = len(set(first) & set(second))
    return f"they have {len(first)} and {len(second)} folds, of which {shared} share a name"


def _values_by_fold(scores: Scores) -> dict[tuple[str, str], dict[str, float]]:
    """Return values by classifier and measure, then by fold; NaN where there is no finite one."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    frame = scores.of_folds()
    columns = frame.select("classifier", "measure", "fold", pl.col("value").fill_null(np.nan))
    for classifier, measure, fold, value in columns.rows():
        found.setdefault((classifier, measure), {})[fold] = value
    return found


def _tested(pair: FoldPair, measure: Measure, paired: Floats, spec: Spec) -> Iterator[Difference]:
    """Make all tests with the better value counted as positive, and turn the results back."""
    sign = -1.0 if measure.orientation is Orientation.LOWER else 1.0
    differences = sign * (paired[:, 0] - paired[:, 1])
    used = differences[np.isfinite(differences)]
    left_out = len(differences) - len(used)
    shared = [
        *([pair.note] if pair.note else []),
        *([f"{left_out} of {len(differences)} folds left out"] if left_out else []),
        *(["one tail: is the first better?"] if spec.folds.tails == "one" else []),
    ]
    for test, notes in _tests(pair, used, spec, complete=not left_out):
        # Adding 0 turns a negative zero into zero.
        ends = [None if end is None else sign * end + 0.0 for end in (test.low, test.high)]
        low, high = ends if sign > 0 else ends[::-1]
        signed = test.statistic is not None and test.name not in {WILCOXON, FIVE_BY_TWO_F}
        reasons = [test.reason] if test.reason else []
        yield Difference(
            first=pair.first,
            second=pair.second,
            measure=measure.name,
            test=test.name,
            data="folds",
            difference=sign * test.estimate + 0.0 if len(used) else None,
            low=low,
            high=high,
            statistic=sign * (test.statistic or 0.0) + 0.0 if signed else test.statistic,
            df=test.df,
            p=test.p,
            decisive=pair.decisive and test.name == CORRECTED_T,
            note="; ".join([*reasons, *notes, *shared]) or None,
        )


def _tests(
    pair: FoldPair, used: Floats, spec: Spec, *, complete: bool
) -> Iterator[tuple[FoldTest, list[str]]]:
    """Yield every test that the design allows, with what is to be known of it."""
    level, tails, design = spec.intervals.level, spec.folds.tails, pair.design
    if not len(used):
        for name in (PAIRED_T, CORRECTED_T, WILCOXON):
            yield FoldTest(name=name, estimate=0.0, reason=NO_FOLD), []
        return
    plain = paired_t(used, level, tails)
    yield plain, []
    if design is None or design.ratio is None:
        yield FoldTest(name=CORRECTED_T, estimate=plain.estimate, reason=NO_RATIO), []
    else:
        ratio = f"{design.ratio:.4g} {TRAINING_RATIO}"
        yield corrected_t(used, design.ratio, level, tails), [ratio]
    yield _wilcoxon(used, spec)
    if complete and design is not None and design.five_by_two:
        t, f = five_by_two(used.reshape(5, 2), tails)
        yield t, [TWO_BY_TWO]
        yield f, [TWO_BY_TWO, "10 and 5 degrees of freedom, two-tailed by nature"]


def _wilcoxon(used: Floats, spec: Spec) -> tuple[FoldTest, list[str]]:
    found = signed_rank(used, spec.intervals.level, tails=spec.folds.tails)
    test = FoldTest(
        name=WILCOXON,
        estimate=found.estimate,
        statistic=found.statistic,
        p=found.p,
        low=found.low,
        high=found.high,
    )
    dropped = f", {found.zeros} without a difference dropped" if found.zeros else ""
    kind = "exact" if found.exact else "normal approximation"
    return test, [f"{kind} over {found.used} folds{dropped}", HODGES_LEHMANN]
