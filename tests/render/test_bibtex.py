"""BibTeX of the publications behind the measures."""

from __future__ import annotations

from reportgen.measures.references import GLAS_2003, SJS_2006
from reportgen.render.bibtex import bibtex_entry


def test_authors_are_separated_by_and() -> None:
    """Names are in braces, so that BibTeX does not split them."""
    entry = bibtex_entry(SJS_2006)

    assert entry.startswith("@misc{sokolova2006,\n")
    assert "author = {{Sokolova} and {Japkowicz} and {Szpakowicz}}," in entry
    assert "year = {2006}," in entry


def test_further_authors_are_others() -> None:
    """BibTeX prints "et al." for them."""
    assert "author = {{Glas} and others}," in bibtex_entry(GLAS_2003)
