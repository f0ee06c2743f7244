"""Plain text made safe for LaTeX, whichever engine reads it."""

from __future__ import annotations

from reportgen.rendering.texts import LONG_WORD, PIECE, visible

LAST_LATIN = 0x17F
COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "–": "--",
    "—": "---",
    "\u2018": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
    "²": "$^2$",
    "³": "$^3$",
    "ₖ": "$_k$",
    "ŷ": r"$\hat{y}$",
    "ȳ": r"$\bar{y}$",
    "✓": r"$\checkmark$",
    "✗": r"$\times$",
    "●": r"$\bullet$",
}
MATHEMATICAL = {
    "−": "-",
    "∞": r"\infty",
    "×": r"\times",
    "÷": r"\div",
    "±": r"\pm",
    "≥": r"\ge",
    "≤": r"\le",
    "≠": r"\ne",
    "≈": r"\approx",
    "√": r"\surd",
    "∑": r"\sum",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "⁻": "^{-}",
    **{digit: f"^{number}" for number, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Γ": "Gamma",
    "Δ": "Delta",
    "Σ": "Sigma",
    "Φ": "Phi",
    "Ω": "Omega",
}
WRITTEN = {
    **{letter: f"${command}$" for letter, command in MATHEMATICAL.items()},
    **{letter: rf"$\{name}$" for letter, name in GREEK.items()},
    **COMMANDS,
}


def escaped(text: str) -> str:
    """Write text so that LaTeX prints it and obeys none of it."""
    return "".join(_written(character) for character in visible(text))


def narrow(text: str) -> str:
    """Write text for a column: long words may be broken after some letters."""
    return " ".join(
        r"\allowbreak{}".join(escaped(word[at : at + PIECE]) for at in range(0, len(word), PIECE))
        if len(word) > LONG_WORD
        else escaped(word)
        for word in visible(text).split(" ")
    )


def _written(character: str) -> str:
    known = WRITTEN.get(character)
    if known is not None:
        return known
    if ord(character) <= LAST_LATIN:
        return character
    return rf"\othercharacter{{{character}}}{{U+{ord(character):04X}}}"
