"""The wording of findings: one sentence, or a few, for each kind of finding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import Orientation, get_measure
from reportgen.report.findings.collect import (
    DiscriminantPowerFinding,
    GradeErrorFinding,
    LabelSetFinding,
    LowestRecallFinding,
    ReproductionFinding,
)
from reportgen.report.findings.comparisons import (
    LeaderFinding,
    LeaderOutcome,
    LeaderRelation,
    MajorityBaselineFinding,
    MeasureAdvantage,
    NonsignificantPairFinding,
    NoOtherDifferenceFinding,
    OverallLeadFinding,
    PairFinding,
    SuperiorityFinding,
    TieFinding,
    UndefinedValueFinding,
    ValueFinding,
)
from reportgen.report.findings.cross_validation import (
    CorrectionDisagreementFinding,
    FurtherDisagreementsFinding,
)
from reportgen.report.findings.datasets import (
    RANK_DECIMALS,
    DatasetEquivalenceFinding,
    DatasetNonsignificantFinding,
    DatasetSuperiorityFinding,
    MeanRankFinding,
    NoDatasetComparisonFinding,
    OmnibusRankFinding,
    TooFewDatasetsFinding,
)
from reportgen.report.findings.shift import (
    CrossoverFinding,
    DriftFinding,
    MonitoringFinding,
    PrecisionAtTargetFinding,
)
from reportgen.report.formatting import (
    inline_absolute_difference,
    inline_difference,
    inline_margin,
    inline_number,
    inline_percentage,
    inline_required_cases,
    inline_value_with_interval,
    inline_values,
)
from reportgen.report.inline import Count, Inline, Interval, PlainNumber, PValue, Strong
from reportgen.report.phrases.words import (
    NO_DIFFERENCE,
    join_names,
    join_names_abbreviated,
    last_run_label,
    measure_change_phrase,
    measure_phrase,
    monitoring_alarm_phrase,
    recall_change_phrase,
    spell_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.datasets import DatasetPairComparison
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.findings import Finding

_NO_DIFFERENCE = NO_DIFFERENCE.capitalize()
_NOT_EQUALITY = " (not evidence of equality)"
_MAX_WITH_DIFFERENCES, _MAX_MEASURES, _MAX_DRIFT_CLASSIFIERS, _MAX_DRIFT_MEASURES = 2, 2, 3, 1
# A required number of cases beyond this multiple of those at hand is in the table only.
_MAX_CASE_FACTOR = 10
_MAX_NAMED_MEASURES = 4
UNADJUSTED_CIS = " Unadjusted CIs."


@singledispatch
def describe_finding(finding: Finding) -> tuple[Inline, ...]:
    """Return the sentence that states a finding.

    Raises:
        TypeError: If no wording is registered for this kind of finding.
    """
    raise TypeError(f"no wording for {type(finding).__name__}")


# Values and differences of the primary measure.


def _quantity(measure: Measure, *, over_folds: bool) -> str:
    name = measure_phrase(measure)
    return f"mean {name} across folds" if over_folds else name


@describe_finding.register
def _(finding: ValueFinding) -> tuple[Inline, ...]:
    quantity = _quantity(finding.measure, over_folds=finding.over_folds)
    return (
        f"{quantity[0].upper()}{quantity[1:]} of ",
        Strong(finding.classifier),
        ": ",
        *inline_value_with_interval(finding.measure, finding.value, finding.level),
        ".",
    )


@describe_finding.register
def _(finding: TieFinding) -> tuple[Inline, ...]:
    quantity = _quantity(finding.measure, over_folds=finding.over_folds)
    value = inline_values(finding.measure, finding.value)
    return (
        *join_names_abbreviated(finding.classifiers),
        f" have the same {quantity}, ",
        *value,
        ".",
    )


@describe_finding.register
def _(finding: UndefinedValueFinding) -> tuple[Inline, ...]:
    name = measure_phrase(finding.measure)
    return (
        f"{name[0].upper()}{name[1:]} undefined for ",
        *join_names_abbreviated(finding.classifiers),
        f": {finding.reason}; excluded." if finding.reason else "; excluded.",
    )


@describe_finding.register
def _(finding: PairFinding) -> tuple[Inline, ...]:
    quantity = _quantity(finding.measure, over_folds=finding.over_folds)
    pair = (Strong(finding.first), " and ", Strong(finding.second))
    row = finding.comparison
    match finding.decision:
        case None:
            name = f"{quantity[0].upper()}{quantity[1:]}"
            return (f"{name} of ", *pair, *_pair_values(finding, finding.values), " (not tested).")
        case Decision.TIED:
            value = inline_values(finding.measure, finding.values[0]) if finding.values else ()
            return (*pair, f" have the same {quantity}", *((", ", *value) if value else ()), ".")
        case Decision.EQUIVALENT:
            return (
                *pair,
                f" are equivalent in {quantity}",
                *_pair_values(finding, finding.values),
                *_difference_in_parentheses(finding, row, margin=finding.margin),
                ".",
            )
        case Decision.UNDECIDED if finding.one_sided:
            return (
                Strong(finding.first),
                " is not significantly better than ",
                Strong(finding.second),
                f" in {quantity}",
                *_pair_values(finding, finding.values),
                *_difference_in_parentheses(finding, row),
                ".",
            )
        case Decision.UNDECIDED:
            return (
                f"{_NO_DIFFERENCE} in {quantity} between ",
                *pair,
                *_pair_values(finding, finding.values),
                *_difference_in_parentheses(finding, row),
                ".",
                *_non_inferiority_sentences(finding),
                *_sample_size_sentence(finding),
            )
        case _:
            return tuple(_significant_pair(finding, quantity))


def _significant_pair(finding: PairFinding, quantity: str) -> Iterator[Inline]:
    """Yield who is significantly better, the better one first."""
    row, values = finding.comparison, finding.values
    better, worse = finding.first, finding.second
    if finding.decision is Decision.INFERIOR and row is not None:
        better, worse, row = worse, better, row.reversed
        values = None if values is None else (values[1], values[0])
    yield from (Strong(better), " is significantly better than ", Strong(worse), f" in {quantity}")
    yield from (*_pair_values(finding, values), *_difference_in_parentheses(finding, row), ".")


def _pair_values(finding: PairFinding, values: Sequence[MeasureValue] | None) -> tuple[Inline, ...]:
    if not values:
        return ()
    first, second = inline_values(finding.measure, *values)
    return (": ", first, " vs ", second)


def _difference_in_parentheses(
    finding: PairFinding, comparison: Comparison | None, margin: float | None = None
) -> tuple[Inline, ...]:
    """Return the difference with its CI, and p unless it is n.s. and the CI contains 0."""
    if comparison is None:
        return ()
    numbers = inline_difference(finding.measure, comparison.difference, *comparison.reported_limits)
    parts: list[Inline] = ["difference ", *numbers] if numbers else []
    if margin is not None:
        limit = inline_margin(finding.measure, margin)
        parts += ["; margin " if parts else "margin ", limit]
    p_stated = comparison.verdict is not Decision.UNDECIDED or not _contains_zero(comparison)
    if finding.over_folds or p_stated:
        adjusted = "" if comparison.p_adjusted == comparison.p else "adjusted "
        test = f"{adjusted}one-sided " if finding.one_sided else adjusted
        parts += [f"; {test}" if parts else test, PValue(comparison.p_adjusted, with_symbol=True)]
    return (" (", *parts, ")") if parts else ()


def _contains_zero(comparison: Comparison) -> bool:
    low, high = comparison.reported_limits
    if low is None or high is None:
        return False
    return low <= 0 <= high


def _non_inferiority_sentences(finding: PairFinding) -> Iterator[Inline]:
    row = finding.comparison
    if row is None or finding.margin is None:
        return
    for name, other, is_non_inferior in (
        (row.first, row.second, row.non_inferior),
        (row.second, row.first, row.reverse_non_inferior),
    ):
        if is_non_inferior:
            yield from (" ", Strong(name), " is non-inferior to ", Strong(other), " (margin ")
            yield from (inline_margin(finding.measure, finding.margin), ").")


def _sample_size_sentence(finding: PairFinding) -> tuple[Inline, ...]:
    """Return the required number of cases, unless it is out of proportion to those at hand."""
    if finding.comparison is None or finding.comparison.required_cases is None:
        return ()
    required_cases = finding.comparison.required_cases
    if finding.cases is None or required_cases > _MAX_CASE_FACTOR * finding.cases:
        return ()
    required = inline_required_cases(required_cases)
    about = ("about ", required) if isinstance(required, Count) else (required,)
    return (
        " If the observed difference were the true one, detecting it would take ",
        *about,
        " cases (80% power).",
    )


@describe_finding.register
def _(finding: LeaderFinding) -> tuple[Inline, ...]:
    higher = finding.measure.orientation is Orientation.HIGHER
    is_single = len(finding.best) == 1
    if finding.measure.name == "accuracy" and not finding.over_folds and is_single:
        introduction = " is the most accurate: "
    else:
        quantity = _quantity(finding.measure, over_folds=finding.over_folds)
        verb, extreme = "has" if is_single else "share", "highest" if higher else "lowest"
        introduction = f" {verb} the {extreme} {quantity}: "
    relations = [part for relation in finding.relations for part in _relation(finding, relation)]
    return (
        *join_names_abbreviated(finding.best),
        introduction,
        *inline_value_with_interval(finding.measure, finding.value, finding.level),
        *relations,
        ".",
    )


def _relation(finding: LeaderFinding, relation: LeaderRelation) -> Iterator[Inline]:
    """Yield a clause on some of the other classifiers, with its punctuation."""
    higher = finding.measure.orientation is Orientation.HIGHER
    one_sided = finding.one_sided
    yield {
        LeaderOutcome.SUPERIOR: f", significantly {'above' if higher else 'below'} ",
        LeaderOutcome.EQUIVALENT: "; equivalent to ",
        LeaderOutcome.NOT_TESTED: "; not tested against ",
        LeaderOutcome.NOT_SIGNIFICANT: "; not significantly better than "
        if one_sided
        else f"; {NO_DIFFERENCE} from ",
        LeaderOutcome.MIXED: "; only some of them significantly better than ",
        LeaderOutcome.NON_INFERIOR: "; non-inferior to ",
    }[relation.outcome]
    prefixes = {LeaderOutcome.SUPERIOR: "by ", LeaderOutcome.NOT_SIGNIFICANT: "difference "}
    list_differences = len(relation.others) <= _MAX_WITH_DIFFERENCES
    if relation.comparisons and list_differences and relation.outcome in prefixes:
        yield from _names_with_differences(finding.measure, relation, prefixes[relation.outcome])
    elif (
        relation.outcome is LeaderOutcome.SUPERIOR and relation.all_others and not list_differences
    ):
        yield "all others with a value" if finding.has_undefined else "all others"
    else:
        yield from join_names_abbreviated(relation.others)
    margins = (LeaderOutcome.EQUIVALENT, LeaderOutcome.NON_INFERIOR)
    if relation.outcome in margins and finding.margin is not None:
        yield from (" (margin ", inline_margin(finding.measure, finding.margin), ")")


def _names_with_differences(
    measure: Measure, relation: LeaderRelation, prefix: str
) -> Iterator[Inline]:
    for number, test in enumerate(relation.comparisons):
        # The absolute difference, whichever direction is better.
        row = test.reversed if (test.difference or 0.0) < 0 else test
        numbers = inline_absolute_difference(measure, row.difference, *row.reported_limits)
        yield " and " if number else ""
        yield Strong(test.second)
        adjusted: tuple[Inline, ...] = ()
        if test.verdict is Decision.UNDECIDED and test.low is not None and not _contains_zero(test):
            adjusted = ("; adjusted ", PValue(test.p_adjusted, with_symbol=True))
        yield from (" (", prefix, *numbers, *adjusted, ")") if numbers else ()


# Other measures.


@dataclass(frozen=True, slots=True)
class _AdvantagePhrase:
    """What a better value of a measure is called, and what it means for a class if it is stated."""

    comparative: str
    label: str = ""
    meaning: tuple[str, str] | None = None
    """The words before and after the class."""


_ADVANTAGES = {
    "lr_positive": _AdvantagePhrase("higher LR+", meaning=("rules ", " in more reliably")),
    "lr_negative": _AdvantagePhrase("lower LR−", meaning=("rules ", " out more reliably")),
    "npv": _AdvantagePhrase("higher NPV"),
    "roc_auc": _AdvantagePhrase("better discrimination", "AUC "),
    "brier": _AdvantagePhrase("more accurate probabilities", "Brier score "),
}


def _advantage_phrase(measure: Measure) -> _AdvantagePhrase:
    higher = "higher" if measure.orientation is Orientation.HIGHER else "lower"
    return _ADVANTAGES.get(measure.name, _AdvantagePhrase(f"{higher} {measure_phrase(measure)}"))


@describe_finding.register
def _(finding: SuperiorityFinding) -> tuple[Inline, ...]:
    parts: list[Inline] = [Strong(finding.winner), " has significantly "]
    losers: tuple[str, ...] = ()
    for number, advantage in enumerate(finding.advantages):
        changed = advantage.losers != losers
        last = (
            number + 1 == len(finding.advantages)
            or finding.advantages[number + 1].losers != advantage.losers
        )
        if number:
            parts.append("; " if changed else " and " if last else ", ")
        phrase = _advantage_phrase(advantage.measure)
        parts.append(phrase.comparative)
        if changed:
            parts += [" than ", *join_names(advantage.losers)]
        parts += _advantage_values(advantage, phrase, first=not number)
        losers = advantage.losers
    return (*parts, ".")


def _advantage_values(
    advantage: MeasureAdvantage, phrase: _AdvantagePhrase, *, first: bool
) -> tuple[Inline, ...]:
    if not advantage.values:
        return ()
    winner_value, loser_value = inline_values(advantage.measure, *advantage.values)
    runner_up = " for the second best" if first and len(advantage.losers) > 1 else ""
    meaning = _advantage_meaning(advantage, phrase)
    return (" (", phrase.label, winner_value, " vs ", loser_value, runner_up, *meaning, ")")


def _advantage_meaning(advantage: MeasureAdvantage, phrase: _AdvantagePhrase) -> tuple[Inline, ...]:
    """Return what a measure means for the positive class, such as "rules malignant in"."""
    if phrase.meaning is None or advantage.positive is None:
        return ()
    before, after = phrase.meaning
    return (": ", before, Strong(advantage.positive), after)


@describe_finding.register
def _(finding: OverallLeadFinding) -> tuple[Inline, ...]:
    parts: list[Inline] = [Strong(finding.winner), " has significantly "]
    last = len(finding.advantages) - 1
    for number, advantage in enumerate(finding.advantages):
        phrase = _advantage_phrase(advantage.measure)
        if number:
            parts.append(" and " if number == last else ", ")
        n_losers, n_others = len(advantage.losers), finding.n_others
        total = "" if number else f" of the {n_others}"
        count = (
            f"all {n_others}"
            if n_losers == n_others and not number
            else "all"
            if n_losers == n_others
            else f"{n_losers}{total}"
        )
        parts += [phrase.comparative, f" than {count} others" if not number else f" than {count}"]
        values = inline_values(advantage.measure, *advantage.values)
        parts += [" (", phrase.label, *values, *_advantage_meaning(advantage, phrase), ")"]
    return (*parts, ".")


@describe_finding.register
def _(finding: NonsignificantPairFinding) -> tuple[Inline, ...]:
    first_comparisons = finding.comparisons[:_MAX_MEASURES]
    n_more = len(finding.comparisons) - len(first_comparisons)
    parts: list[Inline] = []
    for number, (measure, row) in enumerate(first_comparisons):
        parts.append(
            ""
            if not number
            else " or "
            if number == len(first_comparisons) - 1 and not n_more
            else ", "
        )
        parts.append(measure_phrase(measure))
        numbers = inline_difference(measure, row.difference, *row.reported_limits)
        if numbers:
            parts += [" (difference ", *numbers]
            if row.low is not None and not _contains_zero(row):
                parts += ["; adjusted ", PValue(row.p_adjusted, with_symbol=True)]
            parts.append(")")
    if n_more:
        parts.append(f" or {n_more} more measure{'s' if n_more > 1 else ''}")
    pair_phrase = (" between ", Strong(finding.first), " and ", Strong(finding.second))
    return (f"{_NO_DIFFERENCE} in ", *parts, *pair_phrase, ".")


@describe_finding.register
def _(finding: NoOtherDifferenceFinding) -> tuple[Inline, ...]:
    phrases = [measure_phrase(measure) for measure in finding.measures]
    if len(phrases) == 1:
        return (f"{_NO_DIFFERENCE} in {phrases[0]} either.",)
    if len(phrases) > _MAX_NAMED_MEASURES:
        return (f"{_NO_DIFFERENCE} in any of the {len(phrases)} other overall measures.",)
    return (f"{_NO_DIFFERENCE} in {', '.join(phrases[:-1])} or {phrases[-1]}.",)


@describe_finding.register
def _(finding: DiscriminantPowerFinding) -> tuple[Inline, ...]:
    parts: list[Inline] = ["Discriminant power: "]
    for number, (grade, names) in enumerate(finding.grades.items()):
        if grade is None:
            phrase = "not gradable"
        else:
            low, high = grade
            phrase = low if low == high else f"between {low} and {high}"
        parts += ["; " if number else "", *join_names_abbreviated(names), f" {phrase}"]
    return (*parts, ".")


@describe_finding.register
def _(finding: LowestRecallFinding) -> tuple[Inline, ...]:
    measure = get_measure("sensitivity")
    parts: list[Inline] = ["Lowest recall: "]
    for number, lowest in enumerate(finding.lowest):
        noun = "label" if finding.of_labels else "class"
        plural = "labels" if finding.of_labels else "classes"
        parts += ["; " if number else "", f"{noun if len(lowest.classes) == 1 else plural} "]
        parts += [*join_names_abbreviated(lowest.classes), " (", Strong(lowest.classifier), "), "]
        parts += inline_value_with_interval(measure, lowest.value)
    return (*parts, ".")


@describe_finding.register
def _(finding: GradeErrorFinding) -> tuple[Inline, ...]:
    return (
        Strong(finding.classifier),
        " is right in ",
        *inline_values(get_measure("accuracy"), finding.accuracy),
        " of the cases, and right or off by one grade in ",
        *inline_value_with_interval(get_measure("within_one"), finding.within_one),
        "; mean error ",
        *inline_values(get_measure("rank_mae"), finding.rank_mae),
        " grades.",
    )


@describe_finding.register
def _(finding: LabelSetFinding) -> tuple[Inline, ...]:
    return (
        Strong(finding.classifier),
        " predicts exactly the true labels in ",
        *inline_value_with_interval(get_measure("exact_match"), finding.exact_match),
        " of the cases; Hamming loss ",
        *inline_value_with_interval(get_measure("hamming_loss"), finding.hamming_loss),
        ", F1 score by case ",
        *inline_value_with_interval(get_measure("sample_f1"), finding.sample_f1),
        ".",
    )


@describe_finding.register
def _(finding: ReproductionFinding) -> tuple[Inline, ...]:
    if not finding.n_different:
        return ("All ", Count(finding.n_published), " published values reproduced.")
    cross_reference = (
        " (see “Reproduction of published results”)" if finding.section_included else ""
    )
    return (
        Count(finding.n_different),
        " of ",
        Count(finding.n_published),
        f" published values could not be reproduced{cross_reference}.",
    )


# Majority-class baseline.


@describe_finding.register
def _(finding: MajorityBaselineFinding) -> tuple[Inline, ...]:
    return majority_baseline_sentence(finding, include_better=False)


def majority_baseline_sentence(
    finding: MajorityBaselineFinding, *, include_better: bool = True
) -> tuple[Inline, ...]:
    """Return the baseline's accuracy, and which classifiers lie above, below or around it."""
    parts: list[Inline] = [
        "Always predicting ",
        Strong(finding.class_),
        " (majority-class baseline)",
    ]
    parts += [" has an accuracy of ", inline_number(finding.accuracy, finding.prevalence)]
    groups = (
        ("more accurate", finding.interval_above if include_better else {}),
        ("less accurate", finding.interval_below),
        (NO_DIFFERENCE, finding.interval_containing),
    )
    for label, values in groups:
        if values:
            parts += [f"; {label}: ", *join_names_abbreviated(list(values))]
            if len(values) == 1:
                (value,) = values.values()
                value_parts = inline_value_with_interval(finding.accuracy, value)
                parts += [" (", *(part for part in value_parts if isinstance(part, Interval)), ")"]
    return (*parts, ".")


