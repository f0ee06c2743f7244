"""What was found, in a few plain sentences; they say no more than the tests show."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.evaluation.values import ValueState
from reportgen.measures import Orientation, find_measure, get_measure
from reportgen.measures.ordering import competition_ranks, is_better
from reportgen.report.charts import CriticalDifferenceDiagram, Dot, DotPlot
from reportgen.report.document import Bullets, Figure, Note, Paragraph
from reportgen.report.findings.comparisons import comparison_findings, primary_measure
from reportgen.report.findings.cross_validation import (
    corrected_test_disagreements,
    cross_validation_findings,
)
from reportgen.report.findings.datasets import (
    RANK_DECIMALS,
    best_ranked_classifiers,
    dataset_findings,
)
from reportgen.report.findings.majority_baseline import majority_baseline_findings
from reportgen.report.findings.shift import drift_findings, prevalence_findings
from reportgen.report.formatting import (
    confidence_level,
    extra_interval_decimals,
    inline_value_with_interval,
)
from reportgen.report.inline import Count, MeasureEstimate, PlainNumber, Strong
from reportgen.report.phrases import (
    LeaderComparison,
    join_names_abbreviated,
    leader_sentence,
    measure_phrase,
    multiplicity_sentence,
    warning_notes,
)
from reportgen.report.ranks import (
    classifier_ranks,
    classifier_values,
    evaluated_classifiers,
    is_significantly_better,
)
from reportgen.report.sections.cross_validation import fold_figure
from reportgen.report.sections.datasets import critical_difference_figure
from reportgen.report.sections.forest_plot import PREFERRED_MEASURES, build_forest_plot
from reportgen.report.selection import classifiers_best_first, is_section_included

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline


_GRADE_ADVERBS = {
    "poor": "poorly",
    "limited": "to a limited degree",
    "fair": "fairly",
    "good": "well",
}
_MAX_CLASSIFIERS_NAMED = 4


def build_summary_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say who is better at what, what is open, and what to be careful with."""
    sentences = [
        *dataset_findings(evaluation),
        *comparison_findings(evaluation),
        *drift_findings(evaluation),
        *majority_baseline_findings(evaluation),
        *_discriminant_power_finding(evaluation),
        *_lowest_recall_finding(evaluation),
        *cross_validation_findings(evaluation),
        *_fold_disagreement_findings(evaluation),
        *prevalence_findings(evaluation),
        *_undefined_values_finding(evaluation),
        *_reproduction_finding(evaluation),
    ]
    if not sentences:
        return ()
    how = Note(tuple(multiplicity_sentence(evaluation)))
    return (
        Bullets(tuple(map(Paragraph, sentences))),
        *warning_notes(evaluation),
        *((how,) if how.parts else ()),
    )


