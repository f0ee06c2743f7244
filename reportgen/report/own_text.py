"""A user's own words: Markdown as blocks of the report, so that every format has them."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import count, groupby, takewhile
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError
from reportgen.errors.spec_faults import OWN_TEXT
from reportgen.frozen import frozen
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
from reportgen.report.parts import Code, Emphasis, Link, Strong
from reportgen.spec.named_files import named_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.tree import SyntaxTreeNode

    from reportgen.report.document import Block
    from reportgen.report.parts import Part
    from reportgen.spec import SpecFile

# The title of the section is the second level.
FIRST_LEVEL, LAST_LEVEL = 3, 4
LINKED = ("http://", "https://", "mailto:", "#")
NESTED = "– "
# Of these a text is made; every other kind of node is a fault.
LEAVES = ("text", "code_inline", "softbreak", "hardbreak", "fence", "code_block", "hr")
BRANCHES = (
    *("root", "inline", "paragraph", "heading", "blockquote", "strong", "em", "link"),
    *("bullet_list", "ordered_list", "list_item"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
# As people write them: with a sign, with gaps between thousands, with a unit of shares.
NUMBER = re.compile(r"[<>≈~±+\-−]? ?(\d[\d.,'’\s]*)?\d ?[%‰]?")


def own_file(spec_file: SpecFile, at: int) -> bytes | None:
    """Return the content of the file that a section's words are in, if they are in one."""
    named = spec_file.spec.sections[at].file
    if named is None:
        return None
    return named_content(spec_file, named, OWN_TEXT, "sections", at, "file")


