"""Page one: recommendation, main values and limits; the key findings and their figure."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.measures import Orientation, find_measure
from reportgen.measures.ordering import is_better
from reportgen.report.charts import CriticalDifferenceDiagram, Dot, DotPlot, ForestPlot
from reportgen.report.document import Bullets, Figure, Note, Paragraph, Tiles
from reportgen.report.findings.collect import collect_findings
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.findings.datasets import RANK_DECIMALS, best_ranked_classifiers
from reportgen.report.findings.recommendation import limit_findings, tile_findings
from reportgen.report.formatting import (
    confidence_level,
    difference_unit,
    extra_interval_decimals,
    inline_value_with_interval,
    value_unit,
)
from reportgen.report.inline import Count, MeasureEstimate, PlainNumber, Strong
from reportgen.report.phrases import (
    NO_DIFFERENCE,
    join_names_abbreviated,
    measure_phrase,
    multiplicity_sentence,
    scope_sentences,
    warning_notes,
)
from reportgen.report.phrases.findings import LeaderComparison, describe_finding, leader_sentence
from reportgen.report.phrases.recommendation import describe_tile, recommendation_callout
from reportgen.report.ranks import (
    classifier_ranks,
    classifier_values,
    evaluated_classifiers,
    is_significantly_better,
)
from reportgen.report.sections.cross_validation import fold_figure
from reportgen.report.sections.datasets import critical_difference_figure
from reportgen.report.sections.forest_plot import PREFERRED_MEASURES, build_forest_plot
from reportgen.report.selection import classifier_color, is_section_included

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline


def build_summary_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the recommendation and the main values of the leader."""
    facts = evaluation.recommendation
    if facts is None:
        return ()
    tiles = tuple(describe_tile(tile) for tile in tile_findings(evaluation))
    has_figure = not evaluation.capabilities and not _has_dataset_figure(evaluation)
    figure = build_summary_figure(evaluation) if has_figure else None
    return (
        recommendation_callout(evaluation, facts),
        *((Tiles(tiles),) if tiles else ()),
        *((figure,) if figure is not None else ()),
    )


def recommendation_sentences(evaluation: Evaluation) -> tuple[tuple[Inline, ...], ...]:
    """Return the recommendation of page one: its title, then its paragraphs."""
    facts = evaluation.recommendation
    if facts is None:
        return ()
    callout = recommendation_callout(evaluation, facts)
    return (callout.title, *(paragraph.parts for paragraph in callout.paragraphs))


def _has_dataset_figure(evaluation: Evaluation) -> bool:
    """Return whether the section on data sets has the figure."""
    return bool(evaluation.datasets) and is_section_included(evaluation, "datasets")


def build_limits_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return what limits the evidence, and the warnings."""
    items = tuple(Paragraph(describe_finding(limit)) for limit in limit_findings(evaluation))
    warnings = tuple(Paragraph(note.parts) for note in warning_notes(evaluation))
    return (Bullets((*warnings, *items)),) if warnings or items else ()


_SUBMITTED_NOTE = "For the predictions as submitted, not at the thresholds of the recommendation:"


def build_findings_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the key findings, the summary figure and the multiplicity of the comparisons."""
    on_page_one = tuple(limit_findings(evaluation))
    findings = [finding for finding in collect_findings(evaluation) if finding not in on_page_one]
    if not findings:
        return ()
    multiplicity = Note(tuple(multiplicity_sentence(evaluation)))
    # The methods section, where there is one, has it in full.
    scope = () if is_section_included(evaluation, "method") else scope_sentences(evaluation)
    # Without a table of capabilities page one has the figure.
    figure = build_summary_figure(evaluation) if evaluation.capabilities else None
    if figure is not None and isinstance(figure.chart, ForestPlot):
        # The section of pairwise comparisons, where there is one, draws these differences too.
        figure = None if is_section_included(evaluation, "comparisons") else figure
    facts = evaluation.recommendation
    at_submitted = facts is not None and bool(facts.chosen)
    return (
        *((Paragraph((_SUBMITTED_NOTE,)),) if at_submitted else ()),
        Bullets(tuple(Paragraph(describe_finding(finding)) for finding in findings)),
        *((figure,) if figure is not None else ()),
        *((multiplicity,) if multiplicity.parts else ()),
        *(Note((sentence,)) for sentence in (" ".join(scope),) if sentence),
    )


# The summary figure.

