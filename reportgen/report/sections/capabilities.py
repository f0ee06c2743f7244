"""Who is able to do what: the capability tables, as much of them as a first page holds."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from reportgen.evaluation.comparison import CARDINALS, ORDINAL_NUMERALS, ORDINALS, Decision
from reportgen.measures import (
    CAPABILITIES,
    Capability,
    ThresholdRating,
    TwoSidedRating,
    get_measure,
)
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.formatting import value_among_classifiers
from reportgen.report.inline import Count, MathSymbol, Strong, Tone, VerdictBadge
from reportgen.report.selection import (
    classifiers_best_first,
    is_full_detail,
    is_section_included,
    omitted_in_results_note,
    requested_sections,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.capabilities import CapabilityRow
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# How often each classifier is shown better than another in a class: the capabilities of many.

_TWO_MEASURES_NOTE = (
    "Where a capability rests on two measures, better means shown better in one of them and shown"
    " worse in neither."
)


def significant_wins_table(evaluation: Evaluation) -> Table:
    """Count in how many comparisons, class by class, each classifier is shown better."""
    better: Counter[tuple[str, str]] = Counter()
    tested: Counter[tuple[str, str]] = Counter()
    for capability in CAPABILITIES.values():
        for one, other, found in _class_comparisons(evaluation, capability):
            for name, findings in ((one, found), (other, [each.reversed for each in found])):
                tested[name, capability.name] += 1
                better[name, capability.name] += is_superior_overall(findings)
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            name,
            *(
                Count(better[name, capability]) if tested[name, capability] else None
                for capability in CAPABILITIES
            ),
        )
        for name in evaluation.measured_classifiers
    )
    columns = (
        Column("Classifier"),
        *(Column(capability.title, numeric=True) for capability in CAPABILITIES.values()),
    )
    groups = (RowGroup(rows),)
    return Table(
        "capability-counts",
        _wins_caption(evaluation),
        columns,
        groups,
        Paragraph((_TWO_MEASURES_NOTE,)),
    )


def is_superior_overall(decisions: Sequence[Decision]) -> bool:
    """Tell whether one finding is better and none is worse."""
    return Decision.SUPERIOR in decisions and Decision.INFERIOR not in decisions


def _class_comparisons(
    evaluation: Evaluation, capability: Capability
) -> Iterator[tuple[str, str, list[Decision]]]:
    """Yield two classifiers and what is shown of the first, for every class they are tested in."""
    found: dict[tuple[str, str, str], list[Decision]] = {}
    judgement = capability.rating_rule
    swaps = isinstance(judgement, TwoSidedRating) and judgement.swaps_ratios_below_one
    # Their tests are of the ratios as they were before the swap.
    untold = {
        (frozenset({relation.first, relation.second}), relation.class_)
        for relation in evaluation.likelihood_relations
        if swaps and relation.swapped
    }
    for (pair, class_, measure), row in evaluation.comparison_index.by_key.items():
        told = row.p is not None and (pair, class_) not in untold
        if told and class_ is not None and measure in capability.measures:
            one, other = sorted(pair)
            finding = row.verdict if row.first == one else row.verdict.reversed
            found.setdefault((one, other, class_), []).append(finding)
    for (one, other, _), findings in found.items():
        yield one, other, findings


def _wins_caption(evaluation: Evaluation) -> str:
    """Say of how many comparisons, which are fewer if all are with one classifier."""
    classes = len(evaluation.aggregates.classes)
    others = len(evaluation.measured_classifiers) - 1
    baseline = evaluation.spec.comparison.baseline
    many = f"{others} other{'' if others == 1 else 's'}"
    if baseline is not None and others > 1:
        return (
            f"In how many of {classes} classes each classifier is shown better than {baseline}"
            f" ({baseline}: in how many of {classes * others} comparisons with the {many})"
        )
    return (
        f"In how many of {classes * others} comparisons each classifier is shown better"
        f" ({classes} classes × {many})"
    )


# The capability tables: who is able to do what, and whether the tests back it.

_MAX_ROWS = 60
# A larger adjusted p beside a word says no more than that it is not backed.
_MAX_DISPLAYED_P = 0.1
_CAPABILITY_CAPTIONS = {
    "traditional": "Capabilities shown by traditional measures",
    "discriminant": "Capabilities shown by discriminant measures",
}
_ORDINAL_ABBREVIATIONS = {
    **dict(zip(ORDINALS, ORDINAL_NUMERALS, strict=True)),
    **{word: str(at) for at, word in enumerate(CARDINALS, start=1)},
}
_TOO_MANY_VERDICTS_NOTE = (
    "The verdicts on every classifier and class are too many to print; they are in results.json"
    " under “capabilities”."
)
_VERDICTS_BY_CLASS = "The verdicts on every classifier, class by class,"


def all_capability_tables(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show who leads in which class, and the verdict on everybody as far as a page holds that."""
    if not has_class_capabilities(evaluation):
        return capability_tables(evaluation, evaluation.measured_classifiers)
    if len(evaluation.capabilities) > _MAX_ROWS:
        return (_leaders_table(evaluation), Note((_TOO_MANY_VERDICTS_NOTE,)))
    if not is_full_detail(evaluation):
        return (_leaders_table(evaluation), omitted_in_results_note(_VERDICTS_BY_CLASS))
    return (
        _leaders_table(evaluation),
        *capability_tables(evaluation, evaluation.measured_classifiers),
    )


