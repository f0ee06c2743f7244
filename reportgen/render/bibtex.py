"""The publications that define the reported measures, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from reportgen.formats import FORMATS
from reportgen.measures.references import OWN_DEFINITION

if TYPE_CHECKING:
    from reportgen.measures.references import LiteratureReference
    from reportgen.render.formats import RenderInput

_ET_AL = " et al."


def bibtex_files(source: RenderInput) -> dict[str, bytes]:
    """Return the references of the reported measures, each once, in the order of the measures."""
    measures = source.evaluation.reported_measures
    references = dict.fromkeys(measure.source.reference for measure in measures)
    entries = [bibtex_entry(each) for each in references if each != OWN_DEFINITION]
    return {FORMATS["bibtex"].files: "\n".join(entries).encode()}


def bibtex_entry(reference: LiteratureReference) -> str:
    """Return a publication as an entry of type misc: its parts are not known separately."""
    names = re.split(r", | and ", reference.authors.removesuffix(_ET_AL))
    authors = [f"{{{name}}}" for name in names]
    if reference.authors.endswith(_ET_AL):
        authors.append("others")
    plain = unicodedata.normalize("NFKD", names[0]).encode("ascii", "ignore").decode()
    key = re.sub(r"\W", "", plain).lower() + str(reference.year or "")
    fields = {
        "author": " and ".join(authors),
        "title": f"{{{_escape(reference.title)}}}",
        "howpublished": _escape(reference.publication),
        "year": str(reference.year or ""),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _escape(text: str) -> str:
    return re.sub(r"([&%$#_])", r"\\\1", text)