_FIGURE_NAME, _PAIR_SIZE, _HIGHER = "answer", 2, Orientation.HIGHER
# So many rows stay below six centimetres in print.
_MAX_FOREST_ROWS, _MAX_ROWS = 7, 10
_FEW_CLASSIFIERS, _MAX_RANKED = 4, 12


def build_summary_figure(evaluation: Evaluation) -> Figure | None:
    """Return the summary figure; None where there is nothing to draw."""
    figure = _select_figure(evaluation)
    return None if figure is None else replace(figure, name=_FIGURE_NAME, note=None)


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
    use_forest_plot = len(names) <= _FEW_CLASSIFIERS and evaluation.task_kind != "regression"
    use_forest_plot = use_forest_plot and _is_every_pair_tested(evaluation, main)
    figure = (
        build_forest_plot(evaluation, max_groups=1, max_rows=_MAX_FOREST_ROWS)
        if use_forest_plot
        else None
    )
    scores = classifier_values(evaluation, main).values()
    has_values = any(score.number is not None and math.isfinite(score.number) for score in scores)
    return figure or (_values_figure(evaluation, main) if has_values else None)


def _is_every_pair_tested(evaluation: Evaluation, primary: Measure) -> bool:
    """Return whether every pair, or every pair with the baseline, was tested."""
    names, baseline = evaluated_classifiers(evaluation), evaluation.spec.comparison.baseline
    return all(
        is_significantly_better(evaluation, primary, first, [second]) is not None
        for first, second in combinations(names, _PAIR_SIZE)
        if baseline in {None, first, second}
    )


def _dataset_figure(evaluation: Evaluation) -> Figure | None:
    primary_comparison = next(
        (comparison for comparison in evaluation.datasets if comparison.primary_measure), None
    )
    if primary_comparison is None:
        return None
    figure = critical_difference_figure(evaluation, primary_comparison)
    return (
        _dataset_difference_figure(primary_comparison)
        if figure is None
        else _top_ranks_figure(primary_comparison, figure)
    )


def _top_ranks_figure(comparison: DatasetComparison, figure: Figure) -> Figure:
    """Return the diagram of the best ranks, and who does not differ significantly."""
    chart, best = figure.chart, best_ranked_classifiers(comparison)
    if not isinstance(chart, CriticalDifferenceDiagram):
        return figure
    displayed = [name for name, _ in chart.ranks[:_MAX_RANKED]]
    groups = (tuple(name for name in group if name in displayed) for group in chart.cliques)
    in_clique = {name for group in chart.cliques if set(best) & set(group) for name in group}
    not_significant = [
        name for name in comparison.classifiers if name in in_clique and name not in best
    ]
    verb = "has" if len(best) == 1 else "share"
    description: list[Inline] = [*join_names_abbreviated(best), f" {verb} the best mean rank, "]
    description.append(PlainNumber(comparison.mean_ranks[best[0]], RANK_DECIMALS))
    if not_significant:
        description += [
            f"; {NO_DIFFERENCE} (Wilcoxon–Holm) from ",
            *join_names_abbreviated(not_significant),
        ]
    else:
        description.append(", significantly different from all others (Wilcoxon–Holm)")
    if len(chart.ranks) > _MAX_RANKED:
        description += [" (best ", Count(_MAX_RANKED), " of ", Count(len(chart.ranks)), " shown)"]
    return replace(
        figure,
        chart=replace(
            chart,
            ranks=chart.ranks[:_MAX_RANKED],
            color_indices=chart.color_indices[:_MAX_RANKED],
            cliques=tuple(dict.fromkeys(group for group in groups if len(group) > 1)),
        ),
        description=Paragraph((*description, ".")),
    )


