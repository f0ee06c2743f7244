"""The figure of the first page: the one that shows most of the answer in little room."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import is_better
from reportgen.measures import Orientation, find_measure
from reportgen.report.charts.lines import Dot, DotPlot, RankDiagram
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.datasets import RANK_DECIMALS, rank_leaders
from reportgen.report.findings.main import main_measure
from reportgen.report.findings.standing import (
    is_shown_better,
    standing_names,
    standing_places,
    standing_scores,
)
from reportgen.report.parts import Count, Plain, Strong, Value
from reportgen.report.sections.elsewhere.datasets import rank_figure
from reportgen.report.sections.pairs.forest import PREFERRED, forest
from reportgen.report.sections.validation.fold_figure import fold_figure
from reportgen.report.words.best import Standing, where_the_best_stand
from reportgen.report.words.decimals import decimals_to_show
from reportgen.report.words.level import level_of
from reportgen.report.words.spoken import spoken_with_interval
from reportgen.report.words.wording import inside_a_sentence, some_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

NAME, TWO, HIGHER = "answer", 2, Orientation.HIGHER
# So many rows stay below six centimetres on paper.
MOST_IN_A_FOREST, MOST_ROWS = 7, 10
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
    few = few and _all_tested(evaluation, main)
    drawn = forest(evaluation, most_groups=1, most_rows=MOST_IN_A_FOREST) if few else None
    return drawn or _values(evaluation, main)


def _all_tested(evaluation: Evaluation, main: Measure) -> bool:
    """Tell whether every pair was tested; the differences drawn would not be the answer else."""
    names, baseline = standing_names(evaluation), evaluation.spec.comparison.baseline
    return all(
        is_shown_better(evaluation, main, one, [other]) is not None
        for one, other in combinations(names, TWO)
        if baseline in {None, one, other}
    )


def _over_datasets(evaluation: Evaluation) -> Figure | None:
    compared = next((each for each in evaluation.datasets if each.decisive), None)
    if compared is None:
        return None
    drawn = rank_figure(evaluation, compared)
    return _by_dataset(compared) if drawn is None else _best_ranks(compared, drawn)


def _best_ranks(compared: DatasetComparison, drawn: Figure) -> Figure:
    """Keep the best ranks of very many, and say whom the best is not told apart from."""
    chart, best = drawn.chart, rank_leaders(compared)
    if not isinstance(chart, RankDiagram):
        return drawn
    kept = [name for name, _ in chart.ranks[:MOST_RANKED]]
    groups = (tuple(name for name in group if name in kept) for group in chart.groups)
    near = {name for group in chart.groups if set(best) & set(group) for name in group}
    alike = [name for name in compared.classifiers if name in near and name not in best]
    has, it_is = ("has", "it is") if len(best) == 1 else ("share", "they are")
    reading: list[Part] = [*some_names(best), f" {has} the best average rank, "]
    reading += [Plain(compared.average_ranks[best[0]], RANK_DECIMALS), f"; by ranks alone {it_is} "]
    if alike:
        reading += ["not told apart from ", *some_names(alike)]
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


def _by_dataset(compared: DatasetComparison) -> Figure | None:
    """Draw the difference of two classifiers on every data set, the best for the first on top."""
    if len(compared.classifiers) != TWO:
        return None
    first, second = compared.classifiers
    values = {
        (each.dataset, each.classifier): each.score.value
        for each in compared.scores
        if each.score.value is not None
    }
    differences = {
        dataset: values[dataset, first] - values[dataset, second] for dataset in compared.datasets
    }
    orientation, higher = compared.measure.orientation, compared.measure.orientation is HIGHER
    ordered = sorted(differences, key=differences.__getitem__, reverse=higher)
    ahead = sum(
        is_better(values[dataset, first], values[dataset, second], orientation)
        for dataset in compared.datasets
    )
    what, half = inside_a_sentence(compared.measure), MOST_ROWS // 2
    drawn = f"; the {half} best data sets for it and the {half} worst are drawn."
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
                f" has the {'higher' if higher else 'lower'} {what} on ",
                Count(ahead),
                " of ",
                Count(len(differences)),
                " data sets",
                drawn if len(ordered) > MOST_ROWS else ".",
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
    level = level_of(evaluation)
    reading: tuple[Part, ...] = ("The main measures of ", Strong(name), " with their ", level)
    found = drawn.get(main)
    said: tuple[Part, ...] = (
        ()
        if found is None
        else (f"; its {inside_a_sentence(main)} is ", *spoken_with_interval(main, found))
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
    ordered = [*ranks, *(name for name in scores if name not in ranks)]
    best = [name for name in ranks if ranks[name] == 1]
    shown = ordered[:MOST_ROWS]
    extra = decimals_to_show([scores[name] for name in shown], main)
    known = {
        name: [is_shown_better(evaluation, main, each, [name]) for each in best]
        for name in ranks
        if name not in best
    }
    hollow = [name for name, shown_worse in known.items() if not all(shown_worse)]
    standing = Standing(
        best,
        not_shown=[name for name in hollow if any(each is not None for each in known[name])],
        not_tested=[name for name in hollow if all(each is None for each in known[name])],
        others=len(known),
        without=ordered[len(ranks) :],
        left_out=len(ordered) - len(shown),
    )
    dots = tuple(
        _dot(name, scores[name], main, evaluation.order(name), extra, hollow=name in hollow)
        for name in shown
    )
    what = inside_a_sentence(main)
    return Figure(
        NAME,
        f"{main.title}, the best first",
        DotPlot(what if evaluation.measured else f"mean {what} over the folds", dots),
        Paragraph(tuple(where_the_best_stand(standing))),
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
