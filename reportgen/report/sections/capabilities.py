"""Who is able to do what: the capability tables and the likelihood relations behind them."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from reportgen.comparisons.verdicts.relations import RELATIONS, UNDEFINED
from reportgen.measures import CAPABILITIES, Capability, Scale, find_measure
from reportgen.report.differences import value_among_all
from reportgen.report.document import (
    Column,
    Count,
    Math,
    Note,
    Paragraph,
    RowGroup,
    Strong,
    Table,
    Tone,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons import CapabilityRow
    from reportgen.formulas import Symbol
    from reportgen.report.document import Block, Cell, Part
    from reportgen.report.evaluation import Evaluation

MOST_CLASSIFIERS_IN_A_MATRIX = 6
MOST_ROWS = 60
CAPTIONS = {
    "traditional": "Capabilities shown by traditional measures",
    "discriminant": "Capabilities shown by discriminant measures",
}
NO_RELATION: tuple[str | None, bool | None] = (None, None)
ALL_VERDICTS = (
    "The verdicts on every classifier and class are too many to print; they are in results.json"
    " under “capabilities”."
)


def capabilities(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show both capability tables."""
    if len(evaluation.measured) <= 1 or not evaluation.capabilities:
        return ()
    if len(evaluation.capabilities) > MOST_ROWS:
        return (*_leaders(evaluation), Note((ALL_VERDICTS,)), *_swap_notes(evaluation))
    return (
        *_leaders(evaluation),
        _capability_table(evaluation, "traditional"),
        _capability_table(evaluation, "discriminant"),
        Note(tuple(_what_backs(evaluation))),
        *_swap_notes(evaluation),
    )


def _what_backs(evaluation: Evaluation) -> Iterator[Part]:
    """Say what a backed verdict is, and what one is that is not."""
    tested = sum(row.decisive and row.p is not None for row in evaluation.differences)
    if evaluation.spec.comparison.correction == "none":
        yield "A verdict is backed if the tests, which are not adjusted for their number, "
    else:
        yield "A verdict is backed if the tests, adjusted for all "
        yield Count(tested)
        yield " differences tested, "
    yield (
        "show it against every other classifier. One that is not backed says who has the better"
        " value on these cases; beyond them the difference may be chance. A grade of discriminant"
        " power is backed if its whole interval has that grade; if not, the true grade may be"
        " another one."
    )


def likelihood_relations(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show, for every pair, which classifier confirms which class better."""
    relations = evaluation.relations
    if not relations:
        return ()
    introduction: tuple[Part, ...] = (
        "A higher ",
        Math(_symbol("lr_positive")),
        " confirms the class better, a lower ",
        Math(_symbol("lr_negative")),
        " confirms the rest better. Better in both is superior overall.",
    )
    one_class = len({relation.class_ for relation in relations}) == 1
    few = len(evaluation.measured) <= MOST_CLASSIFIERS_IN_A_MATRIX
    if one_class and few:
        table = _matrix(evaluation)
    else:
        table = _pairs(evaluation) if len(relations) <= MOST_ROWS else _tournament(evaluation)
    return (Paragraph(introduction), table, *_swap_notes(evaluation))


def verdict_tone(word: str) -> Tone:
    """Return how a verdict is meant."""
    if word in {"superior", "superior on both classes", "superior overall", "good"}:
        return Tone.GOOD
    if word.startswith("superior"):
        return Tone.MIXED
    return Tone.BAD if word.startswith("inferior") or word == "poor" else Tone.NEUTRAL


def _leaders(evaluation: Evaluation) -> tuple[Table, ...]:
    """Where there are several classes, begin with who leads in which."""
    by_class = {
        class_: list(rows)
        for class_, rows in groupby(evaluation.capabilities, key=lambda row: row.class_)
    }
    if len(by_class) == 1:
        return ()
    if len(by_class) > MOST_ROWS:
        return (_lead_counts(evaluation),)
    rows = tuple(
        (class_, *(_leader(rows, capability) for capability in CAPABILITIES.values()))
        for class_, rows in by_class.items()
    )
    columns = (
        Column("Class"),
        *(Column(capability.title) for capability in CAPABILITIES.values()),
    )
    caption = "Who leads, class by class"
    return (Table("capability-leaders", caption, columns, (RowGroup(rows),)),)


def _lead_counts(evaluation: Evaluation) -> Table:
    """Where classes are too many to list, count in how many of them each classifier leads."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in evaluation.capabilities:
        for name, cell in row.cells.items():
            leads = cell.verdict.startswith(("superior", "good"))
            counts[row.classifier, name] += leads and cell.backed is True
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (classifier, *(Count(counts[classifier, name]) for name in CAPABILITIES))
        for classifier in evaluation.measured
    )
    columns = (
        Column("Classifier"),
        *(Column(found.title, numeric=True) for found in CAPABILITIES.values()),
    )
    caption = "In how many classes each classifier is shown superior (discrimination: good)"
    return Table("capability-leaders", caption, columns, (RowGroup(rows),))


