"""Parse a formula that a spec writes as text, such as `5*fn + fp`, into an expression tree.

expression  = term, {("+" | "-"), term}
term        = factor, {("*" | "/"), factor}
factor      = ["-"], power
power       = atom, ["^", whole number]
atom        = number | name | function, "(", expression, ")" | "(", expression, ")"
function    = "sqrt" | "log" | "abs"
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reportgen.measures.formula.tree import (
    AbsoluteValue,
    Constant,
    Difference,
    Formula,
    Logarithm,
    Power,
    Product,
    Quotient,
    SquareRoot,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_TOKENS = 200
MAX_EXPONENT = 10
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*/^()]))")
_FUNCTIONS: dict[str, Callable[[Formula], Formula]] = {
    "sqrt": SquareRoot,
    "log": Logarithm,
    "abs": AbsoluteValue,
}
FUNCTION_NAMES = tuple(_FUNCTIONS)


class FormulaError(ValueError):
    """A formula that cannot be parsed: what is wrong, at which character, and an unknown name."""

    def __init__(self, message: str, position: int, unknown_name: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.unknown_name = unknown_name


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


def parse_formula(text: str, names: Mapping[str, Formula]) -> Formula:
    """Return the tree of a formula.

    Args:
        text: The formula.
        names: What each name stands for.

    Raises:
        FormulaError: The text is not a formula, or has a name that stands for nothing.
    """
    parser = _Parser(_tokenize(text), names)
    formula = parser.expression()
    token = parser.peek()
    if token.kind != "end":
        raise FormulaError(f"expected an operator, not `{token.text}`", token.position)
    return formula


def _tokenize(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while text[position:].strip():
        token = _TOKEN.match(text, position)
        if token is None:
            blanks = len(text[position:]) - len(text[position:].lstrip())
            character = text[position + blanks]
            raise FormulaError(f"unexpected character `{character}`", position + blanks)
        kinds = ("number", "name", "operator")
        kind, part = next(
            (kind, part) for kind, part in zip(kinds, token.groups(), strict=True) if part
        )
        tokens.append(_Token(kind, "^" if part == "**" else part, token.end() - len(part)))
        position = token.end()
        if len(tokens) > MAX_TOKENS:
            raise FormulaError(f"more than {MAX_TOKENS} numbers, names and operators", position)
    return [*tokens, _Token("end", "the end", len(text))]


@dataclass(slots=True)
class _Parser:
    tokens: list[_Token]
    names: Mapping[str, Formula]
    index: int = field(default=0)

    def peek(self) -> _Token:
        return self.tokens[self.index]

    def take(self) -> _Token:
        token = self.tokens[self.index]
        self.index += 1
        return token

    def accept(self, *operators: str) -> str | None:
        """Consume and return the next token if it is one of the operators; else None."""
        token = self.peek()
        return self.take().text if token.kind == "operator" and token.text in operators else None

    def expect(self, operator: str) -> None:
        token = self.peek()
        if self.accept(operator) is None:
            raise FormulaError(f"expected `{operator}`, not {_quote(token)}", token.position)

    def expression(self) -> Formula:
        left = self.term()
        while operator := self.accept("+", "-"):
            right = self.term()
            left = Sum(left, right) if operator == "+" else Difference(left, right)
        return left

    def term(self) -> Formula:
        left = self.factor()
        while operator := self.accept("*", "/"):
            right = self.factor()
            left = Product(left, right) if operator == "*" else Quotient(left, right)
        return left

    def factor(self) -> Formula:
        if self.accept("-"):
            return Difference(Constant(0), self.power())
        return self.power()

    def power(self) -> Formula:
        base = self.atom()
        if not self.accept("^"):
            return base
        token = self.take()
        if token.kind != "number" or not token.text.isdigit() or int(token.text) > MAX_EXPONENT:
            message = f"expected a whole exponent of at most {MAX_EXPONENT}, not {_quote(token)}"
            raise FormulaError(message, token.position)
        return Power(base, int(token.text))

    def atom(self) -> Formula:
        token = self.take()
        if token.kind == "number":
            number = float(token.text)
            return Constant(int(number) if number.is_integer() else number)
        if token.kind == "name":
            return self.named_formula(token)
        if token.text == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        message = f"expected a number, a name or a parenthesis, not {_quote(token)}"
        raise FormulaError(message, token.position)

    def named_formula(self, token: _Token) -> Formula:
        function = _FUNCTIONS.get(token.text)
        if function is not None:
            self.expect("(")
            inner = self.expression()
            self.expect(")")
            return function(inner)
        formula = self.names.get(token.text)
        if formula is None:
            raise FormulaError(f"unknown name `{token.text}`", token.position, token.text)
        return formula


def _quote(token: _Token) -> str:
    return token.text if token.kind == "end" else f"`{token.text}`"
