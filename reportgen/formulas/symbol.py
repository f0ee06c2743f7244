"""A symbol as a paper prints it: a letter or word with a mark below or above."""

from __future__ import annotations

from html import escape

from reportgen.frozen import frozen

LATEX_LETTERS = {
    "β": r"\beta",
    "γ": r"\gamma",
    "κ": r"\kappa",
    "π": r"\pi",
    "ρ": r"\rho",
    "φ": r"\varphi",
    "χ": r"\chi",
    "Σ": r"\textstyle\sum ",
    "ŷ": r"\hat{y}",
    "ȳ": r"\bar{y}",
    "ₖ": "_k",
    "²": "^2",
    "−": "-",
}


@frozen
class Symbol:
    """What stands for a quantity in an equation."""

    base: str
    below: str = ""
    above: str = ""

    @property
    def text(self) -> str:
        """Write it in one line of plain text."""
        return f"{self.base}{self.below}{self.above.replace('2', '²')}"

    @property
    def html(self) -> str:
        """Write it in HTML; letters are italic, words upright."""
        base = escape(self.base)
        letter = f"<i>{base}</i>" if self._is_letter else base
        below = f"<sub>{escape(self.below)}</sub>" if self.below else ""
        above = f"<sup>{escape(self.above)}</sup>" if self.above else ""
        return f"{letter}{below}{above}"

    @property
    def mathml(self) -> str:
        """Write it in MathML."""
        base = f"<mi>{escape(self.base)}</mi>" if self._is_letter else _mathml_words(self.base)
        below, above = _mathml_words(self.below), _mathml_words(self.above)
        if self.below and self.above:
            return f"<msubsup>{base}{below}{above}</msubsup>"
        if self.below:
            return f"<msub>{base}{below}</msub>"
        return f"<msup>{base}{above}</msup>" if self.above else base

    @property
    def latex(self) -> str:
        """Write it in LaTeX's mathematical mode."""
        base = self.base if self._is_letter else rf"\mathit{{{self.base}}}"
        if " " in self.base:
            base = rf"\text{{{self.base}}}"
        below = f"_{{{self.below}}}" if self.below else ""
        above = f"^{{{self.above}}}" if self.above else ""
        written = f"{base}{below}{above}"
        for letter, command in LATEX_LETTERS.items():
            written = written.replace(letter, command)
        return written

    @property
    def _is_letter(self) -> bool:
        return len(self.base) == 1


def _mathml_words(words: str) -> str:
    return f"<mtext>{escape(words)}</mtext>"
