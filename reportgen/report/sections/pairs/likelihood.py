"""Which classifier confirms which class better: the likelihood relations of every pair."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.relations import RELATIONS, UNDEFINED
from reportgen.measures import known_measure
from reportgen.report.detail import in_full
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Math, Verdict
from reportgen.report.sections.pairs.likelihood_graphs import likelihood_graphs
from reportgen.report.tables.capabilities import swap_notes, verdict_tone

if TYPE_CHECKING:
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

MOST_CLASSIFIERS_IN_A_MATRIX = 6
MOST_ROWS, MOST_ROWS_IN_SHORT = 60, 12
NO_RELATION: tuple[str | None, bool | None] = (None, None)


def likelihood_relations(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw where every classifier stands to one of them, and show the relations of every pair."""
    relations = evaluation.relations
    if not relations:
        return ()
    introduction: tuple[Part, ...] = (
        "A higher ",
        Math(known_measure("lr_positive").symbol),
        " confirms the class better, a lower ",
        Math(known_measure("lr_negative").symbol),
        " confirms the rest better. Better in both is superior overall.",
    )
    one_class = len({relation.class_ for relation in relations}) == 1
    few = len(evaluation.measured) <= MOST_CLASSIFIERS_IN_A_MATRIX
    if one_class and few:
        table = _matrix(evaluation)
    else:
        most = MOST_ROWS if in_full(evaluation) else MOST_ROWS_IN_SHORT
        table = _pairs(evaluation) if len(relations) <= most else _tournament(evaluation)
    return (
        Paragraph(introduction),
        *likelihood_graphs(evaluation),
        table,
        *swap_notes(evaluation),
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
