"""The methods paragraph as Markdown and as LaTeX, with the citation keys of references.bib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formats import FORMATS
from reportgen.render.bibtex import citation_key
from reportgen.render.latex import escape_latex
from reportgen.render.plain_text import sentence_text
from reportgen.report.build import describe_data
from reportgen.report.methods_paragraph import Citation, describe_methods, short_citations

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.render.formats import RenderInput
    from reportgen.report.methods_paragraph import MethodSentence


def methods_markdown_files(source: RenderInput) -> dict[str, bytes]:
    """Return methods.md: the paragraph in plain text, with author and year as citations."""
    text = _paragraph(source, short_citations, str)
    return {FORMATS["methods"].files: f"{text}\n".encode()}


def methods_latex_files(source: RenderInput) -> dict[str, bytes]:
    """Return methods.tex: the paragraph to be input, citing the keys of references.bib."""
    text = _paragraph(source, _latex_citation, escape_latex)
    head = "% \\bibliography{references} with the format bibtex has the entries."
    return {FORMATS["methods_latex"].files: f"{head}\n{text}\n".encode()}


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
