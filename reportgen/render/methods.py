"""The methods paragraph as Markdown and LaTeX, and the publications it cites as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from reportgen.formats import FORMATS
from reportgen.measures.references import OWN_DEFINITION
from reportgen.render.latex import escape_latex
from reportgen.render.plain_text import sentence_text
from reportgen.report.build import describe_data
from reportgen.report.methods_paragraph import (
    Citation,
    describe_methods,
    methods_references,
    short_citations,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.measures.references import LiteratureReference
    from reportgen.render.formats import RenderInput
    from reportgen.report.methods_paragraph import MethodSentence

_ET_AL = " et al."


def methods_markdown_files(source: RenderInput) -> dict[str, bytes]:
    """Return methods.md: the paragraph in plain text, with author and year as citations."""
    text = _paragraph(source, short_citations, str)
    return {FORMATS["methods"].files: f"{text}\n".encode()}


def methods_latex_files(source: RenderInput) -> dict[str, bytes]:
    """Return methods.tex: the paragraph to be input, citing the keys of references.bib."""
    text = _paragraph(source, _latex_citation, escape_latex)
    head = "% \\bibliography{references} with the format bibtex has the entries."
    return {FORMATS["methods_latex"].files: f"{head}\n{text}\n".encode()}


def bibtex_files(source: RenderInput) -> dict[str, bytes]:
    """Return the references of the reported measures, then of the methods used, each once."""
    measures = (measure.source.reference for measure in source.evaluation.reported_measures)
    references = dict.fromkeys((*measures, *methods_references(method_sentences(source))))
    entries = [bibtex_entry(reference) for reference in references if reference != OWN_DEFINITION]
    return {FORMATS["bibtex"].files: "\n".join(entries).encode()}


def method_sentences(source: RenderInput) -> tuple[MethodSentence, ...]:
    """Return the sentences of the methods paragraph of a report."""
    evaluation = source.evaluation
    return describe_methods(evaluation, tuple(describe_data(evaluation)))


def _paragraph(
    source: RenderInput, cite: Callable[[Citation], str], escape: Callable[[str], str]
) -> str:
    return " ".join(
        "".join(
            cite(part) if isinstance(part, Citation) else escape(sentence_text((part,)))
            for part in sentence
        )
        for sentence in method_sentences(source)
    )


def _latex_citation(citation: Citation) -> str:
    keys = ",".join(citation_key(reference) for reference in citation.references)
    return f"~\\cite{{{keys}}}"


def citation_key(reference: LiteratureReference) -> str:
    """Return the key of a publication: the first author and the year, as in `wilson1927`."""
    decomposed = unicodedata.normalize("NFKD", _author_names(reference)[0])
    ascii_name = decomposed.encode("ascii", "ignore").decode()
    return re.sub(r"\W", "", ascii_name).lower() + str(reference.year or "")


def _author_names(reference: LiteratureReference) -> list[str]:
    return re.split(r", | and ", reference.authors.removesuffix(_ET_AL))


def bibtex_entry(reference: LiteratureReference) -> str:
    """Return a publication as an entry of type misc: its parts are not known separately."""
    names = _author_names(reference)
    authors = [f"{{{name}}}" for name in names]
    if reference.authors.endswith(_ET_AL):
        authors.append("others")
    fields = {
        "author": " and ".join(authors),
        "title": f"{{{_escape(reference.title)}}}",
        "howpublished": _escape(reference.publication),
        "year": str(reference.year or ""),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{citation_key(reference)},", *lines, "}", ""])


def _escape(text: str) -> str:
    return re.sub(r"([&%$#_])", r"\\\1", text)
