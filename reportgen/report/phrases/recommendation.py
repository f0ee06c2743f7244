"""The wording of page one: recommendation, tiles and limits of the evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.measures import Orientation, get_measure
from reportgen.report.document import Callout, Paragraph, Tile
from reportgen.report.findings.collect import lowest_recall
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.findings.recommendation import (
    ChosenThresholdLimit,
    ClusterLimit,
    CrossValidationLimit,
    PrevalenceLimit,
    SegmentGapLimit,
    SmallClassLimit,
    case_noun,
    trade_off_findings,
)
from reportgen.report.formatting import (
    TO_PERCENT,
    inline_limit,
    inline_percentage,
    inline_value_with_interval,
    inline_values,
    threshold_decimals,
)
from reportgen.report.inline import (
    Count,
    Inline,
    Interval,
    MeasureDifference,
    PlainNumber,
    PValue,
    Strong,
    Tone,
)
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.phrases.words import (
    join_names,
    join_names_abbreviated,
    measure_phrase,
    spell_number,
)
from reportgen.report.ranks import classifier_values
from reportgen.spec.decision import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.decision import DecisionChange, DecisionOption, Recommendation
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.findings.recommendation import TileFinding, TradeOffFinding

_MAX_LISTED = 4
_PAIR = 2
# A longer title of a measure does not fit a tile; its symbol stands there.
_MAX_TITLE = 25
# Changes of the answer at cost ratios further away than this factor are not stated.
_NEAR = 10


def recommendation_callout(evaluation: Evaluation, facts: Recommendation) -> Callout:
    """Return the recommendation: what to use, what it means in counts, how sure that is."""
    paragraphs = {
        "In counts:": (*_count_sentences(evaluation, facts), *_repetition_sentence(evaluation)),
        "Evidence:": (*_evidence_sentences(evaluation, facts),),
        "Other measures:": (*_trade_off_sentence(facts, trade_off_findings(evaluation)),),
        "As submitted:": (*_submitted_sentences(evaluation, facts),),
        **_change_paragraph(evaluation, facts),
    }
    return Callout(
        title=tuple(_title(evaluation, facts)),
        paragraphs=tuple(
            Paragraph((Strong(lead), " ", *parts)) for lead, parts in paragraphs.items() if parts
        ),
        tone=Tone.GOOD
        if len(facts.recommended) == 1 and not _failing_classifiers(evaluation, facts)
        else Tone.NEUTRAL,
    )


def model_noun(evaluation: Evaluation) -> str:
    """Return what the report calls a classifier; that of a regression is a model."""
    return "model" if evaluation.task_kind == "regression" else "classifier"


# The title: what to use.


def _title(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    noun, names = model_noun(evaluation), facts.recommended
    failing = _failing_classifiers(evaluation, facts)
    if failing and len(names) == 1:
        # What fails a gate is not to be used, however good it is.
        is_only = facts.evidence == "only classifier"
        yield "Evaluated: " if is_only else "Best on these data: "
        yield from (Strong(facts.leader), *_threshold_phrase(facts), "; it fails a gate")
    elif not names:
        yield f"No {noun} meets the requirement: "
        yield from _requirement_phrase(evaluation)
    elif facts.evidence == "only classifier":
        yield from ("Evaluated: ", Strong(facts.leader), *_threshold_phrase(facts))
    elif len(names) == 1:
        yield from ("Recommended: ", Strong(facts.leader), *_threshold_phrase(facts))
    elif failing:
        yield from _no_better_phrase(evaluation)
        yield from ("; ", *join_names_abbreviated(failing))
        yield " fails a gate" if len(failing) == 1 else " fail gates"
    elif set(names) < {classifier.name for classifier in evaluation.spec.classifiers}:
        # The others are shown to be worse: what to use comes first.
        yield from ("Use ", *_alternatives(names))
        yield f": n{'either' if len(names) == _PAIR else 'one'} is shown to be better"
    else:
        yield from _no_better_phrase(evaluation)
        if len(names) == _PAIR:
            yield from (": use ", *_alternatives(names))
        else:
            yield f": use any of the {spell_number(len(names))}"


def _no_better_phrase(evaluation: Evaluation) -> Iterator[Inline]:
    primary = primary_measure(evaluation)
    yield f"No {model_noun(evaluation)} is shown to be better"
    if primary is not None and trade_off_findings(evaluation):
        yield f" in {measure_phrase(primary)}"


def _failing_classifiers(evaluation: Evaluation, facts: Recommendation) -> list[str]:
    """Return the recommended classifiers with a failed gate."""
    failed = {gate.classifier for gate in evaluation.gates if gate.fails_run}
    return [name for name in facts.recommended if name in failed]


def _alternatives(names: Sequence[str]) -> Iterator[Inline]:
    if len(names) == _PAIR:
        yield from (Strong(names[0]), " or ", Strong(names[1]))
    else:
        yield from ("any of ", *join_names_abbreviated(names))


def _threshold_phrase(facts: Recommendation) -> Iterator[Inline]:
    option = facts.option(facts.leader)
    if option is None or option.basis == "submitted" or option.rounded is None:
        return
    if not math.isinf(option.rounded):
        yield from (" at threshold ", _threshold_number(option.rounded))


def _threshold_number(threshold: float) -> PlainNumber:
    """Return a threshold with the decimals that it has in tables."""
    return PlainNumber(threshold, threshold_decimals(threshold))


def _requirement_phrase(evaluation: Evaluation) -> Iterator[Inline]:
    for place, (name, limit) in enumerate(declared_decision(evaluation.spec).requirements.items()):
        measure = get_measure(name)
        sign = "≤" if measure.orientation is Orientation.LOWER else "≥"
        yield f"{' and ' if place else ''}{measure_phrase(measure)} {sign} "
        yield inline_limit(measure, limit)


# The evidence: tests against the alternatives.


def _evidence_sentences(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    if not facts.recommended:
        yield from _unmet_requirement_sentences(evaluation, facts)
        return
    if facts.evidence == "only classifier":
        yield from _single_classifier_sentence(evaluation, facts)
        return
    word = "lower" if facts.criterion == "cost" else "better"
    if len(facts.recommended) > 1:
        yield from (Strong(facts.leader), " has the ")
    yield f"{'lowest' if facts.criterion == 'cost' else 'best'} {_quantity(evaluation, facts)}"
    yield from _values_phrase(evaluation, facts)
    if facts.better_than:
        yield from (f"; significantly {word} than ", *_others(facts.better_than))
        if facts.evidence == "significant":
            yield from _p_phrase(facts.p_adjusted, len(facts.better_than))
    if facts.not_significant:
        yield f"; not significantly {word} than "
        yield from join_names_abbreviated(facts.not_significant)
        if len(facts.not_significant) == 1:
            yield from _p_phrase(facts.p_adjusted, 1)
    if facts.not_tested:
        yield from ("; not tested against ", *join_names_abbreviated(facts.not_tested))
    yield "."


def _trade_off_sentence(
    facts: Recommendation, findings: Sequence[TradeOffFinding]
) -> Iterator[Inline]:
    """Yield in which other measures recommended classifiers are significantly better or worse."""
    for place, finding in enumerate(findings):
        names = [measure_phrase(measure) for measure in finding.measures[:_MAX_LISTED]]
        further = len(finding.measures) - len(names)
        yield from ("; " if place else "", Strong(finding.classifier))
        is_new = not place or findings[place - 1].is_better != finding.is_better
        word = "better" if finding.is_better else "worse"
        yield f" is significantly {word} in " if is_new else " in "
        yield from (", ".join(names[:-1]), " and " if not further else ", ") if names[1:] else ()
        yield names[-1]
        if further:
            yield f" and {spell_number(further)} more"
    if len(findings) == 1 and len(facts.recommended) == _PAIR:
        (other,) = set(facts.recommended) - {findings[0].classifier}
        yield from ("; ", Strong(other), " in none")
    if findings:
        yield "."


def _quantity(evaluation: Evaluation, facts: Recommendation) -> str:
    match facts.criterion:
        case "cost":
            return "expected cost"
        case "requirement":
            return "Youden's J of those that meet the requirement"
        case "mean rank":
            number = spell_number(len(evaluation.spec.dataset_names))
            measure = measure_phrase(get_measure(facts.measure))
            return f"mean rank in {measure} over {number} data sets"
        case _:
            primary = primary_measure(evaluation)
            name = measure_phrase(primary) if primary else "value"
            return name if evaluation.measured_classifiers else f"mean {name} over the folds"


def _values_phrase(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    """Yield the values of leader and runner-up in the primary measure, if that is the criterion."""
    primary = primary_measure(evaluation)
    if facts.criterion != "primary measure" or primary is None or facts.runner_up is None:
        return
    values = classifier_values(evaluation, primary)
    pair = [values.get(facts.leader), values.get(facts.runner_up)]
    defined_values = [value for value in pair if value is not None and value.value is not None]
    if len(defined_values) == _PAIR:
        first, second = inline_values(primary, *defined_values)
        yield from (", ", first, " (", Strong(facts.runner_up), " ", second, ")")


def _p_phrase(p_adjusted: float | None, tests: int) -> Iterator[Inline]:
    if p_adjusted is not None:
        largest = "largest adjusted " if tests > 1 else "adjusted "
        yield from (" (", largest, PValue(p_adjusted, with_symbol=True), ")")


def _others(names: Sequence[str]) -> Iterator[Inline]:
    """Yield the others by name, or of more than two their number."""
    if len(names) <= _PAIR:
        yield from join_names(names)
    else:
        yield f"{spell_number(len(names))} alternatives"


def _single_classifier_sentence(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    primary = primary_measure(evaluation)
    value = classifier_values(evaluation, primary).get(facts.leader) if primary else None
    yield f"there is no other {model_noun(evaluation)} to compare it with"
    if primary is not None and value is not None and value.value is not None:
        yield from (f"; {measure_phrase(primary)} ", *inline_value_with_interval(primary, value))
    yield "."


def _unmet_requirement_sentences(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    for option in facts.options:
        if option.meets_requirement:
            yield from (Strong(option.classifier), " meets it only by predicting ")
            yield from (Strong(option.single_class or ""), f" for all {case_noun(evaluation)}; ")
    yield from (Strong(facts.leader), " has the best Youden's J.")


# Counts: misses and false alarms, or wrong predictions.


def class_cases(class_: str, unit: str) -> tuple[Inline, ...]:
    """Return the cases of a class: malignant tumours, cases of class 3."""
    if class_.isalpha():
        return Strong(class_), f" {unit}"
    return f"{unit} of class ", Strong(class_)


def _count_sentences(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    option = facts.option(facts.leader)
    if option is None:
        yield from _error_sentences(evaluation, facts)
        return
    positive = evaluation.spec.task.positive or ""
    negative = next(name for name in evaluation.aggregates.classes if name != positive)
    unit, (positives, negatives) = case_noun(evaluation), _class_totals(option)
    if option.single_class is not None:
        yield from ("predicts ", Strong(option.single_class), f" for all {unit}; ")
    others = [
        row
        for row in facts.options
        if row is not option and _class_totals(row) == (positives, negatives)
    ]
    if len(facts.recommended) != 1:
        yield from (Strong(facts.leader), " ")
    yield from ("misses ", _count(option.fn), " of ", _count(positives), " ")
    yield from class_cases(positive, unit)
    yield from _list_numbers(others, [row.fn for row in others], with_names=True)
    yield from (", with ", _count(option.fp), f" false alarm{'' if option.fp == 1 else 's'} among ")
    yield from (_count(negatives), " ", *class_cases(negative, unit))
    yield from _list_numbers(others, [row.fp for row in others], with_names=False)
    yield "."
    yield from _cost_sentence(evaluation, facts)
    yield from _frequency_sentence(evaluation, option, positive)


def _repetition_sentence(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield what is counted where cases are predicted several times."""
    if evaluation.aggregates.distinct_cases is None:
        return
    times = evaluation.predictions_per_case
    yield from (" Counts refer to predictions, ", Count(times) if times else "several")
    yield " per case."