# Cross-validation.


@describe_finding.register
def _(finding: CorrectionDisagreementFinding) -> tuple[Inline, ...]:
    uncorrected, corrected = finding.uncorrected, finding.corrected
    measure = get_measure(uncorrected.measure)
    difference = uncorrected.difference or 0.0
    folds = spell_number(int(uncorrected.df or 0) + 1)
    cases = "" if corrected.primary_test else "; conclusions of this report use case-level tests"
    return (
        f"{measure.title} over the {folds} folds: ",
        Strong(uncorrected.first),
        f" {'above' if difference > 0 else 'below'} ",
        Strong(uncorrected.second),
        " by ",
        *inline_absolute_difference(measure, abs(difference), None, None),
        "; the standard t-test is significant (",
        PValue(uncorrected.p, with_symbol=True),
        "), the Nadeau–Bengio corrected test is not (",
        PValue(corrected.p, with_symbol=True),
        f"). Use the corrected test{cases}.",
    )


@describe_finding.register
def _(finding: FurtherDisagreementsFinding) -> tuple[Inline, ...]:
    number = spell_number(finding.count)
    return (f"The same holds for {number} more comparison{'s' if finding.count > 1 else ''}.",)


# Several data sets.


@describe_finding.register
def _(_finding: NoDatasetComparisonFinding) -> tuple[Inline, ...]:
    return (
        "No comparison across data sets: no measure has finite values for at least two classifiers",
        " on at least two data sets.",
    )


