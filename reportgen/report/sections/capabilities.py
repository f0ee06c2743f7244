"""Capabilities: ratings of the classifiers and whether they are statistically confirmed."""

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


# Number of significant wins by class, for many classes.

_TWO_MEASURES_NOTE = (
    "For capabilities of two measures a win is significantly better in one and significantly worse"
    " in neither."
)


def significant_wins_table(evaluation: Evaluation) -> Table:
    """Return the number of significant per-class wins of each classifier."""
    better: Counter[tuple[str, str]] = Counter()
    tested: Counter[tuple[str, str]] = Counter()
    for capability in CAPABILITIES.values():
        for first, second, decisions in _class_comparisons(evaluation, capability):
            for name, findings in (
                (first, decisions),
                (second, [decision.reversed for decision in decisions]),
            ):
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
    """Return whether one decision is superior and none is inferior."""
    return Decision.SUPERIOR in decisions and Decision.INFERIOR not in decisions


def _class_comparisons(
    evaluation: Evaluation, capability: Capability
) -> Iterator[tuple[str, str, list[Decision]]]:
    """Yield pairs of classifiers with the decisions on the first, for every tested class."""
    decisions: dict[tuple[str, str, str], list[Decision]] = {}
    rule = capability.rating_rule
    is_swapped_rule = isinstance(rule, TwoSidedRating) and rule.swaps_ratios_below_one
    # Tests of swapped ratios refer to the ratios before swapping.
    swapped_pairs = {
        (frozenset({relation.first, relation.second}), relation.class_)
        for relation in evaluation.likelihood_relations
        if is_swapped_rule and relation.swapped
    }
    for (pair, class_, measure), row in evaluation.comparison_index.by_key.items():
        is_usable = row.p is not None and (pair, class_) not in swapped_pairs
        if is_usable and class_ is not None and measure in capability.measures:
            first, second = sorted(pair)
            finding = row.verdict if row.first == first else row.verdict.reversed
            decisions.setdefault((first, second, class_), []).append(finding)
    for (first, second, _), findings in decisions.items():
        yield first, second, findings


def _wins_caption(evaluation: Evaluation) -> str:
    """Return the caption with the number of comparisons, fewer with a baseline."""
    classes = len(evaluation.aggregates.classes)
    others = len(evaluation.measured_classifiers) - 1
    baseline = evaluation.spec.comparison.baseline
    competitors = f"{others} competitor{'' if others == 1 else 's'}"
    if baseline is not None and others > 1:
        return (
            f"Significant wins against {baseline} in {classes} classes"
            f" ({baseline}: in {classes * others} comparisons with {competitors})"
        )
    comparisons = classes * others
    return f"Significant wins out of {comparisons} comparisons ({classes} classes × {competitors})"


# Capability tables.

_MAX_ROWS = 60
# Larger adjusted p-values are not printed with a rating.
_MAX_DISPLAYED_P = 0.1
_CAPABILITY_CAPTIONS = {
    "traditional": "Capability summary: traditional measures (Sokolova et al. 2006, table 4)",
    "discriminant": "Capability summary: discriminant measures (Sokolova et al. 2006, table 6)",
}
_ORDINAL_ABBREVIATIONS = {
    **dict(zip(ORDINALS, ORDINAL_NUMERALS, strict=True)),
    **{word: str(at) for at, word in enumerate(CARDINALS, start=1)},
}
_TOO_MANY_VERDICTS_NOTE = "Ratings of every classifier and class: results.json, “capabilities”."
_VERDICTS_BY_CLASS = "Ratings of every classifier by class"


def all_capability_tables(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the best classifiers by class, and all ratings in full detail."""
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
    """Return the tables of traditional and discriminant measures for these classifiers."""
    return (
        _capability_table(evaluation, "traditional", names),
        _capability_table(evaluation, "discriminant", names),
    )


def has_class_capabilities(evaluation: Evaluation) -> bool:
    """Return whether there are ratings for several classes."""
    return len({row.class_ for row in evaluation.capabilities}) > 1


def significance_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return the definition of a confirmed rating, unless the methods section has it."""
    if is_section_included(evaluation, "method"):
        return ()
    return (Note(tuple(explain_significance(evaluation))),)


def explain_significance(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the definition of a confirmed rating."""
    tested = sum(row.is_tested for row in evaluation.comparisons)
    if evaluation.spec.comparison.correction == "none":
        yield "“Confirmed” = significantly better than every other classifier (p unadjusted)."
    else:
        yield "“Confirmed” = significantly better than every other classifier after adjustment for "
        yield from (Count(tested), " comparisons.")
    yield (
        " A grade of discriminant power is confirmed if its CI (unadjusted) lies within the grade."
    )


def likelihood_ratio_swap_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a caution naming the classifiers with swapped likelihood ratios, if any."""
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
                MathSymbol(get_measure("lr_positive").symbol),
                " < 1 (positive predictions lower the odds): ",
                Strong(", ".join(names)),
                ". Their predictions are inverted before the likelihood ratios are compared.",
            ),
            warning=True,
        ),
    )


