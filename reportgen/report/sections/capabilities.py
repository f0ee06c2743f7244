"""Capabilities: what each classifier is good at, as far as the tests confirm it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.evaluation.capabilities import (
    TIED_RATING,
    UNDEFINED_RATING,
    CapabilityRating,
    SideRating,
)
from reportgen.measures import (
    CAPABILITIES,
    Capability,
    SingleMeasureRating,
    ThresholdRating,
    TwoSidedRating,
    get_measure,
)
from reportgen.report.document import Column, Details, Note, Paragraph, RowGroup, Table
from reportgen.report.formatting import TO_PERCENT, is_integer_valued, value_among_classifiers
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    Count,
    MathSymbol,
    MeasureEstimate,
    PlainNumber,
    RankRange,
    RatingMeasureName,
    Strong,
    Tone,
    VerdictBadge,
)
from reportgen.report.selection import (
    classifiers_best_first,
    is_full_detail,
    is_section_included,
    omitted_in_results_note,
    requested_sections,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.capabilities import CapabilityRow
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


_PAIR, _MAX_COMPACT_CLASSIFIERS = 2, 3
# Of more classifiers the first page has only the best.
_MAX_SUMMARY_CLASSIFIERS, _TOP_SUMMARY_CLASSIFIERS = 12, 8
# Of more classes the table by class has the hardest, of more classifiers the marks of the best.
_MAX_CLASSES, _MAX_MARKS = 30, 4
_MAX_INITIALS, _MAX_SPELLED_RANKS = 2, 9
# Larger adjusted p-values are not printed with a rating.
_MAX_DISPLAYED_P = 0.1
_SOURCE = "Tables 4 and 6 of Sokolova, Japkowicz and Szpakowicz (2006)"
_TABLE_HEADS = {
    "traditional": "Traditional measures (Table 4)",
    "discriminant": "Discriminant measures (Table 6)",
}
_POSITIVE_SIDE, _NEGATIVE_SIDE = "+", "−"
_MACRO_NOTE = "Macro averages over the classes; overall effectiveness by accuracy."
_ALL_CLASSES = "All"
_BEST_MARK, _WORST_MARK, _MIXED_MARK, _UNDEFINED_MARK = "▲", "▼", "–", "undef."


# Sections.


def build_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table for the first page, of many classifiers that of the best."""
    if not _has_capabilities(evaluation):
        return ()
    notes = (*significance_notes(evaluation), *likelihood_ratio_swap_notes(evaluation))
    if _is_only_capability_section(evaluation):
        return (*_all_tables(evaluation), *notes)
    return (_compact_table(evaluation), *notes)


def build_all_capabilities_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the ratings of all classifiers with their values, and those by class."""
    if not _has_capabilities(evaluation):
        return ()
    is_expected = is_full_detail(evaluation) or "verdicts" in requested_sections(evaluation)
    if _is_compact(evaluation) and evaluation.task_kind == "binary" and not is_expected:
        return ()
    tables = _all_tables(evaluation)
    if is_expected or len(_rated_rows(evaluation)) > _MAX_SUMMARY_CLASSIFIERS:
        return tables
    # The first page has the ratings of all of them: only the values are new.
    return tuple(
        Details(
            Paragraph(("Values behind the capability table, with the ranks left open.",)), (table,)
        )
        if isinstance(table, Table) and table.name == "capability-ranks"
        else table
        for table in tables
    )


def _has_capabilities(evaluation: Evaluation) -> bool:
    return len(evaluation.measured_classifiers) > 1 and bool(evaluation.capabilities)


def _is_only_capability_section(evaluation: Evaluation) -> bool:
    """Return whether sections were chosen without the section of all ratings."""
    return bool(requested_sections(evaluation)) and not is_section_included(evaluation, "verdicts")


def _is_compact(evaluation: Evaluation) -> bool:
    """Return whether the classifiers are few enough for the compact table alone."""
    return len(evaluation.measured_classifiers) <= _MAX_COMPACT_CLASSIFIERS


def _all_tables(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the table of all classifiers, the compact one of few, and the table by class."""
    is_multiclass = bool(evaluation.average_capabilities)
    only_section = _is_only_capability_section(evaluation)
    overall = (
        _compact_table(evaluation)
        if only_section and _is_compact(evaluation)
        else _full_table(evaluation)
    )
    if not is_multiclass:
        return (overall,)
    by_class = _class_table(evaluation)
    is_repeated = _is_compact(evaluation) and not only_section and not is_full_detail(evaluation)
    return (by_class,) if is_repeated else (overall, by_class)