@describe_finding.register
def _(finding: MeanRankFinding) -> tuple[Inline, ...]:
    ranks = {name: PlainNumber(rank, RANK_DECIMALS) for name, rank in finding.mean_ranks.items()}
    others: list[Inline] = []
    for name in list(ranks)[1:]:
        others += ["; " if others else "", Strong(name), " ", ranks[name]]
    is_single = len(finding.best) == 1
    verb = "has" if is_single else "share"
    return (
        *join_names(finding.best),
        f" {verb} the best mean rank by {measure_phrase(finding.measure)} on ",
        Count(finding.n_datasets),
        " data sets: ",
        ranks[finding.best[0]],
        *((" (", *others, ")") if is_single else ()),
        ".",
    )


@describe_finding.register
def _(finding: OmnibusRankFinding) -> tuple[Inline, ...]:
    if finding.p is None:
        return ("All classifiers are tied on every data set.",)
    statistic: tuple[Inline, ...] = (
        ("identical rankings on every data set",)
        if finding.f_statistic is None
        else ("Iman–Davenport F = ", PlainNumber(finding.f_statistic, RANK_DECIMALS))
    )
    p = PValue(finding.p, with_symbol=True)
    return ("Omnibus test of mean ranks (unadjusted): ", *statistic, ", ", p, ".")