def _discriminant_power_finding(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Grade the classifiers as far as their whole interval has the grade."""
    if evaluation.task_kind != "binary" or not evaluation.capabilities:
        return
    # Of more the table of capabilities says it with less to read.
    if len(evaluation.measured_classifiers) > _MAX_CLASSIFIERS_NAMED:
        return
    name = "discrimination_of_classes"
    cells = {row.classifier: row.cells[name] for row in evaluation.capabilities}
    grades: dict[str, list[str]] = {}
    for classifier in classifiers_best_first(evaluation):
        if classifier not in cells:
            continue
        cell = cells[classifier]
        known = cell.verdict if cell.verdict in _GRADE_ADVERBS else "none"
        grades.setdefault(known if cell.significant or known == "none" else "open", []).append(
            classifier
        )
    parts: list[Inline] = ["By discriminant power, "]
    for number, (grade, names) in enumerate(grades.items()):
        one = len(names) == 1
        said = {
            "none": "cannot be graded",
            "open": "cannot be graded surely",
        }.get(
            grade,
            f"{'discriminates' if one else 'discriminate'} the classes {_GRADE_ADVERBS.get(grade)}",
        )
        parts += ["; " if number else "", *join_names_abbreviated(names), f" {said}"]
    yield (*parts, ".")


def _lowest_recall_finding(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Name the class that each of the best classifiers finds least often."""
    if evaluation.task_kind != "multiclass":
        return
    measure = get_measure("sensitivity")
    said: list[tuple[Inline, ...]] = []
    for classifier in classifiers_best_first(evaluation)[:_MAX_CLASSIFIERS_NAMED]:
        found = {
            class_: score
            for class_ in evaluation.aggregates.classes
            if (score := evaluation.value(classifier, measure, class_)) is not None
            and score.value is not None
        }
        places_from_worst = competition_ranks(
            {class_: score.value or 0.0 for class_, score in found.items()}, Orientation.LOWER
        )
        hardest = [class_ for class_, place in places_from_worst.items() if place == 1]
        if 0 < len(hardest) < len(found):
            said.append(
                (
                    "class " if len(hardest) == 1 else "classes ",
                    *join_names_abbreviated(hardest),
                    " by ",
                    Strong(classifier),
                    ", ",
                    *inline_value_with_interval(measure, found[hardest[0]]),
                )
            )
    if said:
        parts = [part for number, each in enumerate(said) for part in ("; " * (number > 0), *each)]
        yield ("Found least often: ", *parts, ".")


def _fold_disagreement_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    measure = primary_measure(evaluation)
    yield from corrected_test_disagreements(
        evaluation, [measure] if measure else [], primary_only=True
    )


def _undefined_values_finding(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    scores = [
        score
        for classifier in evaluation.measured_classifiers
        for measure in evaluation.overall_measures
        if (score := evaluation.value(classifier, measure)) is not None
    ]
    undefined = sum(score.state is ValueState.UNDEFINED for score in scores)
    infinite = sum(score.state is ValueState.INFINITE for score in scores)
    said = [
        f"{number} {'is' if number == 1 else 'are'} {state}"
        for number, state in ((undefined, "undefined"), (infinite, "infinite"))
        if number
    ]
    if said:
        short = evaluation.spec.output.detail == "summary"
        why = "" if short else "; the reasons stand under the tables"
        yield (f"Among the values shown, {' and '.join(said)}{why}.",)


def _reproduction_finding(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    checks = evaluation.published
    different = sum(not check.agrees for check in checks)
    if different:
        why = "; see the reasons under “Published against computed”"
        yield (
            Count(different),
            " of ",
            Count(len(checks)),
            " published values ",
            "does" if different == 1 else "do",
            f" not follow from the data{why if is_section_included(evaluation, 'published') else ''}.",
        )
    elif checks:
        yield ("Every published value comes out as printed.",)


# The figure of the first page: the one that shows most of the answer in little room.

_FIGURE_NAME, _PAIR_SIZE, _HIGHER = "answer", 2, Orientation.HIGHER
# So many rows stay below six centimetres on paper.
_MAX_FOREST_ROWS, _MAX_ROWS = 7, 10
_FEW_CLASSIFIERS, _MAX_RANKED = 4, 12


def build_summary_figure(evaluation: Evaluation) -> Figure | None:
    """Draw the answer; None where there is nothing to draw."""
    found = _select_figure(evaluation)
    return None if found is None else replace(found, name=_FIGURE_NAME, note=None)


def _select_figure(evaluation: Evaluation) -> Figure | None:
    if evaluation.spec.dataset_names:
        return _dataset_figure(evaluation)
    main, names = primary_measure(evaluation), evaluated_classifiers(evaluation)
    if main is None or not names:
        return None
    if not evaluation.measured_classifiers and len(names) <= _FEW_CLASSIFIERS:
        return fold_figure(evaluation, main)
    if len(names) == 1:
        return _single_classifier_figure(evaluation, names[0], main)
    few = len(names) <= _FEW_CLASSIFIERS and evaluation.task_kind != "regression"
    few = few and _is_every_pair_tested(evaluation, main)
    drawn = build_forest_plot(evaluation, max_groups=1, max_rows=_MAX_FOREST_ROWS) if few else None
    return drawn or _values_figure(evaluation, main)


def _is_every_pair_tested(evaluation: Evaluation, primary: Measure) -> bool:
    """Tell whether every pair was tested; the differences drawn would not be the answer else."""
    names, baseline = evaluated_classifiers(evaluation), evaluation.spec.comparison.baseline
    return all(
        is_significantly_better(evaluation, primary, one, [other]) is not None
        for one, other in combinations(names, _PAIR_SIZE)
        if baseline in {None, one, other}
    )


def _dataset_figure(evaluation: Evaluation) -> Figure | None:
    compared = next((each for each in evaluation.datasets if each.primary_measure), None)
    if compared is None:
        return None
    drawn = critical_difference_figure(evaluation, compared)
    return (
        _dataset_difference_figure(compared)
        if drawn is None
        else _top_ranks_figure(compared, drawn)
    )


def _top_ranks_figure(comparison: DatasetComparison, figure: Figure) -> Figure:
    """Keep the best ranks of very many, and say whom the best is not told apart from."""
    chart, best = figure.chart, best_ranked_classifiers(comparison)
    if not isinstance(chart, CriticalDifferenceDiagram):
        return figure
    kept = [name for name, _ in chart.ranks[:_MAX_RANKED]]
    groups = (tuple(name for name in group if name in kept) for group in chart.cliques)
    near = {name for group in chart.cliques if set(best) & set(group) for name in group}
    alike = [name for name in comparison.classifiers if name in near and name not in best]
    has, it_is = ("has", "it is") if len(best) == 1 else ("share", "they are")
    reading: list[Inline] = [*join_names_abbreviated(best), f" {has} the best average rank, "]
    reading += [
        PlainNumber(comparison.mean_ranks[best[0]], RANK_DECIMALS),
        f"; by ranks alone {it_is} ",
    ]
    if alike:
        reading += ["not told apart from ", *join_names_abbreviated(alike)]
    else:
        reading.append("told apart from all others")
    if len(chart.ranks) > _MAX_RANKED:
        reading += [" (the best ", Count(_MAX_RANKED), " of ", Count(len(chart.ranks)), " drawn)"]
    return replace(
        figure,
        chart=replace(
            chart,
            ranks=chart.ranks[:_MAX_RANKED],
            color_indices=chart.color_indices[:_MAX_RANKED],
            cliques=tuple(dict.fromkeys(group for group in groups if len(group) > 1)),
        ),
        description=Paragraph((*reading, ".")),
    )


def _dataset_difference_figure(comparison: DatasetComparison) -> Figure | None:
    """Draw the difference of two classifiers on every data set, the best for the first on top."""
    if len(comparison.classifiers) != _PAIR_SIZE:
        return None
    first, second = comparison.classifiers
    values = {
        (each.dataset, each.classifier): each.value.value
        for each in comparison.values
        if each.value.value is not None
    }
    differences = {
        dataset: values[dataset, first] - values[dataset, second] for dataset in comparison.datasets
    }
    orientation, higher = comparison.measure.orientation, comparison.measure.orientation is _HIGHER
    ordered = sorted(differences, key=differences.__getitem__, reverse=higher)
    ahead = sum(
        is_better(values[dataset, first], values[dataset, second], orientation)
        for dataset in comparison.datasets
    )
    what, half = measure_phrase(comparison.measure), _MAX_ROWS // 2
    drawn = f"; the {half} best data sets for it and the {half} worst are drawn."
    return Figure(
        _FIGURE_NAME,
        f"{first} minus {second}, by data set",
        DotPlot(
            f"difference in {what}",
            tuple(Dot(dataset, differences[dataset]) for dataset in _first_and_last(ordered)),
            reference=0.0,
            reference_label="no difference",
        ),
        Paragraph(
            (
                Strong(first),
                f" has the {'higher' if higher else 'lower'} {what} on ",
                Count(ahead),
                " of ",
                Count(len(differences)),
                " data sets",
                drawn if len(ordered) > _MAX_ROWS else ".",
            )
        ),
    )


def _first_and_last(ordered: Sequence[str]) -> Sequence[str]:
    """Return all or, of too many, as many from either end."""
    if len(ordered) <= _MAX_ROWS:
        return ordered
    half = _MAX_ROWS // 2
    return [*ordered[:half], *ordered[-half:]]


def _single_classifier_figure(evaluation: Evaluation, name: str, primary: Measure) -> Figure:
    """Draw the main measures of the only classifier, as far as they share an axis."""
    preferred = [primary, *(find_measure(each) for each in PREFERRED_MEASURES)]
    scores = {
        measure: score
        for measure in dict.fromkeys(preferred)
        if measure is not None
        and (measure is primary or measure in evaluation.overall_measures)
        and measure.range.high == primary.range.high
        and (score := classifier_values(evaluation, measure).get(name)) is not None
    }
    drawn = dict(list(scores.items())[:_MAX_FOREST_ROWS])
    level = confidence_level(evaluation)
    reading: tuple[Inline, ...] = ("The main measures of ", Strong(name), " with their ", level)
    found = drawn.get(primary)
    said: tuple[Inline, ...] = (
        ()
        if found is None
        else (f"; its {measure_phrase(primary)} is ", *inline_value_with_interval(primary, found))
    )
    order = evaluation.classifier_index(name)
    return Figure(
        _FIGURE_NAME,
        f"{name}: the main measures",
        DotPlot(
            "value",
            tuple(
                _value_dot(measure.title, score, measure, order) for measure, score in drawn.items()
            ),
        ),
        Paragraph((*reading, " intervals", *said, ".")),
    )


def _values_figure(evaluation: Evaluation, primary: Measure) -> Figure:
    """Draw the main measure of all, best first; whoever is not shown to be worse is hollow."""
    scores, ranks = classifier_values(evaluation, primary), classifier_ranks(evaluation, primary)
    ordered = [*ranks, *(name for name in scores if name not in ranks)]
    best = [name for name in ranks if ranks[name] == 1]
    shown = ordered[:_MAX_ROWS]
    extra = extra_interval_decimals([scores[name] for name in shown], primary)
    known = {
        name: [is_significantly_better(evaluation, primary, each, [name]) for each in best]
        for name in ranks
        if name not in best
    }
    hollow = [name for name, shown_worse in known.items() if not all(shown_worse)]
    standing = LeaderComparison(
        best,
        not_significant=[name for name in hollow if any(each is not None for each in known[name])],
        untested=[name for name in hollow if all(each is None for each in known[name])],
        n_others=len(known),
        undefined=ordered[len(ranks) :],
        n_omitted=len(ordered) - len(shown),
    )
    dots = tuple(
        _value_dot(
            name,
            scores[name],
            primary,
            evaluation.classifier_index(name),
            extra,
            hollow=name in hollow,
        )
        for name in shown
    )
    what = measure_phrase(primary)
    return Figure(
        _FIGURE_NAME,
        f"{primary.title}, the best first",
        DotPlot(what if evaluation.measured_classifiers else f"mean {what} over the folds", dots),
        Paragraph(tuple(leader_sentence(standing))),
    )


def _value_dot(  # noqa: PLR0913  # a dot is this many things
    label: str,
    value: MeasureValue,
    measure: Measure,
    color_index: int,
    extra: int | None = None,
    *,
    hollow: bool = False,
) -> Dot:
    decimals = extra_interval_decimals([value], measure) if extra is None else extra
    written = MeasureEstimate(value, measure, extra_decimals=decimals, with_interval=True)
    ends = (value.low, value.high) if value.method is not None else (None, None)
    return Dot(label, value.number, *ends, color_index, hollow, written)
