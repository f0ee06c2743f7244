"""`reportgen explain`: explain an error code, a measure, a spec key or a term."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import print_text
from reportgen.errors import ERROR_CODES, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.spec.reference import SpecKey, SpecTable


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term of docs/glossary.md."""

    name: str
    definition: str
    textbook_name: str
    reference: str

    def names(self) -> set[str]:
        """Return the normalized names by which the term is found, textbook names included."""
        parts = re.split("[,;(]", f"{self.name},{self.textbook_name}")
        return {_normalize(part.strip(" )")) for part in parts} | {_normalize(self.name)}


def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="CODE|MEASURE|KEY|TERM",
            help="For example E104, youden, data.truth or bootstrap.",
        ),
    ],
) -> None:
    """Explain an error CODE, a MEASURE, a spec KEY or a TERM of the glossary."""
    topic = " ".join(words)
    texts = _explanations(topic)
    if not texts:
        hint = did_you_mean(topic, _topics()) or "`reportgen measures` lists measures"
        raise typer.BadParameter(f"unknown code, measure, key or term `{topic}`; {hint}")
    print_text("\n\n".join(texts))


def _explanations(topic: str) -> list[str]:
    """Return the explanations of a name: a measure may have the name of a key."""
    error_code = ERROR_CODES.get(topic.upper())
    if error_code is not None:
        return [f"{error_code.code}: {error_code.title}\n\n{error_code.explanation}"]
    measure = _describe_measure(topic)
    texts = [] if measure is None else [measure]
    texts += _explain_spec(topic)
    normalized = _normalize(topic)
    texts += [_format_term(term) for term in read_glossary() if normalized in term.names()]
    return texts


def _describe_measure(topic: str) -> str | None:
    """Return the definition of a measure by its name, or by its title as reports print it."""
    from reportgen.cli.measures import describe_measure
    from reportgen.measures import MEASURE_REGISTRY, measure_names

    names = {_normalize(name): name for name in measure_names()}
    names |= {_normalize(measure.title): measure.name for measure in MEASURE_REGISTRY.values()}
    return describe_measure(topic) or describe_measure(names.get(_normalize(topic), topic))


def _normalize(name: str) -> str:
    """Return a name in lower case, with a space for every underscore and hyphen."""
    return re.sub(r"[\s_\-–−]+", " ", name).strip().casefold()


def _explain_spec(topic: str) -> list[str]:
    from reportgen.spec.reference import spec_tables

    name = topic.strip("[]")
    texts: list[str] = []
    keys: list[SpecKey] = []
    headers = {table.header.strip("[]") for table in spec_tables()}
    for table in spec_tables():
        if table.header and table.header.strip("[]") == name:
            texts.append(_format_table(table))
        keys += [
            key for key in table.keys if name in {key.path, key.name} and key.path not in headers
        ]
    if "." not in name and len(keys) > 1:
        others = ", ".join(key.table or "the spec" for key in keys[1:])
        return [*texts, _format_key(keys[0]), f"`{name}` is also in {others}"]
    return [*texts, *map(_format_key, keys)]


def _format_table(table: SpecTable) -> str:
    keys = ", ".join(key.name for key in table.keys)
    return f"{table.header}\n\n{table.description}\n\nKeys: {keys}"


def _format_key(key: SpecKey) -> str:
    lines = [f"{key.table or 'the spec'}: {key.name}", "", key.description, ""]
    lines.append(f"Values: {key.type}")
    if key.default is not None:
        lines.append(f"Default: {key.default}")
    elif key.is_required:
        lines.append("Required")
    if key.example is not None:
        lines.append(f"Example: {key.name} = {key.example}")
    return "\n".join(lines)


def _format_term(term: GlossaryTerm) -> str:
    lines = [term.name, "", term.definition]
    if term.textbook_name:
        lines.append(f"Also called: {term.textbook_name}")
    if term.reference:
        lines.append(f"Reference: {term.reference}")
    return "\n".join(lines)


def read_glossary() -> list[GlossaryTerm]:
    """Return the terms of the glossary, which is part of the package."""
    rows = re.findall(
        r"^\|([^|]+)\|([^|]+)\|([^|]*)\|([^|]*)\|[^|]*\|$",
        _glossary_path().read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    cells = ([_plain(cell) for cell in row] for row in rows)
    return [GlossaryTerm(*row) for row in cells if row[0] != "term" and row[0].strip("- ")]


def _plain(cell: str) -> str:
    """Return a cell without Markdown."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).replace("*", "").strip()


def _glossary_path() -> Path:
    """Return the glossary: inside the installed package, or in docs of a checkout."""
    from reportgen.render.resources import PACKAGE_FOLDER

    installed = PACKAGE_FOLDER / "glossary.md"
    return installed if installed.is_file() else PACKAGE_FOLDER.parent / "docs" / "glossary.md"


def _topics() -> list[str]:
    from reportgen.measures import measure_names
    from reportgen.spec.reference import spec_tables

    keys = [name for table in spec_tables() for key in table.keys for name in (key.name, key.path)]
    terms = [term.name for term in read_glossary()]
    return [*ERROR_CODES, *measure_names(), *keys, *terms]
