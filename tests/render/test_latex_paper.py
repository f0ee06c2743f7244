"""The files for papers in a real LaTeX: tables, methods paragraph, figures and references."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import render
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.build import build_report
from tests.external_programs import needs_latex

SPECS = Path(__file__).parents[2] / "specs"
LATEX = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error")
FORMATS = ("latex", "latex_tables", "methods_latex", "bibtex", "figures")
PAGE = SPECS.parent / "docs/results.md"
PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage[T1]{fontenc}
\usepackage{array,booktabs,longtable,pdflscape,xcolor,amssymb,graphicx}
\begin{document}
"""


def _run(folder: Path, *command: str) -> str:
    process = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    assert process.returncode == 0, process.stdout[-2000:]
    return process.stdout


def _write_files(folder: Path, name: str) -> list[str]:
    """Write the files for papers of a spec; return their paths."""
    evaluation = load_and_evaluate(SPECS / f"{name}.toml")
    files = render(evaluation, build_report(evaluation), FORMATS, DEFAULT_THEME).files
    for path, content in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
    return list(files)


def _typeset(folder: Path, text: str) -> str:
    """Typeset a paper with references; return what LaTeX prints the last time."""
    (folder / "paper.tex").write_text(PREAMBLE + text, "utf-8")
    _run(folder, *LATEX, "paper.tex")
    _run(folder, "bibtex", "paper")
    _run(folder, *LATEX, "paper.tex")
    return _run(folder, *LATEX, "paper.tex")


@pytest.mark.slow
@needs_latex
@pytest.mark.parametrize("name", ["gates", "digits"])
def test_a_paper_can_input_everything(tmp_path: Path, name: str) -> None:
    """Without errors, and without undefined citations after BibTeX."""
    files = _write_files(tmp_path, name)
    tables = [path for path in files if path.startswith("tables/")]
    figures = [path for path in files if path.endswith(".pdf")]
    lines = [rf"\input{{{path.removesuffix('.tex')}}}" for path in tables]
    lines += [rf"\includegraphics[width=.8\textwidth]{{{path}}}" + "\n" for path in figures]
    end = "\\bibliographystyle{plain}\\bibliography{references}\n\\end{document}\n"
    log = _typeset(tmp_path, "\n".join([r"\input{methods}", *lines, end]))

    assert tables
    assert figures
    assert "undefined" not in log
    _run(tmp_path, *LATEX, "report.tex")


@pytest.mark.slow
@needs_latex
def test_the_lines_of_the_page_make_a_paper(tmp_path: Path) -> None:
    """As they stand in docs/results.md, with the files of the flagship."""
    (lines,) = re.findall(
        r"^```latex\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    _write_files(tmp_path, "breast_cancer")

    assert "undefined" not in _typeset(tmp_path, f"{lines}\\end{{document}}\n")