def capability_tables(evaluation: Evaluation, names: Sequence[str]) -> tuple[Table, ...]:
    """Return both tables, by traditional and by discriminant measures, for these classifiers."""
    return (
        _capability_table(evaluation, "traditional", names),
        _capability_table(evaluation, "discriminant", names),
    )


def has_class_capabilities(evaluation: Evaluation) -> bool:
    """Tell whether there are verdicts for several classes."""
    return len({row.class_ for row in evaluation.capabilities}) > 1


def significance_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Say what backs a verdict where no section on the method does."""
    if is_section_included(evaluation, "method"):
        return ()
    return (Note(tuple(explain_significance(evaluation))),)


def explain_significance(evaluation: Evaluation) -> Iterator[Inline]:
    """Say what a backed verdict is, and what one is that is not."""
    tested = sum(row.is_tested for row in evaluation.comparisons)
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


def likelihood_ratio_swap_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Say whose likelihood ratios were swapped, if any were."""
    swapped = {
        (name, relation.class_)
        for relation in evaluation.likelihood_relations
        for name in relation.swapped_classifiers
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
                MathSymbol(get_measure("lr_positive").symbol),
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


def verdict_tone(verdict: str) -> Tone:
    """Return how a verdict is meant."""
    if verdict in {"superior", "superior on both classes", "superior overall", "good"}:
        return Tone.GOOD
    if verdict.startswith("superior"):
        return Tone.MIXED
    return Tone.BAD if verdict.startswith("inferior") or verdict == "poor" else Tone.NEUTRAL


def _leaders_table(evaluation: Evaluation) -> Table:
    """Name who leads in which class or, if there are too many, count what is shown."""
    by_class = {
        class_: list(rows)
        for class_, rows in groupby(evaluation.capabilities, key=lambda row: row.class_)
    }
    if len(by_class) > _MAX_ROWS:
        return significant_wins_table(evaluation)
    rows = tuple(
        (class_, *(_leader_cell(rows, capability) for capability in CAPABILITIES.values()))
        for class_, rows in by_class.items()
    )
    columns = (
        Column("Class"),
        *(Column(capability.title) for capability in CAPABILITIES.values()),
    )
    return Table("capability-leaders", "Who leads, class by class", columns, (RowGroup(rows),))


def _leader_cell(rows: list[CapabilityRow], capability: Capability) -> TableCell:
    """Name the best, and on which side if not on both, marked as backed or not."""
    cells = {row.classifier: row.cells[capability.name] for row in rows}
    if isinstance(capability.rating_rule, ThresholdRating):
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
        return "undefined" if isinstance(capability.rating_rule, ThresholdRating) else "tied"
    backing = {cells[name].significant for name in leading}
    backed = None if None in backing else all(backing)
    return VerdictBadge("; ".join(words), Tone.NEUTRAL, backed)


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
                (
                    row.classifier,
                    *(_verdict_badge(evaluation, row, capability) for capability in columns),
                )
                for row in sorted(rows, key=lambda row: names.index(row.classifier))
            ),
            None if class_ is None else f"Class {class_}",
        )
        for class_, rows in by_class
    )
    left = len(evaluation.measured_classifiers) - len(names)
    where = "further below" if is_section_included(evaluation, "verdicts") else "in results.json"
    note = Paragraph(
        (f"The best {len(names)}; all {len(evaluation.measured_classifiers)} are {where}.",)
    )
    return Table(
        f"best-{table}" if left else f"capabilities-{table}",
        _CAPABILITY_CAPTIONS[table],
        (Column("Classifier"), *(Column(capability.title) for capability in columns)),
        groups,
        note if left else None,
    )


