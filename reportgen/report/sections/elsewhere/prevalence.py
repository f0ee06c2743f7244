"""What the classifiers would reach where they will be used, and where they change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import find_measure
from reportgen.report.document import Bullets, Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.standing import sharing_the_first_place
from reportgen.report.parts import Interval, MeasureName, Plain, Strong, Words
from reportgen.report.sections.elsewhere.prevalence_figures import is_located, prevalence_figures
from reportgen.report.tables.measures import value_cells
from reportgen.report.words.level import level_of
from reportgen.report.words.spoken import spoken_values, spoken_with_interval
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row, some_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import Crossing, PrevalenceRow
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

BETTER = {"accuracy": "is more accurate", "kappa": "has the higher kappa"}
MOST_SENTENCES = 8
MOST_FINDINGS = 3
# Further apart than this the data of two classifiers differ in more than rounding.
SAME = 1e-9


def prevalence(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures at every target, who changes places where, and the whole range."""
    if not evaluation.prevalence:
        return ()
    return (
        Paragraph(tuple(_introduction(evaluation))),
        _table(evaluation),
        *_crossings(evaluation),
        *prevalence_figures(evaluation, _in_data(evaluation)),
    )


def prevalence_findings(evaluation: Evaluation) -> tuple[Paragraph, ...]:
    """Say for the summary what precision becomes at the targets, and whose order turns."""
    here = _in_data(evaluation) if evaluation.prevalence else ()
    if len(here) != 1:
        return ()
    targets = _targets(evaluation.prevalence)
    # Rarer positives are where precision is lost, so they are told first.
    rarest = min(targets)
    told = rarest if rarest < here[0] else max(targets)
    turning = [
        crossing
        for crossing in evaluation.crossings
        if crossing.measure == "accuracy"
        and crossing.prevalence is not None
        and is_located(crossing)
        and any((crossing.prevalence - here[0]) * (crossing.prevalence - q) < 0 for q in targets)
    ]
    return (
        *_precision_there(evaluation, told),
        *(
            Paragraph((*_turn(crossing), " In the data it is ", Plain(here[0], 3), "."))
            for crossing in turning[:MOST_FINDINGS]
        ),
    )


def _precision_there(evaluation: Evaluation, target: float) -> Iterator[Paragraph]:
    """Say how precise the best would be, all of the best if several are equal."""
    measure = _measure("precision")
    found = {
        row.classifier: row.scores["precision"]
        for row in evaluation.prevalence
        if row.target == target and row.scores["precision"].number is not None
    }
    if not found:
        return
    best = sharing_the_first_place(found, measure)
    there, here = found[best[0]], evaluation.score(best[0], measure)
    alike = all((found[name].low, found[name].high) == (there.low, there.high) for name in best)
    figures = (spoken_with_interval if alike else spoken_values)(measure, there)
    whose: tuple[Part, ...] = (" the precision of ", *some_names(best), " would be ", *figures)
    if len(best) < len(found):
        whose = (" the highest precision would be ", *figures, ", that of ", *some_names(best))
    today = () if here is None or here.number is None else spoken_values(measure, here)
    yield Paragraph(
        (
            "At a prevalence of ",
            Plain(target),
            *whose,
            *((", instead of ", *today, " in the data.") if today else (".",)),
        )
    )


def _targets(rows: Sequence[PrevalenceRow]) -> tuple[float, ...]:
    return tuple(dict.fromkeys(row.target for row in rows))


def _in_data(evaluation: Evaluation) -> tuple[float, ...]:
    """Return the prevalence in the data, or several where the cases differ."""
    at = evaluation.predictions.classes.index(evaluation.spec.task.positive or "")
    found = sorted(sizes[at] / sum(sizes) for sizes in evaluation.class_sizes.values())
    return tuple(
        share for index, share in enumerate(found) if not index or share - found[index - 1] > SAME
    )


