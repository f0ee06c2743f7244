"""Notebooks: Jupyter and marimo execute the examples; of Quarto's, the code is executed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.external_programs import needs_package

if TYPE_CHECKING:
    from reportgen import Report

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs/examples"


def code_of(path: Path) -> list[str]:
    """Return the blocks of Python of a page or a Quarto document."""
    return re.findall(
        r"^```\{?python\}?\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.slow
@needs_package("nbclient")
@needs_package("ipykernel")
@pytest.mark.filterwarnings("ignore")  # of Jupyter and its dependencies
def test_jupyter_executes_the_notebook() -> None:
    """The report is shown in a frame, the values as a table; the file itself has no outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(EXAMPLES / "report.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    report, values, check = (cell.outputs[-1]["data"] for cell in notebook.cells[-3:])

    assert report["text/html"].startswith("<iframe srcdoc=")
    assert report["text/plain"].startswith("Report: Evaluation report")
    assert "Naive Bayes" in values["text/html"]
    assert check["text/plain"] == "True"


@pytest.mark.slow
@needs_package("marimo")
def test_marimo_exports_the_app(tmp_path: Path) -> None:
    """The exported page has the report in a frame."""
    page = tmp_path / "app.html"
    command = [sys.executable, "-m", "marimo", "export", "html", str(EXAMPLES / "marimo_app.py")]
    process = subprocess.run(
        [*command, "-o", str(page)], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert process.returncode == 0, process.stderr
    text = page.read_text(encoding="utf-8")
    assert "iframe" in text
    assert "Naive Bayes" in text
    assert "Traceback" not in text


@pytest.mark.slow
def test_the_code_of_the_quarto_document_runs() -> None:
    """Quarto itself is not run: the page says so."""
    document = EXAMPLES / "report.qmd"
    (inline,) = re.findall(r"`\{python\} (.*?)`", document.read_text("utf-8"))
    names: dict[str, object] = {}
    for block in code_of(document):
        exec(compile(block, str(document), "exec"), names)  # noqa: S102  # ours

    assert re.fullmatch(r"0\.\d{3}", str(eval(inline, names)))  # noqa: S307  # ours
    assert "**Quarto itself was not run**" in (ROOT / "docs/how-to/notebooks.md").read_text("utf-8")


def test_the_cell_of_the_page_shows_a_report() -> None:
    """What stands on the last line has a page for notebooks."""
    (cell,) = code_of(ROOT / "docs/how-to/notebooks.md")
    names: dict[str, object] = {}
    exec(compile(cell, "notebooks.md", "exec"), names)  # noqa: S102  # ours
    report: Report = names["report"]  # type: ignore[assignment]  # of the page

    assert report._repr_html_().startswith("<iframe")