# Notes.


def significance_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return the definition of a confirmed rating, unless the methods section has it."""
    if is_section_included(evaluation, "method"):
        return ()
    return (Note(tuple(explain_significance(evaluation))),)


def explain_significance(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the definition of a confirmed rating."""
    tested = len(evaluation.tested_comparisons)
    if evaluation.spec.comparison.correction == "none":
        yield "“Confirmed” = significantly different from every other classifier (p unadjusted)."
    else:
        yield "“Confirmed” = significantly different from every other classifier after adjustment"
        yield from (" for ", Count(tested), " comparisons.")
    if len(evaluation.measured_classifiers) > _PAIR:
        yield (
            " Ranks left open by the tests: from 1 + the number of classifiers shown to be better"
            " to the number of classifiers − those shown to be worse (Mogstad et al. 2024)."
        )
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
                ". Such predictions are inverted before the likelihood ratios are compared.",
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


# The ratings of the positive class, or of all classes together.


def _rated_rows(evaluation: Evaluation) -> dict[str, CapabilityRow]:
    """Return the ratings of every classifier, the best classifier first."""
    rows = evaluation.average_capabilities or evaluation.capabilities
    by_name = {row.classifier: row for row in rows}
    return {name: by_name[name] for name in classifiers_best_first(evaluation) if name in by_name}


def _caption(evaluation: Evaluation) -> str:
    classes = len(evaluation.named_classes)
    plural = evaluation.class_noun_plural
    scope = f" over all {classes} {plural}" if evaluation.average_capabilities else ""
    return f"Capabilities{scope}, after {_SOURCE}"


def _side_notes(evaluation: Evaluation) -> tuple[str, ...]:
    """Return what the two sides are."""
    if evaluation.average_capabilities:
        sides = f"{_POSITIVE_SIDE}: cases of the class, {_NEGATIVE_SIDE}: all others."
        return sides, _MACRO_NOTE
    positive = evaluation.spec.task.positive
    return (f"{_POSITIVE_SIDE}: class {positive}, {_NEGATIVE_SIDE}: all others.",)


def _table_head(capability: Capability) -> str:
    return _TABLE_HEADS[capability.table]


def _compact_table(evaluation: Evaluation) -> Table:
    """Return the ratings of all or the best classifiers in one column per capability."""
    rows = _rated_rows(evaluation)
    n_rows = len(rows)
    names = list(rows)
    if n_rows > _MAX_SUMMARY_CLASSIFIERS:
        names = names[:_TOP_SUMMARY_CLASSIFIERS]
    columns = (
        Column("Classifier"),
        *(
            Column(CapabilityName(capability), group_heads=(_table_head(capability),))
            for capability in CAPABILITIES.values()
        ),
    )
    in_words = n_rows == _PAIR
    cells: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            name,
            *(
                _words_cell(evaluation, rows[name], capability)
                if in_words
                else _ranks_cell(evaluation, rows[name], capability)
                for capability in CAPABILITIES.values()
            ),
        )
        for name in names
    )
    notes = list(() if in_words else _side_notes(evaluation))
    if in_words and evaluation.average_capabilities:
        notes.append(_MACRO_NOTE)
    if len(names) < n_rows:
        is_below = is_section_included(evaluation, "verdicts")
        location = "in “Capabilities of all classifiers”" if is_below else "in results.json"
        notes.append(f"The best {len(names)} of {n_rows} classifiers; all {location}.")
    return Table(
        "capabilities",
        _caption(evaluation),
        columns,
        (RowGroup(cells),),
        Paragraph((" ".join(notes),)) if notes else None,
    )


def _full_table(evaluation: Evaluation) -> Table:
    """Return the value, the rank and the ranks left open, in one column per measure."""
    columns = [Column("Classifier")]
    for capability in CAPABILITIES.values():
        heads = (_table_head(capability), CapabilityName(capability))
        columns += [
            Column(RatingMeasureName(get_measure(measure), side), group_heads=heads)
            for measure, side in _rated_measures(capability)
        ]
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            name,
            *(
                cell
                for capability in CAPABILITIES.values()
                for cell in _value_cells(evaluation, row, capability)
            ),
        )
        for name, row in _rated_rows(evaluation).items()
    )
    return Table(
        "capability-ranks",
        _caption(evaluation),
        tuple(columns),
        (RowGroup(rows),),
        Paragraph((" ".join(_side_notes(evaluation)),)),
    )


