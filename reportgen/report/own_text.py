"""A user's own words: Markdown as blocks of the report, so that every format has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError, did_you_mean_file
from reportgen.errors.spec_faults import OWN_TEXT
from reportgen.report.document import (
    Bullets,
    Code,
    Column,
    Emphasis,
    Heading,
    Link,
    Listing,
    Note,
    Paragraph,
    RowGroup,
    Strong,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.tree import SyntaxTreeNode

    from reportgen.errors import Place
    from reportgen.report.document import Block, Part
    from reportgen.spec import Section, SpecFile

# The title of the section is the second level.
FIRST_LEVEL, LAST_LEVEL = 3, 4
LINKED = ("http://", "https://", "mailto:", "#")
NESTED = "– "


def own_text(spec_file: SpecFile, at: int) -> str:
    """Return the Markdown of a section, from the spec or from the file it names."""
    section = spec_file.spec.sections[at]
    if section.file is None:
        return section.text or ""
    path = spec_file.folder / section.file
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        beside = (other.name for other in path.parent.glob("*"))
        found = f"the file `{section.file}` does not exist"
        raise _fault(spec_file, at, found, did_you_mean_file(path.name, beside)) from None
    except UnicodeDecodeError:
        raise _fault(spec_file, at, f"`{section.file}` is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _fault(spec_file, at, f"`{section.file}` cannot be read: {reason}") from None


def own_blocks(spec_file: SpecFile, at: int) -> tuple[Block, ...]:
    """Return a section's Markdown as blocks."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tree = SyntaxTreeNode(reader.parse(own_text(spec_file, at)))
    section = spec_file.spec.sections[at]
    return tuple(_Blocks(spec_file, at, section).of(tree.children))


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Turns the nodes of one text into blocks."""

    spec_file: SpecFile
    at: int
    section: Section

    def of(self, nodes: Sequence[SyntaxTreeNode]) -> Iterator[Block]:
        """Yield the blocks of nodes; a rule between paragraphs is nothing to be read."""
        for number, node in enumerate(nodes):
            match node.type:
                case "heading":
                    level = min(FIRST_LEVEL - 1 + int(node.tag[1:]), LAST_LEVEL)
                    yield Heading(_plain(node), max(level, FIRST_LEVEL))
                case "paragraph":
                    yield Paragraph(self._parts(node))
                case "bullet_list" | "ordered_list":
                    items = tuple(self._items(node))
                    yield Bullets(items, numbered=node.type == "ordered_list")
                case "blockquote":
                    yield Note(self._joined(node))
                case "fence" | "code_block":
                    yield Listing(node.content.rstrip("\n"), node.info.strip())
                case "table":
                    yield self._table(node, number)
                case "hr":
                    continue
                case other:
                    raise _fault(self.spec_file, self.at, f"Markdown's {other} is not understood")

    def _items(self, node: SyntaxTreeNode, before: str = "") -> Iterator[Paragraph]:
        for item in node.children:
            inner = [child for child in item.children if child.type.endswith("_list")]
            own = [child for child in item.children if child not in inner]
            parts = [part for child in own for part in (*self._parts(child), " ")]
            yield Paragraph((*((before,) if before else ()), *parts[:-1]))
            for child in inner:
                yield from self._items(child, before + NESTED)

    def _joined(self, node: SyntaxTreeNode) -> tuple[Part, ...]:
        parts = [part for child in node.children for part in (*self._parts(child), " ")]
        return tuple(parts[:-1])

    def _table(self, node: SyntaxTreeNode, number: int) -> Table:
        rows = [
            tuple(_plain(cell) for cell in row.children)
            for part in node.children
            for row in part.children
        ]
        title = self.section.title or "Table"
        return Table(
            f"own-{self.at + 1}-{number + 1}",
            title,
            tuple(Column(name) for name in rows[0]),
            (RowGroup(tuple(rows[1:])),),
        )

    def _parts(self, node: SyntaxTreeNode) -> tuple[Part, ...]:
        return tuple(part for child in node.children for part in self._part(child))

    def _part(self, node: SyntaxTreeNode) -> Iterator[Part]:
        match node.type:
            case "text":
                yield node.content
            case "softbreak" | "hardbreak":
                yield " "
            case "strong":
                yield Strong(_plain(node))
            case "em":
                yield Emphasis(_plain(node))
            case "code_inline":
                yield Code(node.content)
            case "link":
                yield from _link(_plain(node), str(node.attrs.get("href", "")))
            case "image":
                found = "a picture in Markdown is not read"
                help_line = "the logo of [output.theme] is; or write a template of your own"
                raise _fault(self.spec_file, self.at, found, help_line)
            case _:
                yield from self._parts(node) if node.children else (_plain(node),)


def _link(words: str, address: str) -> Iterator[Part]:
    """Link to what a reader of a file can reach; other addresses are only named."""
    if address.startswith(LINKED):
        yield Link(words, address)
    else:
        yield f"{words} ({address})" if address and address != words else words


def _plain(node: SyntaxTreeNode) -> str:
    if node.type in {"text", "code_inline"}:
        return str(node.content)
    if node.type in {"softbreak", "hardbreak"}:
        return " "
    return "".join(map(_plain, node.children))


def _fault(spec_file: SpecFile, at: int, found: str, help_line: str | None = None) -> SpecError:
    section = spec_file.spec.sections[at]
    place: Place | None = spec_file.place("sections", at, "file" if section.file else "text")
    return SpecError(Fault(OWN_TEXT, found, place, help_line))