def _verdict_badge(
    evaluation: Evaluation, row: CapabilityRow, capability: Capability
) -> VerdictBadge:
    cell = row.cells[capability.name]
    because = []
    for name in capability.measures:
        measure = get_measure(name)
        if value := value_among_classifiers(evaluation, row.classifier, measure, row.class_):
            because.append((measure.symbol, value))
    tells = cell.p_adjusted is not None and cell.p_adjusted < _MAX_DISPLAYED_P
    return VerdictBadge(
        _abbreviate_verdict(cell.verdict),
        verdict_tone(cell.verdict),
        cell.significant,
        tuple(because),
        cell.p_adjusted if tells else None,
    )


def _abbreviate_verdict(verdict: str) -> str:
    """Shorten a verdict for a badge: second of three is 2nd of 3; results.json has it whole."""
    short = verdict.replace(" positive examples", " positives")
    short = short.replace(" negative examples", " negatives")
    return " ".join(_ORDINAL_ABBREVIATIONS.get(each, each) for each in short.split(" "))


_MAX_SUMMARY_CLASSIFIERS, _TOP_SUMMARY_CLASSIFIERS = 6, 5


def build_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show who is able to do what: everybody, or the best of many; of many classes the leads."""
    if len(evaluation.measured_classifiers) <= 1 or not evaluation.capabilities:
        return ()
    notes = (*significance_notes(evaluation), *likelihood_ratio_swap_notes(evaluation))
    if has_class_capabilities(evaluation) and not _is_only_capability_section(evaluation):
        return (significant_wins_table(evaluation), *notes)
    if _is_only_capability_section(evaluation):
        return (*all_capability_tables(evaluation), *notes)
    return (*capability_tables(evaluation, _summary_classifiers(evaluation)), *notes)


def build_all_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the verdicts that the first page has no room for."""
    if len(evaluation.measured_classifiers) <= 1 or not evaluation.capabilities:
        return ()
    everybody = len(_summary_classifiers(evaluation)) == len(evaluation.measured_classifiers)
    if (
        everybody
        and not has_class_capabilities(evaluation)
        and is_section_included(evaluation, "capabilities")
    ):
        return ()
    return all_capability_tables(evaluation)


def _is_only_capability_section(evaluation: Evaluation) -> bool:
    """Tell whether sections were chosen, and none among them that shows every verdict."""
    return bool(requested_sections(evaluation)) and not is_section_included(evaluation, "verdicts")


def _summary_classifiers(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers or, of many, the best by the main measure."""
    if len(evaluation.measured_classifiers) <= _MAX_SUMMARY_CLASSIFIERS:
        return evaluation.measured_classifiers
    return classifiers_best_first(evaluation)[:_TOP_SUMMARY_CLASSIFIERS]
