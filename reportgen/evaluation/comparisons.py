"""All comparisons of a report: tested pair by pair, adjusted together."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from reportgen.evaluation.multiple_testing import (
    PermutationPlan,
    TestedFamily,
    adjust_and_decide,
    holm_family,
)
from reportgen.evaluation.named_tests import (
    bound_mcnemar_p_values,
    run_auc_and_loss_tests,
    run_classical_tests,
)
from reportgen.evaluation.pairwise_tests import (
    ComparisonInputs,
    build_family_comparisons,
    build_pair_family,
    pairs_to_compare,
    select_testable_measures,
)
from reportgen.measures import find_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.spec import ComparisonSettings, Spec


def prespecified_measures(settings: ComparisonSettings) -> tuple[Measure, ...]:
    """Return the prespecified measures of a comparison, which are tested whether shown or not."""
    measures = (find_measure(name) for name in (settings.primary or "", *(settings.margin or {})))
    return tuple(measure for measure in measures if measure is not None)


def primary_measure_warnings(
    settings: ComparisonSettings, comparisons: Sequence[Comparison]
) -> tuple[str, ...]:
    """Return a warning if the primary measure could not be tested."""
    primary = find_measure(settings.primary) if settings.primary else None
    tested = [row for row in comparisons if row.is_tested]
    if primary is None or settings.correction == "none" or not tested:
        return ()
    if any(row.measure == primary.name for row in tested):
        return ()
    message = (
        f"`{primary.name}`, declared to be tested first, could be tested for no pair of"
        " classifiers; the others are tested without it"
    )
    return (message,)


def dataset_primary_warnings(
    spec: Spec, dataset_comparisons: Sequence[DatasetComparison]
) -> tuple[str, ...]:
    """Return a warning if the primary measure could not be compared over data sets."""
    primary = spec.comparison.primary
    declared = find_measure(primary) if primary else None
    if (
        declared is None
        or not dataset_comparisons
        or any(each.primary_measure for each in dataset_comparisons)
    ):
        return ()
    message = (
        f"`{declared.name}`, declared to decide, is not known of two classifiers on two data sets,"
        " so no difference over the data sets is claimed in any other measure either"
    )
    return (message,)


def compare_classifiers(
    spec: Spec,
    aggregates: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    reported_measures: Sequence[Measure],
    fold_comparisons: Sequence[Comparison],
) -> tuple[Comparison, ...]:
    """Test every pair on every measure and adjust all comparisons, fold-level tests included."""
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    pairs = pairs_to_compare(names, spec.comparison.baseline)
    level = spec.intervals.level
    measures = tuple(dict.fromkeys([*reported_measures, *prespecified_measures(spec.comparison)]))
    measure_names = {measure.name for measure in measures}
    by_scores = [
        row
        for row in run_auc_and_loss_tests(aggregates, pairs, level)
        if row.measure in measure_names
    ]
    once = aggregates.distinct_cases or aggregates.case_count
    tested = [
        *build_tested_families(spec, aggregates, values, measures, pairs),
        *(holm_family(rows, once) for rows in _group_by_pair(by_scores)),
        *(holm_family(rows, None) for rows in _group_by_pair(fold_comparisons)),
    ]
    secondary_tests = [
        *_secondary_tests(spec, aggregates, pairs),
        *(row for row in by_scores if not row.is_tested),
        *(row for row in fold_comparisons if not row.is_tested),
    ]
    return adjust_and_decide(tested, secondary_tests, spec.comparison, level)


def _group_by_pair(rows: Sequence[Comparison]) -> Iterator[list[Comparison]]:
    """Return the primary tests with a p-value, by pair."""
    primary_tests = [row for row in rows if row.is_tested]
    for pair in dict.fromkeys((row.first, row.second) for row in primary_tests):
        yield [row for row in primary_tests if (row.first, row.second) == pair]


def build_tested_families(
    spec: Spec,
    aggregates: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    measures: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
) -> Iterator[TestedFamily]:
    """Test every pair on the measures of counts, without adjustment over the families."""
    if aggregates.confusion is None:
        return
    # Counts are tested together in one block, scores in another.
    blocks = len(pairs) * (2 if aggregates.ranking or aggregates.probability_losses else 1)
    inputs = [
        ComparisonInputs(
            values=values,
            confusion=counted.confusion,
            pairs=counted.pairs,
            positive=spec.task.positive,
            measures=select_testable_measures(measures, threshold),
            permutation_plan=PermutationPlan.with_resolution_for(
                spec.intervals.seed,
                blocks + len(pairs) * len(aggregates.at_thresholds),
                spec.comparison.alpha,
            ),
            weights={item.name: aggregates.case_weight(item.name) for item in spec.classifiers},
        )
        for threshold, counted in [(None, aggregates), *aggregates.at_thresholds.items()]
        if counted.confusion is not None
    ]
    for compared, pair in product(inputs, pairs):
        block = build_pair_family(compared, pair)
        if block is not None:
            p_values = block.p_values(spec.comparison.p_values)
            yield TestedFamily(
                tuple(build_family_comparisons(compared, block, p_values, spec.intervals.level)),
                tuple(float(p) for p in p_values.adjusted),
                block.cases,
                p_values.critical_value,
            )


def _secondary_tests(
    spec: Spec, aggregates: Aggregates, pairs: Sequence[tuple[str, str]]
) -> Iterator[Comparison]:
    """Return the classical tests, reported next to the primary ones."""
    positive, level = spec.task.positive, spec.intervals.level
    if aggregates.confusion is None:
        return
    classes = aggregates.classes if positive is None else (None,)
    joined = aggregates.pairs
    apart = [pair for pair in pairs if joined is None or not joined.has_pair(*pair)]
    if joined is not None:
        yield from run_classical_tests(joined, pairs, classes, positive, level)
    yield from bound_mcnemar_p_values(aggregates.confusion, apart, classes, positive)


MAX_SIZE_EXAMPLES = 3


def comparability_warnings(
    confusion: ConfusionCounts | None, classifiers: Sequence[str]
) -> tuple[str, ...]:
    """Return a warning if class sizes differ, so that a difference may be due to the cases."""
    if confusion is None or len(classifiers) == 1:
        return ()
    sizes: dict[tuple[int, ...], list[str]] = {}
    for name in classifiers:
        sizes.setdefault(tuple(map(sum, confusion.matrix(name))), []).append(name)
    if len(sizes) <= 1:
        return ()
    examples = "; ".join(
        f"`{names[0]}` has {' + '.join(map(str, size))}"
        for size, names in list(sizes.items())[:MAX_SIZE_EXAMPLES]
    )
    return (
        (
            "the classifiers were not measured on the same cases: their numbers of true cases per"
            f" class differ ({examples}), so differences between them may come from the cases;"
            " where the classes are not equally common, only measures that do not depend on that"
            " were compared"
        ),
    )
