"""Text sections: Markdown as blocks of the report, for every output format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count, groupby, takewhile
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.spec import INVALID_TEXT_SECTION
from reportgen.report.document import (
    Bullets,
    Column,
    Heading,
    Listing,
    Note,
    Paragraph,
    RowGroup,
    Table,
)
from reportgen.report.inline import Emphasis, Hyperlink, InlineCode, Strong
from reportgen.spec.load import read_referenced_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.tree import SyntaxTreeNode

    from reportgen.report.document import Block
    from reportgen.report.inline import Inline
    from reportgen.spec import SpecFile

# The title of the section is the second level.
_MIN_HEADING_LEVEL, _MAX_HEADING_LEVEL = 3, 4
_LINK_SCHEMES = ("http://", "https://", "mailto:", "#")
_NESTED_PREFIX = "– "
# The supported Markdown nodes; all others are errors.
_LEAF_NODES = ("text", "code_inline", "softbreak", "hardbreak", "fence", "code_block", "hr")
_BRANCH_NODES = (
    *("root", "inline", "paragraph", "heading", "blockquote", "strong", "em", "link"),
    *("bullet_list", "ordered_list", "list_item"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
# With an optional sign, thousands separators and percent sign.
_NUMBER_PATTERN = re.compile(r"[<>≈~±+\-−]? ?(\d[\d.,'’\s]*)?\d ?[%‰]?")


def read_markdown_file(spec_file: SpecFile, index: int) -> bytes | None:
    """Return the content of the file of a text section; None if its text is in the spec."""
    name = spec_file.spec.sections[index].file
    if name is None:
        return None
    return read_referenced_file(spec_file, name, INVALID_TEXT_SECTION, "sections", index, "file")


def parse_markdown_section(spec_file: SpecFile, index: int) -> tuple[Block, ...]:
    """Return a section's Markdown as blocks; raise a SpecError for what is not supported."""
    try:
        return _parse_markdown(spec_file, index)
    except RecursionError:
        problem = "the Markdown is nested too deeply"
        raise SpecError(_diagnostic(spec_file, index, problem)) from None


def _parse_markdown(spec_file: SpecFile, index: int) -> tuple[Block, ...]:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tree = SyntaxTreeNode(reader.parse(_read_markdown(spec_file, index)))
    kinds = dict.fromkeys(node.type for node in tree.walk())
    diagnostics = [
        _unsupported_node(spec_file, index, kind)
        for kind in kinds
        if kind not in _LEAF_NODES + _BRANCH_NODES
    ]
    if diagnostics:
        raise SpecError(*diagnostics)
    return tuple(_MarkdownConverter(f"own-{index + 1}").convert(tree.children))


def _read_markdown(spec_file: SpecFile, index: int) -> str:
    section, content = spec_file.spec.sections[index], read_markdown_file(spec_file, index)
    try:
        return section.text or "" if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(
            _diagnostic(spec_file, index, f"`{section.file}` is not UTF-8 text")
        ) from None


@dataclass(frozen=True, slots=True)
class _ListItem:
    """An item of a list; items of a numbered list have a number."""

    content: Paragraph
    number: int | None