def _introduction(evaluation: Evaluation) -> Iterator[Part]:
    here = _in_data(evaluation)
    yield "The prevalence, the share of cases that truly are "
    yield Strong(evaluation.spec.task.positive or "")
    yield ", is "
    yield Plain(here[0], 3)
    if len(here) > 1:
        yield " to "
        yield Plain(here[-1], 3)
    yield " in the data. Where the classifiers will be used it may differ. "
    yield "What they would reach there follows from their sensitivity and specificity, "
    yield "which are taken to stay as they are. Youden's index, the likelihood ratios and "
    yield "discriminant power do not depend on the prevalence. Intervals ("
    yield level_of(evaluation)
    yield "): precision and NPV on the logit scale (Mercaldo and others 2007), the others from"
    yield " the limits of sensitivity and specificity by squaring and adding (Zou and Donner 2008)."


def _table(evaluation: Evaluation) -> Table:
    measures = [_measure(name) for name in evaluation.prevalence[0].scores]
    groups = tuple(
        RowGroup(_rows(evaluation, measures, target), Words(("At a prevalence of ", Plain(target))))
        for target in _targets(evaluation.prevalence)
    )
    columns = (
        Column("Classifier"),
        *(Column(MeasureName(measure), numeric=True) for measure in measures),
    )
    return Table("prevalence", "Measures where the classifiers will be used", columns, groups)


def _rows(
    evaluation: Evaluation, measures: Sequence[Measure], target: float
) -> tuple[tuple[Cell, ...], ...]:
    rows = {row.classifier: row for row in evaluation.prevalence if row.target == target}
    cells = {
        measure: value_cells(
            measure, {name: row.scores[measure.name] for name, row in rows.items()}, list(rows)
        )
        for measure in measures
    }
    return tuple((name, *(cells[measure][name] for measure in measures)) for name in rows)


def _measure(name: str) -> Measure:
    measure = find_measure(name)
    if measure is None:
        raise LookupError(name)
    return measure


def _crossings(evaluation: Evaluation) -> Iterator[Block]:
    """Say where the order turns; best-a-priori kappa turns with accuracy."""
    judged = [crossing for crossing in evaluation.crossings if crossing.measure in BETTER]
    turning = [crossing for crossing in judged if crossing.prevalence is not None]
    if not judged:
        return
    if turning and len(turning) <= MOST_SENTENCES:
        yield Bullets(tuple(Paragraph(tuple(_turn(crossing))) for crossing in turning))
    elif turning:
        yield _crossing_table(turning)
    else:
        yield Paragraph(
            ("By accuracy and by kappa the order of any two is the same at every prevalence.",)
        )
    yield Note(
        (
            (
                "Best-a-priori kappa turns where accuracy does. By precision and by NPV two"
                " classifiers never change places: the order by precision is that of the positive"
                " likelihood ratios, the order by NPV that of the negative ones. Who is better is"
                " said by the values found; whether the difference is certain is another question."
            ),
        )
    )


def _turn(crossing: Crossing) -> Iterator[Part]:
    if not is_located(crossing):
        yield f"Where {inside_a_sentence(_measure(crossing.measure))} ranks "
        yield from names_in_a_row((crossing.first, crossing.second))
        yield " the other way round cannot be located: by the values found it is a prevalence of "
        yield Plain(crossing.prevalence or 0.0, 3)
        yield ", but it may as well be any other."
        return
    yield "By the values found, below a prevalence of "
    yield Plain(crossing.prevalence or 0.0, 3)
    if crossing.low is not None:
        yield " ("
        yield Interval(crossing.low, crossing.high)
        yield ")"
    yield " "
    yield Strong(crossing.below or "")
    yield f" {BETTER[crossing.measure]}, above it "
    yield Strong(crossing.above or "")
    yield "."


def _crossing_table(turning: Sequence[Crossing]) -> Table:
    columns = (
        Column("Measure"),
        Column("Better below"),
        Column("Better above"),
        Column("Equal at prevalence", numeric=True),
        Column("Interval", numeric=True),
    )
    rows = tuple(
        (
            _measure(crossing.measure).title,
            crossing.below,
            crossing.above,
            Plain(crossing.prevalence or 0.0, 3),
            _where(crossing),
        )
        for crossing in turning
    )
    return Table("crossings", "Where two classifiers change places", columns, (RowGroup(rows),))


def _where(crossing: Crossing) -> Cell:
    if not is_located(crossing):
        return "cannot be located"
    return None if crossing.low is None else Interval(crossing.low, crossing.high)