@describe_finding.register
def _(finding: DatasetSuperiorityFinding) -> tuple[Inline, ...]:
    return (
        Strong(finding.winner),
        " is significantly better than ",
        *join_names(finding.losers),
        f" in {measure_phrase(finding.measure)} across data sets",
        *_dataset_statistics(finding.measure, finding.pair, finding.winner),
        ".",
    )


@describe_finding.register
def _(finding: DatasetEquivalenceFinding) -> tuple[Inline, ...]:
    outcome = (
        " are tied on every data set." if finding.tied else " are equivalent (within the margin)."
    )
    return (Strong(finding.pair.first), " and ", Strong(finding.pair.second), outcome)


@describe_finding.register
def _(finding: DatasetNonsignificantFinding) -> tuple[Inline, ...]:
    name = measure_phrase(finding.measure)
    if finding.pair is not None:
        return (
            f"{_NO_DIFFERENCE} in {name} across data sets between ",
            *join_names((finding.pair.first, finding.pair.second)),
            *_dataset_statistics(finding.measure, finding.pair, finding.pair.first),
            ".",
        )
    all_nonsignificant = finding.n_nonsignificant == finding.n_pairs
    return (
        *(("All ",) if all_nonsignificant else (Count(finding.n_nonsignificant), " of ")),
        Count(finding.n_pairs),
        f" pairs: {NO_DIFFERENCE}{_NOT_EQUALITY}.",
    )


