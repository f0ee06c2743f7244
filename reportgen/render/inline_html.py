"""Sentences and table cells as HTML, with MathML for browsers and spans for the PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from markupsafe import Markup, escape

from reportgen.evaluation.values import ValueState
from reportgen.measures import Orientation
from reportgen.measures.formula.notation import formula_as_html, formula_as_mathml, formula_as_text
from reportgen.render.footnotes import (
    BEST_MARK,
    MARK_MEANING,
    MARK_STATE_MEANINGS,
    ORIENTATION_ARROWS,
    ORIENTATION_TEXTS,
    RANK_RANGE_MEANING,
    SIGNIFICANCE_MARKS,
    Footnotes,
    reason_in_brackets,
    reason_text,
)
from reportgen.render.number_format import format_frequency, format_p_value
from reportgen.render.plain_text import (
    BREAK_INTERVAL,
    MAX_UNBROKEN_LETTERS,
    cell_text,
    check_mark_and_word,
    code_text,
    escape_invisible,
    estimate_text,
    interval_text,
    number_text,
    rank_range_texts,
    rating_measure_name,
    symbol_equals_title,
    title_contains_symbol,
)
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    CheckMark,
    Count,
    Emphasis,
    Estimate,
    Hyperlink,
    InlineCode,
    InlineText,
    Interval,
    MathSymbol,
    MatrixCell,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PlainNumber,
    PValue,
    RankRange,
    RatingMeasureName,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.measures.formula import Formula, Symbol
    from reportgen.report.inline import Inline, TableCell

NO_FOOTNOTES = Footnotes()
NO_BREAK_SPACE = "\u00a0"
# The length of a bar of ranks on the page, in its own units, and of its round ends.
RANK_BAR_WIDTH, RANK_BAR_CAP = 60, 3
# The length of a verdict that is not broken into lines.
MAX_BRIEF_VERDICT = 20
# Relation signs between a symbol and its value.
RELATION_SIGNS = ("", "=", "<", ">", "≤", "≥", "≈")


@dataclass(frozen=True, slots=True)
class InlineRenderer:
    """Renders inline content and cells; names of `linked_measures` link to their definitions."""

    for_pdf: bool = False
    linked_measures: frozenset[str] = frozenset()

    def sentence(self, parts: Iterable[Inline]) -> Markup:
        """Return a sentence as HTML; an undefined value has its reason in brackets."""
        return Markup("").join(self._inline(part) for part in _join_symbols_and_values(parts))

    def cell(self, cell: TableCell, notes: Footnotes = NO_FOOTNOTES) -> Markup:
        """Return the content of a table cell as HTML."""
        match cell:
            case None:
                return Markup("")
            case MeasureEstimate():
                return self._estimate(cell, notes)
            case VerdictBadge():
                return self._verdict(cell, notes)
            case RankRange():
                return self._rank_range(cell, notes)
            case CellGroup(items=items, in_row=in_row):
                return Markup('<span class="{}">{}</span>').format(
                    "in-row" if in_row else "stacked",
                    Markup("").join(self._group_item(item, notes) for item in items),
                )
            case RatingMeasureName():
                return self._rating_measure_name(cell)
            case CapabilityName(capability=capability):
                return Markup('{}<small class="answers">{}</small>').format(
                    capability.title, capability.question
                )
            case MatrixCell(count=count):
                return escape(format_frequency(count))
            case MeasureName(measure=measure):
                return self._measure_row_head(measure)
            case CheckMark():
                return _render_check(cell)
            case Estimate():
                return Markup('<span class="nowrap">{}</span>{}').format(
                    cell_text(cell), self._interval(cell)
                )
            case PValue() | Interval() | MeasureDifference() | PlainNumber():
                return Markup('<span class="nowrap">{}</span>').format(number_text(cell))
            case (
                str() | Count() | Strong() | Emphasis() | Hyperlink() | MathSymbol() | InlineCode()
            ):
                return self._inline(cell, breakable=True)
            case InlineText(parts=parts):
                return Markup("").join(self._inline(part, breakable=True) for part in parts)
            case _:
                assert_never(cell)

    def column_head(self, cell: TableCell) -> Markup:
        """Return the content of a column head as HTML, with short measure names."""
        return (
            self._short_measure_name(cell.measure)
            if isinstance(cell, MeasureName)
            else self.cell(cell)
        )

    def symbol(self, symbol: Symbol) -> Markup:
        """Return a symbol as HTML."""
        # Symbols are escaped already.
        return Markup('<span class="symbol">{}</span>').format(Markup(symbol.html))  # noqa: S704

    def equation(self, symbol: Symbol, formula: Formula) -> Markup:
        """Return the equation of a symbol and its formula, as MathML or (PDF) as HTML."""
        # Symbols are escaped already, and formulas contain only symbols and numbers.
        if self.for_pdf:
            equation = Markup(f"{symbol.html} = {formula_as_html(formula)}")  # noqa: S704
            alternative_text = f"{symbol.text} = {formula_as_text(formula)}"
            return Markup('<blockquote class="equation" data-alt="{}">{}</blockquote>').format(
                alternative_text, equation
            )
        equation = Markup(f"{symbol.mathml}<mo>=</mo>{formula_as_mathml(formula)}")  # noqa: S704
        return Markup('<math displaystyle="true"><mrow>{}</mrow></math>').format(equation)

    def orientation_arrow(self, measure: Measure) -> Markup:
        """Return the arrow of a measure's orientation, with text for screen readers."""
        if measure.orientation is Orientation.NEITHER:
            return Markup("")
        return Markup('<span class="arrow">{}</span>{}').format(
            ORIENTATION_ARROWS[measure.orientation],
            self.screen_reader_text(ORIENTATION_TEXTS[measure.orientation]),
        )

    def screen_reader_text(self, text: str) -> Markup:
        """Return visually hidden text for screen readers; the PDF has none."""
        return (
            Markup("")
            if self.for_pdf
            else Markup(' <span class="visually-hidden">{}</span>').format(text)
        )

    def _inline(self, part: Inline, *, breakable: bool = False) -> Markup:
        match part:
            case str():
                return self._text(part, breakable=breakable)
            case MeasureEstimate(value=score):
                return escape(estimate_text(part) + reason_in_brackets(score))
            case Estimate():
                return escape(estimate_text(part))
            case PValue():
                return escape(number_text(part).replace(" ", NO_BREAK_SPACE))
            case PlainNumber() | Interval() | MeasureDifference():
                return escape(number_text(part))
            case Count(number=number):
                return escape(format_frequency(number))
            case Strong(text=text):
                return Markup("<strong>{}</strong>").format(self._text(text, breakable=breakable))
            case Emphasis(text=text):
                return Markup("<em>{}</em>").format(self._text(text, breakable=breakable))
            case Hyperlink(text=text, url=address):
                markup = self._text(text, breakable=breakable)
                return Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(
                    address, markup
                )
            case MathSymbol(symbol=symbol):
                return self.symbol(symbol)
            case InlineCode():
                return self._code(part, breakable=breakable)
            case _:
                assert_never(part)

    def _estimate(self, estimate: MeasureEstimate, notes: Footnotes) -> Markup:
        score, text = estimate.value, cell_text(estimate)
        mark = self._footnote_mark(score, notes) + self._interval(estimate)
        if score.state is ValueState.UNDEFINED:
            return Markup('<span class="undefined"{}>{}</span>{}').format(
                self._reason_attribute(score), text, mark
            )
        if estimate.best:
            return Markup('<span class="best"><span class="mark">{}</span>{} {}</span>{}').format(
                BEST_MARK, self.screen_reader_text("best"), text, mark
            )
        title = self._reason_attribute(score)
        number = Markup("<span{}>{}</span>").format(title, text) if title else escape(text)
        return number + mark

    def _interval(self, estimate: MeasureEstimate | Estimate) -> Markup:
        interval = interval_text(estimate)
        if not interval:
            return Markup("")
        return Markup('<small class="interval">{}</small>').format(interval)

    def _reason_attribute(self, value: MeasureValue) -> Markup:
        reason = reason_text(value)
        return self.title_attribute(reason) if reason else Markup("")

    def title_attribute(self, text: str) -> Markup:
        """Return a title attribute (tooltip); the PDF has none."""
        return Markup("") if self.for_pdf else Markup(' title="{}"').format(escape_invisible(text))

    def _footnote_mark(self, value: MeasureValue, notes: Footnotes) -> Markup:
        number = notes.note_number(value)
        return Markup('<sup class="note-mark">{}</sup>').format(number) if number else Markup("")

    def _group_item(
        self, item: str | PlainNumber | MeasureEstimate | VerdictBadge | RankRange, notes: Footnotes
    ) -> Markup:
        """Return an element of a group: values are without interval."""
        match item:
            case MeasureEstimate(value=value):
                content = escape(cell_text(item)) + self._footnote_mark(value, notes)
                return Markup("<span>{}</span>").format(content)
            case str() | PlainNumber():
                return Markup("<span>{}</span>").format(self._inline(item))
            case VerdictBadge() if item.alternative_text:
                return self._mark(item)
            case _:
                return Markup('<span class="item">{}</span>').format(self.cell(item, notes))

    def _mark(self, mark: VerdictBadge) -> Markup:
        """Return a mark with its meaning as alternative text."""
        css_class = SIGNIFICANCE_MARKS[mark.significant].css_class
        return self._element_with_alternative(
            f"verdict mark {mark.tone.value} {css_class}",
            escape(escape_invisible(mark.text)),
            mark.alternative_text,
            Markup(' role="img" title="{}"').format(escape_invisible(mark.alternative_text)),
        )

    def _element_with_alternative(
        self, css_class: str, content: Markup, alternative_text: str, attributes: Markup
    ) -> Markup:
        """Return a chip; in the PDF its element becomes a span that is read as that text."""
        if self.for_pdf:
            return Markup('<article class="{}" data-alternative_text="{}">{}</article>').format(
                css_class, escape_invisible(alternative_text), content
            )
        return Markup('<span class="{}"{}>{}</span>').format(css_class, attributes, content)

    def _rank_range(self, ranks: RankRange, notes: Footnotes) -> Markup:
        """Return the value, a bar of the ranks left open with a dot, and their text."""
        value, text = rank_range_texts(ranks)
        side = Markup('<span class="side">{}</span>').format(ranks.side) if ranks.side else ""
        content = Markup("")
        if ranks.estimate is not None:
            content = Markup('<span class="{}"{}>{}{}</span>').format(
                "undefined" if ranks.rank is None else "rank-value",
                self._reason_attribute(ranks.estimate.value),
                value,
                self._footnote_mark(ranks.estimate.value, notes),
            )
        elif ranks.rank is None:
            content = Markup('<span class="undefined">{}</span>').format(value)
        if ranks.rank is None:
            return side + content
        is_confirmed = ranks.low is not None and ranks.low == ranks.high
        state = " confirmed" if is_confirmed else " untested" if ranks.low is None else ""
        parts = Markup('{}{}{}<span class="rank-text">{}</span>{}').format(
            content,
            side,
            self._rank_bar(ranks),
            text.replace("rank ", f"rank{NO_BREAK_SPACE}"),
            self.screen_reader_text(ranks.alternative_text) if ranks.alternative_text else "",
        )
        alternative_text = ", ".join(
            filter(None, (f"{ranks.side} side" * bool(ranks.side), value, text))
        )
        return self._element_with_alternative(
            f"ranks {ranks.tone.value}{state}",
            parts,
            f"{alternative_text}; {ranks.alternative_text}"
            if ranks.alternative_text
            else alternative_text,
            self.title_attribute(ranks.alternative_text) if ranks.alternative_text else Markup(""),
        )

    def _rank_bar(self, ranks: RankRange) -> Markup:
        """Return the bar: SVG on the page, whose policy forbids style attributes, else HTML."""
        if ranks.rank is None:
            return Markup("")
        has_range = ranks.low is not None and ranks.high is not None
        scale = (100 if self.for_pdf else RANK_BAR_WIDTH) / ranks.of
        start, stop = scale * ((ranks.low or 1) - 1), scale * (ranks.high or ranks.of)
        center = scale * (ranks.rank - 0.5)
        if self.for_pdf:
            bar = Markup('<i style="left:{:.1f}%;width:{:.1f}%"></i>').format(start, stop - start)
            return Markup('<span class="rank-bar">{}<b style="left:{:.1f}%"></b></span>').format(
                bar if has_range else "", center
            )
        # The round ends of the bar are within its ranks, but not beyond the dot.
        left, right = min(start + RANK_BAR_CAP, center), max(stop - RANK_BAR_CAP, center)
        bar = Markup('<path class="open" d="M{:.1f} 4H{:.1f}"/>').format(left, right)
        return Markup(
            '<svg class="rank-bar" viewBox="-3 0 {} 8" aria-hidden="true"><path d="M0 4H{}"/>{}'
            '<circle cx="{:.1f}" cy="4" r="2.6"/></svg>'
        ).format(RANK_BAR_WIDTH + 6, RANK_BAR_WIDTH, bar if has_range else "", center)

    def _rating_measure_name(self, name: RatingMeasureName) -> Markup:
        measure = name.measure
        side = f"on {name.side} " if name.side else ""
        return Markup('{} <small class="answers">{}{}</small>').format(
            self._link(measure, escape(rating_measure_name(measure))),
            side.replace(" ", NO_BREAK_SPACE),
            self.orientation_arrow(measure),
        )

    def rank_legend_entry(self) -> Markup:
        """Return the legend entry of bars of ranks."""
        return Markup('<span class="key">{} {}</span>').format(
            self._rank_bar(RankRange("", 2, 5, low=1, high=3)), RANK_RANGE_MEANING
        )

    def mark_legend_entries(self, states: Iterable[bool | None]) -> Markup:
        """Return the legend entries of marks and of their states."""
        entries = [
            Markup(
                '<span class="key"><span class="verdict mark neutral {}">▲</span> {}</span>'
            ).format(SIGNIFICANCE_MARKS[state].css_class, MARK_STATE_MEANINGS[state])
            for state in states
        ]
        return Markup(" ").join(
            [*entries, Markup('<span class="key">{}</span>').format(MARK_MEANING)]
        )

    def _verdict(self, verdict: VerdictBadge, notes: Footnotes) -> Markup:
        mark = SIGNIFICANCE_MARKS[verdict.significant]
        content = Markup("{}{}{}").format(
            f"{mark.symbol} " if mark.symbol else "",
            escape_invisible(verdict.text),
            self.screen_reader_text(mark.description),
        )
        badge = self._element_with_alternative(
            f"verdict {verdict.tone.value} {mark.css_class}"
            f"{' brief' if len(verdict.text) <= MAX_BRIEF_VERDICT else ''}",
            content,
            f"{verdict.text}, {mark.description}",
            self.title_attribute(mark.description),
        )
        reasons = [
            Markup('<span class="pair">{} = {}{}</span>').format(
                self.symbol(symbol), cell_text(value), self._footnote_mark(value.value, notes)
            )
            for symbol, value in verdict.estimates
        ]
        if verdict.p_adjusted is not None:
            p_value = format_p_value(verdict.p_adjusted, with_symbol=True)
            reasons.append(Markup('<span class="pair">{}</span>').format(p_value))
        if not reasons:
            return badge
        return badge + Markup('<small class="rationale">{}</small>').format(
            Markup(", ").join(reasons)
        )

    def verdict_legend_entry(self, significant: bool | None) -> Markup:  # noqa: FBT001  # a state of three
        """Return the legend entry of a significance state."""
        mark = SIGNIFICANCE_MARKS[significant]
        return Markup(
            '<span class="key"><span class="verdict neutral {}">{}</span> {}</span>'
        ).format(mark.css_class, mark.symbol or "word", mark.description)

    def _measure_row_head(self, measure: Measure) -> Markup:
        title_has_symbol = title_contains_symbol(measure)
        symbol = (
            Markup("") if title_has_symbol else Markup(" {}").format(self.symbol(measure.symbol))
        )
        return Markup('{}{}&nbsp;{}<small class="answers">{}</small>').format(
            self._link(measure, escape(measure.title)),
            symbol,
            self.orientation_arrow(measure),
            measure.question,
        )

    def _short_measure_name(self, measure: Measure) -> Markup:
        title_is_symbol = symbol_equals_title(measure)
        name = escape(measure.title) if title_is_symbol else self.symbol(measure.symbol)
        hidden = Markup("") if title_is_symbol else self.screen_reader_text(measure.title)
        name_link = self._link(measure, name)
        return Markup('<span class="short"{}>{}{}&nbsp;{}</span>').format(
            Markup("") if title_is_symbol else self.title_attribute(measure.title),
            self._link_symbol(measure) if self.for_pdf and not title_is_symbol else name_link,
            hidden,
            self.orientation_arrow(measure),
        )

    def _link(self, measure: Measure, name: Markup) -> Markup:
        if measure.name not in self.linked_measures:
            return name
        return Markup('<a class="to-definition" href="#definition-{}">{}</a>').format(
            measure.name, name
        )

    def _link_symbol(self, measure: Measure) -> Markup:
        """Return a linked symbol without an inner element, which would be a second annotation."""
        if measure.name not in self.linked_measures:
            return self.symbol(measure.symbol)
        # Symbols are escaped already.
        return Markup('<a class="to-definition symbol" href="#definition-{}">{}</a>').format(
            measure.name,
            Markup(measure.symbol.html),  # noqa: S704
        )

    def _code(self, code: InlineCode, *, breakable: bool) -> Markup:
        content = self._text(code_text(code), breakable=breakable)
        title = self.title_attribute(code.text) if code.display_length is not None else Markup("")
        return Markup("<code{}>{}</code>").format(title, content)

    def _text(self, text: str, *, breakable: bool) -> Markup:
        visible = escape_invisible(text)
        return _render_breakable(visible) if breakable else escape(visible)


def _join_symbols_and_values(parts: Iterable[Inline]) -> Iterator[Inline]:
    """Join symbols and values with no-break spaces."""
    previous: Inline = ""
    for part in parts:
        after_symbol = isinstance(previous, MathSymbol) and isinstance(part, str)
        is_relation = after_symbol and str(part).strip(" ") in RELATION_SIGNS
        yield str(part).replace(" ", NO_BREAK_SPACE) if is_relation else part
        previous = part


def _render_check(check: CheckMark) -> Markup:
    kind = "good" if check.passed else "mixed" if check.advisory else "bad"
    return Markup('<span class="check {}"><span class="mark">{}</span> {}</span>').format(
        kind, *check_mark_and_word(check)
    )


def _render_breakable(text: str) -> Markup:
    """Add break points to long words, so that columns stay narrower than the page."""
    return Markup(" ").join(
        Markup("<wbr>").join(
            word[start : start + BREAK_INTERVAL] for start in range(0, len(word), BREAK_INTERVAL)
        )
        if len(word) > MAX_UNBROKEN_LETTERS
        else escape(word)
        for word in text.split(" ")
    )
