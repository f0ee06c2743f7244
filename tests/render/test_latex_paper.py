"""The files for papers in a real LaTeX: tables, methods paragraph, figures and references."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import render
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.build import build_report
from tests.external_programs import needs_latex

SPECS = Path(__file__).parents[2] / "specs"
FORMATS = ("latex", "latex_tables", "methods_latex", "bibtex", "figures")
PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage[T1]{fontenc}
\usepackage{array,booktabs,longtable,pdflscape,xcolor,amssymb,graphicx}
\begin{document}
\input{methods}
"""


def _run(folder: Path, *command: str) -> str:
    process = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    assert process.returncode == 0, process.stdout[-2000:]
    return process.stdout


@pytest.mark.slow
@needs_latex
@pytest.mark.parametrize("name", ["gates", "digits"])
def test_a_paper_can_input_everything(tmp_path: Path, name: str) -> None:
    """Without errors, and without undefined citations after BibTeX."""
    evaluation = load_and_evaluate(SPECS / f"{name}.toml")
    files = render(evaluation, build_report(evaluation), FORMATS, DEFAULT_THEME).files
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    tables = [path for path in files if path.startswith("tables/")]
    figures = [path for path in files if path.endswith(".pdf")]
    lines = [rf"\input{{{path.removesuffix('.tex')}}}" for path in tables]
    lines += [rf"\includegraphics[width=.8\textwidth]{{{path}}}" + "\n" for path in figures]
    end = "\\bibliographystyle{plain}\\bibliography{references}\n\\end{document}\n"
    (tmp_path / "paper.tex").write_text("\n".join([PREAMBLE, *lines, end]), "utf-8")
    latex = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error")
    _run(tmp_path, *latex, "paper.tex")
    _run(tmp_path, "bibtex", "paper")
    _run(tmp_path, *latex, "paper.tex")
    log = _run(tmp_path, *latex, "paper.tex")

    assert tables
    assert figures
    assert "undefined" not in log
    _run(tmp_path, *latex, "report.tex")
