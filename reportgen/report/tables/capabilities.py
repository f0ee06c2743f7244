"""The capability tables: who is able to do what, and whether the tests back it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal

from reportgen.comparisons.verdicts.ranking import CARDINALS, ORDINALS, ending
from reportgen.measures import CAPABILITIES, Capability, Scale, known_measure
from reportgen.report.detail import in_full, is_asked_for, rest_elsewhere
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, Math, Strong, Tone, Verdict
from reportgen.report.tables.capability_counts import better_counts
from reportgen.report.words.differences import value_among_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.verdicts.capabilities import CapabilityRow
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

MOST_ROWS = 60
# A larger adjusted p beside a word says no more than that it is not backed.
LARGEST_P_SHOWN = 0.1
CAPTIONS = {
    "traditional": "Capabilities shown by traditional measures",
    "discriminant": "Capabilities shown by discriminant measures",
}
BRIEFLY = {
    **{word: f"{at}{ending(at)}" for at, word in enumerate(ORDINALS, start=1)},
    **{word: str(at) for at, word in enumerate(CARDINALS, start=1)},
}
ALL_VERDICTS = (
    "The verdicts on every classifier and class are too many to print; they are in results.json"
    " under “capabilities”."
)
BY_CLASS = "The verdicts on every classifier, class by class,"


def every_verdict(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show who leads in which class, and the verdict on everybody as far as a page holds that."""
    if not is_by_class(evaluation):
        return capability_tables(evaluation, evaluation.measured)
    if len(evaluation.capabilities) > MOST_ROWS:
        return (_leaders(evaluation), Note((ALL_VERDICTS,)))
    if not in_full(evaluation):
        return (_leaders(evaluation), rest_elsewhere(BY_CLASS))
    return (_leaders(evaluation), *capability_tables(evaluation, evaluation.measured))


def capability_tables(evaluation: Evaluation, names: Sequence[str]) -> tuple[Table, ...]:
    """Return both tables, by traditional and by discriminant measures, for these classifiers."""
    return (
        _capability_table(evaluation, "traditional", names),
        _capability_table(evaluation, "discriminant", names),
    )


def is_by_class(evaluation: Evaluation) -> bool:
    """Tell whether there are verdicts for several classes."""
    return len({row.class_ for row in evaluation.capabilities}) > 1


def unexplained_backing(evaluation: Evaluation) -> tuple[Note, ...]:
    """Say what backs a verdict where no section on the method does."""
    if is_asked_for(evaluation, "method"):
        return ()
    return (Note(tuple(what_backs(evaluation))),)


def what_backs(evaluation: Evaluation) -> Iterator[Part]:
    """Say what a backed verdict is, and what one is that is not."""
    tested = sum(row.is_tested for row in evaluation.differences)
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
        " another one. That interval is of one value by itself: grades are not counted among the"
        " differences tested."
    )


def swap_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Say whose likelihood ratios were swapped, if any were."""
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
                Math(known_measure("lr_positive").symbol),
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


def verdict_tone(word: str) -> Tone:
    """Return how a verdict is meant."""
    if word in {"superior", "superior on both classes", "superior overall", "good"}:
        return Tone.GOOD
    if word.startswith("superior"):
        return Tone.MIXED
    return Tone.BAD if word.startswith("inferior") or word == "poor" else Tone.NEUTRAL


def _leaders(evaluation: Evaluation) -> Table:
    """Name who leads in which class or, if there are too many, count what is shown."""
    by_class = {
        class_: list(rows)
        for class_, rows in groupby(evaluation.capabilities, key=lambda row: row.class_)
    }
    if len(by_class) > MOST_ROWS:
        return better_counts(evaluation)
    rows = tuple(
        (class_, *(_leader(rows, capability) for capability in CAPABILITIES.values()))
        for class_, rows in by_class.items()
    )
    columns = (
        Column("Class"),
        *(Column(capability.title) for capability in CAPABILITIES.values()),
    )
    return Table("capability-leaders", "Who leads, class by class", columns, (RowGroup(rows),))


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
    evaluation: Evaluation,
    table: Literal["traditional", "discriminant"],
    names: Sequence[str],
) -> Table:
    columns = [capability for capability in CAPABILITIES.values() if capability.table == table]
    by_class = groupby(
        (row for row in evaluation.capabilities if row.classifier in names),
        key=lambda row: row.class_,
    )
    groups = tuple(
        RowGroup(
            tuple(
                (row.classifier, *(_verdict(evaluation, row, capability) for capability in columns))
                for row in sorted(rows, key=lambda row: names.index(row.classifier))
            ),
            None if class_ is None else f"Class {class_}",
        )
        for class_, rows in by_class
    )
    left = len(evaluation.measured) - len(names)
    where = "further below" if is_asked_for(evaluation, "verdicts") else "in results.json"
    note = Paragraph((f"The best {len(names)}; all {len(evaluation.measured)} are {where}.",))
    return Table(
        f"best-{table}" if left else f"capabilities-{table}",
        CAPTIONS[table],
        (Column("Classifier"), *(Column(capability.title) for capability in columns)),
        groups,
        note if left else None,
    )


def _verdict(evaluation: Evaluation, row: CapabilityRow, capability: Capability) -> Verdict:
    cell = row.cells[capability.name]
    because = []
    for name in capability.measures:
        measure = known_measure(name)
        if value := value_among_all(evaluation, row.classifier, measure, row.class_):
            because.append((measure.symbol, value))
    tells = cell.p_adjusted is not None and cell.p_adjusted < LARGEST_P_SHOWN
    return Verdict(
        _in_short(cell.verdict),
        verdict_tone(cell.verdict),
        cell.backed,
        tuple(because),
        cell.p_adjusted if tells else None,
    )


def _in_short(word: str) -> str:
    """Shorten a verdict for a badge: second of three is 2nd of 3; results.json has it whole."""
    short = word.replace(" positive examples", " positives")
    short = short.replace(" negative examples", " negatives")
    return " ".join(BRIEFLY.get(each, each) for each in short.split(" "))
