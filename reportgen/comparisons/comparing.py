"""All comparisons of a report: tested pair by pair, and settled together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.declared import declared_measures
from reportgen.comparisons.pairwise.block import Draws
from reportgen.comparisons.pairwise.mcnemar_ranges import mcnemar_ranges
from reportgen.comparisons.pairwise.named_tests import named_tests
from reportgen.comparisons.pairwise.rows import rows_of
from reportgen.comparisons.pairwise.score_tests import score_tests
from reportgen.comparisons.pairwise.testing import (
    Compared,
    measures_to_test,
    pair_block,
    pairs_to_compare,
)
from reportgen.comparisons.settling import Tested, settle, tested_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.measures import Measure
    from reportgen.predictions import Predictions
    from reportgen.scores import Score
    from reportgen.spec import Spec


def compare(
    spec: Spec,
    predictions: Predictions,
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    shown: Sequence[Measure],
    over_folds: Sequence[Difference],
) -> tuple[Difference, ...]:
    """Test every pair in every measure and settle the differences, fold tests among them."""
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    pairs = pairs_to_compare(names, spec.comparison.baseline)
    level = spec.intervals.level
    asked = tuple(dict.fromkeys([*shown, *declared_measures(spec.comparison)]))
    wanted = {measure.name for measure in asked}
    by_scores = [row for row in score_tests(predictions, pairs, level) if row.measure in wanted]
    once = predictions.distinct_cases or predictions.case_count
    tested = [
        *count_tests(spec, predictions, scores, asked, pairs),
        *(tested_apart(rows, once) for rows in _by_pair(by_scores)),
        *(tested_apart(rows, None) for rows in _by_pair(over_folds)),
    ]
    beside = [
        *_named(spec, predictions, pairs),
        *(row for row in by_scores if row.p is None),
        *(row for row in over_folds if not row.is_tested),
    ]
    return settle(tested, beside, spec.comparison, level)


def _by_pair(rows: Sequence[Difference]) -> Iterator[list[Difference]]:
    """Gather the decisive tests of each pair that came to a p-value."""
    decisive = [row for row in rows if row.is_tested]
    for pair in dict.fromkeys((row.first, row.second) for row in decisive):
        yield [row for row in decisive if (row.first, row.second) == pair]


def count_tests(
    spec: Spec,
    predictions: Predictions,
    scores: Mapping[tuple[str, str | None, str | None, str], Score],
    asked: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
) -> Iterator[Tested]:
    """Test every pair in the measures of counts, not yet settled."""
    if predictions.confusion is None:
        return
    # Counts are tested together in one block, scores in another.
    blocks = len(pairs) * (2 if predictions.ranking or predictions.probability else 1)
    compared = Compared(
        scores=scores,
        confusion=predictions.confusion,
        pairs=predictions.pairs,
        positive=spec.task.positive,
        measures=measures_to_test(asked),
        draws=Draws.fine_enough(spec.intervals.seed, blocks, spec.comparison.alpha),
        weights={item.name: predictions.weight_of(item.name) for item in spec.classifiers},
    )
    for pair in pairs:
        block = pair_block(compared, pair)
        if block is not None:
            p_values = block.p_values(spec.comparison.p_values)
            yield Tested(
                tuple(rows_of(compared, block, p_values, spec.intervals.level)),
                tuple(float(p) for p in p_values.adjusted),
                block.cases,
                p_values.critical,
            )


def _named(
    spec: Spec, predictions: Predictions, pairs: Sequence[tuple[str, str]]
) -> Iterator[Difference]:
    """Return the tests people know by name, beside the decisive ones."""
    positive, level = spec.task.positive, spec.intervals.level
    if predictions.confusion is None:
        return
    classes = predictions.classes if positive is None else (None,)
    joined = predictions.pairs
    apart = [pair for pair in pairs if joined is None or not joined.has(*pair)]
    if joined is not None:
        yield from named_tests(joined, pairs, classes, positive, level)
    yield from mcnemar_ranges(predictions.confusion, apart, classes, positive)