def _leader(rows: list[CapabilityRow], capability: Capability) -> Cell:
    """Name the best, and on which side if not on both, marked as backed or not."""
    cells = {row.classifier: row.cells[capability.name] for row in rows}
    if isinstance(capability.judgement, Scale):
        leading = [name for name, cell in cells.items() if cell.rank == 1]
        words = [f"{', '.join(leading)} ({cells[leading[0]].verdict})"] if leading else []
    else:
        sides = {
            name: cell.verdict.removeprefix("superior").strip()
            for name, cell in cells.items()
            if cell.verdict.startswith("superior")
        }
        leading = list(sides)
        both = {"", "on both classes", "overall"}
        words = [name if side in both else f"{name} {side}" for name, side in sides.items()]
    if not words:
        return "undefined" if isinstance(capability.judgement, Scale) else "tied"
    backing = {cells[name].backed for name in leading}
    backed = None if None in backing else all(backing)
    return Verdict("; ".join(words), Tone.NEUTRAL, backed)


def _capability_table(
    evaluation: Evaluation, table: Literal["traditional", "discriminant"]
) -> Table:
    columns = [capability for capability in CAPABILITIES.values() if capability.table == table]
    by_class = groupby(evaluation.capabilities, key=lambda row: row.class_)
    groups = tuple(
        RowGroup(
            tuple(
                (row.classifier, *(_verdict(evaluation, row, capability) for capability in columns))
                for row in rows
            ),
            None if class_ is None else f"Class {class_}",
        )
        for class_, rows in by_class
    )
    return Table(
        f"capabilities-{table}",
        CAPTIONS[table],
        (Column("Classifier"), *(Column(capability.title) for capability in columns)),
        groups,
    )


def _verdict(evaluation: Evaluation, row: CapabilityRow, capability: Capability) -> Verdict:
    cell = row.cells[capability.name]
    because = []
    for name in capability.measures:
        measure = find_measure(name)
        if measure and (value := value_among_all(evaluation, row.classifier, measure, row.class_)):
            because.append((measure.symbol, value))
    return Verdict(
        cell.verdict, verdict_tone(cell.verdict), cell.backed, tuple(because), cell.p_adjusted
    )


def _matrix(evaluation: Evaluation) -> Table:
    words: dict[tuple[str, str], tuple[str | None, bool | None]] = {}
    for relation in evaluation.relations:
        words[relation.first, relation.second] = (relation.relation, relation.backed)
        words[relation.second, relation.first] = (relation.reverse, relation.reverse_backed)
    names = evaluation.measured
    rows = tuple(
        (first, *(_relation_cell(*words.get((first, second), NO_RELATION)) for second in names))
        for first in names
    )
    columns = (Column("Row against column"), *(Column(name) for name in names))
    return Table("likelihood-relations", "Likelihood relations", columns, (RowGroup(rows),))


def _pairs(evaluation: Evaluation) -> Table:
    groups = tuple(
        RowGroup(
            tuple(
                (
                    relation.first,
                    _relation_cell(relation.relation, relation.backed),
                    relation.second,
                )
                for relation in relations
            ),
            None if class_ is None else f"Class {class_}",
        )
        for class_, relations in groupby(evaluation.relations, key=lambda found: found.class_)
    )
    columns = (Column("Classifier"), Column("is"), Column("compared with"))
    return Table("likelihood-relations", "Likelihood relations, by pair", columns, groups)


def _tournament(evaluation: Evaluation) -> Table:
    """Count, for every classifier, how often it stands how to another, where pairs are many."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in evaluation.measured}
    for relation in evaluation.relations:
        counts[relation.first][relation.relation] += 1
        counts[relation.second][relation.reverse] += 1
    words = [
        word for word in dict.fromkeys((*RELATIONS.values(), UNDEFINED)) if _occurs(word, counts)
    ]
    columns = (Column("Classifier"), *(Column(word, numeric=True) for word in words))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(Count(found[word]) for word in words)) for name, found in counts.items()
    )
    note = Paragraph(("Every pair of classifiers on every class; results.json lists them all.",))
    caption = "Likelihood relations: how often a classifier is …"
    return Table("likelihood-relations", caption, columns, (RowGroup(rows),), note)


def _occurs(word: str, counts: dict[str, Counter[str]]) -> bool:
    return any(found[word] for found in counts.values())


def _relation_cell(word: str | None, backed: bool | None) -> Cell:  # noqa: FBT001  # of a pair
    return None if word is None else Verdict(word, verdict_tone(word), backed)


def _swap_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    swapped = {
        (name, relation.class_)
        for relation in evaluation.relations
        for name in relation.swapped_ones
    }
    if not swapped:
        return ()
    names = sorted(
        name if class_ is None else f"{name} (class {class_})" for name, class_ in swapped
    )
    return (
        Note(
            (
                "The relations hold for classifiers whose ",
                Math(_symbol("lr_positive")),
                (
                    " is at least 1. Below that a positive answer speaks against the class, so the"
                    " positive and negative values are swapped first. This was done for "
                ),
                Strong(", ".join(names)),
                ".",
            ),
            warning=True,
        ),
    )


def _symbol(name: str) -> Symbol:
    measure = find_measure(name)
    if measure is None:
        raise LookupError(name)
    return measure.symbol