@describe_finding.register
def _(finding: TooFewDatasetsFinding) -> tuple[Inline, ...]:
    return (
        "With ",
        Count(finding.n_datasets),
        " data sets and ",
        Count(finding.n_pairs),
        " pairs" if finding.n_pairs > 1 else " pair",
        " no difference can reach significance, not even a win on every data set; more data sets",
        " are needed.",
    )


def _dataset_statistics(
    measure: Measure, pair: DatasetPairComparison | None, classifier: str
) -> Iterator[Inline]:
    """Yield wins, ties, losses and the difference of the only pair, as seen by a classifier."""
    if pair is None:
        return
    same = classifier == pair.first
    sign = 1 if same else -1
    limits = [None if end is None else sign * end for end in (pair.low, pair.high)]
    low, high = limits if same else limits[::-1]
    wins, losses = (pair.wins, pair.losses) if same else (pair.losses, pair.wins)
    yield from (": ", Count(wins), f" win{'' if wins == 1 else 's'}, ", Count(pair.ties))
    yield from (f" tie{'' if pair.ties == 1 else 's'}, ", Count(losses))
    yield f" loss{'' if losses == 1 else 'es'} of "
    yield from (Strong(classifier), "; Hodges–Lehmann difference ")
    yield from inline_difference(measure, sign * pair.difference, low, high)
    yield from ("; adjusted ", PValue(pair.p_adjusted, with_symbol=True))


