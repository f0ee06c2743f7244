"""Capability tables (Sokolova et al. 2006, tables 4 and 6)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, assert_never

from reportgen.evaluation.comparison import Decision, format_rank
from reportgen.evaluation.likelihood_relations import (
    orient_likelihood_ratios,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.rank_sets import rank_limits
from reportgen.evaluation.significance import ComparisonIndex, Contrast, is_significant
from reportgen.measures import (
    CAPABILITIES,
    Capability,
    Orientation,
    SingleMeasureRating,
    ThresholdRating,
    TwoSidedRating,
    get_measure,
)
from reportgen.measures.ordering import competition_ranks, is_better, is_close

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from reportgen.evaluation.comparison import AdjustedTest, Comparison
    from reportgen.evaluation.likelihood_relations import LikelihoodRelation
    from reportgen.evaluation.values import MeasureValue, ValueKey


ALL_CLASSES_AVERAGE, OVERALL_MEASURE = "macro", "accuracy"
UNDEFINED_RATING = "undefined"
NOT_COMPARED = "not compared"
TIED_RATING = "tied"


@dataclass(frozen=True, slots=True)
class SideRating:
    """The rating on one side of a two-sided capability: the positive or the negative class.

    The rank set [rank_low, rank_high] has the ranks that the tests do not exclude.
    """

    measure: str
    value: float
    verdict: str
    rank: int
    of: int
    rank_low: int | None
    rank_high: int | None
    significant: bool | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class CapabilityRating:
    """The rating of a capability by the observed values, and the measures it rests on.

    `significant`: whether the tests confirm it (None: nothing to confirm, or no test). The rank
    set [rank_low, rank_high] has the ranks that the tests do not exclude; a capability of two
    measures has one for each side. Grades of discriminant power have the lowest and the highest
    grade that the confidence interval covers.
    """

    verdict: str
    rank: int | None
    of: int
    measures: tuple[str, ...] = ()
    significant: bool | None = None
    p_adjusted: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    positive: SideRating | None = None
    negative: SideRating | None = None
    grade_low: str | None = None
    grade_high: str | None = None


# The rating of the only classifier with a value.
SINGLE_CLASSIFIER_RATING = CapabilityRating(NOT_COMPARED, 1, 1)
RATED_MEASURES = dict.fromkeys(
    name for capability in CAPABILITIES.values() for name in capability.measures
)


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """The ratings of one classifier for one class (None: the positive class, or all classes).

    `average`: the average over the classes that rates all classes together; `accuracy_average`:
    that of accuracy, which has a value of its own unless the task is multilabel.
    """

    classifier: str
    class_: str | None
    cells: Mapping[str, CapabilityRating]
    average: str | None = None
    accuracy_average: str | None = None

    def average_of(self, measure: str) -> str | None:
        """Return the average of a measure that rates this row; None: its own value."""
        return None if self.average is None else rating_average(measure, self.accuracy_average)


def capability_rows(
    measure_values: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
    classes: Sequence[str | None],
) -> tuple[CapabilityRow, ...]:
    """Rate every classifier for every class on every capability."""
    rows = []
    for class_ in classes:
        values = {
            name: _defined_values(measure_values, classifiers, class_, name)
            for name in RATED_MEASURES
        }
        ratings = {
            name: _rate(capability, values, classifiers)
            for name, capability in CAPABILITIES.items()
        }
        rows += [
            CapabilityRow(
                classifier, class_, {name: cells[classifier] for name, cells in ratings.items()}
            )
            for classifier in classifiers
        ]
    return tuple(rows)


def _defined_values(
    values: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
    class_: str | None,
    measure: str,
) -> dict[str, float]:
    """Return the defined values by classifier."""
    return {
        classifier: number
        for classifier in classifiers
        if (number := values[classifier, class_, None, measure].number) is not None
    }


def _rate(
    capability: Capability, values: Mapping[str, dict[str, float]], classifiers: Sequence[str]
) -> dict[str, CapabilityRating]:
    match capability.rating_rule:
        case SingleMeasureRating(measure):
            ratings = _rate_by_one_measure(measure, values[measure])
        case TwoSidedRating() as sides:
            ratings = _rate_by_two_measures(sides, values)
        case ThresholdRating(measure=measure) as scale:
            values_of_measure = values[measure]
            ranks = competition_ranks(values_of_measure, get_measure(measure).orientation)
            ratings = {
                name: CapabilityRating(
                    grade(scale, value), ranks[name], len(values_of_measure), (measure,)
                )
                for name, value in values_of_measure.items()
            }
        case _:
            assert_never(capability.rating_rule)
    if len(ratings) < len(classifiers):
        undefined = CapabilityRating(UNDEFINED_RATING, None, len(ratings))
        return {name: ratings.get(name, undefined) for name in classifiers}
    return ratings


def grade(rule: ThresholdRating, value: float) -> str:
    """Return the grade of a value on the scale."""
    return next((word for limit, word in rule.grades if value < limit), rule.highest_grade)


def _rate_by_one_measure(measure: str, values: Mapping[str, float]) -> dict[str, CapabilityRating]:
    if len(values) == 1:
        return dict.fromkeys(values, SINGLE_CLASSIFIER_RATING)
    ranks, of = competition_ranks(values, get_measure(measure).orientation), len(values)
    words = {"best": "superior", "worst": "inferior"}
    return {
        name: CapabilityRating(
            words.get(standing, standing),
            ranks[name],
            of,
            () if standing == TIED_RATING else (measure,),
        )
        for name, standing in _rank_labels(ranks).items()
    }


def _rate_by_two_measures(
    rule: TwoSidedRating, values: Mapping[str, dict[str, float]]
) -> dict[str, CapabilityRating]:
    on_positive, on_negative = values[rule.positive], values[rule.negative]
    ratio_pairs = {
        name: (on_positive[name], on_negative[name]) for name in on_positive if name in on_negative
    }
    if len(ratio_pairs) == 1:
        return dict.fromkeys(ratio_pairs, SINGLE_CLASSIFIER_RATING)
    if rule.swaps_ratios_below_one:
        ratio_pairs = {
            name: orient_likelihood_ratios(*pair).pair for name, pair in ratio_pairs.items()
        }
    orientations = (
        get_measure(rule.positive).orientation,
        get_measure(rule.negative).orientation,
    )
    first, second = (
        _rank_labels(
            competition_ranks(
                {name: pair[side] for name, pair in ratio_pairs.items()}, orientations[side]
            )
        )
        for side in (0, 1)
    )
    of = len(ratio_pairs)
    return {
        name: CapabilityRating(
            _combine_ratings(rule, first[name], second[name], of),
            1 + sum(_dominates(other, pair, orientations) for other in ratio_pairs.values()),
            of,
            _rating_measures(rule, first[name], second[name]),
        )
        for name, pair in ratio_pairs.items()
    }


def _rating_measures(
    rule: TwoSidedRating, positive_rank: str, negative_rank: str
) -> tuple[str, ...]:
    """Return the measures of the sides that the rating refers to."""
    if positive_rank == negative_rank:
        return () if positive_rank == TIED_RATING else (rule.positive, rule.negative)
    if positive_rank == "best" or (positive_rank, negative_rank) == ("worst", TIED_RATING):
        return (rule.positive,)
    if negative_rank == "best" or (positive_rank, negative_rank) == (TIED_RATING, "worst"):
        return (rule.negative,)
    return (rule.positive, rule.negative)


def _dominates(
    first: tuple[float, float],
    second: tuple[float, float],
    orientations: tuple[Orientation, Orientation],
) -> bool:
    """Return whether the first is better on one side and no worse on the other."""
    sides = list(zip(first, second, orientations, strict=True))
    better = [is_better(left, right, orientation) for left, right, orientation in sides]
    no_worse = [
        is_better(left, right, orientation) or is_close(left, right)
        for left, right, orientation in sides
    ]
    return any(better) and all(no_worse)


def _combine_ratings(rule: TwoSidedRating, positive_rank: str, negative_rank: str, of: int) -> str:
    """Combine the ranks on the positive and the negative side into one rating."""
    if positive_rank == negative_rank:
        return {
            "best": f"superior {rule.both_classes_suffix}",
            "worst": f"inferior {rule.both_classes_suffix}",
            TIED_RATING: TIED_RATING,
        }.get(positive_rank, f"{positive_rank} {rule.both_classes_suffix}")
    if positive_rank == "best":
        return f"superior {rule.positive_class_suffix}"
    if negative_rank == "best":
        return f"superior {rule.negative_class_suffix}"
    if {positive_rank, negative_rank} == {"worst", TIED_RATING}:
        is_positive = positive_rank == "worst"
        suffix = rule.positive_class_suffix if is_positive else rule.negative_class_suffix
        return f"inferior {suffix}"
    return (
        f"{_short_rank_label(positive_rank, of)} {rule.positive_class_suffix},"
        f" {_short_rank_label(negative_rank, of)} {rule.negative_class_suffix}"
    )


def _rank_labels(ranks: Mapping[str, int]) -> dict[str, str]:
    """Return best, worst, tied, or the rank in words."""
    of, sharing = len(ranks), Counter(ranks.values())
    words = {1: "best", of: "worst"}
    return {
        name: TIED_RATING if sharing[rank] > 1 else words.get(rank, format_rank(rank, of))
        for name, rank in ranks.items()
    }


def _short_rank_label(rank_label: str, of: int) -> str:
    """Return the rank on one of two sides, without `of three`, which would stand twice."""
    place = format_rank(of, of) if rank_label == "worst" else rank_label
    return place.split(" of ")[0]


def rate_all_classes(
    values: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
    comparisons: Iterable[Comparison],
    accuracy_average: str | None = None,
) -> tuple[CapabilityRow, ...]:
    """Rate every classifier over all classes of a multiclass task, as for a single class.

    Overall effectiveness is rated by accuracy, or by an average of it over the labels of a
    multilabel task, all others by macro averages.
    """

    def average(measure: str) -> str | None:
        return rating_average(measure, accuracy_average)

    over_classes: dict[ValueKey, MeasureValue] = {
        (name, None, None, measure): values[name, None, average(measure), measure]
        for name in classifiers
        for measure in RATED_MEASURES
    }
    rows = add_capability_significance(
        capability_rows(over_classes, classifiers, (None,)),
        over_classes,
        relate_by_likelihood_ratios(over_classes, classifiers, (None,)),
        ComparisonIndex.over_all_classes(comparisons, average),
    )
    return tuple(
        replace(row, average=ALL_CLASSES_AVERAGE, accuracy_average=accuracy_average) for row in rows
    )


def rating_average(measure: str, accuracy_average: str | None) -> str | None:
    """Return the average of a measure that rates all classes together; None: its own value."""
    return accuracy_average if measure == OVERALL_MEASURE else ALL_CLASSES_AVERAGE


def order_classes_hardest_first(
    values: Mapping[ValueKey, MeasureValue],
    classifiers: Sequence[str],
    classes: Sequence[str],
) -> tuple[str, ...]:
    """Return classes in order of the mean sensitivity over the classifiers, the lowest first."""

    def mean_sensitivity(class_: str) -> float:
        numbers = _defined_values(values, classifiers, class_, "sensitivity").values()
        # Classes without a case come last.
        return sum(numbers) / len(numbers) if numbers else math.inf

    return tuple(sorted(classes, key=mean_sensitivity))


def add_capability_significance(
    rows: Sequence[CapabilityRow],
    values: Mapping[ValueKey, MeasureValue],
    relations: Sequence[LikelihoodRelation],
    comparison_index: ComparisonIndex,
) -> tuple[CapabilityRow, ...]:
    """Add to every rating whether the tests confirm it."""
    swapped = {
        (name, relation.class_) for relation in relations for name in relation.swapped_classifiers
    }
    classifiers_by_class: dict[str | None, list[str]] = {}
    for row in rows:
        classifiers_by_class.setdefault(row.class_, []).append(row.classifier)
    return tuple(
        replace(
            row,
            cells={
                name: _add_significance_to_rating(
                    CAPABILITIES[name],
                    cell,
                    _RatedClassifier(
                        row.classifier,
                        row.class_,
                        tuple(classifiers_by_class[row.class_]),
                        values,
                        comparison_index,
                        swapped,
                    ),
                )
                for name, cell in row.cells.items()
            },
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class _RatedClassifier:
    """A classifier in one class, with the values and comparisons that rate it."""

    classifier: str
    class_: str | None
    classifiers: tuple[str, ...]
    values: Mapping[ValueKey, MeasureValue]
    comparison_index: ComparisonIndex
    swapped: AbstractSet[tuple[str, str | None]]

    def value(self, classifier: str, measure: str) -> float | None:
        """Return the number of a classifier in this class; None if undefined."""
        return self.values[classifier, self.class_, None, measure].number

    def others_with_values(self, measures: Sequence[str]) -> list[str]:
        """Return the other classifiers that have a value of every measure."""
        return [
            other
            for other in self.classifiers
            if other != self.classifier
            and all(self.value(other, measure) is not None for measure in measures)
        ]

    def is_swapped(self, others: Sequence[str]) -> bool:
        """Return whether any of the likelihood ratios compared were swapped."""
        return any((name, self.class_) in self.swapped for name in (self.classifier, *others))

    def contrasts(self, measure: str, others: Sequence[str], *, tested: bool) -> list[Contrast]:
        """Return the contrasts of this classifier with the others."""
        return [
            Contrast(
                _observed_decision(self.values, (self.classifier, other), self.class_, measure),
                self.find_test(measure, other) if tested else None,
            )
            for other in others
        ]

    def find_test(self, measure: str, other: str) -> AdjustedTest | None:
        """Return the test against another classifier, if there is one."""
        return self.comparison_index.find_test(self.classifier, other, self.class_, measure)

    def rank_limits(
        self, measure: str, others: Sequence[str], *, tested: bool
    ) -> tuple[int | None, int | None]:
        """Return the rank confidence set; none if no comparison was tested."""
        low, high, untested = rank_limits(
            self.classifier,
            others,
            lambda _, other: self.find_test(measure, other) if tested else None,
        )
        return (low, high) if untested < len(others) else (None, None)


def _add_significance_to_rating(
    capability: Capability, rating: CapabilityRating, rated: _RatedClassifier
) -> CapabilityRating:
    """Return a rating with its significance, its rank sets and the ratings of both sides.

    A side is rated even where the other side is undefined.
    """
    rule = capability.rating_rule
    if isinstance(rule, TwoSidedRating):
        rating = replace(
            rating,
            positive=_rate_side(rule, rule.positive, rated),
            negative=_rate_side(rule, rule.negative, rated),
        )
    if rating.verdict == UNDEFINED_RATING:
        return rating
    others = rated.others_with_values(capability.measures)
    match capability.rating_rule:
        case ThresholdRating(measure=measure) as rule:
            low, high = rated.rank_limits(measure, others, tested=True)
            value = rated.values[rated.classifier, rated.class_, None, measure]
            return replace(
                rating,
                significant=_interval_within_grade(rule, value),
                rank_low=low,
                rank_high=high,
                **_grades_of_interval(rule, value),
            )
        case SingleMeasureRating(measure):
            low, high = rated.rank_limits(measure, others, tested=True)
            rating = replace(rating, rank_low=low, rank_high=high)
            tested = True
        case TwoSidedRating() as rule:
            tested = _is_tested(rule, rated, others)
    if not rating.measures:
        return rating
    return _rating_significance(
        rating,
        [
            contrast
            for measure in rating.measures
            for contrast in rated.contrasts(measure, others, tested=tested)
        ],
    )


def _is_tested(rule: TwoSidedRating, rated: _RatedClassifier, others: Sequence[str]) -> bool:
    """Return whether the tests refer to the ratios compared: not to swapped ones."""
    return not (rule.swaps_ratios_below_one and rated.is_swapped(others))


def _rate_side(rule: TwoSidedRating, measure: str, rated: _RatedClassifier) -> SideRating | None:
    """Rate one side of a two-sided capability like a capability of one measure; None: undefined."""
    all_values = {name: _side_value(rule, measure, rated, name) for name in rated.classifiers}
    values = {name: value for name, value in all_values.items() if value is not None}
    if rated.classifier not in values:
        return None
    others = [name for name in values if name != rated.classifier]
    tested = _is_tested(rule, rated, others)
    observed = _rate_by_one_measure(measure, values)[rated.classifier]
    contrasts = rated.contrasts(measure, others, tested=tested) if observed.measures else []
    confirmed = _rating_significance(observed, contrasts)
    low, high = rated.rank_limits(measure, others, tested=tested)
    return SideRating(
        measure=measure,
        value=values[rated.classifier],
        verdict=observed.verdict,
        rank=observed.rank or 1,
        of=observed.of,
        rank_low=low,
        rank_high=high,
        significant=confirmed.significant,
        p_adjusted=confirmed.p_adjusted,
    )


def _side_value(
    rule: TwoSidedRating, measure: str, rated: _RatedClassifier, classifier: str
) -> float | None:
    """Return the value that is ranked: likelihood ratios below 1 are swapped. None: undefined."""
    positive, negative = (
        rated.value(classifier, side_measure) for side_measure in (rule.positive, rule.negative)
    )
    if rule.swaps_ratios_below_one and positive is not None and negative is not None:
        positive, negative = orient_likelihood_ratios(positive, negative).pair
    return positive if measure == rule.positive else negative


class _GradeRange(TypedDict):
    grade_low: str | None
    grade_high: str | None


def _grades_of_interval(rule: ThresholdRating, value: MeasureValue) -> _GradeRange:
    """Return the lowest and the highest grade that a confidence interval covers."""
    if value.number is None or value.method is None:
        return _GradeRange(grade_low=None, grade_high=None)
    low, high = _finite_or_infinite_limits(value)
    return _GradeRange(grade_low=grade(rule, low), grade_high=grade(rule, high))


def _rating_significance(
    rating: CapabilityRating, contrasts: Sequence[Contrast]
) -> CapabilityRating:
    adjusted_p_values = [
        contrast.test.p_adjusted for contrast in contrasts if contrast.test is not None
    ]
    p_values = [p for p in adjusted_p_values if p is not None]
    complete = bool(contrasts) and len(p_values) == len(contrasts)
    return replace(
        rating,
        significant=is_significant(contrasts),
        p_adjusted=max(p_values) if complete else None,
    )


def _interval_within_grade(rule: ThresholdRating, value: MeasureValue) -> bool | None:
    """Return whether the whole confidence interval lies within the grade of the value."""
    if value.number is None or value.method is None:
        return None
    low, high = _finite_or_infinite_limits(value)
    return grade(rule, low) == grade(rule, value.number) == grade(rule, high)


def _finite_or_infinite_limits(value: MeasureValue) -> tuple[float, float]:
    """Return the confidence limits; a missing one is infinite."""
    return (
        float("-inf") if value.low is None else value.low,
        float("inf") if value.high is None else value.high,
    )


def _observed_decision(
    values: Mapping[ValueKey, MeasureValue],
    pair: tuple[str, str],
    class_: str | None,
    name: str,
) -> Decision:
    """Return the decision about the first by the observed values."""
    one, other = (values[side, class_, None, name].number for side in pair)
    if one is None or other is None:
        raise LookupError(name)
    if is_close(one, other):
        return Decision.TIED
    better = is_better(one, other, get_measure(name).orientation)
    return Decision.SUPERIOR if better else Decision.INFERIOR
