"""Letters of drawings, which WeasyPrint lays out one by one and twice each, laid out once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

# What of the style of its letters a drawing can set, beside the fonts.
SET_BY_DRAWINGS = ("font_style", "font_weight", "font_size", "direction")


class _Style(Protocol):
    """The style of a letter, with the fonts of its document."""

    font_config: Hashable

    def __getitem__(self, name: str, /) -> Hashable: ...


class _Layout(Protocol):
    """A letter as Pango lays it out; WeasyPrint does it again whenever it draws the letter."""

    def reactivate(self, style: _Style, /) -> None: ...


@contextlib.contextmanager
def letters_once() -> Iterator[None]:
    """Keep every letter of a drawing while a PDF is made; no byte of the PDF is another."""
    from weasyprint.text import line_break

    laid_out = line_break.split_first_line
    kept: dict[tuple[Hashable, ...], tuple[_Layout, *tuple[object, ...]]] = {}

    def kept_or_laid_out(
        text: str, style: _Style, *rest: object
    ) -> tuple[_Layout, *tuple[object, ...]]:
        families: Iterable[object] = style["font_family"]  # type: ignore[assignment]
        key = (text, style.font_config, *families, *(style[each] for each in SET_BY_DRAWINGS))
        if key not in kept:
            kept[key] = found = laid_out(text, style, *rest)
            found[0].reactivate(style)
            found[0].reactivate = _already_active
        return kept[key]

    # Drawings look the function up each time they draw words; all else has it since its import.
    line_break.split_first_line = kept_or_laid_out
    try:
        yield
    finally:
        line_break.split_first_line = laid_out


def _already_active(_style: _Style) -> None:
    """Leave a letter as it was laid out."""