def own_blocks(spec_file: SpecFile, at: int) -> tuple[Block, ...]:
    """Return a section's Markdown as blocks."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tree = SyntaxTreeNode(reader.parse(_own_text(spec_file, at)))
    kinds = dict.fromkeys(node.type for node in tree.walk())
    faults = [
        _not_understood(spec_file, at, kind) for kind in kinds if kind not in LEAVES + BRANCHES
    ]
    if faults:
        raise SpecError(*faults)
    return tuple(_Blocks(f"own-{at + 1}").of(tree.children))


def _own_text(spec_file: SpecFile, at: int) -> str:
    section, content = spec_file.spec.sections[at], own_file(spec_file, at)
    try:
        return section.text or "" if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(_fault(spec_file, at, f"`{section.file}` is not UTF-8 text")) from None


@frozen
class _Item:
    """An item of a list; only those of a numbered list have a number."""

    words: Paragraph
    number: int | None


@frozen
class _Blocks:
    """Turns the nodes of one text into blocks.

    Items and quotes hold words alone here, so whatever else Markdown has within them follows
    them, in the order in which it was written.
    """

    name: str
    tables: Iterator[int] = field(default_factory=lambda: count(1))

    def of(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[Block]:
        """Yield the blocks of nodes; a rule between paragraphs is nothing to be read."""
        for node in nodes:
            match node.type:
                case "heading":
                    level = min(FIRST_LEVEL - 1 + int(node.tag[1:]), LAST_LEVEL)
                    yield Heading(_written(node), level)
                case "paragraph":
                    yield Paragraph(_parts(node))
                case "bullet_list" | "ordered_list":
                    yield from _gathered(self._entries(node))
                case "blockquote":
                    yield from self._quote(node)
                case "fence" | "code_block":
                    yield Listing(node.content.rstrip("\n"), node.info.strip())
                case "table":
                    yield self._table(node)

    def _quote(self, node: SyntaxTreeNode) -> Iterator[Block]:
        for is_words, run in groupby(node.children, key=_is_words):
            if is_words:
                yield Note(_joined(run))
            else:
                yield from self.of(run)

    def _entries(self, node: SyntaxTreeNode, before: str = "") -> Iterator[_Item | Block]:
        """Yield the items of a list and of those within it, and what stands between them."""
        is_numbered = node.type == "ordered_list"
        for number, item in enumerate(node.children, int(node.attrs.get("start", 1))):
            words = list(takewhile(_is_words, item.children))
            rest = item.children[len(words) :]
            # An empty bullet says nothing, but a number does.
            if words or not rest or is_numbered:
                mark = f"{before}{number}. " if before and is_numbered else before
                parts = (*([mark] if mark else []), *_joined(words))
                yield _Item(Paragraph(parts), number if is_numbered and not before else None)
            for child in rest:
                if child.type.endswith("_list"):
                    yield from self._entries(child, before + NESTED)
                else:
                    yield from self.of([child])

    def _table(self, node: SyntaxTreeNode) -> Table:
        heads, *rows = [row.children for part in node.children for row in part.children]
        return Table(
            f"{self.name}-{next(self.tables)}",
            # Markdown has no captions, and the title of the section stands over it already.
            "",
            tuple(
                Column(_written(head), numeric=_is_numeric(head, [row[at] for row in rows]))
                for at, head in enumerate(heads)
            ),
            (RowGroup(tuple(tuple(map(_cell, row)) for row in rows)),),
        )


def _is_numeric(head: SyntaxTreeNode, cells: Sequence[SyntaxTreeNode]) -> bool:
    """Tell whether a column is set to the right: as Markdown asks, else if it has only numbers."""
    if asked := head.attrs.get("style"):
        return asked == "text-align:right"
    texts = [text for cell in cells if (text := _written(cell).strip())]
    return bool(texts) and all(NUMBER.fullmatch(text) for text in texts)


def _gathered(entries: Iterable[_Item | Block]) -> Iterator[Block]:
    """Make lists of items that follow each other; after what stands between, numbers go on."""
    waiting: list[_Item] = []
    for entry in entries:
        if not isinstance(entry, _Item):
            yield from _bullets(waiting)
            waiting = []
            yield entry
            continue
        if waiting and (waiting[0].number is None) != (entry.number is None):
            yield from _bullets(waiting)
            waiting = []
        waiting.append(entry)
    yield from _bullets(waiting)


def _bullets(items: Sequence[_Item]) -> Iterator[Bullets]:
    if items:
        words, first = tuple(item.words for item in items), items[0].number
        yield Bullets(words) if first is None else Bullets(words, numbered=True, first=first)


def _is_words(node: SyntaxTreeNode) -> bool:
    return node.type == "paragraph"


def _joined(paragraphs: Iterable[SyntaxTreeNode]) -> tuple[Part, ...]:
    parts = [part for each in paragraphs for part in (*_parts(each), " ")]
    return tuple(parts[:-1])


def _cell(node: SyntaxTreeNode) -> Part:
    parts = _parts(node)
    return parts[0] if len(parts) == 1 else _written(node)


def _parts(node: SyntaxTreeNode) -> tuple[Part, ...]:
    return tuple(part for child in node.children for part in _part(child) if part != "")


def _part(node: SyntaxTreeNode) -> Iterator[Part]:
    match node.type:
        case "inline":
            yield from _parts(node)
        case "strong" | "em":
            stressed = Strong if node.type == "strong" else Emphasis
            # Words cannot be both stressed and a link here, and the address counts more.
            for is_link, run in groupby(_pieces(node), key=lambda piece: isinstance(piece, Link)):
                pieces = list(run)
                yield from pieces if is_link else _around("".join(map(str, pieces)), stressed)
        case "code_inline":
            yield Code(node.content)
        case _:
            yield from _pieces(node)


def _around(words: str, stressed: type[Strong | Emphasis]) -> Iterator[Part]:
    """Yield stressed words without the spaces around them, which Markdown would not take."""
    inner = words.strip()
    before, _, after = words.partition(inner) if inner else (words, "", "")
    yield from (before, *((stressed(inner),) if inner else ()), after)


def _pieces(node: SyntaxTreeNode) -> Iterator[str | Link]:
    """Yield words and the links among them, however deep; the rest is only named."""
    match node.type:
        case "text" | "code_inline":
            yield str(node.content)
        case "softbreak" | "hardbreak":
            yield " "
        case "link":
            words = "".join(map(_written, node.children))
            address = str(node.attrs.get("href", ""))
            if address.startswith(LINKED):
                yield Link(words, address)
            else:
                yield _with_address(words, address)
        case _:
            for child in node.children:
                yield from _pieces(child)


def _written(node: SyntaxTreeNode) -> str:
    """Return words as a text, with the addresses they lead to."""
    return "".join(
        _with_address(piece.text, piece.address) if isinstance(piece, Link) else piece
        for piece in _pieces(node)
    )


def _with_address(words: str, address: str) -> str:
    return f"{words} ({address})" if address and address != words else words


def _not_understood(spec_file: SpecFile, at: int, kind: str) -> Fault:
    if kind == "image":
        help_line = "the logo of [output.theme] is; or write a template of your own"
        return _fault(spec_file, at, "a picture in Markdown is not read", help_line)
    return _fault(spec_file, at, f"Markdown's {kind} is not understood")


def _fault(spec_file: SpecFile, at: int, found: str, help_line: str | None = None) -> Fault:
    section = spec_file.spec.sections[at]
    place = spec_file.place("sections", at, "file" if section.file else "text")
    return Fault(OWN_TEXT, found, place, help_line)