def _class_totals(option: DecisionOption) -> tuple[float, float]:
    return option.tp + option.fn, option.fp + option.tn


def _count(number: float) -> Inline:
    return Count(int(number)) if float(number).is_integer() else PlainNumber(number, 1)


def _list_numbers(
    others: Sequence[DecisionOption], numbers: Sequence[float], *, with_names: bool
) -> Iterator[Inline]:
    """Yield the numbers of the others in parentheses; of many that of the runner-up."""
    if not others:
        return
    yield " ("
    if len(others) > _MAX_LISTED:
        yield from (f"{others[0].classifier} ", _count(numbers[0]))
    else:
        for place, (other, number) in enumerate(zip(others, numbers, strict=True)):
            yield f"{', ' if place else ''}{f'{other.classifier} ' if with_names else ''}"
            yield _count(number)
    yield ")"


def _frequency_sentence(
    evaluation: Evaluation, option: DecisionOption, positive: str
) -> Iterator[Inline]:
    """Yield what is expected of so many cases, where the prevalence of use is declared."""
    frequencies = option.frequencies
    if frequencies is None or declared_decision(evaluation.spec).prevalence is None:
        return
    yield from (" In use, of ", Count(frequencies.per), f" {case_noun(evaluation)} ")
    yield from (_rounded(frequencies.tp + frequencies.fn), " are ", Strong(positive))
    yield from (": it finds ", _rounded(frequencies.tp), " and raises ")
    yield from (_rounded(frequencies.fp), " false alarms.")