def _dataset_difference_figure(comparison: DatasetComparison) -> Figure | None:
    """Return the differences of two classifiers by data set, best for the first on top."""
    if len(comparison.classifiers) != _PAIR_SIZE:
        return None
    first, second = comparison.classifiers
    values = {
        (value.dataset, value.classifier): value.value.value
        for value in comparison.values
        if value.value.value is not None
    }
    differences = {
        dataset: values[dataset, first] - values[dataset, second] for dataset in comparison.datasets
    }
    orientation, higher = comparison.measure.orientation, comparison.measure.orientation is _HIGHER
    ordered = sorted(differences, key=differences.__getitem__, reverse=higher)
    n_better = sum(
        is_better(values[dataset, first], values[dataset, second], orientation)
        for dataset in comparison.datasets
    )
    quantity, half = measure_phrase(comparison.measure), _MAX_ROWS // 2
    extremes = f" ({half} best and {half} worst data sets shown)."
    return Figure(
        _FIGURE_NAME,
        f"{first} − {second} by data set",
        DotPlot(
            f"Difference in {quantity}",
            tuple(Dot(dataset, differences[dataset]) for dataset in _first_and_last(ordered)),
            reference=0.0,
            reference_label="no difference",
            unit=difference_unit(comparison.measure),
        ),
        Paragraph(
            (
                Strong(first),
                f" has the {'higher' if higher else 'lower'} {quantity} on ",
                Count(n_better),
                " of ",
                Count(len(differences)),
                " data sets",
                extremes if len(ordered) > _MAX_ROWS else ".",
            )
        ),
    )


def _first_and_last(ordered: Sequence[str]) -> Sequence[str]:
    """Return all or, of too many, equally many from either end."""
    if len(ordered) <= _MAX_ROWS:
        return ordered
    half = _MAX_ROWS // 2
    return [*ordered[:half], *ordered[-half:]]


def _single_classifier_figure(evaluation: Evaluation, name: str, primary: Measure) -> Figure:
    """Return the main measures of the only classifier, as far as they share an axis."""
    preferred_measures = [primary, *(find_measure(name) for name in PREFERRED_MEASURES)]
    scores = {
        measure: score
        for measure in dict.fromkeys(preferred_measures)
        if measure is not None
        and (measure is primary or measure in evaluation.overall_measures)
        and measure.range.high == primary.range.high
        and (score := classifier_values(evaluation, measure).get(name)) is not None
    }
    forest_values = dict(list(scores.items())[:_MAX_FOREST_ROWS])
    level = confidence_level(evaluation)
    description: tuple[Inline, ...] = ("Main measures of ", Strong(name), " with ", level)
    value = forest_values.get(primary)
    value_clause: tuple[Inline, ...] = (
        ()
        if value is None
        else (f"; {measure_phrase(primary)} ", *inline_value_with_interval(primary, value))
    )
    order = classifier_color(evaluation, name)
    return Figure(
        _FIGURE_NAME,
        f"{name}: main measures",
        DotPlot(
            "Value",
            tuple(
                _value_dot(measure.title, score, measure, order)
                for measure, score in forest_values.items()
            ),
            unit="%" if all(measure.is_proportion for measure in forest_values) else "",
        ),
        Paragraph((*description, " CIs", *value_clause, ".")),
    )


def _values_figure(evaluation: Evaluation, primary: Measure) -> Figure:
    """Return the primary measure of all, best first; hollow: not significantly worse."""
    scores, ranks = classifier_values(evaluation, primary), classifier_ranks(evaluation, primary)
    ordered = [*ranks, *(name for name in scores if name not in ranks)]
    best = [name for name in ranks if ranks[name] == 1]
    displayed = ordered[:_MAX_ROWS]
    extra = extra_interval_decimals([scores[name] for name in displayed], primary)
    significance = {
        name: [is_significantly_better(evaluation, primary, leader, [name]) for leader in best]
        for name in ranks
        if name not in best
    }
    hollow = [name for name, outcomes in significance.items() if not all(outcomes)]
    comparison = LeaderComparison(
        best,
        not_significant=[
            name for name in hollow if any(leader is not None for leader in significance[name])
        ],
        untested=[name for name in hollow if all(leader is None for leader in significance[name])],
        n_others=len(significance),
        undefined=ordered[len(ranks) :],
        n_omitted=len(ordered) - len(displayed),
    )
    dots = tuple(
        _value_dot(
            name,
            scores[name],
            primary,
            classifier_color(evaluation, name),
            extra,
            hollow=name in hollow,
        )
        for name in displayed
    )
    quantity = measure_phrase(primary)
    return Figure(
        _FIGURE_NAME,
        f"{primary.title}, best to worst",
        DotPlot(
            primary.title if evaluation.measured_classifiers else f"Mean {quantity} across folds",
            dots,
            unit=value_unit(primary),
        ),
        Paragraph(tuple(leader_sentence(comparison))),
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
    estimate = MeasureEstimate(value, measure, extra_decimals=decimals, with_interval=True)
    limits = (value.low, value.high) if value.method is not None else (None, None)
    return Dot(label, value.number, *limits, color_index, hollow, estimate)