def verdict_tone(verdict: str) -> Tone:
    """Return the tone of a rating."""
    if verdict in {"superior", "superior on both classes", "superior overall", "good"}:
        return Tone.GOOD
    if verdict.startswith("superior"):
        return Tone.MIXED
    return Tone.BAD if verdict.startswith("inferior") or verdict == "poor" else Tone.NEUTRAL


def _leaders_table(evaluation: Evaluation) -> Table:
    """Return the best classifiers by class or, of too many classes, the number of wins."""
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
    return Table(
        "capability-leaders", "Best classifier by class and capability", columns, (RowGroup(rows),)
    )


def _leader_cell(rows: list[CapabilityRow], capability: Capability) -> TableCell:
    """Return the best classifiers, with the side if not both, and whether they are confirmed."""
    cells = {row.classifier: row.cells[capability.name] for row in rows}
    if isinstance(capability.rating_rule, ThresholdRating):
        leading = [name for name, cell in cells.items() if cell.rank == 1]
        leaders = [f"{', '.join(leading)} ({cells[leading[0]].verdict})"] if leading else []
    else:
        sides = {
            name: cell.verdict.removeprefix("superior").strip()
            for name, cell in cells.items()
            if cell.verdict.startswith("superior")
        }
        leading = list(sides)
        both_sides = {"", "on both classes", "overall"}
        leaders = [name if side in both_sides else f"{name} {side}" for name, side in sides.items()]
    if not leaders:
        return "undefined" if isinstance(capability.rating_rule, ThresholdRating) else "tied"
    outcomes = {cells[name].significant for name in leading}
    significant = None if None in outcomes else all(outcomes)
    return VerdictBadge("; ".join(leaders), Tone.NEUTRAL, significant)


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
    n_more = len(evaluation.measured_classifiers) - len(names)
    location = "below" if is_section_included(evaluation, "verdicts") else "in results.json"
    note = Paragraph(
        (f"Best {len(names)} of {len(evaluation.measured_classifiers)}; full list {location}.",)
    )
    return Table(
        f"best-{table}" if n_more else f"capabilities-{table}",
        _CAPABILITY_CAPTIONS[table],
        (Column("Classifier"), *(Column(capability.title) for capability in columns)),
        groups,
        note if n_more else None,
    )


def _verdict_badge(
    evaluation: Evaluation, row: CapabilityRow, capability: Capability
) -> VerdictBadge:
    cell = row.cells[capability.name]
    reasons = []
    for name in capability.measures:
        measure = get_measure(name)
        if value := value_among_classifiers(evaluation, row.classifier, measure, row.class_):
            reasons.append((measure.symbol, value))
    has_small_p = cell.p_adjusted is not None and cell.p_adjusted < _MAX_DISPLAYED_P
    return VerdictBadge(
        _abbreviate_verdict(cell.verdict),
        verdict_tone(cell.verdict),
        cell.significant,
        tuple(reasons),
        cell.p_adjusted if has_small_p else None,
    )


def _abbreviate_verdict(verdict: str) -> str:
    """Return the short form of a rating for a badge: second of three is 2nd of 3."""
    text = verdict.replace(" positive examples", " positives")
    text = text.replace(" negative examples", " negatives")
    return " ".join(_ORDINAL_ABBREVIATIONS.get(word, word) for word in text.split(" "))


_MAX_SUMMARY_CLASSIFIERS, _TOP_SUMMARY_CLASSIFIERS = 6, 5


def build_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the ratings of all or the best classifiers; of several classes the wins."""
    if len(evaluation.measured_classifiers) <= 1 or not evaluation.capabilities:
        return ()
    notes = (*significance_notes(evaluation), *likelihood_ratio_swap_notes(evaluation))
    if has_class_capabilities(evaluation) and not _is_only_capability_section(evaluation):
        return (significant_wins_table(evaluation), *notes)
    if _is_only_capability_section(evaluation):
        return (*all_capability_tables(evaluation), *notes)
    return (*capability_tables(evaluation, _summary_classifiers(evaluation)), *notes)


def build_all_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the ratings that are not in the summary."""
    if len(evaluation.measured_classifiers) <= 1 or not evaluation.capabilities:
        return ()
    all_in_summary = len(_summary_classifiers(evaluation)) == len(evaluation.measured_classifiers)
    if (
        all_in_summary
        and not has_class_capabilities(evaluation)
        and is_section_included(evaluation, "capabilities")
    ):
        return ()
    return all_capability_tables(evaluation)


def _is_only_capability_section(evaluation: Evaluation) -> bool:
    """Return whether sections were chosen without the section of all ratings."""
    return bool(requested_sections(evaluation)) and not is_section_included(evaluation, "verdicts")


def _summary_classifiers(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers or, of many, the best by the primary measure."""
    if len(evaluation.measured_classifiers) <= _MAX_SUMMARY_CLASSIFIERS:
        return evaluation.measured_classifiers
    return classifiers_best_first(evaluation)[:_TOP_SUMMARY_CLASSIFIERS]