def _rated_measures(capability: Capability) -> tuple[tuple[str, str], ...]:
    """Return the measures of a capability with their sides."""
    rule = capability.rating_rule
    if isinstance(rule, TwoSidedRating):
        return (rule.positive, _POSITIVE_SIDE), (rule.negative, _NEGATIVE_SIDE)
    return ((rule.measure, ""),)


# Cells: two classifiers in the words of the paper.


def _words_cell(evaluation: Evaluation, row: CapabilityRow, capability: Capability) -> TableCell:
    """Return the rating of one of two classifiers in the words of the paper.

    Where the tests confirm only one side of a rating on both, each side has its own.
    """
    cell, rule = row.cells[capability.name], capability.rating_rule
    positive, negative = cell.positive, cell.negative
    if (
        isinstance(rule, TwoSidedRating)
        and positive is not None
        and negative is not None
        and cell.verdict.endswith(rule.both_classes_suffix)
        and positive.significant is not negative.significant
    ):
        return CellGroup(
            tuple(
                _words_badge(evaluation, row, side, f"{side.verdict} {suffix}", (side.measure,))
                for side, suffix in (
                    (positive, rule.positive_class_suffix),
                    (negative, rule.negative_class_suffix),
                )
            )
        )
    text = cell.verdict
    if cell.grade_low is not None and isinstance(rule, ThresholdRating):
        text = _grade_text(cell)
    elif text == TIED_RATING:
        text = f"tied at rank {cell.rank}"
    return _words_badge(evaluation, row, cell, text, capability.measures)


def _words_badge(
    evaluation: Evaluation,
    row: CapabilityRow,
    rating: CapabilityRating | SideRating,
    text: str,
    measures: Sequence[str],
) -> VerdictBadge:
    reasons = [
        (get_measure(name).symbol, value)
        for name in measures
        if (value := _value(evaluation, row, name))
    ]
    has_small_p = rating.p_adjusted is not None and rating.p_adjusted < _MAX_DISPLAYED_P
    return VerdictBadge(
        _abbreviate_verdict(text),
        verdict_tone(text),
        rating.significant,
        tuple(reasons),
        rating.p_adjusted if has_small_p else None,
    )


def _abbreviate_verdict(verdict: str) -> str:
    """Return the short form of a rating for a badge."""
    text = verdict.replace(" positive examples", " positives")
    return text.replace(" negative examples", " negatives")


def _value(evaluation: Evaluation, row: CapabilityRow, name: str) -> MeasureEstimate | None:
    """Return the value of a measure that rates a classifier."""
    return value_among_classifiers(
        evaluation, row.classifier, get_measure(name), row.class_, row.average_of(name)
    )


# Cells: three and more classifiers by the ranks that the tests leave open.


def _ranks_cell(evaluation: Evaluation, row: CapabilityRow, capability: Capability) -> CellGroup:
    """Return a badge for every confirmed rank, a range for all others."""
    cell, rule = row.cells[capability.name], capability.rating_rule
    match rule:
        case SingleMeasureRating(measure):
            return CellGroup((_rank_line(evaluation, row, cell, measure),))
        case ThresholdRating(measure=measure):
            return CellGroup((_grade_line(evaluation, row, cell, rule),))
        case TwoSidedRating():
            sides = (cell.positive, cell.negative)
            words = {_confirmed_word(side) for side in sides if side is not None}
            (word, *others) = words or {""}
            if None not in sides and not others and word in {"superior", "inferior"}:
                text = f"{word} {rule.both_classes_suffix}"
                return CellGroup((VerdictBadge(text, verdict_tone(text), significant=True),))
            return CellGroup(
                tuple(
                    _rank_line(evaluation, row, side, measure, sign)
                    for side, (measure, sign) in zip(
                        sides, _rated_measures(capability), strict=True
                    )
                )
            )


