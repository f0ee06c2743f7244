"""The methods paragraph and its references: derived from what was used, and from nothing else."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.measures import references as measure_references
from reportgen.measures.references import GLAS_2003, SJS_2006, LiteratureReference
from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import render
from reportgen.render.methods import bibtex_entry, citation_key
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.method_references import (
    CORRECTION_METHODS,
    INTERVAL_METHODS,
    TEST_METHODS,
    cited_interval_methods,
    cited_tests,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
GOLDENS = sorted((ROOT / "tests" / "end_to_end" / "goldens").glob("*.json"))
FORMATS = ("bibtex", "methods", "methods_latex")


@cache
def _files(name: str) -> dict[str, str]:
    evaluation = load_and_evaluate(ROOT / "specs" / f"{name}.toml")
    rendered = render(evaluation, None, FORMATS, DEFAULT_THEME)
    return {path: content.decode() for path, content in rendered.files.items()}


def _column(document: dict[str, object], table: str, column: str) -> Iterator[str]:
    rows = document.get(table) or []
    if isinstance(rows, dict):
        yield from (value for value in rows.get(column, []) if value)
    elif isinstance(rows, list):
        yield from (row[column] for row in rows if row.get(column))


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_every_method_in_results_has_a_reference(path: Path) -> None:
    """The part before the first comma is the method, the others are its scale and corrections."""
    document = json.loads(path.read_text("utf-8"))
    for method in set(_column(document, "values", "method")):
        assert cited_interval_methods([method]), method
    for table in ("comparisons", "decision_comparisons", "omnibus", "fold_tests", "dataset_tests"):
        for test in set(_column(document, table, "test")):
            assert cited_tests([test]), test


def test_citation_keys_are_unique() -> None:
    """Over the publications of all measures and methods."""
    of_measures = {
        value
        for value in vars(measure_references).values()
        if isinstance(value, LiteratureReference)
    }
    methods = (*INTERVAL_METHODS, *TEST_METHODS, *CORRECTION_METHODS.values())
    publications = of_measures | {source for method in methods for source in method.references}

    assert len({citation_key(item) for item in publications}) == len(publications)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gates", "demsar", "patients", "diabetes", "digits"])
def test_every_key_that_is_cited_has_an_entry(name: str) -> None:
    """One for binary tasks, data sets, clusters, numbers and several classes."""
    files = _files(name)
    cited = {
        key
        for keys in re.findall(r"\\cite\{(.*?)\}", files["methods.tex"])
        for key in keys.split(",")
    }
    entries = re.findall(r"^@misc\{(.*?),$", files["references.bib"], re.MULTILINE)

    assert cited
    assert cited <= set(entries)
    assert len(entries) == len(set(entries))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mentioned", "absent"),
    [
        ("demsar", ["Wilcoxon signed-rank tests (Wilcoxon 1945"], ["Wilson 1927", "clusters"]),
        ("many_datasets", ["Friedman and Iman–Davenport tests are unadjusted"], ["Wilson 1927"]),
        ("fraud", ["Q test (Cochran 1950), with unadjusted p-values."], ["Wilcoxon"]),
        ("patients", ["clusters, within which they may depend", "Binder 1983"], ["Wilcoxon"]),
        ("diabetes", ["models were evaluated on", "Hall 1992"], ["lassifier", "McNemar"]),
        (
            "gates",
            ["classifiers were evaluated on", "Wilson 1927", "Confidence intervals (95%)"],
            ["Wilcoxon", "Binder", "cross-validation"],
        ),
    ],
)
def test_the_paragraph_mentions_what_was_used_only(
    name: str, mentioned: list[str], absent: list[str]
) -> None:
    """Design, methods and software; no method of another kind of evaluation."""
    text = _files(name)["methods.md"]

    for part in (*mentioned, "The analysis was made with reportgen"):
        assert part in text
    for part in absent:
        assert part not in text


@pytest.mark.slow
def test_the_number_of_comparisons_is_that_of_the_results() -> None:
    """As the rows of comparisons with an adjusted p-value."""
    evaluation = load_and_evaluate(ROOT / "specs" / "gates.toml")
    rows = (*evaluation.comparisons, *evaluation.decision_comparisons)
    tested = sum(row.is_tested for row in rows)

    assert (
        f"p-values were adjusted for {tested} comparisons by step-down"
        in _files("gates")["methods.md"]
    )


def test_authors_are_separated_by_and() -> None:
    """Names are in braces, so that BibTeX does not split them."""
    entry = bibtex_entry(SJS_2006)

    assert entry.startswith("@misc{sokolova2006,\n")
    assert "author = {{Sokolova} and {Japkowicz} and {Szpakowicz}}," in entry
    assert "year = {2006}," in entry


def test_further_authors_are_others() -> None:
    """BibTeX prints "et al." for them."""
    assert "author = {{Glas} and others}," in bibtex_entry(GLAS_2003)
