"""Text of data and specs is text in every format: no markup, no command, no formula."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from unicodedata import category

import pytest
from markdown_it import MarkdownIt

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job

if TYPE_CHECKING:
    from pathlib import Path

# What means something in HTML, JSON in HTML, Jinja2, LaTeX, BibTeX, Markdown and spreadsheets.
HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><svg onload=alert(1)>",
    "<!-- <!--<script>",
    "{{ 7*7 }}{% raw %}",
    "\\input{/etc/passwd}",
    "$\\write18{id}$",
    "\\end{verbatim}\\input{/etc/passwd}",
    "}@misc{x, title = {",
    "[x](javascript:alert(1)) | a | b |",
    "```",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    # Of spreadsheets in full width, and after a line break; of terminals; of directions of text.
    "\uff1d1+1",
    "\n=2+2",
    "\x1b]0;title\x07\x9b31mred",
    "file\u202etxt.exe",
    "one\u2028line\rover",
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# A line break or an invisible character is an error of a spec.
TEXT = " ".join(text for text in HOSTILE if text.isprintable())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report whose labels, names and texts are hostile, in all formats."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [
        {"truth": truth, "prediction": prediction}
        for number, truth in enumerate(HOSTILE)
        for prediction in (truth, truth, HOSTILE[number - 1])
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(lines, encoding="utf-8")
    quoted = json.dumps(TEXT)
    (folder / "spec.toml").write_text(
        f"""# ```
# \\end{{verbatim}}\\input{{/etc/passwd}} </script><script>alert(1)</script>
title = {quoted}
[about]
description = {quoted}
authors = [{quoted}]
[task]
kind = "multiclass"
[data]
truth = "truth"
prediction = "prediction"
[[classifiers]]
name = {quoted}
predictions = "rows.jsonl"
[[classifiers]]
name = "=B"
predictions = "rows.jsonl"
[[sections]]
kind = "text"
title = "Notes"
text = '''<script>alert(1)</script> [x](javascript:alert(1)) \\input{{/etc/passwd}}'''
[output]
formats = ["html", "json", "csv", "markdown", "latex"]
detail = "full"
""",
        encoding="utf-8",
    )
    outcome = run_job(Job(folder / "spec.toml", folder / "out", untrusted=True))
    assert outcome.exit_code is ExitCode.SUCCESS, outcome.diagnostics
    return folder / "out/spec"


class TagCollector(HTMLParser):
    """Collects the elements that could act, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.actions: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count scripts; note handlers, images and addresses that are scripts."""
        self.scripts += tag == "script"
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.actions.append(f"{tag} {name}={value}")
            if name == "src" and not (value or "").startswith("data:"):
                self.actions.append(f"{tag} {name}={value}")


@pytest.mark.slow
def test_labels_are_text_in_every_format(report: Path) -> None:
    """HTML has its own scripts only, Markdown no HTML and no links, LaTeX no commands of others."""
    page = TagCollector()
    page.feed((report / "report.html").read_text(encoding="utf-8"))
    assert page.scripts <= 3
    assert page.actions == []
    for hostile in HOSTILE[:4]:
        assert hostile not in (report / "report.html").read_text(encoding="utf-8")
    markdown = (report / "report.md").read_text(encoding="utf-8")
    tag_collector = TagCollector()
    tag_collector.feed(
        str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    )
    assert tag_collector.scripts == 0
    assert tag_collector.actions == []
    latex = (report / "report.tex").read_text(encoding="utf-8")
    listings = re.compile(r"\\begin\{(\w*[Vv]erbatim\w*)\}.*?\\end\{\1\}", re.DOTALL)
    assert not re.search(r"(?<!textbackslash\{\})\\(input\{/etc|write18)", listings.sub("", latex))


@pytest.mark.slow
def test_formulas_in_labels_are_no_formulas_in_csv(report: Path) -> None:
    """A spreadsheet reads a text after an apostrophe as text; numbers stay numbers."""
    tables = sorted((report / "tables").glob("*.csv"))
    texts = [io.StringIO(path.read_bytes().decode(), newline="") for path in tables]
    cells = [cell for text in texts for row in csv.reader(text) for cell in row]
    formulas = [cell for cell in cells if cell.startswith(FORMULA_STARTS)]

    assert tables
    assert all(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?|-inf", cell) for cell in formulas), formulas[:3]
    assert "'=cmd|' /C calc'!A0" in cells


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["report.html", "report.md", "report.tex", "results.json", "manifest.json", "*.csv"]
)
def test_control_characters_are_in_no_file(report: Path, name: str) -> None:
    """Somebody may print it on a terminal; JSON has them as escape sequences."""
    files = list(report.rglob(name))
    texts = [path.read_bytes().decode() for path in files]
    # Of CSV, a line break in quotes is part of a cell.
    controls = {
        character
        for text in texts
        for character in text
        if category(character) in {"Cc", "Cf", "Zl", "Zp"} and character not in "\n\t"
    }

    assert files
    assert controls == set()
    if name.endswith(".csv"):
        assert any("file[U+202E]txt.exe" in text for text in texts)
    if name == "results.json":
        assert "file\u202etxt.exe" in json.loads(texts[0])["task"]["classes"]


@pytest.mark.slow
def test_json_in_the_page_cannot_be_closed(report: Path) -> None:
    """The data of the page are JSON in a script element, and have all labels."""
    text = (report / "report.html").read_text(encoding="utf-8")
    blocks = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)

    assert all(json.loads(block) is not None for block in blocks)
    assert "<!--" not in "".join(blocks)