# Prevalence and drift.


@describe_finding.register
def _(finding: PrecisionAtTargetFinding) -> tuple[Inline, ...]:
    measure = get_measure("precision")
    if finding.same_interval:
        expected = inline_value_with_interval(measure, finding.expected)
    else:
        expected = inline_values(measure, finding.expected)
    highest = "" if finding.all_tied else "highest "
    change: tuple[Inline, ...] = (" would be ",)
    if finding.observed is not None:
        decreases = (finding.expected.number or 0.0) < (finding.observed.number or 0.0)
        observed = inline_values(measure, finding.observed)
        change = (f" would {'drop' if decreases else 'change'} from ", *observed, " to ")
    return (
        "At ",
        inline_percentage(finding.target),
        f" prevalence the {highest}precision (",
        *join_names_abbreviated(finding.best),
        ")",
        *change,
        *expected,
        ".",
    )


@describe_finding.register
def _(finding: CrossoverFinding) -> tuple[Inline, ...]:
    crossover = finding.crossover
    name = measure_phrase(get_measure(crossover.measure))
    name = f"{name[0].upper()}{name[1:]}"
    if not finding.is_identifiable:
        pair = join_names((crossover.first, crossover.second))
        return (f"{name} crossover of ", *pair, ": prevalence not identifiable.")
    parts: list[Inline] = [f"{name} crossover at prevalence "]
    prevalence = get_measure("prevalence")
    parts.append(inline_number(prevalence, crossover.prevalence or 0.0))
    if crossover.low is not None:
        level = inline_percentage(finding.level)
        parts += [" (", level, " CI ", Interval(crossover.low, crossover.high, prevalence), ")"]
    parts += [": ", Strong(crossover.below or ""), " better below, "]
    parts += [Strong(crossover.above or ""), " above"]
    if finding.observed_prevalence is not None:
        observed = inline_number(prevalence, finding.observed_prevalence)
        parts += [" (study prevalence ", observed, ")"]
    return (*parts, ".")


