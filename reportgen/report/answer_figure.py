"""The figure of the first page: the one that shows most of the answer in little room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.measures import Orientation, find_measure
from reportgen.report.charts import Dot, DotPlot, RankDiagram
from reportgen.report.dataset_findings import RANK_DECIMALS
from reportgen.report.decimals import decimals_to_show
from reportgen.report.differences import with_its_interval
from reportgen.report.document import Count, Figure, Paragraph, Plain, Strong, Value
from reportgen.report.findings import main_measure
from reportgen.report.sections.datasets import rank_figure
from reportgen.report.sections.fold_figure import fold_figure
from reportgen.report.sections.forest import PREFERRED, forest
from reportgen.report.standing import (
    is_shown_better,
    standing_names,
    standing_places,
    standing_scores,
)
from reportgen.report.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import DatasetComparison
    from reportgen.measures import Measure
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation
    from reportgen.scores import Score

NAME, PERCENT, TWO = "answer", 100, 2
# So many rows stay below six centimetres on paper.
MOST_IN_A_FOREST, MOST_ROWS, MOST_NAMED = 7, 10, 3
FEW_CLASSIFIERS, MOST_RANKED = 4, 12


def answer_figure(evaluation: Evaluation) -> Figure | None:
    """Draw the answer; None where there is nothing to draw."""
    found = _chosen(evaluation)
    return None if found is None else replace(found, name=NAME, note=None)


def _chosen(evaluation: Evaluation) -> Figure | None:
    if evaluation.spec.dataset_names:
        return _over_datasets(evaluation)
    main, names = main_measure(evaluation), standing_names(evaluation)
    if main is None or not names:
        return None
    if not evaluation.measured and len(names) <= FEW_CLASSIFIERS:
        return fold_figure(evaluation, main)
    if len(names) == 1:
        return _of_one(evaluation, names[0], main)
    few = len(names) <= FEW_CLASSIFIERS and evaluation.kind != "regression"
    drawn = forest(evaluation, most_groups=1, most_rows=MOST_IN_A_FOREST) if few else None
    return drawn or _values(evaluation, main)


def _over_datasets(evaluation: Evaluation) -> Figure | None:
    compared = next((each for each in evaluation.datasets if each.decisive), None)
    if compared is None:
        return None
    drawn = rank_figure(evaluation, compared)
    return _by_dataset(compared) if drawn is None else _best_ranks(compared, drawn)


def _best_ranks(compared: DatasetComparison, drawn: Figure) -> Figure:
    """Keep the best ranks of very many, and say whom the best is not told apart from."""
    chart, best = drawn.chart, compared.classifiers[0]
    if not isinstance(chart, RankDiagram):
        return drawn
    kept = [name for name, _ in chart.ranks[:MOST_RANKED]]
    groups = (tuple(name for name in group if name in kept) for group in chart.groups)
    alike = [
        name
        for name in compared.classifiers[1:]
        if any(best in group and name in group for group in chart.groups)
    ]
    reading: list[Part] = [Strong(best), " has the best average rank, "]
    reading += [Plain(compared.average_ranks[best], RANK_DECIMALS), "; by ranks alone it is "]
    if alike:
        reading += ["not told apart from ", *_some(alike)]
    else:
        reading.append("told apart from all others")
    if len(chart.ranks) > MOST_RANKED:
        reading += [" (the best ", Count(MOST_RANKED), " of ", Count(len(chart.ranks)), " drawn)"]
    return replace(
        drawn,
        chart=replace(
            chart,
            ranks=chart.ranks[:MOST_RANKED],
            orders=chart.orders[:MOST_RANKED],
            groups=tuple(dict.fromkeys(group for group in groups if len(group) > 1)),
        ),
        reading=Paragraph((*reading, ".")),
    )


def _some(names: Sequence[str]) -> Iterator[Part]:
    yield from names_in_a_row(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        yield from (" and ", Count(len(names) - MOST_NAMED), " more")


def _by_dataset(compared: DatasetComparison) -> Figure | None:
    """Draw the difference of two classifiers on every data set, the largest first."""
    if len(compared.classifiers) != TWO:
        return None
    first, second = compared.classifiers
    values = {(each.dataset, each.classifier): each.score.value for each in compared.scores}
    differences = {
        dataset: (values[dataset, first] or 0.0) - (values[dataset, second] or 0.0)
        for dataset in compared.datasets
    }
    higher = compared.measure.orientation is Orientation.HIGHER
    ordered = sorted(differences, key=differences.__getitem__, reverse=higher)
    wins = sum((found > 0) == higher and found != 0 for found in differences.values())
    what = inside_a_sentence(compared.measure)
    more = len(ordered) - MOST_ROWS
    return Figure(
        NAME,
        f"{first} minus {second}, by data set",
        DotPlot(
            f"difference in {what}",
            tuple(Dot(dataset, differences[dataset]) for dataset in _ends(ordered)),
            reference=0.0,
            reference_label="no difference",
        ),
        Paragraph(
            (
                Strong(first),
                " is better on ",
                Count(wins),
                " of ",
                Count(len(differences)),
                f" data sets in {what}",
                f"; the {MOST_ROWS} farthest apart are drawn." if more > 0 else ".",
            )
        ),
    )


def _ends(ordered: Sequence[str]) -> Sequence[str]:
    """Return all or, of too many, as many from either end."""
    if len(ordered) <= MOST_ROWS:
        return ordered
    half = MOST_ROWS // 2
    return [*ordered[:half], *ordered[-half:]]


def _of_one(evaluation: Evaluation, name: str, main: Measure) -> Figure:
    """Draw the main measures of the only classifier, as far as they share an axis."""
    preferred = [main, *(find_measure(each) for each in PREFERRED)]
    scores = {
        measure: score
        for measure in dict.fromkeys(preferred)
        if measure is not None
        and (measure is main or measure in evaluation.main_measures)
        and measure.range.high == main.range.high
        and (score := standing_scores(evaluation, measure).get(name)) is not None
    }
    drawn = dict(list(scores.items())[:MOST_IN_A_FOREST])
    level = Plain(PERCENT * evaluation.spec.intervals.level, unit="%")
    reading: tuple[Part, ...] = ("The main measures of ", Strong(name), " with their ", level)
    found = drawn.get(main)
    said: tuple[Part, ...] = (
        ()
        if found is None
        else (f"; its {inside_a_sentence(main)} is ", with_its_interval(found, main))
    )
    order = evaluation.order(name)
    return Figure(
        NAME,
        f"{name}: the main measures",
        DotPlot(
            "value",
            tuple(_dot(measure.title, score, measure, order) for measure, score in drawn.items()),
        ),
        Paragraph((*reading, " intervals", *said, ".")),
    )


def _values(evaluation: Evaluation, main: Measure) -> Figure:
    """Draw the main measure of all, best first; whoever is not shown to be worse is hollow."""
    scores, ranks = standing_scores(evaluation, main), standing_places(evaluation, main)
    undefined = [name for name in scores if name not in ranks]
    ordered = [*ranks, *undefined]
    best = [name for name in ranks if ranks[name] == 1]
    open_yet = {
        name
        for name in ranks
        if name not in best
        and not all(is_shown_better(evaluation, main, each, [name]) for each in best)
    }
    shown = ordered[:MOST_ROWS]
    extra = decimals_to_show([scores[name] for name in shown], main)
    dots = tuple(
        _dot(name, scores[name], main, evaluation.order(name), extra, hollow=name in open_yet)
        for name in shown
    )
    more = len(ordered) - len(shown)
    return Figure(
        NAME,
        f"{main.title}, the best first",
        DotPlot(inside_a_sentence(main), dots),
        Paragraph(tuple(_who_is_open(best, [name for name in ordered if name in open_yet], more))),
    )


def _dot(  # noqa: PLR0913  # a dot is this many things
    label: str,
    score: Score,
    measure: Measure,
    order: int,
    extra: int | None = None,
    *,
    hollow: bool = False,
) -> Dot:
    decimals = decimals_to_show([score], measure) if extra is None else extra
    written = Value(score, measure, extra_decimals=decimals, with_interval=True)
    ends = (score.low, score.high) if score.interval is not None else (None, None)
    return Dot(label, score.number, *ends, order, hollow, written)


def _who_is_open(best: Sequence[str], open_yet: Sequence[str], more: int) -> Iterator[Part]:
    """Say whom the best is not shown to be better than; they are hollow."""
    yield from _some(best)
    yield " has the best value" if len(best) == 1 else " share the best value"
    if not open_yet:
        yield " and is shown to be better than all others" if len(best) == 1 else ""
    else:
        yield " but is not shown to be better than " if len(best) == 1 else "; not shown worse: "
        yield from _some(open_yet)
        yield " (hollow)"
    if more > 0:
        yield from ("; ", Count(more), " further ones are left out here")
    yield "."