def _rank_line(
    evaluation: Evaluation,
    row: CapabilityRow,
    rating: CapabilityRating | SideRating | None,
    measure: str,
    side: str = "",
) -> VerdictBadge | RankRange:
    """Return a badge if the tests leave one rank, else the ranks left open."""
    ranks = _rank_range(evaluation, row, rating, measure)
    word = "" if rating is None else _confirmed_word(rating)
    suffix = f" on\u00a0{side}" if side else ""
    if word:
        tone = verdict_tone(f"{word}{suffix}")
        return VerdictBadge(f"{word}{suffix}", tone, significant=True)
    # Values and the reasons of undefined ones are in the table of measures.
    return replace(ranks, side=side, estimate=None)


def _value_cells(
    evaluation: Evaluation, row: CapabilityRow, capability: Capability
) -> Iterator[RankRange]:
    """Yield the value with the ranks left open, for each measure of a capability."""
    cell, rule = row.cells[capability.name], capability.rating_rule
    match rule:
        case SingleMeasureRating(measure):
            yield _rank_range(evaluation, row, cell, measure)
        case ThresholdRating():
            yield _grade_range(evaluation, row, cell, rule)
        case TwoSidedRating():
            yield _rank_range(evaluation, row, cell.positive, rule.positive)
            yield _rank_range(evaluation, row, cell.negative, rule.negative)


def _rank_range(
    evaluation: Evaluation,
    row: CapabilityRow,
    rating: CapabilityRating | SideRating | None,
    measure: str,
) -> RankRange:
    """Return the value, the observed rank and the ranks that the tests leave open."""
    estimate = _value(evaluation, row, measure)
    if rating is None or rating.rank is None:
        return RankRange("", None, 0, estimate=estimate)
    rank, low, high = rating.rank, rating.rank_low, rating.rank_high
    tied = ", tied" if rating.verdict == TIED_RATING else ""
    word = _confirmed_word(rating)
    if low is None or high is None:
        text, alternative_text = f"rank {rank}{tied}, not tested", "not tested"
    elif low == high:
        text, alternative_text = word, "confirmed"
    else:
        # With two digits there is no room for the word.
        text = f"{low}–{high}" if rating.of > _MAX_SPELLED_RANKS else f"rank {low}–{high}"
        alternative_text = f"the tests leave ranks {low} to {high} open"
    return RankRange(
        text,
        rank,
        rating.of,
        low=low,
        high=high,
        tone=_rank_tone(rating),
        estimate=estimate,
        observed="" if low == high else f"{rank}{tied}",
        alternative_text=f"observed rank {rank} of {rating.of}{tied}; {alternative_text}",
    )


def _confirmed_word(rating: CapabilityRating | SideRating) -> str:
    """Return superior, inferior or the rank if the tests leave only one; else an empty text."""
    low = rating.rank_low
    if low is None or low != rating.rank_high or rating.of == 1:
        return ""
    return {1: "superior", rating.of: "inferior"}.get(low, f"rank {low}")


