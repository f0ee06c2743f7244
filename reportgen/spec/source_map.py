"""The source map of a TOML file: locations of keys and values by key path; redaction."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import tree_sitter_toml
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from reportgen.spec.issues import KeyPath


_TABLE_HEADERS = ("table", "table_array_element")


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A span within one line, in characters from 1."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class KeySpans:
    """The spans of a key and its value."""

    key: SourceSpan
    value: SourceSpan


@dataclass(frozen=True, slots=True)
class DuplicateKey:
    """A key that is defined twice."""

    path: KeyPath
    first: SourceSpan
    second: SourceSpan


class SourceMap:
    """The spans of all keys, tables and list elements of a TOML file."""

    def __init__(self, text: str) -> None:
        """Parse a TOML text, which may have syntax errors."""
        content = text.encode()
        self._content = content
        self._line_starts = [0, *(match.end() for match in re.finditer(b"\n", content))]
        self._key_spans: dict[KeyPath, KeySpans] = {}
        self._array_lengths: dict[KeyPath, int] = {}
        self._defined: set[KeyPath] = set()
        self.duplicate_keys: list[DuplicateKey] = []
        for node in _parse_top_level(content):
            # Nodes with syntax errors have no reliable spans.
            if node.has_error:
                continue
            if node.type in _TABLE_HEADERS:
                self._read_table(node)
            elif node.type == "pair":
                self._read_values([((), node)])

    def locate(self, path: KeyPath) -> KeySpans:
        """Return the spans of a key path, or of the nearest table or list around it."""
        while path:
            if path in self._key_spans:
                return self._key_spans[path]
            path = path[:-1]
        return KeySpans(SourceSpan(1, 1, 1), SourceSpan(1, 1, 1))

    def _read_table(self, node: Node) -> None:
        *_, closing = (child for child in node.children if child.type in {"]", "]]"})
        header = self._span_between(node, closing)
        parts = _key_parts(node.named_children[0])
        path = self._descend((), parts[:-1])
        path = (*path, _key_name(parts[-1]))
        spans = KeySpans(self._span(parts[-1]), header)
        if node.type == "table_array_element":
            self._key_spans.setdefault(path, spans)
            index = self._array_lengths.get(path, 0)
            self._array_lengths[path] = index + 1
            path = (*path, index)
        if self._define(path, spans):
            pairs = [(path, child) for child in node.named_children if child.type == "pair"]
            self._read_values(pairs)

    def _read_values(self, nodes: list[tuple[KeyPath, Node]]) -> None:
        # A queue instead of recursion, because files may be nested arbitrarily deep.
        pending = deque(nodes)
        while pending:
            path, node = pending.popleft()
            if node.type == "pair":
                pending.append(self._read_pair(path, node))
            elif node.type == "array":
                elements = [child for child in node.named_children if child.type != "comment"]
                for index, element in enumerate(elements):
                    span = self._span(element)
                    self._define((*path, index), KeySpans(span, span))
                    pending.append(((*path, index), element))
            elif node.type == "inline_table":
                pending.extend((path, child) for child in node.named_children)

    def _read_pair(self, path: KeyPath, node: Node) -> tuple[KeyPath, Node]:
        key, *_, value = (child for child in node.named_children if child.type != "comment")
        parts = _key_parts(key)
        path = (*self._descend(path, parts[:-1]), _key_name(parts[-1]))
        self._define(path, KeySpans(self._span(parts[-1]), self._span(value)))
        return path, value

    def _descend(self, path: KeyPath, parts: list[Node]) -> KeyPath:
        for part in parts:
            path = (*path, _key_name(part))
            span = self._span(part)
            self._key_spans.setdefault(path, KeySpans(span, span))
            if path in self._array_lengths:
                path = (*path, self._array_lengths[path] - 1)
        return path

    def _define(self, path: KeyPath, spans: KeySpans) -> bool:
        if path in self._defined:
            self.duplicate_keys.append(DuplicateKey(path, self._key_spans[path].key, spans.key))
            return False
        self._defined.add(path)
        self._key_spans[path] = spans
        return True

    def _span(self, node: Node) -> SourceSpan:
        return self._span_between(node, node)

    def _span_between(self, first: Node, last: Node) -> SourceSpan:
        # From bytes, because tree-sitter 0.26.0 frees its points too early and crashes.
        line = bisect_right(self._line_starts, first.start_byte)
        before = self._content[self._line_starts[line - 1] : first.start_byte]
        inside = self._content[first.start_byte : last.end_byte].partition(b"\n")[0]
        column = len(before.decode(errors="replace")) + 1
        return SourceSpan(line, column, max(1, len(inside.decode(errors="replace"))))


def top_level_byte_ranges(content: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the first key and the byte range of every top-level table and value, in full lines.

    A table extends to the next one, including comments between them.
    """
    for node in _parse_top_level(content):
        if node.type in {*_TABLE_HEADERS, "pair"} and not node.has_error:
            start = content.rfind(b"\n", 0, node.start_byte) + 1
            newline = content.find(b"\n", max(start, node.end_byte - 1))
            end = len(content) if newline < 0 else newline + 1
            yield _key_name(_key_parts(node.named_children[0])[0]), start, end


def _parse_top_level(content: bytes) -> list[Node]:
    return Parser(Language(tree_sitter_toml.language())).parse(content).root_node.named_children


def _key_parts(node: Node) -> list[Node]:
    if node.type != "dotted_key":
        return [node]
    parts: list[Node] = []
    # Dotted keys nest to the left: a.b.c is (a.b).c.
    while node.type == "dotted_key":
        parts.insert(0, node.named_children[-1])
        node = node.named_children[0]
    return [node, *parts]


def _key_name(node: Node) -> str:
    text = (node.text or b"").decode(errors="replace")
    if node.type != "quoted_key":
        return text
    try:
        return next(iter(tomllib.loads(f"{text} = 0")))
    except tomllib.TOMLDecodeError:
        return text


# Recipients, commands and environment variables are not for readers of a report.
REDACTED_TABLE = "notify"
REDACTION_COMMENT = f"# [[{REDACTED_TABLE}]] is omitted here.\n"
UNREDACTABLE_COMMENT = (
    f"# The spec is not shown: [[{REDACTED_TABLE}]] could not be removed from it.\n"
)
_COMMENT_LINES = re.compile(rb"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)


def redact_spec(text: str) -> str:
    """Return the text of a spec without `[[notify]]` and the comments around it."""
    # The parser recognises a final comment only if its line ends.
    complete = text if text.endswith("\n") else f"{text}\n"
    redacted = b"".join(_redacted_chunks(complete.encode())).decode()
    # Spans and values come from two parsers: the text is shown only if both agree.
    is_equal = _parse_values(redacted) == _parse_values(text, exclude=REDACTED_TABLE)
    return redacted if is_equal else UNREDACTABLE_COMMENT


def _redacted_chunks(content: bytes) -> Iterator[bytes]:
    position, is_marked = 0, False
    for key, start, end in top_level_byte_ranges(content):
        if key != REDACTED_TABLE:
            continue
        before = _COMMENT_LINES.sub(b"", content[position:start])
        if before.strip() or not is_marked:
            yield before
            yield REDACTION_COMMENT.encode()
        is_marked, position = True, end
    yield content[position:]


def _parse_values(text: str, exclude: str | None = None) -> dict[str, object]:
    # Floats as text, because nan is not equal to itself.
    values = tomllib.loads(text, parse_float=str)
    return {key: value for key, value in values.items() if key != exclude}