@dataclass(frozen=True, slots=True)
class _MarkdownConverter:
    """Converts Markdown nodes to blocks.

    List items and quotes contain text only, so other blocks within them follow them, in their
    order.
    """

    name_prefix: str
    table_numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def convert(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[Block]:
        """Yield the blocks of nodes; thematic breaks are dropped."""
        for node in nodes:
            match node.type:
                case "heading":
                    level = min(_MIN_HEADING_LEVEL - 1 + int(node.tag[1:]), _MAX_HEADING_LEVEL)
                    yield Heading(_plain_text(node), level)
                case "paragraph":
                    yield Paragraph(_parse_inlines(node))
                case "bullet_list" | "ordered_list":
                    yield from _merge_list_items(self._list_entries(node))
                case "blockquote":
                    yield from self._convert_quote(node)
                case "fence" | "code_block":
                    yield Listing(node.content.rstrip("\n"), node.info.strip())
                case "table":
                    yield self._convert_table(node)

    def _convert_quote(self, node: SyntaxTreeNode) -> Iterator[Block]:
        for is_text, run in groupby(node.children, key=_is_paragraph):
            if is_text:
                yield Note(_join_paragraphs(run))
            else:
                yield from self.convert(run)

    def _list_entries(self, node: SyntaxTreeNode, prefix: str = "") -> Iterator[_ListItem | Block]:
        """Yield the items of a list and of nested lists, and the blocks between them."""
        is_numbered = node.type == "ordered_list"
        for number, item in enumerate(node.children, int(node.attrs.get("start", 1))):
            paragraphs = list(takewhile(_is_paragraph, item.children))
            other_children = item.children[len(paragraphs) :]
            # An empty bullet is dropped, an empty numbered item is kept.
            if paragraphs or not other_children or is_numbered:
                mark = f"{prefix}{number}. " if prefix and is_numbered else prefix
                parts = (*([mark] if mark else []), *_join_paragraphs(paragraphs))
                yield _ListItem(Paragraph(parts), number if is_numbered and not prefix else None)
            for child in other_children:
                if child.type.endswith("_list"):
                    yield from self._list_entries(child, prefix + _NESTED_PREFIX)
                else:
                    yield from self.convert([child])

    def _convert_table(self, node: SyntaxTreeNode) -> Table:
        heads, *rows = [row.children for part in node.children for row in part.children]
        return Table(
            f"{self.name_prefix}-{next(self.table_numbers)}",
            # Markdown has no captions; the section has a title.
            "",
            tuple(
                Column(
                    _plain_text(head),
                    numeric=_is_numeric_column(head, [row[index] for row in rows]),
                )
                for index, head in enumerate(heads)
            ),
            (RowGroup(tuple(tuple(map(_table_cell, row)) for row in rows)),),
        )


def _is_numeric_column(head: SyntaxTreeNode, cells: Sequence[SyntaxTreeNode]) -> bool:
    """Return whether a column is aligned right: as declared, otherwise if it has numbers only."""
    if style := head.attrs.get("style"):
        return style == "text-align:right"
    texts = [text for cell in cells if (text := _plain_text(cell).strip())]
    return bool(texts) and all(_NUMBER_PATTERN.fullmatch(text) for text in texts)


def _merge_list_items(entries: Iterable[_ListItem | Block]) -> Iterator[Block]:
    """Merge consecutive items into lists; numbering continues after a block in between."""
    pending: list[_ListItem] = []
    for entry in entries:
        if not isinstance(entry, _ListItem):
            yield from _bullet_lists(pending)
            pending = []
            yield entry
            continue
        if pending and (pending[0].number is None) != (entry.number is None):
            yield from _bullet_lists(pending)
            pending = []
        pending.append(entry)
    yield from _bullet_lists(pending)


def _bullet_lists(items: Sequence[_ListItem]) -> Iterator[Bullets]:
    if items:
        entries, first = tuple(item.content for item in items), items[0].number
        yield Bullets(entries) if first is None else Bullets(entries, numbered=True, start=first)


def _is_paragraph(node: SyntaxTreeNode) -> bool:
    return node.type == "paragraph"


def _join_paragraphs(paragraphs: Iterable[SyntaxTreeNode]) -> tuple[Inline, ...]:
    parts = [part for paragraph in paragraphs for part in (*_parse_inlines(paragraph), " ")]
    return tuple(parts[:-1])


def _table_cell(node: SyntaxTreeNode) -> Inline:
    parts = _parse_inlines(node)
    return parts[0] if len(parts) == 1 else _plain_text(node)


def _parse_inlines(node: SyntaxTreeNode) -> tuple[Inline, ...]:
    return tuple(part for child in node.children for part in _parse_inline(child) if part != "")


def _parse_inline(node: SyntaxTreeNode) -> Iterator[Inline]:
    match node.type:
        case "inline":
            yield from _parse_inlines(node)
        case "strong" | "em":
            node_type = Strong if node.type == "strong" else Emphasis
            # Text is either emphasised or a link; the address is more important.
            for is_link, run in groupby(
                _text_and_links(node), key=lambda part: isinstance(part, Hyperlink)
            ):
                parts = list(run)
                yield from (
                    parts if is_link else _strip_emphasis("".join(map(str, parts)), node_type)
                )
        case "code_inline":
            yield InlineCode(node.content)
        case _:
            yield from _text_and_links(node)


def _strip_emphasis(text: str, emphasis_type: type[Strong | Emphasis]) -> Iterator[Inline]:
    """Yield emphasised text without surrounding spaces, which Markdown does not allow."""
    inner = text.strip()
    before, _, after = text.partition(inner) if inner else (text, "", "")
    yield from (before, *((emphasis_type(inner),) if inner else ()), after)


def _text_and_links(node: SyntaxTreeNode) -> Iterator[str | Hyperlink]:
    """Yield text and links at any depth; other nodes only as their names."""
    match node.type:
        case "text" | "code_inline":
            yield str(node.content)
        case "softbreak" | "hardbreak":
            yield " "
        case "link":
            text = "".join(map(_plain_text, node.children))
            address = str(node.attrs.get("href", ""))
            if address.startswith(_LINK_SCHEMES):
                yield Hyperlink(text, address)
            else:
                yield _append_url(text, address)
        case _:
            for child in node.children:
                yield from _text_and_links(child)


def _plain_text(node: SyntaxTreeNode) -> str:
    """Return the plain text of nodes, with the addresses of links."""
    return "".join(
        _append_url(part.text, part.url) if isinstance(part, Hyperlink) else part
        for part in _text_and_links(node)
    )


def _append_url(text: str, url: str) -> str:
    return f"{text} ({url})" if url and url != text else text


def _unsupported_node(spec_file: SpecFile, index: int, kind: str) -> Diagnostic:
    if kind == "image":
        help_line = "the logo of [output.theme] is; or write a template of your own"
        return _diagnostic(spec_file, index, "a picture in Markdown is not read", help_line)
    return _diagnostic(spec_file, index, f"Markdown's {kind} is not understood")


def _diagnostic(
    spec_file: SpecFile, index: int, message: str, help_line: str | None = None
) -> Diagnostic:
    section = spec_file.spec.sections[index]
    location = spec_file.locate("sections", index, "file" if section.file else "text")
    return Diagnostic(INVALID_TEXT_SECTION, message, location, help_line)