@describe_finding.register
def _(finding: DriftFinding) -> tuple[Inline, ...]:
    clauses: list[tuple[Inline, ...]] = []
    if finding.class_mix_changed:
        names = finding.mix_classifiers
        classifiers_phrase = (" for ", *join_names_abbreviated(names)) if names else ()
        clauses.append(("class mix changed", *classifiers_phrase))
    recalls = {attribution.classifier: attribution for attribution in finding.recall_changes}
    names = tuple(dict.fromkeys((*recalls, *finding.measure_changes)))
    for name in names[:_MAX_DRIFT_CLASSIFIERS]:
        recall = recalls.get(name)
        phrase = (
            measure_change_phrase(finding.changes, name, finding.primary, _MAX_DRIFT_MEASURES)
            if recall is None
            else recall_change_phrase(recall, with_values=True)
        )
        clauses.append((Strong(name), " ", *phrase))
    n_more = len(names) - _MAX_DRIFT_CLASSIFIERS
    if n_more > 0:
        noun = "classifier" if n_more == 1 else "classifiers"
        clauses.append((f"significant changes for {n_more} more {noun}",))
    parts: list[Inline] = [f"Since the run of {last_run_label(finding.changes)}: "]
    for number, clause in enumerate(clauses):
        parts += ["; " if number else "", *clause]
    return (*parts, ".")


