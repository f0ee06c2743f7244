"""The publications behind the reported measures and the methods used, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from reportgen.formats import FORMATS
from reportgen.measures.references import OWN_DEFINITION
from reportgen.report.build import describe_data
from reportgen.report.methods_paragraph import describe_methods, methods_references

if TYPE_CHECKING:
    from reportgen.measures.references import LiteratureReference
    from reportgen.render.formats import RenderInput

_ET_AL = " et al."


def bibtex_files(source: RenderInput) -> dict[str, bytes]:
    """Return the references of the reported measures, then of the methods used, each once."""
    evaluation = source.evaluation
    sentences = describe_methods(evaluation, tuple(describe_data(evaluation)))
    measures = (measure.source.reference for measure in evaluation.reported_measures)
    references = dict.fromkeys((*measures, *methods_references(sentences)))
    entries = [bibtex_entry(reference) for reference in references if reference != OWN_DEFINITION]
    return {FORMATS["bibtex"].files: "\n".join(entries).encode()}


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
