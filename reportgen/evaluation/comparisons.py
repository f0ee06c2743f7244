"""All comparisons of a report: tested pair by pair, adjusted together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.evaluation.design_effects import find_design_effects
from reportgen.evaluation.joint_distribution import CountCovariances, joint_normal_of_pairs
from reportgen.evaluation.multiple_testing import (
    PermutationPlan,
    RatesCompared,
    TestedBlock,
    adjust_and_decide,
)
from reportgen.evaluation.named_tests import (
    bound_mcnemar_p_values,
    run_classical_tests,
    run_cluster_chi_square_tests,
)
from reportgen.evaluation.pairwise_tests import (
    ComparisonInputs,
    build_comparisons,
    correlate_values,
    pairs_to_compare,
    run_all_pair_tests,
    select_testable_measures,
)
from reportgen.evaluation.score_tests import difference_variances, run_score_tests
from reportgen.measures import parse_measure
from reportgen.measures.invariance import has_straight_contours, is_function_of_rates
from reportgen.measures.registry import question_of
from reportgen.spec import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison, HypothesisFamily
    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.multiple_testing import Hypothesis
    from reportgen.evaluation.primary_measure import PrimaryMeasure
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.spec import ComparisonSettings, Spec


def prespecified_measures(spec: Spec) -> tuple[Measure, ...]:
    """Return the measures that are tested whether shown or not.

    They are the primary measure, those with a margin, and those that [decision] decides by.
    """
    settings, decision = spec.comparison, declared_decision(spec)
    names = [settings.primary or "", *(settings.margin or {}), *decision.requirements]
    if decision.cost is not None:
        names.append("expected_cost")
    measures_and_averages = (parse_measure(name) for name in names)
    return tuple(measure for measure, _ in filter(None, measures_and_averages))


def primary_measure_warnings(
    settings: ComparisonSettings,
    primary: PrimaryMeasure | None,
    comparisons: Sequence[Comparison],
) -> tuple[str, ...]:
    """Return a warning if the declared primary measure could not be tested."""
    tested = [row for row in comparisons if row.is_tested]
    if settings.primary is None or primary is None or not tested:
        return ()
    if any(row.family == "headline" for row in tested):
        return ()
    message = (
        f"`{primary.name}`, the primary measure, could be tested for no pair of classifiers; the"
        " other measures are tested without it"
    )
    return (message,)


def dataset_primary_warnings(
    spec: Spec, dataset_comparisons: Sequence[DatasetComparison]
) -> tuple[str, ...]:
    """Return a warning if the primary measure could not be compared over data sets."""
    measure_and_average = parse_measure(spec.comparison.primary or "")
    primary = None if measure_and_average is None else measure_and_average[0]
    if (
        primary is None
        or not dataset_comparisons
        or any(comparison.primary_measure for comparison in dataset_comparisons)
    ):
        return ()
    message = (
        f"`{primary.name}`, declared to decide, is not known of two classifiers on two data sets,"
        " so no difference over the data sets is claimed in any other measure either"
    )
    return (message,)


@dataclass(frozen=True, slots=True)
class _CountComparison:
    """A comparison on a measure of counts, its hypothesis and its number of cases."""

    comparison: Comparison
    hypothesis: Hypothesis
    cases: int


def compare_classifiers(  # noqa: PLR0913, PLR0917  # all that is known about the classifiers
    spec: Spec,
    aggregates: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    reported_measures: Sequence[Measure],
    fold_comparisons: Sequence[Comparison],
    primary: PrimaryMeasure | None,
    segment_blocks: Sequence[TestedBlock] = (),
) -> tuple[Comparison, ...]:
    """Test every pair on every measure and adjust all comparisons.

    Tests over folds and in segments are adjusted with the others.
    """
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    pairs = pairs_to_compare(names, spec.comparison.baseline)
    level = spec.intervals.level
    measures = tuple(dict.fromkeys([*reported_measures, *prespecified_measures(spec)]))
    measure_names = {measure.name for measure in measures}
    score_rows = [
        row
        for row in run_score_tests(aggregates, values, pairs, level)
        if row.measure in measure_names
    ]
    blocks = [
        *build_count_blocks(spec, aggregates, values, measures, primary),
        *build_score_blocks(aggregates, score_rows, primary),
    ]
    has_headline = any(
        block.family == "headline"
        and all(row.segment is None and not row.at_decision for row in block.comparisons)
        for block in (*blocks, *segment_blocks)
    )
    blocks += _fold_blocks(fold_comparisons, primary, has_headline=has_headline)
    blocks += segment_blocks
    secondary_tests = [
        *_secondary_tests(spec, aggregates, pairs),
        *(
            _with_family(row, primary) if row.primary_test else row
            for row in score_rows
            if not row.is_tested
        ),
        *(row for row in fold_comparisons if not row.is_tested),
    ]
    return adjust_and_decide(blocks, secondary_tests, spec.comparison, level, spec.intervals.seed)


def _with_family(row: Comparison, primary: PrimaryMeasure | None) -> Comparison:
    default: HypothesisFamily = "overall" if row.class_ is None else "details"
    return replace(row, family=default if primary is None else primary.family(row))


def build_count_blocks(
    spec: Spec,
    aggregates: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    measures: Sequence[Measure],
    primary: PrimaryMeasure | None,
) -> Iterator[TestedBlock]:
    """Test every pair on the measures of counts; a block per family, and per class in the details.

    The correlation between classes is weak and is not used.
    """
    if aggregates.confusion is None:
        return
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    groups: dict[tuple[HypothesisFamily, str | None, float | None], list[_CountComparison]] = {}
    covariances: dict[float | None, CountCovariances] = {}
    for threshold, threshold_aggregates in [(None, aggregates), *aggregates.at_thresholds.items()]:
        if threshold_aggregates.confusion is None:
            continue
        inputs = _comparison_inputs(
            spec, aggregates, threshold_aggregates, values, measures, primary, threshold
        )
        covariances[threshold] = CountCovariances(inputs)
        pairs = pairs_to_compare(names, spec.comparison.baseline)
        correlations = correlate_values(inputs, pairs)
        for tests in run_all_pair_tests(inputs, pairs):
            rows = build_comparisons(inputs, tests, spec.intervals.level, correlations)
            for row, hypothesis in zip(rows, tests.hypotheses, strict=True):
                in_family = _with_family(row, primary)
                key = in_family.family or "overall", row.class_, threshold
                groups.setdefault(key, []).append(
                    _CountComparison(in_family, hypothesis, tests.cases)
                )
    for (_, _, threshold), group in groups.items():
        yield from _joint_blocks(covariances[threshold], group, threshold)


def joint_blocks(
    covariances: CountCovariances,
    tested: Sequence[tuple[Comparison, Hypothesis, int]],
    primary: PrimaryMeasure | None,
) -> Iterator[TestedBlock]:
    """Return blocks of comparisons with their hypotheses and numbers of cases, one per family."""
    by_family: dict[HypothesisFamily, list[_CountComparison]] = {}
    for row, hypothesis, cases in tested:
        in_family = _with_family(row, primary)
        family = in_family.family or "overall"
        by_family.setdefault(family, []).append(_CountComparison(in_family, hypothesis, cases))
    for group in by_family.values():
        yield from _joint_blocks(covariances, group)


def build_decision_blocks(
    spec: Spec,
    counted: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    measure: Measure,
) -> Iterator[TestedBlock]:
    """Test every pair at the thresholds by the declared costs or requirement, for the headline.

    The thresholds are treated as fixed: at the optimum, the variation of a threshold changes the
    value by its square only.
    """
    if counted.confusion is None:
        return
    inputs = replace(
        _comparison_inputs(spec, counted, counted, values, (measure,), None, None),
        measures=(measure,),
        averaged_measures=(),
    )
    names = [item.name for item in spec.classifiers if item.fold_scores is None]
    group: list[_CountComparison] = []
    for tests in run_all_pair_tests(inputs, pairs_to_compare(names, spec.comparison.baseline)):
        rows = build_comparisons(inputs, tests, spec.intervals.level)
        group += [
            _CountComparison(
                replace(row, family="headline", at_decision=True), hypothesis, tests.cases
            )
            for row, hypothesis in zip(rows, tests.hypotheses, strict=True)
        ]
    if group:
        yield from _joint_blocks(CountCovariances(inputs), group, "decision")


def _comparison_inputs(  # noqa: PLR0913, PLR0917  # all that the tests of counts depend on
    spec: Spec,
    aggregates: Aggregates,
    counted: Aggregates,
    values: Mapping[tuple[str, str | None, str | None, str], MeasureValue],
    measures: Sequence[Measure],
    primary: PrimaryMeasure | None,
    threshold: float | None,
) -> ComparisonInputs:
    """Return the counts to compare: as predicted, or at a threshold of the probabilities."""
    if counted.confusion is None:
        raise LookupError("nothing was counted")
    pairs = pairs_to_compare([item.name for item in spec.classifiers], spec.comparison.baseline)
    return ComparisonInputs(
        values=values,
        confusion=counted.confusion,
        pairs=counted.pairs,
        positive=spec.task.positive,
        measures=select_testable_measures(
            measures, threshold, with_capabilities=shows_capabilities(spec)
        ),
        averaged_measures=select_testable_measures(
            [measure for measure in measures if measure.has_class_averages],
            threshold,
            with_capabilities=False,
        ),
        # Micro averages are functions of accuracy, which is tested.
        averages=("macro", "weighted", "micro")
        if primary is not None and primary.average == "micro"
        else ("macro", "weighted"),
        permutation_plan=PermutationPlan(spec.intervals.seed, spec.comparison.p_values, len(pairs)),
        weights={item.name: aggregates.case_weight(item.name) for item in spec.classifiers},
        effects=find_design_effects(aggregates, spec.intervals.level),
    )


def _joint_blocks(
    covariances: CountCovariances,
    group: Sequence[_CountComparison],
    operating_point: float | str | None = None,
) -> Iterator[TestedBlock]:
    """Return one block with the joint distribution, or one per measure if there are too many."""
    joint = covariances.joint_normal(
        [((row.comparison.first, row.comparison.second), row.hypothesis) for row in group]
    )
    questions = {(row.comparison.measure, row.comparison.average) for row in group}
    if joint is None and len(questions) > 1:
        for measure, average in sorted(questions, key=str):
            yield from _joint_blocks(
                covariances,
                [
                    row
                    for row in group
                    if (row.comparison.measure, row.comparison.average) == (measure, average)
                ],
                operating_point,
            )
        return
    # Once for each measure, not for each pair.
    measures = {row.hypothesis.measure.name: row.hypothesis.measure for row in group}
    has_straight = {
        name: has_straight_contours(measure.formula)
        for name, measure in measures.items()
        if is_function_of_rates(measure)
    }
    yield TestedBlock(
        tuple(row.comparison for row in group),
        tuple(row.cases for row in group),
        joint,
        tuple(_rates_compared(row, operating_point, has_straight) for row in group),
    )


def _rates_compared(
    row: _CountComparison, operating_point: float | str | None, has_straight: Mapping[str, bool]
) -> RatesCompared | None:
    """Return the rates that a comparison is a function of; None for averages and all classes.

    `has_straight` has the measures that are functions of rates, and whether their contours are
    straight lines.
    """
    measure, class_ = row.hypothesis.measure.name, row.hypothesis.class_
    if class_ is None or row.hypothesis.average or measure not in has_straight:
        return None
    return RatesCompared(
        row.comparison.first,
        row.comparison.second,
        class_,
        operating_point,
        has_straight[measure],
    )


def build_score_blocks(
    aggregates: Aggregates, rows: Sequence[Comparison], primary: PrimaryMeasure | None
) -> Iterator[TestedBlock]:
    """Return a block per question, with the joint distribution over the pairs.

    Measures that always rank classifiers alike, such as RMSE and R², are one question.
    """
    cases = aggregates.score_case_count or aggregates.distinct_cases or aggregates.case_count
    groups: dict[tuple[str, str | None, str | None], list[Comparison]] = {}
    for row in rows:
        if row.is_tested:
            measure, average = question_of(row.measure, row.average)
            key = measure, row.class_, average
            groups.setdefault(key, []).append(_with_family(row, primary))
    for key, group in groups.items():
        pairs = [(row.first, row.second) for row in group]
        joint = joint_normal_of_pairs(pairs, difference_variances(aggregates, pairs, *key))
        yield TestedBlock(tuple(group), (cases,) * len(group), joint)


def _fold_blocks(
    rows: Sequence[Comparison], primary: PrimaryMeasure | None, *, has_headline: bool
) -> Iterator[TestedBlock]:
    """Return the tests over folds; they are the headline only if no test of the cases is."""
    by_family: dict[HypothesisFamily, list[Comparison]] = {}
    for row in rows:
        if row.is_tested:
            in_family = _with_family(row, primary)
            if has_headline and in_family.family == "headline":
                in_family = replace(in_family, family="overall")
            by_family.setdefault(in_family.family or "overall", []).append(in_family)
    for group in by_family.values():
        yield TestedBlock(tuple(group), (None,) * len(group))


CAPABILITY_SECTIONS = frozenset({"capabilities", "verdicts", "summary", "likelihood_relations"})


def shows_capabilities(spec: Spec) -> bool:
    """Return whether a report has sections whose ratings need tests of their own."""
    section_kinds = {section.kind for section in spec.sections if section.kind != "text"}
    return not section_kinds or not section_kinds.isdisjoint(CAPABILITY_SECTIONS)


def _secondary_tests(
    spec: Spec, aggregates: Aggregates, pairs: Sequence[tuple[str, str]]
) -> Iterator[Comparison]:
    """Return the classical tests, reported next to the primary ones."""
    positive, level = spec.task.positive, spec.intervals.level
    if aggregates.confusion is None:
        return
    classes = aggregates.named_classes if positive is None else (None,)
    joined = aggregates.pairs
    unpaired = [pair for pair in pairs if joined is None or not joined.has_pair(*pair)]
    if joined is not None:
        yield from run_classical_tests(joined, pairs, classes, positive, level)
    if aggregates.label_design is not None:
        yield from run_cluster_chi_square_tests(aggregates.label_design, pairs)
    yield from bound_mcnemar_p_values(aggregates.confusion, unpaired, classes, positive)


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
        f"`{names[0]}` has {' + '.join(f'{count:.10g}' for count in size)}"
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
