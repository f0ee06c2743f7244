"""A report shows itself, and is written whole or not at all."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

import pytest

import reportgen as rg
from reportgen.output import write

if TYPE_CHECKING:
    from pathlib import Path

TRUTH = ["yes", "no"] * 20
GOOD = [*TRUTH[:38], "no", "yes"]
POOR = ["yes"] * 40


@pytest.fixture(scope="module")
def report() -> rg.Report:
    """Return the report of two classifiers: 38 of 40 right, and 20 of 40."""
    return rg.evaluate(TRUTH, {"Good": GOOD, "<Poor>": POOR}, positive="yes", title="Good & <poor>")


def test_a_terminal_shows_title_cases_and_main_values(report: rg.Report) -> None:
    """38 of 40 are 0.950 and 20 of 40 are 0.500, with Wilson's interval."""
    title, data, good, poor = repr(report).split("\n")

    assert title == "Report: Good & <poor>"
    assert "on the same 40 cases: 20 yes" in data
    assert re.fullmatch(r"  Good    accuracy (0\.950|95\.0.?%) \(.+–.+\)", good)
    assert re.fullmatch(r"  <Poor>  accuracy (0\.500|50\.0.?%) \(.+–.+\)", poor)


def test_a_notebook_shows_the_page_in_a_frame(report: rg.Report) -> None:
    """The frame holds the whole page, may run its script, and nothing breaks out of it."""
    text = report._repr_html_()
    result = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="([^"]*)" title="([^"]*)".*', text)

    assert result is not None
    page, sandbox, title = result.groups()
    assert html.unescape(page).replace('<base href="about:srcdoc">', "") == report.html
    assert sandbox == "allow-scripts allow-popups"
    assert html.unescape(title) == "Good & <poor>"


def test_findings_are_plain_sentences(report: rg.Report) -> None:
    """They have no markup, and stand in the page."""
    assert any("better than <Poor>" in sentence for sentence in report.findings)
    assert not any("file" in sentence for sentence in report.findings)


def test_the_page_names_no_spec_file(report: rg.Report) -> None:
    """There is none; the page says where the data come from instead."""
    assert ".toml" not in report.html
    assert "Every file" not in report.html
    assert "given in Python" in report.html


def test_a_file_is_recognised_by_its_ending(report: rg.Report, tmp_path: Path) -> None:
    """One file is written, in folders that are made for it, and nothing beside it."""
    page = report.write(tmp_path / "new" / "page.html")
    results = report.write(str(tmp_path / "new" / "numbers.JSON"))

    assert page.read_text(encoding="utf-8") == report.html
    assert json.loads(results.read_text(encoding="utf-8")) == report.results
    assert {path.name for path in page.parent.iterdir()} == {"page.html", "numbers.JSON"}


def test_a_folder_gets_the_formats_asked_for(report: rg.Report, tmp_path: Path) -> None:
    """The manifest names the data by their hash, and holds a spec that says what was asked."""
    folder = report.write(tmp_path / "out", formats=("html", "json", "csv"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))

    assert {"report.html", "results.json", "tables"} <= {path.name for path in folder.iterdir()}
    assert manifest["spec"]["path"] == "data given in Python"
    assert 'positive = "yes"' in manifest["spec"]["text"]
    assert manifest["inputs"] == report.results["inputs"]


def test_an_earlier_report_survives_a_fault(
    report: rg.Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full, the old page is as it was and nothing is left behind."""

    def full(_path: Path, _content: bytes) -> None:
        raise OSError(28, "No space left on device")

    page = tmp_path / "report.html"
    page.write_text("old", encoding="utf-8")
    monkeypatch.setattr(write, "write_fsync", full)
    with pytest.raises(rg.OutputError, match="No space left on device"):
        report.write(page)

    assert page.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_an_ending_that_says_nothing_is_rejected(report: rg.Report, tmp_path: Path) -> None:
    """A folder called report.docx is nobody's wish."""
    with pytest.raises(rg.OutputError, match=r"unknown suffix '\.docx'"):
        report.write(tmp_path / "report.docx")
    with pytest.raises(rg.OutputError, match=r"unknown format `pfd` \(did you mean `pdf`"):
        report.write(tmp_path / "out", formats=["pfd"])

    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_pdf_has_the_results_attached(report: rg.Report, tmp_path: Path) -> None:
    """The PDF alone is enough to compute on."""
    pypdf = pytest.importorskip("pypdf")
    pdf_reader = pypdf.PdfReader(report.write(tmp_path / "report.pdf"))

    assert json.loads(pdf_reader.attachments["results.json"][0]) == report.results


def test_the_same_data_give_the_same_bytes(report: rg.Report) -> None:
    """A second run differs in nothing."""
    again = rg.evaluate(
        TRUTH, {"Good": GOOD, "<Poor>": POOR}, positive="yes", title="Good & <poor>"
    )

    assert again.html == report.html
    assert again.results == report.results


def test_build_writes_what_the_command_writes(tmp_path: Path) -> None:
    """A folder of the spec's name gets the formats asked for."""
    spec = tmp_path / "mine.toml"
    spec.write_text(
        '[task]\nkind = "binary"\npositive = "a"\nclasses = ["a", "b"]\n'
        '[[classifiers]]\nname = "A"\nconfusion = [[3, 1], [2, 4]]\n',
        encoding="utf-8",
    )
    report = rg.build(spec, tmp_path / "out", formats=("json",))
    text = (tmp_path / "out/mine/results.json").read_text(encoding="utf-8")

    assert json.loads(text) == report.results
    assert report.values.filter(measure="accuracy")["value"][0] == pytest.approx(0.7)