@describe_finding.register
def _(finding: MonitoringFinding) -> tuple[Inline, ...]:
    parts: list[Inline] = ["Monitoring: "]
    for number, quantity in enumerate(finding.quantities[:_MAX_DRIFT_CLASSIFIERS]):
        parts += ["; " if number else "", *monitoring_alarm_phrase(quantity)]
    n_more = len(finding.quantities) - _MAX_DRIFT_CLASSIFIERS
    if n_more > 0:
        parts.append(f"; {n_more} more alarm{'s' if n_more > 1 else ''}")
    return (*parts, ".")


# The caption of the summary figure.


@dataclass(frozen=True, slots=True)
class LeaderComparison:
    """The classifiers with the best value, and the other ones by the outcome of their tests."""

    best: Sequence[str]
    not_significant: Sequence[str]
    untested: Sequence[str]
    n_others: int
    undefined: Sequence[str]
    n_omitted: int = 0


def leader_sentence(comparison: LeaderComparison) -> Iterator[Inline]:
    """Yield how the best value compares; classifiers not significantly worse are hollow."""
    best, undefined = comparison.best, comparison.undefined
    is_single = len(best) == 1
    if not best:
        yield "No defined values."
        return
    yield from join_names_abbreviated(best)
    if not comparison.n_others:
        yield " is the only one with a value" if is_single else " have the same value"
    else:
        yield " has the best value" if is_single else " share the best value"
        yield from _leader_clause(comparison)
    if undefined:
        yield from ("; undefined: ", *join_names_abbreviated(undefined))
    if n_more := comparison.n_omitted:
        yield from ("; ", Count(n_more), " more not shown")
    yield "."


def _leader_clause(comparison: LeaderComparison) -> Iterator[Inline]:
    if not comparison.not_significant and not comparison.untested:
        yield ", significantly better than "
        yield "the other" if comparison.n_others == 1 else "all others"
        if comparison.undefined:
            yield " with a value"
        return
    if comparison.not_significant:
        yield f"; {NO_DIFFERENCE} (hollow): "
        yield from join_names_abbreviated(comparison.not_significant)
    if comparison.untested:
        yield "; not tested (hollow): "
        yield from join_names_abbreviated(comparison.untested)