def _rank_tone(rating: CapabilityRating | SideRating) -> Tone:
    """Return the tone of ranks shown to be in the top or in the bottom third."""
    low, high = rating.rank_low, rating.rank_high
    third = max(1, rating.of // 3)
    if high is not None and high <= third:
        return Tone.GOOD
    return Tone.BAD if low is not None and low > rating.of - third else Tone.NEUTRAL


# Grades of discriminant power.


def _grades_best_first(rule: ThresholdRating) -> tuple[str, ...]:
    return (rule.highest_grade, *(word for _, word in reversed(rule.grades)))


def _grade_text(cell: CapabilityRating) -> str:
    """Return the grades that the interval covers, or the grade of a value without interval."""
    low, high = cell.grade_low, cell.grade_high
    if low is None or high is None or low == high:
        return cell.verdict
    return f"{low}–{high}"


def _grade_range(
    evaluation: Evaluation, row: CapabilityRow, cell: CapabilityRating, rule: ThresholdRating
) -> RankRange:
    """Return the value with its grade and the grades that its confidence interval covers."""
    estimate = _value(evaluation, row, rule.measure)
    if cell.verdict == UNDEFINED_RATING:
        return RankRange("", None, 0, estimate=estimate)
    grades = _grades_best_first(rule)
    low, high = (
        None if grade is None else grades.index(grade) + 1
        for grade in (cell.grade_high, cell.grade_low)
    )
    text = _grade_text(cell)
    alternative_text = f"observed grade {cell.verdict}" + (
        "; confirmed" if cell.significant else ""
    )
    tone = verdict_tone(text) if cell.significant else Tone.NEUTRAL
    observed = grades.index(cell.verdict) + 1
    return RankRange(
        text,
        observed,
        len(grades),
        low=low,
        high=high,
        tone=tone,
        estimate=estimate,
        observed="" if text == cell.verdict else cell.verdict,
        alternative_text=alternative_text,
    )


def _grade_line(
    evaluation: Evaluation, row: CapabilityRow, cell: CapabilityRating, rule: ThresholdRating
) -> VerdictBadge | RankRange:
    """Return a badge if the interval lies within a grade, else the grades that it covers."""
    if cell.significant:
        return VerdictBadge(cell.verdict, verdict_tone(cell.verdict), significant=True)
    return replace(_grade_range(evaluation, row, cell, rule), estimate=None)


# Several classes: a row per class with a mark per classifier.


def _class_table(evaluation: Evaluation) -> Table:
    """Return the table by class: a row for all classes, then one per class, hardest first."""
    rows = {(row.classifier, row.class_): row for row in evaluation.capabilities}
    average = _rated_rows(evaluation)
    names = list(average)[:_MAX_MARKS]
    classes = evaluation.classes_hardest_first
    displayed = classes if is_full_detail(evaluation) else classes[:_MAX_CLASSES]
    labels, noun = _short_names(names), evaluation.class_noun
    sensitivity = get_measure("sensitivity")
    columns = (
        Column(noun.capitalize()),
        Column(CellGroup(labels, in_row=True), group_heads=("", f"{sensitivity.title}, %")),
        *(
            Column(
                CellGroup(labels, in_row=True),
                group_heads=(_table_head(capability), CapabilityName(capability)),
            )
            for capability in CAPABILITIES.values()
        ),
    )
    cells: tuple[tuple[TableCell, ...], ...] = tuple(
        (class_, *_class_cells(evaluation, [rows[name, class_] for name in names]))
        for class_ in displayed
    )
    all_classes: tuple[TableCell, ...] = (
        _ALL_CLASSES,
        *_class_cells(evaluation, [average[name] for name in names]),
    )
    note = list(_class_table_note(evaluation, dict(zip(labels, names, strict=True))))
    if len(displayed) < len(classes):
        selection = f" The {len(displayed)} hardest of {len(classes)} classes; the others"
        note += omitted_in_results_note(selection).parts
    return Table(
        "capabilities-by-class",
        f"Capabilities by {noun}, hardest {noun} first, after {_SOURCE}",
        columns,
        (RowGroup((all_classes,)), RowGroup(cells)),
        Paragraph(tuple(note)),
    )


def _class_table_note(evaluation: Evaluation, labels: Mapping[str, str]) -> Iterator[Inline]:
    """Yield which classifier a mark is of, and how classes are rated and ordered."""
    total = len(evaluation.measured_classifiers)
    yield "A mark per classifier:"
    for number, (label, name) in enumerate(labels.items()):
        yield from (", " if number else " ", Strong(label), f" {name}")
    if len(labels) < total:
        yield f" (the best {len(labels)} of {total}; all in results.json)"
    yield f". Each {evaluation.class_noun} against all others, the lowest mean sensitivity first."
    yield f" {_ALL_CLASSES}: {_MACRO_NOTE[0].lower()}{_MACRO_NOTE[1:]}"


def _short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the initials of classifiers or, where they are ambiguous or too long, letters."""
    initials = ["".join(word[0] for word in name.split()).upper() for name in names]
    are_usable = len(set(initials)) == len(names) and max(map(len, initials)) <= _MAX_INITIALS
    return tuple(initials if are_usable else (chr(ord("A") + at) for at in range(len(names))))


def _class_cells(evaluation: Evaluation, rows: Sequence[CapabilityRow]) -> Iterator[CellGroup]:
    """Yield the sensitivities, then for each capability a mark per classifier."""
    yield CellGroup(tuple(_sensitivity_percent(evaluation, row) for row in rows), in_row=True)
    for capability in CAPABILITIES.values():
        yield CellGroup(tuple(_mark(row, capability) for row in rows), in_row=True)


def _sensitivity_percent(
    evaluation: Evaluation, row: CapabilityRow
) -> str | PlainNumber | MeasureEstimate:
    """Return the sensitivity in whole percent, but not 0 or 100 for what only rounds to them."""
    estimate = _value(evaluation, row, "sensitivity")
    if estimate is None or estimate.value.number is None:
        return estimate or ""
    number = TO_PERCENT * estimate.value.number
    if not is_integer_valued(number) and round(number) in {0, TO_PERCENT}:
        return ">99" if round(number) else "<1"
    return PlainNumber(number, 0)


def _mark(row: CapabilityRow, capability: Capability) -> VerdictBadge:
    """Return the mark of one classifier: ▲ best, ▼ worst, else its rank; or its grade."""
    cell, rule = row.cells[capability.name], capability.rating_rule
    prefix = f"{row.classifier}: "
    if isinstance(rule, TwoSidedRating):
        return _two_sided_mark(cell, prefix)
    if cell.verdict == UNDEFINED_RATING:
        return VerdictBadge(
            _UNDEFINED_MARK, Tone.NEUTRAL, None, alternative_text=f"{prefix}undefined"
        )
    if isinstance(rule, ThresholdRating):
        state = "confirmed" if cell.significant else f"interval covers {_grade_text(cell)}"
        tone = verdict_tone(cell.verdict)
        return VerdictBadge(
            cell.verdict,
            tone,
            cell.significant,
            alternative_text=f"{prefix}{cell.verdict}, {state}",
        )
    return _rank_mark(cell, prefix)


def _rank_mark(rating: CapabilityRating | SideRating, prefix: str) -> VerdictBadge:
    symbol, tone = _mark_symbol(rating)
    confirmed = bool(_confirmed_word(rating))
    significant = None if rating.rank_low is None else confirmed
    return VerdictBadge(symbol, tone, significant, alternative_text=f"{prefix}{_rank_text(rating)}")


def _two_sided_mark(cell: CapabilityRating, prefix: str) -> VerdictBadge:
    """Return the mark of both sides or, where they differ, of the side that is best or worst.

    Confirmed sides come before those only observed.
    """
    sides = {
        sign: side
        for sign, side in ((_POSITIVE_SIDE, cell.positive), (_NEGATIVE_SIDE, cell.negative))
        if side is not None
    }
    if not sides:
        return VerdictBadge(
            _UNDEFINED_MARK, Tone.NEUTRAL, None, alternative_text=f"{prefix}undefined"
        )
    alternative_text = prefix + "; ".join(
        f"on {sign} {_rank_text(side)}" for sign, side in sides.items()
    )
    confirmed = {sign: side for sign, side in sides.items() if _confirmed_word(side)}
    is_tested = any(side.rank_low is not None for side in sides.values())
    significant = bool(confirmed) if is_tested else None
    marks = {sign: _mark_symbol(side) for sign, side in (confirmed or sides).items()}
    if len(marks) == len(sides) and len(set(marks.values())) == 1:
        ((symbol, tone),) = set(marks.values())
        return VerdictBadge(symbol, tone, significant, alternative_text=alternative_text)
    for extreme, tone in ((_BEST_MARK, Tone.MIXED), (_WORST_MARK, Tone.BAD)):
        signs = [sign for sign, (symbol, _) in marks.items() if symbol == extreme]
        # Observed only, the worst on one side is no worse than between.
        if signs and (confirmed or extreme == _BEST_MARK):
            return VerdictBadge(
                f"{extreme}{signs[0]}", tone, significant, alternative_text=alternative_text
            )
    return VerdictBadge(_MIXED_MARK, Tone.NEUTRAL, significant, alternative_text=alternative_text)


def _mark_symbol(rating: CapabilityRating | SideRating) -> tuple[str, Tone]:
    """Return ▲ for the best, ▼ for the worst, else the rank, with = if tied."""
    if rating.verdict == TIED_RATING:
        return f"={rating.rank}", Tone.NEUTRAL
    if rating.of == 1:
        return "1", Tone.NEUTRAL
    if rating.rank == 1:
        return _BEST_MARK, Tone.GOOD
    return (_WORST_MARK, Tone.BAD) if rating.rank == rating.of else (str(rating.rank), Tone.NEUTRAL)


def _rank_text(rating: CapabilityRating | SideRating) -> str:
    tied = ", tied" if rating.verdict == TIED_RATING else ""
    word, low, high = _confirmed_word(rating), rating.rank_low, rating.rank_high
    observed = f"rank {rating.rank} of {rating.of}{tied}"
    if low is None:
        return f"{observed}, not tested"
    return f"{word}, confirmed" if word else f"{observed}, tests leave {low} to {high}"