def _rounded(number: float) -> PlainNumber:
    # Whole cases from ten on.
    return PlainNumber(number, 0 if number >= 10 else 1)  # noqa: PLR2004


def _submitted_sentences(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    """Yield the counts and the test as submitted, where thresholds were chosen."""
    if not facts.chosen:
        return
    rows, leader = facts.submitted, facts.submitted_option(facts.leader)
    if leader is None:
        return
    others = [row for row in rows if row is not leader]
    yield from (Strong(facts.leader), " misses ", _count(leader.fn))
    yield from _list_numbers(others, [row.fn for row in others], with_names=True)
    yield from (", with ", _count(leader.fp), f" false alarm{'' if leader.fp == 1 else 's'}")
    yield from _list_numbers(others, [row.fp for row in others], with_names=False)
    yield from (*_primary_evidence(evaluation, facts), ".")


def _primary_evidence(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    """Yield what the leader is significantly better than in the primary measure."""
    primary = primary_measure(evaluation)
    if primary is None or facts.runner_up is None or primary.name == facts.measure:
        return
    name = measure_phrase(primary)
    if not facts.primary_better_than:
        yield f"; not significantly better in {name} than any other"
        return
    yield f"; significantly better in {name} than "
    yield from _others(facts.primary_better_than)
    yield from _p_phrase(facts.primary_p_adjusted, len(facts.primary_better_than))
    remaining = [
        row.classifier
        for row in facts.submitted
        if row.classifier not in {facts.leader, *facts.primary_better_than}
    ]
    if remaining:
        yield from (", not than ", *join_names_abbreviated(remaining))


def _error_sentences(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    """Yield the wrong predictions of a task with several classes."""
    leader = next((row for row in facts.errors if row.classifier == facts.leader), None)
    if leader is None:
        return
    others = [row for row in facts.errors if row is not leader and row.cases == leader.cases]
    if len(facts.recommended) != 1:
        yield from (Strong(facts.leader), " ")
    yield from ("misclassifies ", _count(leader.errors), " of ", _count(leader.cases))
    yield f" {case_noun(evaluation)}"
    listed_options = others if len(others) <= _MAX_LISTED else others[:1]
    for place, row in enumerate(listed_options):
        yield f"{', ' if place else ' ('}{row.classifier} "
        yield _count(row.errors)
    yield ")" if listed_options else ""
    yield from (*_hardest_class_phrase(evaluation, facts), ".")


def _hardest_class_phrase(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    """Yield the class with the lowest recall of the leader."""
    lowest = lowest_recall(evaluation, facts.leader)
    if lowest is not None and len(lowest.classes) == 1:
        yield from ("; hardest class ", Strong(lowest.classes[0]), ": recall ")
        yield from inline_value_with_interval(get_measure("sensitivity"), lowest.value)


# Costs, and when the answer changes.


def _cost_sentence(evaluation: Evaluation, facts: Recommendation) -> Iterator[Inline]:
    cost, option = declared_decision(evaluation.spec).cost, facts.option(facts.leader)
    if cost is None or facts.criterion != "cost" or option is None or option.cost is None:
        return
    per = option.frequencies.per if option.frequencies else 1
    yield from (" Cost ", _scaled_cost(option.cost, per), " per ", Count(per))
    yield f" {case_noun(evaluation)}"
    interval = _cost_interval(option.cost_low, option.cost_high, per)
    if interval is not None:
        yield from (" (", inline_percentage(evaluation.spec.intervals.level), " CI ", interval, ")")
    others = [row for row in facts.options if row is not option and row.cost is not None]
    for place, row in enumerate(others[: _MAX_LISTED - 1]):
        yield f", {'' if place else 'against '}{row.classifier} "
        yield _scaled_cost(row.cost or 0.0, per)
    yield from (", if a miss costs ", PlainNumber(cost.false_negative), " and a false alarm ")
    yield from (PlainNumber(cost.false_positive), ".")
    for word, number in (("none", facts.cost_of_none), ("all", facts.cost_of_all)):
        if number is not None and number <= option.cost:
            yield f" Flagging {word} of them would cost "
            yield from (_scaled_cost(number, per), ": no ", model_noun(evaluation), " pays off.")


def _scaled_cost(cost: float, per: int) -> PlainNumber:
    """Return a cost by case for so many cases, with three digits."""
    return PlainNumber(cost * per, _decimals_of(cost * per, 3))


def _cost_interval(low: float | None, high: float | None, per: int) -> Interval | None:
    if low is None or high is None:
        return None
    return Interval(low * per, high * per, None, _decimals_of(high * per, 3))


def _decimals_of(number: float, digits: int) -> int:
    """Return the decimals of so many significant digits, none from there on."""
    exponent = math.floor(math.log10(abs(number))) if number else 0
    return max(0, digits - 1 - exponent)


def _change_paragraph(
    evaluation: Evaluation, facts: Recommendation
) -> dict[str, tuple[Inline, ...]]:
    """Return when the answer changes, or that it does not near the declared costs."""
    cost = declared_decision(evaluation.spec).cost
    ratio = 1.0 if cost is None else cost.false_negative / cost.false_positive
    near = [
        row
        for row in facts.changes
        if row.quantity == "cost ratio" and ratio / _NEAR <= row.limit <= ratio * _NEAR
    ]
    # Where no classifier is shown to be better, only the estimates change.
    subject = "The answer" if len(facts.recommended) == 1 else "The best estimate"
    if near:
        return {f"{subject} changes": (*_change_sentences(facts, near),)}
    if cost is None or facts.runner_up is None or not facts.recommended:
        return {}
    low, high = (PlainNumber(end, _decimals_of(end, 2)) for end in (ratio / _NEAR, ratio * _NEAR))
    ends: tuple[Inline, ...] = (low, " and ", high, " times a false alarm (estimate, not tested).")
    return {f"{subject} stays the same": ("where a miss costs between ", *ends)}


def _change_sentences(
    facts: Recommendation, by_ratio: Sequence[DecisionChange]
) -> Iterator[Inline]:
    """Yield the cost ratio and the prevalence beyond which another classifier costs least."""
    for place, row in enumerate(by_ratio):
        prevalence = next(
            other
            for other in facts.changes
            if other.quantity == "prevalence" and other.direction == row.direction
        )
        comparison = "more" if row.direction == "above" else "less"
        yield from ("; " if place else "", "to ", Strong(row.classifier))
        yield f" if a miss costs {comparison} than "
        yield PlainNumber(row.limit, _decimals_of(row.limit, 2))
        yield f" times a false alarm, or at a prevalence {row.direction} "
        yield prevalence_percentage(prevalence.limit)
    yield " (estimates, not tested)."


def prevalence_percentage(share: float) -> PlainNumber:
    """Return a prevalence in percent, with the decimals that it needs."""
    decimals = 0 if 0.1 <= share <= 0.9 else 1 if 0.01 <= share <= 0.99 else 2  # noqa: PLR2004
    return PlainNumber(TO_PERCENT * share, decimals, "%")


# Tiles.


def describe_tile(tile: TileFinding) -> Tile:
    """Return a tile: value, interval, and the runner-up with the outcome of the test."""
    measure, value, other = tile.measure, tile.value, tile.runner_up_value
    value_texts: list[tuple[Inline, ...]]
    if tile.per > 1:
        label: tuple[Inline, ...] = ("Expected cost per ", Count(tile.per))
        value_texts = [
            (_scaled_cost(score.value, tile.per),)
            for score in (value, other)
            if score is not None and score.value is not None
        ]
        interval = _cost_interval(value.low, value.high, tile.per)
    else:
        title = measure.title if len(measure.title) <= _MAX_TITLE else measure.symbol.text
        label = (title,)
        if tile.threshold is not None and not math.isinf(tile.threshold):
            label = (
                f"{title} at ",
                _threshold_number(tile.threshold),
            )
        value_texts = [
            inline_values(measure, score) for score in (value, other) if score is not None
        ]
        limits = (part for part in inline_value_with_interval(measure, value))
        interval = next((part for part in limits if isinstance(part, Interval)), None)
        if interval is None and value.low is not None and value.high is not None:
            interval = Interval(value.low, value.high, measure)
    lines: list[tuple[Inline, ...]] = []
    if interval is not None:
        lines.append((inline_percentage(tile.level), " CI ", interval))
    if tile.runner_up is not None and len(value_texts) == _PAIR:
        outcome = f", difference {tile.outcome}" if tile.outcome is not None else ""
        # A long name would take more room in every tile than the numbers.
        name = tile.runner_up if len(tile.runner_up) <= _MAX_TITLE else "Runner-up"
        lines.append((f"{name} ", *value_texts[1], outcome))
    return Tile(label, value_texts[0], tuple(map(Paragraph, lines)))


# Limits of the evidence.


@describe_finding.register
def _(finding: ChosenThresholdLimit) -> tuple[Inline, ...]:
    allowance = (
        "The interval of the cost allows for that, those of other values at a threshold do not."
        if finding.by_cost
        else "Intervals of values at these thresholds do not allow for that."
    )
    sentence = (
        "The thresholds were chosen on the evaluation data: expect somewhat worse results on new"
        f" {finding.unit}. {allowance}"
    )
    return (sentence,)


@describe_finding.register
def _(finding: CrossValidationLimit) -> tuple[Inline, ...]:
    deployed = f"the {finding.noun} that will be deployed"
    return (f"Cross-validation evaluates a training procedure, not {deployed}.",)


@describe_finding.register
def _(finding: PrevalenceLimit) -> tuple[Inline, ...]:
    observed = prevalence_percentage(finding.observed)
    subject = (observed, " of these ", f"{finding.unit} are ", Strong(finding.class_))
    if finding.target is None:
        return (*subject, "; where that differs, so do precision, accuracy and cost.")
    return (
        *subject,
        "; results for use assume ",
        prevalence_percentage(finding.target),
        " and unchanged sensitivity and specificity.",
    )


@describe_finding.register
def _(finding: SmallClassLimit) -> tuple[Inline, ...]:
    cases = class_cases(finding.class_, finding.unit)
    if not finding.cases:
        return ("There are no ", *cases, ": rates of this class are undefined.")
    beginning = ("Only ", Count(finding.cases), " ", *cases)
    return (*beginning, ": its rates are known only roughly (see their intervals).")


@describe_finding.register
def _(finding: SegmentGapLimit) -> tuple[Inline, ...]:
    gap = finding.gap
    return (
        Strong(gap.first),
        " is significantly worse on ",
        Strong(f"{gap.segment_column} = {gap.segment}"),
        " than on all other cases in ",
        *measured_difference(gap),
    )


def measured_difference(row: Comparison) -> tuple[Inline, ...]:
    """Return the measure of a comparison, its difference and its adjusted p-value."""
    measure = get_measure(row.measure)
    phrase = measure_phrase(measure)
    return (
        phrase if row.average is None else f"{row.average} {phrase}",
        ": difference ",
        MeasureDifference(measure, row.difference),
        " (adjusted ",
        PValue(row.p_adjusted, with_symbol=True),
        ").",
    )


@describe_finding.register
def _(finding: ClusterLimit) -> tuple[Inline, ...]:
    return (
        f"The {finding.unit} belong to ",
        Count(finding.clusters),
        " clusters, which intervals and tests allow for.",
    )
