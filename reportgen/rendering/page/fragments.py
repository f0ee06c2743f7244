"""Cells and sentences as HTML: with MathML for browsers, with spans for PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from markupsafe import Markup, escape

from reportgen.formulas.written import as_html, as_mathml
from reportgen.frozen import frozen
from reportgen.measures import Orientation
from reportgen.rendering.footnotes import (
    ARROWS,
    BACKING,
    BEST_MARK,
    DIRECTIONS,
    Footnotes,
    in_brackets,
    reason_text,
)
from reportgen.rendering.numbers import count_text, p_text
from reportgen.rendering.texts import (
    LONG_WORD,
    PIECE,
    cell_text,
    check_words,
    code_text,
    has_plain_symbol,
    narrow_interval,
    number_text,
    repeats_title,
    value_text,
    visible,
)
from reportgen.report.parts import (
    Check,
    Code,
    Count,
    DifferenceOf,
    Emphasis,
    Estimate,
    Interval,
    Link,
    Math,
    MeasureName,
    Plain,
    PValue,
    Share,
    Strong,
    Value,
    Verdict,
    Words,
)
from reportgen.scores import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.formulas import Formula, Symbol
    from reportgen.measures import Measure
    from reportgen.report.parts import Cell, Part
    from reportgen.scores import Score

NO_NOTES = Footnotes()
NO_BREAK = "\u00a0"
# What may stand between a symbol and its value.
BEFORE_A_VALUE = ("", "=", "<", ">", "≤", "≥", "≈")


@frozen
class Fragments:
    """Writes what blocks are made of; `defined` are the measures a name can link to."""

    for_pdf: bool = False
    defined: frozenset[str] = frozenset()

    def sentence(self, parts: Iterable[Part]) -> Markup:
        """Write a sentence; a value without a number says why in brackets."""
        return Markup("").join(self._part(part) for part in _held_together(parts))

    def cell(self, cell: Cell, notes: Footnotes = NO_NOTES) -> Markup:
        """Write a cell of a table's body."""
        match cell:
            case None:
                return Markup("")
            case Value():
                return self._value(cell, notes)
            case Verdict():
                return self._verdict(cell, notes)
            case Share(count=count):
                return escape(count_text(count))
            case MeasureName(measure=measure):
                return self._row_head(measure)
            case Check():
                return _check(cell)
            case Estimate():
                return Markup('<span class="whole">{}</span>{}').format(
                    cell_text(cell), self._interval(cell)
                )
            case PValue() | Interval() | DifferenceOf() | Plain():
                return Markup('<span class="whole">{}</span>').format(number_text(cell))
            case str() | Count() | Strong() | Emphasis() | Link() | Math() | Code():
                return self._part(cell, narrow=True)
            case Words(parts=parts):
                return Markup("").join(self._part(part, narrow=True) for part in parts)
            case _:
                assert_never(cell)

    def head(self, cell: Cell) -> Markup:
        """Write the head of a column, narrow."""
        return self._short(cell.measure) if isinstance(cell, MeasureName) else self.cell(cell)

    def symbol(self, symbol: Symbol) -> Markup:
        """Write a symbol."""
        # A symbol escapes itself.
        return Markup('<span class="symbol">{}</span>').format(Markup(symbol.html))  # noqa: S704

    def equation(self, symbol: Symbol, formula: Formula) -> Markup:
        """Write what a symbol stands for."""
        # Symbols escape themselves, and formulas hold nothing but symbols and numbers.
        if self.for_pdf:
            written = Markup(f"{symbol.html} = {as_html(formula)}")  # noqa: S704
            return Markup('<span class="equation">{}</span>').format(written)
        written = Markup(f"{symbol.mathml}<mo>=</mo>{as_mathml(formula)}")  # noqa: S704
        return Markup('<math displaystyle="true"><mrow>{}</mrow></math>').format(written)

    def arrow(self, measure: Measure) -> Markup:
        """Write which way is better."""
        if measure.orientation is Orientation.NEITHER:
            return Markup("")
        return Markup('<span class="arrow">{}</span>{}').format(
            ARROWS[measure.orientation], self.unseen(DIRECTIONS[measure.orientation])
        )

    def unseen(self, words: str) -> Markup:
        """Write words for those who listen; on paper the legend says the same."""
        return (
            Markup("") if self.for_pdf else Markup(' <span class="unseen">{}</span>').format(words)
        )

    def _part(self, part: Part, *, narrow: bool = False) -> Markup:
        match part:
            case str():
                return self._words(part, narrow=narrow)
            case Value(score=score):
                return escape(value_text(part) + in_brackets(score))
            case Estimate():
                return escape(value_text(part))
            case PValue():
                return escape(number_text(part).replace(" ", NO_BREAK))
            case Plain() | Interval() | DifferenceOf():
                return escape(number_text(part))
            case Count(number=number):
                return escape(count_text(number))
            case Strong(text=text):
                return Markup("<strong>{}</strong>").format(self._words(text, narrow=narrow))
            case Emphasis(text=text):
                return Markup("<em>{}</em>").format(self._words(text, narrow=narrow))
            case Link(text=text, address=address):
                words = self._words(text, narrow=narrow)
                return Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(
                    address, words
                )
            case Math(symbol=symbol):
                return self.symbol(symbol)
            case Code():
                return self._code(part, narrow=narrow)
            case _:
                assert_never(part)

    def _value(self, value: Value, notes: Footnotes) -> Markup:
        score, written = value.score, cell_text(value)
        mark = self._note_mark(score, notes) + self._interval(value)
        if score.state is State.UNDEFINED:
            return Markup('<span class="undefined"{}>{}</span>{}').format(
                self._title(score), written, mark
            )
        if value.best:
            return Markup('<span class="best"><span class="mark">{}</span>{} {}</span>{}').format(
                BEST_MARK, self.unseen("best"), written, mark
            )
        title = self._title(score)
        number = Markup("<span{}>{}</span>").format(title, written) if title else escape(written)
        return number + mark

    def _interval(self, value: Value | Estimate) -> Markup:
        interval = narrow_interval(value)
        if not interval:
            return Markup("")
        return Markup('<small class="interval">{}</small>').format(interval)

    def _title(self, score: Score) -> Markup:
        reason = reason_text(score)
        return self.title(reason) if reason else Markup("")

    def title(self, words: str) -> Markup:
        """Write words that show when pointed at."""
        return Markup("") if self.for_pdf else Markup(' title="{}"').format(visible(words))

    def _note_mark(self, score: Score, notes: Footnotes) -> Markup:
        number = notes.number(score)
        return Markup('<sup class="note-mark">{}</sup>').format(number) if number else Markup("")

    def _verdict(self, verdict: Verdict, notes: Footnotes) -> Markup:
        backing = BACKING[verdict.backed]
        badge = Markup('<span class="verdict {} {}"{}>{}{}{}</span>').format(
            verdict.tone.value,
            backing.kind,
            self.title(backing.meaning),
            f"{backing.mark} " if backing.mark else "",
            visible(verdict.word),
            self.unseen(backing.meaning),
        )
        reasons = [
            Markup('<span class="pair">{} = {}{}</span>').format(
                self.symbol(symbol), cell_text(value), self._note_mark(value.score, notes)
            )
            for symbol, value in verdict.because
        ]
        if verdict.p_adjusted is not None:
            p_value = p_text(verdict.p_adjusted, named=True)
            reasons.append(Markup('<span class="pair">{}</span>').format(p_value))
        if not reasons:
            return badge
        return badge + Markup('<small class="because">{}</small>').format(
            Markup(", ").join(reasons)
        )

    def verdict_key(self, backed: bool | None) -> Markup:  # noqa: FBT001  # a state of three
        """Write what a badge of this look means, for the legend of a table."""
        backing = BACKING[backed]
        return Markup(
            '<span class="key"><span class="verdict neutral {}">{}</span> {}</span>'
        ).format(backing.kind, backing.mark or "word", backing.meaning)

    def _row_head(self, measure: Measure) -> Markup:
        known = repeats_title(measure)
        symbol = Markup("") if known else Markup(" {}").format(self.symbol(measure.symbol))
        return Markup('{}{}&nbsp;{}<small class="answers">{}</small>').format(
            self._link(measure, escape(measure.title)),
            symbol,
            self.arrow(measure),
            measure.answers,
        )

    def _short(self, measure: Measure) -> Markup:
        plain = has_plain_symbol(measure)
        name = escape(measure.title) if plain else self.symbol(measure.symbol)
        hidden = Markup("") if plain else self.unseen(measure.title)
        return Markup('<span class="short"{}>{}{}&nbsp;{}</span>').format(
            Markup("") if plain else self.title(measure.title),
            self._link(measure, name),
            hidden,
            self.arrow(measure),
        )

    def _link(self, measure: Measure, name: Markup) -> Markup:
        if measure.name not in self.defined:
            return name
        return Markup('<a class="to-definition" href="#definition-{}">{}</a>').format(
            measure.name, name
        )

    def _code(self, code: Code, *, narrow: bool) -> Markup:
        shown = self._words(code_text(code), narrow=narrow)
        whole = self.title(code.text) if code.shown is not None else Markup("")
        return Markup("<code{}>{}</code>").format(whole, shown)

    def _words(self, text: str, *, narrow: bool) -> Markup:
        seen = visible(text)
        return _breakable(seen) if narrow else escape(seen)


def _held_together(parts: Iterable[Part]) -> Iterator[Part]:
    """Let no line end between a symbol and its value."""
    before: Part = ""
    for part in parts:
        after_symbol = isinstance(before, Math) and isinstance(part, str)
        joins = after_symbol and str(part).strip(" ") in BEFORE_A_VALUE
        yield str(part).replace(" ", NO_BREAK) if joins else part
        before = part


def _check(check: Check) -> Markup:
    kind = "good" if check.agrees else "mixed" if check.mild else "bad"
    return Markup('<span class="check {}"><span class="mark">{}</span> {}</span>').format(
        kind, *check_words(check)
    )


def _breakable(text: str) -> Markup:
    """Allow breaks within long words, so that no column grows beyond the page."""
    return Markup(" ").join(
        Markup("<wbr>").join(word[at : at + PIECE] for at in range(0, len(word), PIECE))
        if len(word) > LONG_WORD
        else escape(word)
        for word in text.split(" ")
    )
